"""A page put into words for people and for JSON: the stream that all the rest is made from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pagekin.config import TextConfig
from pagekin.counters import Counters
from pagekin.text.tokens import LINK, LINK_END, NAMES, tokenise
from pagekin.text.words import Vocabulary
from pagekin.web.page import Page

__all__ = ["describe_page", "page_lines"]

_WIDTH = 100


def describe_page(
    page: Page, config: TextConfig, counters: Counters, in_menus: Sequence[bool]
) -> dict[str, Any]:
    """Everything that the reader knows of the page; `in_menus` tells it of each link."""
    tokens = tokenise(page.flat.text.decode())
    table = Vocabulary(config).table(page.language)
    words = [token for token in tokens if token not in NAMES]
    terms = table.terms(table.numbers_of(words)).tolist()
    kept = {word: term != 0 for word, term in zip(words, terms, strict=True)}
    counters.add("text", "words", len(words))
    counters.add("text", "words_dropped", sum(1 for word in words if not kept[word]))
    targets = page.targets()
    links = [
        {"href": href, "target": target, "rel": rel, "in_menu": in_menu}
        for href, target, rel, in_menu in zip(
            page.flat.hrefs, targets, page.flat.rels(), in_menus, strict=True
        )
    ]
    counters.add("links", "found", len(links))
    counters.add("links", "no_web_address", targets.count(None))
    counters.add("links", "in_menus", sum(in_menus))
    return {
        "url": page.url,
        "title": page.title,
        "language": page.language,
        "charset": page.charset,
        "base": page.flat.base,
        "canonical": page.canonical,
        "robots": page.flat.robots.strip(),
        "links": links,
        "stream": [_describe_token(token, kept) for token in tokens],
        "counters": counters.as_dict(),
    }


def _describe_token(token: str, kept: dict[str, bool]) -> dict[str, str]:
    if token in NAMES:
        return {"mark": NAMES[token]}
    return {"word": token} if kept[token] else {"dropped": token}


def page_lines(described: dict[str, Any]) -> Iterator[str]:
    """The same for people."""
    for name in ("url", "title", "language", "charset", "base", "canonical", "robots"):
        if described[name]:
            yield f"{name:10} {described[name]}"
    yield ""
    yield from _wrap(_pieces(described))
    yield ""
    for group, names in described["counters"].items():
        yield f"{group:10} " + ", ".join(f"{name} {amount:,}" for name, amount in names.items())


def _pieces(described: dict[str, Any]) -> Iterator[str]:
    """Words and marks; a link as [ words -> where it leads ]."""
    links = iter(described["links"])
    open_links: list[str] = []
    for token in described["stream"]:
        mark = token.get("mark")
        if mark == NAMES[LINK]:
            link = next(links)
            end = link["target"] or f"no web address: {link['href']}"
            open_links.append(f"{end} (in a menu)" if link["in_menu"] else end)
            yield "["
        elif mark == NAMES[LINK_END] and open_links:
            yield f"-> {open_links.pop()}]"
        elif mark:
            yield f"<{mark}>"
        else:
            yield token.get("word") or f"({token['dropped']})"


def _wrap(pieces: Iterator[str]) -> Iterator[str]:
    line = ""
    for piece in pieces:
        if line and len(line) + len(piece) >= _WIDTH:
            yield line
            line = ""
        line += f" {piece}" if line else piece
    if line:
        yield line
