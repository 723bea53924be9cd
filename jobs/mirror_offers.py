#!/usr/bin/env python3
"""Sketches and pairs of pages -> the sketch of each paired page, and whom it is compared with.

    input    sketches, which the reading made, and pairs, which mirror_pairs made
    map      each sketch to its URL, each pair to both of its URLs
    reduce   by URL: a sketch meets the lesser URLs that it is paired with
    output   !offers/URL TAB sketch and URLs

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.mirror_offers import MIRROR_OFFERS_OF_PAGES
from pagekin.stages.mirror_offers.offers import offer, send_asks


class MirrorOffers(PagekinJob):
    STAGE = MIRROR_OFFERS_OF_PAGES

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_asks(pairs)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from offer(pairs, self.counters_)


if __name__ == "__main__":
    MirrorOffers.run()
