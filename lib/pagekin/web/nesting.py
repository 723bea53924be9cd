"""The stack of open elements: which of them a tag ends, and what they leave in an outline.

It rests on the HTML standard, 13.2.6, in its simple cases. However tags are nested and left open,
all is linear: each element is pushed and popped once, and the innermost open one of a name is known
without a search.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pagekin.web.elements import BLOCK, CELL, DL, END, FORM, LI, LISTS, TABLE, A
from pagekin.web.scan import Piece

__all__ = ["ENDED", "Nesting", "Outline"]

ENDED = 0  # what stands on the stack for an element that ends with the last block in it
_SLASH = ord("/")
_SLASHED = b"\"' \t\n\f\r"  # before a slash that is no part of a value


@dataclass(slots=True)
class Outline:
    """The links of a page, and the elements that hold links or are some. Places are tags' numbers.

    Element 0 is the page. The elements in element k are those from k + 1 to before `behind[k]`, and
    its links those from `first[k]` to before `last[k]`.
    """

    tags: list[str] = field(default_factory=list)  # lower case
    attributes: list[bytes] = field(default_factory=list)  # as written
    behind: list[int] = field(default_factory=list)  # the number of the first element behind it
    first: list[int] = field(default_factory=list)  # the number of its first link
    last: list[int] = field(default_factory=list)  # of the first link behind it
    start: list[int] = field(default_factory=list)  # the place of its start tag
    stop: list[int] = field(default_factory=list)  # and of the tag that ends it
    # links, in order
    elements: list[int] = field(default_factory=list)  # which element each is
    hrefs: list[str] = field(default_factory=list)
    texts: list[bytes] = field(default_factory=list)  # references in them are as written
    worded: bytes = b""  # 1 where a text surely is one: it begins with a letter or digit of ASCII
    # and of the page
    headings: list[int] = field(default_factory=list)  # the places of their start tags


class Nesting:
    """The open elements of a page; at depth 0 is the page itself."""

    def __init__(self, parts: list[Piece]) -> None:
        self.outline = Outline(["page"], [b""], [1], [0], [0], [-1], [0])
        self._parts = parts
        # the numbers of the open elements, their start tags, and what the lowest of them, which
        # hold links, are in the outline
        self._stack, self._places, self._nodes = [ENDED], [-1], [0]
        self._blocks = [0]  # the depths of those that are blocks
        self._open: list[list[int]] = [[0] for _ in range(END)]  # and of those of each number
        self._link = 0  # the depth of the link whose text is being read; 0: of none

    def _end_text(self, place: int) -> None:
        """The link whose text is being read ends."""
        self._link = 0

    def _push(self, kind: int, place: int) -> None:
        """An element begins; one that ends with its own start tag is none."""
        raw = self._parts[3 * place + 2]
        if raw and raw[-1] == _SLASH and raw[-2:-1] in _SLASHED:
            return
        depth = len(self._stack)
        self._stack.append(kind)
        self._places.append(place)
        self._open[kind].append(depth)
        if kind >= BLOCK:
            self._blocks.append(depth)

    def _end(self, kind: int, place: int) -> None:
        """An end tag of which some element is open, though not the innermost of all."""
        depth = self._open[kind][-1]
        if kind == A:
            self._end_text(place)
        if depth <= self._border(kind):
            return
        if kind <= FORM and depth < self._blocks[-1]:
            self._stack[depth] = ENDED
            self._open[kind].pop()
        else:
            self._close(depth, place)

    def _border(self, kind: int) -> int:
        """The depth from which on an end tag ends elements of this number."""
        if kind == LI:
            return self._list_around(kind)
        if kind > TABLE:
            return self._open[TABLE][-1]
        return 0 if kind == TABLE else self._scope()

    def _scope(self) -> int:
        """The cell or table in which we are."""
        return max(self._open[CELL][-1], self._open[TABLE][-1])

    def _list_around(self, kind: int) -> int:
        """The list, if not a cell or a table in it, to which an item here belongs."""
        opened = self._open
        lists = LISTS if kind == LI else (DL,)
        return max(self._scope(), *(opened[name][-1] for name in lists))

    def _close_above(self, kind: int, border: int, place: int) -> bool:
        """Close the element of this number, if it lies in the one at the border."""
        depth = self._open[kind][-1]
        if depth > border:
            self._close(depth, place)
        return depth > border

    def _close(self, depth: int, place: int) -> None:
        """End the elements from this depth on, and those that only waited for them."""
        if depth <= self._link:
            self._end_text(place)
        stack, nodes, blocks, found = self._stack, self._nodes, self._blocks, self.outline
        height = len(stack)
        while height > depth or (height > 1 and stack[-1] == ENDED):
            height -= 1
            kind = stack.pop()
            self._places.pop()
            if kind != ENDED:
                self._open[kind].pop()
            if blocks[-1] == height:
                blocks.pop()
            if len(nodes) > height:
                node = nodes.pop()
                found.behind[node] = len(found.tags)
                found.last[node] = len(found.hrefs)
                found.stop[node] = place
