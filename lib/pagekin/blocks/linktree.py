"""The part of a page's tree that holds links, and which links each of its elements holds.

Climbing from the links meets only their ancestors, each once, and notes for each the number of its
first link: the links below an element are a run of numbers, and where it ends its right neighbour
says. Objects for all these elements would cost ten times as much; so a `Node` is made only where
somebody looks.

Elements are those of lxml, known by what they can do.
"""

from __future__ import annotations

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
        self.page = Node(None, 0, len(links))
        self._tops = tops
        self._first, self._shared = _climb(links)

    def kids(self, node: Node) -> list[Node]:
        """The element's children that hold links, in order; none if each holds only one."""
        first, shared = self._first, self._shared
        children = self._tops if node.element is None else node.element
        with_links = [child for child in children if child in first]
        if shared.isdisjoint(with_links):
            return []
        starts = [first[child] for child in with_links]
        return list(map(Node, with_links, starts, [*starts[1:], node.end]))

    def has_headings(self, node: Node, number: int) -> bool:
        """Are there so many headings in it?"""
        return _at_least(number, self._inside(node, HEADINGS))

    def has_lists(self, node: Node, number: int) -> bool:
        """Are there so many lists and tables of two links and more in it?"""
        return _at_least(number, (e for e in self._inside(node, LISTS) if e in self._shared))

    def _inside(self, node: Node, tags: tuple[str, ...]) -> Iterator[Any]:
        tops = self._tops if node.element is None else [node.element]
        return (e for top in tops for e in top.iter(*tags) if e is not node.element)


def _climb(links: list[Any]) -> tuple[dict[Any, int], set[Any]]:
    """Element -> number of the first link that it holds or is; and those that hold two and more."""
    first: dict[Any, int] = {}
    shared: set[Any] = set()
    for number, link in enumerate(links):
        element = link
        while element is not None and element not in first:
            first[element] = number
            element = element.getparent()
        while element is not None and element not in shared:
            shared.add(element)
            element = element.getparent()
    return first, shared


def _at_least(number: int, things: Iterable[Any]) -> bool:
    return sum(1 for _ in islice(things, number)) == number
