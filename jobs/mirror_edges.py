#!/usr/bin/env python3
"""Sketches that are offered, and copies -> pairs of mirrors, each verified.

    input    sketches with the URLs to compare with, which mirror_offers made, and copies, which
             mirror_pairs made
    map      both sketches of a pair to its lesser URL
    reduce   by URL: its sketch is compared with each of the others
    output   !edges/URL TAB the other URL, resemblance, containment of either

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.mirror_edges import MIRROR_EDGES_OF_PAGES
from pagekin.stages.mirror_edges.verify import send_sides, verify


class MirrorEdges(PagekinJob):
    STAGE = MIRROR_EDGES_OF_PAGES

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_sides(pairs)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from verify(pairs, self.config.mirrors, self.counters_)


if __name__ == "__main__":
    MirrorEdges.run()
