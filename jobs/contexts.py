#!/usr/bin/env python3
"""Heads of pages -> the contexts of URLs: what the pages say that stand around them by links.

    input    joined heads, which joined_heads made
    map      each head to the URLs that are to hear it
    reduce   by URL: the mean of the heads of citing, of cited and of co-cited pages
    output   !contexts/URL TAB terms and weights of each kind

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.contexts import CONTEXTS_OF_URLS
from pagekin.stages.contexts.sums import hear, tell


class Contexts(PagekinJob):
    STAGE = CONTEXTS_OF_URLS

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from tell(pairs, self.config.enrich, self.counters_)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from hear(pairs, self.config.enrich, self.counters_)


if __name__ == "__main__":
    Contexts.run()
