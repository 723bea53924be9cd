"""Goodman-Kruskal gamma and its partial kin, by counting pairs [SIM 2.2 and 2.3, Definition 3].

For a source page, two other pages make a pair where the familial ordering decides: one is nearer.
It is concordant if that one is also the more similar one, discordant if the less similar one, and
tied if both are equally similar; gamma is (C - D) / (C + D), so ties are left out, and as a sparse
strategy looks good by tying the hard pairs away, (C - D) / (C + D + T) stands beside it. Counts are
summed over all source pages.

    gamma      all pairs that the familial ordering decides
    sibling    a page of the source's class and one of a sibling class
    cousin     a page of the source's class and a cousin
    unrelated  a page of the source's class and an unrelated one

Similarities are rounded to 12 decimals first, so that no order of additions breaks a tie. Pairs are
counted by sorting and bisection and never made: a source costs n log n.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluate.familial import COUSINS, SAME, SIBLINGS, UNRELATED, Family
from pagekin.evaluate.similarities import Representation

__all__ = [
    "DECIMALS",
    "STATISTICS",
    "Counts",
    "Tally",
    "count_pairs",
    "gamma_of",
    "tally_sources",
    "with_ties_of",
]

STATISTICS: Final = ("gamma", "sibling", "cousin", "unrelated")
DECIMALS: Final = 12  # of a similarity

Counts = NDArray[np.int64]  # [..., statistic, (concordant, discordant, tied)]
Values = NDArray[np.float64]


class Tally(NamedTuple):
    """What was counted, a row for each source."""

    counts: Counts  # [source, statistic, (concordant, discordant, tied)]
    same: NDArray[np.int64]  # pages of the source's class
    orthogonal: NDArray[np.int64]  # those of them that have nothing in common with it


def tally_sources(family: Family, representation: Representation, sources: Iterable[int]) -> Tally:
    """The counts of each source against all other pages."""
    counts, same, orthogonal = [], [], []
    for source in sources:
        similarities = np.delete(representation.similarities(source), source)
        distances = np.delete(family.distances(source), source)
        near = similarities[distances == SAME].round(DECIMALS)
        counts.append(count_pairs(similarities, distances))
        same.append(len(near))
        orthogonal.append(int((near == 0).sum()))
    return Tally(
        np.array(counts, np.int64).reshape(-1, len(STATISTICS), 3),
        np.array(same, np.int64),
        np.array(orthogonal, np.int64),
    )


def count_pairs(similarities: Values, distances: NDArray[np.int8]) -> Counts:
    """Concordant, discordant and tied pairs of each statistic for one source."""
    rounded = similarities.round(DECIMALS)
    if not np.isfinite(rounded).all():
        raise ValueError("a similarity is no finite number")
    same, siblings, cousins, unrelated = (
        np.sort(rounded[distances == k]) for k in (SAME, SIBLINGS, COUSINS, UNRELATED)
    )
    partial = [_compare(same, far) for far in (siblings, cousins, unrelated)]
    rest = [(siblings, cousins), (siblings, unrelated), (cousins, unrelated)]
    total = sum([_compare(near, far) for near, far in rest], np.sum(partial, axis=0))
    return np.array([total, *partial], np.int64)


def _compare(near: Values, far: Values) -> Counts:
    """How often an item of `near` is above, below and equal to one of `far`; both are sorted."""
    if len(near) > len(far):  # the shorter one is looked up in the longer
        above, below, equal = _compare(far, near).tolist()
        return np.array((below, above, equal), np.int64)
    low = int(far.searchsorted(near, "left").sum())
    high = int(far.searchsorted(near, "right").sum())
    pairs = len(near) * len(far)
    return np.array((low, pairs - high, high - low), np.int64)


def gamma_of(counts: NDArray[Any]) -> Values:
    """(C - D) / (C + D) of counts in the last axis; no number where no pair is decided."""
    concordant, discordant = counts[..., 0], counts[..., 1]
    return _ratio(concordant - discordant, concordant + discordant)


def with_ties_of(counts: NDArray[Any]) -> Values:
    """(C - D) / (C + D + T) of counts in the last axis; no number where there is no pair."""
    return _ratio(counts[..., 0] - counts[..., 1], counts.sum(axis=-1))


def _ratio(part: NDArray[Any], whole: NDArray[Any]) -> Values:
    result = np.full(np.shape(whole), np.nan)
    np.divide(part, whole, out=result, where=np.asarray(whole) > 0)
    return result
