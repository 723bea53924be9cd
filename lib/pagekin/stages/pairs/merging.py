"""Pairs become total similarities, Eq. 9 to 13 of [BLOCK], as sorts and sums of whole arrays.

    pairs    of a page p2 with partners p1, in the order of domain and anchor text (their group)
    rows     for each pair of pages and domain what the domain adds, DS of Eq. 12: of each group the
             r best S, summed, at the most N; and the group that adds most of it
    edges    pairs of pages with TS of Eq. 13 of T and more, and their heaviest rows

Pairs are sorted once, as packed numbers of 64 bits: page, first bits of the partner's hash, place.
Where two partners agree in these bits, which is seen, the sort is done again by the whole hash.
All sums are of whole numbers; TS and DS are told in 2^-20.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.cocitation.records import SCORE
from pagekin.cocitation.similarity import ONE

__all__ = [
    "REST",
    "Edges",
    "Pairs",
    "RowArrays",
    "domains_from",
    "edges_of",
    "fold",
    "heaviest",
    "keep_best",
    "often_together",
    "pairs_where",
    "rows_at",
    "sort_pairs",
    "starts_of",
]

REST = 0xFFFFFFFF  # the group of a row that stands for several light domains
_MARK_BITS = 18  # by which pairs are counted that may be many: a batch has about so many pairs
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, bits well mixed: keeps pages apart
_MOST = np.uint64(0xFFFFFFFFFFFFFFFF)

Numbers = NDArray[np.int64]
Marks = NDArray[np.uint64]


class Pairs(NamedTuple):
    """Pairs by page, partner and group; `starts` is where a page or partner changes."""

    pages: Numbers
    partners: Marks
    groups: Numbers
    values: Marks  # S in 2^-30
    starts: Numbers


class RowArrays(NamedTuple):
    """What domains add; rows of one pair of pages (its run) stand together."""

    runs: Numbers
    values: Marks  # in 2^-30
    groups: Numbers
    domains: Numbers  # how many the row stands for


class Edges(NamedTuple):
    """Related pages: for run runs[k] its TS, citing domains, and rows bounds[k] : bounds[k + 1]."""

    runs: Numbers
    scores: Numbers
    domains: Numbers
    bounds: Numbers
    values: Numbers
    groups: Numbers


def pairs_where(pairs: Pairs, kept: NDArray[np.bool_]) -> Pairs:
    """Some of the pairs."""
    pages, partners = pairs.pages[kept], pairs.partners[kept]
    starts = starts_of(pages, partners)
    return Pairs(pages, partners, pairs.groups[kept], pairs.values[kept], starts)


def rows_at(rows: RowArrays, places: Numbers | NDArray[np.bool_]) -> RowArrays:
    """Some of the rows, or all in another order."""
    runs, values, groups, domains = rows
    return RowArrays(runs[places], values[places], groups[places], domains[places])


def domains_from(starts: Sequence[int] | Numbers) -> Callable[[Numbers], Numbers]:
    """Groups to the number of their domain, where `starts` are the domains' first groups."""

    def domains_of(groups: Numbers) -> Numbers:
        return np.searchsorted(starts, groups, side="right").astype(np.int64)

    return domains_of


def starts_of(*keys: NDArray[np.generic]) -> Numbers:
    """Where any of the keys differs from the one before; 0 is always a start."""
    changed = np.zeros(len(keys[0]), dtype=bool)
    changed[:1] = True
    for key in keys:
        changed[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changed)


def often_together(pages: Numbers, partners: Marks, least: int) -> Numbers:
    """The places of pairs whose page and partner occur at least so often, and perhaps of others.

    Few do. They are counted by 18 bits of a mixture of both, with others that have the same ones.
    """
    mixed = partners + pages.astype(np.uint64) * _SPREAD
    marks = (mixed >> np.uint64(64 - _MARK_BITS)).astype(np.int32)
    often = np.bincount(marks, minlength=1 << _MARK_BITS) >= least
    return np.flatnonzero(often[marks])


def sort_pairs(pages: Numbers, partners: Marks, groups: Numbers, values: Marks) -> Pairs:
    """Pairs, given by page and group, with those of one partner brought together."""
    order, partners = _order(pages, partners)
    pages = pages[order]
    starts = starts_of(pages, partners)
    return Pairs(pages, partners, groups[order], values[order], starts)


def _order(pages: Numbers, partners: Marks) -> tuple[Numbers, Marks]:
    count = len(partners)
    place_bits = max(count - 1, 1).bit_length()
    page_bits = max(int(pages[-1]), 1).bit_length() if count else 1
    hash_bits = 64 - place_bits - page_bits
    packed = pages.astype(np.uint64) << np.uint64(64 - page_bits)
    packed |= (partners >> np.uint64(64 - hash_bits)) << np.uint64(place_bits)
    packed |= np.arange(count, dtype=np.uint64)
    packed.sort()
    order = (packed & np.uint64((1 << place_bits) - 1)).astype(np.int64)
    packed >>= np.uint64(place_bits)
    found = partners[order]
    if ((packed[1:] == packed[:-1]) & (found[1:] != found[:-1])).any():
        order = np.lexsort((partners, pages))
        found = partners[order]
    return order, found


def keep_best(pairs: Pairs, best: int) -> Pairs:
    """Of each page, partner and group the `best` pairs of the highest S, in any order."""
    starts = starts_of(pairs.pages, pairs.partners, pairs.groups)
    sizes = np.diff(np.append(starts, len(pairs.values)))
    if not (sizes > best).any():
        return pairs
    segments = np.repeat(np.arange(len(starts)), sizes)
    crowded = np.flatnonzero(sizes[segments] > best)
    order = crowded[np.lexsort((~pairs.values[crowded], segments[crowded]))]
    rank = np.arange(len(order)) - _first_of(segments[order])
    kept = np.ones(len(pairs.values), dtype=bool)
    kept[order[rank >= best]] = False
    return pairs_where(pairs, kept)


def _first_of(keys: NDArray[np.generic]) -> Numbers:
    """For each element the place where its run of equal keys begins."""
    starts = starts_of(keys)
    return np.repeat(starts, np.diff(np.append(starts, len(keys))))


def fold(
    pairs: Pairs, domains_of: Callable[[Numbers], Numbers], best: int, limit: int
) -> RowArrays:
    """The rows of pairs; `domains_of` tells groups' domains, `limit` is N in 2^-30."""
    pairs = keep_best(pairs, best)
    if not len(pairs.values):
        none = np.empty(0, np.int64)
        return RowArrays(none, none.astype(np.uint64), none, none)
    runs = np.repeat(
        np.arange(len(pairs.starts)), np.diff(np.append(pairs.starts, len(pairs.values)))
    )
    starts = starts_of(runs, pairs.groups)
    sums = np.add.reduceat(pairs.values, starts)
    runs, groups = runs[starts], pairs.groups[starts]
    starts = starts_of(runs, domains_of(groups))
    totals = np.minimum(np.add.reduceat(sums, starts), np.uint64(limit))
    sizes = np.diff(np.append(starts, len(sums)))
    highest = np.flatnonzero(sums == np.repeat(np.maximum.reduceat(sums, starts), sizes))
    rows = np.repeat(np.arange(len(starts)), sizes)
    first = highest[starts_of(rows[highest])]
    return RowArrays(runs[starts], totals, groups[first], np.ones(len(starts), np.int64))


def heaviest(rows: RowArrays, most: int) -> tuple[Numbers, NDArray[np.bool_]]:
    """The rows in an order by run, and in a run by weight, and which of them are among the first.

    Of equal ones the first group counts as heavier; what stands for several domains comes last.
    """
    weights = np.where(rows.groups == REST, np.uint64(0), rows.values)
    order = np.arange(len(rows.runs))
    sizes = np.diff(np.append(starts_of(rows.runs), len(rows.runs)))
    several = np.flatnonzero(np.repeat(sizes > 1, sizes))
    keys = (rows.groups[several], _MOST - weights[several], rows.runs[several])
    order[several] = several[np.lexsort(keys)]
    rank = np.arange(len(order)) - _first_of(rows.runs)
    return order, (rank < most) & (rows.groups[order] != REST)


def edges_of(rows: RowArrays, divisors: NDArray[np.float64], threshold: float, most: int) -> Edges:
    """The runs whose TS reaches the threshold; `divisors` tells 1 + ln(in) of each run."""
    starts = starts_of(rows.runs)
    if not len(rows.runs):
        starts = np.empty(0, np.int64)
    sums = np.add.reduceat(rows.values, starts) if len(starts) else rows.values
    counts = np.add.reduceat(rows.domains, starts) if len(starts) else rows.domains
    runs = rows.runs[starts]
    scores = np.rint(sums / (divisors[runs] * (ONE // SCORE))).astype(np.int64)
    related = scores >= round(threshold * SCORE)
    sizes = np.diff(np.append(starts, len(rows.runs)))
    chosen = rows_at(rows, np.repeat(related, sizes))
    order, first = heaviest(chosen, most)
    kept = order[first]
    told = np.bincount(np.searchsorted(runs[related], chosen.runs[kept]), minlength=related.sum())
    return Edges(
        runs[related],
        scores[related],
        counts[related],
        np.append(0, np.cumsum(told)),
        (chosen.values[kept] + np.uint64(512) >> np.uint64(10)).astype(np.int64),
        chosen.groups[kept],
    )
