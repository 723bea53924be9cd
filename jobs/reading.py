#!/usr/bin/env python3
"""Snapshot -> what is made of its pages, each of which is parsed once: raw bags, blocks of links.

    input    manifests: a WARC address a line
             or ADDRESS TAB START-END, of a file that is cut: the records that begin in this range
    map      one reading a page, which is given to the extractor of each output that is wanted
    reduce   each output merges its own records, or keeps them as they are

    fragments    map: a parcel for each range of URLs that the page says something about
                 reduce: open parcels, merge by URL, with the numbers of links, pages and hosts
                 output: URL TAB raw bag; !words/xxx TAB the words of terms whose hash begins so
    blocks       map: segmentation, filters, and what redirected links lead to
                 output: !blocks/URL TAB the page's blocks

    links        map: where the links of a page lead, and which stand side by side
                 output: !links/URL TAB URLs and pairs of them

    shingles     map: the sketch of a page, to its host
                 reduce: what the pages of a host repeat is left out
                 output: !shingles/HOST TAB path and sketch

--outputs names those that are wanted. Records are described in docs/formats.md. Rests on [SIM]
sections 3 and 6.1, and on [BLOCK], "Page segmentation" and the filters.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.extractor import ReadingTask, extract, make_ready, merge_outputs
from pagekin.stages.reading import READING


class Reading(PagekinJob):
    STAGE = READING

    def make_ready(self) -> None:
        make_ready()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        files = self.files_to_read(pairs)
        yield from extract(self.outputs, self._task(), files, self.progress.reporter)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from merge_outputs(self.outputs, self._task(), pairs)

    def _task(self) -> ReadingTask:
        return ReadingTask(self.config, self.counters_, self.tables())


if __name__ == "__main__":
    Reading.run()
