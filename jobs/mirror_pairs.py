#!/usr/bin/env python3
"""Sketches of pages -> pairs of pages that may be mirrors, and exact copies.

    input    sketches, which the reading made
    map      the keys of each sketch, and its digest
    reduce   by key: pages that share it are paired; by digest: copies with the least of their URLs
    output   !copies/DIGEST TAB URL URL; !pairs/KEY TAB URL URL

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.mirror_pairs import MIRROR_PAIRS_OF_PAGES
from pagekin.stages.mirror_pairs.pairing import pair_up, send_keys


class MirrorPairs(PagekinJob):
    STAGE = MIRROR_PAIRS_OF_PAGES

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_keys(pairs, self.config.mirrors, self.counters_)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from pair_up(pairs, self.config.mirrors, self.counters_)


if __name__ == "__main__":
    MirrorPairs.run()
