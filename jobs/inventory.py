#!/usr/bin/env python3
"""Snapshot -> which URL stands for which: redirects, canonical URLs, and repeated captures.

    input    manifests: a WARC address a line
    map      headers only (with --reading-follow-canonical also the pages): captures and redirects
    reduce   by URL: the latest capture is read; a redirect counts where nothing was captured
    output   URL TAB alias TARGET   or   URL TAB over CAPTURE (one to pass over)
             with --captures also URL TAB captured, of all that may be pages

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from pagekin.pipeline.job import PagekinJob, Pair


class Inventory(PagekinJob):
    SECTIONS = ("reading",)
    READS_FILES = True
    MAPS_WITH = ("web.inventory",)
    REDUCES_WITH = ("web.captures",)

    def configure_args(self) -> None:
        super().configure_args()
        self.add_passthru_arg(
            "--captures", action="store_true", help="name every URL that was captured, too"
        )

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        # imported here: reducers start faster without the parser
        from pagekin.web.inventory import Surveyor

        told = self.options.captures
        surveyor = Surveyor(self.config.reading, self.counters_, tell_others=told)
        for address, _ in pairs:
            yield from surveyor.survey(address.decode(), self.progress.reporter())
            self.progress.add(files=1)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        from pagekin.web.captures import settle

        wanted = self.options.captures
        for url, group in groupby(pairs, key=itemgetter(0)):
            values = (value for _, value in group)
            yield from settle(url, values, self.counters_, tell_captured=wanted)


if __name__ == "__main__":
    Inventory.run()
