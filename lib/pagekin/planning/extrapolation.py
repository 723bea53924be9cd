"""From a few sub-samples to the whole: how one amount grows, and how sure that is.

Three models, each for another kind of amount:

`fit_curve`: what grows with the pages read. Sums grow in proportion. What is distinct (words, URLs)
grows by an exponent below 1, which is the same at all sizes for Heaps' law and falls where the
pages link to a limited set again and again. One curve has both as its limits; its exponent at x is
1 / (1 + (x / turn)^bend):

    y(x) = a x / (1 + (x / turn)^bend)^(1 / bend)

`bend` near 0 is a power law, bend = 1 the saturation y = a x / (1 + x / turn). What is kept only
where it comes together often enough (pairs above a threshold) grows faster than the pages; that
is a power law here with an exponent of at most 2, the law of pairs of independent things.

`fit_line`: what a task costs, a fixed part and one in proportion to its input.

`grown_distinct`: how many different URLs a whole snapshot links to, from how often a sample links
to each. A URL that is linked from k pages of the sample is taken as drawn by chance at a rate of
its own. What mixture of rates makes the numbers of URLs with 1, 2, 3 ... linking pages most likely
is found by expectation and maximisation on a grid of rates. At t times the sample a URL of rate r
is seen with the chance 1 - exp(-r t). This sees both a core of pages that is soon known (few with
one link) and the long tail of those that are linked from one page each, which goes on for ever. It
rests on the mixed Poisson model of the unseen species problem. From ten times the sample on, what
is assumed of the rarest URLs decides: the bounds are a tail that ends here, and one that goes on.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["NOTHING", "Curve", "Estimate", "fit_curve", "fit_line", "grown_distinct"]

_EXPONENT_ERROR = 0.02  # of an exponent between two sub-samples that differ by half their pages
_LINEAR = 0.02  # an exponent so near to 1 is 1
_BEND, _BEND_ERROR = 0.05, 0.1  # what is assumed of the bend before anything is measured
_MAX_EXPONENT, _MIN_EXPONENT = 2.0, 0.02
_FEW = 1000  # of so few that grow faster than the pages nobody knows how fast they do
_NEVER_SEEN = 3.0  # the 95 % bound of a count of which none was seen

_RATES = 48  # of the grid
_LOWEST_RATE = 1e-3  # seen once in a thousand such samples
_ROUNDS = 400  # more make the mixture no likelier than chance does
_MANY_LINKS = 400  # linking pages: a URL with more is sure to be in the whole too

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Estimate:
    """A predicted amount, and between which bounds it lies in all likelihood."""

    value: float
    low: float
    high: float

    @classmethod
    def exact(cls, amount: float) -> Estimate:
        """An amount without an error."""
        return cls(amount, amount, amount)

    def __add__(self, other: Estimate) -> Estimate:
        """The sum; both may err to the same side."""
        return Estimate(self.value + other.value, self.low + other.low, self.high + other.high)

    def __mul__(self, factor: float) -> Estimate:
        return Estimate(self.value * factor, self.low * factor, self.high * factor)

    def widened(self, error: float) -> Estimate:
        """The bounds moved apart by twice a relative standard error."""
        return Estimate(self.value, self.low / (1 + 2 * error), self.high * (1 + 2 * error))


NOTHING = Estimate.exact(0)


# --- amounts that grow by a curve ---


@dataclass(frozen=True)
class Curve:
    """Passes through `y` at `x` with an exponent, which bends."""

    x: float
    y: float
    exponent: float = 1.0
    bend: float = 0.0
    exponent_error: float = 0.0
    bend_error: float = 0.0

    def at(self, x: float) -> Estimate:
        """The amount for x pages."""
        if not self.y:
            return Estimate(0.0, 0.0, _NEVER_SEEN * max(1.0, x / self.x) ** _MAX_EXPONENT)
        value = self._at(x, self.exponent, self.bend)
        corners = [
            self._at(x, self.exponent + s * self.exponent_error, self.bend + b * self.bend_error)
            for s in (-1, 1)
            for b in (-1, 1)
        ]
        return Estimate(value, min(value, *corners), max(value, *corners))

    def at_estimate(self, x: Estimate, parts: int = 1) -> Estimate:
        """The same where x is an estimate itself; in equal parts, each of them on the curve."""
        return Estimate(
            self.at(x.value / parts).value * parts,
            self.at(x.low / parts).low * parts,
            self.at(x.high / parts).high * parts,
        )

    def _at(self, x: float, exponent: float, bend: float) -> float:
        factor = x / self.x
        exponent, bend = min(exponent, _MAX_EXPONENT), min(max(bend, 0.0), 1.0)
        if exponent >= 1 or bend < 1e-6:
            return self.y * math.pow(factor, max(exponent, _MIN_EXPONENT))
        exponent = max(exponent, _MIN_EXPONENT)
        odds = (1 - exponent) / exponent  # (x / turn)^bend
        share = (1 + odds) / (1 + odds * math.pow(factor, bend))
        return self.y * factor * math.pow(share, 1 / bend)


def fit_curve(xs: Sequence[float], ys: Sequence[float]) -> Curve:
    """The curve through the last of several sub-samples of ever more pages."""
    x, y = xs[-1], ys[-1]
    seen = [(a, b) for a, b in zip(xs, ys, strict=True) if a > 0 and b > 0]
    if len(seen) < 2:
        return Curve(x, y, exponent_error=0.5 if y else 0.0)
    logs = [(math.log(a), math.log(b)) for a, b in seen]
    span = logs[-1][0] - logs[0][0]
    if span <= 0:
        return Curve(x, y)
    exponent = (logs[-1][1] - logs[0][1]) / span
    # few of them scatter by more than that, as counts do
    error = max(_EXPONENT_ERROR, 1 / math.sqrt(seen[0][1])) / max(span / math.log(2), 0.5)
    if abs(exponent - 1) <= max(_LINEAR, error):
        return Curve(x, y, 1.0, 0.0, error)
    if exponent > 1:
        error = max(error, _MAX_EXPONENT - exponent) if y < _FEW else error
        return Curve(x, y, min(exponent, _MAX_EXPONENT), 0.0, error)
    exponent = max(exponent, _MIN_EXPONENT)
    bend, bend_error = _bend(logs)
    # what was measured is the exponent in the middle of the sub-samples; this is that at their end
    odds = (1 - exponent) / exponent * math.exp(bend * span / 2)
    return Curve(x, y, 1 / (1 + odds), bend, error, bend_error)


def _bend(logs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """How fast the exponent falls, with its error: measured, and the less sure that is the more of
    what is assumed before."""
    if len(logs) < 3:
        return _BEND, _BEND_ERROR
    first, last = _exponent_between(logs[0], logs[1]), _exponent_between(logs[1], logs[-1])
    distance = (logs[-1][0] - logs[0][0]) / 2
    slope = (math.log((1 - last) / last) - math.log((1 - first) / first)) / distance
    noise = _EXPONENT_ERROR / (last * (1 - last)) + _EXPONENT_ERROR / (first * (1 - first))
    variance = (noise / distance) ** 2
    trust = _BEND_ERROR**2 / (_BEND_ERROR**2 + variance)
    bend = min(max(trust * slope + (1 - trust) * _BEND, 0.0), 1.0)
    return bend, math.sqrt(trust * variance)


def _exponent_between(a: tuple[float, float], b: tuple[float, float]) -> float:
    return min(max((b[1] - a[1]) / (b[0] - a[0]), _MIN_EXPONENT), 1 - _MIN_EXPONENT)


# --- what a task costs ---


def fit_line(xs: Sequence[float], ys: Sequence[float], least: float = 0.0) -> tuple[float, float]:
    """Start and slope of the line with the least relative errors that starts at `least` or above
    and never falls; through a single point that which starts at `least`."""
    weights = [1 / max(y, 1e-9) ** 2 for y in ys]
    total = sum(weights)
    x_mean = sum(w * x for w, x in zip(weights, xs, strict=True)) / total
    y_mean = sum(w * y for w, y in zip(weights, ys, strict=True)) / total
    spread = sum(w * (x - x_mean) ** 2 for w, x in zip(weights, xs, strict=True))
    together = sum(w * (x - x_mean) * (y - y_mean) for w, x, y in zip(weights, xs, ys, strict=True))
    if spread <= 0 and x_mean:
        start = min(least, y_mean)
        return start, (y_mean - start) / x_mean
    slope = max(0.0, together / spread) if spread > 0 else 0.0
    start = y_mean - slope * x_mean
    if start >= least or not x_mean:
        return max(start, 0.0), slope
    squares = sum(w * x * x for w, x in zip(weights, xs, strict=True))
    above = sum(w * x * (y - least) for w, x, y in zip(weights, xs, ys, strict=True))
    return least, max(0.0, above / squares) if squares else 0.0


# --- distinct things in more pages than were read ---


def grown_distinct(frequencies: Mapping[int, int], times: float) -> Estimate:
    """Distinct things in `times` the sample, where so many were seen 1, 2, 3 ... times in it.

    >>> grown_distinct({1: 10}, 1.0).value
    10.0
    """
    seen = sum(frequencies.values())
    if not seen or times <= 1:
        return Estimate.exact(float(seen))
    known = sum(n for k, n in frequencies.items() if k > _MANY_LINKS)
    counts = np.array([k for k in sorted(frequencies) if k <= _MANY_LINKS], dtype=np.float64)
    numbers = np.array([frequencies[int(k)] for k in counts], dtype=np.float64)
    rates = np.geomspace(_LOWEST_RATE, 2.0 * _MANY_LINKS, _RATES)
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
    factorials = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, _MANY_LINKS + 1)))])
    logs = counts[:, None] * np.log(rates) - rates - factorials[counts.astype(np.int64), None]
    likely = np.exp(logs) / _chances(rates, 1.0)  # of a thing that was seen
    weights = np.full(len(rates), 1 / len(rates))
    for _ in range(_ROUNDS):
        shares = likely * weights
        shares *= (numbers / np.maximum(shares.sum(axis=1), 1e-300))[:, None]
        weights = shares.sum(axis=0) / numbers.sum()
    return np.asarray(weights * numbers.sum() / _chances(rates, 1.0), dtype=np.float64)


def _chances(rates: Floats, times: float) -> Floats:
    return np.asarray(-np.expm1(-rates * times), dtype=np.float64)
