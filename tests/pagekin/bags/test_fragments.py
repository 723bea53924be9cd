"""A page's terms, links and headings, also where its tags are broken; windows and fragments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.bags import fragments
from pagekin.bags.fragments import (
    FragmentMaker,
    Fragments,
    Stream,
    in_menus,
    reach,
    read_stream,
    windows,
)
from pagekin.config import BagConfig, TextConfig, WindowConfig
from pagekin.text.tokens import (
    BLOCK,
    CODES,
    HEADING,
    HEADING_END,
    LINK,
    LINK_END,
    MENU,
    MENU_END,
    TITLE,
    TITLE_END,
)
from pagekin.text.words import WordTable, term_hash

WORDS = ["bee", "the", "honey", "hive", "is"]  # two of them are dropped
PIECES = st.sampled_from([*WORDS, *WORDS, *CODES, LINK, LINK_END, LINK_END, HEADING_END])
NAMES = {term_hash(word): word for word in ("bee", "honey", "hive", "wax")}
PLAIN = TextConfig(stemming="nostem")


def read(*pieces: str) -> tuple[Stream, WordTable]:
    """The stream of a text, and the table that counted its words."""
    table = WordTable(PLAIN, "en")
    return read_stream(" ".join(pieces).encode(), table), table


def named(terms: np.ndarray) -> list[str]:
    return [NAMES[term] for term in terms.tolist()]


def cut(*pieces: str, **bag: float) -> Fragments:
    return FragmentMaker(WindowConfig(words=1), BagConfig(**bag)).fragments(read(*pieces)[0], 7)


def test_stop_words_take_no_place() -> None:
    """Positions are counted in kept terms; each kept word is counted."""
    stream, table = read("bee", "the", LINK, "the", "hive", LINK_END, "is", "bee")
    assert ["bee", "hive", "bee"] == named(stream.terms)
    assert ([1], [2]) == (stream.start.tolist(), stream.end.tolist())
    assert 3 == table.counts.sum()


@pytest.mark.parametrize(
    ("pieces", "edges"),
    [
        ([LINK, "bee", LINK_END, LINK, "hive", LINK_END], [(0, 1), (1, 2)]),
        ([LINK, "bee", LINK, "hive", LINK_END, "wax", LINK_END], [(0, 3), (1, 2)]),
        ([LINK, "bee", LINK, "hive", LINK_END, "wax"], [(0, 0), (1, 2)]),
        ([LINK_END, "bee", LINK, "hive"], [(1, 1)]),
        ([LINK_END, LINK, "bee", LINK_END, LINK_END], [(0, 1)]),
    ],
)
def test_broken_links(pieces: list[str], edges: list[tuple[int, int]]) -> None:
    """An end belongs to the last link that is open; a link that never ends is empty."""
    stream, _ = read(*pieces)
    found = zip(stream.start.tolist(), stream.end.tolist(), strict=True)
    assert edges == list(found)


@pytest.mark.parametrize(
    ("pieces", "title", "body"),
    [
        (["bee", TITLE, "hive", TITLE_END, "wax"], ["hive"], ["bee", "wax"]),
        ([TITLE, "bee", TITLE, "hive", TITLE_END, "wax", TITLE_END], ["bee", "hive"], ["wax"]),
        (["bee", TITLE, "hive", LINK, "wax"], ["hive", "wax"], ["bee"]),
        ([TITLE, "bee", LINK, TITLE_END, "hive", LINK_END], ["bee"], ["hive"]),
        ([TITLE_END, "bee"], [], ["bee"]),
    ],
)
def test_title(pieces: list[str], title: list[str], body: list[str]) -> None:
    """The first title is cut out of the text, with all that it holds; one that never ends is all
    that follows."""
    stream, table = read(*pieces)
    assert (title, body) == (named(stream.title), named(stream.terms))
    assert len(title) + len(body) == table.counts.sum()


@given(st.lists(PIECES, max_size=30))
@settings(max_examples=200)
def test_any_text(pieces: list[str]) -> None:
    """Whatever the markers: links, windows and headings lie in the text, and anchors in windows."""
    stream, _ = read(*pieces)
    assert len(stream.codes) == len(stream.before)
    assert (stream.opens <= stream.closes).all()
    for kind in ("basic", "syntactic", "topical"):
        low, high = windows(stream, kind, 2)
        assert (0 <= low).all()
        assert (low <= stream.start).all()
        assert (stream.end <= high).all()
        assert (high <= len(stream.terms)).all()
    made = FragmentMaker(WindowConfig(), BagConfig(headings=1.0)).fragments(stream, 0)
    assert len(made.low) == len(made.above)
    assert (made.above < len(made.heading_bounds) - 1).all()
    assert len(made.headings) == made.heading_bounds[-1]


def chains(made: Fragments) -> list[list[str]]:
    """The headings above each link."""
    edges = made.heading_bounds.tolist()
    return [named(made.headings[edges[k] : edges[k + 1]]) for k in made.above.tolist()]


H1, H2, H3 = HEADING[:3]
END = HEADING_END


def test_headings_above() -> None:
    """Of each open level the last one, the highest first; one of a level closes those below."""
    pieces = [LINK, H1, "bee", END, LINK, H3, "hive", END, LINK, LINK, H2, "wax", END, LINK]
    pieces += [H1, "honey", LINK, END, LINK, H2]
    made = cut(*pieces, headings=1.0)
    above = [[], ["bee"], ["bee", "hive"], ["bee", "hive"], ["bee", "wax"], ["honey"], ["honey"]]
    assert above == chains(made)
    assert 5 == len(made.heading_bounds) - 1  # no chain twice in a row, none without a link
    assert [[]] * 7 == chains(cut(*pieces, headings=0.0))


def test_headings_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A heading that never ends has no terms, and of a long one so many are carried."""
    monkeypatch.setattr(fragments, "MOST_ABOVE", 2)
    made = cut(H1, "bee", "hive", "wax", END, LINK, H2, "honey", LINK, headings=1.0)
    assert [["bee", "hive"], ["bee", "hive"]] == chains(made)


def test_what_links_carry() -> None:
    """Titles and ids where they are wanted; without words around links, links alone."""
    pieces = [TITLE, "bee", TITLE_END, "hive", LINK, "wax", LINK_END, "honey", "honey"]
    made = cut(*pieces, citing_title=1.0, links=1.0)
    assert (["bee"], [7]) == (named(made.citing_title), made.citing_page.tolist())
    assert [0, 1, 2, 3] == [int(c[0]) for c in (made.low, made.start, made.end, made.high)]
    bare = cut(*pieces, citing_title=0.0, anchor=0.0, content=1.0)
    assert ([], [], ["bee"]) == (
        *map(named, (bare.citing_title, bare.citing_page)),
        named(bare.title),
    )
    assert [0] * 4 == [int(c[0]) for c in (bare.low, bare.start, bare.end, bare.high)]
    assert not cut(*pieces, content=0.0).content


def test_windows() -> None:
    """SYNTACTIC windows stop at a paragraph, TOPICAL ones at a heading, BASIC ones nowhere."""
    stream, _ = read("bee", H1, "wax", END, "hive", BLOCK, "bee", LINK, "wax", LINK_END, "hive")
    starts = {
        kind: windows(stream, kind, 9)[0].tolist() for kind in ("basic", "topical", "syntactic")
    }
    assert {"basic": [0], "topical": [1], "syntactic": [3]} == starts


def test_reach() -> None:
    """A word at distance 31 weighs nothing, where weights fall with the distance."""
    assert 30 == reach(WindowConfig(words=32), BagConfig())
    assert 32 == reach(WindowConfig(words=32), BagConfig(distance="none"))


# --- menus ---

A_LINK = (LINK, "bee", LINK_END)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        ([*A_LINK, MENU, "wax", *A_LINK, MENU_END, *A_LINK], [0, 1, 0]),
        ([MENU, MENU, *A_LINK, MENU_END, *A_LINK, MENU_END, *A_LINK], [1, 1, 0]),
        ([MENU, *A_LINK], [0]),  # it never ends
        ([MENU_END, *A_LINK, MENU, *A_LINK, MENU_END], [0, 1]),
        ([MENU, MENU, *A_LINK, MENU_END, *A_LINK], [1, 0]),
        ([], []),
    ],
)
def test_menus(pieces: list[str], expected: list[int]) -> None:
    """Links are in elements whose start and end tags pair."""
    assert expected == in_menus(read(*pieces)[0]).tolist()


@given(st.lists(PIECES | st.sampled_from([MENU, MENU_END]), max_size=60))
@settings(max_examples=300, deadline=None)
def test_menus_of_any_text(pieces: list[str]) -> None:
    """As with brackets on a stack."""
    stream, _ = read(*pieces)
    waiting: list[int] = []
    pairs: list[tuple[int, int]] = []
    for place, code in enumerate(stream.codes.tolist()):
        if code == CODES[MENU]:
            waiting.append(place)
        elif code == CODES[MENU_END] and waiting:
            pairs.append((waiting.pop(), place))
    expected = [any(a < place < b for a, b in pairs) for place in stream.opens.tolist()]
    assert expected == in_menus(stream).tolist()


def test_anchors_alone() -> None:
    """Nothing stands around a link or above it, and nobody's own words are there."""
    found = cut("wax", HEADING[0], "hive", HEADING_END, "bee", *A_LINK, TITLE, "wax", TITLE_END)
    assert (3, 4) != (found.low[0], found.high[0])
    bare = found.anchors_alone()
    assert (3, 3, 4, 4) == (bare.low[0], bare.start[0], bare.end[0], bare.high[0])
    assert (0, 0) == (len(bare.headings), len(bare.citing_title))
    assert ([0, 0], [0]) == (bare.heading_bounds.tolist(), bare.above.tolist())
    assert not bare.content
