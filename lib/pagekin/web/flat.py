"""The texts and tags of a page become its flat text and its links; `_html.c` does the same in C.

Each tag has a text number (`pagekin.web.tags`). For most of them a marker stands in the text; of
the others more is to be seen:

- a link ends at its end tag, or else where the next <a> begins, as in browsers;
- unread elements (<noscript>, <svg> ...) end at the end tag that belongs to them; one without is
  read as if its tag were not there;
- headings, lists and tables end at their end tags.

Comments join what stands around them; every other tag separates words [SIM 3.1].
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from typing import NamedTuple

import numpy as np

from pagekin.text.tokens import LINK, LINK_END
from pagekin.web import tags
from pagekin.web.tags import Piece

__all__ = ["LINK_MARKS", "FlatColumns", "alt_text", "flatten_tags"]

LINK_MARKS = [f" {LINK} ".encode(), f" {LINK_END} ".encode()]
_LINK_START, _LINK_END = LINK_MARKS
_SLASH = ord("/")
_SAID_BY = {tags.OF_LINK: b"canonical", tags.OF_META: b"robots"}
_href, _alt = tags.attribute("href"), tags.attribute("alt")


class FlatColumns(NamedTuple):
    """What the tags of a page say; character references in its text are as written."""

    text: bytes
    hrefs: list[str]
    links: list[bytes]  # attributes of each link, as written
    head: list[tuple[int, bytes]]  # <html>, <base>, <link> and <meta> that say something
    has_element: bool  # is there any start tag?
    tags_in_titles: bool
    too_many_links: bool


def flatten_tags(
    parts: list[Piece], numbers: bytes, hidden: dict[int, int], marks: list[bytes], max_links: int
) -> FlatColumns:
    """The flat text of a page without markers of its own, from its texts and tags.

    `numbers` are the text numbers of the tags, `hidden` what `hidden_runs` says of them, and
    `marks` what stands for each number.
    """
    return _Page(parts, numbers, hidden, marks, max_links).columns()


def alt_text(raw: bytes) -> bytes:
    """The alternative text of a tag; references in it are resolved with the whole text's."""
    return f" {(_alt(raw) or '').replace('&', '&amp;')} ".encode()


class _Page:
    """The texts and tags of one page on their way into its flat text."""

    def __init__(
        self,
        parts: list[Piece],
        numbers: bytes,
        hidden: dict[int, int],
        marks: list[bytes],
        max_links: int,
    ) -> None:
        self._parts = parts.copy()
        self._numbers = numbers
        self._hidden = hidden
        self._marks = list(map(marks.__getitem__, numbers))
        self._max_links = max_links
        self._hrefs: list[str] = []
        self._links: list[bytes] = []
        self._head: list[tuple[int, bytes]] = []
        self._open = False  # a link is
        self._tags_in_titles = self._too_many_links = False
        self._shown = 0  # from this tag on nothing is hidden
        self._look_at_tags()

    def columns(self) -> FlatColumns:
        """What the page says."""
        parts = self._parts
        has_element = any(name and name[0] != _SLASH for name in parts[1::3])
        parts[1::3] = self._marks
        parts[2::3] = repeat(b"", len(self._marks))
        return FlatColumns(
            b"".join((*parts, _LINK_END if self._open else b"")),  # type: ignore[arg-type]
            self._hrefs,
            self._links,
            self._head,
            has_element,
            self._tags_in_titles,
            self._too_many_links,
        )

    def _look_at_tags(self) -> None:
        """See what is to be seen of them; of those that are hidden only the head's."""
        numbers = np.frombuffer(self._numbers, np.uint8)
        for tag in np.flatnonzero(numbers >= tags.LOOKED_AT).tolist():
            number = self._numbers[tag]
            if tag >= self._shown:
                _SEE[number](self, tag)
            elif tags.OF_HTML <= number <= tags.OF_META:
                self._see_head(tag)

    def _attributes(self, tag: int) -> bytes:
        return self._parts[3 * tag + 2] or b""

    def _see_link(self, tag: int) -> None:
        """An <a> ends the one before, whatever it is."""
        raw, was_open = self._attributes(tag), self._open
        href = _href(raw)
        self._open = href is not None and self._add_link(href, raw)
        if self._open:
            self._marks[tag] = _LINK_END + _LINK_START if was_open else _LINK_START
        elif was_open:
            self._marks[tag] = _LINK_END

    def _see_link_end(self, tag: int) -> None:
        if self._open:
            self._marks[tag] = _LINK_END
            self._open = False

    def _see_area(self, tag: int) -> None:
        self._see_link(tag)
        if self._open:
            self._marks[tag] += alt_text(self._attributes(tag)) + _LINK_END
            self._open = False

    def _see_image(self, tag: int) -> None:
        self._marks[tag] = alt_text(self._attributes(tag))

    def _see_title(self, tag: int) -> None:
        """With a tag in it, as in pictures, it is none."""
        names = self._parts[3 * tag + 1 : 3 * tag + 5 : 3]
        if len(names) < 2 or (names[1] or b"").lower() != b"/" + (names[0] or b"").lower():
            self._marks[tag] = tags.GAP
            self._tags_in_titles |= len(names) > 1

    def _see_hiding(self, tag: int) -> None:
        if tag in self._hidden:
            end = self._shown = self._hidden[tag]
            self._parts[3 * tag + 3 : 3 * end + 1 : 3] = repeat(b"", end - tag)
            self._marks[tag:end] = repeat(tags.GAP, end - tag)

    def _see_head(self, tag: int) -> None:
        raw, number = self._attributes(tag), self._numbers[tag]
        word = _SAID_BY.get(number)
        if not word or word in raw.lower():  # few of them
            self._head.append((number, raw))

    def _add_link(self, href: str, raw: bytes) -> bool:
        if len(self._hrefs) == self._max_links:
            self._too_many_links = True
            return False
        self._hrefs.append(href)
        self._links.append(raw)
        return True


_SEE: dict[int, Callable[[_Page, int], None]] = {
    **dict.fromkeys(range(tags.OF_HTML, tags.OF_META + 1), _Page._see_head),
    **dict.fromkeys((tags.OF_TITLE, tags.OF_TEXTAREA), _Page._see_title),
    **dict.fromkeys((tags.OF_IMG, tags.OF_INPUT), _Page._see_image),
    **dict.fromkeys(tags.HIDING, _Page._see_hiding),
    tags.OF_A: _Page._see_link,
    tags.OF_A_END: _Page._see_link_end,
    tags.OF_AREA: _Page._see_area,
}
