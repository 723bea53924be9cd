"""Neighbours of words in an index: what a word may mean, and what is told of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin import Index
from pagekin.bags.bag import Entry
from pagekin.errors import InputError, NotFoundError, UsageError
from pagekin.text.words import Terms
from tests.indexes import make_bag, make_index

WORDS = {
    1: Entry("moon", "moons"),
    2: Entry("lunar", "lunar"),
    3: Entry("apollo", "apollo"),
    4: Entry("run", "running"),
    5: Entry("apolo", "apollo"),
    6: Entry("runner", "run"),
}
NEIGHBOURS = {1: {2: 40_000, 3: 25_000}, 2: {1: 65_535}, 3: {}, 4: {6: 65_535}, 5: {1: 9}, 6: {}}


def words(terms: Terms) -> list[Entry]:
    return [WORDS[term] for term in terms.tolist()]


@pytest.fixture
def index(tmp_path: Path) -> Index:
    bag = make_bag("http://a.example/", dict.fromkeys(WORDS, 1.0))
    return Index(make_index(tmp_path / "index", [bag], words=words, neighbours=NEIGHBOURS))


def test_neighbours(index):
    """The nearest first, each as it is mostly written, with what is known of it."""
    found = index.neighbours("moons")
    assert ("moons", "moon", 5, 90) == found[:4]
    assert ["lunar", "apollo"] == [each.word for each in found.neighbours]
    assert ("apollo", "apollo", 0.381476, 7) == found.neighbours[1]
    assert found.neighbours[:1] == index.neighbours("moons", 1).neighbours
    assert [] == index.neighbours("moons", 0).neighbours


@pytest.mark.parametrize(
    ("asked", "term"),
    [
        ("lunar", "lunar"),
        ("Lunar ", "lunar"),
        ("moon", "moon"),  # a term, and no form
        ("mooning", "moon"),  # a form that the index does not have
        ("run", "runner"),  # first of all the form itself
        ("runs", "run"),
        ("apollo", "apolo"),  # of two terms the more frequent one
    ],
)
def test_meanings(index, asked, term):
    """A word is its form, then its stem, then a term."""
    assert term == index.neighbours(asked).term


def test_not_there(index):
    """Words that are near by letters are proposed, the nearest first."""
    with pytest.raises(NotFoundError, match=r"no neighbours of lunra; near it are lunar$"):
        index.neighbours("lunra")
    with pytest.raises(NotFoundError, match=r"no neighbours of weathers$"):
        index.neighbours("weathers")


@pytest.mark.parametrize("asked", ["", "...", "moon landing"])
def test_not_a_word(index, asked):
    """What is no word, or several, is refused."""
    with pytest.raises(UsageError, match="is not one word"):
        index.neighbours(asked)
    with pytest.raises(UsageError, match="k is -1; it takes a number from 0"):
        index.neighbours("moon", -1)


def test_never_learned(tmp_path):
    """An index without the table says how one is made."""
    index = Index(make_index(tmp_path / "index", [make_bag("http://a.example/", {1: 1.0})]))
    with pytest.raises(NotFoundError, match="`pagekin build --enrich-neighbours true` learns them"):
        index.neighbours("moon")


def test_contradictions(tmp_path):
    """A table that contradicts itself is called damaged."""
    bag = make_bag("http://a.example/", {1: 1.0})
    table = {1: {1: 9}}
    path = make_index(tmp_path / "index", [bag], words=words, neighbours=table)
    index = Index(path)
    file = index._folder.files["neighbours.arrays"]
    file._arrays["neighbours"] = file["neighbours"] + 7
    with pytest.raises(InputError, match=r"neighbours\.arrays is damaged"):
        index.neighbours("moons")
