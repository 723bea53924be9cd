"""Structural rules: a page is cut into blocks of links by its tree of elements alone.

No words, fonts or colours. Top down, over elements that hold the same links, the first rule that
applies decides whether they are a block or are cut into their parts; a part of one link is dropped.
[BLOCK] has no such rules; against human marks they do far better than its own, which merge over any
distance in the tree (docs/measurements/segmentation.md). `coarse` cuts only where three lists are
inside, and makes larger blocks.

People see fewer things on a page than it has elements, and the more there is on it the larger is
what they see: on a page of many links a part that leads to one or two addresses (the picture, the
title and the "more" of one story) is a detail of what is around it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable
from functools import cached_property, lru_cache
from itertools import accumulate
from operator import ne, sub
from typing import Final, NamedTuple, TypeVar

from pagekin.blocks.links import HEADINGS, Segment, element_name
from pagekin.config import BlockConfig
from pagekin.web.markup import Outline
from pagekin.web.tags import attribute

__all__ = ["LISTS", "REASONS", "LinkTree", "structural_segments"]

LISTS: Final = frozenset(("ul", "ol", "dl", "table"))
_ITEM_LISTS = frozenset(("ul", "ol"))
# A name is told by its last word: `main-nav` is a menu, `nav-content` and `menu-item` are none.
_MENU = re.compile(
    r"(?:nav|navi|navigation|navbar|menu|breadcrumbs?|pager|pagination)\d*(?![\w-])", re.IGNORECASE
)
_MAX_NAME = 200  # characters of a class, an id or a role that are looked at
_MIN_ALIKE, _ALIKE_SHARE, _MAX_ALIKE_LINKS = 5, 0.8, 8  # children, those of one kind, links in each
_MIN_HEADINGS = 3
_MIN_LISTS = {"structural": 1, "coarse": 3}
_MOST_ADDRESSES = 3  # that a part is asked to lead to

_class, _id, _role = attribute("class"), attribute("id"), attribute("role")
_Read = TypeVar("_Read")
_CACHED = 2048  # attributes of elements: these repeat, within a page and from page to page
_MAX_CACHED_BYTES = 400  # of longer attributes little is gained, and much memory taken


class LinkTree:
    """The elements of an outline as a tree: which of them hold which links, headings and lists.

    Elements are known by their numbers in the outline; 0 is the page. `detail` is the option of
    that name.
    """

    def __init__(self, outline: Outline, detail: int = 0) -> None:
        self.outline = outline
        self.sizes: list[int] = list(map(sub, outline.last, outline.first))
        """How many links each element holds."""
        wanted = -(-len(outline.hrefs) // detail) if detail else 1
        self.least_addresses = min(max(wanted, 1), _MOST_ADDRESSES)
        """To how many a part leads that is more than a detail."""

    def links(self, element: int) -> range:
        """The numbers of the links in it."""
        return range(self.outline.first[element], self.outline.last[element])

    def addresses(self, element: int) -> int:
        """How many addresses its links lead to; one that leads where the link before it does is
        not counted again.
        """
        changes, links = self._changes, self.links(element)
        return 1 + changes[links.stop - 1] - changes[links.start]

    def parts(self, children: list[int]) -> list[int]:
        """Those of the children that may be blocks."""
        several = [child for child in children if self.sizes[child] > 1]
        if self.least_addresses == 1:
            return several
        return [child for child in several if self.addresses(child) > 1]

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
    def _changes(self) -> list[int]:
        """For each link how many up to it lead elsewhere than the link before them."""
        hrefs = self.outline.hrefs
        return list(accumulate(map(ne, hrefs, hrefs[1:]), initial=0))

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
def _calls_itself_a_menu(raw: bytes) -> bool:
    called = " ".join([(read(raw) or "")[:_MAX_NAME] for read in (_class, _id, _role)])
    return _MENU.search(called) is not None


class _Group:
    """Elements within each other that hold the same links, and what is in the innermost."""

    def __init__(self, tree: LinkTree, element: int) -> None:
        self.tree = tree
        chain = tree.chain(element)
        self.inner = chain[-1]
        self.elements = chain[1:] if element == 0 else chain  # outermost first; not the page itself
        self.size = tree.sizes[element]
        self.children = tree.children(self.inner)
        self.parts = tree.parts(self.children)

    @cached_property
    def tags(self) -> set[str]:
        tags = self.tree.outline.tags
        return {tags[element] for element in self.elements}

    def calls_itself_a_menu(self) -> bool:
        """Is it one by the tag or a name of some element?"""
        attributes = self.tree.outline.attributes
        named = (attributes[e] for e in self.elements if attributes[e])
        return "nav" in self.tags or any(map(_calls_itself_a_menu, named))

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
    tree = LinkTree(outline, config.detail)
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


def _is_huge(group: _Group, config: BlockConfig) -> bool:
    return group.size > config.huge and bool(group.parts)


def _is_leaf(group: _Group, _: BlockConfig) -> bool:
    tree, parts = group.tree, group.parts
    if not parts or tree.least_addresses < _MOST_ADDRESSES:
        return not parts  # which lead to as many addresses as are asked for
    return not any(tree.addresses(part) >= _MOST_ADDRESSES for part in parts)


def _is_menu(group: _Group, config: BlockConfig) -> bool:
    """Not if it has one part only, or several lists: then these are the menus."""
    if not config.menus or len(group.parts) == 1 or not group.calls_itself_a_menu():
        return False
    tree, tags = group.tree, group.tree.outline.tags
    return sum(any(tags[e] in _ITEM_LISTS for e in tree.chain(p)) for p in group.parts) < 2


def _is_titled(group: _Group, config: BlockConfig) -> bool:
    """A part without parts, and beside it one link: in front in a heading, or behind without any
    element around it. A link to a place of the page itself is neither a title nor more.
    """
    tree, outline = group.tree, group.tree.outline
    if len(group.children) != 2 or len(group.parts) != 1:
        return False
    part = group.parts[0]
    link = sum(group.children) - part
    if tree.sizes[link] != 1 or outline.hrefs[outline.first[link]].startswith("#"):
        return False
    if link > part:
        belongs = outline.tags[link] == "a"
    else:
        belongs = any(outline.tags[element] in HEADINGS for element in tree.chain(link))
    return belongs and _is_leaf(_Group(tree, part), config)


def _is_text(group: _Group, _: BlockConfig) -> bool:
    tags = group.tree.outline.tags
    paragraphs = sum([tags[part] == "p" for part in group.parts])
    return paragraphs > 1 and 2 * paragraphs > len(group.parts)


def _is_alike(group: _Group, _: BlockConfig) -> bool:
    if len(group.children) < _MIN_ALIKE or group.largest() > _MAX_ALIKE_LINKS:
        return False
    tags, attributes = group.tree.outline.tags, group.tree.outline.attributes
    kinds = Counter([(tags[k], _classes(attributes[k])) for k in group.children])
    return max(kinds.values()) >= _ALIKE_SHARE * len(group.children)


class _Rule(NamedTuple):
    """A rule of the list."""

    name: str
    is_block: bool  # else the group is cut
    reason: str
    applies: Callable[[_Group, BlockConfig], bool]


_RULES: Final = (
    _Rule("huge", False, "more links than blocks.huge", _is_huge),
    _Rule("leaf", True, "no part of it is more than a detail", _is_leaf),
    _Rule(
        *("page", False, "more of the page's links than blocks.page_share"),
        lambda group, config: group.size > config.page_share * len(group.tree.outline.hrefs),
    ),
    _Rule("menu", True, "it calls itself a menu", _is_menu),
    _Rule("list", True, "a list", lambda group, _: not group.tags.isdisjoint(_ITEM_LISTS)),
    _Rule("titled", True, "a list with its title, or with a link to more", _is_titled),
    _Rule("text", True, "most parts of it are paragraphs", _is_text),
    _Rule("alike", True, "its parts are alike and small", _is_alike),
    _Rule(
        *("headings", False, "headings inside"),
        lambda group, _: group.tree.count_headings(group.inner) >= _MIN_HEADINGS,
    ),
    _Rule(
        *("lists", False, "lists or tables inside"),
        lambda group, config: group.tree.count_lists(group.inner) >= _MIN_LISTS[config.rules],
    ),
    _Rule("whole", True, "nothing speaks against it", lambda *_: True),
)
REASONS: Final = {
    rule.name: f"{'block' if rule.is_block else 'cut'}: {rule.reason}" for rule in _RULES
}
