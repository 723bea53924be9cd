#!/usr/bin/env python3
"""A job whose tasks say all sorts of things that are no records."""

import logging
import sys
import warnings
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

import pagekin
from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair


class Noisy(PagekinJob):
    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        _talk()
        for key, _ in pairs:
            self.counters_.add("lines", "mapped")
            yield key, pagekin.__file__.encode()

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        _talk()
        for key, group in groupby(pairs, key=itemgetter(0)):
            values = [value for _, value in group]
            self.counters_.add("lines", "reduced", len(values))
            yield key, values[0]


def _talk() -> None:
    print("printed", "twice", "日本語")  # noqa: T201 - that is the point
    print("a line\twith a tab")  # noqa: T201
    sys.stdout.write("written")
    sys.stdout.flush()
    sys.stderr.write("complained\n")
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.warn("warned", stacklevel=1)
    logging.basicConfig(level=logging.INFO)
    logging.getLogger("noisy").warning("logged")


if __name__ == "__main__":
    Noisy.run()
