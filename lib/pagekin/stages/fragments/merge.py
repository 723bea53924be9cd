"""Fragments of one URL become its raw bag: the reducer of the bags [SIM 6.1].

Values arrive sorted: the page's own fragment first, then the links that mappers have folded, then
the others grouped by the citing host. So hosts are counted without a set, but where links were
folded, and everything here is a function of the set of links, whatever the tasks: weights are
summed as whole numbers, in which no order of addition matters.

Most URLs have one record, so that all is done for many at once (`columns.py`). A URL with
very many links is folded in pieces, so that it costs no more memory than others but for 12 bytes a
distinct term. Of a URL with more than `max_terms` of them the lightest go (of equal ones the larger
hashes), once all are summed.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import numpy as np

from pagekin.bags.bag import Weights, bag_value, is_bag
from pagekin.bags.vocabulary import merge_among
from pagekin.config import BagConfig, BuildConfig, WindowConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.fragments.columns import bag_values, read_columns
from pagekin.stages.fragments.gathering import Batch, Column, Columns, Totals
from pagekin.stages.fragments.parcel_reader import Opener
from pagekin.stages.fragments.term_positions import SCALE, Sums, place_weights
from pagekin.stages.fragments.values import OF_PAGE, host_id
from pagekin.text.words import Terms

__all__ = ["BagMerger", "merge_fragments"]

_BATCH_TEXT = 1 << 20  # bytes of values summed at once: 200,000 numbers, a cache's worth
_FOLD_TEXT = 4 << 20  # of one URL: 800,000 numbers, about 60 MB at work
_BATCH_URLS = 0xFFF0  # a URL's number in a batch takes 16 bits


def merge_fragments(
    pairs: Iterable[Pair], config: BuildConfig, counters: Counters, packing: str | None = None
) -> Iterator[Pair]:
    """Raw bags and words from what map tasks have sent, sorted; blocks of links pass unchanged."""
    opener = Opener(packing)
    merger = BagMerger(config.bag, config.window, counters)
    for bags, run in groupby(pairs, key=is_bag):
        yield from merger.merge(opener.open(run)) if bags else merge_among(run)  # noqa: B031


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
        sizes = np.diff(columns.bounds)
        apart = {*np.flatnonzero(sizes > self._max_terms).tolist(), *batch.totals}
        heavy = {number: self._heaviest(batch, columns, number) for number in sorted(apart)}
        for number, (terms, _) in heavy.items():
            sizes[number] = len(terms)
        self._count(batch, columns, sizes)
        values = bag_values(columns, _as_weights(columns.sums))
        for number, (terms, weights) in heavy.items():
            crawled, links, pages, hosts = (int(column[number]) for column in columns.counts())
            packed = terms.tobytes(), weights.tobytes()
            values[number] = bag_value(crawled == 1, links, pages, hosts, *packed)
        yield from zip(batch.keys, values, strict=True)

    def _heaviest(self, batch: Batch, columns: Columns, number: int) -> tuple[Terms, Weights]:
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
        return terms, _as_weights(sums)

    def _count(self, batch: Batch, columns: Columns, sizes: Column) -> None:
        counts = {"urls": len(batch.keys), "crawled": int(np.count_nonzero(columns.crawled))}
        counts |= {"anchors": int(columns.links.sum()), "terms": int(sizes.sum())}
        counts["empty"] = int(np.count_nonzero(sizes == 0))
        self._counters.merge({"bags": counts})

    def _columns(self, batch: Batch) -> Columns:
        """The values of a batch, taken together."""
        taken = bytearray(len(batch.keys))
        for number, totals in batch.totals.items():
            taken[number] = totals.crawled
        own_hosts = None
        if self._weigh_within:
            own_hosts = b"".join([host_id(key.decode()) for key in batch.keys])
        read = read_columns(batch.values, batch.starts, self._weights, bytes(taken), own_hosts)
        for place in read.folded:
            number = bisect_right(batch.starts, place) - 1
            batch.totals_of(number).take_folded(batch.values[place])
        self._counters.add("bags", "other_content_dropped", read.dropped)
        return read.columns


def _as_weights(sums: Sums) -> Weights:
    return (sums / SCALE).astype("<f4")
