"""The links of a page: their texts, and words."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.blocks.links import OutlineLinks, TreeLinks, anchor_text, count_words, element_name
from tests.pages import outline
from tests.soups import elements, soups
from tests.trees import tree_page

pieces = st.sampled_from(
    [
        *(
            "<a href=x>",
            "</a>",
            "<b>",
            "</b>",
            "<i></i>",
            "<img>",
            "<img alt=x>",
            "<svg>",
            "</svg>",
        ),
        *("<script>s</script>", " ", " " * 999, " " * 1001, " " * 4001, "word", "&nbsp;"),
    ]
)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=x> some \n honey </a>", "some honey"),
        ("<a href=x>so<b>me</b> <i>ho</i>ney</a> and more", "some honey"),
        ("<a href=x><img alt='a  hive'></a>", "a hive"),
        ("<a href=x><img>bees</a>", "bees"),
        ("<a href=x><img alt=a><img alt=b>c</a>", "a b c"),
        ("<a href=x></a>", ""),
        ("<a href=x>&nbsp; </a>", ""),
        ("<a href=x><img></a>", ""),
        ("<a href=x>a<script>b</script>c<noscript>d</noscript><svg><text>e</text></svg></a>", "ac"),
        ("<a href=x><span>a<img alt=b></span>c</a>", "a b c"),
        ("<a href=x>1<div>2<a href=y>3</a>4</div>5</a>", "1245"),
    ],
)
def test_anchor(html, expected):
    """What a reader sees of a link, images by what stands for them."""
    page = tree_page(html)
    link = next(a for top in page.tree.tops for a in top.iter("a"))
    assert expected == anchor_text(link)


def test_long_anchors():
    """A link around a whole page has an anchor of some length, with or without other elements."""
    for inside in ("bees " * 10_000, "<b>bees </b>" * 10_000, "bees <img alt=hive> " * 10_000):
        page = tree_page(f"<a href=x>{inside}</a>")
        anchor = anchor_text(next(page.tree.tops[0].iter("a")))
        assert anchor.startswith("bees")
        assert 500 < len(anchor) <= 1000


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=x> some \n &amp; <b>ho</b>ney </a>", "some & honey"),
        ("<a href=x>&nbsp;<img alt=' &lt; '> </a>", "<"),
        ("<a href=x>&#32; \u3000<i></i></a>", ""),
        (f"<a href=x>{'bees ' * 10_000}</a>", ("bees " * 200)[:1000]),
    ],
)
def test_anchor_of_an_outline(html, expected):
    """References are resolved and white space is squeezed when it is asked for."""
    found = OutlineLinks(outline(html.encode()))
    assert (expected, expected != "") == (found.anchor(0), found.has_text(0))


@given(soups(pieces, pieces, size=20))
def test_has_text_of_an_outline(soup):
    """A link of an outline has text where its anchor text is not empty."""
    found = OutlineLinks(outline(f"<a href=x>{soup}".encode("utf-8", "replace")))
    for number in range(len(found.hrefs)):
        assert (found.anchor(number) != "") == found.has_text(number)


@settings(max_examples=300)
@given(elements())
def test_links_of_both(page):
    """Of a well nested page the links of the outline and of the tree say the same."""
    read = tree_page(f"<body>{page}")
    both = OutlineLinks(read.outline), TreeLinks(read.tree.tops)
    told = [
        [(x.hrefs[k], x.rel(k), x.anchor(k), x.has_text(k)) for k in range(len(x.hrefs))]
        for x in both
    ]
    assert told[0] == told[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", 0),
        ("Bees, 2 hives.", 3),
        ("l'été", 2),
        ("snake_case", 2),
        ("蜜蜂", 2),
        ("はち hive", 3),
        ("ハチ1", 3),
        ("한국어 말", 2),
        ("... --- !", 0),
    ],
)
def test_words(text, words):
    """Runs of letters and digits; Han and Kana one by one."""
    assert words == count_words(text)


def test_element_name():
    """An element by its tag and what it calls itself."""
    assert "ul.nav" == element_name("ul", "  nav  top", "y")
    assert "li#z" == element_name("li", "", "z")
    assert "p" == element_name("p", " ", "")
