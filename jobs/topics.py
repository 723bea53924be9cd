#!/usr/bin/env python3
"""Final bags -> topics: what the snapshot is about, learned from a sample of bags.

    input    what weighted_bags made
    map      the bags of the most terms
    reduce   spherical k-means over the first of them, several times
    output   SET.NUMBER TAB words, terms and values of a topic

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.bags.bag import Dictionary
from pagekin.bags.weigh import Frequencies
from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.topics import TOPICS_STAGE
from pagekin.stages.topics.learning import choose_sample, learn


class LearnTopics(PagekinJob):
    STAGE = TOPICS_STAGE

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        bags = Frequencies(self.tables()["frequencies"]).bags
        yield from choose_sample(pairs, bags, self.config.enrich, self.counters_)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        words = Dictionary(self.tables()["dictionary"])
        yield from learn(pairs, self.config.enrich, words, self.counters_)


if __name__ == "__main__":
    LearnTopics.run()
