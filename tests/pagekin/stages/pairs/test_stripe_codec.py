"""Stripes there and back, on one line."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagekin.cocitation.similarity import ONE, Alike, similarity_by_distance
from pagekin.config import CocitationConfig
from pagekin.stages.pairs.stripe_codec import pack_stripes, split_stripes, unpack_partners

BY_DISTANCE = similarity_by_distance(CocitationConfig(near=8))
HASHES = st.lists(st.integers(0, (1 << 64) - 1), min_size=1, max_size=70)


@st.composite
def blocks(draw: st.DrawFn) -> tuple[Alike, list[int]]:
    """A block all of whose links are near, with exceptions for some pairs, and the hashes."""
    hashes = draw(HASHES)
    number = len(hashes)
    places = st.sets(st.integers(0, number - 1), max_size=3)
    exceptions, others, values = [], [], []
    for link in range(number):
        some = sorted(draw(places) - {link})
        exceptions.append(len(some))
        others += some
        values += [draw(st.integers(0, 2 * ONE)) for _ in some]
    low, high = np.zeros(number, np.int64), np.full(number, number)
    columns = (np.array(exceptions), np.array(others, np.int64), np.array(values, np.uint32))
    return Alike(0, low, high, *columns, np.full(number, number - 1), 0), hashes


@given(blocks())
def test_there_and_back(block):
    """Hashes are read back as they were, whatever their bytes, each with S."""
    alike, hashes = block
    groups = [b"d.example anchor %d" % k for k in range(len(hashes))]
    values = pack_stripes(alike, np.array(hashes, np.uint64), groups)
    if len(hashes) == 1:
        assert [b""] == values
        return
    assert not set(b"\t\n\r") & set(b"".join(values))
    told, facts, lists = split_stripes(values)
    assert groups == told
    partners = unpack_partners(facts, lists, BY_DISTANCE)
    assert [len(hashes)] * len(hashes) == partners.sizes.tolist()
    assert hashes * len(hashes) == partners.hashes.tolist()
    expected = [
        int(BY_DISTANCE[min(abs(one - other), len(BY_DISTANCE) - 1)]) * (one != other)
        for one in range(len(hashes))
        for other in range(len(hashes))
    ]
    at = np.repeat(np.arange(len(hashes)), alike.exceptions) * len(hashes) + alike.others
    for place, value in zip(at.tolist(), alike.values.tolist(), strict=True):
        expected[place] = value
    assert expected == partners.values.tolist()


def test_golden():
    """The bytes of a stripe: the group, the link's own place with an exception, and hashes."""
    columns = (np.array(list(column)) for column in ([0, 0], [2, 2], [1, 0], [1], [ONE * 2]))
    alike = Alike(0, *columns, np.array([1, 1]), 0)
    values = pack_stripes(alike, np.array([1, 2], np.uint64), [b"d.example a", b"d.example b"])
    hashes = b"AQAAAAAAAAACAAAAAAAAAA=="
    assert [
        b"d.example a\x01AAAAAAAAAQAAAACA\x01" + hashes,
        b"d.example b\x01AQAAAAAA\x01" + hashes,
    ] == values
