"""Consistent weighted sampling by hashing, for bags of any sum: each position looks at every term.

For a position and a term let r and c be drawn from Gamma(2, 1) and b from [0, 1). With

    t = floor(ln(weight) / r + b),    ln y = r (t - b),    ln a = ln c - ln y - r

the term of least a, with its t, is the bag's sample, and two bags have the same sample with the
probability of their weighted Jaccard (Ioffe: Improved Consistent Sampling, Weighted Minhash and L1
Sketching, 2010). The draws come from a hash of seed, position and term.

The result is the same on every machine although logarithms are in it, because none of them is the
C library's, whose last bits differ: draws are looked up in tables of quantiles that additions,
multiplications and divisions make (IEEE 754 defines these to the last bit), the logarithm of a
weight is a series of them, and all else is 32-bit arithmetic in a fixed order. Equal a (by
rounding) go to the smaller term. The tables make r and c discrete: r in 16,384 steps of equal
probability, c in steps of 1/512 of its probability, so that the least are as fine as the greatest.

The first m signatures of a larger number are the signatures for m. Ten to twenty times slower than
darts, and of binomial error: for weights that are not normalised.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.minhash.hashing import LOW, STEP, Hashes, as_signatures, mix, seeded, stream

__all__ = ["make_icws", "natural_log"]

_R_BITS = 14
_B_BITS = 18
_C_SHIFT = 14  # of a 32-bit float: what is left are the exponent and 9 bits of the mantissa

# The grid on which Gamma(2, 1) is inverted: geometric, from where nothing lies below 2^-34.
_GRID_START = 2.0**-18
_GRID_LOG_START = -12.476649250079015  # ln 2^-18
_GRID_RATIO = 1 + 2.0**-11
_GRID_LOG_RATIO = 0.00048816207950135104  # ln(1 + 2^-11)
_GRID_SIZE = 34_500  # to 77, beyond which nothing lies
_GAMMA_TERMS = 240  # of the series of exp(77)

_LN_2 = 0.6931471805599453
_ROOT_HALF = 0.7071067811865476
_LOG_TERMS = 12  # of the series of artanh up to 0.172: beyond 64 bits

Whole = NDArray[np.int64]
Floats = NDArray[np.float32]


class _Tables(NamedTuple):
    r: Floats
    log_c: Floats
    c_start: int  # the index, before subtraction, of log_c[0]


def make_icws(
    seed: int, positions: int
) -> Callable[[NDArray[np.uint32], Floats, Whole], NDArray[np.uint32]]:
    """The function from bags (terms, weights above 0, number of terms of each) to rows."""
    secret, *keys = stream(seed, 1 + positions)
    tables = _tables()

    def sign(terms: NDArray[np.uint32], weights: Floats, sizes: Whole) -> NDArray[np.uint32]:
        bases = seeded(terms, secret)
        logs = natural_log(weights.astype(np.float64)).astype(np.float32)
        starts = np.cumsum(sizes) - sizes
        rows = np.empty((len(sizes), positions), np.uint32)
        for j, key in enumerate(keys):
            rows[:, j] = _sample(bases, logs, starts, key, tables)
        return rows

    return sign


def _sample(
    bases: Hashes, logs: Floats, starts: Whole, key: np.uint64, tables: _Tables
) -> NDArray[np.uint32]:
    """One position of every bag."""
    draws = mix(bases ^ key)
    r = tables.r[(draws >> np.uint64(64 - _R_BITS)).view(np.int64)]
    b = _fraction(draws)
    steps = np.floor(logs / r + b)
    heights = _log_c(draws, tables)
    heights -= r * (steps - b)
    heights -= r
    least = _argmin(heights, starts)
    winners = bases[least] + steps[least].astype(np.int64).view(np.uint64) * STEP
    return as_signatures(mix(winners))


def _fraction(draws: Hashes) -> Floats:
    bits = (draws >> np.uint64(32)) & np.uint64((1 << _B_BITS) - 1)
    return bits.astype(np.float32) * np.float32(2.0**-_B_BITS)


def _log_c(draws: Hashes, tables: _Tables) -> Floats:
    """The quantile of the low half; its place in the table is the head of a 32-bit float."""
    numbers = ((draws & LOW) + np.uint64(1)).astype(np.float32)
    index = numbers.view(np.int32) >> _C_SHIFT
    quantiles: Floats = tables.log_c[index - tables.c_start]
    return quantiles


def _argmin(heights: Floats, starts: Whole) -> Whole:
    """Where the least height of each bag stands; of equal ones the first."""
    order = heights.view(np.int32).astype(np.int64)
    order ^= (order >> np.int64(63)) & np.int64(0x7FFFFFFF)  # floats below 0 run backwards
    order <<= np.int64(32)
    order |= np.arange(len(heights))
    least = np.minimum.reduceat(order, starts)
    return least & np.int64(0xFFFFFFFF)


def natural_log(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """ln by operations that are exactly defined; right to 1e-15 relative to the larger of 1."""
    mantissas, exponents = np.frexp(numbers)
    low = mantissas < _ROOT_HALF
    mantissas = np.where(low, 2 * mantissas, mantissas)
    powers = (exponents - low).astype(np.float64)
    z = (mantissas - 1) / (mantissas + 1)  # ln x = 2 artanh z
    square = z * z
    total = np.zeros_like(z)
    for odd in range(2 * _LOG_TERMS + 1, 0, -2):
        total = total * square + 1.0 / odd
    result: NDArray[np.float64] = powers * _LN_2 + 2 * z * total
    return result


# --- tables: once a process, 40 ms ---------------------------------------------------------------


@cache
def _tables() -> _Tables:
    grid = np.multiply.accumulate(
        np.concatenate(([_GRID_START], np.full(_GRID_SIZE - 1, _GRID_RATIO)))
    )
    below = _gamma_below(grid)
    r = grid[np.searchsorted(below, (np.arange(1 << _R_BITS) + 0.5) / (1 << _R_BITS))]
    edges, first = _c_edges()
    at = np.searchsorted(below, (edges[:-1] + edges[1:]) / 2)
    r = r * (1 - (_GRID_RATIO - 1) / 2)  # from the end of a step to its middle
    log_c = _GRID_LOG_START + (at - 0.5) * _GRID_LOG_RATIO
    return _Tables(r.astype(np.float32), log_c.astype(np.float32), first)


def _gamma_below(c: NDArray[np.float64]) -> NDArray[np.float64]:
    """How much of Gamma(2, 1) lies below c: 1 - (1 + c) / e^c, without loss near 0."""
    term, rest = np.ones_like(c), np.zeros_like(c)
    for k in range(1, _GAMMA_TERMS):
        term = term * c / k
        if k > 1:
            rest = rest + term
    result: NDArray[np.float64] = rest / (rest + c + 1)
    return result


def _c_edges() -> tuple[NDArray[np.float64], int]:
    """The probabilities at which one 32-bit float's head gives way to the next, and the first."""
    first, last = (int(np.float32(n).view(np.int32)) >> _C_SHIFT for n in (1.0, 2.0**32))
    heads = (np.arange(first, last + 2, dtype=np.int32) << _C_SHIFT).view(np.float32)
    return np.minimum(heads.astype(np.float64) * 2.0**-32, 1.0), first
