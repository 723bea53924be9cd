"""Pages become stripes: for each link of each block its partners; the mapper of the pairs [BLOCK].

    key      the URL of the link
    value    empty where the link has no partner, else
             DOMAIN ANCHOR PARTNERS: a blank behind DOMAIN, the byte 1 behind ANCHOR

DOMAIN is the top sub-domain of the page and ANCHOR the text of this link, as Figure 5 sends them.
PARTNERS is base64 of 12 bytes each: the hash of the partner's URL and S in 2^-30. There is one
stripe for each link of each block, whatever partners it has, so their number is in_p of Eq. 13; and
values sort by domain, then by anchor, because both delimiters are below every byte of either.

Of two links S counts in the first block of the page that holds both. Links of one top sub-domain
make no pair, but have their places. Blocks behind the 4,096th of a page are left out, and counted.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Iterator
from itertools import chain

import numpy as np

from pagekin.cocitation.records import Block, Page, parse_blocks
from pagekin.cocitation.similarity import Links, Marks, Rows, Similarity
from pagekin.cocitation.urls import Urls
from pagekin.cocitation.words import AnchorWords
from pagekin.config import CocitationConfig
from pagekin.counters import Counters

__all__ = ["MARK", "PARTNER", "PARTNER_TEXT", "Stripes", "unpack_partners"]

MARK = b"\x01"  # behind the anchor
PARTNER = np.dtype([("partner", "<u8"), ("value", "<u4")])
PARTNER_TEXT = 16  # characters of base64

_BATCH = 1 << 14  # links whose pairs are made at once
_MOST_BLOCKS = 4096  # of a page: marks of earlier blocks are kept for each repeated link

Pair = tuple[bytes, bytes]


def unpack_partners(text: bytes) -> tuple[Marks, Marks]:
    """The partners of one stripe, or of several joined ones: hashes and S."""
    partners = np.frombuffer(binascii.a2b_base64(text), dtype=PARTNER)
    return partners["partner"].copy(), partners["value"].astype(np.uint64)


class _Batch:
    """Blocks until there are enough of them."""

    def __init__(self) -> None:
        self.urls: list[list[bytes]] = []  # of each block
        self.anchors: list[list[bytes]] = []
        self.heads: list[bytes] = []  # of each link: what stands before its partners
        self.places: list[list[int]] = []  # of each block, or none at all
        self.earlier: dict[int, int] = {}  # link -> blocks before its own with the same URL
        self.links = 0

    def add(self, domain: bytes, block: Block, earlier: dict[int, int]) -> None:
        """Take a block in."""
        self.earlier.update((self.links + k, blocks) for k, blocks in earlier.items())
        self.urls.append(block.urls)
        self.anchors.append(block.anchors)
        self.heads += [domain + anchor + MARK for anchor in block.anchors]
        self.places.append(block.places or [])
        self.links += len(block.urls)


class Stripes:
    """Turns block records into stripes."""

    def __init__(self, config: CocitationConfig, counters: Counters) -> None:
        self._config, self._counters = config, counters
        self._similarity = Similarity(config)
        self._words = AnchorWords(config)
        self._urls = Urls()

    def of(self, records: Iterable[Pair]) -> Iterator[Pair]:
        """The stripes of all pages."""
        batch = _Batch()
        for _, value in records:
            self._add(batch, parse_blocks(value))
            if batch.links >= _BATCH:
                yield from self._finish(batch)
                batch = _Batch()
        if batch.links:
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

    def _finish(self, batch: _Batch) -> Iterator[Pair]:
        urls = list(chain.from_iterable(batch.urls))
        anchors = list(chain.from_iterable(batch.anchors))
        sizes, heads = list(map(len, batch.urls)), batch.heads
        pairs = repeated = 0
        for rows in self._similarity.rows(self._links(batch, urls, anchors, sizes)):
            some = slice(rows.first, rows.first + len(rows.sizes))
            yield from zip(urls[some], _values(heads[some], rows), strict=True)
            pairs += len(rows.values)
            repeated += rows.repeated
        self._counters.add("cocitation", "links", len(urls))
        self._counters.add("cocitation", "pairs", pairs // 2)
        self._counters.add("cocitation", "pairs_of_an_earlier_block", repeated // 2)

    def _links(
        self, batch: _Batch, urls: list[bytes], anchors: list[bytes], sizes: list[int]
    ) -> Links:
        ends = np.cumsum(sizes, dtype=np.int64)
        ends_of = np.repeat(ends, sizes)
        starts_of = np.repeat(ends - sizes, sizes)
        hashes, domains = self._urls.look_up(urls, starts_of)
        places = np.arange(len(urls)) - starts_of
        if self._config.place == "block" and not self._config.plain:
            for end, size, told in zip(ends.tolist(), sizes, batch.places, strict=True):
                if told:
                    places[end - size : end] = told
        words = self._words.of(anchors)
        earlier = _as_marks(batch.earlier, len(urls))
        return Links(hashes, domains, places, starts_of, ends_of, words, earlier)


def _values(heads: list[bytes], rows: Rows) -> list[bytes]:
    partners = np.empty(len(rows.values), PARTNER)
    partners["partner"], partners["value"] = rows.partners, rows.values
    text = binascii.b2a_base64(partners.tobytes(), newline=False)
    bounds = np.append(0, np.cumsum(rows.sizes) * PARTNER_TEXT).tolist()
    return [
        head + text[low:high] if low < high else b""
        for head, low, high in zip(heads, bounds, bounds[1:], strict=False)
    ]


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
