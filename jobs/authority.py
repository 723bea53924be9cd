#!/usr/bin/env python3
"""The graph of pages and hosts -> PageRank, hubs and authorities: one round, or all in memory.

    input    the graph, which link_graph made; from the second round on what the one before made
    map      the scores of each node along its links
    reduce   by node: the next scores, of what it receives
    output   !ranks/NODE TAB the node, and its links

A graph of at most --authority-memory-links links goes to one reducer, which needs no other round.
Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.authority import AUTHORITY
from pagekin.stages.authority.rounds import add_up, rank_whole, send_scores, send_whole


class Authority(PagekinJob):
    STAGE = AUTHORITY

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_whole(pairs) if self._in_memory else send_scores(pairs)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        config = self.config.authority
        if self._in_memory:
            yield from rank_whole(pairs, config, self.counters_)
        else:
            yield from add_up(pairs, self.before, config, self.counters_)

    @property
    def _in_memory(self) -> bool:
        return self.config.authority.memory_links > 0


if __name__ == "__main__":
    Authority.run()
