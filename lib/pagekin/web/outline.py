"""The texts and tags of a page become its outline; `_html.c` does the same in C.

One pass over the tags, with a stack of open elements. It rests on the HTML standard, 13.2.6 (tree
construction), as far as blocks of links need it:

- a start tag may end elements that are open: a block a paragraph, an item the item before it in its
  list, a cell the cell before it in its table;
- an end tag ends the innermost element of its name, and what is open in it, but nothing outside of
  the cell or the table in which it stands;
- an <a> without its end tag ends where the next begins.

Simpler than the standard: nothing is moved out of tables, and no <b> is opened again behind the
block that ended it. An end tag in the line (</a>, </font>, </form>) within a block that its element
holds ends no block: its element ends with the last of the blocks that are open in it. A slash at
the end of a start tag ends its element, as authors mean it, but for links.

However tags are nested and left open, all is linear: each element is pushed and popped once, and
the innermost open one of a number is known without a search. Elements without links leave nothing,
and no element is an object: an outline is columns of numbers and bytes, in the order of the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from pagekin.web import tags
from pagekin.web.flat import alt_text
from pagekin.web.tags import Piece

__all__ = ["Outline", "outline_tags"]

_ENDED = 0  # what stands on the stack for an element that ends with the last block in it
_SLASH = ord("/")
_SLASHED = b"\"' \t\n\f\r"  # before a slash that is no part of a value
_href = tags.attribute("href")


@dataclass(slots=True)
class Outline:
    """The links of a page, and the elements that hold links or are some. A position is the number
    of a tag on the page.

    Element 0 is the page. The elements in element k are those from k + 1 to before `behind[k]`, and
    its links those from `first[k]` to before `last[k]`.
    """

    tags: list[str] = field(default_factory=list)  # lower case
    attributes: list[bytes] = field(default_factory=list)  # as written
    behind: list[int] = field(default_factory=list)  # the number of the first element behind it
    first: list[int] = field(default_factory=list)  # the number of its first link
    last: list[int] = field(default_factory=list)  # of the first link behind it
    start: list[int] = field(default_factory=list)  # the position of its start tag
    stop: list[int] = field(default_factory=list)  # and of the tag that ends it
    # links, in order
    elements: list[int] = field(default_factory=list)  # which element each is
    hrefs: list[str] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)  # references in them are as written
    worded: bytes = b""  # 1 where a text surely is one: it begins with a letter or digit of ASCII
    # and of the page
    headings: list[int] = field(default_factory=list)  # the positions of their start tags


def outline_tags(
    parts: list[Piece], numbers: bytes, hidden: dict[int, int], max_links: int
) -> Outline:
    """The outline of a page from its texts and tags.

    `numbers` are the element numbers of the tags, and `hidden` is what `hidden_runs` says of them.
    """
    return _Page(parts, numbers, hidden, max_links).outline


class _Page:
    """The tags of one page on their way into its outline, and the elements that are open."""

    def __init__(
        self, parts: list[Piece], numbers: bytes, hidden: dict[int, int], max_links: int
    ) -> None:
        self.outline = Outline(["page"], [b""], [1], [0], [0], [-1], [0])
        self._parts = parts
        self._hidden = hidden
        self._max_links = max_links
        # The numbers of the open elements and their start tags; at depth 0 is the page itself. Of
        # the lowest of them, which hold links, what they are in the outline.
        self._stack, self._starts, self._nodes = [_ENDED], [-1], [0]
        self._blocks = [0]  # the depths of those that are blocks
        self._open: list[list[int]] = [[0] for _ in range(tags.END)]  # and of those of each number
        self._link = 0  # the depth of the link whose text is being read; 0: of none
        self._texts: list[bytes] = parts[::3]  # type: ignore[assignment]
        self._text = 0  # where the text of the link that is being read goes on
        self._pieces: list[bytes] = []  # and what there is of it
        self._worded = bytearray()
        self._read(numbers)

    def _read(self, numbers: bytes) -> None:
        opened, stack, starts = self._open, self._stack, self._starts
        nodes, blocks = self._nodes, self._blocks
        positions = np.flatnonzero(np.frombuffer(numbers, np.uint8)).tolist()
        rest = numbers.translate(None, b"\0")  # what is nothing here is passed over
        for tag, number in zip(positions, rest, strict=True):
            if number < tags.END:
                _START[number](self, number, tag)
            elif number - tags.END == stack[-1]:
                depth = len(stack) - 1
                if depth < len(nodes) or stack[-2] == _ENDED:
                    self._close(depth, tag)
                else:  # most: nobody saw that it was open
                    stack.pop()
                    starts.pop()
                    opened[number - tags.END].pop()
                    if blocks[-1] == depth:
                        blocks.pop()
            elif opened[number - tags.END][-1]:
                self._end(number - tags.END, tag)
        self._close(0, len(numbers))
        self.outline.worded = bytes(self._worded)

    # --- start tags ---

    def _attributes(self, tag: int) -> bytes:
        return self._parts[3 * tag + 2] or b""

    def _push(self, number: int, tag: int) -> None:
        """An element begins; one that ends with its own start tag is none."""
        raw = self._parts[3 * tag + 2]
        if raw and raw[-1] == _SLASH and raw[-2:-1] in _SLASHED:
            return
        depth = len(self._stack)
        self._stack.append(number)
        self._starts.append(tag)
        self._open[number].append(depth)
        if number >= tags.FORM:
            self._blocks.append(depth)

    def _start_unseen(self, number: int, tag: int) -> None:
        """What it holds is no text of the link around it."""
        self._push(number, tag)
        end = self._hidden.get(tag, 0)
        if end and self._link:
            self._pieces += self._texts[self._text : tag + 1]
            self._text = max(self._text, end + 1)

    def _start_block(self, number: int, tag: int) -> None:
        if self._open[tags.P][-1]:
            self._end_paragraph(number, tag)
        self._push(number, tag)

    def _start_form(self, number: int, tag: int) -> None:
        """No form is in another: the inner one is none."""
        if not self._open[tags.FORM][-1]:
            self._start_block(number, tag)

    def _end_paragraph(self, _number: int, tag: int) -> None:
        self._close_above(tags.P, self._scope(), tag)

    def _start_heading(self, number: int, tag: int) -> None:
        self.outline.headings.append(tag)
        self._end_paragraph(number, tag)
        self._start_sibling(number, tag)

    def _start_sibling(self, number: int, tag: int) -> None:
        """What is no part of the element before it, as an option of another."""
        if self._stack[-1] == number:
            self._close(len(self._stack) - 1, tag)
        self._push(number, tag)

    def _start_item(self, number: int, tag: int) -> None:
        if self._open[number][-1]:
            self._close_above(number, self._list_around(number), tag)
        self._start_block(number, tag)

    def _start_table_part(self, number: int, tag: int) -> None:
        """Of a table; without one it is no element."""
        table = self._open[tags.TABLE][-1]
        if table:
            for other in range(number, tags.CELL + 1):
                if self._close_above(other, table, tag):
                    break
            self._push(number, tag)

    def _start_link(self, number: int, tag: int) -> None:
        if self._open[tags.A][-1]:
            self._end(tags.A, tag)
        href, found = _href(self._attributes(tag)), self.outline
        if href is None:
            self._push(number, tag)
        elif len(found.hrefs) < self._max_links:
            self._link, self._text = len(self._stack), tag + 1
            self._stack.append(number)
            self._starts.append(tag)
            self._open[number].append(self._link)
            self._put_out()
            found.elements.append(self._nodes[-1])
            found.hrefs.append(href)

    def _put_out(self) -> None:
        """All open elements hold the link that begins here."""
        found, number = self.outline, len(self.outline.hrefs)
        for tag in self._starts[len(self._nodes) :]:
            self._nodes.append(len(found.tags))
            found.tags.append(tags.lower_name(self._parts[3 * tag + 1] or b""))
            found.attributes.append(self._attributes(tag))
            found.first.append(number)
            found.start.append(tag)
            found.behind.append(0)  # it is not known yet where it ends
            found.last.append(0)
            found.stop.append(0)

    def _see_image(self, _number: int, tag: int) -> None:
        if self._link:
            self._texts[tag + 1] = alt_text(self._attributes(tag)) + self._texts[tag + 1]

    def _see_nothing(self, number: int, tag: int) -> None:
        """A title or a text field is no element."""

    # --- what ends ---

    def _end_text(self, tag: int) -> None:
        """The link whose text is being read ends."""
        if self._link:
            self._pieces += self._texts[self._text : tag + 1]
            text = b"".join(self._pieces)
            self.outline.texts.append(text)
            self._worded.append(text.lstrip()[:1].isalnum())
            self._link = 0
            self._pieces = []

    def _end(self, number: int, tag: int) -> None:
        """An end tag of which some element is open, though not the innermost of all."""
        depth = self._open[number][-1]
        if number == tags.A:
            self._end_text(tag)
        if depth <= self._border(number):
            return
        if number <= tags.FORM and depth < self._blocks[-1]:
            self._stack[depth] = _ENDED
            self._open[number].pop()
        else:
            self._close(depth, tag)

    def _border(self, number: int) -> int:
        """The depth from which on an end tag ends elements of this number."""
        if number == tags.LI:
            return self._list_around(number)
        if number > tags.TABLE:
            return self._open[tags.TABLE][-1]
        return 0 if number == tags.TABLE else self._scope()

    def _scope(self) -> int:
        """The cell or table in which we are."""
        return max(self._open[tags.CELL][-1], self._open[tags.TABLE][-1])

    def _list_around(self, number: int) -> int:
        """The list, if not a cell or a table in it, to which an item here belongs."""
        lists = tags.LISTS if number == tags.LI else (tags.DL,)
        return max(self._scope(), *(self._open[name][-1] for name in lists))

    def _close_above(self, number: int, border: int, tag: int) -> bool:
        """Close the element of this number, if it lies in the one at the border."""
        depth = self._open[number][-1]
        if depth > border:
            self._close(depth, tag)
        return depth > border

    def _close(self, depth: int, tag: int) -> None:
        """End the elements from this depth on, and those that only waited for them."""
        if depth <= self._link:
            self._end_text(tag)
        stack, nodes, blocks, found = self._stack, self._nodes, self._blocks, self.outline
        height = len(stack)
        while height > depth or (height > 1 and stack[-1] == _ENDED):
            height -= 1
            number = stack.pop()
            self._starts.pop()
            if number != _ENDED:
                self._open[number].pop()
            if blocks[-1] == height:
                blocks.pop()
            if len(nodes) > height:
                node = nodes.pop()
                found.behind[node] = len(found.tags)
                found.last[node] = len(found.hrefs)
                found.stop[node] = tag


# What becomes of a start tag, by its element number.
_START: list[Callable[[_Page, int, int], None]] = [
    *[_Page._push] * tags.FORM,
    *[_Page._start_block] * (tags.TABLE + 1 - tags.FORM),
    *[_Page._start_table_part] * (tags.CELL - tags.TABLE),
]
_START[tags.UNSEEN.start : tags.UNSEEN.stop] = [_Page._start_unseen] * len(tags.UNSEEN)
_START[tags.IMG] = _Page._see_image
_START[tags.PLAIN] = _Page._see_nothing
_START[tags.HR] = _Page._end_paragraph
_START[tags.A] = _Page._start_link
_START[tags.OPTION] = _Page._start_sibling
_START[tags.FORM] = _Page._start_form
_START[tags.H] = _Page._start_heading
_START[tags.LI] = _START[tags.DT] = _Page._start_item
