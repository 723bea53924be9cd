"""The true bag Jaccard of one bag with many: sum of minima over sum of maxima [SIM 4]."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Weights
from pagekin.index.inversion import Numbers

__all__ = ["DECIMALS", "jaccards"]

DECIMALS = 12  # similarities are compared so far: the order of additions breaks no tie
_MASK = np.uint32(0xFFFF)

TermsAndWeights = tuple[Numbers, Weights]


def jaccards(bag: TermsAndWeights, others: Sequence[TermsAndWeights]) -> NDArray[np.float64]:
    """The similarity of `bag` to each of the others."""
    if not others:
        return np.empty(0)
    terms, weights = bag[0], bag[1].astype(np.float64)
    their_terms = np.concatenate([other[0] for other in others])
    their_weights = np.concatenate([other[1] for other in others]).astype(np.float64)
    bounds = np.cumsum([0, *(len(other[0]) for other in others)])
    mine, theirs = _shared(terms, their_terms)
    shared = np.minimum(weights[mine], their_weights[theirs])
    minima = _sums(shared, np.searchsorted(theirs, bounds))
    maxima = weights.sum() + _sums(their_weights, bounds) - minima
    result = np.zeros(len(others))
    np.divide(minima, maxima, out=result, where=maxima > 0)
    return result.round(DECIMALS)


def _shared(terms: Numbers, theirs: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of equal terms in both arrays. Most of theirs are sorted out by 16 bits of them."""
    seen = np.zeros(int(_MASK) + 1, dtype=np.bool_)
    seen[terms & _MASK] = True
    maybe = np.flatnonzero(seen[theirs & _MASK])
    wanted = theirs[maybe]
    at = np.minimum(np.searchsorted(terms, wanted), max(len(terms) - 1, 0))
    equal = terms[at] == wanted if len(terms) else np.zeros(0, np.bool_)
    return at[equal], maybe[equal]


def _sums(values: NDArray[np.float64], bounds: NDArray[np.int64]) -> NDArray[np.float64]:
    """The sum of each slice. One slice's sum depends on nothing but its own values."""
    sums = np.add.reduceat(np.append(values, 0.0), bounds[:-1])
    return np.where(bounds[1:] > bounds[:-1], sums, 0.0)  # reduceat gives empty ones a value
