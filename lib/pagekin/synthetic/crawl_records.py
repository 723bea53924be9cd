"""What a crawler stored of a made-up web: pages, and what it met besides, as WARC records.

Besides pages it meets redirects, pages found unchanged, errors, and broken pages. Which page has
what around it is drawn from the page's number, so that the counts of a whole web are known before
anything is written.

Records are WARC/1.0 (ISO 28500), each a gzip member of its own, as Common Crawl stores them.
Identities and dates follow from the number of the page. Compressed with isal at its lowest level:
470 MB/s, where zlib at its lowest has 120, and the files are 2 % smaller. Requests and metadata,
which nothing here reads, are not written.
"""

from __future__ import annotations

import time
from base64 import b32encode
from collections.abc import Iterator
from hashlib import blake2b, sha1
from typing import NamedTuple

import numpy as np
from isal import isal_zlib

from pagekin.synthetic.chance import key_of, mix, mix_all
from pagekin.synthetic.hyperlinks import MOVED, is_moved
from pagekin.synthetic.made_pages import PageMaker, encode
from pagekin.synthetic.population import WebConfig

__all__ = ["expected_records", "info_record", "page_records"]

# Of 1,000 pages so many have such a record besides their own, or are it: truncated and revisited.
_SHARES = {"revisit": 15, "missing": 15, "not_html": 8, "server_error": 4, "truncated": 5}
_BOUNDS = tuple(np.cumsum(list(_SHARES.values())).tolist())
_NAMES = tuple(_SHARES)
_AT_ONCE = 1 << 20


def _oddity(page: int, seed: int) -> str:
    """What is odd about a page or around it; "" for most."""
    chance = mix(key_of(seed, "odd") ^ page) % 1000
    return next((name for name, bound in zip(_NAMES, _BOUNDS, strict=True) if chance < bound), "")


def expected_records(config: WebConfig) -> dict[str, int]:
    """How many records of each kind the web has, without warcinfo records."""
    counts = np.zeros(len(_NAMES) + 1, dtype=np.int64)
    moved = 0
    for first in range(0, config.pages, _AT_ONCE):
        pages = np.arange(first, min(first + _AT_ONCE, config.pages), dtype=np.uint64)
        chance = mix_all(pages ^ np.uint64(key_of(config.seed, "odd"))) % 1000
        kinds = np.searchsorted(_BOUNDS, chance, side="right")
        counts += np.bincount(kinds, minlength=len(counts))
        moved += int(np.count_nonzero(mix_all(pages) % 100 < MOVED))
    odd = dict(zip(_NAMES, counts.tolist(), strict=False))
    return {"pages": config.pages, "redirect": moved, **odd}


# --- records ---

_BEGAN = 1_714_550_400  # 1 May 2024
_PAGES_A_SECOND = 8
_REVISIT = 3 * 86_400  # seconds until a page is looked at again
_WHOLE = 0.6  # the share of a truncated page that is stored
_GZIP = 31  # wbits
_PROFILE = "http://netpreserve.org/warc/1.0/revisit/identical-payload-digest"
_REASONS = {200: "OK", 301: "Moved Permanently", 404: "Not Found", 503: "Service Unavailable"}
_ERRORS = {"missing": (404, "Not found"), "server_error": (503, "Try again later")}
_PDF = b"%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


class _Answer(NamedTuple):
    """What a server answers."""

    url: str
    status: int
    field: str  # of the HTTP header, besides those that all have
    body: bytes = b""

    def head(self) -> bytes:
        """The status line and the fields, with the empty line behind them."""
        lines = [
            f"HTTP/1.1 {self.status} {_REASONS[self.status]}",
            "Server: nginx",
            self.field,
            f"Content-Length: {len(self.body)}",
        ]
        return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def page_records(maker: PageMaker, page: int) -> Iterator[bytes]:
    """The records of all that a crawler got around a page; the page itself comes first."""
    made, seed = maker.make(page), maker.config.seed
    odd, host = _oddity(page, seed), made.host
    charset = f"; charset={host.charset}" if host.declared in {"header", "both"} else ""
    answer = _Answer(made.url, 200, f"Content-Type: text/html{charset}", made.body)
    yield _record(answer, page, seed, odd if odd == "truncated" else "")
    if odd == "revisit":
        yield _record(answer, page, seed, odd)
    elif odd == "not_html":
        body = _PDF * (1 + page % 9)
        url, field = f"{host.site}/files/{page}.pdf", "Content-Type: application/pdf"
        yield _record(_Answer(url, 200, field, body), page, seed)
    elif odd in _ERRORS:
        status, text = _ERRORS[odd]
        body = encode(f"<html><title>{text}</title><h1>{text}</h1></html>", "ascii")
        url = f"{host.site}/{odd}/{page}"
        yield _record(_Answer(url, status, "Content-Type: text/html", body), page, seed)
    if is_moved(page):
        moved = _Answer(maker.addresses.old_url(page), 301, f"Location: {made.url}")
        yield _record(moved, page, seed)


def _record(answer: _Answer, page: int, seed: int, odd: str = "") -> bytes:
    """The record of an answer, which may be truncated or a revisit."""
    moment, kind = _BEGAN + page // _PAGES_A_SECOND, "response"
    head, body = answer.head(), answer.body
    if odd == "truncated":
        body = body[: int(len(body) * _WHOLE)]
    fields = [
        f"WARC-Target-URI: {answer.url}",
        "Content-Type: application/http; msgtype=response",
        f"WARC-Payload-Digest: sha1:{b32encode(sha1(body).digest()).decode()}",
    ]
    if odd == "truncated":
        fields.append("WARC-Truncated: length")
    elif odd == "revisit":
        fields += [f"WARC-Profile: {_PROFILE}", f"WARC-Refers-To-Date: {_iso(moment)}"]
        moment, body, kind = moment + _REVISIT, b"", odd
    return _member(kind, moment, _identity(kind, answer.url, seed), fields, head + body)


def info_record(name: str, seed: int) -> bytes:
    """The first record of a file."""
    block = (
        f"software: pagekin make-web\r\nformat: WARC File Format 1.0\r\n"
        f"description: a made-up web, seed {seed}\r\n"
    ).encode()
    fields = [f"WARC-Filename: {name}", "Content-Type: application/warc-fields"]
    return _member("warcinfo", _BEGAN, _identity("warcinfo", name), fields, block)


def _member(kind: str, moment: int, identity: str, fields: list[str], block: bytes) -> bytes:
    lines = [
        "WARC/1.0",
        f"WARC-Type: {kind}",
        f"WARC-Record-ID: {identity}",
        f"WARC-Date: {_iso(moment)}",
        *fields,
        f"Content-Length: {len(block)}",
    ]
    head = ("\r\n".join(lines) + "\r\n\r\n").encode()
    packed: bytes = isal_zlib.compress(b"".join((head, block, b"\r\n\r\n")), 1, _GZIP)
    return packed


def _identity(kind: str, name: str, seed: int = 0) -> str:
    """A random-looking identity of version 4 that is always the same."""
    text = blake2b(f"{seed} {kind} {name}".encode(), digest_size=16).hexdigest()
    return f"<urn:uuid:{text[:8]}-{text[8:12]}-4{text[13:16]}-8{text[17:20]}-{text[20:]}>"


def _iso(moment: int) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(moment))
