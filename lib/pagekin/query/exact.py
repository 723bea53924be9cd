"""The true bag Jaccard of one bag with many: sum of minima over sum of maxima [SIM 4]."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import BagColumns, Bounds, Weights
from pagekin.text.words import Terms

__all__ = ["DECIMALS", "jaccards"]

DECIMALS = 12  # similarities are compared so far: the order of additions breaks no tie
_LOWS = 1 << 16  # low halves of terms

Places = NDArray[np.int64]
Sums = NDArray[np.float64]


def jaccards(terms: Terms, weights: Weights, others: BagColumns) -> Sums:
    """The similarity of a bag to each of the others."""
    own, theirs = weights.astype(np.float64), others.weights.astype(np.float64)
    at, of = _shared(terms, others.terms)
    lesser = np.minimum(own.take(at), theirs.take(of))
    minima = _sums(lesser, of.searchsorted(others.bounds))
    maxima = own.sum() + _sums(theirs, others.bounds) - minima
    result = np.zeros(len(maxima))
    np.divide(minima, maxima, out=result, where=maxima > 0)
    return result.round(DECIMALS)


def _shared(own: Terms, theirs: Terms) -> tuple[Places, Places]:
    """Places of equal terms in both arrays. The low halves of terms tell nearly all.

    A table says where in `own` a low half stands. Of several terms with one low half it knows one;
    the others are searched.
    """
    seen, slots = np.zeros(_LOWS, np.bool_), np.empty(_LOWS, np.int64)
    mine = _low(own)
    seen[mine], slots[mine] = True, np.arange(len(own))
    of = seen.take(_low(theirs)).nonzero()[0]
    wanted = theirs.take(of)
    at = slots.take(_low(wanted))
    other = (own.take(at) != wanted).nonzero()[0]
    if not len(other):
        return at, of
    at[other] = np.minimum(own.searchsorted(wanted.take(other)), len(own) - 1)
    equal = own.take(at) == wanted
    return at[equal], of[equal]


def _low(terms: Terms) -> NDArray[np.uint16]:
    """Their low halves, in place."""
    halves: NDArray[np.uint16] = terms.view("<u2")[::2]
    return halves


def _sums(values: NDArray[np.float64], bounds: Bounds) -> Sums:
    """The sum of each slice. One slice's sum depends on nothing but its own values."""
    sums = np.add.reduceat(np.append(values, 0.0), bounds[:-1])
    return np.where(bounds[1:] > bounds[:-1], sums, 0.0)  # reduceat gives empty ones a value
