"""Bags as records, and many of them one behind another; the words of their terms."""

from __future__ import annotations

import re
import tempfile
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import (
    BAR,
    Bag,
    Bags,
    Dictionary,
    Entry,
    in_batches,
    parse_bag,
    read_bags,
    write_dictionary,
)
from tests.indexes import TITLES, bag_record

COUNTS = st.integers(0, 1 << 70)


@st.composite
def some_bags(draw):
    """Bags of 0 to 5 terms."""
    bags = []
    for url in draw(st.lists(st.text("aé/", min_size=1), max_size=7)):
        terms = np.array(draw(st.lists(st.integers(0, 2**32 - 1), max_size=5)), dtype=np.uint32)
        counts = draw(st.tuples(st.booleans(), COUNTS, COUNTS, COUNTS))
        weights = np.arange(len(terms), dtype=np.float32)
        bags.append(Bag(url, *counts, terms, weights, draw(TITLES)))
    return bags


@given(some_bags(), st.integers(1, 8))
def test_records(bags, size):
    """Bags in batches of any size have the records that they have one by one."""
    expected = list(map(bag_record, bags))
    assert expected == [pair for some in read_bags(expected, size) for pair in some.records()]
    assert expected == [pair for some in in_batches(bags, size) for pair in some.records()]


@given(some_bags())
def test_bags(bags):
    """Many bags give their bags back, those without a term and large counts too."""
    found = [parse_bag(*bag_record(bag)) for bag in Bags.of(bags)]
    assert list(map(str, bags)) == list(map(str, found))
    assert len(bags) == len(Bags.of(bags)) == len(Bags.of(bags).bounds) - 1


def test_golden_record():
    """The title stands between the counts and the terms; without one there is no such field."""
    bag = Bag("http://a.example/", True, 1, 2, 3, np.array([18], "<u4"), np.ones(1, "<f4"))
    assert (b"http://a.example/", b"1 1 2 3 EgAAAAAAgD8=") == bag_record(bag)
    titled = bag._replace(title="Bees | a.example")
    assert b"1 1 2 3 Bees | a.example EgAAAAAAgD8=" == bag_record(titled)[1]


@pytest.mark.parametrize(
    "value",
    [b"", b"1 2 3 AAAA", b"1 2 3 4 A", b"1 2 3 4 AAAA", b"1 2 3 4 AA=AAAAAAAAA", b"1 2 3 4"],
)
def test_no_value(value):
    """What is no value is shown."""
    good = bag_record(Bag("a", True, 1, 1, 1, np.zeros(1, np.uint32), np.zeros(1, np.float32)))
    with pytest.raises(ValueError, match=re.escape(f"no value of a bag: {value!r}")):
        Bags.read([good, (b"b", value)])


# --- words ---

WORDS = st.text(st.characters(codec="utf-8", categories=("L",)), min_size=1, max_size=6)
ENTRIES = st.dictionaries(st.integers(0, 2**32 - 1), st.builds(Entry, WORDS, WORDS), max_size=30)


@given(ENTRIES, st.lists(st.integers(0, 30)), st.data())
def test_what_is_stored_is_found(entries, cuts, data):
    """Terms with their entries, in parts of any number, some with none; others are numbers."""
    terms = sorted(entries)
    edges = sorted([0, len(terms), *(min(cut, len(terms)) for cut in cuts)])
    parts = [terms[a:b] for a, b in pairwise(edges)]
    records = [
        (np.array(part, np.uint32), b"".join(entries[term].text() + BAR for term in part))
        for part in parts
    ]
    asked = data.draw(st.lists(st.sampled_from([*terms, 0, 7, 2**32 - 1]), unique=True))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "dictionary.arrays"
        write_dictionary(path, records)
        dictionary = Dictionary(path)
        assert len(terms) == len(dictionary)
        nameless = {term: Entry(f"#{term:08x}", f"#{term:08x}") for term in asked}
        expected = {**nameless, **entries}
        wanted = np.array(asked, np.uint32)
        assert [expected[term] for term in asked] == dictionary.look_up(wanted)
        wanted.sort()
        assert [expected[t].text() for t in wanted.tolist()] == dictionary.texts(wanted)
        tokens = dict.fromkeys((0, 7), Entry("topic:0.0", "topic: a, b"))
        dictionary, expected = Dictionary(path, tokens), {**nameless, **tokens, **entries}
        assert [expected[t].text() for t in wanted.tolist()] == dictionary.texts(wanted)
        assert [expected[t] for t in wanted.tolist()] == dictionary.look_up(wanted)
