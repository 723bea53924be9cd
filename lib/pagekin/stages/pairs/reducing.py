"""Stripes of a page p2 become TS(p1 -> p2) for all partners p1: the reducer of the pairs [BLOCK].

Many pages are merged in one batch of arrays; a page with more pairs than a batch is merged in
pieces (`pagekin.stages.pairs.hot_pages`). The number of a page's stripes is in_p of Eq. 13.

Most pages stand in few blocks, and a page of k blocks adds at most 2k / (1 + ln k) to any TS, which
grows with k; where that is below T nothing of the page is unpacked. With T = 4 that is every page
in fewer than six blocks. Likewise pairs whose plain sum of S cannot reach T are not merged.

What leaves are the records that `pagekin.cocitation.kin` describes. A page tells its own URL if it
may have kin, because partners are known by the hashes of their URLs alone.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, groupby, islice
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from pagekin.cocitation.kin import edge_value, name_value
from pagekin.cocitation.records import url_key
from pagekin.cocitation.similarity import ONE, Marks, Values, table_of
from pagekin.config import CocitationConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.pairs.hot_pages import HotPage, Stripe, domain_of
from pagekin.stages.pairs.merging import (
    Edges,
    Numbers,
    Pairs,
    edges_of,
    fold,
    often_together,
    pairs_where,
    sort_pairs,
    starts_of,
)
from pagekin.stages.pairs.stripe_codec import MARK, Partners

__all__ = ["Merger"]

_BATCH_TEXT = 1 << 20  # characters merged at once: 115,000 partners, 20 MB at work
_PAGE_TEXT = 6 << 20  # of one page, 80 MB at work; in pieces one took 0.2 s more
_CHUNK = 4096  # stripes taken from the stream at once
_SLACK = 1e-6  # of TS, for bounds that rounding must not cross
_UNBOUNDED = 1 << 62  # of sums with plain co-citation


@dataclass(slots=True)
class _Page:
    """A page, its stripes that have partners, and the number of all."""

    url: bytes
    blocks: int = 0
    stripes: list[bytes] = field(default_factory=list)
    size: int = 0  # characters of them


class Merger:
    """Turns sorted stripes into edges under one configuration."""

    def __init__(self, config: CocitationConfig, counters: Counters) -> None:
        self._config, self._counters = config, counters
        plain = config.plain
        self._best = 1 << 30 if plain else config.repetition
        self._limit = _UNBOUNDED if plain else round(config.domain_limit * ONE)
        self._most = ONE if plain else 2 * ONE  # of S
        self._least = self._fewest()
        self._table = table_of(config)

    def edges(self, stripes: Iterable[Pair]) -> Iterator[Pair]:
        """The edges of all pages, and the URLs of pages that may have some."""
        batch: list[_Page] = []
        pages, size, fewest = 0, 0, min(self._least, _CHUNK)
        for url, group in groupby(stripes, key=itemgetter(0)):
            pages += 1
            values = iter(group)
            chunk = list(islice(values, _CHUNK))
            if len(chunk) < fewest:
                continue
            page = _Page(url)
            yield from self._read(page, chunk, values)
            if page.stripes:
                batch.append(page)
                size += page.size
            if size > _BATCH_TEXT:
                yield from self._finish(batch)
                batch, size = [], 0
        yield from self._finish(batch)
        self._counters.add("cocitation", "pages_cited", pages)

    def _read(self, page: _Page, chunk: list[Pair], group: Iterator[Pair]) -> Iterator[Pair]:
        """Collect a page's stripes; of one that is too large for it give the edges."""
        while chunk:
            page.blocks += len(chunk)
            told = [value for _, value in chunk if value]
            page.stripes += told
            page.size += sum(map(len, told))
            if page.size > _PAGE_TEXT:
                yield from self._merge_hot(page, group)
                page.stripes = []
            chunk = list(islice(group, _CHUNK))
        if len(page.stripes) < self._least:
            page.stripes = []

    def _fewest(self) -> int:
        """In how many blocks a page must have partners to reach T as either side of a pair."""
        wanted = self._config.threshold - _SLACK
        return bisect_left(range(1 << 40), wanted, lo=1, key=lambda k: self._bound(k * self._most))

    def _bound(self, total: int) -> float:
        """The highest TS that a plain sum of S may stand for."""
        divisor = self._divisor(max(1.0, total / self._most))
        return total / ONE / divisor

    def _divisor(self, blocks: float) -> float:
        return 1.0 if self._config.plain else 1.0 + math.log(blocks)

    # --- a batch of pages ---

    def _finish(self, batch: list[_Page]) -> Iterator[Pair]:
        if not batch:
            return
        pairs = _unpacked(batch, self._least, self._table)
        if not len(pairs.values):
            return
        divisors = np.array([self._divisor(page.blocks) for page in batch])
        sums, pages = np.add.reduceat(pairs.values, pairs.starts), pairs.pages[pairs.starts]
        yield from self._own_names(batch, pages, sums)
        least = (self._config.threshold - _SLACK) * ONE
        pairs = _chosen(pairs, sums >= least * divisors[pages])
        pairs, domains, names = _grouped(pairs, [value for page in batch for value in page.stripes])
        pages = pairs.pages[pairs.starts]
        rows = fold(pairs, domains.__getitem__, self._best, self._limit)
        edges = edges_of(rows, divisors[pages], self._config.threshold, self._config.reasons)
        owners = [batch[number] for number in pages[edges.runs].tolist()]
        yield from self._told(edges, pairs.partners[pairs.starts], owners, names.__getitem__)

    def _own_names(self, batch: list[_Page], pages: Numbers, sums: Marks) -> Iterator[Pair]:
        starts = starts_of(pages)
        highest = np.maximum.reduceat(sums, starts).tolist()
        for number, total in zip(pages[starts].tolist(), highest, strict=True):
            if self._bound(total) >= self._config.threshold - _SLACK:
                yield url_key(batch[number].url), name_value(batch[number].url)

    def _told(
        self, edges: Edges, partners: Marks, owners: list[_Page], name: Callable[[int], bytes]
    ) -> Iterator[Pair]:
        """The records of edges; `owners` are the pages that are related to the partners."""
        self._counters.add("cocitation", "related_pairs", len(owners))
        keys = partners[edges.runs].tolist()
        facts = zip(keys, owners, edges.scores.tolist(), edges.domains.tolist(), strict=True)
        values, groups, bounds = (a.tolist() for a in (edges.values, edges.groups, edges.bounds))
        for k, (key, page, score, domains) in enumerate(facts):
            low, high = bounds[k], bounds[k + 1]
            reasons = [(values[n], name(groups[n])) for n in range(low, high)]
            yield b"%016x" % key, edge_value(score, page.url, page.blocks, domains, reasons)

    # --- one page of very many blocks ---

    def _merge_hot(self, page: _Page, group: Iterator[Pair]) -> Iterator[Pair]:
        self._counters.add("cocitation", "pages_merged_in_pieces")
        reasons = self._config.reasons
        with HotPage(self._table, self._best, self._limit, reasons) as hot:
            waiting: list[Stripe] = []
            values = chain(page.stripes, _counted(page, group))
            while chunk := list(islice(values, _CHUNK)):
                waiting += map(_stripe, chunk)
                if sum(sum(map(len, stripe)) for stripe in waiting) > _BATCH_TEXT:
                    waiting = hot.add(waiting)
            hot.add(waiting, last=True)
            yield url_key(page.url), name_value(page.url)
            divisor = self._divisor(page.blocks)
            for partners, rows in hot.parts():
                divisors = np.full(len(partners), divisor)
                edges = edges_of(rows, divisors, self._config.threshold, reasons)
                yield from self._told(edges, partners, [page] * len(edges.runs), hot.group)


def _counted(page: _Page, group: Iterator[Pair]) -> Iterator[bytes]:
    """The other stripes of a page, which then knows how many they are."""
    for _, value in group:
        page.blocks += 1
        yield value


def _stripe(value: bytes) -> Stripe:
    group, facts, hashes = value.split(MARK)
    return group, facts, hashes


def _unpacked(batch: list[_Page], least: int, table: Values) -> Pairs:
    """The pairs of the pages; their groups are the numbers of the stripes.

    Pairs of partners that are in fewer than `least` stripes of a page may be left out.
    """
    # one split of all spares a list for each stripe
    parts = MARK.join(chain.from_iterable(page.stripes for page in batch)).split(MARK)
    found = Partners(parts[1::3], parts[2::3], table)
    del parts
    page_of = np.repeat(np.arange(len(batch)), [len(page.stripes) for page in batch])
    stripe_of = np.repeat(np.arange(len(page_of), dtype=np.int32), found.sizes)
    places = np.arange(len(stripe_of))
    if least > 1:  # with T = 4 this leaves so few that S is worked out for these alone
        places = often_together(page_of[stripe_of], found.hashes, least)
    stripes = stripe_of[places]
    values = found.values(stripes, places)
    stripes, places, values = (array[values != 0] for array in (stripes, places, values))
    return sort_pairs(page_of[stripes], found.hashes[places], stripes, values)


def _grouped(pairs: Pairs, stripes: list[bytes]) -> tuple[Pairs, Numbers, list[bytes]]:
    """The pairs with their groups, the domain of each group, and the texts of the groups.

    Groups are numbered in the order of their bytes, which is the order of a page's stripes.
    """
    used = np.unique(pairs.groups)
    texts = [stripes[k].partition(MARK)[0] for k in used.tolist()]
    names = sorted(set(texts))
    numbers = {name: number for number, name in enumerate(names)}
    groups = np.array([numbers[text] for text in texts], dtype=np.int64)
    known: dict[bytes, int] = {}
    domains = [known.setdefault(domain_of(name), len(known)) for name in names]
    groups = groups[np.searchsorted(used, pairs.groups)]
    return pairs._replace(groups=groups), np.array(domains, dtype=np.int64), names


def _chosen(pairs: Pairs, runs: NDArray[np.bool_]) -> Pairs:
    """The pairs of the runs that are wanted."""
    if runs.all():
        return pairs
    kept = np.repeat(runs, np.diff(np.append(pairs.starts, len(pairs.values))))
    return pairs_where(pairs, kept)
