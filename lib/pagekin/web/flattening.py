"""The texts and tags of a page become its flat text and its links: the part that is worth its C.

`_flat.c` does the same, and `pagekin.web.flat` takes it where it was built. Each tag is a number
(`pagekin.web.tags`), and for most of them a marker stands in the text; of the others more is to be
seen.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import NamedTuple

import numpy as np

from pagekin.text.tokens import LINK, LINK_END
from pagekin.web.scan import Piece, attribute, cut_tags
from pagekin.web.tags import (
    GAP,
    HIDING,
    KINDS,
    LOOKED_AT,
    OF_A,
    OF_A_END,
    OF_AREA,
    OF_HTML,
    OF_IMG,
    OF_INPUT,
    OF_LINK,
    OF_META,
    OF_TEXTAREA,
    OF_TITLE,
    hidden_runs,
)

__all__ = ["LINK_END_MARK", "LINK_MARK", "Flattened", "Flattener", "text_of"]

LINK_MARK, LINK_END_MARK = f" {LINK} ".encode(), f" {LINK_END} ".encode()
_SLASH = ord("/")
_TOLD_BY = {OF_LINK: b"canonical", OF_META: b"robots"}
_href, _alt = attribute("href"), attribute("alt")


class Flattened(NamedTuple):
    """What the tags of a page say; character references in its text are as written."""

    text: bytes
    hrefs: list[str]
    tags: list[bytes]  # attributes of each link, as written
    head: list[tuple[int, bytes]]  # <html>, <base>, <link> and <meta> that say something
    has_element: bool  # is there any start tag?
    tags_in_titles: bool
    too_many_links: bool


class Flattener:
    """Makes pages flat; `marks` stand for the kinds of tags."""

    def __init__(self, marks: list[bytes], max_links: int) -> None:
        self._marks = marks
        self._max_links = max_links

    def __call__(self, body: bytes) -> Flattened:
        """The flat form of a page without markers of its own."""
        return _Page(cut_tags(body), self._marks, self._max_links).flat()


def text_of(raw: bytes) -> bytes:
    """The alternative text of a tag; references in it are resolved with the whole text's."""
    return f" {(_alt(raw) or '').replace('&', '&amp;')} ".encode()


class _Page:
    """The texts and tags of one page on their way into its flat text."""

    def __init__(self, parts: list[Piece], marks: list[bytes], max_links: int) -> None:
        self._parts = parts
        self._kinds = bytes(map(KINDS.__getitem__, parts[1::3]))  # of each tag
        self._marks = list(map(marks.__getitem__, self._kinds))
        self._max_links = max_links
        self._hrefs: list[str] = []
        self._tags: list[bytes] = []
        self._head: list[tuple[int, bytes]] = []
        self._open = False  # a link is
        self._tags_in_titles = self._too_many_links = False
        self._look_at_tags()

    def flat(self) -> Flattened:
        """What the page says."""
        parts = self._parts.copy()
        parts[1::3] = self._marks
        parts[2::3] = repeat(b"", len(self._marks))
        end = LINK_END_MARK if self._open else b""
        return Flattened(
            b"".join((*parts, end)),  # type: ignore[arg-type]
            self._hrefs,
            self._tags,
            self._head,
            any(name and name[0] != _SLASH for name in self._parts[1::3]),
            self._tags_in_titles,
            self._too_many_links,
        )

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
            self._marks[place] = LINK_END_MARK + LINK_MARK if was_open else LINK_MARK
        elif was_open:
            self._marks[place] = LINK_END_MARK

    def _see_link_end(self, place: int) -> None:
        if self._open:
            self._marks[place] = LINK_END_MARK
            self._open = False

    def _see_area(self, place: int) -> None:
        self._see_link(place)
        if self._open:
            self._marks[place] += text_of(self._attributes(place)) + LINK_END_MARK
            self._open = False

    def _see_image(self, place: int) -> None:
        self._marks[place] = text_of(self._attributes(place))

    def _see_title(self, place: int) -> None:
        """With a tag in it, as in pictures, it is none."""
        names = self._parts[3 * place + 1 : 3 * place + 5 : 3]
        if len(names) < 2 or (names[1] or b"").lower() != b"/" + (names[0] or b"").lower():
            self._marks[place] = GAP
            self._tags_in_titles |= len(names) > 1

    def _see_hiding(self, place: int) -> None:
        if place in self._hidden:
            end = self._shown = self._hidden[place]
            self._parts[3 * place + 3 : 3 * end + 1 : 3] = repeat(b"", end - place)
            self._marks[place:end] = repeat(GAP, end - place)

    def _see_head(self, place: int) -> None:
        raw, kind = self._attributes(place), self._kinds[place]
        told = _TOLD_BY.get(kind)
        if not told or told in raw.lower():  # few of them
            self._head.append((kind, raw))

    def _add_link(self, href: str, raw: bytes) -> bool:
        if len(self._hrefs) == self._max_links:
            self._too_many_links = True
            return False
        self._hrefs.append(href)
        self._tags.append(raw)
        return True


_SEE: dict[int, Callable[[_Page, int], None]] = {
    **dict.fromkeys(range(OF_HTML, OF_META + 1), _Page._see_head),
    **dict.fromkeys((OF_TITLE, OF_TEXTAREA), _Page._see_title),
    **dict.fromkeys((OF_IMG, OF_INPUT), _Page._see_image),
    **dict.fromkeys(HIDING, _Page._see_hiding),
    OF_A: _Page._see_link,
    OF_A_END: _Page._see_link_end,
    OF_AREA: _Page._see_area,
}
