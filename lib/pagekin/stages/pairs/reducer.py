"""Stripes of a page p2 become TS(p1 -> p2) for all partners p1: the reducer of the pairs [BLOCK].

Many pages are merged in one batch of arrays; a page with more pairs than a batch is merged in
pieces (`pagekin.stages.pairs.spilled_page`). The number of a page's stripes is in_p of Eq. 13.

Most pages stand in few blocks, and a page of k blocks adds at most 2k / (1 + ln k) to any TS, which
grows with k; where that is below T nothing of the page is unpacked. With T = 4 that is every page
in fewer than six blocks.

What leaves are the records that `pagekin.stages.related.best_kin` describes. A page that may have
kin tells its own URL, because partners are known by the numbers of their URLs alone.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from pagekin.authority.table import MOST_WEIGHT
from pagekin.cocitation.kin_table import url_key
from pagekin.cocitation.similarity import ONE, Indices, similarity_by_distance
from pagekin.config import CocitationConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.pairs.spilled_page import Groups, SpilledPage
from pagekin.stages.pairs.stripe_codec import (
    Hashes,
    split_stripes,
    unpack_partners,
    weigh_partners,
)
from pagekin.stages.pairs.total_similarity import (
    DomainSums,
    edges_of,
    often_together,
    runs_that_may_reach,
    sort_pairs,
    sum_domains,
)
from pagekin.stages.related.best_kin import edge_value, name_value

__all__ = ["make_edges"]

_BATCH_BYTES = 1 << 20  # of stripes merged at once: 95,000 partners, 20 MB at work
_PAGE_BYTES = 6 << 20  # of one page, 80 MB at work; in pieces one took 0.2 s more
_STRIPES_AT_ONCE = 4096  # read from the stream
_SLACK = 1e-6  # of TS, for bounds that rounding must not cross
_UNBOUNDED = 1 << 62  # of sums with plain co-citation


@dataclass(slots=True)
class _Page:
    """A page, its stripes that have partners, and the number of all."""

    url: bytes
    blocks: int = 0
    stripes: list[bytes] = field(default_factory=list)


def make_edges(
    stripes: Iterable[Pair], config: CocitationConfig, counters: Counters
) -> Iterator[Pair]:
    """The edges of all pages, and the URLs of pages that may have some; stripes come sorted."""
    merger = _Merger(config, counters)
    batch: list[_Page] = []
    pages = size = 0
    for url, group in groupby(stripes, key=itemgetter(0)):
        pages += 1
        page = _Page(url)
        while chunk := list(islice(group, _STRIPES_AT_ONCE)):
            page.blocks += len(chunk)
            page.stripes += [value for _, value in chunk if value]
            if sum(map(len, page.stripes)) > _PAGE_BYTES:
                yield from merger.merge_in_pieces(page, group)
                page.stripes = []
        if len(page.stripes) >= merger.fewest:
            batch.append(page)
            size += sum(map(len, page.stripes))
        if size > _BATCH_BYTES:
            yield from merger.merge(batch)
            batch, size = [], 0
    yield from merger.merge(batch)
    counters.add("cocitation", "pages_cited", pages)


class _Merger:
    """Merges pages under one configuration."""

    def __init__(self, config: CocitationConfig, counters: Counters) -> None:
        self._config, self._counters = config, counters
        self._best = 1 << 30 if config.plain else config.repetition
        self._limit = _UNBOUNDED if config.plain else round(config.domain_limit * ONE)
        self._by_distance = similarity_by_distance(config)
        self._weighs = config.regulate != "none"
        most = (1 if config.plain else 2) * (MOST_WEIGHT if self._weighs else 1)  # of S
        wanted = config.threshold - _SLACK
        self.fewest = bisect_left(
            range(1 << 40), wanted, lo=1, key=lambda k: most * k / self._divisor(k)
        )
        """In how many blocks a page must have partners to reach T as either side of a pair."""

    def _divisor(self, blocks: int) -> float:
        return 1.0 if self._config.plain else 1.0 + math.log(blocks)

    def _divisors(self, pages: list[_Page]) -> NDArray[np.float64]:
        return np.array([self._divisor(page.blocks) for page in pages])

    def merge(self, batch: list[_Page]) -> Iterator[Pair]:
        """The records of several pages."""
        if not batch:
            return
        texts, facts, hashes = split_stripes([s for page in batch for s in page.stripes])
        found = unpack_partners(facts, hashes, self._by_distance)
        found = weigh_partners(found, texts) if self._weighs else found
        page_of = np.repeat(np.arange(len(batch)), [len(page.stripes) for page in batch])
        stripes = np.repeat(np.arange(len(texts)), found.sizes)
        some = often_together(page_of[stripes], found.hashes, self.fewest)
        partners, values, stripes = found.hashes[some], found.values[some], stripes[some]
        used, places = np.unique(stripes, return_inverse=True)
        groups = Groups([])
        numbers = groups.numbers_of(texts[k] for k in used.tolist())[places]
        pairs = sort_pairs(page_of[stripes], partners, numbers, values)
        least = (self._config.threshold - _SLACK) * ONE * self._divisors(batch)
        pairs = runs_that_may_reach(pairs, least[pairs.pages])  # few
        sums = sum_domains(pairs, groups.domains_of, self._best, self._limit)
        for page in batch:
            yield url_key(page.url), name_value(page.url)
        yield from self._edges(sums, pairs.partners, batch, pairs.pages, groups)

    def merge_in_pieces(self, page: _Page, rest: Iterator[Pair]) -> Iterator[Pair]:
        """The records of one page of very many blocks; `rest` are its stripes still to be read."""
        self._counters.add("cocitation", "pages_merged_in_pieces")
        limits = (self._best, self._limit, self._config.reasons)
        with SpilledPage(self._by_distance, *limits, weighs=self._weighs) as spilled:
            piece, size = [], 0
            for value in chain(page.stripes, _counted(page, rest)):
                piece.append(value)
                size += len(value)
                if size > _BATCH_BYTES:
                    spilled.add(piece)
                    piece, size = [], 0
            if piece:
                spilled.add(piece)
            yield url_key(page.url), name_value(page.url)
            for partners, sums in spilled.parts():
                numbers = np.zeros(len(partners), np.int64)
                yield from self._edges(sums, partners, [page], numbers, spilled.groups)

    def _edges(
        self,
        sums: DomainSums,
        partners: Hashes,
        pages: list[_Page],
        numbers: Indices,
        groups: Groups,
    ) -> Iterator[Pair]:
        """The records of edges: run k is of partners[k] and pages[numbers[k]], related to it."""
        divisors = self._divisors(pages)[numbers]
        edges = edges_of(sums, divisors, self._config.threshold, self._config.reasons)
        self._counters.add("cocitation", "related_pairs", len(edges.runs))
        values, of_values, bounds = (x.tolist() for x in (edges.values, edges.groups, edges.bounds))
        columns = (partners[edges.runs], numbers[edges.runs], edges.scores, edges.domains)
        facts = zip(*(column.tolist() for column in columns), strict=True)
        for k, (partner, number, score, domains) in enumerate(facts):
            some = range(bounds[k], bounds[k + 1])
            reasons = [(values[n], groups.texts[of_values[n]]) for n in some]
            page = pages[number]
            value = edge_value(score, page.url, page.blocks, domains, reasons)
            yield b"%016x" % partner, value


def _counted(page: _Page, group: Iterator[Pair]) -> Iterator[bytes]:
    """The other stripes of a page, which then knows in how many blocks it stands."""
    for _, value in group:
        page.blocks += 1
        if value:
            yield value
