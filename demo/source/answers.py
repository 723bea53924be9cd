"""From a page to what the server sent: status, header fields, body bytes."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from http import HTTPStatus

from .addresses import host
from .chance import draw, one
from .layouts import Page, dressed
from .packing import PACKED, chunked
from .stock import Site

__all__ = ["Answer", "answer_page", "head_of", "html_answer", "sent"]

SERVERS = ("Apache/2.2.22 (Debian)", "Apache/2.4.10", "nginx/1.6.2", "nginx", "lighttpd/1.4.35")
Fields = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Answer:
    url: str
    status: int
    fields: Fields
    body: bytes
    visit: int = 1  # 2 is three days later
    cut: int | None = None  # bytes of the body that were kept, if the crawler broke off
    revisit: bool = False  # found unchanged: only the header is kept


def answer_page(page: Page) -> Answer:
    return html_answer(page.url, dressed(page), page.site)


def html_answer(
    url: str,
    html: str,
    site: Site,
    *,
    status: int = 200,
    type_: str | None = None,
    coding: str = "",
) -> Answer:
    """`type_` replaces the Content-Type that follows from the site; an empty one leaves it out."""
    body, codings = encoded(html, site.charset), (coding or site.packed).split()
    fields = [("Content-Type", _type(site) if type_ is None else type_)]
    if draw("modified", url) < 0.5:
        fields.append(("Last-Modified", f"{_day(url)} Mar 2016 09:30:00 GMT"))
    for name in (name for name in codings if name in PACKED):
        body = PACKED[name](body)
        fields.append(("Content-Encoding", name))
    return sent(url, status, fields, body, in_chunks="chunked" in codings)


def sent(
    url: str, status: int, fields: list[tuple[str, str]], body: bytes, in_chunks: bool = False
) -> Answer:
    """Adds the fields that every answer has; those without a value are left out."""
    body = chunked(body) if in_chunks else body
    length = ("Transfer-Encoding", "chunked") if in_chunks else ("Content-Length", str(len(body)))
    full = [("Server", one(SERVERS, host(url))), *fields, length]
    return Answer(url, status, tuple(field for field in full if field[1]), body)


def encoded(text: str, charset: str) -> bytes:
    """Characters that the charset lacks become references; UTF-16 is little-endian with its BOM."""
    if charset == "utf-16":
        return codecs.BOM_UTF16_LE + text.encode("utf-16-le")
    return text.encode(charset, "xmlcharrefreplace")


def head_of(answer: Answer, date: str) -> bytes:
    """The status line and header fields as bytes, with the empty line that ends them."""
    lines = [
        f"HTTP/1.1 {answer.status} {HTTPStatus(answer.status).phrase}",
        f"Date: {date}",
        *(f"{name}: {value}" for name, value in answer.fields),
    ]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("ascii")


def _type(site: Site) -> str:
    named = site.declared in {"header", "both"}
    return f"text/html; charset={site.charset}" if named else "text/html"


def _day(url: str) -> str:
    """A day of March 2016, which began on a Tuesday."""
    day = 1 + int(draw("day", url) * 31)
    return f"{('Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun')[day % 7]}, {day:02}"
