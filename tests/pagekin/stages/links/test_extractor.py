"""Pages become records of their links: each URL once, and which of them stand side by side."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import BagConfig, BuildConfig, EnrichConfig, ReadingConfig
from pagekin.counters import Counters
from pagekin.kinds import LINKS
from pagekin.stages.links.extractor import (
    LinkExtractor,
    PageLinks,
    neighbours,
    parse_links,
    shortened,
    whole,
)
from pagekin.text.tokens import BLOCK, LINK, LINK_END
from pagekin.web.resolution import Resolution, write_resolution
from tests.pages import html_page

OWN = "http://own.example/page"
BEES, HIVES, MUSIC = (f"http://{name}.example/" for name in ("bees", "hives", "music"))


def table(path: Path, *captured: str, **moved: str) -> Resolution:
    """What the inventory found of these pages, and of URLs by their names that lead to others."""
    aliases = [(f"http://{name}.example/".encode(), end.encode()) for name, end in moved.items()]
    pages = [(url.encode(), url.encode()) for url in sorted(captured)]
    write_resolution(path / "resolution", aliases, [], None, pages)
    return Resolution(path / "resolution")


def made(html: str, resolution: Resolution | None = None, config: BuildConfig | None = None):
    """The key and what its value says; None if there is no record."""
    extractor = LinkExtractor(config or BuildConfig(), Counters(), resolution)
    records = [*extractor.records(html_page(html, OWN)), *extractor.finish()]
    assert all(LINKS.holds(key) for key, _ in records)
    return next(
        (
            (key.removeprefix(LINKS.prefix).decode(), parse_links(OWN.encode(), value))
            for key, value in records
        ),
        None,
    )


def link(url: str) -> str:
    return f"<a href={url}>text</a> "


def links_of(*urls: str, readable: int = -1, pairs: list[tuple[int, int]] | None = None):
    number = len(urls) if readable < 0 else readable
    return PageLinks([url.encode() for url in urls], number, pairs or [])


def test_each_once():
    """A URL stands once however many links lead to it; those beside each other are pairs."""
    key, told = made(link(BEES) + link(HIVES) + link(BEES) + link(MUSIC))
    assert OWN == key
    assert links_of(BEES, HIVES, MUSIC, pairs=[(0, 1), (0, 2)]) == told


def test_words_between():
    """Links with more words between are not side by side; anchor texts and tags are no words."""
    far = " <p> a b c d <p> "
    config = BuildConfig(enrich=EnrichConfig(links_near=4))
    assert [(0, 1)] == made(link(BEES) + far + link(HIVES), config=config)[1].pairs
    assert [] == made(link(BEES) + far + "e " + link(HIVES), config=config)[1].pairs
    long = f"<a href={HIVES}>a b c d e f</a>"
    assert [(0, 1), (1, 2)] == made(link(BEES) + long + link(MUSIC), config=config)[1].pairs


def test_no_links():
    """A page without links to others has no record."""
    assert None is made("<p>text")
    assert None is made(link(OWN) + "<a href=mailto:me@a.example>mail</a>")


def test_other_links_are_no_neighbours():
    """Links that lead nowhere, or to the page itself, are as if they were not there."""
    assert [(0, 1)] == made(link(BEES) + link(OWN) + link(HIVES))[1].pairs


def test_within_the_host():
    """Links within a host are left out where fragments leave them out."""
    html = link("/other") + link(BEES)
    assert links_of("http://own.example/other", BEES, pairs=[(0, 1)]) == made(html)[1]
    config = BuildConfig(bag=BagConfig(same_host="drop"))
    assert links_of(BEES) == made(html, config=config)[1]


def test_nofollow():
    """So are links that are not to be followed."""
    html = f"<a rel=nofollow href={BEES}>a</a>" + link(HIVES)
    config = BuildConfig(reading=ReadingConfig(drop_nofollow=True))
    assert links_of(HIVES) == made(html, config=config)[1]


def test_where_links_lead(tmp_path):
    """Links lead to what their URL stands for."""
    resolution = table(tmp_path, moved=BEES)
    html = link("http://moved.example/") + link(BEES) + link(HIVES)
    assert links_of(BEES, HIVES) == made(html, resolution)[1]._replace(readable=2, pairs=[])


def test_pages_that_were_not_read(tmp_path):
    """Where it is known what was read, others stand last, and two of them make no pair."""
    html = link(BEES) + link(HIVES) + link(MUSIC)
    told = made(html, table(tmp_path, HIVES))[1]
    assert links_of(HIVES, BEES, MUSIC, readable=1, pairs=[(0, 1), (0, 2)]) == told
    told = made(html, table(tmp_path, MUSIC))[1]
    assert links_of(MUSIC, BEES, HIVES, readable=1, pairs=[(0, 2)]) == told
    config = BuildConfig(reading=ReadingConfig(follow_canonical=True))
    assert 3 == made(html, table(tmp_path, MUSIC), config)[1].readable


def test_counters():
    """Links and pairs are counted; where each link leads is counted with the fragments."""
    counters = Counters()
    extractor = LinkExtractor(BuildConfig(), counters)
    list(extractor.records(html_page(link(BEES) + link(HIVES), OWN)))
    assert {"joined_links": {"found": 2, "pairs": 1, "to_other_sites": 2}} == counters.as_dict()


@pytest.mark.parametrize("value", [b"", b"a|b", b"a|b|0", b"a|b|0 2", b"a|b|0 x", b"a|b|-1 0"])
def test_damaged_value(value):
    """What is no list of links is refused."""
    with pytest.raises(ValueError, match=r"unpack|pairs|literal"):
        parse_links(OWN.encode(), value)


parts = st.lists(st.sampled_from([LINK, LINK_END, "a", "bee", " ", BLOCK]), max_size=30)


@given(parts, st.integers(0, 3), st.data())
def test_neighbours_one_by_one(text: list[str], most: int, data):
    """The same, character by character; also where links lie in each other or never end."""
    opens = [k for k, part in enumerate(text) if part == LINK]
    places = [data.draw(st.integers(-1, 3)) for _ in opens]
    kept = [(place, k) for place, k in zip(places, opens, strict=True) if place >= 0]
    expected = []
    for (place, start), (following, end) in pairwise(kept):
        behind = next((k for k in range(start, len(text)) if text[k] == LINK_END), len(text))
        between = "".join(text[behind:end] if behind < end else [])
        for mark in (LINK, LINK_END, BLOCK):
            between = between.replace(mark, " ")
        if len(between.split()) <= most:
            expected.append((place, following))
    assert expected == list(neighbours("".join(text).encode(), most, places))


def test_shorter_urls():
    """URLs of the page's host stand without it; others, also of hosts that begin alike, in full."""
    own = b"http://own.example/a/b"
    urls = [
        b"http://own.example/",
        b"http://own.example/c?d",
        b"http://own.example.org/x",
        b"http://b/",
    ]
    short = [b"/", b"/c?d", *urls[2:]]
    assert short == shortened(urls, own)
    assert urls == whole(short, own)
