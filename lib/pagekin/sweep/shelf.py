"""Raw bags of one strategy: all are merged and counted, those of labelled pages are kept.

Document frequencies, mu and sigma are over the bags of all URLs seen, as in a build, and what is
kept of the other bags is nothing but that. Strategies that differ only in weights share a shelf.
Merging, counting and weighing are the code of the jobs `bag_fragments`, `document_frequency` and
`weighted_bags`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from pagekin.bags.bag import Bag, parse_bag
from pagekin.bags.frequencies import Frequencies
from pagekin.bags.weigh import weigh_bags
from pagekin.config import BuildConfig, WeightConfig
from pagekin.counters import Counters
from pagekin.evaluate.directory import Directory
from pagekin.kinds import Pair
from pagekin.stages.document_frequency.counting import (
    DF,
    TermCounter,
    reduce_buckets,
    unpack_counts,
)
from pagekin.stages.fragments.merge import BagMerger
from pagekin.sweep.spill import read_spilled

__all__ = ["Shelf", "make_shelf"]

_BAGS = "bags"
_FREQUENCIES = "frequencies.arrays"


def make_shelf(
    fragments: Path, config: BuildConfig, directory: Directory, folder: Path
) -> dict[str, Any]:
    """Merge the fragments; gives what is to be remembered of the shelf."""
    counters = Counters()
    merger = BagMerger(config.bag, config.window, counters)
    with (folder / _BAGS).open("wb") as out:
        bags = _keeping(merger.merge(read_spilled(fragments)), directory, out)
        _count(bags, folder / _FREQUENCIES, counters)
    documents = counters.get("bags", "urls") - counters.get("bags", "empty")
    return {"documents": documents, "counters": counters.as_dict()}


def _keeping(pairs: Iterable[Pair], directory: Directory, out: BinaryIO) -> Iterator[Pair]:
    """The same pairs, of which those of labelled pages are written."""
    for key, value in pairs:
        if directory.find(key.decode()) >= 0:
            out.write(key + b"\t" + value + b"\n")
        yield key, value


def _count(bags: Iterable[Pair], path: Path, counters: Counters) -> None:
    """In how many bags each term stands."""
    buckets: dict[bytes, list[bytes]] = {}
    for bucket, value in TermCounter(counters).count(bags):
        buckets.setdefault(bucket, []).append(value)
    pairs = ((bucket, value) for bucket in sorted(buckets) for value in buckets.pop(bucket))
    parts = [unpack_counts(v.removeprefix(DF)) for _, v in reduce_buckets(pairs, counters)]
    terms = np.concatenate([np.empty(0, np.uint32), *(t for t, _ in parts)])
    df = np.concatenate([np.empty(0, np.uint32), *(d for _, d in parts)])
    Frequencies.write(path, terms, df, counters.get("frequencies", "bags"))


class Shelf:
    """The kept bags, and the document frequencies of all."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / _BAGS
        self.frequencies = Frequencies(folder / _FREQUENCIES)

    def weighed(self, config: WeightConfig) -> Iterator[Bag]:
        """The final bags."""
        return weigh_bags(self._raw(), self.frequencies, config)

    def _raw(self) -> Iterator[Bag]:
        with self._path.open("rb") as lines:
            for line in lines:
                key, _, value = line.rstrip(b"\n").partition(b"\t")
                yield parse_bag(key, value)
