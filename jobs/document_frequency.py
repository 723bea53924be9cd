#!/usr/bin/env python3
"""Raw bags -> document frequencies: in how many bags each term stands, and how it is written.

    input    raw bags and words, which the reading made
    map      count the terms of many bags at once; pass the words on
    reduce   by bucket of term hashes: add up; the most frequent form of each term
    output   bucket TAB df terms-and-counts   and   bucket TAB words form count term | ...

Records are described in docs/formats.md. Rests on [SIM] section 5.2 and Figure 14.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.document_frequency import DOCUMENT_FREQUENCY
from pagekin.stages.document_frequency.counting import count_terms, reduce_buckets


class DocumentFrequency(PagekinJob):
    STAGE = DOCUMENT_FREQUENCY

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from count_terms(pairs, self.counters_)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from reduce_buckets(pairs, self.counters_)


if __name__ == "__main__":
    DocumentFrequency.run()
