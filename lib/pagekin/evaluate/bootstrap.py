"""How sure a figure is, and a difference of two: the bootstrap over source pages.

Sources are drawn with replacement and their counts summed, as often as asked; the interval holds
the middle 95 % of the figures. Draws come from an explicit seed. What it does not show: each
source also is an answer for the others, and those stay as they are; and all are of one directory.

Two strategies are compared in pairs: of each drawing the figure of both is made from the same
sources, so that what makes a source hard for both cancels out. Only results over the same labelled
pages are compared, by the sources that both have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import UsageError
from pagekin.evaluate.gamma import (
    STATISTICS,
    Counts,
    Sources,
    gamma_of,
    unpack_sources,
    with_ties_of,
)

__all__ = ["RESAMPLES", "SEED", "compare_results", "compare_sources", "interval", "resample"]

RESAMPLES: Final = 1000  # the ends of an interval then move by 3 % of its length from seed to seed
SEED: Final = 1
_ENDS = (2.5, 97.5)  # percent

Values = NDArray[np.float64]
Measure = Callable[[NDArray[Any]], Values]

_MEASURES: dict[str, Measure] = {"value": gamma_of, "with_ties": with_ties_of}


def resample(counts: NDArray[Any], resamples: int, seed: int) -> Values:
    """The sums of the rows of `counts` over drawn sources, one row for each drawing."""
    generator = np.random.default_rng(seed)
    size = len(counts)
    flat = counts.reshape(size, -1).astype(np.float64)  # sums of pairs stay below 2^53
    sums = np.empty((resamples, flat.shape[1]))
    for row in sums:
        drawn = np.bincount(generator.integers(size, size=size), minlength=size)
        row[:] = drawn @ flat
    return sums.reshape(resamples, *counts.shape[1:])


def interval(values: Values) -> tuple[float, float]:
    """The middle 95 % of some figures; those that are no numbers are left out."""
    known = values[~np.isnan(values)]
    if not len(known):
        return math.nan, math.nan
    low, high = np.percentile(known, _ENDS)
    return float(low), float(high)


def compare_results(
    a: Mapping[str, Any],
    b: Mapping[str, Any],
    names: tuple[str, str],
    *,
    seed: int = SEED,
    resamples: int = RESAMPLES,
) -> dict[str, Any]:
    """Compare two results of `pagekin evaluate gamma --json`."""
    both = [unpack_sources(r.get("per_source"), n) for r, n in zip((a, b), names, strict=True)]
    if a.get("labels") != b.get("labels"):
        raise UsageError(
            f"{names[0]} and {names[1]} judge other pages or classes; compare results of one"
            " directory and snapshot with the same --depth, --shallow and --linked"
        )
    return compare_sources(*both, seed=seed, resamples=resamples)


def compare_sources(
    a: Sources, b: Sources, *, seed: int = SEED, resamples: int = RESAMPLES
) -> dict[str, Any]:
    """For each statistic, with ties left out and counted: both, the difference, how sure it is."""
    keys, of_a, of_b = np.intersect1d(a.keys, b.keys, assume_unique=True, return_indices=True)
    if not len(keys):
        raise UsageError("the two results have no source page in common")
    counts = np.stack([a.counts[of_a], b.counts[of_b]], axis=1)
    drawn = resample(counts, resamples, seed)
    return {
        "sources": len(keys),
        "seed": seed,
        "resamples": resamples,
        **{
            name: {
                measure: _difference(counts.sum(axis=0)[:, k], drawn[:, :, k], make)
                for measure, make in _MEASURES.items()
            }
            for k, name in enumerate(STATISTICS)
        },
    }


def _difference(totals: Counts, drawn: Values, make: Measure) -> dict[str, float | None]:
    a, b = make(totals).tolist()
    values = make(drawn)
    differences = values[:, 1] - values[:, 0]
    known = differences[~np.isnan(differences)]
    low, high = interval(known)
    better = float(((known > 0) + 0.5 * (known == 0)).mean()) if len(known) else math.nan
    found = {"a": a, "b": b, "difference": b - a, "low": low, "high": high, "b_is_better": better}
    return {name: None if math.isnan(value) else value for name, value in found.items()}
