"""Structural rules: a page is cut into blocks of links by its tree of elements alone.

No words, fonts or colours. Top down, over elements that hold the same links, the first rule that
applies decides whether they are a block or are cut into their parts; a part of one link is dropped.
[BLOCK] has no such rules; against human marks they do far better than its own, which merge over any
distance in the tree (docs/measurements/segmentation.md). `coarse` cuts only where three lists are
inside, and makes larger blocks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from functools import cached_property, lru_cache
from operator import sub
from typing import Final, NamedTuple, TypeVar

from pagekin.blocks.links import Segment, element_name
from pagekin.config import BlockConfig
from pagekin.web.markup import Outline
from pagekin.web.tags import attribute

__all__ = ["LISTS", "REASONS", "LinkTree", "structural_segments"]

LISTS: Final = frozenset(("ul", "ol", "dl", "table"))
_MENU = re.compile(
    r"(?<![a-z])(?:(?:main|top|sub)?[_-]?(?:nav|menu)|navi|navigation|navbar|breadcrumbs?|pager"
    r"|pagination)(?![a-z])",
    re.IGNORECASE,
)
_FOOTER = re.compile("foot|contentinfo", re.IGNORECASE)
_MAX_NAME = 200  # characters of a class, an id or a role that are looked at
_MIN_ALIKE, _ALIKE_SHARE, _MAX_ALIKE_LINKS = 5, 0.8, 8  # children, those of one kind, links in each
_MIN_HEADINGS = 3
_MIN_LISTS = {"structural": 1, "coarse": 3}

_class, _id, _role = attribute("class"), attribute("id"), attribute("role")
_Read = TypeVar("_Read")
_CACHED = 2048  # attributes of elements: these repeat, within a page and from page to page
_MAX_CACHED_BYTES = 400  # of longer attributes little is gained, and much memory taken


class LinkTree:
    """The elements of an outline as a tree: which of them hold which links, headings and lists.

    Elements are known by their numbers in the outline; 0 is the page.
    """

    def __init__(self, outline: Outline) -> None:
        self.outline = outline
        self.sizes: list[int] = list(map(sub, outline.last, outline.first))
        """How many links each element holds."""

    def links(self, element: int) -> range:
        """The numbers of the links in it."""
        return range(self.outline.first[element], self.outline.last[element])

    def chain(self, element: int) -> range:
        """The element, and those in it, each in the one before, that hold the same links."""
        sizes, end = self.sizes, self.outline.behind[element]
        inner, size = element + 1, self.sizes[element]
        while inner < end and sizes[inner] == size:
            inner += 1
        return range(element, inner)

    def children(self, element: int) -> list[int]:
        """The element's children that hold links, in order."""
        behind = self.outline.behind
        found, child, end = [], element + 1, behind[element]
        while child < end:
            found.append(child)
            child = behind[child]
        return found

    def count_headings(self, element: int) -> int:
        """How many headings are in it."""
        headings, outline = self.outline.headings, self.outline
        start, stop = outline.start[element], outline.stop[element]
        return bisect_left(headings, stop) - bisect_left(headings, start + 1)

    def count_lists(self, element: int) -> int:
        """How many lists and tables of two links and more are in it."""
        lists, end = self._lists, self.outline.behind[element]
        return bisect_left(lists, end) - bisect_left(lists, element + 1)

    @cached_property
    def _lists(self) -> list[int]:
        lists = [element for element, tag in enumerate(self.outline.tags) if tag in LISTS]
        return [element for element in lists if self.sizes[element] > 1]


def _repeated(read: Callable[[bytes], _Read]) -> Callable[[bytes], _Read]:
    """Remembers what it read of an element's attributes, if they are short."""
    kept = lru_cache(maxsize=_CACHED)(read)
    return lambda raw: kept(raw) if len(raw) <= _MAX_CACHED_BYTES else read(raw)


@_repeated
def _classes(raw: bytes) -> str:
    return _class(raw) or ""


@_repeated
def _calls_itself(raw: bytes) -> tuple[bool, bool]:
    """Is the element called a menu, or a footer?"""
    called = " ".join([(read(raw) or "")[:_MAX_NAME] for read in (_class, _id, _role)])
    return _MENU.search(called) is not None, _FOOTER.search(called) is not None


class _Group:
    """Elements within each other that hold the same links, and what is in the innermost."""

    def __init__(self, tree: LinkTree, element: int) -> None:
        self.tree = tree
        chain = tree.chain(element)
        self.inner = chain[-1]
        self.elements = chain[1:] if element == 0 else chain  # outermost first; not the page itself
        self.size = tree.sizes[element]
        self.children = tree.children(self.inner)
        self.parts = [child for child in self.children if tree.sizes[child] > 1]

    @cached_property
    def tags(self) -> set[str]:
        tags = self.tree.outline.tags
        return {tags[element] for element in self.elements}

    @cached_property
    def calls_itself(self) -> list[tuple[bool, bool]]:
        """Of each element that has attributes: is it called a menu, or a footer?"""
        attributes = self.tree.outline.attributes
        return [_calls_itself(attributes[e]) for e in self.elements if attributes[e]]

    def largest(self) -> int:
        """The links of the largest part."""
        sizes = self.tree.sizes
        return max([sizes[part] for part in self.parts])

    def segment(self, rule: str) -> Segment:
        """The links of the group as a block."""
        outline, name = self.tree.outline, "page"
        if self.elements:
            outer = self.elements[0]
            raw = outline.attributes[outer]
            name = element_name(outline.tags[outer], _classes(raw), _id(raw) or "")
        return Segment(tuple(self.tree.links(self.inner)), name, rule)


def structural_segments(outline: Outline, config: BlockConfig) -> list[Segment]:
    """The page's blocks, in order."""
    found: list[Segment] = []
    tree = LinkTree(outline)
    waiting = [0] if len(outline.hrefs) > 1 else []
    while waiting:
        group = _Group(tree, waiting.pop())
        rule = _first_rule(group, config)
        if rule.is_block:
            found.append(group.segment(rule.name))
        else:
            waiting += reversed(group.parts)
    return found


def _first_rule(group: _Group, config: BlockConfig) -> _Rule:
    for rule in _RULES:
        if rule.applies(group, config):
            return rule
    raise AssertionError("the last rule applies to all")


def _is_menu(group: _Group, config: BlockConfig) -> bool:
    if not config.menus:
        return False
    return "nav" in group.tags or any(is_menu for is_menu, _ in group.calls_itself)


def _is_footer(group: _Group, config: BlockConfig) -> bool:
    if group.size > config.footer:
        return False
    return "footer" in group.tags or any(is_footer for _, is_footer in group.calls_itself)


def _has_columns(group: _Group, config: BlockConfig) -> bool:
    sizes, size = group.tree.sizes, config.column
    return size > 0 and sum([sizes[part] >= size for part in group.parts]) > 1


def _is_alike(group: _Group, _: BlockConfig) -> bool:
    if len(group.children) < _MIN_ALIKE or group.largest() > _MAX_ALIKE_LINKS:
        return False
    tags, attributes = group.tree.outline.tags, group.tree.outline.attributes
    kinds = Counter([(tags[k], _classes(attributes[k])) for k in group.children])
    return max(kinds.values()) >= _ALIKE_SHARE * len(group.children)


def _is_wrapper(group: _Group, config: BlockConfig) -> bool:
    if config.wrapped == 0:
        return False
    largest = group.largest()
    return largest >= config.wrapped and group.size - largest == 1


class _Rule(NamedTuple):
    """A rule of the list."""

    name: str
    is_block: bool  # else the group is cut
    reason: str
    applies: Callable[[_Group, BlockConfig], bool]


_RULES: Final = (
    _Rule("leaf", True, "no part of it holds two links", lambda group, _: not group.parts),
    _Rule("huge", False, "more links than blocks.huge", lambda group, c: group.size > c.huge),
    _Rule(
        *("page", False, "more of the page's links than blocks.page_share"),
        lambda group, config: group.size > config.page_share * len(group.tree.outline.hrefs),
    ),
    _Rule("menu", True, "it calls itself a menu", _is_menu),
    _Rule("footer", True, "it calls itself a footer, and is small", _is_footer),
    _Rule("list", True, "a list", lambda group, _: not group.tags.isdisjoint(("ul", "ol"))),
    _Rule("columns", False, "two parts are large enough to be lists of their own", _has_columns),
    _Rule("alike", True, "its parts are alike and small", _is_alike),
    _Rule(
        *("headings", False, "headings inside"),
        lambda group, _: group.tree.count_headings(group.inner) >= _MIN_HEADINGS,
    ),
    _Rule(
        *("lists", False, "lists or tables inside"),
        lambda group, config: group.tree.count_lists(group.inner) >= _MIN_LISTS[config.rules],
    ),
    _Rule("wrapper", False, "one link beside a part that holds all the others", _is_wrapper),
    _Rule("whole", True, "nothing speaks against it", lambda *_: True),
)
REASONS: Final = {
    rule.name: f"{'block' if rule.is_block else 'cut'}: {rule.reason}" for rule in _RULES
}
