"""Totals that grow piece by piece are those of all pieces together."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.stages.fragments import totals
from pagekin.stages.fragments.totals import HostSet, TermSums

pieces = st.lists(st.dictionaries(st.integers(16, 30), st.integers(1, 1 << 50), max_size=9))


@given(pieces, st.integers(0, 20))
def test_sums(some: list[dict[int, int]], few: int) -> None:
    """The sum of each term, in their order, however often parts are added up; nothing piles up."""
    sums, expected = TermSums(), Counter[int]()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(totals, "_FEW", few)
        for piece in some:
            terms = sorted(piece)
            sums.add(np.array(terms, np.uint32), np.array([piece[t] for t in terms], np.int64))
            expected.update(piece)
            assert len(expected) <= len(sums) <= len(expected) + max(few, len(expected))
            assert len(sums) == sum(len(terms) for terms, _ in sums._parts)
    found = [array.tolist() for array in sums.total()]
    assert [sorted(expected), [expected[term] for term in sorted(expected)]] == found


@given(st.lists(st.lists(st.sampled_from([b"host%04d" % k for k in range(9)]))))
def test_hosts(some: list[list[bytes]]) -> None:
    """Each host once, however often it was added, and no more held than twice that."""
    expected: set[bytes] = set()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(totals, "_FEW", 1)
        hosts = HostSet()
        for ids in some:
            hosts.add(b"".join(ids))
            expected.update(ids)
            assert len(hosts._ids) <= 16 * len(expected) + 8
    found = hosts.ids()
    assert sorted(expected) == sorted(found[k : k + 8] for k in range(0, len(found), 8))
    assert len(expected) == hosts.count() == len(found) // 8
