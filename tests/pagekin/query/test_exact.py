"""The exact similarity of many bags at once against fractions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import Bag, Bags
from pagekin.query.exact import DECIMALS, jaccards
from tests.pagekin.query.plain_answers import plain_jaccard

# equal low halves: terms that only the full comparison tells apart
TERMS = [16, 17, 20, 0x10010, 0x20010, 0xFFFF0010, 0xFFFFFFFF]


@st.composite
def bags(draw: st.DrawFn) -> Bag:
    """A bag of few terms, of any weights."""
    terms = sorted(draw(st.sets(st.sampled_from(TERMS))))
    heavy = st.floats(2.0**-20, 1000, width=32)
    weights = draw(st.lists(heavy, min_size=len(terms), max_size=len(terms)))
    return Bag("", True, 0, 0, 0, np.array(terms, "<u4"), np.array(weights, "<f4"))


def of_many(bag: Bag, others: list[Bag]) -> list[float]:
    return jaccards(bag.terms, bag.weights, Bags.of(others).columns()).tolist()


@given(bags(), st.lists(bags(), max_size=6))
def test_twin(bag, others):
    """Bags one behind another, empty ones among them, have the similarity that fractions give."""
    found = of_many(bag, others)
    assert len(others) == len(found)
    for other, value in zip(others, found, strict=True):
        assert float(plain_jaccard(bag, other)) == pytest.approx(value, abs=2 * 10.0**-DECIMALS)


@given(bags(), st.lists(bags(), min_size=1, max_size=6))
def test_company_is_irrelevant(bag, others):
    """The similarity of two bags is the same to the last bit, whoever else is compared."""
    together = of_many(bag, others)
    assert [of_many(bag, [other])[0] for other in others] == together


@given(bags())
def test_of_itself(bag):
    """A bag is all like itself, if it holds anything."""
    assert [float(len(bag.terms) > 0)] == of_many(bag, [bag])
