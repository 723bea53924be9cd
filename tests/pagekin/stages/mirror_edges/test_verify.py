"""Pairs are verified against sets of shingles."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import MirrorConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.mirrors.shingles import make_sketch, pack
from pagekin.stages.mirror_edges.verify import MirrorEdge, parse_edge, send_sides, verify

CONFIG = MirrorConfig()


def offers_of(pages: dict[str, set[int]]) -> list[Pair]:
    """Each page is to be compared with all lesser ones."""
    words = {url: pack(make_sketch(np.array(sorted(p), np.uint64))) for url, p in pages.items()}
    return [
        (f"!offers/{url}".encode(), b" ".join([word, *(o.encode() for o in pages if o < url)]))
        for url, word in words.items()
    ]


@given(st.lists(st.sets(st.integers(0, 30), min_size=1), min_size=2, max_size=6))
def test_edges_are_pairs_that_share_enough(sets: list[set[int]]) -> None:
    """Resemblance and both containments by the definition, the lesser URL first; a page that is
    contained in another is told apart, and the rest is refuted.
    """
    pages = {f"http://{'abcdef'[k]}.example/": some for k, some in enumerate(sets)}
    expected, refuted = {}, 0
    for (one, p), (other, q) in combinations(sorted(pages.items()), 2):
        shared = 10_000 * len(p & q)
        shares = shared // len(p | q), shared // len(p), shared // len(q)
        if shares[0] >= 5_000 or max(shares[1:]) >= 9_000:
            expected[one, other] = (*shares, shares[0] >= 5_000)
        else:
            refuted += 1
    counters = Counters()
    made = [*verify(sorted(send_sides(offers_of(pages))), CONFIG, counters)]
    assert made == sorted(made)
    found = {(key.decode().removeprefix("!edges/"), parse_edge(value)) for key, value in made}
    assert {(one, e.url.decode()): tuple(e[1:]) for one, e in found} == expected
    assert counters.as_dict().get("mirrors", {}).get("refuted", 0) == refuted


def test_copies_need_no_sketch() -> None:
    """They are edges as they stand, among others in the order of their URLs."""
    pages = {"http://a.example/": {*range(30)}, "http://c.example/": {*range(29)}}
    copies = [
        (b"!copies/0", b"http://a.example/ http://b.example/"),
        (b"!copies/1", b"http://x.example/ http://y.example/"),
    ]
    counters = Counters()
    sides = sorted(send_sides([*copies, *offers_of(pages)]))
    made = [*verify(sides, CONFIG, counters)]
    assert [
        (b"!edges/http://a.example/", b"http://b.example/ 10000 10000 10000"),
        (b"!edges/http://a.example/", b"http://c.example/ 9666 9666 10000"),
        (b"!edges/http://x.example/", b"http://y.example/ 10000 10000 10000"),
    ] == made
    assert {"edges": 3} == counters.as_dict()["mirrors"]


def test_contained_pages_are_counted_apart() -> None:
    """Most of one stands on the other, which has more to say."""
    pages = {"http://a.example/": {*range(100)}, "http://b.example/": {*range(20)}}
    counters = Counters()
    ((_, value),) = verify(sorted(send_sides(offers_of(pages))), CONFIG, counters)
    assert b"http://b.example/ 2000 2000 10000 contained" == value
    edge = MirrorEdge(b"http://b.example/", 2000, 2000, 10_000, are_mirrors=False)
    assert edge == parse_edge(value)
    assert {"contained": 1} == counters.as_dict()["mirrors"]


@pytest.mark.parametrize(
    "value", [b"", b"http://b.example/", b"b 1 2", b"b 1 2 10001", b"b 1 2 x", b"b 1 2 3 kin"]
)
def test_damaged_edges_are_refused(value: bytes) -> None:
    """Of wrong length, or with shares that are none."""
    with pytest.raises(ValueError):
        parse_edge(value)
