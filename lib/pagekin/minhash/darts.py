"""Signatures by weighted darts, for bags of the sum 1: all positions from one handful of hashes.

A term's weight is a stretch from 0. Marks stand on it at equal distances, from a hashed offset on,
`cells` of them to a stretch of 1; a mark below the weight is a dart. So a bag has about `cells`
darts, a heavy term many, a light one none or one, and two bags share exactly the marks below the
smaller weight. A hash throws each dart into one of the m positions, and of those in a position the
one of least rank is its signature: the bags agree there when the least of their union is shared,
with the probability (shared marks) / (all marks) = weighted Jaccard.

A position that no dart has met takes the least of the next throw of the same darts: the throw's
number stands before the rank, so that the union is still ordered the same way for both bags.

After DartMinHash (Christiani: DartMinHash: Fast Sketching for Weighted Sets, 2020), with two
changes that make the estimate better than m independent samples (docs/measurements/signatures.md):

- marks at equal distances in place of a Poisson process: the number of darts varies less;
- the ranks of one term's darts are a scrambled van der Corput sequence: of k darts, for any k, the
  ranks lie evenly, and so the number of positions that a heavy term wins varies less.

The price is a bias of the order of 1 / cells of the similarity, which the tests could not see. Only
whole numbers decide, so the result is the same on every machine. The signatures of a smaller m are
no prefix of those of a larger one.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count

import numpy as np
from numpy.typing import NDArray

from pagekin.minhash.hashing import LOW, STEP, Hashes, as_signatures, mix, seeded, stream

__all__ = ["cells_of", "make_darts"]

PER_POSITION = 4  # darts; from 2 to 6 speed and error are the same, with 1 the error grows by 5 %
_FEWEST = 64  # darts a bag: with fewer, a bag of many light terms might hold none
_FINE = 24  # bits of a place within a cell; with those of a weight they fit into 53
_NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
_ALL_ONES = np.int64((1 << _FINE) - 1)

Whole = NDArray[np.int64]


def cells_of(positions: int) -> int:
    """How many darts a bag has, more or less."""
    return max(_FEWEST, PER_POSITION * positions)


def make_darts(
    seed: int, positions: int
) -> Callable[[NDArray[np.uint32], NDArray[np.float32], Whole], NDArray[np.uint32]]:
    """The function from bags (terms, weights, number of terms of each; none empty) to rows."""
    secret = stream(seed, 1)[0]
    cells = cells_of(positions)
    ranks = _reversed_bits(2 * cells)

    def sign(
        terms: NDArray[np.uint32], weights: NDArray[np.float32], sizes: Whole
    ) -> NDArray[np.uint32]:
        bases = seeded(terms, secret)
        counts = _count_darts(bases, weights, cells)
        starts = np.cumsum(sizes) - sizes
        counts[starts[np.add.reduceat(counts, starts) == 0]] = 1  # once in e^64 bags
        rows = np.repeat(np.arange(len(sizes), dtype=np.int64) * positions, sizes)
        keys = np.full(len(sizes) * positions, _NONE)
        _throw(bases, counts, rows, ranks, keys.reshape(-1, positions))
        return as_signatures(keys).reshape(-1, positions)

    return sign


def _reversed_bits(size: int) -> Hashes:
    """The van der Corput sequence: the 32 bits of each number in the other order."""
    numbers = np.arange(size, dtype=np.uint64)
    turned = np.zeros_like(numbers)
    for bit in range(32):
        turned |= ((numbers >> np.uint64(bit)) & np.uint64(1)) << np.uint64(31 - bit)
    return turned


def _count_darts(bases: Hashes, weights: NDArray[np.float32], cells: int) -> Whole:
    """Marks below each weight; the product is exact, for 24 bits times a small number."""
    heights = (weights.astype(np.float64) * float(cells << _FINE)).astype(np.int64)
    heights += _ALL_ONES
    heights -= (bases >> np.uint64(64 - _FINE)).view(np.int64)
    heights >>= np.int64(_FINE)
    return heights


def _throw(bases: Hashes, counts: Whole, rows: Whole, ranks: Hashes, keys: Hashes) -> None:
    """Fill `keys` (a row for each bag): the rank in the high half, the signature in the low."""
    some = np.flatnonzero(counts)
    counts = counts[some]
    firsts = np.cumsum(counts) - counts
    terms = np.repeat(np.arange(len(some)), counts)
    copies = np.arange(len(terms)) - firsts[terms]
    rows, darts = rows[some][terms], bases[some][terms]
    key = ranks[copies]
    key ^= darts & LOW
    key <<= np.uint64(32)
    darts += (copies.view(np.uint64) + np.uint64(1)) * STEP
    mix(darts)
    key |= darts & LOW
    np.minimum.at(keys.reshape(-1), rows + _position(darts, keys.shape[1]), key)
    _throw_again(darts, rows, keys)


def _position(darts: Hashes, positions: int) -> Whole:
    """The position that a dart falls into, by its 16 highest bits."""
    scaled = (darts >> np.uint64(48)) * np.uint64(positions)
    scaled >>= np.uint64(16)
    return scaled.view(np.int64)


def _throw_again(darts: Hashes, rows: Whole, keys: Hashes) -> None:
    """Throw the darts of bags with empty positions until there are none."""
    flat, positions = keys.reshape(-1), keys.shape[1]
    for _ in count():
        lacking = (keys == _NONE).any(axis=1)
        if not lacking.any():
            return
        of_these = lacking[rows // positions]
        rows, darts = rows[of_these], darts[of_these]
        darts += STEP
        mix(darts)
        places = rows + _position(darts, positions)
        late = np.flatnonzero(flat[places] == _NONE)
        chosen = darts[late]
        key = ((chosen << np.uint64(16)) & ~LOW) | (chosen & LOW)
        np.minimum.at(flat, places[late], key)
