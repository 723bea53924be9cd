#!/usr/bin/env python3
"""A job in rounds: a number for each final bag, which a round halves, until all are 0.

input    final bags; from the second round on what the round before made
map      round 1: the length of each URL, later half of its number
reduce   as mapped
output   !halves/URL TAB number, the sum of all numbers before the round, records read
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import FINAL_BAGS, Kind, Pair
from pagekin.stages.declaration import Output, Rounds, Stage

HALVES = Kind("halves", "!halves/URL", "a number", b"!halves/")
HALVING = Stage(
    "halving",
    "halving:Halving",
    outputs=(Output("halving", "numbers become 0", (HALVES,), sections=("weight.terms",)),),
    reads=(FINAL_BAGS,),
    shuffles=(HALVES,),
    rounds=Rounds(
        most=lambda config: 10,
        counts="numbers",
        is_still=lambda config, number, counted: not counted.get("sum"),
        must_be_still=True,
    ),
)


class Halving(PagekinJob):
    """See above."""

    STAGE = HALVING

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        for key, value in pairs:
            if self.round == 1:
                number, url = len(key), key
            else:
                number, url = int(value.split()[0]) // 2, key.removeprefix(HALVES.prefix)
            self.counters_.add("numbers", "sum", number)
            told = b"%d %d %d" % (number, self.before.get("sum", 0), self.records_read)
            yield HALVES.prefix + url, told

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from pairs


if __name__ == "__main__":
    Halving.run()
