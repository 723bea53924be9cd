#!/usr/bin/env python3
"""Final bags -> enriched bags: with what their own words leave unsaid.

    input    what weighted_bags made
    map      each part that is wanted is made for many bags at once, and added to them
    output   !enriched/URL TAB the source of each term, and the bag

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.bags.bag import SOURCES, read_bags
from pagekin.bags.weigh import BATCH
from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.enriched_bags import ENRICHED_STAGE
from pagekin.stages.enriched_bags.parts import Enricher


class EnrichedBags(PagekinJob):
    STAGE = ENRICHED_STAGE

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        enricher = Enricher(self.config.enrich, self.tables())
        for plain in read_bags(pairs, BATCH):
            made = enricher.enrich(plain)
            self.counters_.add("enriched_bags", "bags", len(plain))
            for number, source in enumerate(SOURCES):
                self.counters_.add("enriched_bags", source, int((made.sources == number).sum()))
            yield from made.records()


if __name__ == "__main__":
    EnrichedBags.run()
