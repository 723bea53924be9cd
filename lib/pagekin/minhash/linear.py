"""The paper's signatures: plain min-hash by linear functions over copies of the terms [SIM 6.2].

A term becomes as many numbered copies as its weight times `copies` says, rounded up or down by a
hash of the term so that the mean is right; of all copies x the least (a x + b) mod p gives the
signature, with a and b drawn for each position.

Kept for comparison with the paper. It estimates the Jaccard of the *rounded* bags: a term lighter
than 1 / `copies` is in or out as a whole, which adds error that a larger m does not take away; and
linear functions are not quite min-wise independent. Darts are more exact at a tenth of the price.
Copies of one term are cut at 65,535. The first m signatures of a larger number are those for m.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from pagekin.minhash.hashing import LOW, STEP, Hashes, as_signatures, mix, seeded, stream

__all__ = ["make_linear"]

_P = np.uint64((1 << 31) - 1)  # a Mersenne prime: the remainder needs no division
_P_BITS = np.uint64(31)
_MOST = 65_535
_FINE = 24

Whole = NDArray[np.int64]


def make_linear(
    seed: int, positions: int, copies: int
) -> Callable[[NDArray[np.uint32], NDArray[np.float32], Whole], NDArray[np.uint32]]:
    """The function from bags (terms, weights above 0, number of terms of each) to rows."""
    secret, *drawn = stream(seed, 1 + 2 * positions)
    factors = [n % (_P - np.uint64(1)) + np.uint64(1) for n in drawn[::2]]
    shifts = [n % _P for n in drawn[1::2]]

    def sign(
        terms: NDArray[np.uint32], weights: NDArray[np.float32], sizes: Whole
    ) -> NDArray[np.uint32]:
        bases = seeded(terms, secret)
        counts = _count_copies(bases, weights, copies)
        firsts = np.cumsum(sizes) - sizes
        counts[firsts[np.add.reduceat(counts, firsts) == 0]] = 1
        x = _copies(bases, counts)
        totals = np.add.reduceat(counts, firsts)
        starts = np.cumsum(totals) - totals
        names, x = x & LOW, x >> np.uint64(33)
        rows = np.empty((len(sizes), positions), np.uint32)
        for j, (a, b) in enumerate(zip(factors, shifts, strict=True)):
            ranked = (_remainder(x * a + b) << np.uint64(32)) | names
            rows[:, j] = as_signatures(np.minimum.reduceat(ranked, starts))
        return rows

    return sign


def _count_copies(bases: Hashes, weights: NDArray[np.float32], copies: int) -> Whole:
    most = np.minimum(weights.astype(np.float64) * copies, float(_MOST))
    fine = (most * (1 << _FINE)).astype(np.int64)
    fine += (bases >> np.uint64(64 - _FINE)).view(np.int64)
    return fine >> np.int64(_FINE)


def _copies(bases: Hashes, counts: Whole) -> Hashes:
    """A random number for each copy of each term."""
    firsts = np.cumsum(counts) - counts
    number = np.arange(counts.sum()) - np.repeat(firsts, counts) + 1
    return mix(np.repeat(bases, counts) + number.view(np.uint64) * STEP)


def _remainder(numbers: Hashes) -> Hashes:
    """Modulo p, but that a multiple of p may stay p: nothing else is p, so it is as good as 0."""
    folded = (numbers & _P) + (numbers >> _P_BITS)
    return (folded & _P) + (folded >> _P_BITS)
