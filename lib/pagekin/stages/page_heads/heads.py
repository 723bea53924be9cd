"""Final bags become heads; those of URLs that were not read have none."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pybase64 import b64encode

from pagekin.bags.bag import read_bags
from pagekin.enrich.links import heads_of
from pagekin.kinds import HEADS, Pair

__all__ = ["head_records"]

_READ = b"1 "  # how the value of a bag begins whose page was read
_BATCH = 1_000  # bags


def head_records(records: Iterable[Pair], terms: int) -> Iterator[Pair]:
    """The heads of so many terms of the bags in these records."""
    read = (record for record in records if record[1].startswith(_READ))
    for bags in read_bags(read, _BATCH):
        for url, head in zip(bags.urls, heads_of(bags.columns(), terms), strict=True):
            yield HEADS.prefix + url, b64encode(head)
