"""Parcels: what comes out is what went in, in C and in Python, whatever pages say."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pagekin.bags.fragments import (
    CONTENT,
    HEADINGS,
    KIND_SHIFT,
    LINK,
    TITLE,
    WIDTH,
    LinkParts,
    encode,
)
from pagekin.config import BagConfig, WindowConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.fragments import parcels
from pagekin.stages.fragments.link_records import PER_RECORD, Said
from pagekin.stages.fragments.merge import BagMerger
from pagekin.stages.fragments.packing import Packing, host_part, spelt_code, write_packing
from pagekin.stages.fragments.parcels import Range, keyed, plain_pack, plain_unpack
from pagekin.stages.fragments.values import FIRST, FLAG, LINK_TEXT, content_value, host_id
from tests.natives import native

URLS = ("http://a.example/", "http://a.example/x", "http://a.example/x/y?q=1", "http://a.example/ü")
URLS += (
    "https://a.example/",
    "http://a.example.org/",
    "http://b.example/long/way",
    "http://b.ex/2",
)
TERMS = st.integers(0, 40) | st.integers(0, 2**32 - 1)
CUTS = st.sets(st.sampled_from(["http://a.example/m", *URLS[1:]]))


@st.composite
def packings(draw: st.DrawFn) -> Packing:
    """Codes for some terms, and cuts anywhere, also where no host is."""
    terms = draw(st.lists(TERMS, unique=True, max_size=30))
    return Packing(np.array(terms, np.uint32), sorted(cut.encode() for cut in draw(CUTS)))


@st.composite
def said(draw: st.DrawFn) -> Said:
    """What a page of some terms says; windows may be as wide as they like."""
    terms = np.array(draw(st.lists(TERMS, max_size=30)), np.uint32)
    targets = draw(st.lists(st.none() | st.sampled_from(URLS), max_size=12))
    place = st.integers(0, len(terms))
    edges = np.array([sorted(draw(place) for _ in range(4)) for _ in targets], np.int64)
    low, start, end, high = edges.reshape(-1, 4).T.copy()
    marks = encode(((LINK << KIND_SHIFT) | (start - low << 16) | (high - end)).astype(np.uint64))
    few = st.lists(TERMS, max_size=3)
    heading = few.map(lambda some: numbers(HEADINGS << KIND_SHIFT, *some)) | st.just(b"")
    above = [draw(heading) for _ in targets] if draw(st.booleans()) else None
    tail, text = numbers(*draw(few)), encode(terms)
    head = numbers(TITLE << KIND_SHIFT, *draw(few), CONTENT << KIND_SHIFT)
    value = content_value(head + (text if draw(st.booleans()) else b""), own=draw(st.booleans()))
    own = draw(st.sampled_from(URLS))
    targets = [target if target != own else None for target in targets]
    parts = LinkParts(marks, text, low, high, above, tail)
    return Said(own.encode(), value, targets, parts, host_id(own))


def numbers(*some: int) -> bytes:
    return encode(np.array(some, np.uint64))


def in_c(page: Said, packing: Packing) -> list[Pair]:
    ranges = packing.table, packing.cut_text, packing.cut_bounds
    most = parcels.MOST_OPENED
    made: list[Pair] = native("pagekin.stages.fragments._parcels").pack(
        page.url, page.value, page.targets, *page.parts, page.host, *ranges, most
    )
    return made


def opened_in_c(pairs: list[Pair], packing: Packing, enough: int) -> tuple[list[Range], int]:
    limits = PER_RECORD, parcels.MOST_OPENED, enough
    made: tuple[list[Range], int]
    made = native("pagekin.stages.fragments._parcels").unpack(pairs, 0, packing.text, *limits)
    return made


def records_of(ranges: list[Range]) -> list[Pair]:
    return [record for _, records, _ in ranges for record in records]


MOST = st.sampled_from([0, 50, 200, parcels.MOST_OPENED])  # 0: a parcel for each link


@given(st.lists(said(), max_size=4), packings(), MOST)
@settings(max_examples=300, deadline=None)
def test_what_went_in_comes_out(pages: list[Said], packing: Packing, most: int) -> None:
    """All records of all pages, sorted as a reducer wants them; and no parcel is a broken line."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "MOST_OPENED", most)
        sent = sorted(pair for page in pages for pair in plain_pack(page, packing))
        ranges, place = plain_unpack(sent, 0, packing, 1 << 40)
    assert not any(set(b"\0\t\n\r") & {*key, *value} for key, value in sent)
    assert all(packing.key_of(key) == key or key in packing.cuts for key, _ in sent)
    keys = [key for key, _, _ in ranges]
    assert (sorted({key for key, _ in sent}), len(sent)) == (keys, place)
    expected = sorted(pair for page in pages for pair in page.records())
    assert bags_of(expected) == bags_of(records_of(ranges))
    if most == parcels.MOST_OPENED:
        assert expected == records_of(ranges)


def bags_of(records: list[Pair]) -> tuple[list[Pair], object]:
    """What is merged of records, and what is counted."""
    counters = Counters()
    merger = BagMerger(BagConfig(), WindowConfig(), counters)
    return list(merger.merge(records)), counters.as_dict()


@given(
    st.lists(said(), min_size=1, max_size=4), packings(), MOST, st.sampled_from([0, 99, 1 << 40])
)
@settings(max_examples=300, deadline=None)
def test_twins(pages: list[Said], packing: Packing, most: int, enough: int) -> None:
    """In C the same parcels, and the same records, however many are wanted at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "MOST_OPENED", most)
        sent = [pair for page in pages for pair in plain_pack(page, packing)]
        assert sent == [pair for page in pages for pair in in_c(page, packing)]
        expected = plain_unpack(sorted(sent), 0, packing, enough)
        assert expected == opened_in_c(sorted(sent), packing, enough)


def test_no_parcel_is_long() -> None:
    """Of very many links to a range more parcels are made, also within one URL, and no page counts
    twice.
    """
    page = a_page(["http://a.example/x"] * 30_000 + ["http://a.example/y"], np.arange(50))
    sent = [value for key, value in in_c(page, Packing()) if b"//a." in key]
    assert sent == [value for key, value in plain_pack(page, Packing()) if b"//a." in key]
    sizes = [size for pair in sent for _, _, size in opened_in_c([(KEY, pair)], Packing(), 0)[0]]
    assert 7 < len(sizes)
    assert max(sizes) < 1.2 * parcels.MOST_OPENED
    records = [record for value in sent for record in opened_one(value)]
    assert 2 == sum(value[FLAG] == FIRST for _, value in records)
    links = b"".join(value[LINK_TEXT:] for _, value in records)
    assert 30_001 * 51 * WIDTH == len(links)


KEY = b"http://a.example/"


def opened_one(value: bytes) -> list[Pair]:
    return records_of(opened_in_c([(KEY, value)], Packing(), 0)[0])


def test_no_parcel_opens_to_more() -> None:
    """One that says that each of a thousand links has all of a long text is damaged."""
    page = a_page(["http://a.example/x"] * 1000, np.arange(20_000))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parcels, "MOST_OPENED", 1 << 40)
        (_, value), _ = plain_pack(page, Packing())
    assert len(value) < 150_000
    with pytest.raises(ValueError, match="damaged"):
        opened_one(value)
    with pytest.raises(ValueError, match="damaged"):
        plain_unpack([(KEY, value)], 0, Packing(), 0)


def test_one_parcel_for_each_range() -> None:
    """A page sends its words once for all that it says about a host, or about a part of it."""
    cut = b"http://a.example/m"
    targets = ["http://a.example/b", "http://a.example/z", "http://b.example/"]
    page = a_page([*targets, targets[0]])
    assert [b"http://a.example/", b"http://b.example/", b"http://own.example/"] == keys(
        page, Packing()
    )
    ranges = [b"http://a.example/", cut, b"http://b.example/", b"http://own.example/"]
    assert ranges == keys(page, Packing(cuts=[cut]))


def test_codes_are_shorter() -> None:
    """Two bytes for the frequent, three for others, five for the rest."""
    terms = np.arange(20_000, dtype=np.uint32) * 7919
    packing = Packing(terms)
    sizes = [len(packing.spelt[int(terms[k])]) for k in (0, 16_127, 16_128, 19_999)]
    assert [2, 2, 3, 3, 5] == [*sizes, len(packing.spelt[1])]
    page = a_page(["http://a.example/"], terms[::501].copy())
    ranges, _ = plain_unpack(sorted(plain_pack(page, packing)), 0, packing, 1 << 40)
    assert sorted(page.records()) == records_of(ranges)
    assert in_c(page, packing) == plain_pack(page, packing)


@pytest.mark.parametrize(
    ("place", "code"),
    [
        *((0, "2001"), (7, "2008"), (8, "200b"), (9, "200c"), (10, "200e"), (251, "20ff")),
        *((252, "2101"), (16_127, "5fff"), (16_128, "600101"), (16_128 + 252 * 252, "610101")),
    ],
)
def test_stored_codes(place: int, code: str) -> None:
    """The codes of docs/formats.md."""
    assert code == spelt_code(place).hex()


def test_stored_parcel() -> None:
    """The parcel of docs/formats.md."""
    page = a_page(["http://a.example/b"], np.array([7, 8, 9], np.uint32))
    packing = Packing(np.array([8, 7], np.uint32))
    (key, link), (own_key, own) = plain_pack(page, packing)
    assert (b"http://a.example/", b"http://own.example/") == (key, own_key)
    host, text = page.host.hex(), "8320022001" + "6e0101010c"
    assert f"70{host}2d" + "80" + "8180" + text + "81" + "81" + "6220" + "82" + "30" == link.hex()
    assert f"70{host}303d" + "7020" + "827576" + "80" + "80" + text + "81" + "80" == own.hex()


def test_folded_links_travel_beside() -> None:
    """Under the range of their URL, and before its parcels."""
    packing = Packing(cuts=[b"http://a.example/m"])
    value = b"f3 2 hosts sums"
    folded = [(b"http://a.example/x", value), (b"http://a.example/", value)]
    sent = list(keyed(folded, packing))
    assert (b"http://a.example/m", b"fx 3 2 hosts sums") == sent[0]
    assert sorted(folded) == records_of(plain_unpack(sorted(sent), 0, packing, 1 << 40)[0])
    assert sorted(folded) == records_of(opened_in_c(sorted(sent), packing, 1 << 40)[0])


@given(said(), packings(), st.data())
@settings(max_examples=300, deadline=None)
def test_damage(page: Said, packing: Packing, data: st.DataObject) -> None:
    """Whatever is changed in a parcel: records, the same in both, or an error."""
    key, value = data.draw(st.sampled_from(plain_pack(page, packing)))
    place = data.draw(st.integers(0, len(value) - 1))
    new = data.draw(st.binary(max_size=3))
    value = value[:place] + new + value[place + data.draw(st.integers(0, 2)) :]
    assert outcome(plain, key, value, packing) == outcome(opened_in_c, key, value, packing)


@pytest.mark.parametrize("value", [b"", b"f", b"fnoblank", b"p", b"x" * 20, b"p12345678-"])
def test_no_parcel(value: bytes) -> None:
    """What is none is told, by both."""
    expected = "a parcel is damaged"
    assert expected == outcome(plain, KEY, value, Packing())
    assert expected == outcome(opened_in_c, KEY, value, Packing())


def plain(pairs: list[Pair], packing: Packing, enough: int) -> tuple[list[Range], int]:
    return plain_unpack(pairs, 0, packing, enough)


def outcome(way: Callable[..., object], key: bytes, value: bytes, packing: Packing) -> object:
    try:
        return way([(key, value)], packing, 0)
    except ValueError as error:
        return str(error)


def test_stored(tmp_path: Path) -> None:
    """A packing is read as it was written; with no path there is none."""
    terms = np.array([5, 3, 2**32 - 1], np.uint32)
    write_packing(tmp_path / "packing", terms, [b"http://b.example/m", b"http://a.example/m"])
    read = Packing.read(tmp_path / "packing")
    assert terms.tolist() == read.terms.tolist()
    assert [b"http://a.example/m", b"http://b.example/m"] == read.cuts
    nothing = Packing.read("")
    assert ([], []) == (nothing.terms.tolist(), nothing.cuts)


@pytest.mark.parametrize(
    ("url", "start"),
    [("http://a.example/", "http://a.example/"), ("http://a/b/c", "http://a/"), ("odd", "odd")],
)
def test_host_part(url: str, start: str) -> None:
    """What all URLs of a host have in common."""
    assert start.encode() == host_part(url.encode())


def a_page(targets: Sequence[str], terms: NDArray[Any] | None = None) -> Said:
    """A page whose links have all of it for their windows, and two of its words around them."""
    terms = np.array([1, 2, 3] if terms is None else terms, np.uint32)
    zero, end = np.zeros(len(targets), np.int64), np.full(len(targets), len(terms), np.int64)
    marks = encode(np.full(len(targets), LINK << KIND_SHIFT | 1 << 16 | 1, np.uint64))
    text = encode(terms)
    value = content_value(numbers(TITLE << KIND_SHIFT, CONTENT << KIND_SHIFT) + text, own=True)
    parts = LinkParts(marks, text, zero, end, None, b"")
    own = "http://own.example/p"
    return Said(own.encode(), value, list(targets), parts, host_id(own))


def keys(page: Said, packing: Packing) -> list[bytes]:
    made = parcels.pack(page, packing)
    assert made == plain_pack(page, packing)
    return [key for key, _ in made]
