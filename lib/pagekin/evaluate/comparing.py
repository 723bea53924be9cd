"""Two strategies on the same sources: is the second better, by how much, and how sure is that.

A paired bootstrap: sources are drawn with replacement, and of each drawing the figure of both
strategies is made from the same sources, so that what makes a source hard for both cancels out.
Only results over the same labelled pages are compared, by the sources that both have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import UsageError
from pagekin.evaluate.gamma import STATISTICS, Counts, gamma_of, with_ties_of
from pagekin.evaluate.intervals import RESAMPLES, SEED, interval, resample
from pagekin.evaluate.sources import Sources, unpack_sources

__all__ = ["compare_results", "compare_sources"]

_MEASURES: dict[str, Callable[[NDArray[Any]], NDArray[np.float64]]] = {
    "value": gamma_of,
    "with_ties": with_ties_of,
}


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


def _difference(
    totals: Counts, drawn: NDArray[np.float64], make: Callable[[NDArray[Any]], NDArray[np.float64]]
) -> dict[str, float | None]:
    a, b = make(totals).tolist()
    values = make(drawn)
    differences = values[:, 1] - values[:, 0]
    known = differences[~np.isnan(differences)]
    low, high = interval(known)
    better = float(((known > 0) + 0.5 * (known == 0)).mean()) if len(known) else math.nan
    said = {"a": a, "b": b, "difference": b - a, "low": low, "high": high, "b_is_better": better}
    return {name: None if math.isnan(value) else value for name, value in said.items()}
