#!/usr/bin/env python3
"""Raw bags x document frequencies -> final bags: weighted, cut to the heaviest terms, normalised.

    input    what bag_fragments made
    map      tf scaling, df factor, cut, sum 1
    output   URL TAB bag

Records are described in docs/formats.md. Rests on [SIM] sections 3.3 and 5.2.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pagekin.bags.bag import is_bag
from pagekin.bags.batch import batch_records, read_batches
from pagekin.bags.frequencies import Frequencies
from pagekin.bags.weigh import BATCH, weigh_batch
from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair


class WeightedBags(PagekinJob):
    SECTIONS = ("weight",)
    REDUCES = False
    PASSES_OVER = b"!"

    def configure_args(self) -> None:
        super().configure_args()
        self.add_file_arg("--frequencies", help="the table that document_frequency made")

    def make_runner(self) -> Any:
        if not self.options.frequencies:
            self.arg_parser.error("--frequencies is needed: document_frequency makes the table")
        return super().make_runner()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        frequencies = Frequencies(Path(self.options.frequencies))
        for raw in read_batches(filter(is_bag, pairs), BATCH):
            final = weigh_batch(raw, frequencies, self.config.weight)
            self.counters_.add("final_bags", "bags", len(final.urls))
            self.counters_.add("final_bags", "terms", len(final.terms))
            yield from batch_records(final)


if __name__ == "__main__":
    WeightedBags.run()
