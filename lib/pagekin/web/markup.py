"""The markup of a page, read once: its flat text with links, what its head says, and its outline.

`read_markup` is the one door to all of it; `_html.c` does the work where it was built, else
`pagekin.web.flat` and `pagekin.web.outline`. Both are made from the stream of tags
(`pagekin.web.tags`) and not from a tree: everything that bags are made of lies in the order of the
page, structural rules ask for no more than which elements hold which links, and a tree costs more
than all the rest of the reading.

Before that, the control characters that `pagekin.text.tokens` uses as markers become U+FFFD, so
that every marker in a flat text is ours, and a page with more tags than any page needs is cut.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from pagekin.limits import MAX_LINKS, MAX_TAGS
from pagekin.native import load
from pagekin.text.tokens import CODES
from pagekin.web import tags
from pagekin.web.flat import LINK_MARKS, FlatColumns, flatten_tags
from pagekin.web.outline import Outline, outline_tags
from pagekin.web.tags import (
    ELEMENTS,
    LOOKED_AT,
    NUMBERS,
    attribute,
    attribute_value,
    attributes,
    cut_tags,
    hidden_runs,
    marks_of,
    resolve_references,
    tag_numbers,
    with_plain_titles,
)

__all__ = [
    "Flat",
    "Outline",
    "read_markup",
    "reader_in_c",
    "reader_in_python",
    "sanitise",
]

_MAX_ROBOTS = 1000  # characters of robots metas; they are looked at for each link

_CONTROLS = [bytes([code]) for code in (*range(0x01, 0x09), *range(0x0E, 0x20))]
_NO_TEXT = "".join((*CODES, " \t\n\f\r")).encode()
_rel = attribute("rel")
_native = load("pagekin.web._html")

Reader = Callable[[bytes, bool], tuple[FlatColumns, Outline | None]]


@dataclass(slots=True)
class Flat:
    """A page's text with markers, its links in order, and what its head says of it."""

    text: bytes = b""  # UTF-8
    hrefs: list[str] = field(default_factory=list)
    links: list[bytes] = field(default_factory=list)  # attributes of each link, as written
    language: str = ""  # the lang attribute, as written
    base: str = ""  # the first <base href>
    canonical: str = ""  # the first link rel=canonical
    robots: str = ""  # robots meta, lower case
    notes: list[str] = field(default_factory=list)  # too_many_tags, too_many_links

    def rels(self) -> list[str]:
        """The rel of each link; seldom asked for."""
        return [_rel(raw) or "" for raw in self.links]


def read_markup(
    body: bytes, without: frozenset[str] = frozenset(), *, with_outline: bool = False
) -> tuple[Flat | None, Outline | None]:
    """The flat text of a page given as valid UTF-8, and its outline if that is wanted.

    No flat text where there is nothing to read. Markers that nobody will look at may be left out of
    it (`CUTS`): tags separate words all the same.
    """
    sane, notes = sanitise(body)
    read = _reader(without)
    columns, outline = read(sane, with_outline)
    if columns.tags_in_titles:
        columns, outline = read(with_plain_titles(sane), with_outline)
    text = resolve_references(columns.text)
    if not columns.has_element and not text.strip(_NO_TEXT):
        return None, outline
    if columns.too_many_links:
        notes = ["too_many_links", *notes]
    flat = Flat(text, columns.hrefs, columns.links, notes=notes)
    _read_head(flat, columns.head)
    return flat, outline


def sanitise(body: bytes) -> tuple[bytes, list[str]]:
    """The page without control characters and within its limit of tags; a note if that cut it."""
    if _has_controls(body):
        for control in _CONTROLS:  # by a regular expression 5 MB of them took 400 MB
            body = body.replace(control, "\ufffd".encode())
    if len(body) > MAX_TAGS and body.count(b"<") > MAX_TAGS:
        return body[: -len(body.split(b"<", MAX_TAGS + 1)[-1]) - 1], ["too_many_tags"]
    return body, []


def _has_controls(body: bytes) -> bool:
    """Two passes of numpy over a page take a tenth of the time of a search."""
    points = np.frombuffer(body, dtype=np.uint8)
    low, high = points - np.uint8(0x01), points - np.uint8(0x0E)
    return bool((low < 0x08).any() or (high < 0x12).any())


@cache
def _reader(without: frozenset[str]) -> Reader:
    """The fastest that there is."""
    return reader_in_python(without) if _native is None else reader_in_c(_native, without)


def reader_in_python(without: frozenset[str], max_links: int = MAX_LINKS) -> Reader:
    """Reads sane pages in Python."""
    marks = marks_of(without)

    def read(body: bytes, with_outline: bool) -> tuple[FlatColumns, Outline | None]:
        parts = cut_tags(body)
        texts, elements = tag_numbers(parts)
        looked_at = np.flatnonzero(np.frombuffer(texts, np.uint8) >= LOOKED_AT)
        hidden = hidden_runs(parts, texts, looked_at.tolist())
        outline = outline_tags(parts, elements, hidden, max_links) if with_outline else None
        return flatten_tags(parts, texts, hidden, marks, max_links), outline

    return read


def reader_in_c(part: Any, without: frozenset[str], max_links: int = MAX_LINKS) -> Reader:
    """Reads sane pages in C, with the part `_html`."""
    marks = [*marks_of(without), *LINK_MARKS]
    reader = part.Reader(NUMBERS, ELEMENTS, marks, attribute_value, max_links)

    def read(body: bytes, with_outline: bool) -> tuple[FlatColumns, Outline | None]:
        flat, outline = reader(body, with_outline)
        return FlatColumns._make(flat), Outline(*outline) if outline else None

    return read


def _read_head(flat: Flat, head: list[tuple[int, bytes]]) -> None:
    """What a page says of itself; of each the first counts, but all robots are asked."""
    robots: list[str] = []
    for number, raw in head:
        get = attributes(raw).get
        if number == tags.OF_HTML:
            flat.language = flat.language or get("lang") or get("xml:lang") or ""
        elif number == tags.OF_BASE:
            flat.base = flat.base or get("href", "")
        elif number == tags.OF_LINK:
            if not flat.canonical and "canonical" in get("rel", "").lower().split():
                flat.canonical = get("href", "")
        elif get("name", "").lower() == "robots":
            robots.append(get("content", "").lower())
    flat.robots = " ".join(robots).strip()[:_MAX_ROBOTS]
