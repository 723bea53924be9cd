#!/usr/bin/env python3
"""Links of pages -> a graph of pages, and one of their hosts.

    input    links, which the reading made
    map      each link to both of its ends, if it leads to another site, or all count
    reduce   by node: its name, where it links to, and who links to it
    output   !graph/NODE TAB the node, and its links

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.extractor import make_ready
from pagekin.stages.link_graph import LINK_GRAPH
from pagekin.stages.link_graph.nodes import join_ends, send_ends


class LinkGraph(PagekinJob):
    STAGE = LINK_GRAPH

    def make_ready(self) -> None:
        make_ready()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_ends(pairs, self.config.authority)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from join_ends(pairs, self.counters_)


if __name__ == "__main__":
    LinkGraph.run()
