"""Intervals, and comparing two strategies: paired by sources, with ties left out and counted."""

from __future__ import annotations

import math

import numpy as np
import pytest

from pagekin.errors import InputError, UsageError
from pagekin.evaluate.bootstrap import compare_results, compare_sources, interval, resample
from pagekin.evaluate.gamma import STATISTICS, Sources, pack_sources

KEYS = np.arange(10, 210, dtype=np.uint64)


def made_up(better, seed=1, keys=KEYS):
    """Counts of sources of very different hardness; `better` pairs of a hundred turned right."""
    chance = np.random.default_rng(seed)
    concordant = chance.integers(0, 90, (len(keys), 4, 1)) + better
    tied = chance.integers(0, 10, (len(keys), 4, 1))
    return Sources(keys, np.concatenate([concordant, 100 - concordant, tied], axis=2))


def result_of(sources, labels="x"):
    return {"labels": labels, "per_source": pack_sources(sources)}


def test_by_hand():
    """Two sources, of which the second strategy turns one pair right."""
    a = Sources(np.array([1, 2], np.uint64), np.array([[[3, 1, 0]] * 4, [[2, 2, 4]] * 4]))
    b = Sources(np.array([1, 2], np.uint64), np.array([[[4, 0, 0]] * 4, [[2, 2, 4]] * 4]))
    found = compare_sources(a, b)
    assert 2 == found["sources"]
    for name in STATISTICS:
        value, with_ties = found[name]["value"], found[name]["with_ties"]
        assert (0.25, 0.5, 0.25) == (value["a"], value["b"], value["difference"])
        assert (2 / 12, 4 / 12) == (with_ties["a"], with_ties["b"])
        # both drawn sources are the first one, one of each, or both the second one
        assert (0.0, 0.5) == (value["low"], value["high"])
        assert 0.8 < value["b_is_better"] < 0.95


def test_no_difference():
    """A strategy is neither better nor worse than itself."""
    found = compare_sources(made_up(0), made_up(0))["sibling"]["value"]
    assert (0.0, 0.0, 0.0, 0.5) == tuple(
        found[key] for key in ("difference", "low", "high", "b_is_better")
    )


def test_pairing():
    """A small difference on every source is sure, although sources differ far more."""
    found = compare_sources(made_up(0), made_up(2))["sibling"]["value"]
    assert found["difference"] == pytest.approx(0.04)
    assert 0.039 < found["low"] < found["high"] < 0.041
    assert 1.0 == found["b_is_better"]
    unpaired = compare_sources(made_up(0), made_up(2, seed=2))["sibling"]["value"]
    assert unpaired["high"] - unpaired["low"] > 0.05


def test_turned_round():
    """B against A is A against B with the other sign."""
    one = compare_sources(made_up(0), made_up(1, seed=2))["cousin"]["with_ties"]
    two = compare_sources(made_up(1, seed=2), made_up(0))["cousin"]["with_ties"]
    assert (one["a"], one["difference"], one["low"]) == (
        two["b"],
        -two["difference"],
        pytest.approx(-two["high"]),
    )
    assert one["b_is_better"] == pytest.approx(1 - two["b_is_better"])


def test_shared_sources():
    """Only sources of both are compared, in whatever order they stand."""
    a, b = made_up(0), made_up(3)
    turned = Sources(b.keys[::-1], b.counts[::-1])
    assert compare_sources(a, b) == compare_sources(a, turned)
    part = Sources(b.keys[:50], b.counts[:50])
    found = compare_sources(a, part)
    assert 50 == found["sources"]
    assert found == compare_sources(Sources(a.keys[:50], a.counts[:50]), part)


def test_no_pairs():
    """Where no pair is decided there is nothing to compare, and no number."""
    nothing = Sources(KEYS, np.zeros((len(KEYS), 4, 3), np.int64))
    found = compare_sources(nothing, nothing)["gamma"]["value"]
    assert {None} == set(found.values())


def test_results():
    """Results of one set of labels are compared; those of others are refused."""
    a, b = made_up(0), made_up(3)
    found = compare_results(result_of(a), result_of(b), ("a", "b"))
    assert compare_sources(a, b) == found
    with pytest.raises(UsageError, match="a and b judge other pages or classes"):
        compare_results(result_of(a), result_of(b, "y"), ("a", "b"))
    with pytest.raises(InputError, match="b: holds no counts of sources"):
        compare_results(result_of(a), {"labels": "x"}, ("a", "b"))
    other = made_up(0, keys=KEYS + np.uint64(1000))
    with pytest.raises(UsageError, match="no source page in common"):
        compare_results(result_of(a), result_of(other), ("a", "b"))


# --- intervals ---


def test_resample():
    """Each drawing sums as many rows as there are, and the seed settles which."""
    rows = np.array([[1, 10], [1, 20], [1, 40]])
    drawn = resample(rows, 200, 3)
    assert {3.0} == set(drawn[:, 0])
    assert drawn.tolist() == resample(rows, 200, 3).tolist() != resample(rows, 200, 4).tolist()
    assert drawn[:, 1].min() >= 30
    assert drawn[:, 1].max() <= 120
    assert len(set(drawn[:, 1])) > 5


def test_interval():
    """The middle 95 %; what is no number is left out."""
    values = np.array([*range(1, 1001), math.nan], np.float64)
    low, high = interval(values)
    assert (25.975, 975.025) == (pytest.approx(low), pytest.approx(high))
    assert all(map(math.isnan, interval(np.array([math.nan]))))


def test_interval_covers():
    """Of samples of a known mean, about 95 in 100 have it in their interval."""
    chance = np.random.default_rng(2)
    hits = 0
    for seed in range(200):
        low, high = interval(resample(chance.normal(size=(60, 1)), 200, seed)[:, 0] / 60)
        hits += low < 0 < high
    assert 0.88 * 200 <= hits <= 200 * 0.99
