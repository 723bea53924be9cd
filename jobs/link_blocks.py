#!/usr/bin/env python3
"""Snapshot -> blocks of links: which links stand together on each page.

    input    manifests: a WARC address a line
    map      one parse a page: segmentation, filters, and what redirected links lead to
    output   URL TAB the page's blocks

Records are described in docs/formats.md. Rests on [BLOCK], "Page segmentation" and the filters.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path

from pagekin.pipeline.job import PagekinJob, Pair


class LinkBlocks(PagekinJob):
    SECTIONS = ("reading", "blocks")
    REDUCES = False

    def configure_args(self) -> None:
        super().configure_args()
        self.add_file_arg("--resolution", help="the table that the inventory stage made")

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        from pagekin.cocitation.gathering import BlockGatherer
        from pagekin.web.reader import SnapshotReader
        from pagekin.web.resolution import Resolution

        path = self.options.resolution
        resolution = Resolution(Path(path)) if path else None
        reader = SnapshotReader(self.config.reading, self.counters_, resolution, as_trees=True)
        gatherer = BlockGatherer(self.config, self.counters_, resolution)
        for address, _ in pairs:
            for page in reader.pages(address.decode(), self.progress.reporter()):
                record = gatherer.record(page)
                if record:
                    yield record
            self.progress.add(files=1)


if __name__ == "__main__":
    LinkBlocks.run()
