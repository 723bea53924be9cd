"""Outlines: which elements hold which links, what ends what, and what hostile pages cannot do."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pagekin.limits import MAX_LINKS, MAX_TAGS
from pagekin.web import tags
from pagekin.web.html import parse_tree
from pagekin.web.markup import (
    Flat,
    Outline,
    read_markup,
    reader_in_c,
    reader_in_python,
    sanitise,
)
from tests.natives import native
from tests.pages import outline
from tests.soups import elements, smuggled, soups


def outlined(page: str) -> Outline:
    return outline(page.encode("utf-8", "replace"))


def above(found: Outline) -> list[int]:
    """For each element the one around it."""
    parents = [-1] * len(found.tags)
    for element in range(len(found.tags)):
        inside = found.behind[element] - element - 1
        parents[element + 1 : found.behind[element]] = [element] * inside
    return parents


def paths(page: str) -> list[str]:
    """Of each link its href, and the elements around it."""
    found = outlined(page)
    parents = above(found)
    told = []
    for href, element in zip(found.hrefs, found.elements, strict=True):
        names = []
        parent = parents[element]
        while parent > 0:
            names.append(found.tags[parent])
            parent = parents[parent]
        told.append(f"{href}: {' '.join(reversed(names))}".strip())
    return told


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("", []),
        ("<p>bees", []),
        ("<a href=1>", ["1:"]),
        (
            "<html><body class=x><DIV><a href=1>x</a></DIV></body></html><a href=2>",
            ["1: div", "2:"],
        ),
        ("<div><br><img><hr><a href=1></a></div><a href=2>", ["1: div", "2:"]),
        # what ends paragraphs and items
        ("<p><a href=1></a><p><a href=2></a><div><a href=3>", ["1: p", "2: p", "3: div"]),
        ("<p><b><a href=1></a><hr><a href=2>", ["1: p b", "2:"]),
        (
            "<ul><li><a href=1></a><li><ul><li><a href=2></a></ul><a href=3></a></ul><a href=4>",
            ["1: ul li", "2: ul li ul li", "3: ul li", "4:"],
        ),
        ("<ul><li><div><li><a href=1></a></ul>", ["1: ul li"]),
        ("<ul><li><p><table><tr><td><li><a href=1>", ["1: ul li table tr td li"]),
        (
            "<dl><dt><a href=1></a><dd><a href=2></a><dt><a href=3>",
            ["1: dl dt", "2: dl dd", "3: dl dt"],
        ),
        ("<h2><a href=1></a><h3><a href=2></a></h2><a href=3>", ["1: h2", "2: h3", "3:"]),
        ("<h1><div><h2><a href=1>", ["1: h1 div h2"]),
        (
            "<datalist><option><a href=1></a><option><a href=2>",
            ["1: datalist option", "2: datalist option"],
        ),
        # tables
        (
            "<table><thead><tr><th><a href=1></a><td><a href=2></a><tr><td><a href=3></a>"
            "<tbody><tr><td><a href=4></a></table><a href=5>",
            [
                "1: table thead tr th",
                "2: table thead tr td",
                "3: table thead tr td",
                "4: table tbody tr td",
                "5:",
            ],
        ),
        ("<table><td><a href=1></a><tr><td><a href=2>", ["1: table td", "2: table tr td"]),
        ("<tr><td><div></td><a href=1></a></div><a href=2>", ["1: div", "2:"]),
        (
            "<div><table><tr><td></div></p></li></span><a href=1></a></table><a href=2></a></div>",
            ["1: div table tr td", "2: div"],
        ),
        (
            "<table><tr><td><table><tr><td></table></td></table><a href=1>",
            ["1:"],
        ),
        (
            "<table><tr><td><table></td><a href=1></a></table><a href=2>",
            ["1: table tr td table", "2: table tr td"],
        ),
        # end tags
        ("<div><ul><li></div><a href=1>", ["1:"]),
        ("<div></section></x-own></li><a href=1>", ["1: div"]),
        ("<ul><li><ol></li><a href=1></a></ol></li><a href=2>", ["1: ul li ol", "2: ul"]),
        ("<b><i><a href=1></a></b><a href=2>", ["1: b i", "2:"]),
        ("<b><div></b><a href=1></a></div><a href=2>", ["1: b div", "2:"]),
        (
            "<div><span><p></span><a href=1></a><p><a href=2></a></div>",
            ["1: div span p", "2: div p"],
        ),
        ("<form><div></form><a href=1></a></div><a href=2>", ["1: form div", "2:"]),
        ("<form><form><a href=1></a></form><a href=2></a></form>", ["1: form", "2:"]),
        (
            "<form><table><tr><td></form><a href=1></a></table><a href=2></a></form><a href=3>",
            ["1: form table tr td", "2: form", "3:"],
        ),
        ("<x-a><y-b></x-a><a href=1></a></y-b><a href=2>", ["1: x-a", "2:"]),
        # links
        ("<a href=1>x<a href=2>y</a><a href=3>", ["1:", "2:", "3:"]),
        ("<a href=1><div><a href=2></a></div></a><a href=3>", ["1:", "2: a div", "3:"]),
        ("<a name=n><p><a href=1></a><p><a href=2>", ["1: a p", "2: p"]),
        ("<a name=n /><a href=1 />x</a><div/><a href='2'/>x</a><a href=3/>", ["1:", "2:", "3/:"]),
        ("<div class=x/><a href=1>", ["1: div"]),
        ("<area href=1><a>x</a><a name=2>", []),
        (
            "<noscript><a href=1></a></noscript><svg><g /><a href=2></a></svg>",
            ["1: noscript", "2: svg"],
        ),
        ("<title><a href=1></title><textarea><a href=2></textarea><a href=3>", ["3:"]),
        ("<script><a href=1></script><!-- <a href=2> --><iframe><a href=3></iframe>", []),
    ],
)
def test_elements(page: str, expected: list[str]) -> None:
    """What is around each link."""
    assert expected == paths(page)


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ("<a href=1> b&amp;c<b>d</b> e</a>f", [" b&amp;cd e"]),
        ("<a href=1>b<!-- c --><br>d", ["bd"]),
        ("<a href=1><img alt='a &amp; b &lt;'>c<img>", [" a &amp; b < c  "]),
        (
            "<a href=1>a<script>b</script>c<noscript>d</noscript>e<svg>f<svg>g</svg>h</svg>i</a>",
            ["acei"],
        ),
        ("<a href=1>a<select>b", ["ab"]),
        ("<a href=1>a<noscript>b<a href=2>c</a>d</noscript>e</a>", ["a", "c"]),
        ("<noscript>a<a href=1>b</a></noscript>", ["b"]),
        ("<a href=1>a<a href=2>b</a>c</a>", ["a", "b"]),
        ("<a href=1>a<div>b</a>c</div>", ["ab"]),
        ("<ul><li><a href=1>a<li>b<a href=2>c</ul>d", ["a", "c"]),
        ("<a href=1>a<table><tr><td>b</a>c", ["ab"]),
        ("<a href=1>a<a name=n>b</a>", ["a"]),
    ],
)
def test_texts(page: str, expected: list[str]) -> None:
    """The text of links, references as they are written."""
    assert expected == [text.decode() for text in outlined(page).texts]


def test_columns() -> None:
    """All that an outline tells of a page."""
    found = outlined("<h1>t</h1><Ul CLASS=c><li><a href='1&amp;2' rel=x>a</a><h2>b</h2></ul><p>")
    expected = Outline(
        ["page", "ul", "li", "a"],
        [b"", b" CLASS=c", b"", b" href='1&amp;2' rel=x"],
        behind=[4, 4, 4, 4],
        first=[0, 0, 0, 0],
        last=[1, 1, 1, 1],
        start=[-1, 2, 3, 4],
        stop=[10, 8, 8, 5],
        elements=[3],
        hrefs=["1&2"],
        texts=[b"a"],
        worded=b"\x01",
        headings=[0, 6],
    )
    assert expected == found


@given(soups(smuggled))
@settings(max_examples=500)
@example("<a href=1><noscript><a href=2></noscript>")
@example("<b><form><div></b></form></div><a href=1>")
@example("<form><b><p></form><table></b><td></p></table><a href=1>")
def test_any_soup(page: str) -> None:
    """Columns fit each other whatever the page is; the links of its flat text are among its."""
    found = outlined(page)
    number, links = len(found.tags), len(found.hrefs)
    columns = (found.attributes, found.behind, found.first, found.last, found.start, found.stop)
    assert {number} == set(map(len, columns))
    assert links == len(found.elements) == len(found.texts)
    assert (number, 0, links) == (found.behind[0], found.first[0], found.last[0])
    parents = above(found)
    for element in range(1, number):
        parent = parents[element]
        assert parent < element < found.behind[element] <= found.behind[parent]
        first, last = found.first[element], found.last[element]
        assert found.first[parent] <= first < last <= found.last[parent]
        assert found.start[parent] < found.start[element] < found.stop[element]
        assert found.stop[element] <= found.stop[parent]
    assert sorted(found.headings) == found.headings
    for link, element in enumerate(found.elements):
        assert (found.tags[element], found.first[element]) == ("a", link)
    if "area" not in page:
        rest = iter(found.hrefs)
        flat = read_markup(page.encode("utf-8", "replace"))[0] or Flat()
        assert all(href in rest for href in flat.hrefs)


def is_link(element: Any) -> bool:
    return element.tag == "a" and element.get("href") is not None


@given(soups(smuggled, size=40) | elements())
@example("<a href=1><svg><a href=2><img alt=x></svg><img alt='&lt;'/><noscript></a></noscript>y")
@example("<table><td><i><div></i><a href=x></table><li><li></ul></td></i></div>")
@settings(max_examples=2000)
def test_twins(page: str) -> None:
    """In C and in Python: the same text and the same columns, and the same opinion of titles."""
    part = native("pagekin.web._html")
    body, _ = sanitise(page.encode("utf-8", "replace"))
    expected = reader_in_python(frozenset())(body, True)
    assert expected == reader_in_c(part, frozenset())(body, True)


@given(elements())
@settings(max_examples=300)
def test_as_a_tree(page: str) -> None:
    """Of well nested pages another parser's tree has the same elements around the same links."""
    tops = parse_tree(page.encode()).tops
    expected = []
    for link in (a for top in tops for a in top.iter("a") if is_link(a)):
        around = [e.tag for e in link.iterancestors() if e.tag not in ("html", "body")]
        expected.append(f"{link.get('href')}: {' '.join(reversed(around))}".strip())
    assert expected == paths(page)


def test_limit_of_links() -> None:
    """Links behind the limit are text."""
    found = outlined("<i><a href=x>t</a></i>" * (MAX_LINKS + 1))
    assert MAX_LINKS == len(found.hrefs) == len(found.texts)


HOSTILE = {
    "deep": "<div>" * 299_000 + "<a href=x>",
    "deep with links": "<div><a href=x>" * 149_000,
    "deep in the line": "<b>" * 149_000 + "<a href=x></a>" + "</i>" * 149_000,
    "ends of nothing": "<b><a href=x>" + "</div></td></p></li></a>" * 59_000,
    "ends beyond a cell": "<div>" * 100_000 + "<table><td>" + "</div>" * 190_000,
    "ends beyond a block": "<i>" * 100_000 + "<div>" + "<b>" * 90_000 + "</i>" * 100_000,
    "ended and waiting": "<i><b><div></i><a href=x></a></b>" * 42_000,
    "lists": "<ul><li><a href=x>" * 99_000,
    "tables": "<table><tr><td><a href=x>" * 74_000,
    "links in links": "<a href=x><p>" * 149_000,
    "hidden": "<a href=x>" + "<noscript><svg>" * 70_000 + "</svg></noscript>" * 70_000,
    "headings": "<h1>" * 299_000 + "<a href=x>",
    "titles": "<title>" * 299_000,
    "attributes": f"<div {'class=x ' * 300_000}><a href=x>" * 2,
    "names": "".join(f"<x{k}><a href=x>" for k in range(149_000)),
    "one long name": f"<{'x' * 2_000_000}><a href=x>",
    "one long text": f"<a href=x>{'bees ' * 500_000}<noscript>",
}


def outline_in_python(body: bytes) -> Outline:
    found = reader_in_python(frozenset())(sanitise(body)[0], True)[1]
    assert found is not None
    return found


@pytest.mark.parametrize("read", [outline, outline_in_python])
@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile(name: str, read: Callable[[bytes], Outline]) -> None:
    """The worst pages take a second or two, and memory in proportion."""
    body = HOSTILE[name].encode()
    assert body.count(b"<") <= MAX_TAGS
    started = time.process_time()
    read(body)
    assert time.process_time() - started < 8
    tracemalloc.start()
    found = read(body[: len(body) // 10])
    size = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert size < 150e6
    assert len(found.tags) <= 1 + body.count(b"<")


@given(st.text(max_size=40))
def test_names_that_are_remembered(name: str) -> None:
    """Short ones alone: no page fills the memory with its names."""
    raw = name.encode("utf-8", "replace")
    assert len(tags.lower_name(raw)) <= 20
    assert max(tags._numbers_of(raw)) < 256
    assert all(len(kept or b"") <= 20 for kept in tags._numbers_of.__self__)
