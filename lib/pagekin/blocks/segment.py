"""A page becomes blocks of links: segmentation under some rules, then the filters [BLOCK]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from functools import partial
from itertools import chain
from typing import Any

from pagekin.blocks.adjusting import adjust
from pagekin.blocks.filters import Sieve
from pagekin.blocks.linktree import find_links
from pagekin.blocks.model import Block, Left, Segment, Sifted
from pagekin.blocks.reasons import explained
from pagekin.blocks.scanning import scan
from pagekin.blocks.structural import structural_segments
from pagekin.config import BlockConfig, ReadingConfig
from pagekin.counters import Counters
from pagekin.web.flat import MAX_LINKS
from pagekin.web.page import Page, is_nofollow
from pagekin.web.urls import Resolver

__all__ = ["links_left", "page_blocks", "page_links", "segments"]

_READING = ReadingConfig()


def links_left(
    page: Page, config: BlockConfig, counters: Counters, reading: ReadingConfig = _READING
) -> list[list[Left]]:
    """What the filters leave of the blocks of a page read as a tree, in order.

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
    links = page_links(page)
    noted = "too_many_links" in page.flat.notes  # and counted by the reader of its text
    counters.add("pages", "too_many_links", int(len(links) > MAX_LINKS and not noted))
    del links[MAX_LINKS:]
    sieve = Sieve(page, links, config, _unfollowed(page, links, reading))
    sifted = [sieve.sift(segment) for segment in segments(page, links, config)]
    _count(sifted, len(links), counters)
    return sieve, sifted


def page_links(page: Page) -> list[Any]:
    """Every <a href> of a page, in order."""
    if page.tree is None:
        raise ValueError("blocks are made of a page that was read as a tree")
    return find_links(page.tree.tops)


def segments(page: Page, links: list[Any], config: BlockConfig) -> list[Segment]:
    """The blocks of a page before the filters; `links` are all of the page's, or its first ones."""
    tops = page.tree.tops if page.tree else []
    if config.rules == "page":
        return [Segment(tuple(range(len(links))), "page", "page")] if len(links) > 1 else []
    if config.rules != "paper":
        return structural_segments(tops, links, config)
    sections = scan(tops, config, len(links))
    return adjust(sections, config, partial(_leads_to_a_page, links, page.resolver))


def _leads_to_a_page(links: list[Any], resolver: Resolver, number: int) -> bool:
    return resolver(links[number].get("href")) is not None


def _unfollowed(page: Page, links: list[Any], reading: ReadingConfig) -> Collection[int]:
    """The numbers of links that are not to be followed, if that is asked for."""
    if reading.obey_robots and page.nofollow:
        return range(len(links))
    if not reading.drop_nofollow:
        return ()
    return {number for number, link in enumerate(links) if is_nofollow(link.get("rel", ""))}


def _count(blocks: list[Sifted], links: int, counters: Counters) -> None:
    counters.add("blocks", "found", len(blocks))
    counters.add("blocks", "left", sum(1 for block in blocks if block.links))
    taken = Counter(chain.from_iterable(block.taken for block in blocks))
    counters.add("block_links", "found", links)
    counters.add("block_links", "in_no_block", links - taken.total())
    counters.add("block_links", "left", taken.pop("", 0))
    for name, number in taken.items():
        counters.add("block_links", name, number)
    for _, name in chain.from_iterable(block.changed for block in blocks):
        counters.add("block_links", f"{name}_changed")
