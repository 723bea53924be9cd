"""The flat form of a page: its text with markers, its links, and what its head says of it.

It is made from the stream of tags (`pagekin.web.scan`) and not from a tree: everything that bags
are made of lies in the order of the page, and a tree costs more than all the rest of the reading.
What a tree knows beyond it is where an element ends that is never closed. Here

- a link ends at its end tag, or else where the next <a> begins, as in browsers;
- unread elements (<noscript>, <svg> ...) end at the end tag that belongs to them; one without is
  read as if its tag were not there;
- headings, lists and tables end at their end tags.

Comments join what stands around them; every other tag separates words [SIM 3.1].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import repeat

import numpy as np

from pagekin.text.markup import CODES, LINK, LINK_END
from pagekin.web.references import resolve_references
from pagekin.web.scan import Piece, attribute, attributes, cut_tags, with_plain_titles
from pagekin.web.tags import (
    GAP,
    HIDING,
    KINDS,
    LOOKED_AT,
    OF_A,
    OF_A_END,
    OF_AREA,
    OF_BASE,
    OF_HTML,
    OF_IMG,
    OF_INPUT,
    OF_LINK,
    OF_META,
    OF_TEXTAREA,
    OF_TITLE,
    hidden_runs,
    marks_of,
)
from pagekin.web.tame import tame

__all__ = ["MAX_LINKS", "Flat", "flatten", "text_of"]

# Of 12,454 pages the one with the most links has 3,401. Behind this many only their texts are read.
# So many below a long base, with odd addresses, take 5 s.
MAX_LINKS = 30_000
_MAX_ROBOTS = 1000  # characters of robots metas; they are looked at for each link

_NO_TEXT = "".join((*CODES, " \t\n\f\r")).encode()
_SLASH = ord("/")
_LINK_MARK, _LINK_END_MARK = f" {LINK} ".encode(), f" {LINK_END} ".encode()
_BETWEEN_LINKS = _LINK_END_MARK + _LINK_MARK
_TOLD_BY = {OF_LINK: b"canonical", OF_META: b"robots"}
_href, _rel, _alt = attribute("href"), attribute("rel"), attribute("alt")


@dataclass(slots=True)
class Flat:
    """A page's text with markers, its links in order, and what its head says of it."""

    text: bytes = b""  # UTF-8
    hrefs: list[str] = field(default_factory=list)
    tags: list[bytes] = field(default_factory=list)  # attributes of each link, as written
    language: str = ""  # the lang attribute, as written
    base: str = ""  # the first <base href>
    canonical: str = ""  # the first link rel=canonical
    robots: str = ""  # robots meta, lower case
    notes: list[str] = field(default_factory=list)  # too_many_tags, too_many_links

    def rels(self) -> list[str]:
        """The rel of each link; seldom asked for."""
        return [_rel(raw) or "" for raw in self.tags]


def _is_canonical(rel: str) -> bool:
    """Does a <link> with this rel name the page's own address?"""
    return "canonical" in rel.lower().split()


def flatten(body: bytes, without: frozenset[str] = frozenset()) -> Flat | None:
    """The flat text of a page given as valid UTF-8; None where there is nothing to read.

    Markers that nobody will look at may be left out (`CUTS`): tags separate words all the same.
    """
    tamed, notes = tame(body)
    page = _Page(cut_tags(tamed), marks_of(without))
    if page.has_tags_in_titles:
        page = _Page(cut_tags(with_plain_titles(tamed)), marks_of(without))
    flat = page.flat()
    flat.notes += notes
    return flat if page.has_element() or flat.text.strip(_NO_TEXT) else None


class _Page:
    """The texts and tags of one page on their way into its flat text."""

    def __init__(self, parts: list[Piece], marks: list[bytes]) -> None:
        self._parts = parts
        self._kinds = bytes(map(KINDS.__getitem__, parts[1::3]))  # of each tag
        self._marks = list(map(marks.__getitem__, self._kinds))
        self._flat = Flat()
        self._robots: list[str] = []
        self._open = False  # a link is
        self.has_tags_in_titles = False
        self._look_at_tags()

    def has_element(self) -> bool:
        """Is there any start tag?"""
        return any(name and name[0] != _SLASH for name in self._parts[1::3])

    def flat(self) -> Flat:
        """What the page says."""
        flat, parts = self._flat, self._parts.copy()
        parts[1::3] = self._marks
        parts[2::3] = repeat(b"", len(self._marks))
        end = _LINK_END_MARK if self._open else b""
        flat.text = resolve_references(b"".join((*parts, end)))  # type: ignore[arg-type]
        flat.robots = " ".join(self._robots).strip()[:_MAX_ROBOTS]
        return flat

    def _look_at_tags(self) -> None:
        """See what is to be seen of them; of those that are hidden only the head's."""
        kinds = self._kinds
        places = np.flatnonzero(np.frombuffer(kinds, np.uint8) >= LOOKED_AT).tolist()
        self._hidden = hidden_runs(self._parts, kinds, places)
        self._shown = 0  # behind this place
        for place in places:
            kind = kinds[place]
            if place >= self._shown:
                _SEE[kind](self, place)
            elif OF_HTML <= kind <= OF_META:
                self._see_head(place)

    def _attributes(self, place: int) -> bytes:
        return self._parts[3 * place + 2] or b""

    def _see_link(self, place: int) -> None:
        """An <a> ends the one before, whatever it is."""
        raw, was_open = self._attributes(place), self._open
        href = _href(raw)
        self._open = href is not None and self._add_link(href, raw)
        if self._open:
            self._marks[place] = _BETWEEN_LINKS if was_open else _LINK_MARK
        elif was_open:
            self._marks[place] = _LINK_END_MARK

    def _see_link_end(self, place: int) -> None:
        if self._open:
            self._marks[place] = _LINK_END_MARK
            self._open = False

    def _see_area(self, place: int) -> None:
        self._see_link(place)
        if self._open:
            self._marks[place] += text_of(self._attributes(place)) + _LINK_END_MARK
            self._open = False

    def _see_image(self, place: int) -> None:
        self._marks[place] = text_of(self._attributes(place))

    def _see_title(self, place: int) -> None:
        """With a tag in it, as in pictures, it is none."""
        names = self._parts[3 * place + 1 : 3 * place + 5 : 3]
        if len(names) < 2 or (names[1] or b"").lower() != b"/" + (names[0] or b"").lower():
            self._marks[place] = GAP
            self.has_tags_in_titles |= len(names) > 1

    def _see_hiding(self, place: int) -> None:
        if place in self._hidden:
            end = self._shown = self._hidden[place]
            self._parts[3 * place + 3 : 3 * end + 1 : 3] = repeat(b"", end - place)
            self._marks[place:end] = repeat(GAP, end - place)

    def _see_head(self, place: int) -> None:
        raw, kind, flat = self._attributes(place), self._kinds[place], self._flat
        told = _TOLD_BY.get(kind)
        if told and told not in raw.lower():  # most of them
            return
        get = attributes(raw).get
        if kind == OF_HTML:
            flat.language = flat.language or get("lang") or get("xml:lang") or ""
        elif kind == OF_BASE:
            flat.base = flat.base or get("href", "")
        elif kind == OF_LINK:
            if not flat.canonical and _is_canonical(get("rel", "")):
                flat.canonical = get("href", "")
        elif get("name", "").lower() == "robots":
            self._robots.append(get("content", "").lower())

    def _add_link(self, href: str, raw: bytes) -> bool:
        flat = self._flat
        if len(flat.hrefs) == MAX_LINKS:
            if "too_many_links" not in flat.notes:
                flat.notes.append("too_many_links")
            return False
        flat.hrefs.append(href)
        flat.tags.append(raw)
        return True


_SEE: dict[int, Callable[[_Page, int], None]] = {
    **dict.fromkeys((OF_HTML, OF_BASE, OF_LINK, OF_META), _Page._see_head),
    **dict.fromkeys((OF_TITLE, OF_TEXTAREA), _Page._see_title),
    **dict.fromkeys((OF_IMG, OF_INPUT), _Page._see_image),
    **dict.fromkeys(HIDING, _Page._see_hiding),
    OF_A: _Page._see_link,
    OF_A_END: _Page._see_link_end,
    OF_AREA: _Page._see_area,
}


def text_of(raw: bytes) -> bytes:
    """The alternative text of a tag; references in it are resolved with the whole text's."""
    return f" {(_alt(raw) or '').replace('&', '&amp;')} ".encode()
