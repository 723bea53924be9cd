#!/usr/bin/env python3
"""Raw bags x document frequencies -> final bags: weighted, cut to the heaviest terms, normalised.

    input    raw bags, which the reading made
    map      tf scaling, df factor, cut, sum 1
    output   URL TAB bag

Records are described in docs/formats.md. Rests on [SIM] sections 3.3 and 5.2.
"""

from collections.abc import Iterable, Iterator

from pagekin.bags.bag import read_bags
from pagekin.bags.weigh import BATCH, Frequencies, weigh_batch
from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.weighted_bags import WEIGHTED_BAGS


class WeightedBags(PagekinJob):
    STAGE = WEIGHTED_BAGS

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        frequencies = Frequencies(self.tables()["frequencies"])
        for raw in read_bags(pairs, BATCH):
            final = weigh_batch(raw, frequencies, self.config.weight)
            self.counters_.add("final_bags", "bags", len(final))
            self.counters_.add("final_bags", "terms", len(final.terms))
            yield from final.records()


if __name__ == "__main__":
    WeightedBags.run()
