"""The part of a page's tree that holds links, and which links each of its elements holds.

Climbing from the links meets only their ancestors, each once, and notes in each by which child it
was met: the first, and with the number of their first link the others. The links below an element
are a run of numbers, and where it ends its right neighbour says. Objects for all these elements
would cost several times as much; so a `Node` is made only where somebody looks.

Elements are those of lxml, known by what they can do.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any, Final, NamedTuple

__all__ = ["HEADINGS", "LISTS", "LinkTree", "Node", "find_links", "tag_of"]

HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
LISTS: Final = ("ul", "ol", "dl", "table")
_LONGEST_NAME = 40  # characters


class Node(NamedTuple):
    """An element that holds links, or is one; None stands for the whole page."""

    element: Any
    start: int  # the number of its first link
    end: int  # and of the first one behind it

    @property
    def size(self) -> int:
        """How many links it holds."""
        return self.end - self.start


def tag_of(element: Any) -> str:
    """The tag, with what the element calls itself: `ul.nav`, `div#foot`."""
    classes, name = element.get("class", "").split(None, 1), element.get("id", "")
    if classes:
        return f"{element.tag}.{classes[0][:_LONGEST_NAME]}"
    return f"{element.tag}#{name[:_LONGEST_NAME]}" if name else str(element.tag)


def find_links(tops: Iterable[Any]) -> list[Any]:
    """Every <a href> of a page, in order."""
    return [a for top in tops for a in top.iter("a") if a.get("href") is not None]


class LinkTree:
    """The elements of one page that hold links."""

    def __init__(self, tops: list[Any], links: list[Any]) -> None:
        self._tops = tops
        self._first, self._others = _climb(links)
        with_links = self._others[None]
        self.page = Node(with_links[0][0] if len(with_links) == 1 else None, 0, len(links))

    def chain(self, node: Node) -> list[Any]:
        """The element, and those in it, each in the one before, that hold the same links."""
        found = [node.element]
        while found[-1] not in self._others:
            found.append(self._first[found[-1]])
        return found

    def kids(self, node: Node) -> list[Node]:
        """The element's children that hold links, in order; none if each holds only one."""
        first = self._first[node.element]
        inside = self._others.get(node.element, [])
        if first is not None:
            inside = [(first, node.start), *inside]
        if not inside or len(inside) == node.end - inside[0][1]:
            return []
        elements, starts = zip(*inside, strict=True)
        return list(map(Node, elements, starts, (*starts[1:], node.end)))

    def has_headings(self, node: Node, number: int) -> bool:
        """Are there so many headings in it?"""
        return _at_least(number, self._below(node, HEADINGS))

    def has_lists(self, node: Node, number: int) -> bool:
        """Are there so many lists and tables of two links and more in it?"""
        return _at_least(number, filter(self._is_shared, self._below(node, LISTS)))

    def _is_shared(self, element: Any) -> bool:
        """Does it hold two links and more?"""
        while element is not None and element not in self._others:
            element = self._first.get(element)
        return element is not None

    def _below(self, node: Node, tags: tuple[str, ...]) -> Iterator[Any]:
        tops = self._tops if node.element is None else [node.element]
        return (e for top in tops for e in top.iter(*tags) if e is not node.element)


_Others = defaultdict[Any, list[tuple[Any, int]]]


def _climb(links: list[Any]) -> tuple[dict[Any, Any], _Others]:
    """Element -> its first child that holds links; and the others, with the first link of each.

    Links and the page, which is None here, have only others: a link is the first one in itself.
    """
    first: dict[Any, Any] = {None: None, **dict.fromkeys(links)}
    others: _Others = defaultdict(list)
    for number, link in enumerate(links):
        element, above = link, link.getparent()
        while above not in first:
            first[above] = element
            element, above = above, above.getparent()
        others[above].append((element, number))
    return first, others


def _at_least(number: int, things: Iterable[Any]) -> bool:
    return sum(1 for _ in islice(things, number)) == number
