"""Groups as records: written and read back; what no task writes is refused."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from pagekin.config import MirrorConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.mirrors.shingles import make_sketch, pack
from pagekin.stages.mirror_groups import cutting
from pagekin.stages.mirror_groups.cutting import (
    cut_components,
    parse_edges,
    parse_facts,
    read_groups,
)

URLS = [b"http://%03d.example/" % k for k in range(60)]


def parts(shingles: dict[bytes, range], edges: list[tuple[bytes, bytes, int]]) -> list[Pair]:
    """Of one component."""
    pages = [
        b"0%b 0 %b" % (url, pack(make_sketch(np.array(its, np.uint64))))
        for url, its in shingles.items()
    ]
    told = [b"1%05d %b %b %d %d" % (10_000 - share, a, b, share, share) for a, b, share in edges]
    return [(b"0c", part) for part in sorted([*pages, *told])]


def chain() -> list[Pair]:
    """Sixty pages, each like the next."""
    shingles = {url: range(k, k + 300) for k, url in enumerate(URLS)}
    return parts(shingles, [(a, b, 9_000) for a, b in pairwise(URLS)])


def test_groups_are_read_back():
    """Members in order behind the representative, edges from the heaviest, facts."""
    records = list(cut_components(chain(), MirrorConfig(), Counters()))
    assert sorted(records) == records
    (group,) = read_groups(records)
    assert URLS == group.members
    assert [(a, b) for a, b, *_ in group.edges] == list(pairwise(URLS))
    # of the first and the last page 59 shingles of 300 differ
    assert (9_000, 10_000 * 241 // 359, 59, "") == group[2:]


def test_many_sketches_lie_on_disk(monkeypatch):
    """A component of very many pages keeps their sketches in a file; groups are the same."""
    expected = list(cut_components(chain(), MirrorConfig(), Counters()))
    monkeypatch.setattr(cutting, "_IN_MEMORY", 1_000)
    assert expected == list(cut_components(chain(), MirrorConfig(), Counters()))


def test_component_without_an_edge():
    with pytest.raises(ValueError, match="without an edge"):
        list(cut_components(parts({URLS[0]: range(9)}, []), MirrorConfig(), Counters()))


@pytest.mark.parametrize("value", [b"", b"2 1 1 1", b"2 1 1 1 3", b"2 1 1 1 -1", b"2 1 1 x 0"])
def test_damaged_facts(value):
    with pytest.raises(ValueError, match=r"unpack|invalid literal|no reason"):
        parse_facts(value)


@pytest.mark.parametrize("value", [b"u", b"u 1 2", b"u 1 2 x", b"u 1 2 3|v"])
def test_damaged_edges(value):
    with pytest.raises(ValueError, match=r"unpack|invalid literal"):
        parse_edges(b"http://a.example/", value)


def test_group_with_a_member_missing():
    records = list(cut_components(chain(), MirrorConfig(), Counters()))
    with pytest.raises(ValueError, match="members are missing"):
        list(read_groups(records[:-1]))
