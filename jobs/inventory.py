#!/usr/bin/env python3
"""Snapshot -> which URL stands for which: redirects, canonical URLs, and repeated captures.

    input    manifests: a WARC address a line
    map      headers only (with --reading-follow-canonical also the pages): captures and redirects
    reduce   by URL: the latest capture is read; a redirect counts where nothing was captured
    output   URL TAB alias TARGET   or   URL TAB over CAPTURE (one to pass over)
             with --captures also URL TAB captured, of all that may be pages
             with --sample N also !sample/HASH TAB terms and links of one page in N, and with
             --heads BYTES nothing else

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair


class Inventory(PagekinJob):
    SECTIONS = ("reading", "text")
    ASIDE = b"!sample/"
    READS_FILES = True
    MAPS_WITH = ("stages.inventory.survey",)
    REDUCES_WITH = ("stages.inventory.captures",)

    def configure_args(self) -> None:
        super().configure_args()
        add = self.add_passthru_arg
        add("--captures", action="store_true", help="name every URL that was captured, too")
        add(
            "--sample", type=int, default=0, help="read one page in N, to pack bags (default: none)"
        )
        add("--links-only", action="store_true", help="of the sample tell links, and no terms")
        add("--heads", type=int, default=0, help="only that, of so many bytes of each file")

    def loads(self) -> tuple[str, ...]:
        if not (self.options.run_mapper and self.options.sample):
            return super().loads()
        words = () if self.options.links_only else ("text.words:load_stemmers",)
        return (*super().loads(), "stages.inventory.sampler", *words)

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        # imported here: reducers start faster without the parser
        from pagekin.stages.inventory.survey import Surveyor

        asked, sample = self.options, None
        if asked.sample:
            from pagekin.stages.inventory.sampler import Sampler

            sample = Sampler(self.config.text, asked.sample, words=not asked.links_only)
        wanted = {"tell_others": asked.captures, "sample": sample, "heads": asked.heads}
        surveyor = Surveyor(self.config.reading, self.counters_, **wanted)
        for address, _ in pairs:
            yield from surveyor.survey(address.decode(), self.progress.reporter())
            self.progress.add(files=1)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        from pagekin.stages.inventory.captures import settle

        wanted = self.options.captures
        for url, group in groupby(pairs, key=itemgetter(0)):
            if url.startswith(b"!"):
                yield from group  # of the sample
                continue
            values = (value for _, value in group)
            yield from settle(url, values, self.counters_, tell_captured=wanted)


if __name__ == "__main__":
    Inventory.run()
