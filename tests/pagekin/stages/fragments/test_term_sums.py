"""Sums of weights are those of plain loops over all terms."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.config import BagConfig, WindowConfig
from pagekin.stages.fragments import term_sums
from pagekin.stages.fragments.term_sums import (
    ANCHOR,
    CITING_PAGE,
    CONTENT,
    HEADINGS,
    TITLE,
    WITHIN_HOST,
    LinkSums,
    Sections,
    UrlSums,
    add_up,
    place_weights,
    sum_sections,
)

WEIGHTS = place_weights(BagConfig(headings=0.5, links=2.0), WindowConfig())
# few terms, so that they meet; and some that differ in one byte alone
TERMS = st.sampled_from([16, 17, 0x1100, 0x110000, 0x11000000, 2**32 - 1])
PLACES = st.sampled_from([CONTENT, TITLE, HEADINGS, CITING_PAGE, HEADINGS + WITHIN_HOST])


@st.composite
def sections(draw: st.DrawFn, size: int) -> list[tuple[int, ...]]:
    """Windows and other sections of a text, with the numbers of their URLs, ordered by these."""
    found = []
    place = st.integers(0, size)
    for _ in range(draw(st.integers(0, 8))):
        low, start, end, high = sorted(draw(place) for _ in range(4))
        url = draw(st.sampled_from([70_000, 70_001, 70_001 + 0xFFFE]))
        if draw(st.booleans()):
            within = draw(st.sampled_from([0, WITHIN_HOST]))
            found.append((url, low, start, end, high, ANCHOR + within))
        else:
            found.append((url, low, low, high, high, draw(PLACES)))
    return sorted(found)


@given(st.lists(TERMS, max_size=60), st.data())
@settings(max_examples=300)
def test_as_loops(terms: list[int], data: st.DataObject) -> None:
    """Each term of each section weighs what its distance or its kind of section says."""
    rows = data.draw(sections(len(terms)))
    expected: Counter[tuple[int, int]] = Counter()
    for url, low, start, end, high, place in rows:
        for k in range(low, high):
            distance = start - k if k < start else k - end + 1 if k >= end else 0
            expected[url, terms[k]] += int(WEIGHTS[place + distance])
    columns = np.array(rows, np.int64).reshape(-1, 6).T
    found = sum_sections(np.array(terms, np.uint32), Sections(*columns), WEIGHTS)
    assert {key: total for key, total in expected.items() if total} == as_dict(found)
    assert sorted(as_dict(found)) == list(as_dict(found))


def as_dict(sums: UrlSums) -> dict[tuple[int, int], int]:
    """(URL, term) -> sum."""
    keys = zip(sums.url.tolist(), sums.terms.tolist(), strict=True)
    return dict(zip(keys, sums.sums.tolist(), strict=True))


PARTS = st.dictionaries(st.tuples(st.integers(0, 3), TERMS), st.integers(1, 1 << 60), max_size=9)


@given(st.lists(PARTS, min_size=1, max_size=5))
def test_adding_up(parts: list[dict[tuple[int, int], int]]) -> None:
    """What several have for the same URL and term, in order."""
    expected: Counter[tuple[int, int]] = Counter()
    columns = []
    for part in parts:
        expected.update(part)
        keys = np.array(sorted(part), np.int64).reshape(-1, 2)
        sums = np.array([part[url, term] for url, term in sorted(part)], np.int64)
        columns.append(UrlSums(keys[:, 0].copy(), keys[:, 1].astype(np.uint32), sums))
    found = as_dict(add_up(columns))
    assert (sorted(found), dict(expected)) == (list(found), found)


def test_furthest_places() -> None:
    """The terms of the widest window have places of their own."""
    weights = place_weights(BagConfig(distance="none"), WindowConfig(words=8191))
    terms = np.arange(16, 16 + 20_000, dtype=np.uint32)
    places = (10_000 - 8191, 10_000, 10_001, 10_001 + 8191, ANCHOR)
    column = [np.array([k]) for k in (0, *places)]
    found = sum_sections(terms, Sections(*column), weights)
    assert {int(term_sums.SCALE)} == {*found.sums.tolist()}
    assert 2 * 8191 + 1 == len(found.terms)


@given(
    st.dictionaries(st.integers(16, (1 << 32) - 1), st.integers(1, (1 << 63) - 1), max_size=9),
    st.integers(0, 1 << 40),
    st.lists(st.sampled_from([b"a.example", b"[::1]", b"localhost"]), unique=True),
)
def test_link_sums(sums: dict[int, int], links: int, hosts: list[bytes]) -> None:
    """Sums of links come back as they were, and hold no byte that parts fields or lines."""
    terms = sorted(sums)
    columns = np.array(terms, np.uint32), np.array([sums[term] for term in terms], np.int64)
    some = LinkSums(links, 7, hosts, *columns)
    value = some.to_bytes()
    assert not set(value) & set(range(32))
    back = LinkSums.from_bytes(value)
    assert some[:3] == back[:3]
    assert (terms, list(map(sums.get, terms))) == (back.terms.tolist(), back.sums.tolist())


def test_stored_link_sums() -> None:
    """The example of docs/formats.md."""
    columns = np.array([18, 20], np.uint32), np.array([5 << 32, 1], np.int64)
    expected = b"3 2 a.example/b.example EgAAABQAAAAAAAAABQAAAAEAAAAAAAAA"
    assert expected == LinkSums(3, 2, [b"a.example", b"b.example"], *columns).to_bytes()
    for damaged in (b"", b"1 2 3", expected[:-1], b"x" + expected):
        with pytest.raises(ValueError, match=r"."):
            LinkSums.from_bytes(damaged)
