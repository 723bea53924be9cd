"""Where large files can be cut: places that the inventory saw, some for each file."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.stages.inventory import cuts
from pagekin.stages.inventory.cuts import CELL, CutFinder, cuts_of, parse_cuts
from pagekin.web.warc import Record


def places_of(offsets: list[tuple[int, bool]]) -> list[int]:
    """What is found in a file of such records: offset, and whether a reader can begin there."""
    finder = CutFinder()
    for offset, can_begin in offsets:
        finder.see(Record(offset, "response", {}, 0, can_begin=can_begin))
    return [place for _, value in finder.records("a.warc") for place in parse_cuts(value)]


def plain_places(offsets: list[tuple[int, bool]], most: int) -> list[int]:
    """The same, of all records at once."""
    able = sorted(offset for offset, can_begin in offsets if can_begin)
    cell = CELL
    while len({offset // cell for offset in able} - {0}) > most:
        cell *= 2
    first = {offset // cell: offset for offset in reversed(able)}
    return sorted(offset for cell, offset in first.items() if cell)


@given(
    st.lists(st.tuples(st.integers(0, 60 * CELL), st.booleans()), max_size=80),
    st.integers(1, 20),
)
def test_places(offsets, most):
    """The first place in each cell; cells are as large as it takes for so many places."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "_MOST", most)
        found = places_of(sorted(offsets))
    assert plain_places(offsets, most) == found
    assert len(found) <= most


def test_small_files():
    """Files are cut from a megabyte on."""
    assert [] == places_of([(0, True), (CELL - 1, True)])
    assert [CELL] == places_of([(0, True), (CELL - 1, True), (CELL, True)])


def test_records():
    """One record a file, by its address; other records of the inventory are passed over."""
    finder = CutFinder()
    finder.see(Record(CELL + 5, "response", {}, 0, can_begin=True))
    pairs = list(finder.records("s3://b/ä b.warc.gz"))
    assert [("!cuts/s3://b/ä b.warc.gz".encode(), b"1048581")] == pairs
    others = [(b"!sample/00", b"1 http://a.example/"), (b"http://a.example/", b"captured")]
    assert {"s3://b/ä b.warc.gz": [1048581]} == cuts_of(iter([*pairs, *others]))
    assert {} == cuts_of(iter(others))
