"""Labelled pages: the four distances of the paper, what it leaves open, and pages with bags."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import InputError
from pagekin.evaluate.labelled_pages import DISTANCES
from tests.pagekin.evaluate.plain_judging import (
    BAGS,
    CLASSES,
    URLS,
    pages_in_classes,
    pages_of,
    paths,
    plain_class_distance,
    plain_distance,
)


def class_distance(source, other):
    """The distance from a page of a class to one of another."""
    return pages_in_classes([[source], [other]]).distances(0).tolist()[1]


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
def test_distances_twin(pages):
    """Of several classes the nearest pair counts; arrays and plain loops agree."""
    made = pages_in_classes(pages)
    for source in range(len(pages)):
        expected = [plain_distance(pages[source], other) for other in pages]
        assert expected == made.distances(source).tolist()


# --- pages with bags ---


@pytest.fixture
def pages(tmp_path):
    return pages_of(tmp_path, BAGS, CLASSES)


def test_label_bags(pages):
    """Pages with a class and a bag, in the order of their URLs; the rest is counted."""
    assert (sorted(URLS[:5]), 1, 0) == (pages.urls, pages.missing, pages.unlinked)
    assert CLASSES[URLS[1]] == sorted(pages.paths_of(pages.urls.index(URLS[1])))


def test_linked(tmp_path):
    """Pages without a link to them are left out on request, and are not missing."""
    pages = pages_of(tmp_path, BAGS, CLASSES, linked=True)
    assert (4, 1, 1) == (len(pages), pages.missing, pages.unlinked)
    assert URLS[1] not in pages.urls


def test_no_page_has_a_bag(tmp_path):
    """A directory of other pages is refused."""
    with pytest.raises(InputError, match="none of the 6 pages of the directory has a bag here"):
        pages_of(tmp_path, BAGS[-1:], CLASSES)
    with pytest.raises(InputError, match="and a link to it"):
        pages_of(tmp_path, BAGS[1:2], CLASSES, linked=True)
