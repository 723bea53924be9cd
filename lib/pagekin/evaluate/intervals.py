"""Bootstrap intervals over source pages: how sure a figure is.

Sources are drawn with replacement and their counts summed anew, as often as asked; the interval
holds the middle 95 % of the figures. Draws come from an explicit seed. What it does not show: each
source also is an answer for the others, and those stay as they are; and all are of one directory.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["RESAMPLES", "SEED", "interval", "resample"]

RESAMPLES: Final = 1000  # the ends of an interval then move by 3 % of its length from seed to seed
SEED: Final = 1
_ENDS = (2.5, 97.5)  # percent

Values = NDArray[np.float64]


def resample(counts: NDArray[Any], resamples: int, seed: int) -> Values:
    """The sums of the rows of `counts` over sources drawn anew, one row for each drawing."""
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
        return float("nan"), float("nan")
    low, high = np.percentile(known, _ENDS)
    return float(low), float(high)
