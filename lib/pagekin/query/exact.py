"""The true bag Jaccard of one bag with many: sum of minima over sum of maxima [SIM 4]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Weights
from pagekin.index.inversion import Numbers

__all__ = ["DECIMALS", "jaccards"]

DECIMALS = 12  # similarities are compared so far: the order of additions breaks no tie
_MASK = np.uint32(0xFFFF)

Bounds = NDArray[np.int64]


def jaccards(
    bag: tuple[Numbers, Weights], terms: Numbers, weights: Weights, bounds: Bounds
) -> NDArray[np.float64]:
    """The similarity of `bag` to each of the bags that lie behind one another in the arrays."""
    own = bag[1].astype(np.float64)
    theirs = weights.astype(np.float64)
    at, of = _shared(bag[0], terms)
    minima = _sums(np.minimum(own[at], theirs[of]), of.searchsorted(bounds))
    maxima = own.sum() + _sums(theirs, bounds) - minima
    result = np.zeros(len(bounds) - 1)
    np.divide(minima, maxima, out=result, where=maxima > 0)
    return result.round(DECIMALS)


def _shared(own: Numbers, theirs: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of equal terms in both arrays. Most of theirs are sorted out by 16 bits of them."""
    if not len(own):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    seen = np.zeros(int(_MASK) + 1, dtype=np.bool_)
    seen[own & _MASK] = True
    maybe = seen[theirs & _MASK].nonzero()[0]
    wanted = theirs[maybe]
    at = own.searchsorted(wanted)
    np.minimum(at, len(own) - 1, out=at)
    equal = own[at] == wanted
    return at[equal], maybe[equal]


def _sums(values: NDArray[np.float64], bounds: Bounds) -> NDArray[np.float64]:
    """The sum of each slice. One slice's sum depends on nothing but its own values."""
    sums = np.add.reduceat(np.append(values, 0.0), bounds[:-1])
    return np.where(bounds[1:] > bounds[:-1], sums, 0.0)  # reduceat gives empty ones a value
