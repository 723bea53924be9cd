#!/usr/bin/env python3
"""Final bags -> the heaviest terms of each page that was read.

    input    final bags, which weighted_bags made
    map      cut to few terms, weights of one byte
    output   !heads/URL TAB terms and weights

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.page_heads import PAGE_HEADS
from pagekin.stages.page_heads.heads import head_records


class PageHeads(PagekinJob):
    STAGE = PAGE_HEADS

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from head_records(pairs, self.config.enrich.links_terms)


if __name__ == "__main__":
    PageHeads.run()
