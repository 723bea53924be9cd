#!/usr/bin/env python3
"""Blocks of links -> which pages are related to which: pairs of one block, merged over all pages.

    input    blocks, which the reading made; other records are passed over
    map      each link of a block with all its partners and their similarity, Eq. 5 to 8
    reduce   by URL: the total similarity from each partner to it, Eq. 9 to 13; kept from T on
    output   NUMBER TAB edge   and   NUMBER TAB !URL

Records are described in docs/formats.md. Rests on [BLOCK], Mapper1 and Reducer1 of Figure 5.
"""

from collections.abc import Iterable, Iterator
from functools import partial

from pagekin.authority.table import ScoreTable
from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.extractor import make_ready
from pagekin.stages.pairs import PAIRS
from pagekin.stages.pairs.reducer import make_edges
from pagekin.stages.pairs.stripes import make_stripes


class Pairs(PagekinJob):
    STAGE = PAIRS

    def make_ready(self) -> None:
        make_ready()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        config, table = self.config.cocitation, self.tables().get("authority")
        if table is None or config.regulate == "none":
            yield from make_stripes(pairs, config, self.counters_)
        else:
            weight_of = partial(ScoreTable(table).weight, by=config.regulate)
            yield from make_stripes(pairs, config, self.counters_, weight_of)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from make_edges(pairs, self.config.cocitation, self.counters_)


if __name__ == "__main__":
    Pairs.run()
