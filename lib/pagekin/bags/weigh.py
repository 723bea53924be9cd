"""Raw bags become final bags: scale, weight by df, cut, normalise [SIM 3.3, 5.2].

In this order: tf scaling of the raw weight, times the df factor, cut to the heaviest `terms` (of
equal weights the smaller hash stays), then a constant sum of 1. The cut comes after the weighting:
measured, it is the largest single gain in quality, and makes bags small.

Final weights are quotients of whole numbers, so that no order of addition shows in their last bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Bag
from pagekin.bags.batch import Batch, Bounds, batches_of
from pagekin.bags.frequencies import Frequencies
from pagekin.config import WeightConfig

__all__ = ["BATCH", "weigh_bags", "weigh_batch"]

BATCH = 2_000  # bags; one numpy call costs as much as 1,000 terms
_SCALE = 2.0**40  # the heaviest term of a bag; 65,536 such terms still add up below 2^63


def weigh_bags(
    bags: Iterable[Bag], frequencies: Frequencies, config: WeightConfig
) -> Iterator[Bag]:
    """The final bags, in the order of the raw ones."""
    for batch in batches_of(bags, BATCH):
        yield from weigh_batch(batch, frequencies, config).bags()


def weigh_batch(raw: Batch, frequencies: Frequencies, config: WeightConfig) -> Batch:
    """The final bags of raw ones."""
    tf = _scale_tf(raw.weights.astype(np.float64), config.tf)
    scaled = tf * frequencies.factors(raw.terms, config)
    top = _by_bag(np.maximum, scaled, raw.bounds)
    top[top == 0] = 1.0  # a bag without weight stays one
    whole = np.rint(scaled * np.repeat(_SCALE / top, np.diff(raw.bounds))).astype(np.int64)
    kept = _heaviest(whole, raw.bounds, config.terms)
    bounds, whole = np.append(0, np.cumsum(kept))[raw.bounds], whole[kept]
    totals = _by_bag(np.add, whole, bounds) if config.normalise else _SCALE / top
    weights = (whole / np.repeat(totals, np.diff(bounds))).astype("<f4")
    return raw._replace(terms=raw.terms[kept], weights=weights, bounds=bounds)


def _by_bag(add: np.ufunc, values: NDArray[Any], bounds: Bounds) -> NDArray[Any]:
    """The values of each bag added up, or the like; 0 for an empty bag."""
    full = np.diff(bounds) > 0
    found = np.zeros(len(full), values.dtype)
    found[full] = add.reduceat(values, bounds[:-1][full])
    return found


def _scale_tf(raw: NDArray[np.float64], how: str) -> NDArray[np.float64]:
    if how == "sqrt":
        return np.sqrt(raw)
    if how == "log":
        # log1p is not 1 + ln: 1 + ln falls below 0 for far words, which weigh less than 1/e
        return np.log1p(raw)
    return raw


def _heaviest(whole: NDArray[np.int64], bounds: Bounds, most: int) -> NDArray[np.bool_]:
    """Which terms stay: those with a weight, and of each bag the heaviest `most`, or all for 0."""
    kept = whole > 0
    for bag in np.flatnonzero(np.diff(bounds) > most).tolist() if most else ():
        a, b = bounds[bag : bag + 2].tolist()
        mine = whole[a:b]
        least = np.partition(mine, len(mine) - most)[-most]
        heavier = mine > least
        as_heavy = np.flatnonzero(mine == least)  # terms ascend in a bag
        heavier[as_heavy[: most - int(np.count_nonzero(heavier))]] = True
        kept[a:b] &= heavier
    return kept
