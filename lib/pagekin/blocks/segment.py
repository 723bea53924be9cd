"""A page becomes blocks of links: segmentation under some rules, then the filters [BLOCK]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from pagekin.blocks.adjusting import adjust
from pagekin.blocks.filters import Sieve
from pagekin.blocks.links import Links, OutlineLinks, TreeLinks
from pagekin.blocks.model import Block, Left, Segment, Sifted
from pagekin.blocks.reasons import explained
from pagekin.blocks.scanning import scan
from pagekin.blocks.structural import structural_segments
from pagekin.config import BlockConfig, ReadingConfig
from pagekin.counters import Counters
from pagekin.web.outline import Outline
from pagekin.web.page import NOTHING, Page, View, is_nofollow

__all__ = ["blocks_view", "links_left", "page_blocks", "page_links", "segments"]

_READING = ReadingConfig()


def links_left(
    page: Page, config: BlockConfig, counters: Counters, reading: ReadingConfig = _READING
) -> list[list[Left]]:
    """What the filters leave of the blocks of a page, in order.

    `reading` says whether links marked nofollow are left out.
    """
    _, sifted = _sift(page, config, counters, reading)
    return [block.links for block in sifted if block.links]


def page_blocks(
    page: Page, config: BlockConfig, counters: Counters, reading: ReadingConfig = _READING
) -> list[Block]:
    """The same blocks explained; also those of which the filters left nothing."""
    sieve, sifted = _sift(page, config, counters, reading)
    return [explained(sieve, block) for block in sifted]


def _sift(
    page: Page, config: BlockConfig, counters: Counters, reading: ReadingConfig
) -> tuple[Sieve, list[Sifted]]:
    links = page_links(page, config)
    sieve = Sieve(page, links, config, _unfollowed(page, links, reading))
    sifted = [sieve.sift(segment) for segment in segments(page, links, config)]
    _count(sifted, len(links.hrefs), counters)
    return sieve, sifted


def page_links(page: Page, config: BlockConfig) -> Links:
    """Every <a href> of a page, up to MAX_LINKS, as these rules read it."""
    read = page.tree if config.rules == "paper" else page.outline
    if read is None:
        raise ValueError(f"blocks by the rules {config.rules!r} are made of a page read for them")
    return OutlineLinks(read) if isinstance(read, Outline) else TreeLinks(read.tops)


def blocks_view(config: BlockConfig, also: View = NOTHING) -> View:
    """How a page is to be read for these rules; `also` is what else is wanted of it."""
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


def _count(blocks: list[Sifted], links: int, counters: Counters) -> None:
    counters.add("blocks", "found", len(blocks))
    counters.add("blocks", "left", sum([1 for block in blocks if block.links]))
    taken = Counter(chain.from_iterable([block.taken for block in blocks]))
    counters.add("block_links", "found", links)
    counters.add("block_links", "in_no_block", links - taken.total())
    counters.add("block_links", "left", taken.pop("", 0))
    for name, number in taken.items():
        counters.add("block_links", name, number)
    changed = Counter([name for block in blocks for _, name in block.changed])
    for name, number in changed.items():
        counters.add("block_links", f"{name}_changed", number)
