"""What is known of a page goes with its component; values that no task writes are refused."""

from __future__ import annotations

import numpy as np
import pytest

from pagekin.mirrors.shingles import MOST_KEPT, WHOLE, compare, make_sketch, pack, unpack
from pagekin.stages.mirror_components.steps import node_of
from pagekin.stages.mirror_members.join import (
    join_components,
    parse_edge_part,
    parse_page_part,
    send_to_pages,
)

A, B = b"http://a.example/", b"http://b.example/"


def test_sketches_are_cut():
    """What travels of a long page is a sketch that knows fewer fingerprints, and knows how far."""
    numbers = np.random.default_rng(1).integers(0, 1 << 62, 3_000, np.uint64)
    long = make_sketch(numbers)
    assert (3_000, MOST_KEPT) == (long.shingles, len(long.fingerprints))
    short = make_sketch(numbers[:100])
    sent = dict(send_to_pages([(b"!shingles/" + A, b"/ " + pack(long))]))
    cut = unpack(sent[node_of(A)][1:])
    assert (3_000, 126, int(long.fingerprints[125])) == (*cut[:1], len(cut.fingerprints), cut.reach)
    assert 1.0 == compare(long, cut).resemblance
    sent = dict(send_to_pages([(b"!shingles/" + B, b"/ " + pack(short))]))
    assert (100, WHOLE) == unpack(sent[node_of(B)][1:])[:2]


def test_pages_without_an_edge():
    """Sketches, inlinks and edges of containment alone make nobody a member."""
    records = [
        (b"!edges/" + A, B + b" 3000 9900 3100 contained"),
        (b"!shingles/" + A, b"/ " + pack(make_sketch(np.array([5], np.uint64)))),
        (A, b"1 3 2 1 AAAA"),
        (B, b"0 1 0 0 AAAA"),
    ]
    sent = sorted(send_to_pages(records))
    assert [(node_of(A), b"12"), (node_of(A), b"2")] == [
        (key, value[:2].rstrip(b"A")) for key, value in sent
    ]
    assert [] == list(join_components(sent))


@pytest.mark.parametrize("value", [b"", b"0", b"0u 1", b"0u x s", b"0u 1 s more"])
def test_damaged_pages(value):
    with pytest.raises(ValueError, match=r"unpack|invalid literal"):
        parse_page_part(value)


@pytest.mark.parametrize("value", [b"", b"1", b"100000 a b 1", b"1x a b 1 1", b"100000 a b 1 1 1"])
def test_damaged_edges(value):
    with pytest.raises(ValueError, match=r"unpack|invalid literal"):
        parse_edge_part(value)
