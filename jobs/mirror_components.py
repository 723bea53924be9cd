#!/usr/bin/env python3
"""Edges between mirrors -> the component of each page, in rounds.

    input    mirror edges, which mirror_edges made; later what the round before made
    map      each edge to both of its ends (large-star), or to its larger one (small-star)
    reduce   by page: the neighbours are told the least page that it knows of
    output   !components/PAGE TAB a greater page; in the end PAGE is the least of all that are
             connected

A round that reads few enough edges connects them in one task. Records are described in
docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.mirror_components import MIRROR_COMPONENTS
from pagekin.stages.mirror_components.steps import make_stars, send_edges


class MirrorComponents(PagekinJob):
    STAGE = MIRROR_COMPONENTS

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_edges(pairs, self.before, self.records_read)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from make_stars(pairs, self.before, self.records_read, self.counters_)


if __name__ == "__main__":
    MirrorComponents.run()
