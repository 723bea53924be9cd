"""Curves and lines through sub-samples, and distinct things: the laws to find, and the bounds."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.planning.extrapolation import (
    NOTHING,
    Curve,
    Estimate,
    fit_curve,
    fit_line,
    grown_distinct,
)

XS = (100.0, 200.0, 400.0)


def test_proportion():
    """What grows with the pages is multiplied."""
    assert fit_curve(XS, [1e6, 2e6, 4e6]).at(40_000).value == pytest.approx(4e8)


def test_power_law():
    """Heaps' law is found again: 400^0.6 becomes 40,000^0.6."""
    found = fit_curve(XS, [1e5 * x**0.6 for x in XS]).at(40_000)
    assert found.value == pytest.approx(1e5 * 40_000**0.6, rel=0.15)
    assert found.low < 1e5 * 40_000**0.6 < found.high


def test_saturation():
    """A curve that saturates bends the prediction away from the power law of its end."""
    ys = [1e6 * x / (1 + x / 100) for x in XS]
    exponent = math.log(ys[2] / ys[0]) / math.log(4)
    law = ys[2] * 10**exponent
    assert ys[2] < fit_curve(XS, ys).at(4000).value < law


def test_pairs():
    """Pairs of independent things grow with the square, and no faster is believed."""
    assert fit_curve(XS, [x * x for x in XS]).at(4000).value == pytest.approx(4000**2, rel=0.01)
    assert fit_curve(XS, [x**3 for x in XS]).at(800).value == pytest.approx(400**3 * 4)


def test_none_seen():
    """Of what was not seen at all at most three would have been."""
    assert fit_curve(XS, [0, 0, 0]).at(800) == Estimate(0.0, 0.0, 12.0)


def test_one_size():
    """One sub-sample tells nothing of growth: in proportion, with wide bounds."""
    found = fit_curve([10.0], [5.0]).at(40.0)
    assert found.value == 20.0
    assert (found.low, found.high) == (10.0, 40.0)


@given(
    st.lists(st.floats(1, 1e9), min_size=3, max_size=3),
    st.floats(1, 1e4),
)
def test_bounds(ys, factor):
    """Bounds stand on both sides, and at the sample itself all are what was seen."""
    curve = fit_curve(XS, sorted(ys))
    found = curve.at(400 * factor)
    assert found.low <= found.value <= found.high
    assert curve.at(400).value == pytest.approx(max(ys))


def test_curve_by_hand():
    """exponent 1/2, bend 1: y = a x / (1 + x / turn) with the turn at x."""
    assert Curve(10, 6, 0.5, 1.0).at(30).value == pytest.approx(6 * 3 * 2 / 4)


def test_widened():
    """A multiple, and two standard errors on both sides."""
    assert (Estimate(10, 8, 12) * 2).widened(0.5) == Estimate(20, 8, 48)


def test_line():
    """What a task takes to begin is told from what it takes for each page."""
    assert fit_line([1, 2, 4], [12, 14, 18]) == pytest.approx((10, 2))


def test_line_starts_at_the_least():
    """No task begins for less than one without input does."""
    start, slope = fit_line([1, 2, 4], [2, 4, 8], least=1)
    assert start == 1
    assert 1 < slope < 2


def test_line_through_one_point():
    """Of one size only the start is what a task without input takes."""
    assert (1, 3.5) == fit_line([2], [8], least=1)
    assert (8, 0) == fit_line([2], [8], least=9)


def test_line_never_falls():
    """Noise does not make more pages cheaper."""
    assert 0 == fit_line([1, 2, 4], [3, 2, 1])[1]


def test_sums_of_estimates():
    """Sums of values and of bounds; parts of a whole are each on the curve."""
    one, two = Estimate(1, 0, 2), Estimate(3, 2, 5)
    assert sum([one, two], NOTHING) == Estimate(4, 2, 7)
    assert Curve(10, 100).at_estimate(Estimate(40, 20, 80), 4).value == 400


# --- distinct things in more pages than were read ---


def drawn(rates, seed=1):
    """How many things were seen 1, 2, 3 ... times, each by chance at its rate."""
    seen = np.random.default_rng(seed).poisson(rates)
    return dict(Counter(int(n) for n in seen if n))


def test_all_seen():
    """A core of which all are linked often does not grow."""
    assert grown_distinct({50: 300, 60: 200}, 100).value == pytest.approx(500, rel=0.01)


def test_saturation_of_distinct_things():
    """Of 5,000 equally likely things about 5,000 are found, at thirty times the sample."""
    found = grown_distinct(drawn(np.full(5000, 1.0)), 30)
    assert found.value == pytest.approx(5000, rel=0.2)
    assert found.low <= found.value <= found.high


def test_long_tail():
    """Where the rates fall by a power law the tail goes on: ten times as many draws."""
    rates = 300.0 / np.arange(1, 100_001)
    truth = float(np.sum(-np.expm1(-10 * rates)))
    assert grown_distinct(drawn(rates), 10).value == pytest.approx(truth, rel=0.25)


@pytest.mark.parametrize("frequencies", [{}, {1: 10}, {1: 5, 3: 2, 1000: 1}])
def test_the_sample_itself(frequencies):
    """Once the sample there are as many as were seen."""
    assert grown_distinct(frequencies, 1.0).value == sum(frequencies.values())


def test_bounds_of_distinct_things():
    """At least those that are there, at most as if each that is linked once were one of many."""
    found = grown_distinct({1: 10, 2: 2}, 3)
    assert 12 <= found.low <= found.value <= found.high == 12 + 2 * 10
