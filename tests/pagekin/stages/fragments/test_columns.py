"""The values of URLs in columns, in C and in numpy: the same counts, terms and sums."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.bags.fragments import (
    CITING_PAGE,
    CITING_TITLE,
    CONTENT,
    HEADINGS,
    KIND_SHIFT,
    LINK,
    SIDE_SHIFT,
    TITLE,
    encode,
)
from pagekin.config import BagConfig, WindowConfig
from pagekin.stages.fragments.columns import plain_bag_values, plain_columns
from pagekin.stages.fragments.gathering import Columns
from pagekin.stages.fragments.term_positions import LEAST, place_weights
from pagekin.stages.fragments.totals import TermSums
from pagekin.stages.fragments.values import FoldedLinks, content_value, folded_value, link_value
from tests.natives import native

HOSTS = [b"hostAAAA", b"hostBBBB", b"hostCCCC"]
WEIGHTS = place_weights(BagConfig(headings=0.5, links=2.0), WindowConfig())
# few terms, so that they meet; and some that differ in one byte alone
TERMS = st.lists(
    st.sampled_from([16, 17, 0x1100, 0x110000, 0x11000000, 2**32 - 1]) | st.integers(16, 2**32 - 1),
    max_size=60,
)


def section(kind: int, terms: list[int], sides: int = 0) -> list[int]:
    return [kind << KIND_SHIFT | sides, *terms]


@st.composite
def link_texts(draw: st.DrawFn) -> bytes:
    """One link or two, with what may go with them."""
    numbers: list[int] = []
    for _ in range(draw(st.integers(1, 2))):
        terms = draw(TERMS)
        left = draw(st.integers(0, len(terms)))
        right = draw(st.integers(0, len(terms) - left))
        numbers += section(LINK, terms, left << SIDE_SHIFT | right)
        for kind in draw(st.sets(st.sampled_from([HEADINGS, CITING_TITLE, CITING_PAGE]))):
            numbers += section(kind, draw(TERMS)[:3])
    return encode(np.array(numbers, np.uint64))


@st.composite
def values_of_a_url(draw: st.DrawFn) -> list[bytes]:
    """In the order in which they sort."""
    found: list[bytes] = []
    for own in draw(st.lists(st.booleans(), max_size=2)):
        numbers = section(TITLE, draw(TERMS)[:3]) + section(CONTENT, draw(TERMS))
        found.append(content_value(encode(np.array(numbers, np.uint64)), own))
    if draw(st.booleans()):
        terms, sums = TermSums().total()
        found.append(folded_value(FoldedLinks(3, 2, b"hostAAAA", terms, sums)))
    links = st.builds(link_value, st.sampled_from(HOSTS), link_texts(), st.booleans())
    found += draw(st.lists(links, max_size=4))
    return sorted(found) or [link_value(HOSTS[0], b"", first=True)]


@given(st.lists(values_of_a_url(), min_size=1, max_size=5), st.data())
@settings(max_examples=300)
def test_twins(urls: list[list[bytes]], data: st.DataObject) -> None:
    """All counts, all sums to the last bit, and what is left to others."""
    starts = np.cumsum([0, *map(len, urls[:-1])]).tolist()
    values = [value for some in urls for value in some]
    taken = bytes(data.draw(st.lists(st.integers(0, 1), min_size=len(urls), max_size=len(urls))))
    own = data.draw(st.none() | st.just(b"".join(HOSTS[k % 3] for k in range(len(urls)))))
    expected = plain_columns(values, starts, WEIGHTS, taken, own)
    arguments = (values, starts, WEIGHTS.tobytes(), LEAST.tobytes(), taken, own)
    *columns, folded, dropped = native("pagekin.stages.fragments._columns").columns(*arguments)
    assert (expected.folded, expected.dropped) == (folded, dropped)
    for field, column in zip(fields(Columns), columns, strict=True):
        assert getattr(expected.columns, field.name).tobytes() == bytes(column), field.name


@given(st.lists(st.integers(0, 5), max_size=6), st.integers(0, 2**40))
def test_values_of_bags(sizes: list[int], most: int) -> None:
    """Base64 of any length, and counts of any size."""
    count, total = len(sizes), sum(sizes)
    rng = np.random.default_rng(most)
    counts = [rng.integers(0, most + 1, count) for _ in range(4)]
    none, terms = np.empty(0, np.int64), rng.integers(0, 2**32, total, np.uint32)
    bounds, weights = np.cumsum([0, *sizes]), rng.random(total, np.float32)
    columns = Columns(*counts, none, none, bounds, terms, none)
    made = native("pagekin.stages.fragments._columns").bag_values(*counts, bounds, terms, weights)
    assert plain_bag_values(columns, weights) == made


def test_wrong_input() -> None:
    """What is no value, or no column beside the others, is refused."""
    module = native("pagekin.stages.fragments._columns")
    weights, least = WEIGHTS.tobytes(), LEAST.tobytes()
    link = link_value(HOSTS[0], b"", first=True)
    for values, starts in (
        ([b""], [0]),
        ([b"x"], [0]),
        ([b"l" + b"x" * 3], [0]),
        ([link + b"1234"], [0]),
        ([link + b"\x81\x81\x81\x81\x81"], [0]),
        (["text"], [0]),
        ([link], [0, 5]),
        ([link, link], [0, -1]),
    ):
        with pytest.raises((ValueError, TypeError)):
            module.columns(values, starts, weights, least, bytes(len(starts)), None)
    for wrong in ((weights[8:], least, b"\0"), (weights, b"", b"\0"), (weights, least, b"")):
        with pytest.raises(ValueError, match="each place"):
            module.columns([link], [0], *wrong, None)
    one, two = np.ones(1, np.int64), np.array([0, 1])
    term, weight = np.ones(1, np.uint32), np.ones(1, np.float32)
    right = [one, one, one, one, two, term, weight]
    assert 1 == len(module.bag_values(*right))
    for place, column in ((0, one[:0]), (3, -one), (4, one), (4, two[::-1].copy()), (5, term[:0])):
        changed = [*right]
        changed[place] = column
        with pytest.raises(ValueError, match="belong together"):
            module.bag_values(*changed)
