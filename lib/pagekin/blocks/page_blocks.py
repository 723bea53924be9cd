"""A page becomes blocks of links: segmentation under some rules, then the filters [BLOCK]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from pagekin.blocks.filters import DescribedBlock, FilteredBlock, KeptLink, LinkFilters
from pagekin.blocks.links import Links, OutlineLinks, Segment, TreeLinks
from pagekin.blocks.paper_rules import adjust, scan
from pagekin.blocks.structural_rules import structural_segments
from pagekin.config import BlockConfig, ReadingConfig
from pagekin.counters import Counters
from pagekin.limits import MAX_ANCHOR
from pagekin.web.markup import Outline
from pagekin.web.page import NOTHING, Page, View, is_nofollow

__all__ = ["blocks_view", "described_blocks", "kept_links", "page_links", "segments"]

_READING = ReadingConfig()


def kept_links(
    page: Page, config: BlockConfig, counters: Counters, reading: ReadingConfig = _READING
) -> list[list[KeptLink]]:
    """The links that the filters keep of each block of a page; blocks without one are left out.

    `reading` says whether links marked nofollow are left out.
    """
    _, blocks = _filtered(page, config, counters, reading)
    return [block.links for block in blocks if block.links]


def described_blocks(
    page: Page, config: BlockConfig, counters: Counters, reading: ReadingConfig = _READING
) -> list[DescribedBlock]:
    """The same blocks as they are shown to people, and those of which the filters keep nothing."""
    filters, blocks = _filtered(page, config, counters, reading)
    return [filters.describe(block) for block in blocks]


def _filtered(
    page: Page, config: BlockConfig, counters: Counters, reading: ReadingConfig
) -> tuple[LinkFilters, list[FilteredBlock]]:
    links = page_links(page, config)
    filters = LinkFilters(page, links, config, _unfollowed(page, links, reading))
    blocks = [filters.apply(segment) for segment in segments(page, links, config)]
    _count(blocks, len(links.hrefs), counters)
    return filters, blocks


def page_links(page: Page, config: BlockConfig) -> Links:
    """Every <a href> of a page, up to MAX_LINKS, as these rules read it."""
    read = page.tree if config.rules == "paper" else page.outline
    if read is None:
        raise ValueError(f"blocks by the rules {config.rules!r} are made of a page read for them")
    return OutlineLinks(read) if isinstance(read, Outline) else TreeLinks(read.tops)


def blocks_view(config: BlockConfig, also: View = NOTHING) -> View:
    """What is to be made of a page for these rules, and what `also` wants."""
    is_paper = config.rules == "paper"
    return replace(also, tree=also.tree or is_paper, outline=also.outline or not is_paper)


def segments(page: Page, links: Links, config: BlockConfig) -> list[Segment]:
    """The blocks of a page before the filters; `links` are all of the page's."""
    number = len(links.hrefs)
    if config.rules == "page":
        return [Segment(tuple(range(number)), "page", "page")] if number > 1 else []
    if config.rules != "paper":
        return structural_segments(page.outline or Outline(), config)
    sections = scan(page.tree.tops if page.tree else [], config, number)
    return adjust(sections, config, lambda link: page.resolver(links.hrefs[link]) is not None)


def _unfollowed(page: Page, links: Links, reading: ReadingConfig) -> Collection[int]:
    """The numbers of links that are not to be followed, if that is asked for."""
    numbers = range(len(links.hrefs))
    if reading.obey_robots and page.nofollow:
        return numbers
    if not reading.drop_nofollow:
        return ()
    return {number for number in numbers if is_nofollow(links.rel(number))}


def _count(blocks: list[FilteredBlock], links: int, counters: Counters) -> None:
    counters.add("blocks", "found", len(blocks))
    counters.add("blocks", "left", sum([1 for block in blocks if block.links]))
    cut = sum([len(link.anchor) == MAX_ANCHOR for block in blocks for link in block.links])
    counters.add("block_links", "anchors_cut", cut)
    removed = Counter(chain.from_iterable([block.removed_by for block in blocks]))
    counters.add("block_links", "found", links)
    counters.add("block_links", "in_no_block", links - removed.total())
    counters.add("block_links", "left", removed.pop("", 0))
    for name, number in removed.items():
        counters.add("block_links", name, number)
    changed = Counter([name for block in blocks for _, name in block.changed_by])
    for name, number in changed.items():
        counters.add("block_links", f"{name}_changed", number)
