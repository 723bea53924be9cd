"""A page as a tree: what libxml2 makes, and what stands for it where it makes none."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.limits import MAX_LEVELS, MAX_LINKS
from pagekin.web import html
from pagekin.web.html import Tree, parse_tree, to_html
from pagekin.web.markup import read_markup, sanitise
from pagekin.web.page import OUTLINE, TREE, Page, PageReader, make_page
from pagekin.web.warc import Record
from tests.soups import soups
from tests.warcs import http_block


def hrefs(tree: Tree) -> list[str]:
    found = (a for top in tree.tops for a in top.iter("a"))
    return [a.get("href") for a in found if a.get("href") is not None]


def levels(tree: Tree) -> int:
    """How deep the first branches go."""
    element, count = tree.tops[0], 1
    while len(element):
        element, count = element[0], count + 1
    return count


@pytest.mark.parametrize("page", [b"", b" ", b"<!-- only this -->"])
def test_nothing_to_parse(page):
    """Where nothing is, there is no tree."""
    assert [] == parse_tree(page).tops


def test_tree():
    """A page is its elements, those behind its end too."""
    tree = parse_tree(b"<html lang=de><base href=/b/><a href=x>1</a></html><html><a href=y>2</a>")
    assert ["x", "y"] == hrefs(tree)
    assert 2 == len(tree.tops)


def test_frames():
    """What stands in noframes is part of the page."""
    assert ["x"] == hrefs(parse_tree(b"<frameset></frameset><noframes><a href=x>1</a></noframes>"))


@pytest.mark.parametrize("depth", [2100, 5000, 20_000])
def test_deep(depth):
    """Nested more deeply than libxml2 can hold, a page keeps its links, in a shallow tree."""
    page = b"<div><a href=a>x</a>" * depth + b"</div>" * depth + b"<p><a href=z>end</a>"
    tree = parse_tree(page)
    assert tree.deep
    assert [*["a"] * depth, "z"] == hrefs(tree)
    assert levels(tree) <= MAX_LEVELS + 2


def test_links_below_the_last_level():
    """Elements further down are not built; their links and words are."""
    page = "<div>" * 3000 + "<b>bold <a href=x>one</a> <i>and</i> <a href=y><u>two</u></a></b>"
    tree = parse_tree(page.encode())
    assert ["x", "y"] == hrefs(tree)
    assert "bold one and two" == " ".join("".join(tree.tops[0].itertext()).split())


def test_long():
    """A page of more than 1 MiB is a tree too, of the attributes that somebody asks for."""
    page = b"<p class=c onclick=alert()><a href=x rel=nofollow data-x=1>t</a>" * 20_000
    tree = parse_tree(page)
    assert 20_000 == len(hrefs(tree))
    link = next(tree.tops[0].iter("a"))
    assert {"href": "x", "rel": "nofollow"} == dict(link.attrib)
    assert {"class": "c"} == dict(link.getparent().attrib)


def test_odd_names_and_characters_in_long_pages():
    """What a builder of trees refuses (odd tags, control characters) does not end a page."""
    odd = '<o:p><a"b c=1><a href="x\x01y" class="\x02">\x03t</a></o:p>'
    tree = html._shallow_tree((odd + "&#x1;\ufffe").encode())
    assert 1 == len(hrefs(tree))


@given(soups())
def test_both_ways(page):
    """Whatever the soup, there is a tree, with libxml2 and without, or nothing to parse."""
    body = sanitise(page.encode("utf-8", "replace"))[0]
    if body:
        html._shallow_tree(body)
    to_html(parse_tree(body), "")


ELEMENTS = st.recursive(
    st.sampled_from(["bees", "&eacute;", "<a href=x>y</a>", "<a href='z?a=1&amp;b'>w<b>v</b></a>"]),
    lambda inner: st.builds(
        "<{0}>{1}</{0}>".format,
        st.sampled_from(["div", "ul", "table", "blockquote", "section", "h2", "noscript", "svg"]),
        st.lists(inner, max_size=4).map(" ".join),
    ),
    max_leaves=20,
)


@given(ELEMENTS)
def test_links_of_well_nested_pages(page):
    """Where all that is opened is closed, the tree and the flat text have the same links."""
    found = [x for x in hrefs(parse_tree(page.encode())) if x]
    flat, _ = read_markup(page.encode())
    assert flat is not None
    if "<noscript>" in page or "<svg>" in page:
        assert len(flat.hrefs) <= len(found)
    else:
        assert found == flat.hrefs


def test_time_and_size():
    """The most tags that a page may have take a moment."""
    started = time.process_time()
    tree = parse_tree(b"<a href=x>t</a><b y=1>" * 150_000)
    assert len(hrefs(tree)) > MAX_LINKS
    assert time.process_time() - started < 15


def test_page_with_a_tree():
    """A page is read as a tree on request, with the same address, charset and reasons."""
    body = b"<html lang=it><meta charset=iso-8859-2><p>\xb1<a href=x>y</a>"
    page = make_page("http://a.example/b/", body, view=TREE)
    assert isinstance(page, Page)
    assert page.tree is not None
    assert ("iso-8859-2", "it", b"") == (page.charset, page.language, page.flat.text)
    assert "http://a.example/b/x" == page.resolver("x")
    assert "empty" == make_page("http://a.example/", b" ", view=TREE)
    assert "no_markup" == make_page("http://a.example/", b"<!-- -->", view=TREE)


@pytest.mark.parametrize("view", [TREE, OUTLINE])
def test_reader_without_text(view):
    """A reader hands out what is wanted, and counts what it counts of flat pages."""
    block = http_block(b"<p>a<a href=/b>c</a>")
    record = Record(0, "response", {"warc-target-uri": "http://a.example/"}, len(block), block)
    read, flat = Counters(), Counters()
    page = PageReader(ReadingConfig(), read, view).read(record)
    PageReader(ReadingConfig(), flat).read(record)
    assert isinstance(page, Page)
    assert (view.tree, view.outline) == (page.tree is not None, page.outline is not None)
    assert read.as_dict() == flat.as_dict()
