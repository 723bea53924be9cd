"""The outline of a page as a tree: which elements of it hold which links, headings and lists.

Elements are known by their numbers in the outline (`pagekin.web.outline`); 0 is the page. What is
asked of one costs no more than the elements that are answered, and a search of a sorted list.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from functools import cached_property, lru_cache
from operator import sub
from typing import Final, TypeVar

from pagekin.web.outline import Outline
from pagekin.web.scan import attribute

__all__ = [
    "LISTS",
    "LONGEST_KEPT",
    "MEMO",
    "NAMES",
    "LinkTree",
    "class_of",
    "name_of",
    "remembered",
    "tag_of",
]

LISTS: Final = frozenset(("ul", "ol", "dl", "table"))
NAMES: Final = (attribute("class"), attribute("id"), attribute("role"))
"""What read the attributes by which an element calls itself something."""
_LONGEST_NAME = 40  # characters
MEMO = 2048  # attributes of elements
LONGEST_KEPT = 400  # bytes of those that are remembered

Found = TypeVar("Found")


class LinkTree:
    """The elements of one page that hold links."""

    def __init__(self, outline: Outline) -> None:
        self.tags = outline.tags
        self.attributes = outline.attributes
        self.sizes: list[int] = list(map(sub, outline.last, outline.first))
        """How many links each holds."""
        self._outline = outline

    def links(self, element: int) -> range:
        """The numbers of the links in it."""
        return range(self._outline.first[element], self._outline.last[element])

    def chain(self, element: int) -> list[int]:
        """The element, and those in it, each in the one before, that hold the same links."""
        sizes, end = self.sizes, self._outline.behind[element]
        inner = element + 1
        while inner < end and sizes[inner] == sizes[element]:
            inner += 1
        return list(range(element, inner))

    def kids(self, element: int) -> list[int]:
        """The element's children that hold links, in order; none if each holds only one."""
        behind = self._outline.behind
        found, kid, end = [], element + 1, behind[element]
        while kid < end:
            found.append(kid)
            kid = behind[kid]
        alone = (
            not found or len(found) == self._outline.last[element] - self._outline.first[found[0]]
        )
        return [] if alone else found

    def has_headings(self, element: int, number: int) -> bool:
        """Are there so many headings in it?"""
        headings, (start, stop) = self._outline.headings, self._places(element)
        return bisect_left(headings, stop) - bisect_left(headings, start + 1) >= number

    def has_lists(self, element: int, number: int) -> bool:
        """Are there so many lists and tables of two links and more in it?"""
        lists, end = self._lists, self._outline.behind[element]
        return bisect_left(lists, end) - bisect_left(lists, element + 1) >= number

    def _places(self, element: int) -> tuple[int, int]:
        return self._outline.start[element], self._outline.stop[element]

    @cached_property
    def _lists(self) -> list[int]:
        lists = [element for element, tag in enumerate(self.tags) if tag in LISTS]
        return [element for element in lists if self.sizes[element] > 1]


def name_of(outline: Outline, element: int) -> str:
    """The tag of an element, with what it calls itself."""
    return outline.tags[element] + _called(outline.attributes[element])


def tag_of(tag: str, classes: str, name: str) -> str:
    """The tag, with what the element calls itself: `ul.nav`, `div#foot`."""
    first = classes.split(None, 1)
    if first:
        return f"{tag}.{first[0][:_LONGEST_NAME]}"
    return f"{tag}#{name[:_LONGEST_NAME]}" if name else tag


def remembered(find: Callable[[bytes], Found]) -> Callable[[bytes], Found]:
    """The same, found once for equal attributes: elements repeat, within a page and from page to
    page, and to read an attribute costs some us.
    """
    known = lru_cache(maxsize=MEMO)(find)
    return lambda raw: (known if len(raw) <= LONGEST_KEPT else find)(raw)


class_of = remembered(lambda raw: NAMES[0](raw) or "")
"""The class attribute among these."""
_called = remembered(lambda raw: tag_of("", NAMES[0](raw) or "", NAMES[1](raw) or ""))
