"""Bags as records, and many of them one behind another."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import Bag, Bags, in_batches, parse_bag, read_bags
from tests.indexes import bag_record

COUNTS = st.integers(0, 1 << 70)


@st.composite
def some_bags(draw):
    """Bags of 0 to 5 terms."""
    bags = []
    for url in draw(st.lists(st.text("aé/", min_size=1), max_size=7)):
        terms = np.array(draw(st.lists(st.integers(0, 2**32 - 1), max_size=5)), dtype=np.uint32)
        counts = draw(st.tuples(st.booleans(), COUNTS, COUNTS, COUNTS))
        bags.append(Bag(url, *counts, terms, np.arange(len(terms), dtype=np.float32)))
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


@pytest.mark.parametrize(
    "value",
    [b"", b"1 2 3 AAAA", b"1 2 3 4 A", b"1 2 3 4 AAAA", b"1 2 3 4 AA=AAAAAAAAA", b"1 2 3 4"],
)
def test_no_value(value):
    """What is no value is shown."""
    good = bag_record(Bag("a", True, 1, 1, 1, np.zeros(1, np.uint32), np.zeros(1, np.float32)))
    with pytest.raises(ValueError, match=re.escape(f"no value of a bag: {value!r}")):
        Bags.read([good, (b"b", value)])
