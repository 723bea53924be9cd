"""From the HTTP block of a WARC record to the bytes of the page.

It rests on RFC 9110 (fields) and RFC 9112 (message), and reads as browsers do: what servers get
wrong is taken for what it is. Fields that a crawler renamed because it stored the body decoded
(`X-Crawl-Content-Encoding` of Common Crawl) mean nothing here, which is what they should mean.

Charsets, ranges and the frames of HTTP/2 are not read; the body is as long as the block is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pagekin.web.codings import decode_codings

__all__ = [
    "HEADER_TOO_LONG",
    "MAX_BODY_BYTES",
    "NOT_HTTP",
    "HttpResponse",
    "content_type",
    "decode_body",
    "header_fields",
    "parse_http",
]

MAX_BODY_BYTES = 8 << 20  # the longest of 1,208 real pages has 1.6 MB
NOT_HTTP: Final = "not_http"
HEADER_TOO_LONG: Final = "http_header_too_long"

_MAX_HEADER_BYTES = 64 << 10
_STATUS_LINE = re.compile(
    rb"[\r\n]{0,4}(?:HTTP(?:/\d(?:\.\d)?)?|ICY)[ \t]+(\d{3})(?!\d)[^\n]*", re.I
)
_BLANK_LINE = re.compile(rb"\n\r?\n")
_CHARSET = re.compile(r""";\s*charset\s*=\s*["']?\s*([^\s"';,]+)""", re.I)


@dataclass(slots=True)
class HttpResponse:
    """A response as it was sent, codings and all."""

    status: int
    headers: dict[str, str]
    """By lower-case name; of fields sent twice the first counts."""
    body: bytes


def parse_http(block: bytes) -> HttpResponse | str:
    """The response in a record's block, or the reason why it holds none.

    >>> parse_http(b"HTTP/1.1 200\\nServer: x\\n\\n<p>").headers
    {'server': 'x'}
    """
    first = _STATUS_LINE.match(block)
    if first is None:
        return NOT_HTTP
    # The search starts on the newline of the status line: there may be no fields at all.
    blank = _BLANK_LINE.search(block, first.end(), _MAX_HEADER_BYTES)
    if blank is None and len(block) > _MAX_HEADER_BYTES:
        return HEADER_TOO_LONG
    end, start = blank.span() if blank else (len(block), len(block))
    fields = header_fields(block[first.end() : end].decode("latin-1"))
    return HttpResponse(int(first[1]), fields, block[start:])


def header_fields(text: str) -> dict[str, str]:
    """Fields by lower-case name: the first value wins, folded lines are joined, odd lines skipped.

    >>> header_fields("A: 1\\r\\n  2\\r\\nnonsense\\r\\na: 3")
    {'a': '1 2'}
    """
    fields: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if line[:1] in {" ", "\t"}:
            if name:
                fields[name] = f"{fields[name]} {line.strip()}".strip()
            continue
        key, colon, value = line.partition(":")
        key = key.strip().lower()
        name = key if colon and key and key not in fields else ""
        if name:
            fields[name] = value.strip()
    return fields


def content_type(headers: Mapping[str, str]) -> tuple[str, str]:
    """Media type and charset, both lower-case and empty where not said.

    >>> content_type({"content-type": 'Text/HTML; Charset="UTF-8"'})
    ('text/html', 'utf-8')
    """
    value = headers.get("content-type", "")
    charset = _CHARSET.search(value)
    return re.split("[;,]", value, maxsplit=1)[0].strip().lower(), charset[
        1
    ].lower() if charset else ""


def decode_body(
    response: HttpResponse, limit: int = MAX_BODY_BYTES
) -> tuple[bytes, tuple[str, ...]]:
    """The body without its codings, at most `limit` bytes, and notes on what was wrong with it.

    Notes are those of `pagekin.web.codings`, and `cut`.
    """
    fields = response.headers
    # In the order in which they were applied: the transfer codings come last.
    listed = f"{fields.get('content-encoding', '')},{fields.get('transfer-encoding', '')}"
    body, notes = decode_codings(listed.split(","), response.body, limit)
    if len(body) > limit:
        return body[:limit], (*notes, "cut")
    return body, notes
