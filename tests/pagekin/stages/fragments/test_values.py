"""What mappers and reducers of the bags say to each other."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pagekin.stages.fragments.values import (
    FoldedLinks,
    content_value,
    folded_value,
    host_id,
    link_value,
    parse_folded,
)

HOST = host_id("http://a.example/")


def links_of(sums: dict[int, int], links: int, pages: int, hosts: bytes) -> FoldedLinks:
    terms = np.array(sorted(sums), np.uint32)
    return FoldedLinks(links, pages, hosts, terms, np.array([sums[t] for t in sorted(sums)]))


def test_values_are_fixed() -> None:
    """Records of other tasks, and of a sweep from last week, are read."""
    assert b"nsQoxGUF" == HOST
    assert b"c1text" == content_value(b"text", own=False)
    assert b"lnsQoxGUF1text" == link_value(HOST, b"text", first=True)
    some = links_of({18: 5 << 32, 20: 1}, 3, 2, HOST)
    assert b"f3 2 nsQoxGUF EgAAABQAAAAAAAAABQAAAAEAAAAAAAAA" == folded_value(some)


def test_order() -> None:
    """A page's own fragment comes first, then folded links, then others by their hosts."""
    other = host_id("http://b.example/")
    folded = folded_value(links_of({}, 9, 9, HOST))
    values = [
        content_value(b"\xff", own=True),
        content_value(b"\x80", own=False),
        folded,
        *sorted(link_value(host, b"", first) for host in (HOST, other) for first in (True, False)),
    ]
    assert values == sorted(values)
    assert [HOST, HOST] in [[v[1:9] for v in values[k : k + 2]] for k in (3, 5)]


numbers = st.integers(0, 1 << 40)


@given(
    st.dictionaries(st.integers(16, (1 << 32) - 1), st.integers(1, (1 << 63) - 1), max_size=9),
    numbers,
    numbers,
    st.integers(0, 3),
)
def test_folded_links(sums: dict[int, int], links: int, pages: int, hosts: int) -> None:
    """Folded links come back, and the value has no byte that parts fields or lines."""
    some = links_of(sums, links, pages, hosts * HOST)
    value = folded_value(some)
    assert not set(value) & set(range(32))
    back = parse_folded(value)
    assert some[:3] == back[:3]
    assert (some.terms.tolist(), some.sums.tolist()) == (back.terms.tolist(), back.sums.tolist())
