"""The answers that a crawler got around each page: the page, and what is odd beside it."""

from __future__ import annotations

from collections.abc import Iterator

from pagekin.synthetic.addresses import is_moved
from pagekin.synthetic.frames import encode
from pagekin.synthetic.hosts import Host
from pagekin.synthetic.odd import oddity
from pagekin.synthetic.pages import MadePage, PageMaker
from pagekin.synthetic.records import Answer, http_head

__all__ = ["answers"]

_KEPT = 0.6  # of a truncated page
_PDF = b"%PDF-1.4\n1 0 obj << /Type /Catalog >> endobj\ntrailer << /Root 1 0 R >>\n%%EOF\n"


def answers(maker: PageMaker, page: int) -> Iterator[Answer]:
    """The page itself comes first."""
    made, odd = maker.make(page), oddity(page, maker.config.seed)
    kind = _type(made.host)
    head = http_head(200, len(made.body), f"Content-Type: {kind}")
    if odd == "truncated":
        kept = made.body[: int(len(made.body) * _KEPT)]
        yield Answer(made.url, page, head, kept, truncated=True)
    else:
        yield Answer(made.url, page, head, made.body)
    if odd == "revisit":
        yield Answer(made.url, page, head, made.body, kind="revisit")
    elif odd:
        yield from _beside(made, page, odd)
    if is_moved(page):
        where = f"Location: {made.url}"
        yield Answer(maker.addresses.old_url(page), page, http_head(301, 0, where))


def _beside(made: MadePage, page: int, odd: str) -> Iterator[Answer]:
    """An error, or a file that is no HTML, on the page's host."""
    site = made.host.site
    if odd == "not_html":
        body = _PDF * (1 + page % 9)
        head = http_head(200, len(body), "Content-Type: application/pdf")
        yield Answer(f"{site}/files/{page}.pdf", page, head, body)
    elif odd in _ERRORS:
        status, text = _ERRORS[odd]
        body = encode(f"<html><title>{text}</title><h1>{text}</h1></html>", "ascii")
        head = http_head(status, len(body), "Content-Type: text/html")
        yield Answer(f"{site}/{odd}/{page}", page, head, body)


_ERRORS = {"missing": (404, "Not found"), "server_error": (503, "Try again later")}


def _type(host: Host) -> str:
    said = host.declared in {"header", "both"}
    return f"text/html; charset={host.charset}" if said else "text/html"
