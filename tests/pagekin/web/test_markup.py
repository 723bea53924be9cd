"""HTML as one flat text: what each tag becomes, a plain twin, and what hostile pages cannot do."""

from __future__ import annotations

import doctest
import gc
import time
import tracemalloc

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.config import BagConfig, BuildConfig, TextConfig
from pagekin.counters import Counters
from pagekin.limits import MAX_LINKS, MAX_TAGS, MAX_TREE_DEPTH
from pagekin.stages.fragments.extractor import FragmentExtractor
from pagekin.stages.fragments.merge import merge_fragments
from pagekin.text import tokens as m
from pagekin.text.tokens import tokenise
from pagekin.web import tags
from pagekin.web.markup import Flat, read_markup, reader_in_python
from pagekin.web.page import Page, View, make_page
from pagekin.web.show import describe_page, page_lines
from pagekin.web.tags import CUTS, HEADING_MARKS, attribute_value
from tests.plain_html import plain_flat
from tests.soups import MARKERS, open_tags, smuggled, soups

ALL_SOURCES = BuildConfig(bag=BagConfig(links=8.0, headings=1.0, citing_title=1.0))


def flat_of(page: str | bytes) -> Flat:
    """The flat form; an empty one where there is nothing to parse."""
    return read_markup(page.encode() if isinstance(page, str) else page)[0] or Flat()


def seen(flat: Flat) -> list[str]:
    """The words and signs of a text, and markers by their names: `<link>`."""
    return named(flat.text.decode())


def named(text: str) -> list[str]:
    names = {marker: f"<{name}>" for marker, name in m.NAMES.items()}
    return [names.get(piece, piece) for piece in text.split()]


def test_examples() -> None:
    """The examples in the module hold."""
    assert 0 == doctest.testmod(tags).failed


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("bees", "bees"),
        ("a<b>c</b>d", "a c d"),
        ("a<wbr>b<!-- c -->d", "a bd"),
        ("<p>a</p>b", "<block> a <block> b"),
        ("<p>a<p>b", "<block> a <block> b"),
        ("<div>a</div>", "<block> a <block>"),
        ("<blockquote>a</blockquote>", "<block> a <block>"),
        ("<pre>a\nb</pre>", "<block> a b <block>"),
        ("a<hr>b", "a <block> b"),
        ("a<br>b<br/>c", "a <break> b <break> c"),
        ("<ul><li>a<li>b</ul>c", "<block> <block> a <block> b </list> c"),
        ("<ol></ol>", "<block> </list>"),
        ("<dl><dt>a<dd>b</dl>", "<block> <block> a <block> b </list>"),
        ("<dir></dir><menu></menu>", "<block> </list> <block> </list>"),
        (
            "<table><tr><th>a<td>b</table>",
            "<block> <block> <block> a <block> b </table>",
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
        ("<a href=1>a<a href=2>b</a>c</a>d", "<link> a </link> <link> b </link> c d"),
        (
            "<a href=1>a<div>b<a href=2>c</a>d</div>e</a>f",
            "<link> a <block> b </link> <link> c </link> d <block> e f",
        ),
        ("<a href=1>a<p>b", "<link> a <block> b </link>"),
        ("<img>a<img alt>b<img alt='c'>", "a b c"),
        ("<input type=image alt=go>", "go"),
        ("a<script>b<p>c</script>d", "a d"),
        ("a<style>b</style>c<noscript>d</noscript>e", "a c e"),
        ("a<template>b</template>c<svg><title>d</title></svg>e", "a c e"),
        ("a<select><option>b</select>c<iframe>d</iframe>e", "a c e"),
        ("<svg><a href=x>a</a></svg><select><a href=y>b</a></select>", ""),
        (
            "<noframes><p>a <a href=x>b</a></noframes>",
            "<block> <block> a <link> b </link> <block>",
        ),
        ("<NoFrames>a</NoFrames>", "<block> a <block>"),
        ("caf&eacute; &amp; &#8211; &#x4e2d;&nosuch;", "café & – 中&nosuch;"),
        ("<p", ""),
        ("a <3 b", "a <3 b"),
        ("<x-own>a</x-own>b", "a b"),
        ("<a:b>c</a:b>d", "c d"),
        ("<textarea><b>c</textarea>", "<b>c"),
        ("a</p>b", "a <block> b"),
        ("<a href=1>a<a name=x>b</a>c", "<link> a </link> b c"),
        ("&amp;lt; &ampx &#60;p>", "&lt; &x <p>"),
        ("<img alt='&amp;lt;'>", "&lt;"),
    ],
)
def test_text(page: str, expected: str) -> None:
    """Each tag becomes its marker or a gap."""
    assert expected.split() == seen(flat_of(page))


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


def test_rels() -> None:
    """Each link has its rel, or none."""
    flat = flat_of("<a href=1 rel='a b'>x</a><a href=2>y</a><area href=3 rel=c>")
    assert ["a b", "", "c"] == flat.rels()


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
    """What the head says of the page."""
    assert expected == getattr(flat_of(page), name)


@pytest.mark.parametrize("page", ["", " \n", "<!-- only -->", "</p>", "<!doctype html>", "<?x?>"])
def test_nothing_to_parse(page: str) -> None:
    """Without an element or a text there is no page."""
    assert read_markup(page.encode())[0] is None


@settings(max_examples=1500)
@given(soups(), st.sampled_from([frozenset(), CUTS, CUTS | HEADING_MARKS]))
@example("<select><a href=1>", frozenset())
@example("<a href=1><svg></a>x</svg>y</a>z", frozenset())
@example("<svg><title/><path></svg><title>a<b></title>", frozenset())
@example("<noscript><svg></noscript></svg><svg/>x", frozenset())
@example("<title><!-- a --></title>b<textarea></textareas>c", frozenset())
@example("<script><!-- </script > --><style>a</styles></style>b", frozenset())
@example("<!--> a <!---> b <!-- c --!> d <!----> e", frozenset())
@example("<a title='>' href=\"x'>\" rel = y>z<p class=\"no end", frozenset())
def test_equals_the_plain_twin(page: str, without: frozenset[str]) -> None:
    """One expression cuts any tag soup as the standard says, character by character."""
    text, hrefs, rels = plain_flat(page.replace("\0", ""))
    flat, _ = read_markup(page.replace("\0", "").encode(), without)
    if flat is None:
        assert not hrefs
        assert {*named(text)} <= {*map("<{}>".format, m.NAMES.values())}
        return
    left_out = {f"<{m.NAMES[marker]}>" for marker in without}
    assert [piece for piece in named(text) if piece not in left_out] == seen(flat)
    assert (hrefs, rels) == (flat.hrefs, flat.rels())


@settings(max_examples=60)
@given(st.lists(st.one_of(open_tags, st.just("bees ")), max_size=8).map("".join))
def test_text_behind_deep_nesting_is_found(soup: str) -> None:
    """However the page goes on, depth costs no text."""
    start, end = "<b>" * MAX_TREE_DEPTH, "</b>" * MAX_TREE_DEPTH
    flat = flat_of(f"{start}{soup} <i>bottom</i>{end}<p>after")
    assert {b"bottom", b"after"} <= set(flat.text.split())


@pytest.mark.parametrize("page", ["<p>a", "<title>t</title>", "<svg><path></svg>", "x"])
def test_with_and_without_more(page: str) -> None:
    """Whether an outline or a tree is wanted too changes nothing in the text."""
    for html in (page, "<div>" * MAX_TREE_DEPTH + page, page + " " * 1_200_000):
        both = make_page("http://one.example/", html.encode(), view=View(outline=True, tree=True))
        alone = make_page("http://one.example/", html.encode())
        assert isinstance(both, Page)
        assert isinstance(alone, Page)
        assert (both.flat.text, both.flat.hrefs) == (alone.flat.text, alone.flat.hrefs)
        assert both.tree is not None
        assert both.outline is not None


@pytest.mark.parametrize(
    "page",
    [
        "<div>" * 300_000,
        "<a '" * 500_000,
        '<a x="' * 400_000,
        '</a "=">' * 299_000,
        "<select>" * 250_000,
        "<svg>" * 150_000 + "</svg>" * 149_000,
        "<title>" * 299_000,
        "<textarea>x</textarea>" * 149_000,
        "<!--" * 800_000,
        "<!" * 1_000_000,
        "</" * 1_000_000,
        "<script>" * 290_000,
        "-" * 5_000_000,
        "<!-" + "-" * 5_000_000,
        "<" * 299_000 + "=" * 3_000_000,
        "<a " + "= " * 1_500_000 + ">",
        "<a " + "x='" * 1_000_000 + ">",
        "<a " + "b c=" * 500_000 + " href=x>",
        "<a " + "href" * 1_000_000 + ">",
        "&" * 3_000_000,
        "&a" * 2_000_000,
        "&#x" + "f" * 4_000_000,
        "&#" + "9" * 4_000_000 + ";",
        "<img alt='" + "&amp" * 1_000_000 + "'>",
    ],
    ids=lambda page: page[:12],
)
def test_hostile_pages_take_linear_time(page: str) -> None:
    """Megabytes of what a parser likes least are a matter of a second or two."""
    for read in (flat_of, lambda text: reader_in_python(CUTS)(text.encode(), False)):
        start = time.process_time()
        read(page)
        assert time.process_time() - start < 8


@pytest.mark.parametrize(
    "page", ["x <p", "x </p", "x </p y='>z", "x <a href='y>", "x <!-- y", "x <?y", "x <script>y"]
)
def test_what_never_ends(page: str) -> None:
    """It takes the rest of the page, and what stands before stays."""
    assert ["x"] == seen(flat_of(page))


def test_too_many_tags() -> None:
    """A page is cut at its 300,000th tag, and says so."""
    flat = flat_of("<p>x" * MAX_TAGS + "<p>last")
    assert (MAX_TAGS, ["too_many_tags"]) == (flat.text.count(b"x"), flat.notes)
    assert b"last" not in flat.text
    whole = flat_of("<p>x" * (MAX_TAGS - 1) + "<p>last")
    assert ([], True) == (whole.notes, b"last" in whole.text)


def test_too_many_links() -> None:
    """Behind the last allowed link only the texts of links are read, and the page says so."""
    flat = flat_of("<a href=x rel=y>b</a>" * (MAX_LINKS + 5) + "<a href=z>last</a>")
    assert [MAX_LINKS] * 4 == [
        len(flat.hrefs),
        len(flat.rels()),
        flat.text.count(m.LINK.encode()),
        flat.text.count(m.LINK_END.encode()),
    ]
    assert (MAX_LINKS + 5, True) == (flat.text.count(b"b"), b"last" in flat.text)
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
    text = page.flat.text.decode()
    tokens = tokenise(text)
    assert tokens.count(m.LINK) == text.count(m.LINK) == len(page.flat.hrefs)
    marks = [token for token in tokens if token in {m.LINK, m.LINK_END}]
    assert [m.LINK, m.LINK_END] * len(page.flat.hrefs) == marks
    assert len(page.flat.hrefs) == len(page.flat.rels()) == len(page.targets())
    extractor = FragmentExtractor(config, Counters())
    records = [*extractor.records(page), *extractor.finish()]
    assert all(key and value for key, value in records)
    assert page.url.encode() in dict(merge_fragments(sorted(records), config, Counters()))
    assert list(
        page_lines(describe_page(page, TextConfig(), Counters(), [False] * len(page.flat.hrefs)))
    )


@pytest.mark.parametrize("marker", MARKERS, ids=lambda c: f"{ord(c):X}")
@pytest.mark.parametrize("way", ["{0:c}", "&#x{0:x};", "&#X{0:X}", "&#{0:d};", "&#x00{0:x} "])
def test_markers_of_the_page_are_none(marker: str, way: str) -> None:
    """A page that writes a marker gets U+FFFD, in its text and in its attributes."""
    c = way.format(ord(marker))
    page = f"<title>p{c}q</title><p>r{c}s <a href='t{c}u' rel='v{c}w'>x</a><img alt='y{c}z'>"
    expected = flat_of(page.replace(c, "&#xFFFD;" + " " * c.endswith(" ")))
    assert seen(expected) == seen(flat_of(page))
    assert [attribute_value(h.encode()) for h in expected.hrefs] == flat_of(page).hrefs
    assert "\ufffd" in expected.hrefs[0]


def test_characters_beside_the_markers_stay() -> None:
    """Only our own markers are replaced: private use and odd characters are text as any."""
    odd = "\x7f\u0085\ufdcf\ufdd0\U0010ff00\U0010fffd\U000f0000\ue000\uffff"
    assert odd == flat_of(odd).text.decode()
    written = "\xa0\ufdcf\ufdf0\U0010ff00\U0010fffd\U000f0000\ue000"
    assert written == flat_of("".join(f"&#{ord(c)};" for c in written)).text.decode()


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
    page = make_page("http://one.example/a", ("<i>" * MAX_TREE_DEPTH + soup).encode())
    assert isinstance(page, Page)
    check_page(page)
