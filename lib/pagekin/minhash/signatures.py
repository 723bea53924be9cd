"""Signatures of bags: m numbers of 4 bytes each, equal as often as two bags are similar [SIM 6.2].

For every position, Pr[signature of u = signature of v] is the *weighted* bag Jaccard of u and v,
the sum of minima over the sum of maxima; the share of equal positions estimates it. A min-hash of
the set of terms, without weights, was measured to be off by 0.15 at m = 80.

There are three methods; each is explained below, where it begins:

    darts    the default: for bags of the sum 1; the fastest, and the least error
    icws     for weights of any sum
    linear   the paper's: copies of terms under linear functions; for comparison

The row of a bag is a function of this bag and the configuration: the same bits in any batch and on
any machine. A bag without weight has the reserved number EMPTY in all places, and no other bag has
it. Two different samples have the same 4 bytes once in 2^32.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.config import SignatureConfig
from pagekin.text.words import Terms

__all__ = [
    "EMPTY",
    "Signatures",
    "Signer",
    "as_signatures",
    "make_darts",
    "make_icws",
    "make_linear",
    "make_signer",
    "natural_log",
]

EMPTY = 0xFFFFFFFF  # the signature of a bag that holds nothing; no other bag has it

_BATCH = 32_768  # terms, darts or copies at a time: measured, smaller and larger are slower
_TOLERANCE = 1e-3  # of the sum 1; 32-bit weights keep it to 1e-6

Signatures = NDArray[np.uint32]
Weights = NDArray[np.float32]
Bounds = NDArray[np.int64]
Counts = NDArray[np.int64]
Hashes = NDArray[np.uint64]
Floats = NDArray[np.float32]
Method = Callable[[Terms, Weights, Counts], Signatures]  # the last: how many terms each bag has


@dataclass(frozen=True)
class Signer:
    """Makes signatures, all alike; `make_signer` gives one."""

    config: SignatureConfig
    normalised: bool
    _sign: Method  # of bags none of which is empty
    _overhead: int  # what a bag costs besides its terms, counted in terms

    def sign(self, terms: Terms, weights: Weights, bounds: Bounds) -> Signatures:
        """A row for each of n bags: the i-th has the terms from bounds[i] to bounds[i + 1]."""
        _check(weights)
        rows = np.full((len(bounds) - 1, self.config.count), EMPTY, np.uint32)
        for first, last in _batches(bounds, self._overhead):
            part = slice(int(bounds[first]), int(bounds[last]))
            sizes = np.diff(bounds[first : last + 1])
            self._sign_batch(terms[part], weights[part], sizes, rows[first:last])
        return rows

    def _sign_batch(self, terms: Terms, weights: Weights, sizes: Counts, rows: Signatures) -> None:
        if not weights.all():  # a weight of 0 is no term
            heavy = weights > 0
            ends = np.concatenate(([0], np.cumsum(heavy)))[np.cumsum(sizes)]
            terms, weights, sizes = terms[heavy], weights[heavy], np.diff(ends, prepend=0)
        full = sizes > 0
        if full.any():
            sizes = sizes[full]
            if self.normalised:
                _check_sums(weights, sizes)
            rows[full] = self._sign(terms, weights, sizes)


def make_signer(config: SignatureConfig, *, normalised: bool = True) -> Signer:
    """What signs bags in the way of `config`; are they scaled to the sum 1?"""
    seed, count = config.seed, config.count
    if config.method == "icws":
        return Signer(config, normalised, make_icws(seed, count), 0)
    if config.method == "linear":
        copies = config.copies
        return Signer(config, normalised, make_linear(seed, count, copies), copies)
    if not normalised:
        raise ValueError("darts need bags of the sum 1; icws takes any")
    return Signer(config, normalised, make_darts(seed, count), _cells_of(count))


def _batches(bounds: Bounds, overhead: int) -> Iterator[tuple[int, int]]:
    """Runs of bags of about equal work; a bag lies in one of them as a whole."""
    work = bounds - bounds[0] + overhead * np.arange(len(bounds))
    first = 0
    while first < len(bounds) - 1:
        last = int(np.searchsorted(work, work[first] + _BATCH, side="right")) - 1
        last = max(last, first + 1)
        yield first, last
        first = last


def _check(weights: Weights) -> None:
    if len(weights) and not (weights.min() >= 0 and np.isfinite(weights.max())):
        raise ValueError("weights of a bag must be finite and not below 0")


def _check_sums(weights: Weights, sizes: Counts) -> None:
    """Sums as whole numbers of 2^-40, where no order of addition shows."""
    if weights.max() <= 1 + _TOLERANCE:
        fine = (weights.astype(np.float64) * 2.0**40).astype(np.int64)
        sums = np.add.reduceat(fine, np.cumsum(sizes) - sizes) * 2.0**-40
        if np.abs(sums - 1).max() <= _TOLERANCE:
            return
    raise ValueError("these bags have not the sum 1; sign them with normalised=False")


# --- hashing --------------------------------------------------------------------------------------
#
# All methods draw from whole numbers of 64 bits and nothing else, so that every machine draws the
# same. The mixing function is the finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable
# Pseudorandom Number Generators, 2014, with Stafford's constants). No cryptography: whoever knows
# the seed can make bags collide.

_LOW = np.uint64(0xFFFFFFFF)
_STEP = np.uint64(0x9E3779B97F4A7C15)  # 2^64 / golden ratio, odd: its multiples lie far apart
_FACTOR_1 = np.uint64(0xBF58476D1CE4E5B9)
_FACTOR_2 = np.uint64(0x94D049BB133111EB)


def _mix(numbers: Hashes) -> Hashes:
    """Numbers stirred in place, one to one."""
    numbers ^= numbers >> np.uint64(30)
    numbers *= _FACTOR_1
    numbers ^= numbers >> np.uint64(27)
    numbers *= _FACTOR_2
    numbers ^= numbers >> np.uint64(31)
    return numbers


def _stream(seed: int, count: int) -> Hashes:
    """The first `count` random numbers of a seed."""
    numbers = np.arange(1, count + 1, dtype=np.uint64)
    numbers *= _STEP
    numbers += np.uint64(seed)
    return _mix(numbers)


def _seeded(terms: Terms, seed: np.uint64) -> Hashes:
    """A random number for each term."""
    numbers = terms.astype(np.uint64)
    numbers ^= seed
    return _mix(numbers)


def as_signatures(numbers: Hashes) -> Signatures:
    """The low 32 bits, but never the reserved value."""
    signatures: Signatures = numbers.astype(np.uint32)  # drops the high half
    return np.minimum(signatures, np.uint32(EMPTY - 1))


# --- darts ----------------------------------------------------------------------------------------
#
# Signatures by weighted darts, for bags of the sum 1: all positions from one handful of hashes.
#
# A term's weight is a stretch from 0. Marks stand on it at equal distances, from a hashed offset
# on, `cells` of them to a stretch of 1; a mark below the weight is a dart. So a bag has about
# `cells` darts, a heavy term many, a light one none or one, and two bags share exactly the marks
# below the smaller weight. A hash throws each dart into one of the m positions, and of those in a
# position the one of least rank is its signature: the bags agree there when the least of their
# union is shared, with the probability (shared marks) / (all marks) = weighted Jaccard.
#
# A position that no dart has met takes the least of the next throw of the same darts: the throw's
# number stands before the rank, so that the union is still ordered the same way for both bags.
#
# After DartMinHash (Christiani: DartMinHash: Fast Sketching for Weighted Sets, 2020), with two
# changes that make the estimate better than m independent samples
# (docs/measurements/signatures.md):
#
# - marks at equal distances in place of a Poisson process: the number of darts varies less;
# - the ranks of one term's darts are a scrambled van der Corput sequence: of k darts, for any k,
#   the ranks lie evenly, and so the number of positions that a heavy term wins varies less.
#
# The price is a bias of the order of 1 / cells of the similarity, which the tests could not see.
# Only whole numbers decide, so the result is the same on every machine. The signatures of a smaller
# m are no prefix of those of a larger one.

_PER_POSITION = 4  # darts; from 2 to 6 speed and error are the same, with 1 the error grows by 5 %
_FEWEST = 64  # darts a bag: with fewer, a bag of many light terms might hold none
_FINE = 24  # bits of a place within a cell; with those of a weight they fit into 53
_NONE = np.uint64(0xFFFFFFFFFFFFFFFF)
_ALL_ONES = np.int64((1 << _FINE) - 1)


def _cells_of(positions: int) -> int:
    """How many darts a bag has, more or less."""
    return max(_FEWEST, _PER_POSITION * positions)


def make_darts(seed: int, positions: int) -> Method:
    """The function from bags (terms, weights, number of terms of each; none empty) to rows."""
    secret = _stream(seed, 1)[0]
    cells = _cells_of(positions)
    ranks = _reversed_bits(2 * cells)

    def sign(terms: Terms, weights: Weights, sizes: Counts) -> Signatures:
        bases = _seeded(terms, secret)
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


def _count_darts(bases: Hashes, weights: Weights, cells: int) -> Counts:
    """Marks below each weight; the product is exact, for 24 bits times a small number."""
    heights = (weights.astype(np.float64) * float(cells << _FINE)).astype(np.int64)
    heights += _ALL_ONES
    heights -= (bases >> np.uint64(64 - _FINE)).view(np.int64)
    heights >>= np.int64(_FINE)
    return heights


def _throw(bases: Hashes, counts: Counts, rows: Counts, ranks: Hashes, keys: Hashes) -> None:
    """Fill `keys` (a row for each bag): the rank in the high half, the signature in the low."""
    some = np.flatnonzero(counts)
    counts = counts[some]
    firsts = np.cumsum(counts) - counts
    terms = np.repeat(np.arange(len(some)), counts)
    copies = np.arange(len(terms)) - firsts[terms]
    rows, darts = rows[some][terms], bases[some][terms]
    key = ranks[copies]
    key ^= darts & _LOW
    key <<= np.uint64(32)
    darts += (copies.view(np.uint64) + np.uint64(1)) * _STEP
    _mix(darts)
    key |= darts & _LOW
    np.minimum.at(keys.reshape(-1), rows + _position(darts, keys.shape[1]), key)
    _throw_again(darts, rows, keys)


def _position(darts: Hashes, positions: int) -> Counts:
    """The position that a dart falls into, by its 16 highest bits."""
    scaled = (darts >> np.uint64(48)) * np.uint64(positions)
    scaled >>= np.uint64(16)
    return scaled.view(np.int64)


def _throw_again(darts: Hashes, rows: Counts, keys: Hashes) -> None:
    """Throw the darts of bags with empty positions until there are none."""
    flat, positions = keys.reshape(-1), keys.shape[1]
    for _ in count():
        lacking = (keys == _NONE).any(axis=1)
        if not lacking.any():
            return
        of_these = lacking[rows // positions]
        rows, darts = rows[of_these], darts[of_these]
        darts += _STEP
        _mix(darts)
        places = rows + _position(darts, positions)
        late = np.flatnonzero(flat[places] == _NONE)
        chosen = darts[late]
        key = ((chosen << np.uint64(16)) & ~_LOW) | (chosen & _LOW)
        np.minimum.at(flat, places[late], key)


# --- icws -----------------------------------------------------------------------------------------
#
# Consistent weighted sampling by hashing, for bags of any sum: each position looks at every term.
#
# For a position and a term let r and c be drawn from Gamma(2, 1) and b from [0, 1). With
#
#     t = floor(ln(weight) / r + b),    ln y = r (t - b),    ln a = ln c - ln y - r
#
# the term of least a, with its t, is the bag's sample, and two bags have the same sample with the
# probability of their weighted Jaccard (Ioffe: Improved Consistent Sampling, Weighted Minhash and
# L1 Sketching, 2010). The draws come from a hash of seed, position and term.
#
# The result is the same on every machine although logarithms are in it, because none of them is the
# C library's, whose last bits differ: draws are looked up in tables of quantiles that additions,
# multiplications and divisions make (IEEE 754 defines these to the last bit), the logarithm of a
# weight is a series of them, and all else is 32-bit arithmetic in a fixed order. Equal a (by
# rounding) go to the smaller term. The tables make r and c discrete: r in 16,384 steps of equal
# probability, c in steps of 1/512 of its probability, so that the least are as fine as the
# greatest.
#
# The first m signatures of a larger number are the signatures for m. Ten to twenty times slower
# than darts, and of binomial error: for weights that are not normalised.

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


class _Tables(NamedTuple):
    r: Floats
    log_c: Floats
    c_start: int  # the index, before subtraction, of log_c[0]


def make_icws(seed: int, positions: int) -> Method:
    """The function from bags (terms, weights above 0, number of terms of each) to rows."""
    secret, *keys = _stream(seed, 1 + positions)
    tables = _tables()

    def sign(terms: Terms, weights: Weights, sizes: Counts) -> Signatures:
        bases = _seeded(terms, secret)
        logs = natural_log(weights.astype(np.float64)).astype(np.float32)
        starts = np.cumsum(sizes) - sizes
        rows = np.empty((len(sizes), positions), np.uint32)
        for j, key in enumerate(keys):
            rows[:, j] = _sample(bases, logs, starts, key, tables)
        return rows

    return sign


def _sample(
    bases: Hashes, logs: Floats, starts: Counts, key: np.uint64, tables: _Tables
) -> Signatures:
    """One position of every bag."""
    draws = _mix(bases ^ key)
    r = tables.r[(draws >> np.uint64(64 - _R_BITS)).view(np.int64)]
    b = _fraction(draws)
    steps = np.floor(logs / r + b)
    heights = _log_c(draws, tables)
    heights -= r * (steps - b)
    heights -= r
    least = _argmin(heights, starts)
    winners = bases[least] + steps[least].astype(np.int64).view(np.uint64) * _STEP
    return as_signatures(_mix(winners))


def _fraction(draws: Hashes) -> Floats:
    bits = (draws >> np.uint64(32)) & np.uint64((1 << _B_BITS) - 1)
    return bits.astype(np.float32) * np.float32(2.0**-_B_BITS)


def _log_c(draws: Hashes, tables: _Tables) -> Floats:
    """The quantile of the low half; its place in the table is the head of a 32-bit float."""
    numbers = ((draws & _LOW) + np.uint64(1)).astype(np.float32)
    index = numbers.view(np.int32) >> _C_SHIFT
    quantiles: Floats = tables.log_c[index - tables.c_start]
    return quantiles


def _argmin(heights: Floats, starts: Counts) -> Counts:
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


# --- linear ---------------------------------------------------------------------------------------
#
# The paper's signatures: plain min-hash by linear functions over copies of the terms [SIM 6.2].
#
# A term becomes as many numbered copies as its weight times `copies` says, rounded up or down by a
# hash of the term so that the mean is right; of all copies x the least (a x + b) mod p gives the
# signature, with a and b drawn for each position.
#
# Kept for comparison with the paper. It estimates the Jaccard of the *rounded* bags: a term lighter
# than 1 / `copies` is in or out as a whole, which adds error that a larger m does not take away;
# and linear functions are not quite min-wise independent. Darts are more exact at a tenth of the
# price. Copies of one term are cut at 65,535. The first m signatures of a larger number are those
# for m.

_P = np.uint64((1 << 31) - 1)  # a Mersenne prime: the remainder needs no division
_P_BITS = np.uint64(31)
_MOST = 65_535


def make_linear(seed: int, positions: int, copies: int) -> Method:
    """The function from bags (terms, weights above 0, number of terms of each) to rows."""
    secret, *drawn = _stream(seed, 1 + 2 * positions)
    factors = [n % (_P - np.uint64(1)) + np.uint64(1) for n in drawn[::2]]
    shifts = [n % _P for n in drawn[1::2]]

    def sign(terms: Terms, weights: Weights, sizes: Counts) -> Signatures:
        bases = _seeded(terms, secret)
        counts = _count_copies(bases, weights, copies)
        firsts = np.cumsum(sizes) - sizes
        counts[firsts[np.add.reduceat(counts, firsts) == 0]] = 1
        x = _copies(bases, counts)
        totals = np.add.reduceat(counts, firsts)
        starts = np.cumsum(totals) - totals
        names, x = x & _LOW, x >> np.uint64(33)
        rows = np.empty((len(sizes), positions), np.uint32)
        for j, (a, b) in enumerate(zip(factors, shifts, strict=True)):
            ranked = (_remainder(x * a + b) << np.uint64(32)) | names
            rows[:, j] = as_signatures(np.minimum.reduceat(ranked, starts))
        return rows

    return sign


def _count_copies(bases: Hashes, weights: Weights, copies: int) -> Counts:
    most = np.minimum(weights.astype(np.float64) * copies, float(_MOST))
    fine = (most * (1 << _FINE)).astype(np.int64)
    fine += (bases >> np.uint64(64 - _FINE)).view(np.int64)
    return fine >> np.int64(_FINE)


def _copies(bases: Hashes, counts: Counts) -> Hashes:
    """A random number for each copy of each term."""
    firsts = np.cumsum(counts) - counts
    number = np.arange(counts.sum()) - np.repeat(firsts, counts) + 1
    return _mix(np.repeat(bases, counts) + number.view(np.uint64) * _STEP)


def _remainder(numbers: Hashes) -> Hashes:
    """Modulo p, but that a multiple of p may stay p: nothing else is p, so it is as good as 0."""
    folded = (numbers & _P) + (numbers >> _P_BITS)
    return (folded & _P) + (folded >> _P_BITS)
