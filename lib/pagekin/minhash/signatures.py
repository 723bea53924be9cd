"""Signatures of bags: m numbers of 4 bytes each, equal as often as two bags are similar [SIM 6.2].

For every position, Pr[signature of u = signature of v] is the *weighted* bag Jaccard of u and v,
the sum of minima over the sum of maxima; the share of equal positions estimates it. A min-hash of
the set of terms, without weights, was measured to be off by 0.15 at m = 80.

Three methods, each in a module that says how it works and what it costs:

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

import numpy as np
from numpy.typing import NDArray

from pagekin.config import SignatureConfig
from pagekin.minhash.darts import cells_of, make_darts
from pagekin.minhash.hashing import EMPTY
from pagekin.minhash.icws import make_icws
from pagekin.minhash.linear import make_linear
from pagekin.text.words import Terms

__all__ = ["EMPTY", "Signatures", "Signer", "make_signer"]

Signatures = NDArray[np.uint32]
Weights = NDArray[np.float32]
Bounds = NDArray[np.int64]

_BATCH = 32_768  # terms, darts or copies at a time: measured, smaller and larger are slower
_TOLERANCE = 1e-3  # of the sum 1; 32-bit weights keep it to 1e-6


@dataclass(frozen=True)
class Signer:
    """Makes signatures, all alike; `make_signer` gives one."""

    config: SignatureConfig
    normalised: bool
    _sign: Callable[[Terms, Weights, Bounds], Signatures]  # of bags none of which is empty
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

    def _sign_batch(self, terms: Terms, weights: Weights, sizes: Bounds, rows: Signatures) -> None:
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
    return Signer(config, normalised, make_darts(seed, count), cells_of(count))


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


def _check_sums(weights: Weights, sizes: Bounds) -> None:
    """Sums as whole numbers of 2^-40, where no order of addition shows."""
    if weights.max() <= 1 + _TOLERANCE:
        fine = (weights.astype(np.float64) * 2.0**40).astype(np.int64)
        sums = np.add.reduceat(fine, np.cumsum(sizes) - sizes) * 2.0**-40
        if np.abs(sums - 1).max() <= _TOLERANCE:
            return
    raise ValueError("these bags have not the sum 1; sign them with normalised=False")
