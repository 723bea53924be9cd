"""Fragments of one URL become its raw bag: the reducer of the bags [SIM 6.1].

Values arrive sorted: the page's own fragment first, then the links that mappers have folded, then
the others grouped by the citing host. So hosts are counted without a set, but where links were
folded, and everything here is a function of the set of links, whatever the tasks: weights are
summed as whole numbers, in which no order of addition matters.

Most URLs have one record, so that all is done for many at once, in columns: what a value begins
with, whose it is, and one sort of packed (URL, term, place) numbers. A URL with very many links is
folded in pieces, so that it costs no more memory than others but for 12 bytes a distinct term. Of a
URL with more than `max_terms` of them the lightest go (of equal ones the larger hashes), once all
are summed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Weights, bag_value
from pagekin.bags.fragments import KIND_SHIFT, LINK, WIDTH, decode
from pagekin.bags.gathering import Batch, Column, Columns, Totals
from pagekin.bags.places import SCALE, Sums, place_weights, sum_terms
from pagekin.bags.values import (
    FIRST,
    FLAG,
    HOST,
    LINK_TEXT,
    OF_FOLDED,
    OF_LINKS,
    OF_PAGE,
    OWN_TEXT,
    host_id,
)
from pagekin.config import BagConfig, WindowConfig
from pagekin.counters import Counters

__all__ = ["BagMerger"]

_BATCH_TEXT = 1 << 20  # bytes of values summed at once: 200,000 numbers, a cache's worth
_FOLD_TEXT = 4 << 20  # of one URL: 800,000 numbers, about 60 MB at work
_BATCH_URLS = 0xFFF0  # a URL's number in a batch takes 16 bits

Pair = tuple[bytes, bytes]


class BagMerger:
    """Turns sorted (URL, fragment) pairs into (URL, raw bag) pairs."""

    def __init__(self, bag: BagConfig, window: WindowConfig, counters: Counters) -> None:
        self._weights = place_weights(bag, window)
        self._weigh_within = bag.same_host == "weigh"
        self._max_terms = bag.max_terms
        self._crawled_only = bag.urls == "crawled"
        self._counters = counters

    def merge(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The raw bags, in the order of the URLs."""
        batch, last = Batch(), b""
        keys, starts, values = batch.keys, batch.starts, batch.values
        size = own_size = 0  # bytes, of all values and of those of the last URL
        for key, value in self._wanted(pairs):  # once per record, hence its plainness
            if key != last:
                if size > _BATCH_TEXT or batch.totals or len(keys) >= _BATCH_URLS:
                    yield from self._finish(batch)
                    batch, size = Batch(), 0
                    keys, starts, values = batch.keys, batch.starts, batch.values
                keys.append(key)
                starts.append(len(values))
                last, own_size = key, 0
            values.append(value)
            length = len(value)
            size += length
            own_size += length
            if own_size > _FOLD_TEXT:
                self._fold_last(batch)
                size, own_size = size - own_size, 0
        yield from self._finish(batch)

    def _wanted(self, pairs: Iterable[Pair]) -> Iterable[Pair]:
        """The URLs that are to have bags; fragments of the others are passed over unread."""
        return self._of_crawled(pairs) if self._crawled_only else pairs

    def _of_crawled(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        for _, group in groupby(pairs, key=itemgetter(0)):
            first = next(group, None)
            if first and first[1][0] == OF_PAGE:
                yield first
                yield from group  # noqa: B031 - the rest of it
            else:
                self._counters.add("bags", "urls_not_crawled")

    def _fold_last(self, batch: Batch) -> None:
        """Add the values so far of the last URL to its totals, and forget them."""
        start = batch.starts[-1]
        alone = Batch()
        alone.keys, alone.starts, alone.values = batch.keys[-1:], [0], batch.values[start:]
        alone.totals = {0: batch.totals_of(len(batch.keys) - 1)}
        columns = self._columns(alone)
        alone.totals[0].add(columns, 0)
        alone.totals[0].sums.add(columns.terms, columns.sums)
        del batch.values[start:]

    def _finish(self, batch: Batch) -> Iterator[Pair]:
        if not batch.keys:
            return
        columns = self._columns(batch)
        for number, totals in batch.totals.items():
            totals.complete(columns, number)
        low, high = columns.bounds[:-1].tolist(), columns.bounds[1:].tolist()
        terms, weights = columns.terms.tobytes(), _as_weights(columns.sums).tobytes()
        too_many = np.flatnonzero(np.diff(columns.bounds) > self._max_terms).tolist()
        apart = {*too_many, *batch.totals}
        heavy = {number: self._heaviest(batch, columns, number) for number in sorted(apart)}
        sizes = np.diff(columns.bounds)
        for number, (own_terms, _) in heavy.items():
            sizes[number] = len(own_terms) // 4
        self._count(batch, columns, sizes)
        rows = zip(
            batch.keys,
            columns.crawled.tolist(),
            columns.links.tolist(),
            columns.pages.tolist(),
            columns.hosts.tolist(),
            low,
            high,
            strict=True,
        )
        for number, (key, crawled, links, pages, hosts, a, b) in enumerate(rows):
            packed = heavy.get(number) or (terms[4 * a : 4 * b], weights[4 * a : 4 * b])
            yield key, bag_value(crawled, links, pages, hosts, *packed)

    def _heaviest(self, batch: Batch, columns: Columns, number: int) -> tuple[bytes, bytes]:
        """As many terms of a URL as a bag may have, with their weights."""
        low, high = columns.bounds[number : number + 2].tolist()
        totals = batch.totals.get(number) or Totals()
        totals.sums.add(columns.terms[low:high], columns.sums[low:high])
        terms, sums = totals.sums.total()
        over = len(terms) - self._max_terms
        if over > 0:
            self._counters.add("bags", "terms_over_limit", over)
            heaviest = np.sort(np.lexsort((terms, -sums))[: self._max_terms])
            terms, sums = terms[heaviest], sums[heaviest]
        return terms.tobytes(), _as_weights(sums).tobytes()

    def _count(self, batch: Batch, columns: Columns, sizes: Column) -> None:
        counts = {"urls": len(batch.keys), "crawled": int(np.count_nonzero(columns.crawled))}
        counts |= {"anchors": int(columns.links.sum()), "terms": int(sizes.sum())}
        counts["empty"] = int(np.count_nonzero(sizes == 0))
        self._counters.merge({"bags": counts})

    def _columns(self, batch: Batch) -> Columns:
        """The values of a batch, taken together."""
        values = batch.values
        heads = np.frombuffer(b"".join([value[:LINK_TEXT] for value in values]), np.uint8)
        heads = heads.reshape(-1, LINK_TEXT)
        counts = np.diff([*batch.starts, len(values)])
        url_of = np.repeat(np.arange(len(counts)), counts)
        kinds = heads[:, 0]
        for place in np.flatnonzero(kinds == OF_FOLDED).tolist():
            batch.totals_of(int(url_of[place])).take_folded(values[place])
        links, pages = kinds == OF_LINKS, kinds == OF_PAGE
        hosts = np.ascontiguousarray(heads[:, HOST]).view("<u8").ravel()
        own = self._own_texts(batch, pages, url_of)
        texts = [
            value[LINK_TEXT:] if link else value[OWN_TEXT:] if mine else b""
            for value, link, mine in zip(values, links.tolist(), own.tolist(), strict=True)
        ]
        sizes = np.fromiter(map(len, texts), np.int64, len(texts)) // WIDTH
        within = self._within(batch, hosts, links, url_of, sizes)
        number_of = np.repeat(url_of.astype(np.uint64), sizes)
        numbers = decode(b"".join(texts))
        urls, terms, sums = sum_terms(numbers, number_of, self._weights, within)
        marks = np.flatnonzero(numbers >> np.uint64(KIND_SHIFT))
        of_links = marks[numbers[marks] >> np.uint64(KIND_SHIFT) == LINK]
        first = links & (heads[:, FLAG] == FIRST)
        new_host = links.copy()
        new_host[1:] &= ~links[:-1] | (hosts[1:] != hosts[:-1]) | (url_of[1:] != url_of[:-1])
        return Columns(
            crawled=np.bincount(url_of[own], minlength=len(counts)),
            links=np.bincount(number_of[of_links].astype(np.int64), minlength=len(counts)),
            pages=np.bincount(url_of[first], minlength=len(counts)),
            hosts=np.bincount(url_of[new_host], minlength=len(counts)),
            host_of=hosts[new_host],
            host_url=url_of[new_host],
            bounds=np.searchsorted(urls, np.arange(len(counts) + 1, dtype=np.uint64)),
            terms=terms,
            sums=sums,
        )

    def _own_texts(
        self, batch: Batch, pages: NDArray[np.bool_], url_of: Column
    ) -> NDArray[np.bool_]:
        """Which values are the content of their URL: of several pages' the first."""
        own = pages.copy()
        own[1:] &= ~(pages[:-1] & (url_of[1:] == url_of[:-1]))
        for number, totals in batch.totals.items():
            if totals.crawled:
                own[url_of == number] = False
        dropped = np.count_nonzero(pages) - np.count_nonzero(own)
        self._counters.add("bags", "other_content_dropped", int(dropped))
        return own

    def _within(
        self,
        batch: Batch,
        hosts: NDArray[np.uint64],
        links: NDArray[np.bool_],
        url_of: Column,
        sizes: Column,
    ) -> NDArray[np.bool_] | None:
        """For each number: does it come of a link within its host? Where that is asked."""
        if not self._weigh_within:
            return None
        own = np.frombuffer(b"".join([host_id(key.decode()) for key in batch.keys]), "<u8")
        return np.repeat(links & (hosts == own[url_of]), sizes)


def _as_weights(sums: Sums) -> Weights:
    return (sums / SCALE).astype("<f4")
