"""HTML as one flat text: what each tag becomes, both ways in, and what hostile pages cannot do."""

from __future__ import annotations

import gc
import time
import tracemalloc
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.bags.extract import Extractor
from pagekin.config import BagConfig, BuildConfig, TextConfig
from pagekin.counters import Counters
from pagekin.text import markup as m
from pagekin.text.tokens import tokenise
from pagekin.web import html
from pagekin.web.events import TREE_DEPTH
from pagekin.web.flat import MAX_LINKS, Flat
from pagekin.web.html import flatten
from pagekin.web.page import Page, make_page
from pagekin.web.show import describe_page, page_lines
from pagekin.web.tame import MAX_TAGS, tame
from tests.soups import MARKERS, open_tags, smuggled, soups

ALL_SOURCES = BuildConfig(bag=BagConfig(links=8.0, headings=1.0, citing_title=1.0))


def flat_of(page: str | bytes) -> Flat:
    """The flat form; an empty one where there is nothing to parse."""
    return flatten(page.encode() if isinstance(page, str) else page) or Flat()


def by_events(page: str) -> Flat:
    """The same without a tree."""
    return (html._flatten_events(tame(page.encode())[0]) if page else None) or Flat()


def seen(flat: Flat) -> list[str]:
    """The words and signs of a text, and markers by their names: `<link>`."""
    names = {marker: f"<{name}>" for marker, name in m.NAMES.items()}
    return [names.get(piece, piece) for piece in flat.text.split()]


def said(flat: Flat) -> Flat:
    """What a page says, whatever the way in was, and however wide its gaps are."""
    robots = " ".join(flat.robots.split())
    return replace(flat, text=" ".join(seen(flat)), robots=robots, deep=False)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("bees", "bees"),
        ("a<b>c</b>d", "a c d"),
        ("a<wbr>b<!-- c -->d", "a bd"),
        ("<p>a</p>b", "<block> a <block> b"),
        ("<p>a<p>b", "<block> a <block> <block> b <block>"),
        ("<div>a</div>", "<block> a <block>"),
        ("<blockquote>a</blockquote>", "<block> a <block>"),
        ("<pre>a\nb</pre>", "<block> a b <block>"),
        ("a<hr>b", "a <block> b"),
        ("a<br>b<br/>c", "a <break> b <break> c"),
        ("<ul><li>a<li>b</ul>c", "<block> <block> a <block> <block> b <block> </list> c"),
        ("<ol></ol>", "<block> </list>"),
        ("<dl><dt>a<dd>b</dl>", "<block> <block> a <block> <block> b <block> </list>"),
        ("<dir></dir><menu></menu>", "<block> </list> <block> </list>"),
        (
            "<table><tr><th>a<td>b</table>",
            "<block> <block> <block> a <block> <block> b <block> <block> </table>",
        ),
        ("<title>a</title>b", "<title> a </title> b"),
        ("<title>a<b>c</title>", "<title> a<b>c </title>"),
        *((f"<h{k}>a</h{k}>b", f"<heading{k}> a </heading> b") for k in range(1, 7)),
        ("<a href=x>a</a>b", "<link> a </link> b"),
        ("<a name=x>a</a>b", "a b"),
        ("<a href=x><img alt='a b'></a>", "<link> a b </link>"),
        ("<map><area href=x alt=a></map>b", "<link> a </link> b"),
        ("<map><area href=x></map>", "<link> </link>"),
        ("<map><area alt=a></map>b", "b"),
        ("<a href=1>a<a href=2>b</a>c</a>d", "<link> a </link> <link> b </link> cd"),
        (
            "<a href=1>a<div>b<a href=2>c</a>d</div>e</a>f",
            "<link> a <block> b </link> <link> c </link> d <block> e f",
        ),
        ("<a href=1>a<p>b", "<link> a <block> b <block> </link>"),
        ("<img>a<img alt>b<img alt='c'>", "a b c"),
        ("<input type=image alt=go>", "go"),
        ("a<script>b<p>c</script>d", "a d"),
        ("a<style>b</style>c<noscript>d</noscript>e", "a c e"),
        ("a<template>b</template>c<svg><title>d</title></svg>e", "a c e"),
        ("a<select><option>b</select>c<iframe>d</iframe>e", "a c e"),
        ("<svg><a href=x>a</a></svg><select><a href=y>b</a></select>", ""),
        (
            "<noframes><p>a <a href=x>b</a></noframes>",
            "<block> <block> a <link> b </link> <block> <block>",
        ),
        ("<NoFrames>a</NoFrames>", "<block> a <block>"),
        ("caf&eacute; &amp; &#8211; &#x4e2d;&nosuch;", "café & – 中&nosuch;"),
        ("a\0b", None),
        ("<p", ""),
        ("a <3 b", "a <3 b"),
        ("<x-own>a</x-own>b", "a b"),
        ("<a:b>c</a:b>d", "c d"),
        ("<textarea><b>c</textarea>", "<b>c"),
        ("a</p>b", "ab"),
    ],
)
def test_text(page: str, expected: str | None) -> None:
    """Each tag becomes its marker or a gap, in both ways in; None: they only have to agree."""
    flat = flat_of(page)
    if expected is not None:
        assert expected.split() == seen(flat)
    assert said(flat) == said(by_events(page))


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<a href=' b '>", [" b "]),
        ("<a href>a</a>", [""]),
        ('<a href="x&amp;y=&eacute;">', ["x&y=é"]),
        ("<a href='a\nb'>", ["a\nb"]),
        ("<A HREF=x>", ["x"]),
        ("<a href=1 href=2>", ["1"]),
        ("<area href=x><a href=y>", ["x", "y"]),
        ("<link href=x><img src=y><frame src=z>", []),
        ("<a href='a<b>c'>", ["a<b>c"]),
        ("<a href='x", []),
    ],
)
def test_hrefs(page: str, expected: list[str]) -> None:
    """Links come in their order, as written but for entities."""
    assert expected == flat_of(page).hrefs
    assert expected == by_events(page).hrefs


def test_rels() -> None:
    """Each link has its rel, or none."""
    flat = flat_of("<a href=1 rel='a b'>x</a><a href=2>y</a><area href=3 rel=c>")
    assert ["a b", "", "c"] == flat.rels


@pytest.mark.parametrize(
    ("page", "name", "expected"),
    [
        ("<html lang=de-AT>", "language", "de-AT"),
        ("<html xml:lang=fr>", "language", "fr"),
        ("<html lang='' xml:lang=fr>", "language", "fr"),
        ("<body lang=de>x", "language", ""),
        ("<base href=1><base href=2>", "base", "1"),
        ("<base target=x><base href=2>", "base", "2"),
        ("<link rel=canonical href=1><link rel=canonical href=2>", "canonical", "1"),
        ("<link rel='x Canonical' href=1>", "canonical", "1"),
        ("<link rel=canonicals href=1>", "canonical", ""),
        ("<link rel=canonical>", "canonical", ""),
        ("<meta name=Robots content='NoIndex, Follow'>", "robots", "noindex, follow"),
        ("<meta name=robots content=a><meta name=robots content=b>", "robots", "a b"),
        ("<meta name=robots>", "robots", ""),
        ("<meta name=robot content=noindex>", "robots", ""),
        ("<p>x</html><meta name=robots content=a>", "robots", "a"),
        ("<p>x</html><html lang=de>", "language", "de"),
        ("<noscript><meta name=robots content=a></noscript>", "robots", "a"),
    ],
)
def test_head(page: str, name: str, expected: str) -> None:
    """What the head says of the page, in both ways in."""
    assert expected == getattr(flat_of(page), name).strip()
    assert expected == getattr(by_events(page), name).strip()


@pytest.mark.parametrize("page", ["", " \n", "<!-- only -->", "</p>", "<!doctype html>", "<?x?>"])
def test_nothing_to_parse(page: str) -> None:
    """Without an element or a text there is no page."""
    assert flatten(page.encode()) is None


@settings(max_examples=600)
@given(soups())
@example("<select><a href=1>")
@example("<a href=1><svg></a>x</svg>y</a>z")
@example("<html lang=de><body><base href=a>")
@example("<table><a href=1><tr><td></a>x")
def test_both_ways_agree(page: str) -> None:
    """The sheet over the tree and the stream of events make the same of any tag soup."""
    page = page.replace("noframes", "figure").replace("<html", "<body")
    assert said(flat_of(page)) == said(by_events(page))


@settings(max_examples=60)
@given(st.lists(st.one_of(open_tags, st.just("bees ")), max_size=8).map("".join))
def test_text_behind_deep_nesting_is_found(soup: str) -> None:
    """However the page goes on, depth costs no text."""
    flat = flat_of("<b>" * TREE_DEPTH + soup + " <i>bottom</i>" + "</b>" * TREE_DEPTH + "<p>after")
    assert flat.deep
    assert {"bottom", "after"} <= set(flat.text.split())


@pytest.mark.parametrize("depth", [TREE_DEPTH - 10, TREE_DEPTH, TREE_DEPTH + 1, 3000])
def test_depth_changes_nothing(depth: int) -> None:
    """Around the depth at which trees end, the same is read."""
    page = "<html lang=de><title>t</title><base href=/x>" + "<div>" * depth
    page += "<h2>h</h2><p>a <a href=1 rel=r>b</a>.<br>c" + "</div>" * depth + "<ul><li>d"
    shallow = page.replace("<div>", "").replace("</div>", "")
    flat = flat_of(page)
    assert [w for w in seen(flat_of(shallow)) if w != "<block>"] == [
        w for w in seen(flat) if w != "<block>"
    ]
    assert (["1"], ["r"], "de", "/x") == (flat.hrefs, flat.rels, flat.language, flat.base)
    assert (depth > TREE_DEPTH - 5) == flat.deep


@pytest.mark.parametrize("tag", ["div", "b", "x-own", "ul", "h1"])
def test_100_000_nested_tags(tag: str) -> None:
    """They are read in seconds, and so is what lies at the bottom and after it."""
    start = time.process_time()
    flat = flat_of(f"<{tag}>" * 100_000 + "bottom" + f"</{tag}>" * 100_000 + "<a href=x>after</a>")
    assert time.process_time() - start < 5
    assert flat.deep
    assert ["bottom", "<link>", "after", "</link>"] == [
        word for word in seen(flat) if word in {"bottom", "after", "<link>", "</link>"}
    ]


@pytest.mark.parametrize("depth", [1000, 2000, 4000, 100_000])
def test_end_tags_that_end_nothing(depth: int) -> None:
    """Below many open elements each of them is looked for in all; that has a bound."""
    start = time.process_time()
    assert "x" in flat_of("<b>" * depth + "</i>" * 150_000 + "x").text.split()
    assert time.process_time() - start < 10


def test_unclosed_links_and_skipped_elements_in_deep_pages() -> None:
    """Where the stream is cut, open links end, and so do skipped elements."""
    page = "<a href=1>one" + "<b>" * 9000 + "<a href=2>two" + "<select>" + "<b>" * 9000
    flat = flat_of(page + "<a href=3>three</a> after")
    assert ["1", "2"] == flat.hrefs[:2]
    assert seen(flat).count("<link>") == len(flat.hrefs) == seen(flat).count("</link>")


@pytest.mark.parametrize(
    "page",
    [
        "<title>t</title><p>a <a href=1 rel=r>b</a> c<!-- x -->",
        "<frameset><noframes><p>a <a href=1>b</a></noframes>",
        "<meta name=robots content=noindex><html lang=de><base href=b>a",
        "<!-- x -->",
    ],
)
def test_length_changes_nothing(page: str) -> None:
    """A page over 1 MiB is read without a tree, and all the same."""
    for filler in (" ", "<!--x-->"):
        long = page + filler * (1_200_000 // len(filler))
        assert said(flat_of(page)) == said(flat_of(long))
        assert (flatten(page.encode()) is None) == (flatten(long.encode()) is None)


def test_too_many_tags() -> None:
    """A page is cut at its 300,000th tag, and says so."""
    flat = flat_of("<p>x" * MAX_TAGS + "<p>last")
    assert (MAX_TAGS, ["too_many_tags"]) == (flat.text.count("x"), flat.notes)
    assert "last" not in flat.text
    whole = flat_of("<p>x" * (MAX_TAGS - 1) + "<p>last")
    assert ([], True) == (whole.notes, "last" in whole.text)


def test_too_many_links() -> None:
    """Behind the last allowed link only the texts of links are read, and the page says so."""
    flat = flat_of("<a href=x rel=y>b</a>" * (MAX_LINKS + 5) + "<a href=z>last</a>")
    assert [MAX_LINKS] * 4 == [
        len(flat.hrefs),
        len(flat.rels),
        flat.text.count(m.LINK),
        flat.text.count(m.LINK_END),
    ]
    assert (MAX_LINKS + 5, True) == (flat.text.count("b"), "last" in flat.text)
    assert ["too_many_links"] == flat.notes
    assert [] == flat_of("<a href=x>b</a>" * MAX_LINKS).notes


def test_long_robots() -> None:
    """Robots metas are looked at for each link, so they are short."""
    flat = flat_of("<meta name=robots content=noindex>" * 50_000)
    assert 1000 == len(flat.robots)


@pytest.mark.parametrize("page", ["<b>" * 20_000, "<p>x" * 20_000 + " " * 1_000_000])
def test_nothing_waits_for_the_collector(page: str) -> None:
    """What a page took is free when it was read, without a tree too."""
    flat_of(page)
    gc.collect()
    gc.disable()
    tracemalloc.start()
    try:
        for _ in range(5):
            flat_of(page)
        assert tracemalloc.get_traced_memory()[0] < 1 << 20
    finally:
        tracemalloc.stop()
        gc.enable()


# --- what pages smuggle in ------------------------------------------------------------------------


def check_page(page: Page, config: BuildConfig = ALL_SOURCES) -> None:
    """Nothing downstream raises, and the marks of links match the links."""
    tokens = tokenise(page.flat.text)
    assert tokens.count(m.LINK) == page.flat.text.count(m.LINK) == len(page.flat.hrefs)
    marks = [token for token in tokens if token in {m.LINK, m.LINK_END}]
    assert [m.LINK, m.LINK_END] * len(page.flat.hrefs) == marks
    assert len(page.flat.hrefs) == len(page.flat.rels) == len(page.targets())
    assert [] == [c for c in page.flat.text if c in {m.LINK_HREF, m.LINK_REL, m.LINK_READY}]
    extractor = Extractor(config, Counters())
    assert all(key and value for key, value in extractor.extract(page))
    assert page.url.encode() in dict(extractor.extract(page))
    list(extractor.take_forms())
    assert list(page_lines(describe_page(page, TextConfig(), Counters())))


@pytest.mark.parametrize("marker", MARKERS, ids=lambda c: f"{ord(c):X}")
@pytest.mark.parametrize("way", ["{0:c}", "&#x{0:x};", "&#X{0:X}", "&#{0:d};", "&#x00{0:x} "])
def test_markers_of_the_page_are_none(marker: str, way: str) -> None:
    """A page that writes a marker gets U+FFFD, in its text and in its attributes."""
    c = way.format(ord(marker))
    page = f"<title>p{c}q</title><p>r{c}s <a href='t{c}u' rel='v{c}w'>x</a><img alt='y{c}z'>"
    expected = flat_of(page.replace(c, "&#xFFFD;" + " " * c.endswith(" ")))
    assert said(expected) == said(flat_of(page))
    assert "\ufffd" in expected.hrefs[0]


def test_characters_beside_the_markers_stay() -> None:
    """Only our own range is replaced: other private use and odd characters are text as any."""
    odd = "\ufdcf\ufdf0\U0010ff00\U0010fffd\U000f0000\ue000\uffff"
    assert odd == flat_of(odd).text.strip()
    assert odd == flat_of("".join(f"&#{ord(c)};" for c in odd)).text.strip()


@settings(max_examples=400)
@given(soups(smuggled, smuggled), st.sampled_from(["", "utf-8", "utf-16-le", "gb18030"]))
def test_no_soup_harms_what_follows(soup: str, charset: str) -> None:
    """Whatever a page holds: no exception, and as many link marks as links."""
    body = soup.encode(charset or "utf-8", "surrogatepass")
    page = make_page("http://one.example/a", body, charset)
    if isinstance(page, Page):
        check_page(page)


@settings(max_examples=200)
@given(
    st.binary(max_size=200), st.sampled_from(["", "utf-8", "shift_jis", "utf-16", "windows-1251"])
)
def test_no_bytes_harm_what_follows(body: bytes, charset: str) -> None:
    """The same of any bytes in any charset."""
    page = make_page("http://one.example/a", b"<p>" + body, charset)
    assert isinstance(page, Page)
    check_page(page)


@given(soups(smuggled))
@settings(max_examples=40)
def test_no_deep_soup_harms_what_follows(soup: str) -> None:
    """The same of pages that are read as a stream."""
    page = make_page("http://one.example/a", ("<i>" * TREE_DEPTH + soup).encode())
    assert isinstance(page, Page)
    check_page(page)
