#!/usr/bin/env python3
"""Snapshot -> blocks of links: which links stand together on each page.

    input    manifests: a WARC address a line
    map      one reading a page: segmentation, filters, and what redirected links lead to
    output   !blocks/URL TAB the page's blocks

Where bags are wanted too, bag_fragments makes both in one pass. Records are described in
docs/formats.md. Rests on [BLOCK], "Page segmentation" and the filters.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.snapshot_job import SnapshotJob
from pagekin.kinds import Pair


class LinkBlocks(SnapshotJob):
    SECTIONS = ("reading", "blocks")
    REDUCES = False
    MAPS_WITH = ("web.reader", "stages.blocks.extractor", "web.urls:make_suffix_list")

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        from pagekin.stages.blocks.extractor import BlockExtractor

        resolution = self.resolution()
        extractor = BlockExtractor(self.config, self.counters_, resolution)
        for page in self.pages(pairs, extractor.view, resolution):
            yield from extractor.records(page)


if __name__ == "__main__":
    LinkBlocks.run()
