#!/usr/bin/env python3
"""Heads and links of pages -> the heaviest terms of each page, and who is to hear of them.

    input    heads, which page_heads made, and links, which the reading made
    map      each head to its URL, each link to the page and to its target
    reduce   by URL: a head meets the pages that link to it, that it links to, and those beside it
    output   !joined/URL TAB head and URLs

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.joined_heads import JOINED_HEADS_OF_PAGES
from pagekin.stages.joined_heads.join import join_heads, send_links


class JoinedHeads(PagekinJob):
    STAGE = JOINED_HEADS_OF_PAGES

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_links(pairs)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from join_heads(pairs, self.counters_)


if __name__ == "__main__":
    JoinedHeads.run()
