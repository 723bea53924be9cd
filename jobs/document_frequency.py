#!/usr/bin/env python3
"""Raw bags -> document frequencies: in how many bags each term stands, and how it is written.

    input    what bag_fragments made
    map      count the terms of many bags at once; pass the words on
    reduce   by bucket of term hashes: add up; the most frequent form of each term
    output   bucket TAB df terms-and-counts   and   bucket TAB words form count term | ...

Records are described in docs/formats.md. Rests on [SIM] section 5.2 and Figure 14.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.document_frequency.counting import TermCounter, reduce_buckets
from pagekin.stages.word_buckets import add_digits


class DocumentFrequency(PagekinJob):
    def configure_args(self) -> None:
        super().configure_args()
        add_digits(self.add_passthru_arg)

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from TermCounter(self.counters_, self.options.word_digits).count(pairs)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from reduce_buckets(pairs, self.counters_)


if __name__ == "__main__":
    DocumentFrequency.run()
