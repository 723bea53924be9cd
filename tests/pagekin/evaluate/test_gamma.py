"""Gamma and its partial kin: the definition, exact counts, and what perfection and chance give."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import InputError
from pagekin.evaluate.gamma import (
    STATISTICS,
    Sources,
    count_pairs,
    gamma_of,
    pack_sources,
    tally_sources,
    unpack_sources,
    with_ties_of,
)
from pagekin.evaluate.judgement import figures
from tests.pagekin.evaluate.plain_judging import NAMES, pages_in_classes, plain_counts

similarities = st.sampled_from([0.0, 0.1, 0.2, 0.1 + 1e-14, 0.3, 0.30000000000000004, 1.0])


def made_up(table):
    """A representation with these similarities."""
    return np.array(table, dtype=np.float64).__getitem__


def pages_each_in(*paths):
    """Pages of one class each."""
    return pages_in_classes([[path] for path in paths])


def counted(distances, similar):
    return count_pairs(np.array(similar, np.float64), np.array(distances, np.int8)).tolist()


def test_names():
    """The statistics are those of the paper."""
    assert NAMES == STATISTICS


def test_by_hand():
    """Two pages of the class, one sibling, a cousin and two unrelated ones, counted on paper.

    Same class .5 and .2; sibling .3; cousin .2; unrelated .2 and .6. Siblings: .5 > .3 and
    .2 < .3. Cousins: .5 > .2, .2 = .2. Unrelated: .5 > .2, .5 < .6, .2 = .2, .2 < .6. Beside these,
    sibling and cousin .3 > .2; sibling and unrelated .3 > .2, .3 < .6; cousin and unrelated
    .2 = .2, .2 < .6.
    """
    found = counted([0, 0, 1, 2, 3, 3], [0.5, 0.2, 0.3, 0.2, 0.2, 0.6])
    assert [[5, 5, 3], [1, 1, 0], [1, 0, 1], [1, 2, 1]] == found


@given(st.lists(st.tuples(st.integers(0, 3), similarities), max_size=12))
def test_counts_equal_those_of_pairs(pages):
    """Counting by bisection and pair by pair agree to the last pair, with ties and rounding."""
    distances, similar = [d for d, _ in pages], [s for _, s in pages]
    plain = plain_counts(-1, similar, distances)
    assert [plain[name] for name in STATISTICS] == counted(distances, similar)


@given(st.lists(st.tuples(st.integers(0, 3), similarities), max_size=12))
def test_every_decided_pair_is_counted_once(pages):
    """Concordant, discordant and tied pairs are all pairs of different distances."""
    sizes = [sum(d == k for d, _ in pages) for k in range(4)]
    pairs = (sum(sizes) ** 2 - sum(n * n for n in sizes)) // 2
    counts = np.array(counted([d for d, _ in pages], [s for _, s in pages]))
    assert [pairs, *(sizes[0] * n for n in sizes[1:])] == counts.sum(axis=1).tolist()


@given(st.lists(st.tuples(st.integers(0, 3), similarities), max_size=12))
def test_reversed_similarities(pages):
    """What was concordant is discordant when all similarities are turned round."""
    distances = [d for d, _ in pages]
    counts = counted(distances, [s for _, s in pages])
    turned = counted(distances, [-s for _, s in pages])
    assert [[d, c, t] for c, d, t in counts] == turned


def test_sources_are_not_their_own_neighbours():
    """A source is no page of its own class, however similar it is to itself."""
    pages = pages_each_in(("A",), ("A",), ("B",))
    tally = tally_sources(pages, made_up([[1, 0.5, 0.2], [0.5, 1, 0.6], [0.2, 0.6, 1]]), range(3))
    assert [[1, 0, 0], [0, 1, 0], [0, 0, 0]] == tally.counts[:, 3].tolist()
    assert [1, 1, 0] == tally.same.tolist()


def test_orthogonal_pairs():
    """Pages of the class with a similarity of 0, or one that is rounded to it, are orthogonal."""
    pages = pages_each_in(("A",), ("A",), ("A",), ("A",))
    table = np.array([[1, 0, 1e-13, 1e-12]] * 4)
    tally = tally_sources(pages, made_up(table), [0])
    assert ([3], [2]) == (tally.same.tolist(), tally.orthogonal.tolist())


def test_gamma_and_ties():
    """Ties are left out of gamma, and count below the line of the other."""
    counts = np.array([[3, 1, 4], [0, 0, 5], [0, 0, 0]])
    values, with_ties = gamma_of(counts).tolist(), with_ties_of(counts).tolist()
    assert (0.5, 0.25, 0.0) == (values[0], *with_ties[:2])
    assert all(map(math.isnan, (*values[1:], with_ties[2])))


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_no_number(bad):
    """A representation that gives no number is wrong, and is not counted as anything."""
    with pytest.raises(ValueError, match="no finite number"):
        count_pairs(np.array([0.5, bad]), np.array([0, 1], np.int8))


CLASSES = [("A", "a", "x"), ("A", "a", "y"), ("A", "b", "x"), ("B", "a", "x")]
PATHS = [path for path in CLASSES for _ in range(6)]


@pytest.mark.parametrize(("sign", "expected"), [(-1, 1.0), (1, -1.0)])
def test_perfect_and_reversed(sign, expected):
    """An order that falls with the distance has gamma 1, and one that rises -1."""
    pages = pages_each_in(*PATHS)
    table = [[sign * int(d) + 4 for d in pages.distances(s)] for s in range(len(PATHS))]
    tally = tally_sources(pages, made_up(table), range(len(PATHS)))
    made = figures(tally.counts, seed=1, resamples=50)
    assert [expected] * 4 == [made[name]["value"] for name in STATISTICS]
    assert [(expected, expected)] * 4 == [(made[n]["low"], made[n]["high"]) for n in STATISTICS]


def test_chance():
    """A random order has gamma 0, within its interval, and the interval is not wide."""
    paths = [path for path in CLASSES for _ in range(40)]
    table = np.random.default_rng(7).random((len(paths), len(paths)))
    tally = tally_sources(pages_each_in(*paths), made_up(table), range(len(paths)))
    for made in figures(tally.counts, seed=1, resamples=300).values():
        assert made["low"] < 0 < made["high"]
        assert made["high"] - made["low"] < 0.15


# --- packed counts ---


def packed(keys, counts):
    return pack_sources(Sources(np.array(keys, np.uint64), counts))


def test_pack():
    """Counts come back as they were."""
    keys = np.array([7, 2**64 - 1, 0], np.uint64)
    counts = np.arange(36).reshape(3, 4, 3) * 3_000_000_000
    found = unpack_sources(json.loads(json.dumps(packed(keys, counts))), "it")
    assert (keys.tolist(), counts.tolist()) == (found.keys.tolist(), found.counts.tolist())


@pytest.mark.parametrize(
    "bad",
    [
        None,
        [],
        {},
        {"keys": 1, "counts": 2},
        {"keys": "AAAA", "counts": "AAAA"},
        {"keys": "not base64!", "counts": ""},
        packed([1, 1], np.zeros((2, 4, 3), np.int64)),
        packed([1], np.full((1, 4, 3), -1)),
        packed([1], np.zeros((90_000, 4, 3), np.int64)),
    ],
)
def test_no_counts(bad):
    """What is no packed counts is refused by name, and never unpacked beyond what it claims."""
    with pytest.raises(InputError, match=r"^a\.json: "):
        unpack_sources(bad, "a.json")
