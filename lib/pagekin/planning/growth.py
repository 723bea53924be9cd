"""How an amount grows with the pages read: a curve through sub-samples, and how sure it is.

Sums grow in proportion. What is distinct (words, URLs) grows by an exponent below 1, which is the
same at all sizes for Heaps' law and falls where the pages link to a limited set again and again.
One curve has both as its limits; its exponent at x is 1 / (1 + (x / turn)^bend):

    y(x) = a x / (1 + (x / turn)^bend)^(1 / bend)

`bend` near 0 is a power law, bend = 1 the saturation y = a x / (1 + x / turn). What is kept only
where it comes together often enough (pairs above a threshold) grows faster than the pages; that
is a power law here with an exponent of at most 2, the law of pairs of independent things.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["Curve", "Estimate", "fit", "times"]

_EXPONENT_ERROR = 0.02  # of an exponent between two sub-samples that differ by half their pages
_LINEAR = 0.02  # an exponent so near to 1 is 1
_BEND, _BEND_ERROR = 0.05, 0.1  # what is thought of the bend before the sample says anything
_MOST = 2.0  # the largest exponent
_LEAST = 0.02
_FEW = 1000  # of so few that grow faster than the pages nobody knows how fast they do
_NEVER_SEEN = 3.0  # the 95 % bound of a count of which none was seen


class Estimate(NamedTuple):
    """A predicted amount, and where it lies in all likelihood."""

    value: float
    low: float
    high: float

    def plus(self, other: Estimate) -> Estimate:
        """The sum of two; both may err to the same side."""
        return Estimate(*(a + b for a, b in zip(self, other, strict=True)))


def times(estimate: Estimate, factor: float, error: float = 0.0) -> Estimate:
    """A multiple; `error` is the relative standard error of the factor, taken twice."""
    value, low, high = (factor * number for number in estimate)
    return Estimate(value, low / (1 + 2 * error), high * (1 + 2 * error))


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
            return Estimate(0.0, 0.0, _NEVER_SEEN * max(1.0, x / self.x) ** _MOST)
        value = self._at(x, self.exponent, self.bend)
        corners = [
            self._at(x, self.exponent + s * self.exponent_error, self.bend + b * self.bend_error)
            for s in (-1, 1)
            for b in (-1, 1)
        ]
        return Estimate(value, min(value, *corners), max(value, *corners))

    def _at(self, x: float, exponent: float, bend: float) -> float:
        factor = x / self.x
        exponent, bend = min(exponent, _MOST), min(max(bend, 0.0), 1.0)
        if exponent >= 1 or bend < 1e-6:
            return self.y * math.pow(factor, max(exponent, _LEAST))
        odds = (1 - max(exponent, _LEAST)) / max(exponent, _LEAST)  # (x / turn)^bend
        share = (1 + odds) / (1 + odds * math.pow(factor, bend))
        return self.y * factor * math.pow(share, 1 / bend)


def fit(xs: Sequence[float], ys: Sequence[float]) -> Curve:
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
        error = max(error, _MOST - exponent) if y < _FEW else error
        return Curve(x, y, min(exponent, _MOST), 0.0, error)
    exponent = max(exponent, _LEAST)
    bend, bend_error = _bend(logs)
    return Curve(x, y, _moved(exponent, bend, span / 2), bend, error, bend_error)


def _moved(exponent: float, bend: float, logs: float) -> float:
    """The exponent that much further on."""
    odds = (1 - exponent) / exponent * math.exp(bend * logs)
    return 1 / (1 + odds)


def _bend(logs: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """How fast the exponent falls; what was thought before counts where this is uncertain."""
    if len(logs) < 3:
        return _BEND, _BEND_ERROR
    first, last = _local(logs[0], logs[1]), _local(logs[1], logs[-1])
    distance = (logs[-1][0] - logs[0][0]) / 2
    slope = (_odds(last) - _odds(first)) / distance
    noise = _EXPONENT_ERROR / (last * (1 - last)) + _EXPONENT_ERROR / (first * (1 - first))
    variance = (noise / distance) ** 2
    trust = _BEND_ERROR**2 / (_BEND_ERROR**2 + variance)
    bend = min(max(trust * slope + (1 - trust) * _BEND, 0.0), 1.0)
    return bend, math.sqrt(trust * variance)


def _local(a: tuple[float, float], b: tuple[float, float]) -> float:
    return min(max((b[1] - a[1]) / (b[0] - a[0]), _LEAST), 1 - _LEAST)


def _odds(exponent: float) -> float:
    return math.log((1 - exponent) / exponent)
