"""The true bag Jaccard of one bag with many: sum of minima over sum of maxima [SIM 4].

Pages that are asked for one after another are compared with many of the same bags. A pool reads
these once and adds each up once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Weights
from pagekin.index.inversion import Numbers
from pagekin.index.shard import Shard

__all__ = ["DECIMALS", "Pool", "jaccards"]

DECIMALS = 12  # similarities are compared so far: the order of additions breaks no tie
_BYTES = 4  # of a term
_LOWS = 1 << 16  # low halves of terms

Bounds = NDArray[np.int64]
Places = NDArray[np.int64]
Sums = NDArray[np.float64]
OneBag = tuple[Numbers, Weights]


class Pool:
    """Bags of a shard, to be compared with others."""

    def __init__(self, shard: Shard, documents: Numbers) -> None:
        """`documents` ascend."""
        self.documents = documents
        self._terms, self._weights = shard.bags_of(documents)
        self._sizes = np.array([len(data) // _BYTES for data in self._terms], np.int64)
        weights = shard.sound(np.frombuffer(b"".join(self._weights), "<f4"))
        self._sums = _sums(weights.astype(np.float64), _bounds(self._sizes))

    def jaccards(self, bag: OneBag, documents: Numbers) -> Sums:
        """The similarity of `bag` to each of these documents; all are in the pool."""
        at = self.documents.searchsorted(documents)
        some = at.tolist()
        # joined bytes take half the time of an array that is made of slices or of places
        terms = np.frombuffer(b"".join([self._terms[k] for k in some]), "<u4")
        weights = np.frombuffer(b"".join([self._weights[k] for k in some]), "<f4")
        return _similarities(bag, terms, weights, _bounds(self._sizes[at]), self._sums[at])


def jaccards(bag: OneBag, terms: Numbers, weights: Weights, bounds: Bounds) -> Sums:
    """The similarity of `bag` to each of the bags that lie behind one another in the arrays."""
    return _similarities(bag, terms, weights, bounds, _sums(weights.astype(np.float64), bounds))


def _similarities(
    bag: OneBag, terms: Numbers, weights: Weights, bounds: Bounds, sums: Sums
) -> Sums:
    own = bag[1].astype(np.float64)
    at, of = _shared(bag[0], terms)
    lesser = np.minimum(own.take(at), weights.take(of).astype(np.float64))
    minima = _sums(lesser, of.searchsorted(bounds))
    maxima = own.sum() + sums - minima
    result = np.zeros(len(sums))
    np.divide(minima, maxima, out=result, where=maxima > 0)
    return result.round(DECIMALS)


def _bounds(sizes: NDArray[np.int64]) -> Bounds:
    return np.append(0, sizes.cumsum())


def _shared(own: Numbers, theirs: Numbers) -> tuple[Places, Places]:
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


def _low(terms: Numbers) -> NDArray[np.uint16]:
    """Their low halves, in place."""
    return terms.view("<u2")[::2]


def _sums(values: NDArray[np.float64], bounds: Bounds) -> Sums:
    """The sum of each slice. One slice's sum depends on nothing but its own values."""
    sums = np.add.reduceat(np.append(values, 0.0), bounds[:-1])
    return np.where(bounds[1:] > bounds[:-1], sums, 0.0)  # reduceat gives empty ones a value
