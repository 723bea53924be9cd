"""Pairs become total similarities, Eq. 9 to 13 of [BLOCK], as sorts and sums of whole arrays.

    pairs        of a page p2 with partners p1, in the order of domain and anchor text (their group)
    domain sums  for each pair of pages and domain what the domain adds, DS of Eq. 12: of each group
                 the r best S, summed, at the most N; and the group that adds most of it
    edges        pairs of pages with TS of Eq. 13 of T and more, and their heaviest domains

All sums are of whole numbers, so their order does not matter; TS and DS are told in 2^-20.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pagekin.cocitation.kin_table import SCORE
from pagekin.cocitation.similarity import ONE, S30, Indices
from pagekin.stages.pairs.stripe_codec import Hashes, Sums

__all__ = [
    "REST",
    "DomainSums",
    "Edges",
    "Pairs",
    "add_light_domains",
    "best_of_groups",
    "edges_of",
    "often_together",
    "pairs_where",
    "runs_that_may_reach",
    "sort_pairs",
    "starts_of",
    "sum_domains",
]

REST = 0xFFFFFFFF  # the group of a sum that stands for several light domains
_MARK_BITS = 18
_SPREAD = np.uint64(0x9E3779B97F4A7C15)  # odd, bits well mixed: keeps pages apart
_HIGHEST = np.uint64(0xFFFFFFFFFFFFFFFF)

Number = TypeVar("Number", bound=np.generic)


class Pairs(NamedTuple):
    """Pairs with S and a group; those of one page and partner (a run) stand together."""

    runs: Indices  # ascending
    groups: Indices  # ascending within a run
    values: Sums
    pages: Indices  # of each run
    partners: Hashes  # of each run


class DomainSums(NamedTuple):
    """What domains add; those of one run stand together."""

    runs: Indices
    groups: Indices  # the one that adds most
    values: Sums
    domains: Indices  # how many the sum stands for


class Edges(NamedTuple):
    """Related pages: for run runs[k] TS, citing domains, and reasons bounds[k] : bounds[k + 1]."""

    runs: Indices
    scores: Indices
    domains: Indices
    bounds: Indices
    values: Indices  # of each reason
    groups: Indices  # of each reason


def starts_of(*keys: NDArray[np.generic]) -> Indices:
    """Where any of the keys differs from the one before; 0 is a start, if there are keys."""
    changed = np.zeros(len(keys[0]), dtype=bool)
    changed[:1] = True
    for key in keys:
        changed[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(changed)


def _sizes(starts: Indices, count: int) -> Indices:
    return np.diff(np.append(starts, count))


def _summed(values: NDArray[Number], starts: Indices) -> NDArray[Number]:
    """The sum of the values from each start to the next."""
    sums: NDArray[Number] = np.add.reduceat(values, starts) if len(starts) else values[:0]
    return sums


def often_together(pages: Indices, partners: Hashes, least: int) -> Indices:
    """The places of pairs whose page and partner occur at least so often, and of few others.

    They are counted by 18 bits of a mixture of both: a batch has about so many pairs.
    """
    mixed = partners + pages.astype(np.uint64) * _SPREAD
    marks = (mixed >> np.uint64(64 - _MARK_BITS)).astype(np.int32)
    return np.flatnonzero((np.bincount(marks, minlength=1 << _MARK_BITS) >= least)[marks])


def sort_pairs(pages: Indices, partners: Hashes, groups: Indices, values: Sums | S30) -> Pairs:
    """Pairs of S above 0, given in the order of pages and groups, by page and partner."""
    hashes, numbers = np.unique(partners, return_inverse=True)
    # page, partner and place as one number: to sort these takes a fifth of np.lexsort
    keys = (pages * len(hashes) + numbers) * len(values) + np.arange(len(values))
    keys = keys[np.greater(values, 0)]
    keys.sort()
    keys, order = np.divmod(keys, max(len(values), 1))
    starts = starts_of(keys)
    runs = np.repeat(np.arange(len(starts)), _sizes(starts, len(order)))
    of_runs, numbers = np.divmod(keys[starts], max(len(hashes), 1))
    return Pairs(runs, groups[order], values[order].astype(np.uint64), of_runs, hashes[numbers])


def pairs_where(pairs: Pairs, kept: NDArray[np.bool_]) -> Pairs:
    """Some of the pairs."""
    return Pairs(
        *(pairs.runs[kept], pairs.groups[kept], pairs.values[kept]), pairs.pages, pairs.partners
    )


def runs_that_may_reach(pairs: Pairs, least: NDArray[np.float64]) -> Pairs:
    """The pairs of runs whose plain sum of S reaches `least`, which is given for each run."""
    sums = _summed(pairs.values, starts_of(pairs.runs))
    return pairs_where(pairs, (sums >= least)[pairs.runs])


def best_of_groups(pairs: Pairs, best: int) -> Pairs:
    """Of each run and group the `best` pairs of the highest S."""
    starts = starts_of(pairs.runs, pairs.groups)
    sizes = _sizes(starts, len(pairs.values))
    if not (sizes > best).any():
        return pairs
    segments = np.repeat(np.arange(len(starts)), sizes)
    order = np.lexsort((_HIGHEST - pairs.values, segments))
    kept = np.zeros(len(order), dtype=bool)
    kept[order[np.arange(len(order)) - np.repeat(starts, sizes) < best]] = True
    return pairs_where(pairs, kept)


def sum_domains(
    pairs: Pairs, domains_of: Callable[[Indices], Indices], best: int, limit: int
) -> DomainSums:
    """What domains add; `domains_of` tells the domains of groups, `limit` is N in 2^-30."""
    pairs = best_of_groups(pairs, best)
    starts = starts_of(pairs.runs, pairs.groups)
    runs, groups, sums = pairs.runs[starts], pairs.groups[starts], _summed(pairs.values, starts)
    starts = starts_of(runs, domains_of(groups))
    domain = np.repeat(np.arange(len(starts)), _sizes(starts, len(sums)))
    # of each domain the heaviest group, of equal ones the first
    heaviest = np.lexsort((_HIGHEST - sums, domain))[starts]
    totals = np.minimum(_summed(sums, starts), np.uint64(limit))
    return DomainSums(runs[starts], groups[heaviest], totals, np.ones_like(starts))


def _sums_at(sums: DomainSums, places: Indices | NDArray[np.bool_]) -> DomainSums:
    runs, groups, values, domains = sums
    return DomainSums(runs[places], groups[places], values[places], domains[places])


def _by_weight(sums: DomainSums, most: int) -> tuple[DomainSums, NDArray[np.bool_]]:
    """The sums by run, and in a run by weight, and which of them are among the `most` first.

    Of equal ones the first group counts as heavier; what stands for several domains comes last.
    """
    weights = np.where(sums.groups == REST, np.uint64(0), sums.values)
    sums = _sums_at(sums, np.lexsort((sums.groups, _HIGHEST - weights, sums.runs)))
    starts = starts_of(sums.runs)
    rank = np.arange(len(sums.runs)) - np.repeat(starts, _sizes(starts, len(sums.runs)))
    return sums, (rank < most) & (sums.groups != REST)


def add_light_domains(sums: DomainSums, most: int) -> DomainSums:
    """Of each run the `most` heaviest sums, and the others as one."""
    sums, is_heavy = _by_weight(sums, most)
    light = _sums_at(sums, ~is_heavy)
    starts = starts_of(light.runs)
    values, domains = _summed(light.values, starts), _summed(light.domains, starts)
    rest = DomainSums(light.runs[starts], np.full(len(starts), REST), values, domains)
    heavy = _sums_at(sums, is_heavy)
    joined = DomainSums(*(np.concatenate(columns) for columns in zip(heavy, rest, strict=True)))
    return _sums_at(joined, np.argsort(joined.runs, kind="stable"))


def edges_of(
    sums: DomainSums, divisors: NDArray[np.float64], threshold: float, reasons: int
) -> Edges:
    """The runs whose TS reaches the threshold; `divisors` tells 1 + ln(in) of each run."""
    starts = starts_of(sums.runs)
    runs, domains = sums.runs[starts], _summed(sums.domains, starts)
    totals = _summed(sums.values, starts) / (divisors[runs] * (ONE // SCORE))
    scores = np.rint(totals).astype(np.int64)
    related = scores >= round(threshold * SCORE)
    of_related = np.repeat(related, _sizes(starts, len(sums.runs)))
    chosen, is_heavy = _by_weight(_sums_at(sums, of_related), reasons)
    kept = _sums_at(chosen, is_heavy)
    return Edges(
        runs[related],
        scores[related],
        domains[related],
        np.searchsorted(kept.runs, np.append(runs[related], len(divisors))),
        (kept.values + np.uint64(512) >> np.uint64(10)).astype(np.int64),
        kept.groups,
    )
