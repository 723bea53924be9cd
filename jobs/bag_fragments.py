#!/usr/bin/env python3
"""Snapshot -> raw bags: what every page says of itself and of the pages that it links to.

    input    manifests: a WARC address a line
    map      one parse a page; its own fragment, and one for each URL that it links to
    reduce   merge by URL, with the numbers of links, linking pages and linking hosts
    output   URL TAB raw bag; !words/xxx TAB the words of the terms whose hash begins with xxx

Records are described in docs/formats.md. Rests on [SIM] sections 3 and 6.1.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from pagekin.pipeline.job import PagekinJob, Pair


class BagFragments(PagekinJob):
    SECTIONS = ("reading", "text", "window", "bag")

    def configure_args(self) -> None:
        super().configure_args()
        self.add_file_arg("--resolution", help="the table that the inventory stage made")

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        # imported here: reducers start three times faster without the parser and the stemmers
        from pagekin.bags.extract import Extractor
        from pagekin.bags.vocabulary import forms_records
        from pagekin.web.reader import SnapshotReader
        from pagekin.web.resolution import Resolution

        path = self.options.resolution
        resolution = Resolution(Path(path)) if path else None
        reader = SnapshotReader(self.config.reading, self.counters_, resolution)
        extractor = Extractor(self.config, self.counters_, resolution)
        for address, _ in pairs:
            for page in reader.pages(address.decode(), self.progress.reporter()):
                yield from extractor.extract(page)
                if extractor.full():
                    yield from forms_records(extractor.take_forms())
            self.progress.add(files=1)
        yield from forms_records(extractor.take_forms())

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        from pagekin.bags.merge import BagMerger
        from pagekin.bags.vocabulary import is_forms, merge_forms

        merger = BagMerger(self.config.bag, self.config.window, self.counters_)
        for words, run in groupby(pairs, key=is_forms):
            if words:
                yield from merge_forms(run)
            else:
                yield from merger.merge(run)


if __name__ == "__main__":
    BagFragments.run()
