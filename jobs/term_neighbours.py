#!/usr/bin/env python3
"""Final bags -> neighbours of terms: which terms stand in the same bags.

    input    what weighted_bags made
    map      bags of a sample, drawn by their URLs; the heaviest terms of each
    reduce   all of them: terms that stand together more often than chance would have it
    output   TERM TAB df words neighbours-and-shares

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.bags.bag import Dictionary
from pagekin.bags.weigh import Frequencies
from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.term_neighbours import TERM_NEIGHBOURS
from pagekin.stages.term_neighbours.learning import learn, sample_bags


class TermNeighbours(PagekinJob):
    STAGE = TERM_NEIGHBOURS

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        bags = Frequencies(self.tables()["frequencies"]).bags
        yield from sample_bags(pairs, bags, self.config.enrich, self.counters_)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        words = Dictionary(self.tables()["dictionary"])
        yield from learn(pairs, words, self.config.enrich, self.counters_)


if __name__ == "__main__":
    TermNeighbours.run()
