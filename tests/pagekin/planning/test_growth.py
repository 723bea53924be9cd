"""Curves through sub-samples: the laws that they are to find, and their bounds."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.planning.growth import Curve, Estimate, fit, times
from pagekin.planning.lines import added, line_through, over_parts, slope_of, total

XS = (100.0, 200.0, 400.0)


def test_proportion():
    """What grows with the pages is multiplied."""
    assert fit(XS, [1e6, 2e6, 4e6]).at(40_000).value == pytest.approx(4e8)


def test_power_law():
    """Heaps' law is found again: 400^0.6 becomes 40,000^0.6."""
    found = fit(XS, [1e5 * x**0.6 for x in XS]).at(40_000)
    assert found.value == pytest.approx(1e5 * 40_000**0.6, rel=0.15)
    assert found.low < 1e5 * 40_000**0.6 < found.high


def test_saturation():
    """A curve that saturates bends the prediction away from the power law of its end."""
    ys = [1e6 * x / (1 + x / 100) for x in XS]
    exponent = math.log(ys[2] / ys[0]) / math.log(4)
    law = ys[2] * 10**exponent
    assert ys[2] < fit(XS, ys).at(4000).value < law


def test_pairs():
    """Pairs of independent things grow with the square, and no faster is believed."""
    assert fit(XS, [x * x for x in XS]).at(4000).value == pytest.approx(4000**2, rel=0.01)
    assert fit(XS, [x**3 for x in XS]).at(800).value == pytest.approx(400**3 * 4)


def test_none_seen():
    """Of what was not seen at all at most three would have been."""
    assert fit(XS, [0, 0, 0]).at(800) == Estimate(0.0, 0.0, 12.0)


def test_one_size():
    """One sub-sample tells nothing of growth: in proportion, with wide bounds."""
    found = fit([10.0], [5.0]).at(40.0)
    assert found.value == 20.0
    assert (found.low, found.high) == (10.0, 40.0)


@given(
    st.lists(st.floats(1, 1e9), min_size=3, max_size=3),
    st.floats(1, 1e4),
)
def test_bounds(ys, factor):
    """Bounds stand on both sides, and at the sample itself all are what was seen."""
    curve = fit(XS, sorted(ys))
    found = curve.at(400 * factor)
    assert found.low <= found.value <= found.high
    assert curve.at(400).value == pytest.approx(max(ys))


def test_curve_by_hand():
    """exponent 1/2, bend 1: y = a x / (1 + x / turn) with the turn at x."""
    assert Curve(10, 6, 0.5, 1.0).at(30).value == pytest.approx(6 * 3 * 2 / 4)


def test_times():
    """A multiple, and two standard errors on both sides."""
    assert times(Estimate(10, 8, 12), 2, 0.5) == Estimate(20, 8, 48)


def test_line():
    """What a task takes to begin is told from what it takes for each page."""
    line = line_through([1, 2, 4], [12, 14, 18])
    assert (line.start, line.slope) == pytest.approx((10, 2))
    assert line.at(100, 3) == pytest.approx(230)


def test_line_starts_at_the_least():
    """No task begins for less than one without input does."""
    line = line_through([1, 2, 4], [2, 4, 8], least=1)
    assert line.start == 1
    assert 1 < line.slope < 2


def test_line_never_falls():
    """Noise does not make more pages cheaper."""
    assert line_through([1, 2, 4], [3, 2, 1]).slope == 0


def test_sums_of_estimates():
    """Sums of values and of bounds; parts of a whole are each on the curve."""
    one, two = Estimate(1, 0, 2), Estimate(3, 2, 5)
    assert total([one, two]) == Estimate(4, 2, 7)
    assert added(one, 0.5, 4) == Estimate(3, 2, 4)
    assert over_parts(Curve(10, 100), Estimate(40, 20, 80), 4).value == 400
    assert slope_of([0, 0], [1, 1]) == 0
