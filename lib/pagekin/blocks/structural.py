"""Structural rules: a page is cut into blocks of links by its tree of elements alone.

No words, fonts or colours. Top down, over elements that hold the same links, the first rule that
applies decides whether they are a block or are cut into their parts; a part of one link is dropped.
[BLOCK] has no such rules; against human marks they do far better than its own, which merge over any
distance in the tree (docs/measurements/segmentation.md). `coarse` cuts only where three lists are
inside, and makes larger blocks.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final, NamedTuple

from pagekin.blocks.linktree import LinkTree, Node, tag_of
from pagekin.blocks.model import Segment
from pagekin.config import BlockConfig

__all__ = ["REASONS", "structural_segments"]

# What the rules say, in their order; True where it is a block.
REASONS: Final[dict[str, str]] = {
    "huge": "cut: more links than blocks.huge",
    "leaf": "block: no part of it holds two links",
    "page": "cut: more of the page's links than blocks.page_share",
    "menu": "block: it calls itself a menu",
    "footer": "block: it calls itself a footer, and is small",
    "list": "block: a list",
    "columns": "cut: two parts are large enough to be lists of their own",
    "alike": "block: its parts are alike and small",
    "headings": "cut: headings inside",
    "lists": "cut: lists or tables inside",
    "wrapper": "cut: one link beside a part that holds all the others",
    "whole": "block: nothing speaks against it",
}

_MENU = re.compile(
    r"(?<![a-z])(?:(?:main|top|sub)?[_-]?(?:nav|menu)|navi|navigation|navbar|breadcrumbs?|pager"
    r"|pagination)(?![a-z])",
    re.IGNORECASE,
)
_FOOTER = re.compile("foot|contentinfo", re.IGNORECASE)
_NAMES = 200  # characters of a class and an id that are looked at
_MEMO = 4096  # names of elements
_ALIKE, _ALIKE_SHARE, _ALIKE_LINKS = 5, 0.8, 8  # parts, share of one kind, links in each
_HEADINGS = 3
_LISTS = {"structural": 1, "coarse": 3}


class _Group(NamedTuple):
    """Elements within each other that hold the same links."""

    chain: list[Any]  # outermost first; the page itself is none
    inner: Node  # the innermost
    kids: list[Node]  # of the innermost; left out where each holds one link
    parts: list[Node]  # those of them with two links and more
    tree: LinkTree

    @property
    def size(self) -> int:
        return self.inner.size

    @property
    def largest(self) -> int:
        return max(kid.size for kid in self.kids)


def structural_segments(tops: list[Any], links: list[Any], config: BlockConfig) -> list[Segment]:
    """The page's blocks, in order."""
    found: list[Segment] = []
    tree = LinkTree(tops, links)
    waiting = [tree.page] if len(links) > 1 else []
    while waiting:
        group = _group(tree, waiting.pop())
        rule = _decide(group, len(links), config)
        if REASONS[rule].startswith("cut"):
            waiting += reversed(group.parts)
        else:
            numbers = tuple(range(group.inner.start, group.inner.end))
            found.append(Segment(numbers, _name(group), rule))
    return found


def _group(tree: LinkTree, node: Node) -> _Group:
    chain = tree.chain(node)
    inner = Node(chain[-1], node.start, node.end)
    kids = tree.kids(inner)
    parts = [kid for kid in kids if kid.end - kid.start > 1]
    return _Group(chain[node.element is None :], inner, kids, parts, tree)


def _name(group: _Group) -> str:
    return tag_of(group.chain[0]) if group.chain else "page"


def _decide(group: _Group, total: int, config: BlockConfig) -> str:
    """The first rule that applies."""
    if not group.parts:
        return "leaf"
    if group.size > config.huge:
        return "huge"
    if group.size > config.page_share * total:
        return "page"
    return next((rule for rule, holds in _RULES if holds(group, config)), "whole")


def _is_menu(group: _Group, config: BlockConfig) -> bool:
    return config.menus and any(e.tag == "nav" or _names_menu(_names(e)) for e in group.chain)


def _is_footer(group: _Group, config: BlockConfig) -> bool:
    return group.size <= config.footer and any(
        e.tag == "footer" or _names_footer(_names(e)) for e in group.chain
    )


def _names(element: Any) -> str:
    """What an element calls itself."""
    get = element.get
    return f"{get('class', '')[:_NAMES]} {get('id', '')[:_NAMES]} {get('role', '')[:_NAMES]}"


# The names of elements repeat, within a page and from page to page; a search costs 1.5 us.
@lru_cache(maxsize=_MEMO)
def _names_menu(names: str) -> bool:
    return _MENU.search(names) is not None


@lru_cache(maxsize=_MEMO)
def _names_footer(names: str) -> bool:
    return _FOOTER.search(names) is not None


def _is_list(group: _Group, config: BlockConfig) -> bool:
    return any(element.tag in ("ul", "ol") for element in group.chain)


def _has_columns(group: _Group, config: BlockConfig) -> bool:
    return config.column > 0 and sum(part.size >= config.column for part in group.parts) > 1


def _is_alike(group: _Group, config: BlockConfig) -> bool:
    if len(group.kids) < _ALIKE or group.largest > _ALIKE_LINKS:
        return False
    kinds = Counter((kid.element.tag, kid.element.get("class", "")) for kid in group.kids)
    return max(kinds.values()) >= _ALIKE_SHARE * len(group.kids)


def _has_headings(group: _Group, config: BlockConfig) -> bool:
    return group.tree.has_headings(group.inner, _HEADINGS)


def _has_lists(group: _Group, config: BlockConfig) -> bool:
    return group.tree.has_lists(group.inner, _LISTS[config.rules])


def _is_wrapper(group: _Group, config: BlockConfig) -> bool:
    return (
        config.wrapped > 0 and group.largest >= config.wrapped and group.size - group.largest == 1
    )


_Rule = Callable[[_Group, BlockConfig], bool]
_RULES: Final[tuple[tuple[str, _Rule], ...]] = (
    ("menu", _is_menu),
    ("footer", _is_footer),
    ("list", _is_list),
    ("columns", _has_columns),
    ("alike", _is_alike),
    ("headings", _has_headings),
    ("lists", _has_lists),
    ("wrapper", _is_wrapper),
)
