"""Pages become stripes: for each link of each block its partners; the mapper of the pairs [BLOCK].

    key      the URL of the link
    value    empty where the link has no partner, else
             DOMAIN ANCHOR FACTS HASHES: a blank behind DOMAIN, the byte 1 behind ANCHOR and FACTS

DOMAIN is the top sub-domain of the page and ANCHOR the text of this link, as Figure 5 sends them.
FACTS and HASHES tell the partners (`stripe_codec.py`). There is one stripe for each link
of each block, whatever partners it has, so their number is in_p of Eq. 13; and values sort by
domain, then by anchor, because both delimiters are below every byte of either.

Of two links S counts in the first block of the page that holds both. Links of one top sub-domain
make no pair, but have their places. Blocks behind the 4,096th of a page are left out, and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from pagekin.cocitation.records import Block, Page, parse_blocks
from pagekin.cocitation.similarity import Links, Marks, Numbers, Similarity
from pagekin.cocitation.urls import look_up
from pagekin.cocitation.words import AnchorWords
from pagekin.config import CocitationConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.pairs.stripe_codec import pack

__all__ = ["Stripes"]

_BATCH = 1 << 13  # links whose pairs are made at once
_MOST_BLOCKS = 4096  # of a page: marks of earlier blocks are kept for each repeated link


class _Batch:
    """Blocks until there are enough of them."""

    def __init__(self) -> None:
        self.urls: list[bytes] = []  # of each link
        self.anchors: list[bytes] = []
        self.heads: list[bytes] = []  # of each link: what stands before its partners
        self.sizes: list[int] = []  # of each block
        self.places: list[list[int]] = []  # of each block, or none at all
        self.earlier: dict[int, int] = {}  # link -> blocks before its own with the same URL

    def add(self, domain: bytes, block: Block, earlier: dict[int, int]) -> None:
        """Take a block in."""
        if earlier:
            self.earlier.update((len(self.urls) + k, blocks) for k, blocks in earlier.items())
        self.urls += block.urls
        self.anchors += block.anchors
        self.heads += [domain + anchor for anchor in block.anchors]
        self.sizes.append(len(block.urls))
        self.places.append(block.places or [])


class Stripes:
    """Turns block records into stripes."""

    def __init__(self, config: CocitationConfig, counters: Counters) -> None:
        self._config, self._counters = config, counters
        self._similarity = Similarity(config)
        self._words = AnchorWords(config)

    def of(self, records: Iterable[Pair]) -> Iterator[Pair]:
        """The stripes of all pages."""
        return chain.from_iterable(self._slices(records))

    def _slices(self, records: Iterable[Pair]) -> Iterator[Iterable[Pair]]:
        batch = _Batch()
        for _, value in records:
            self._add(batch, parse_blocks(value))
            if len(batch.urls) >= _BATCH:
                yield from self._finish(batch)
                batch = _Batch()
        if batch.urls:
            yield from self._finish(batch)

    def _add(self, batch: _Batch, page: Page) -> None:
        blocks = page.blocks[:_MOST_BLOCKS]
        self._counters.add("cocitation", "blocks_over_limit", len(page.blocks) - len(blocks))
        if self._config.plain:
            blocks = [_as_one(blocks)] if blocks else []
        repeats, domain = _repeats(blocks), page.domain + b" "
        for number, block in enumerate(blocks):
            batch.add(domain, block, repeats.get(number, {}))
        self._counters.add("cocitation", "pages")
        self._counters.add("cocitation", "blocks", len(blocks))

    def _finish(self, batch: _Batch) -> Iterator[Iterable[Pair]]:
        links = self._links(batch)
        ordered = repeated = 0
        for rows in self._similarity.rows(links):
            some = slice(rows.first, rows.first + len(rows.sizes))
            yield zip(batch.urls[some], pack(links, rows, batch.heads[some]), strict=True)
            ordered += int(rows.partners.sum())
            repeated += rows.repeated
        self._counters.add("cocitation", "links", len(batch.urls))
        self._counters.add("cocitation", "pairs", ordered // 2)
        self._counters.add("cocitation", "pairs_of_an_earlier_block", repeated)

    def _links(self, batch: _Batch) -> Links:
        urls, sizes = batch.urls, batch.sizes
        ends = np.cumsum(sizes, dtype=np.int64)
        ends_of, starts_of = np.repeat(ends, sizes), np.repeat(ends - sizes, sizes)
        hashes, domains = look_up(urls, starts_of)
        words, earlier = self._words.of(batch.anchors), _as_marks(batch.earlier, len(urls))
        places = None
        if self._config.place == "block" and not self._config.plain:
            places = _places(batch.places, starts_of, ends - sizes)
        return Links(hashes, domains, starts_of, ends_of, words, earlier, places)


def _places(told: list[list[int]], starts_of: Numbers, starts: Numbers) -> Numbers | None:
    """The places of all links, if any block tells other ones than 0, 1, 2 ..."""
    if not any(told):
        return None
    places = np.arange(len(starts_of)) - starts_of
    for start, some in zip(starts.tolist(), told, strict=True):
        places[start : start + len(some)] = some
    return places


def _as_one(blocks: list[Block]) -> Block:
    """The whole page as one block: each URL at its first link."""
    anchors: dict[bytes, bytes] = {}
    for block in blocks:
        for url, anchor in zip(block.urls, block.anchors, strict=True):
            anchors.setdefault(url, anchor)
    return Block(list(anchors), list(anchors.values()))


def _repeats(blocks: list[Block]) -> dict[int, dict[int, int]]:
    """Block -> link -> bits of the earlier blocks with its URL; empty for most pages."""
    if len(blocks) < 2:
        return {}
    if len(set(chain.from_iterable(b.urls for b in blocks))) == sum(len(b.urls) for b in blocks):
        return {}
    seen: dict[bytes, int] = {}
    repeats: dict[int, dict[int, int]] = {}
    for number, block in enumerate(blocks):
        found = {k: seen[url] for k, url in enumerate(block.urls) if url in seen}
        if len(found) > 1:  # one alone makes no pair again
            repeats[number] = found
        for url in block.urls:
            seen[url] = seen.get(url, 0) | 1 << number
    return repeats


def _as_marks(earlier: dict[int, int], links: int) -> list[Marks]:
    planes: list[Marks] = []
    while earlier:
        marks = np.zeros(links, dtype=np.uint64)
        for link, bits in earlier.items():
            marks[link] = bits & 0xFFFFFFFFFFFFFFFF
        planes.append(marks)
        earlier = {link: bits >> 64 for link, bits in earlier.items() if bits >> 64}
    return planes
