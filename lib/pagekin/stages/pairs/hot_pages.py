"""A page that stands in very many blocks, merged in pieces: memory stays bounded.

Its stripes come by domain. A piece of them is cut where a domain ends and becomes rows, one for
each partner and domain; of a partner the heaviest stay as they are and the others become one row
that stands for them. A domain that is larger than a piece goes to disk as pairs, of each anchor the
r best. Rows and pairs lie in 256 parts by the hash of the partner; at the end each part is merged
by itself. Everything added is a whole number, so no cut changes the outcome, and nothing is left
out. A page of 1,000,000 blocks with 79 ever new partners each takes 1.9 GB of disk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import numpy as np

from pagekin.cocitation.similarity import Marks, Values
from pagekin.stages.pairs.merging import (
    REST,
    Numbers,
    Pairs,
    RowArrays,
    domains_from,
    fold,
    heaviest,
    keep_best,
    rows_at,
    sort_pairs,
    starts_of,
)
from pagekin.stages.pairs.spill import PARTS, ROW, Names, Parts, Rows
from pagekin.stages.pairs.stripe_codec import Partners

__all__ = ["HotPage", "domain_of"]

_AT_ONCE = 1 << 16  # rows merged together: parts of a page that is not so hot are small

Stripe = tuple[bytes, bytes, bytes]  # the group, DOMAIN ANCHOR, and the partners as text


def domain_of(group: bytes) -> bytes:
    """The domain of a group."""
    return group.partition(b" ")[0]


class Part(NamedTuple):
    """The merged rows of the partners whose hashes begin alike; a run is a partner."""

    partners: Marks
    rows: RowArrays


class HotPage:
    """Takes the stripes of one page in their order; a context, because of its files."""

    def __init__(self, table: Values, best: int, limit: int, reasons: int) -> None:
        self._table, self._best, self._limit, self._reasons = table, best, limit, reasons
        self._groups = 0
        self._last = b""
        self._open = b""  # the domain that goes to disk as pairs
        self._open_groups: list[int] = []  # where the groups of such domains begin

    def __enter__(self) -> HotPage:
        self._stack = ExitStack()
        self._folder = Path(self._stack.enter_context(TemporaryDirectory(prefix="pagekin-")))
        self._names = self._stack.enter_context(Names(self._folder / "groups"))
        self._rows, self._pairs = Parts(self._folder / "rows"), Parts(self._folder / "pairs")
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, stripes: Sequence[Stripe], *, last: bool = False) -> list[Stripe]:
        """Take a piece in; gives back the stripes of its last domain, which may go on."""
        domains = [domain_of(group) for group, _, _ in stripes]
        end = len(stripes)
        begin = next((k for k, d in enumerate(domains) if d != self._open), end)
        stop = end if last else max(begin, domains.index(domains[-1]))
        if not last and begin < end and stop == 0:  # one domain is the whole piece
            self._open, begin = domains[-1], end
            self._open_groups.append(self._groups)
        self._add_open(stripes[:begin])
        self._add_closed(stripes[begin:stop], domains[begin:stop])
        return list(stripes[max(begin, stop) :])

    def _add_open(self, stripes: Sequence[Stripe]) -> None:
        if stripes:
            pairs = keep_best(self._sorted(stripes), self._best)
            rows = _rows(pairs.partners, pairs.values, pairs.groups, np.ones_like(pairs.groups))
            self._pairs.write(rows)

    def _add_closed(self, stripes: Sequence[Stripe], domains: list[bytes]) -> None:
        if not stripes:
            return
        pairs = self._sorted(stripes)
        changes = [k for k in range(1, len(domains)) if domains[k] != domains[k - 1]]
        starts = self._stripe_groups[changes]  # first groups of the second domain, and so on
        rows = fold(pairs, domains_from(starts), self._best, self._limit)
        rows = _with_rest(rows, self._reasons)
        partners = pairs.partners[pairs.starts][rows.runs]
        self._rows.write(_rows(partners, rows.values, rows.groups, rows.domains))

    def _sorted(self, stripes: Sequence[Stripe]) -> Pairs:
        """All pairs of the stripes, whose groups get their numbers."""
        numbers = []
        for group, _, _ in stripes:
            if group != self._last or not self._groups:
                self._names.add(group)
                self._last = group
                self._groups += 1
            numbers.append(self._groups - 1)
        self._stripe_groups = np.array(numbers)
        found = Partners([s[1] for s in stripes], [s[2] for s in stripes], self._table)
        numbers_of = np.repeat(np.arange(len(stripes)), found.sizes)
        values = found.values(numbers_of, np.arange(len(numbers_of)))
        some = values != 0
        groups = self._stripe_groups[numbers_of[some]]
        pages = np.zeros(len(groups), np.int64)
        return sort_pairs(pages, found.hashes[some], groups, values[some])

    def parts(self) -> Iterator[Part]:
        """All partners with their rows, part by part."""
        waiting: list[Rows] = []
        for part in range(PARTS):
            waiting += (self._rows.take(part), self._folded(part))
            if sum(map(len, waiting)) > _AT_ONCE:
                yield _merged(np.concatenate(waiting))
                waiting = []
        if any(map(len, waiting)):
            yield _merged(np.concatenate(waiting))

    def _folded(self, part: int) -> Rows:
        """The rows of the pairs of a part."""
        pairs = self._sorted_part(part)
        if pairs is None:
            return np.empty(0, ROW)
        rows = fold(pairs, domains_from(self._open_groups), self._best, self._limit)
        partners = pairs.partners[pairs.starts][rows.runs]
        return _rows(partners, rows.values, rows.groups, rows.domains)

    def _sorted_part(self, part: int) -> Pairs | None:
        # apart, so that the rows as they were read are gone when the pairs are folded
        rows = self._pairs.take(part)
        if not len(rows):
            return None
        columns = (rows["partner"].copy(), rows["group"].astype(np.int64), rows["value"].copy())
        del rows
        return sort_pairs(np.zeros(len(columns[0]), np.int64), *columns)

    def group(self, number: int) -> bytes:
        """The text of a group."""
        return self._names.get(number)


def _rows(partners: Marks, values: Marks, groups: Numbers, domains: Numbers) -> Rows:
    rows = np.empty(len(partners), ROW)
    rows["partner"], rows["value"], rows["group"], rows["domains"] = (
        partners,
        values,
        groups,
        domains,
    )
    return rows


def _with_rest(rows: RowArrays, most: int) -> RowArrays:
    """Of each run the heaviest rows, and the others as one."""
    starts = starts_of(rows.runs)
    sizes = np.diff(np.append(starts, len(rows.runs)))
    many = np.repeat(sizes > most, sizes)
    if not many.any():
        return rows
    crowded = rows_at(rows, many)
    order, first = heaviest(crowded, most)
    few, kept, others = rows_at(rows, ~many), rows_at(crowded, order[first]), order[~first]
    light = _summed(rows_at(crowded, others))
    joined = RowArrays(*(np.concatenate(columns) for columns in zip(few, kept, light, strict=True)))
    return rows_at(joined, np.argsort(joined.runs, kind="stable"))


def _summed(rows: RowArrays) -> RowArrays:
    """One row for each run."""
    starts = starts_of(rows.runs)
    values = np.add.reduceat(rows.values, starts)
    domains = np.add.reduceat(rows.domains, starts)
    return RowArrays(rows.runs[starts], values, np.full(len(starts), REST), domains)


def _merged(rows: Rows) -> Part:
    rows = rows[np.argsort(rows["partner"], kind="stable")]
    starts = starts_of(rows["partner"])
    runs = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    groups, domains = rows["group"].astype(np.int64), rows["domains"].astype(np.int64)
    return Part(rows["partner"][starts], RowArrays(runs, rows["value"].copy(), groups, domains))
