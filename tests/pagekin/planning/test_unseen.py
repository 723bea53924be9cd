"""Distinct things in more pages than were read."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from pagekin.planning.unseen import grown_distinct


def drawn(rates, seed=1):
    """How many things were seen 1, 2, 3 ... times, each by chance at its rate."""
    seen = np.random.default_rng(seed).poisson(rates)
    return dict(Counter(int(n) for n in seen if n))


def test_all_seen():
    """A core of which all are linked often does not grow."""
    assert grown_distinct({50: 300, 60: 200}, 100).value == pytest.approx(500, rel=0.01)


def test_saturation():
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


def test_bounds():
    """At least those that are there, at most as if each that is linked once were one of many."""
    found = grown_distinct({1: 10, 2: 2}, 3)
    assert 12 <= found.low <= found.value <= found.high == 12 + 2 * 10
