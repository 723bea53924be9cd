#!/usr/bin/env python3
"""Snapshot -> which URL stands for which: redirects, canonical URLs, and repeated captures.

    input    manifests: a WARC address a line
    map      headers only (with --reading-follow-canonical also the pages): captures and redirects
    reduce   by the plain spelling of the URL (with --reading-join-spellings false by the URL): the
             latest capture is read; a redirect counts where nothing was captured
    output   captures: KEY TAB alias TARGET   or   KEY TAB over CAPTURE (one to pass over)
             or   KEY TAB spelt URL (all spellings stand for this one)
             where bags depend on it also KEY TAB captured URL, of all that may be pages
             !cuts/ADDRESS TAB the places where a large file can be cut for the reading
             sample: !sample/NUMBER TAB what one page in N (--sample N) tells of the snapshot
             stop_words: !stops/LANGUAGE TAB words on most pages of a language without a stop list

With --outputs sample only the first --heads BYTES of each file are read. Records are described in
docs/formats.md.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from pagekin.engine.job import PagekinJob
from pagekin.kinds import CUTS, SAMPLE, STOP_WORDS, Pair
from pagekin.stages.inventory import INVENTORY
from pagekin.stages.inventory.captures import settle
from pagekin.stages.inventory.sample import Sampler
from pagekin.stages.inventory.stop_lists import StopWordSampler, derive_stop_words
from pagekin.stages.inventory.survey import Surveyor


class Inventory(PagekinJob):
    STAGE = INVENTORY

    def configure_args(self) -> None:
        super().configure_args()
        add = self.add_passthru_arg
        add("--sample", type=int, default=32, help="one page in N is read (default: %(default)s)")
        add("--heads", type=int, default=0, help="bytes of each file to read for it (default: all)")

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        sampler = Sampler(self.options.sample)
        wanted = {output.name for output in self.outputs}
        stop_words = StopWordSampler(self.config.reading) if "stop_words" in wanted else None
        surveyor = Surveyor(
            self.config,
            self.counters_,
            captures="captures" in wanted,
            sample=sampler if "sample" in wanted else None,
            stop_words=stop_words,
            heads=self.options.heads,
        )
        for address, _ in self.files_to_read(pairs):
            yield from surveyor.survey(address, self.progress.reporter())
        if stop_words:
            yield from stop_words.records()

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        join, named = self.config.reading.join_spellings, self.config.bag.asks_what_was_read
        for key, group in groupby(pairs, key=itemgetter(0)):
            if CUTS.holds(key) or SAMPLE.holds(key):
                yield from group
            elif STOP_WORDS.holds(key):
                yield from derive_stop_words(key, (value for _, value in group), self.counters_)
            else:
                values = (value for _, value in group)
                yield from settle(key, values, self.counters_, join=join, tell_captured=named)


if __name__ == "__main__":
    Inventory.run()
