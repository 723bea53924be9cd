"""Records of links, and numbers as text, in C and in numpy: the same bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.bags import fragments
from pagekin.bags.fragments import WIDTH, LinkParts, decode, encode
from pagekin.stages.fragments.link_records import plain_link_records
from tests.natives import native

SOURCE = b"nsQoxGUF"
TARGETS = st.lists(st.none() | st.sampled_from(["http://a.example/", "http://b.example/é"]))


@st.composite
def links(draw: st.DrawFn) -> tuple[list[str | None], LinkParts]:
    """Some links of a page of some terms."""
    targets = draw(TARGETS)
    terms = draw(st.lists(st.integers(0, 2**32 - 1), max_size=12))
    places = st.integers(0, len(terms))
    edges = [sorted((draw(places), draw(places))) for _ in targets]
    low, high = np.array(edges, np.int64).reshape(-1, 2).T.copy()
    marks = encode(np.arange(len(targets), dtype=np.uint64) + (1 << 32))
    heading = st.sampled_from([b"", b"headi", b"two headin"])
    above = [draw(heading) for _ in targets] if draw(st.booleans()) else None
    text = encode(np.array(terms, np.uint32))
    return targets, LinkParts(marks, text, low, high, above, draw(st.sampled_from([b"", b"title"])))


@given(links(), st.integers(1, 4))
@settings(max_examples=300)
def test_twins(some: tuple[list[str | None], LinkParts], most: int) -> None:
    """Whatever is linked how often, and however many links go into a record."""
    targets, parts = some
    expected = plain_link_records(targets, parts, SOURCE, most)
    made = native("pagekin.stages.fragments._fragments").link_records(targets, *parts, SOURCE, most)
    assert expected == made


def test_wrong_parts() -> None:
    """Windows outside of the page and columns of other lengths are refused."""
    records = native("pagekin.stages.fragments._fragments").link_records
    zero, one = np.zeros(1, np.int64), np.ones(1, np.int64)
    right = (["http://a.example/"], b"mark.", b"term.", zero, one, None, b"", SOURCE, 1)
    assert 1 == len(records(*right))
    for place, wrong in (
        (0, []),
        (0, [7]),
        (1, b""),
        (3, one * -1),
        (3, one * 2),
        (4, one * 2),
        (4, np.zeros(2, np.int64)),
        (4, np.zeros(3, np.uint8)),
        (5, []),
        (5, ["text"]),
        (8, 0),
    ):
        changed = [*right]
        changed[place] = wrong
        with pytest.raises((ValueError, TypeError)):
            records(*changed)


@given(st.lists(st.integers(0, 2**35 - 1)))
def test_numbers_as_text(numbers: list[int]) -> None:
    """Both ways, and both kinds of numbers."""
    made = native("pagekin.stages.fragments._fragments")
    wide = np.array(numbers, np.uint64)
    narrow = wide.astype(np.uint32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fragments, "_native", None)
        texts = encode(wide), encode(narrow)
        assert numbers == decode(texts[0]).tolist()
    assert texts == (made.encode_64(wide), made.encode_32(narrow))
    assert numbers == np.frombuffer(made.decode(texts[0]), np.uint64).tolist()
    with pytest.raises(ValueError, match="whole number"):
        made.decode(b"x" * (WIDTH + 1))
