"""Straight lines through a few measurements, and sums of what is only estimated."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pagekin.planning.growth import Curve, Estimate, times

__all__ = ["Line", "added", "line_through", "over", "over_parts", "slope_of", "total"]


@dataclass(frozen=True)
class Line:
    """start + slope x."""

    start: float
    slope: float

    def at(self, x: float, tasks: int) -> float:
        """For x altogether in so many tasks."""
        return self.start * tasks + self.slope * x


def line_through(xs: Sequence[float], ys: Sequence[float], least: float = 0.0) -> Line:
    """The line with the least relative errors that starts at `least` or above and never falls."""
    weights = [1 / max(y, 1e-9) ** 2 for y in ys]
    total = sum(weights)
    x_mean = sum(w * x for w, x in zip(weights, xs, strict=True)) / total
    y_mean = sum(w * y for w, y in zip(weights, ys, strict=True)) / total
    spread = sum(w * (x - x_mean) ** 2 for w, x in zip(weights, xs, strict=True))
    together = sum(w * (x - x_mean) * (y - y_mean) for w, x, y in zip(weights, xs, ys, strict=True))
    slope = max(0.0, together / spread) if spread > 0 else 0.0
    start = y_mean - slope * x_mean
    if start >= least or not x_mean:
        return Line(max(start, 0.0), slope)
    squares = sum(w * x * x for w, x in zip(weights, xs, strict=True))
    above = sum(w * x * (y - least) for w, x, y in zip(weights, xs, ys, strict=True))
    return Line(least, max(0.0, above / squares) if squares else 0.0)


def added(work: Estimate, start: float, tasks: int) -> Estimate:
    """The work, and what it takes to begin each task."""
    return work.plus(Estimate(*[start * tasks] * 3))


def slope_of(xs: Sequence[float], ys: Sequence[float]) -> float:
    return line_through(xs, ys).slope if xs[-1] else 0.0


def total(estimates: Iterable[Estimate]) -> Estimate:
    found = Estimate(0, 0, 0)
    for estimate in estimates:
        found = found.plus(estimate)
    return found


def over(curve: Curve, x: Estimate) -> Estimate:
    """A curve at what is itself an estimate."""
    return Estimate(curve.at(x.value).value, curve.at(x.low).low, curve.at(x.high).high)


def over_parts(curve: Curve, x: Estimate, parts: int) -> Estimate:
    return times(over(curve, Estimate(*(number / parts for number in x))), parts)
