"""Structural rules: a page is cut into blocks of links by its tree of elements alone.

No words, fonts or colours. Top down, over elements that hold the same links, the first rule that
applies decides whether they are a block or are cut into their parts; a part of one link is dropped.
[BLOCK] has no such rules; against human marks they do far better than its own, which merge over any
distance in the tree (docs/measurements/segmentation.md). `coarse` cuts only where three lists are
inside, and makes larger blocks. `_structural.c` does the same, and is taken where it was built.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from typing import Final, NamedTuple

from pagekin.blocks.linktree import (
    LONGEST_KEPT,
    MEMO,
    NAMES,
    LinkTree,
    class_of,
    name_of,
    remembered,
)
from pagekin.blocks.model import Segment
from pagekin.config import BlockConfig
from pagekin.native import load
from pagekin.web.flat import MAX_LINKS
from pagekin.web.outline import Outline

__all__ = ["REASONS", "plain_structural_segments", "structural_segments"]

# What the rules say, in their order; True where it is a block.
REASONS: Final[dict[str, str]] = {
    "leaf": "block: no part of it holds two links",
    "huge": "cut: more links than blocks.huge",
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

_IN_ORDER: Final = tuple(REASONS)  # as _structural.c numbers them
_CUTS: Final = frozenset(rule for rule, said in REASONS.items() if said.startswith("cut"))

_MENU = re.compile(
    r"(?<![a-z])(?:(?:main|top|sub)?[_-]?(?:nav|menu)|navi|navigation|navbar|breadcrumbs?|pager"
    r"|pagination)(?![a-z])",
    re.IGNORECASE,
)
_FOOTER = re.compile("foot|contentinfo", re.IGNORECASE)
_LONGEST_NAME = 200  # characters of a class and an id that are looked at
_ALIKE, _ALIKE_SHARE, _ALIKE_LINKS = 5, 0.8, 8  # parts, share of one kind, links in each
_HEADINGS = 3
_LISTS = {"structural": 1, "coarse": 3}
_native = load("pagekin.blocks._structural")


class _Group(NamedTuple):
    """Elements within each other that hold the same links."""

    chain: list[int]  # outermost first; the page itself is none
    inner: int  # the innermost
    kids: list[int]  # of the innermost; left out where each holds one link
    parts: list[int]  # those of them with two links and more
    tree: LinkTree

    @property
    def size(self) -> int:
        return self.tree.sizes[self.inner]

    @property
    def largest(self) -> int:
        sizes = self.tree.sizes
        return max([sizes[kid] for kid in self.kids])


def structural_segments(outline: Outline, config: BlockConfig) -> list[Segment]:
    """The page's blocks, in order."""
    if _native is None or len(outline.hrefs) <= 1:
        return plain_structural_segments(outline, config)
    huge, footer, column, wrapped = (
        min(number, MAX_LINKS + 1)  # no page has as many, and C takes no number of any size
        for number in (config.huge, config.footer, config.column, config.wrapped)
    )
    rules = (
        *(huge, config.page_share, config.menus, footer, column, wrapped),
        *(_LISTS[config.rules], _ALIKE, _ALIKE_LINKS, _HEADINGS),
    )
    o = outline
    columns = (o.tags, o.attributes, o.behind, o.first, o.last, o.start, o.stop, o.headings)
    return [
        Segment(tuple(range(a, b)), name_of(o, element) if element else "page", _IN_ORDER[rule])
        for a, b, element, rule in _native.blocks(*columns, rules, _known, _look, _are_alike)
    ]


def plain_structural_segments(outline: Outline, config: BlockConfig) -> list[Segment]:
    """The same, in Python."""
    found: list[Segment] = []
    tree, total = LinkTree(outline), len(outline.hrefs)
    waiting = [0] if total > 1 else []
    while waiting:
        group = _group(tree, waiting.pop())
        rule = _decide(group, total, config)
        if rule in _CUTS:
            waiting += reversed(group.parts)
        else:
            name = name_of(outline, group.chain[0]) if group.chain else "page"
            found.append(Segment(tuple(tree.links(group.inner)), name, rule))
    return found


def _group(tree: LinkTree, element: int) -> _Group:
    chain, sizes = tree.chain(element), tree.sizes
    kids = tree.kids(chain[-1])
    parts = [kid for kid in kids if sizes[kid] > 1]
    return _Group(chain[element == 0 :], chain[-1], kids, parts, tree)


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
    return config.menus and _is_any(group, ("nav",), _names_menu)


def _is_footer(group: _Group, config: BlockConfig) -> bool:
    return group.size <= config.footer and _is_any(group, ("footer",), _names_footer)


def _is_list(group: _Group, config: BlockConfig) -> bool:
    return _is_any(group, ("ul", "ol"))


def _is_any(
    group: _Group, tags: tuple[str, ...], names: Callable[[bytes], bool] = lambda raw: False
) -> bool:
    """Has any of the elements one of these tags, or such names?"""
    tree = group.tree
    return any(tree.tags[k] in tags or names(tree.attributes[k]) for k in group.chain)


def _calls_itself(search: Callable[[str], object]) -> Callable[[bytes], bool]:
    """Is it found in what an element with these attributes calls itself?"""

    known = remembered(lambda raw: search(_names(raw)) is not None)
    return lambda raw: raw != b"" and known(raw)


def _names(raw: bytes) -> str:
    """What an element with these attributes calls itself."""
    return " ".join([(read(raw) or "")[:_LONGEST_NAME] for read in NAMES])


_names_menu = _calls_itself(_MENU.search)
_names_footer = _calls_itself(_FOOTER.search)

_known: dict[bytes, int] = {}  # attributes -> what an element with them calls itself


def _look(raw: bytes) -> int:
    """Does an element with these attributes call itself so, as `_structural.c` counts it?"""
    names = _names(raw)
    flags = (_MENU.search(names) is not None) + 2 * (_FOOTER.search(names) is not None)
    if len(raw) <= LONGEST_KEPT:
        if len(_known) >= MEMO:
            _known.clear()
        _known[raw] = flags
    return flags


def _has_columns(group: _Group, config: BlockConfig) -> bool:
    return config.column > 0 and _number_of(group, config.column) > 1


def _number_of(group: _Group, size: int) -> int:
    """How many parts have so many links."""
    sizes = group.tree.sizes
    return sum(sizes[part] >= size for part in group.parts)


def _is_alike(group: _Group, config: BlockConfig) -> bool:
    if len(group.kids) < _ALIKE or group.largest > _ALIKE_LINKS:
        return False
    tree = group.tree
    kids = group.kids
    return _are_alike([tree.tags[kid] for kid in kids], [tree.attributes[kid] for kid in kids])


def _are_alike(tags: list[str], attributes: list[bytes]) -> bool:
    """Are most elements of one kind?"""
    kinds = Counter(zip(tags, map(class_of, attributes), strict=True))
    return max(kinds.values()) >= _ALIKE_SHARE * len(tags)


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
