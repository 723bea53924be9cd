"""Sketches are offered to the pages that they are compared with."""

from __future__ import annotations

import numpy as np
import pytest

from pagekin.counters import Counters
from pagekin.kinds import MIRROR_PAIRS, Pair
from pagekin.mirrors.shingles import make_sketch, pack
from pagekin.stages.mirror_offers import offers
from pagekin.stages.mirror_offers.offers import offer, send_asks

URLS = {name: f"http://{name}.example/".encode() for name in "abcd"}
WORDS = {name: pack(make_sketch(np.arange(ord(name), dtype=np.uint64))) for name in "abcd"}


def sketches() -> list[Pair]:
    return [(b"!shingles/" + URLS[name], b"/ " + WORDS[name]) for name in "abcd"]


def pair(key: str, one: str, other: str) -> Pair:
    return MIRROR_PAIRS.prefix + key.encode(), URLS[one] + b" " + URLS[other]


def test_the_greater_url_offers_its_sketch_to_the_lesser():
    """Each pair once, however many keys they share; who has no pair is not heard of."""
    counters = Counters()
    pairs = [pair("1", "a", "b"), pair("1", "a", "c"), pair("1", "b", "c"), pair("2", "a", "b")]
    sent = sorted(send_asks([*sketches(), *pairs]))
    expected = {
        "a": b" ".join([WORDS["a"]]),
        "b": b" ".join([WORDS["b"], URLS["a"]]),
        "c": b" ".join([WORDS["c"], URLS["a"], URLS["b"]]),
    }
    assert {b"!offers/" + URLS[n]: v for n, v in expected.items()} == dict(offer(sent, counters))
    assert {"pages_compared": 3, "pairs_compared": 3} == counters.as_dict()["mirrors"]


@pytest.mark.parametrize("most", [0, 1, 100])
def test_what_a_task_remembers_of_pairs_leaves_no_trace(most, monkeypatch):
    """Pairs that are sent twice are compared once."""
    monkeypatch.setattr(offers, "_REMEMBERED", most)
    pairs = [pair(str(k), one, other) for k in range(3) for one, other in ("ab", "ac", "bd")]
    sent = sorted(send_asks([*sketches(), *pairs]))
    found = dict(offer(sent, Counters()))
    assert WORDS["d"] + b" " + URLS["b"] == found[b"!offers/" + URLS["d"]]
    assert 4 == len(found)
