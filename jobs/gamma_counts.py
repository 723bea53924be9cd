#!/usr/bin/env python3
"""Labelled pages -> concordant, discordant and tied pairs of each source page.

    input    manifests: lines of page numbers, the sources
    map      compare each source with all labelled pages
    reduce   nothing but the order of the pages
    output   PAGE TAB counts

All labelled pages with their bags travel to every task as one file. Records are described in
docs/formats.md. Rests on [SIM] section 2.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pagekin.engine.job import PagekinJob
from pagekin.evaluate.gamma import tally_records, tally_sources
from pagekin.evaluate.similarities import Material, make_representation
from pagekin.kinds import Pair


class GammaCounts(PagekinJob):
    LINES_ARE_WORK = True

    def configure_args(self) -> None:
        super().configure_args()
        self.add_file_arg("--labelled", help="the file of labelled pages")
        self.add_passthru_arg("--by", default="bags", help="the representation (default: bags)")

    def make_runner(self) -> Any:
        if not self.options.labelled:
            self.arg_parser.error("--labelled is needed: pagekin evaluate gamma -r makes the file")
        return super().make_runner()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        material = Material.read(Path(self.options.labelled))
        representation = make_representation(self.options.by, material)
        for line, _ in pairs:
            sources = [int(number) for number in line.split()]
            self.counters_.add("gamma", "sources", len(sources))
            tally = tally_sources(material.pages, representation, sources)
            yield from tally_records(tally, sources)
            self.progress.add(records=len(sources))

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from pairs


if __name__ == "__main__":
    GammaCounts.run()
