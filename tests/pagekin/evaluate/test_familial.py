"""Familial distance: the four distances of the paper, and what it leaves open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.evaluate.familial import DISTANCES, Family, class_distance
from tests.pagekin.evaluate.plain_judging import paths, plain_class_distance, plain_distance


def path(text):
    return tuple(text.split("/"))


@pytest.mark.parametrize(
    ("source", "other", "distance"),
    [
        ("A/B/C", "A/B/C", "same class"),
        ("A/B/C", "A/B/D", "sibling"),
        ("A/B/C", "A/D/C", "cousin"),
        ("A/B/C", "D/B/C", "unrelated"),
        ("A/B", "A/B/C", "sibling"),  # a class and one below it, both ways
        ("A/B/C", "A/B", "sibling"),
        ("A", "A/B/C", "sibling"),
        ("A/B/C", "A", "cousin"),
        ("A/B", "A/C", "sibling"),
        ("A/B", "A/C/D", "sibling"),  # from the source's class one step up
        ("A/C/D", "A/B", "cousin"),
        ("A", "B", "unrelated"),
        ("A", "B/C/D", "unrelated"),
        ("A/B/C/D", "A/E/F/G", "cousin"),  # a second cousin
    ],
)
def test_class_distance(source, other, distance):
    """From the source's class up to the first class above both."""
    assert distance == DISTANCES[class_distance(path(source), path(other))]


def test_root():
    """Pages at the root are of one class, and unrelated to all others."""
    assert (0, 3, 3) == (
        class_distance((), ()),
        class_distance((), ("A",)),
        class_distance(("A",), ()),
    )


@given(st.lists(paths, min_size=2, max_size=2))
def test_class_distance_twin(two):
    """Counting shared ancestors and climbing step by step agree."""
    assert plain_class_distance(*two) == class_distance(*two)


@given(st.lists(st.lists(paths, min_size=1, max_size=3), min_size=1, max_size=10))
def test_family_twin(pages):
    """Of several classes the nearest pair counts; arrays and plain loops agree."""
    classes = sorted({p for some in pages for p in some})
    members = np.array([classes.index(p) for some in pages for p in some], np.int32)
    family = Family(classes, np.cumsum([0, *map(len, pages)]), members)
    assert len(pages) == len(family)
    for source in range(len(pages)):
        expected = [plain_distance(pages[source], other) for other in pages]
        assert expected == family.distances(source).tolist()
