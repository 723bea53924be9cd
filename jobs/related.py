#!/usr/bin/env python3
"""Which pages are related to which -> the best M of each page.

    input    edges, which the stage of the pairs made
    map      nothing
    reduce   by page: its URL and its best kin, which the order of the values brings first
    output   NUMBER TAB URL kin kin ...

Records are described in docs/formats.md. Rests on [BLOCK], Mapper2 and Reducer2 of Figure 5.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.related import RELATED
from pagekin.stages.related.best_kin import select_best


class Related(PagekinJob):
    STAGE = RELATED

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from pairs

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        return select_best(pairs, self.config.cocitation.kin, self.counters_)


if __name__ == "__main__":
    Related.run()
