"""The outline of a page: its links, the elements that hold them, and where its headings stand.

Blocks of links are cut from it. It is made of the stream of tags (`pagekin.web.scan`) in one pass
with a stack of open elements (`pagekin.web.nesting`); `_outline.c` does the same, and is taken
where it was built. Elements without links leave nothing, and no element is an object: an outline is
columns of numbers and bytes, in the order of the page. Links are those of the flat text, and those
in what a reader does not see (<noscript> ...), whose text is none of a link around it. An <a>
without its end tag ends where the next begins.

Simpler than the standard: nothing is moved out of tables, and no <b> is opened again behind the
block that ended it. An end tag in the line (</a>, </font>, </form>) within a block that its element
holds ends no block: its element ends with the last of the blocks that are open in it. A slash at
the end of a start tag ends its element, as authors mean it, but for links.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from pagekin.native import load
from pagekin.web.elements import (
    BLOCK,
    CELL,
    DL,
    END,
    FORM,
    HEADING,
    HR,
    IMG,
    KINDS,
    LI,
    LISTS,
    NAMES,
    NUMBERS,
    OPTION,
    PLAIN,
    SVG,
    TABLE,
    TERM,
    UNSEEN,
    A,
    P,
)
from pagekin.web.flat import MAX_LINKS
from pagekin.web.flattening import text_of
from pagekin.web.nesting import ENDED, Nesting, Outline
from pagekin.web.references import attribute_value
from pagekin.web.scan import Piece, attribute, cut_tags, with_plain_titles
from pagekin.web.tags import hidden_runs
from pagekin.web.tame import tame

__all__ = ["Outline", "outline", "read_outline"]

_href = attribute("href")


def outline(body: bytes) -> Outline:
    """The outline of a page given as valid UTF-8."""
    tamed, _ = tame(body)
    found, tags_in_titles = _read(tamed)
    return found if not tags_in_titles else _read(with_plain_titles(tamed))[0]


def read_outline(body: bytes) -> tuple[Outline, bool]:
    """The outline of a tame page, and whether there are tags in its titles."""
    page = _Page(cut_tags(body))
    return page.outline, page.has_tags_in_titles


def _read_in_c() -> Callable[[bytes], tuple[Outline, bool]]:
    special = (IMG, PLAIN, HR, A, OPTION, FORM, P, LI, HEADING, TERM, *LISTS, DL, TABLE, CELL)
    unseen = (UNSEEN[0], UNSEEN[-1], SVG)
    arguments = (NUMBERS, bytes((*special, *unseen)), attribute_value, text_of, MAX_LINKS)
    outliner = _native.Outliner(*arguments)

    def read(body: bytes) -> tuple[Outline, bool]:
        *columns, tags_in_titles = outliner(body)
        return Outline(*columns), bool(tags_in_titles)

    return read


class _Page(Nesting):
    """The tags of one page on their way into its outline."""

    def __init__(self, parts: list[Piece]) -> None:
        super().__init__(parts)
        self.has_tags_in_titles = False
        self._texts: list[bytes] = parts[::3]  # type: ignore[assignment]
        self._text = 0  # where the text of the link that is being read goes on
        self._pieces: list[bytes] = []  # and what there is of it
        self._worded = bytearray()
        self._read()

    def _read(self) -> None:
        parts, opened = self._parts, self._open
        stack, starts, nodes, blocks = self._stack, self._places, self._nodes, self._blocks
        kinds = bytes(map(KINDS.__getitem__, parts[1::3]))
        places = np.flatnonzero(np.frombuffer(kinds, np.uint8)).tolist()
        rest = kinds.translate(None, b"\0")  # what is nothing here is passed over
        self._hidden = _hidden(parts, kinds)
        self._shown = 0  # behind this place
        for place, kind in zip(places, rest, strict=True):
            if kind < END:
                _START[kind](self, kind, place)
            elif kind - END == stack[-1]:
                depth = len(stack) - 1
                if depth < len(nodes) or stack[-2] == ENDED:
                    self._close(depth, place)
                else:  # most: nobody saw that it was open
                    stack.pop()
                    starts.pop()
                    opened[kind - END].pop()
                    if blocks[-1] == depth:
                        blocks.pop()
            elif opened[kind - END][-1]:
                self._end(kind - END, place)
        self._close(0, len(kinds))
        self.outline.worded = bytes(self._worded)

    # --- start tags ---

    def _attributes(self, place: int) -> bytes:
        return self._parts[3 * place + 2] or b""

    def _start_unseen(self, kind: int, place: int) -> None:
        """What it holds is no text of the link around it."""
        self._push(kind, place)
        end = self._hidden.get(place, 0)
        self._shown = max(self._shown, end)
        if end and self._link:
            self._pieces += self._texts[self._text : place + 1]
            self._text = max(self._text, end + 1)

    def _start_block(self, kind: int, place: int) -> None:
        if self._open[P][-1]:
            self._end_paragraph(kind, place)
        self._push(kind, place)

    def _start_form(self, kind: int, place: int) -> None:
        """No form is in another: the inner one is none."""
        if not self._open[FORM][-1]:
            self._start_block(kind, place)

    def _end_paragraph(self, kind: int, place: int) -> None:
        self._close_above(P, self._scope(), place)

    def _start_heading(self, kind: int, place: int) -> None:
        self.outline.headings.append(place)
        self._end_paragraph(kind, place)
        self._start_beside(kind, place)

    def _start_beside(self, kind: int, place: int) -> None:
        """What is no part of the element before it, as an option of another."""
        if self._stack[-1] == kind:
            self._close(len(self._stack) - 1, place)
        self._push(kind, place)

    def _start_item(self, kind: int, place: int) -> None:
        if self._open[kind][-1]:
            self._close_above(kind, self._list_around(kind), place)
        self._start_block(kind, place)

    def _start_part(self, kind: int, place: int) -> None:
        """Of a table; without one it is no element."""
        table = self._open[TABLE][-1]
        if table:
            for other in range(kind, CELL + 1):
                if self._close_above(other, table, place):
                    break
            self._push(kind, place)

    def _start_link(self, kind: int, place: int) -> None:
        if self._open[A][-1]:
            self._end(A, place)
        raw, found = self._attributes(place), self.outline
        href = _href(raw)
        if href is None:
            self._push(kind, place)
        elif len(found.hrefs) < MAX_LINKS:
            self._link, self._text = len(self._stack), place + 1
            self._stack.append(kind)
            self._places.append(place)
            self._open[kind].append(self._link)
            self._put_out()
            found.elements.append(self._nodes[-1])
            found.hrefs.append(href)

    def _put_out(self) -> None:
        """All open elements hold the link that begins here."""
        found, number, parts = self.outline, len(self.outline.hrefs), self._parts
        for place in self._places[len(self._nodes) :]:
            self._nodes.append(len(found.tags))
            found.tags.append(NAMES[parts[3 * place + 1]])
            found.attributes.append(parts[3 * place + 2] or b"")
            found.first.append(number)
            found.start.append(place)
            found.behind.append(0)  # it is not known yet where it ends
            found.last.append(0)
            found.stop.append(0)

    def _see_image(self, kind: int, place: int) -> None:
        if self._link:
            self._texts[place + 1] = text_of(self._attributes(place)) + self._texts[place + 1]

    def _see_plain(self, kind: int, place: int) -> None:
        """A title or a text field: what looks like a tag in it is text."""
        names = self._parts[3 * place + 1 : 3 * place + 5 : 3]
        if place < self._shown:
            return
        if len(names) > 1 and (names[1] or b"").lower() != b"/" + (names[0] or b"").lower():
            self.has_tags_in_titles = True

    def _end_text(self, place: int) -> None:
        if self._link:
            self._pieces += self._texts[self._text : place + 1]
            text = b"".join(self._pieces)
            self.outline.texts.append(text)
            self._worded.append(text.lstrip()[:1].isalnum())
            self._link = 0
            self._pieces = []


def _hidden(parts: list[Piece], kinds: bytes) -> dict[int, int]:
    array = np.frombuffer(kinds, np.uint8) - np.uint8(UNSEEN.start)
    places = np.flatnonzero((array < len(UNSEEN)) | (array - np.uint8(END) < len(UNSEEN)))
    return hidden_runs(parts, kinds, places.tolist(), {k: END + k for k in UNSEEN}, SVG)


# What becomes of a start tag, by the number of its name.
_START: list[Callable[[_Page, int, int], None]] = [
    *[_Page._push] * BLOCK,
    *[_Page._start_block] * (TABLE + 1 - BLOCK),
    *[_Page._start_part] * (CELL - TABLE),
]
_START[UNSEEN.start : UNSEEN.stop] = [_Page._start_unseen] * len(UNSEEN)
_START[IMG] = _Page._see_image
_START[PLAIN] = _Page._see_plain
_START[HR] = _Page._end_paragraph
_START[A] = _Page._start_link
_START[OPTION] = _Page._start_beside
_START[FORM] = _Page._start_form
_START[HEADING] = _Page._start_heading
_START[LI] = _START[TERM] = _Page._start_item

_native = load("pagekin.web._outline")
_read = _read_in_c() if _native else read_outline
