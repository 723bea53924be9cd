"""Parcels: what comes out is what went in, whatever pages say."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from pagekin.bags.fragments import Fragments
from pagekin.stages.fragments.parcels import (
    Opened,
    PageFragments,
    UrlRanges,
    host_part,
    number_bytes,
    open_parcels,
    own_parcel,
    pack,
    page_title,
    read_numbers,
)
from pagekin.web.urls import host
from tests.indexes import TITLES

URLS = ("http://a.example/", "http://a.example/x", "http://a.example/x/y?q=1", "http://a.example/ü")
URLS += (
    "https://a.example/",
    "http://a.example.org/",
    "http://b.example/long/way",
    "http://b.ex/2",
)
TERMS = st.integers(0, 40) | st.integers(0, 2**32 - 1) | st.sampled_from([0x0A0D1B00, 0x1B1B1B1B])
CUTS = st.sets(st.sampled_from(["http://a.example/m", *URLS[1:]]))
KEY = b"http://a.example/"

Link = tuple[list[int], ...]  # terms before, in and behind the anchor, of headings, title and id


def numbers(some: Sequence[int]) -> NDArray[np.int64]:
    return np.array(some, np.int64)


def terms(some: Sequence[int]) -> NDArray[np.uint32]:
    return np.array(some, np.uint32)


@st.composite
def ranges(draw: st.DrawFn) -> UrlRanges:
    """Cuts anywhere, also where no host is."""
    return UrlRanges(cut.encode() for cut in draw(CUTS))


@st.composite
def said(draw: st.DrawFn) -> PageFragments:
    """What a page of some terms says; windows may be as wide as they like."""
    few = st.lists(TERMS, max_size=3)
    text = terms(draw(st.lists(TERMS, max_size=30) | st.just(list(range(200)))))
    own = draw(st.sampled_from(URLS))
    targets = draw(st.lists(st.none() | st.sampled_from(URLS), max_size=12))
    targets = [target if target != own else None for target in targets]
    place = st.integers(0, len(text))
    edges = [sorted(draw(place) for _ in range(4)) for _ in targets]
    low, start, end, high = np.array(edges, np.int64).reshape(-1, 4).T.copy()
    chains = [draw(few) for _ in range(draw(st.integers(1, 3)))]
    above = numbers([draw(st.integers(0, len(chains) - 1)) for _ in targets])
    title = terms(draw(st.lists(TERMS, max_size=80)))
    fragments = Fragments(
        terms=text,
        low=low,
        start=start,
        end=end,
        high=high,
        headings=terms([term for chain in chains for term in chain]),
        heading_bounds=numbers([0, *np.cumsum([len(chain) for chain in chains])]),
        above=above,
        title=title,
        citing_title=title[: draw(st.sampled_from([0, 64]))],
        citing_page=terms(draw(st.lists(TERMS, max_size=1))),
        content=draw(st.booleans()),
    )
    is_own, title = draw(st.booleans()), draw(TITLES)
    alone = draw(st.frozensets(st.sampled_from(URLS), max_size=2))
    return PageFragments(own, is_own, host(own).encode(), targets, fragments, title, alone)


def facts_of(page: PageFragments) -> tuple[dict[bytes, list[Link]], list[Any]]:
    """The links to each URL, and what the page says of itself."""
    parts = page.fragments
    text = parts.terms.tolist()
    columns = (parts.low, parts.start, parts.end, parts.high, parts.above)
    links: dict[bytes, list[Link]] = {}
    for k, target in enumerate(page.targets):
        if target is not None:
            low, start, end, high, above = (int(column[k]) for column in columns)
            a, b = parts.heading_bounds[above : above + 2].tolist()
            window = text[low:start], text[start:end], text[end:high]
            carried = parts.headings[a:b].tolist(), parts.citing_title.tolist()
            if target in page.alone:
                window, carried = ([], text[start:end], []), ([], [])
            link = (*window, *carried, parts.citing_page.tolist())
            links.setdefault(target.encode(), []).append(link)
    content = [text] if parts.content else []
    flag = b"0" if page.is_own else b"1"
    return links, [page.url.encode(), flag, page.title.encode(), parts.title.tolist(), *content]


def facts_in(opened: Opened, *, titled: bool) -> tuple[dict[bytes, list[Link]], list[Any]]:
    """The same of the parcels of one page; its own parcel has the title, wanted by links or not."""
    text = opened.terms.tolist()
    links: dict[bytes, list[Link]] = {url: [] for url in opened.url}
    for k, entry in enumerate(opened.entry.tolist()):
        at = int(opened.parcel[entry])
        places = (opened.low, opened.anchor, opened.anchor_end, opened.high)
        low, start, end, high = (int(column[k]) for column in places)
        window = text[low:start], text[start:end], text[end:high]
        title = text[opened.title[at] : opened.text[at]][:64] if titled else []
        headings = text[opened.above[k] : opened.above_end[k]]
        link = (*window, headings, title, text[opened.page_id[at] : opened.end[at]])
        links[opened.url[entry]].append(link)
    (own,) = np.flatnonzero(opened.links == 0)
    del links[opened.url[own]]
    at = opened.parcel[own]
    title = text[opened.title[at] : opened.text[at]]
    content = text[opened.text[at] : opened.headings[at]]
    flag = opened.flag[at]
    return links, [opened.url[own], flag[:1], page_title(flag), title, content]


@given(st.lists(said(), max_size=4), ranges())
@settings(max_examples=300, deadline=None)
def test_what_went_in_comes_out(pages: list[PageFragments], some: UrlRanges) -> None:
    """Of pages that are packed and opened together; and no parcel is a broken line."""
    sent = list(pack(pages, some))
    assert not any(set(b"\n\r") & {*key, *value} or b"\t" in key for key, value in sent)
    assert not any(value.endswith(b"\t") for _, value in sent)
    assert all(some.key_of(key) == key or key in some.cuts for key, _ in sent)
    starts = [k for k, (key, _) in enumerate(sent) if not k or key <= sent[k - 1][0]]
    assert open_parcels(sent).url == [url for pair in sent for url in open_parcels([pair]).url]
    for page in pages:
        opened = open_parcels(list(pack([page], some)))
        assert {page.host} == set(opened.host)
        links, own = facts_of(page)
        found, found_own = facts_in(opened, titled=len(page.fragments.citing_title) > 0)
        assert links == found
        assert own == found_own[: len(own)]
    assert len(starts) <= len(pages) + sum(1 for page in pages if page.alone)


@given(said(), ranges())
@settings(max_examples=100, deadline=None)
def test_own_words_alone(page: PageFragments, some: UrlRanges) -> None:
    """A parcel with nothing but the page's own words has all of them."""
    opened = open_parcels(list(pack([page], some)))
    (own,) = np.flatnonzero(opened.links == 0).tolist()
    alone = open_parcels([(opened.url[own], own_parcel(opened, own))])
    assert facts_in(opened, titled=True)[1] == facts_in(alone, titled=True)[1]
    assert (1, 0) == (len(alone.url), len(alone.entry))


@given(said())
@settings(max_examples=100, deadline=None)
def test_links_alone(page: PageFragments) -> None:
    """Without ranges a page has one parcel, with all its links."""
    made = list(pack([page], None))
    assert [b""] * len(made) == [key for key, _ in made]
    opened = open_parcels(made)
    assert {*facts_of(page)[0]} == {*opened.url}
    assert sum(target is not None for target in page.targets) == len(opened.entry)


def test_one_parcel_for_each_range() -> None:
    """A page sends its words once for all that it says about a host, or about a part of it."""
    cut = b"http://a.example/m"
    targets = ["http://a.example/b", "http://a.example/z", "http://b.example/"]
    page = a_page([*targets, targets[0]])
    whole = [b"http://a.example/", b"http://b.example/", b"http://own.example/"]
    assert whole == [key for key, _ in pack([page], UrlRanges())]
    parts = [b"http://a.example/", cut, b"http://b.example/", b"http://own.example/"]
    assert parts == [key for key, _ in pack([page], UrlRanges([cut]))]


def test_what_no_window_holds_is_not_sent() -> None:
    """Words far from all links to a host stay out of its parcel; shared ones are there once."""
    page = a_page(["http://a.example/b"] * 3, range(1000))
    low = numbers([10, 12, 900])
    fragments = page.fragments._replace(low=low, start=low + 1, end=low + 4, high=low + 5)
    (_, value), _ = pack([page._replace(fragments=fragments)], UrlRanges())
    assert [*range(10, 17), *range(900, 905)] == open_parcels([(KEY, value)]).terms.tolist()


def test_stored_parcel() -> None:
    """The parcel of docs/formats.md."""
    page = a_page(["http://a.example/b"], [7, 10, 9])._replace(title="A | b")
    (key, link), (own_key, own) = pack([page], UrlRanges())
    assert (b"http://a.example/", b"http://own.example/") == (key, own_key)
    text = b"\x07\0\0\0\x1bn\0\0\0\x09\0\0\0"
    assert b"p%b - 3 b|%b" % (page.host, text) == link[:-10]
    assert "80 80 81 80 81 80 81 81 81 80" == link[-10:].hex(" ")
    assert b"p%b 0A\x1e\x1f\x1eb 3 p|%b" % (page.host, text) == own[:-4]
    assert "80 80 80 80" == own[-4:].hex(" ")


@given(said(), ranges(), st.data())
@settings(max_examples=300, deadline=None)
def test_damage(page: PageFragments, some: UrlRanges, data: st.DataObject) -> None:
    """Whatever is changed in a parcel: other facts within its bounds, or one error."""
    key, value = data.draw(st.sampled_from(list(pack([page], some))))
    place = data.draw(st.integers(0, len(value) - 1))
    new = data.draw(st.binary(max_size=3))
    value = value[:place] + new + value[place + data.draw(st.integers(0, 2)) :]
    try:
        opened = open_parcels([(key, value)])
    except ValueError as error:
        assert "a parcel is damaged" == str(error)
        return
    order = (opened.low, opened.anchor, opened.anchor_end, opened.high)
    assert all((a <= b).all() for a, b in pairwise(order))
    ends = [opened.high, opened.above_end, opened.end, opened.text, opened.headings]
    assert all((column <= len(opened.terms)).all() for column in ends)
    starts = [opened.low, opened.above, opened.title, opened.text, opened.headings, opened.page_id]
    assert all((column >= 0).all() for column in starts)


VALUES = [
    *(
        b"",
        b"p",
        b"x" * 20,
        b"p12345678 - 0|",
        b"p - 0|\x80\x80\x80",
        b"p12345678 2 0|\x80\x80\x80",
    ),
    b"p12345678 - 0|\x80\x80",  # too few numbers
    b"p12345678 - 0|\x80\x80\x80\x00",  # a number that does not end
    b"p12345678 - 0|\x80\x80\x01\x01\x01\x01\x01\x80",  # one that is too long
    b"p12345678 - -1|\x80\x80\x80",
    b"p12345678 -A 0|\x80\x80\x80",  # a title and no page
    b"p12345678 - 1|\x80\x80\x80",
    b"p12345678 0 0|\x80\x80\x80",  # no page's own URL
    b"p12345678 - 0 x|\x80\x80\x80\x80",  # and one that should not be there
    b"p12345678 - 1 x|\x1bx\0\0\0\x80\x80\x80\x81\x80\x80\x80\x81\x80",  # an escape of nothing
    b"p12345678 - 0|\x80\x80\x80\x1b",
    b"p12345678 - 1|term\x82\x80\x80",  # more terms of the title than there are
    b"p12345678 - 1 x|term\x80\x80\x80\x81\x80\x80\x82\x80\x80",  # a window beyond the text
    b"p12345678 - 1 x|term\x80\x80\x81\x80\x81\x80\x80\x80\x80\x81",  # a chain that is not there
    b"p12345678 - 1 x|term\x80\x80\x80\x82\x80\x80\x81\x80\x80",  # fewer links than are told
]


@pytest.mark.parametrize("value", VALUES)
def test_no_parcel(value: bytes) -> None:
    """What is none is told, also among others."""
    right = next(value for _, value in pack([a_page([])], UrlRanges()))
    for pairs in ([(KEY, value)], [(KEY, right), (KEY, value), (KEY, right)]):
        with pytest.raises(ValueError, match="a parcel is damaged"):
            open_parcels(pairs)


@given(st.lists(st.integers(0, 2**35 - 1) | st.integers(0, 300)))
def test_numbers(some: list[int]) -> None:
    """Back as they went, and each ends where it is said."""
    text, ends = number_bytes(numbers(some))
    found, found_ends = read_numbers(text)
    assert (some, ends.tolist()) == (found.tolist(), found_ends.tolist())
    assert text == b"".join(number_bytes(numbers([number]))[0] for number in some)
    assert all(byte >= 0x80 for number, byte in zip(some, text, strict=False) if max(some) < 128)


@given(ranges(), st.lists(st.sampled_from(URLS), unique=True))
def test_ranges(some: UrlRanges, urls: list[str]) -> None:
    """Sorted URLs fall into runs of one range each, in the order of the ranges' names."""
    ordered = sorted(url.encode() for url in urls)
    runs = list(some.split(ordered))
    assert ordered == [url for _, _, run in runs for url in run]
    assert all({some.key_of(url) for url in run} == {key} for key, _, run in runs)
    assert all({host_part(url) for url in run} == {run[0][:common]} for _, common, run in runs)
    assert sorted({key for key, *_ in runs}) == [key for key, *_ in runs]


def test_stored(tmp_path: Path) -> None:
    """Ranges are read as they were written; with no path no host is cut."""
    UrlRanges([b"http://b.example/m", b"http://a.example/m"]).write(tmp_path / "packing")
    read = UrlRanges.read(tmp_path / "packing")
    assert [b"http://a.example/m", b"http://b.example/m"] == read.cuts
    assert [] == UrlRanges.read("").cuts


@pytest.mark.parametrize(
    ("url", "start"),
    [("http://a.example/", "http://a.example/"), ("http://a/b/c", "http://a/"), ("odd", "odd")],
)
def test_host_part(url: str, start: str) -> None:
    """What all URLs of a host have in common."""
    assert start.encode() == host_part(url.encode())


def a_page(targets: Sequence[str], text: Sequence[int] = (1, 2, 3)) -> PageFragments:
    """A page whose links have all of it for their windows, and one word at each side."""
    low, high = np.zeros(len(targets), np.int64), np.full(len(targets), len(text))
    own = "http://own.example/p"
    fragments = Fragments(
        terms=terms(text),
        low=low,
        start=low + 1,
        end=high - 1,
        high=high,
        headings=terms([]),
        heading_bounds=numbers([0, 0]),
        above=low,
        title=terms([]),
        citing_title=terms([]),
        citing_page=terms([]),
        content=True,
    )
    return PageFragments(own, True, host(own).encode(), list(targets), fragments, "")
