"""The exact similarity of many bags at once against fractions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import Bag, jaccard
from pagekin.query.exact import DECIMALS, jaccards, plain_lesser_weights
from tests.natives import native
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


def columns(others: list[Bag]) -> tuple[list[bytes], list[bytes]]:
    """Terms and weights of each, as bytes."""
    return [o.terms.tobytes() for o in others], [o.weights.tobytes() for o in others]


def of_many(bag: Bag, others: list[Bag]) -> list[float]:
    return jaccards((bag.terms, bag.weights), *columns(others)).tolist()


@given(bags(), st.lists(bags(), max_size=6))
def test_in_c(bag, others):
    """What bags share is the same in C, to the last bit."""
    plain = plain_lesser_weights((bag.terms, bag.weights), *columns(others))
    in_c = native("pagekin.query._exact").lesser_weights
    values, ends = in_c(bag.terms.tobytes(), bag.weights.tobytes(), *columns(others))
    assert (plain[0].tobytes(), plain[1][1:].tobytes()) == (values, ends)


@pytest.mark.parametrize(
    "words",
    [
        (b"1234", b"", [], []),
        (b"123", b"123", [], []),
        (b"", b"", [b"1234"], [b""]),
        (b"", b"", [b"1234"], []),
        (b"", b"", (), ()),
        (b"", b"", ["text"], [b""]),
        ("", b"", [], []),
        (b"", b"", [], [], []),
    ],
)
def test_what_is_no_bag(words):
    """Bytes that do not belong together are refused, and the next call knows nothing of them."""
    in_c = native("pagekin.query._exact").lesser_weights
    with pytest.raises((ValueError, TypeError)):
        in_c(*words)
    one = np.array([16], "<u4").tobytes(), np.array([1.5], "<f4").tobytes()
    with pytest.raises((ValueError, TypeError)):
        in_c(*one, [one[0], b"1"], [one[1], b"1"])
    assert (b"", bytes(8)) == in_c(b"", b"", [one[0]], [one[1]])
    assert (np.array([1.5]).tobytes(), np.array([1]).tobytes()) == in_c(*one, [one[0]], [one[1]])


@given(bags(), st.lists(bags(), max_size=6))
def test_twin(bag, others):
    """Bags one behind another, empty ones among them, have the similarity that fractions give."""
    found = of_many(bag, others)
    assert len(others) == len(found)
    for other, value in zip(others, found, strict=True):
        assert float(plain_jaccard(bag, other)) == pytest.approx(value, abs=2 * 10.0**-DECIMALS)
        assert jaccard(bag, other) == pytest.approx(value, abs=2 * 10.0**-DECIMALS)


@given(bags(), st.lists(bags(), min_size=1, max_size=6))
def test_company_is_irrelevant(bag, others):
    """The similarity of two bags is the same to the last bit, whoever else is compared."""
    together = of_many(bag, others)
    assert [of_many(bag, [other])[0] for other in others] == together


@given(bags())
def test_of_itself(bag):
    """A bag is all like itself, if it holds anything."""
    assert [float(len(bag.terms) > 0)] == of_many(bag, [bag])
