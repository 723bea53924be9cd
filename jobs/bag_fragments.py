#!/usr/bin/env python3
"""Snapshot -> raw bags: what every page says of itself and of the pages that it links to.

    input    manifests: a WARC address a line
    map      one reading a page; a parcel for each host that it says something about, or part of a
             large host; links to a URL that very many links of the task point to are summed
    reduce   open parcels, merge by URL, with the numbers of links, linking pages and linking hosts
    output   URL TAB raw bag; !words/xxx TAB the words of the terms whose hash begins so

With --with-blocks the same reading gives the page's blocks of links too, as link_blocks makes them:

    output   also !blocks/URL TAB the page's blocks

Records are described in docs/formats.md. Rests on [SIM] sections 3 and 6.1.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.snapshot_job import SnapshotJob
from pagekin.kinds import Pair
from pagekin.stages.word_buckets import add_digits


class BagFragments(SnapshotJob):
    SECTIONS = ("reading", "text", "window", "bag", "blocks")
    MAPS_WITH = (
        "web.reader",
        "stages.fragments.extractor",
        "text.words:load_stemmers",
    )
    PAIRS_WITH = ("text.tokens:load_dictionary",)
    BLOCKS_WITH = ("stages.blocks.extractor", "web.urls:make_suffix_list", *PAIRS_WITH)
    OPTIONS_WITH = (("--with-blocks", BLOCKS_WITH),)
    REDUCES_WITH = ("stages.fragments.merge",)
    HELD = 24 << 20  # less than the words of a task take
    WORTH = (b"!blocks/", 0.2), (b"!words/", 0.6)  # ms a MB: 0.5 to 1.4, 5 to 8; parcels 7 to 16

    def configure_args(self) -> None:
        super().configure_args()
        about = "how parcels are packed, as the inventory found (default: hosts are not cut)"
        self.add_file_arg("--packing", help=about)
        about = "make blocks of links in the same pass"
        self.add_passthru_arg("--with-blocks", action="store_true", help=about)
        add_digits(self.add_passthru_arg)

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        # imported here: reducers start three times faster without the parser and the stemmers
        from pagekin.stages.fragments.extractor import FragmentExtractor

        resolution, gatherer = self.resolution(), None
        made_with = self.config, self.counters_, resolution
        digits = self.options.word_digits
        extractor = FragmentExtractor(*made_with, self.options.packing, word_digits=digits)
        if self.options.with_blocks:
            from pagekin.blocks.page_blocks import blocks_view
            from pagekin.stages.blocks.extractor import BlockExtractor

            gatherer = BlockExtractor(*made_with)
        view = blocks_view(self.config.blocks, extractor.view) if gatherer else extractor.view
        for page in self.pages(pairs, view, resolution):
            yield from extractor.records(page)
            if gatherer:
                yield from gatherer.records(page)
        yield from extractor.finish()

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        from pagekin.stages.fragments.merge import merge_fragments

        yield from merge_fragments(pairs, self.config, self.counters_, self.options.packing)


if __name__ == "__main__":
    BagFragments.run()
