"""Pages become stripes: for each link of each block its partners; the mapper of the pairs [BLOCK].

There is one stripe (`pagekin.stages.pairs.stripe_codec`) for each link of each block, whatever
partners it has, so their number is in_p of Eq. 13.

Of two links S counts in the first block of the page that holds both. Links of one top sub-domain
make no pair, but have their places. What a page's links count where co-citation is regulated is
part of the group of its stripes. Blocks behind the 4,096th of a page are left out, and counted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import NamedTuple

import numpy as np

from pagekin.authority.table import FULL_WEIGHT
from pagekin.cocitation.block_record import Block, PageBlocks, parse_blocks
from pagekin.cocitation.similarity import BlockLinks, Indices, Similarity
from pagekin.config import CocitationConfig
from pagekin.counters import Counters
from pagekin.kinds import BLOCKS, Pair
from pagekin.limits import MAX_BLOCKS
from pagekin.stages.pairs.stripe_codec import pack_stripes, weight_mark
from pagekin.tables import url_number

__all__ = ["make_stripes"]

_LINKS_AT_ONCE = 1 << 13


class _Block(NamedTuple):
    """A block of a page with the domain of the page."""

    domain: bytes
    weight: bytes  # the mark of what its links count
    links: Block
    earlier: dict[int, int]  # link -> bit b: block b of the page, before this one, has its URL


def make_stripes(
    records: Iterable[Pair],
    config: CocitationConfig,
    counters: Counters,
    weight_of: Callable[[str], int] = lambda url: FULL_WEIGHT,
) -> Iterator[Pair]:
    """The stripes of all pages, which come as block records; `weight_of` a URL tells what its links
    count, in hundredths.
    """
    similarity = Similarity(config)
    batch: list[_Block] = []
    links = 0
    for key, value in records:
        weight = weight_of(key.removeprefix(BLOCKS.prefix).decode("utf-8", "replace"))
        counters.add("cocitation", "pages_of_less_weight", int(weight < FULL_WEIGHT))
        page = parse_blocks(value)
        found = _blocks_of(page, weight_mark(weight), counters, plain=config.plain)
        batch += found
        links += sum([len(block.links.urls) for block in found])
        if links >= _LINKS_AT_ONCE:
            yield from _stripes_of(batch, similarity, config, counters)
            batch, links = [], 0
    if links:
        yield from _stripes_of(batch, similarity, config, counters)


def _blocks_of(page: PageBlocks, weight: bytes, counters: Counters, *, plain: bool) -> list[_Block]:
    """The blocks of a page; with plain co-citation the page is one block."""
    blocks = page.blocks[:MAX_BLOCKS]
    counters.add("cocitation", "blocks_over_limit", len(page.blocks) - len(blocks))
    if plain:
        blocks = [_as_one(blocks)] if blocks else []
    counters.add("cocitation", "pages")
    counters.add("cocitation", "blocks", len(blocks))
    repeated = zip(blocks, _repeated_links(blocks), strict=True)
    return [_Block(page.domain, weight, block, earlier) for block, earlier in repeated]


def _as_one(blocks: list[Block]) -> Block:
    """The whole page as one block: each URL at its first link."""
    anchors: dict[bytes, bytes] = {}
    for block in blocks:
        for url, anchor in zip(block.urls, block.anchors, strict=True):
            anchors.setdefault(url, anchor)
    return Block(list(anchors), list(anchors.values()))


def _repeated_links(blocks: list[Block]) -> list[dict[int, int]]:
    """For each block its links that earlier blocks have too; for most pages none."""
    links = sum([len(block.urls) for block in blocks])
    if len(blocks) < 2 or len({url for block in blocks for url in block.urls}) == links:
        return [{}] * len(blocks)
    seen: dict[bytes, int] = {}
    repeated = []
    for number, block in enumerate(blocks):
        found = {k: seen[url] for k, url in enumerate(block.urls) if url in seen}
        repeated.append(found if len(found) > 1 else {})  # one alone makes no pair again
        for url in block.urls:
            seen[url] = seen.get(url, 0) | 1 << number
    return repeated


def _stripes_of(
    batch: list[_Block], similarity: Similarity, config: CocitationConfig, counters: Counters
) -> Iterator[Pair]:
    urls = list(chain.from_iterable(block.links.urls for block in batch))
    anchors = list(chain.from_iterable(block.links.anchors for block in batch))
    groups = [
        block.domain + b" " + anchor + block.weight
        for block in batch
        for anchor in block.links.anchors
    ]
    hashes = np.fromiter(map(url_number, urls), np.uint64, len(urls))
    sizes = [len(block.links.urls) for block in batch]
    starts = np.cumsum([0, *sizes]).tolist()
    earlier = {
        start + link: blocks
        for start, block in zip(starts, batch, strict=False)
        for link, blocks in block.earlier.items()
    }
    with_places = config.place == "block" and not config.plain
    places = _places_in_blocks(batch) if with_places else None
    pairs = repeated = 0
    for alike in similarity.alike(BlockLinks(urls, anchors, sizes, earlier, places)):
        some = slice(alike.first, alike.first + len(alike.low))
        yield from zip(urls[some], pack_stripes(alike, hashes, groups[some]), strict=True)
        pairs += int(alike.partners.sum())
        repeated += alike.repeated
    counters.add("cocitation", "links", len(urls))
    counters.add("cocitation", "pairs", pairs // 2)
    counters.add("cocitation", "pairs_of_an_earlier_block", repeated // 2)


def _places_in_blocks(batch: list[_Block]) -> Indices | None:
    """The places of all links, if any block tells other ones than 0, 1, 2 ..."""
    if not any(block.links.places for block in batch):
        return None
    places = [block.links.places or range(len(block.links.urls)) for block in batch]
    return np.array(list(chain.from_iterable(places)), np.int64)
