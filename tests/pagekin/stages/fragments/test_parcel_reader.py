"""Parcels opened in a reducer: all records in their order, whatever is held at once."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.kinds import Pair
from pagekin.stages.fragments import parcel_reader as opening
from pagekin.stages.fragments.link_records import Said
from pagekin.stages.fragments.packing import Packing
from pagekin.stages.fragments.parcel_reader import opened
from pagekin.stages.fragments.parcels import keyed, plain_pack
from tests.pagekin.stages.fragments.test_parcels import a_page, packings, said

FOLDED = st.tuples(
    st.sampled_from([b"http://a.example/x", b"http://b.example/long/way"]),
    st.sampled_from([b"f3 2 hosts sums", b"f1 1 hosts sums"]),
)
LIMITS = {
    "_AT_ONCE": st.sampled_from([0, 100, 1 << 20]),
    "_ENOUGH": st.sampled_from([0, 200, 1 << 20]),
    "_HELD": st.sampled_from([0, 100, 500, 1 << 20]),
    "_OPEN_PARTS": st.integers(2, 4),
}


@given(
    st.lists(said(), max_size=8),
    st.lists(FOLDED, max_size=3),
    packings(),
    st.fixed_dictionaries(LIMITS),
)
@settings(max_examples=200, deadline=None)
def test_any_pieces(
    pages: list[Said], folded: list[Pair], packing: Packing, limits: dict[str, int]
) -> None:
    """However much is opened together, and however small the parts of a range are."""
    sent = [pair for page in pages for pair in plain_pack(page, packing)]
    sent += keyed(folded, packing)
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            patch.setattr(opening, name, limit)
        found = list(opened(sorted(sent), packing))
    assert sorted([*folded, *(pair for page in pages for pair in page.records())]) == found


def test_large_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too much for a reducer lies on disk, in few files, and is gone behind it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(opening, "_HELD", 1000)
    monkeypatch.setattr(opening, "_AT_ONCE", 100)
    page = a_page([f"http://a.example/{k}" for k in range(10)])
    parcels = [pair for pair in plain_pack(page, Packing()) if b"//a." in pair[0]] * 1000
    records = opened(parcels, Packing())
    first = next(records)
    (folder,) = tmp_path.iterdir()
    assert 1 < len(list(folder.iterdir())) < 2 * opening._OPEN_PARTS
    assert sorted([first, *records]) == sorted([*page.records()][1:] * 1000)
    assert [] == list(tmp_path.iterdir())


def test_little_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges are opened as they come, not all at the end."""
    monkeypatch.setattr(opening, "_AT_ONCE", 1000)
    taken = 0

    def parcels() -> object:
        nonlocal taken
        for k in range(1000):
            taken += 1
            yield from plain_pack(a_page([f"http://h{k:04}.example/"]), Packing())[:1]

    next(opened(parcels(), Packing()))  # type: ignore[arg-type]
    assert taken < 50
