"""How many different URLs a whole snapshot links to, from how often a sample links to each.

A URL that is linked from k pages of the sample is taken as drawn by chance at a rate of its own.
What mixture of rates makes the numbers of URLs with 1, 2, 3 ... linking pages most likely is found
by expectation and maximisation on a grid of rates. At t times the sample a URL of rate r is seen
with the chance 1 - exp(-r t). This sees both a core of pages that is soon known (few with one link)
and the long tail of those that are linked from one page each, which goes on for ever.

Rests on the mixed Poisson model of the unseen species problem. From ten times the sample on, what
is thought of the rarest URLs decides: the bounds are a tail that ends here, and one that goes on.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from pagekin.planning.growth import Estimate

__all__ = ["grown_distinct"]

_RATES = 48  # of the grid
_LOWEST = 1e-3  # rate: seen once in a thousand such samples
_ROUNDS = 400  # more make the mixture no likelier than chance does
_MOST = 400  # linking pages: what is known as well as that is known

Floats = NDArray[np.float64]


def grown_distinct(frequencies: Mapping[int, int], times: float) -> Estimate:
    """Distinct things in `times` the sample, where so many were seen 1, 2, 3 ... times in it.

    >>> grown_distinct({1: 10}, 1.0).value
    10.0
    """
    seen = sum(frequencies.values())
    if not seen or times <= 1:
        return Estimate(*[float(seen)] * 3)
    known = sum(n for k, n in frequencies.items() if k > _MOST)
    counts = np.array([k for k in sorted(frequencies) if k <= _MOST], dtype=np.float64)
    numbers = np.array([frequencies[int(k)] for k in counts], dtype=np.float64)
    rates = np.geomspace(_LOWEST, 2.0 * _MOST, _RATES)
    weights = _mixture(counts, numbers, rates)
    value = float(weights @ _chances(rates, times))
    once, twice = frequencies.get(1, 0), frequencies.get(2, 0)
    # a lower bound of all that are not seen (Chao), and singletons that go on for ever
    hidden = once * once / (2 * twice) if twice else once * (once - 1) / 2
    low = seen + hidden * (1 - (1 - once / max(hidden + once, 1)) ** (times - 1)) if once else seen
    high = seen + once * (times - 1)
    value = min(max(known + value, seen), high)
    return Estimate(value, min(float(low), value), float(high))


def _mixture(counts: Floats, numbers: Floats, rates: Floats) -> Floats:
    """How many seen things there are of each rate, divided by the chance to be seen."""
    logs = counts[:, None] * np.log(rates) - rates - _log_factorials(counts)[:, None]
    likely = np.exp(logs) / _chances(rates, 1.0)  # of a thing that was seen
    weights = np.full(len(rates), 1 / len(rates))
    for _ in range(_ROUNDS):
        shares = likely * weights
        shares *= (numbers / np.maximum(shares.sum(axis=1), 1e-300))[:, None]
        weights = shares.sum(axis=0) / numbers.sum()
    return np.asarray(weights * numbers.sum() / _chances(rates, 1.0), dtype=np.float64)


def _chances(rates: Floats, times: float) -> Floats:
    return np.asarray(-np.expm1(-rates * times), dtype=np.float64)


def _log_factorials(counts: Floats) -> Floats:
    table = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, _MOST + 1)))])
    return np.asarray(table[counts.astype(np.int64)], dtype=np.float64)
