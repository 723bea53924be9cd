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

from pagekin.bags.bag import bag_record, is_bag, parse_bag
from pagekin.bags.frequencies import Frequencies
from pagekin.bags.weigh import weigh_bags
from pagekin.pipeline.job import PagekinJob, Pair


class WeightedBags(PagekinJob):
    SECTIONS = ("weight",)
    REDUCES = False

    def configure_args(self) -> None:
        super().configure_args()
        self.add_file_arg("--frequencies", help="the table that document_frequency made")

    def make_runner(self) -> Any:
        if not self.options.frequencies:
            self.arg_parser.error("--frequencies is needed: document_frequency makes the table")
        return super().make_runner()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        frequencies = Frequencies(Path(self.options.frequencies))
        raw = (parse_bag(*pair) for pair in pairs if is_bag(pair))
        for bag in weigh_bags(raw, frequencies, self.config.weight):
            self.counters_.add("final_bags", "bags")
            self.counters_.add("final_bags", "terms", len(bag.terms))
            yield bag_record(bag)


if __name__ == "__main__":
    WeightedBags.run()
