"""What is known of some URLs while their values are merged: by value, by URL, and in columns.

A `Batch` holds the values of many URLs, `Columns` what they say, a number for each URL. `Totals`
are kept of the few URLs for which these are not all: some of their values were folded before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pagekin.stages.fragments.term_positions import Sums
from pagekin.stages.fragments.totals import HostSet, TermSums
from pagekin.stages.fragments.values import parse_folded
from pagekin.text.words import Terms

__all__ = ["Batch", "Column", "Columns", "Totals"]

_HOST_BYTES = 8

Column = NDArray[np.int64]


@dataclass(slots=True)
class Totals:
    """What is known of a URL beside the values of a batch: earlier ones, and folded links."""

    crawled: bool = False
    links: int = 0
    pages: int = 0
    hosts: int = 0
    last_host: bytes = b""
    cited_from: HostSet | None = None  # all hosts, where some links came folded
    sums: TermSums = field(default_factory=TermSums)

    def take_folded(self, value: bytes) -> None:
        """Add links that a mapper has folded."""
        links, pages, hosts, terms, sums = parse_folded(value)
        self.links += links
        self.pages += pages
        if self.cited_from is None:
            self.cited_from = HostSet()
        self.cited_from.add(hosts)
        self.sums.add(terms, sums)

    def add(self, columns: Columns, number: int) -> None:
        """Add what a batch says of the URL; its terms stand apart."""
        self.crawled |= bool(columns.crawled[number])
        self.links += int(columns.links[number])
        self.pages += int(columns.pages[number])
        cited = columns.host_of[columns.host_url == number].tobytes()
        goes_on = cited[:_HOST_BYTES] == self.last_host != b""
        self.hosts += len(cited) // _HOST_BYTES - goes_on
        self.last_host = cited[-_HOST_BYTES:] or self.last_host
        if self.cited_from:
            self.cited_from.add(cited)

    def complete(self, columns: Columns, number: int) -> None:
        """Put all that is known of the URL into the columns."""
        self.add(columns, number)
        columns.crawled[number] = self.crawled
        columns.links[number] = self.links
        columns.pages[number] = self.pages
        columns.hosts[number] = self.cited_from.count() if self.cited_from else self.hosts


class Batch:
    """Values of some URLs, in their order."""

    def __init__(self) -> None:
        self.keys: list[bytes] = []
        self.starts: list[int] = []  # of each URL its first value
        self.values: list[bytes] = []
        self.totals: dict[int, Totals] = {}  # of URLs for which the values are not all

    def totals_of(self, number: int) -> Totals:
        return self.totals.setdefault(number, Totals())


@dataclass(slots=True)
class Columns:
    """What the values of a batch say: a number for each URL, and the terms of all."""

    crawled: Column
    links: Column
    pages: Column
    hosts: Column
    host_of: NDArray[np.uint64]  # each host that cites a URL, where its links begin
    host_url: Column  # and the number of that URL
    bounds: Column  # of the URLs' terms
    terms: Terms
    sums: Sums

    def counts(self) -> tuple[Column, Column, Column, Column]:
        """What a bag's record begins with."""
        return self.crawled, self.links, self.pages, self.hosts
