"""Sections: where a page is cut, and what is known of each part."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.links import find_links
from pagekin.blocks.scanning import HEADINGS, Section, scan
from pagekin.config import BlockConfig
from tests.soups import soups
from tests.trees import tree_page

CONFIG = BlockConfig()
UNREAD = {"script", "style", "noscript", "select", "svg", "iframe", "head"}


def sections_of(html: str, **options: Any) -> list[Section]:
    return scan(tree_page(html).tree.tops, BlockConfig(**options))


def links_of(html: str, **options: Any) -> list[list[int]]:
    return [section.links for section in sections_of(html, **options)]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=1>a</a> <a href=2>b</a>", [[0, 1]]),
        ("<p><a href=1>a</a><p><a href=2>b</a>", [[0], [1]]),
        ("<a href=1>a</a><hr><a href=2>b</a>", [[0], [1]]),
        ("<a href=1>a</a><br><a href=2>b</a>", [[0, 1]]),
        ("<h2>bees</h2><div><a href=1>a</a></div>", [[], [0]]),
        ("<div>x<p>y</p>z</div>", [[], [], []]),
        ("<div> <p> </p> </div>", []),
        ("<ul><li><a href=1>a</a><li><a href=2>b</a></ul>", [[0, 1]]),
        ("<ol><li><a href=1>a</a></ol><a href=2>b</a>", [[0, 1]]),
        ("<table><tr><td><a href=1>a</a><td><a href=2>b</a></table>", [[0, 1]]),
        ("<table><tr><td><a href=1>a</a><tr><td><a href=2>b</a></table>", [[0], [1]]),
        ("<a name=x>a</a><a href=1>b</a>", [[0]]),
        ("<script><a href=0>n</a></script><noscript><a href=1>a</a></noscript>b", [[0]]),
    ],
)
def test_cuts(html, expected):
    """Each start and end of div, hr, p, table, tr and ul cuts; what is between two is a section."""
    assert expected == links_of(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=1><div>a</div></a><a href=2>b</a>", [[0], [1]]),
        ("x<a href=1><div>a</div>b</a>", [[], [0], []]),
        ("x<a href=1>a<div>b</div></a>", [[0], []]),
        ("x<a href=1><div><img></div></a>", [[], [0]]),
        ("x<a href=1> </a><div>y</div>", [[0], []]),
        ("x<a href=1></a><div>y</div>", [[0], []]),
        ("x<a href=1><div></div></a>y", [[], [0]]),
    ],
)
def test_link_around_cuts(html, expected):
    """A link lies in the section of its first content, else where it ends."""
    assert expected == links_of(html)


def test_other_tags():
    """The list of tags can be chosen."""
    html = "<div><a href=1>a</a><ol><a href=2>b</a></ol></div>"
    assert [[0], [1]] == links_of(html, tags=("ol",))
    assert [[0, 1]] == links_of(html, tags=())


def test_what_is_known():
    """Text, words, headings, styles and boldness of a section."""
    section = sections_of(
        "<h2>Two bees</h2> make <b>much</b> <a href=1>honey <b>and wax</b></a><img alt='a hive'>"
    )[0]
    assert ("Two bees make much honey and wax a hive", 9, 3) == (
        section.text,
        section.words,
        section.link_words,
    )
    assert ["h2"] == list(section.headings)
    assert (7 + 4 + 6, 7 + 4, 4 + 6) == (
        section.bold,
        section.bold_outside_links,
        section.bold_outside_headings,
    )
    assert 31 == section.characters == sum(section.runs.values())
    blue = (0, 0, 238)
    expected = {
        ((0, 0, 0), True, 24.0): 7,
        ((0, 0, 0), False, 16.0): 4 + 5,
        ((0, 0, 0), True, 16.0): 4,
        (blue, False, 16.0): 5,
        (blue, True, 16.0): 6,
    }
    assert expected == {(s.colour, s.bold, s.size): n for s, n in section.runs.items()}


def test_without_alternative_texts():
    """On request the texts of images count for nothing."""
    html = "<a href=1><img alt='a hive'></a>"
    assert (2, 2) == (sections_of(html)[0].words, sections_of(html)[0].link_words)
    bare = sections_of(html, alt=False)[0]
    assert (0, 0, [0]) == (bare.words, bare.link_words, bare.links)


def test_backgrounds():
    """Characters on each background; an image without text has one too."""
    html = "<table bgcolor=red><tr><td>ab<td bgcolor=lime>cde</table>"
    html += "<p bgcolor=red><a href=1><img></a>"
    first, second = sections_of(html)
    assert {(255, 0, 0): 2, (0, 255, 0): 3} == first.backgrounds()
    assert {(255, 0, 0): 0} == second.backgrounds()


def test_boundaries():
    """A section says at which tag it begins."""
    html = "a<div class='x y'>b</div>c<hr>d<ul id=n><li>e</ul>"
    expected = ["start of the page", "<div.x>", "</div>", "</hr>", "<ul#n>"]
    assert expected == [section.opened for section in sections_of(html)]


def test_title_is_no_part():
    """What stands in the head is not on the page."""
    assert [] == sections_of("<title>Bees</title><p>")


def test_limit():
    """Links behind the first ones are text."""
    tops = tree_page("<a href=1>a</a><p><a href=2>b</a>").tree.tops
    assert [[0], []] == [section.links for section in scan(tops, CONFIG, max_links=1)]


# --- a twin that cuts tag by tag ---


def tokens_of(element: Any, seen: bool, tokens: list[Any]) -> None:
    """(tag, True) and (tag, False) at starts and ends, link numbers as lists, words as strings."""
    seen = seen and element.tag not in UNREAD
    is_link = element.tag == "a" and element.get("href") is not None
    tokens.append((element.tag, True, is_link))
    if element.tag == "img" and seen:
        tokens.append("image")
    elif seen and (element.text or "").split():
        tokens.append("text")
    for child in element:
        tokens_of(child, seen, tokens)
        if seen and (child.tail or "").split():
            tokens.append("text")
    tokens.append((element.tag, False, is_link))


def plain_sections(tops: list[Any], tags: list[str]) -> list[list[int]]:
    """Move each link to its first content; then cut at one tag after the other."""
    tokens: list[Any] = []
    for top in tops:
        tokens_of(top, True, tokens)
    placed: list[Any] = []
    waiting: list[int] = []
    number = 0
    for token in tokens:
        if isinstance(token, tuple):
            tag, starts, is_link = token
            if starts:
                placed.append(token)
                if is_link:
                    waiting.append(number)
                    number += 1
            else:
                if is_link:
                    placed += [[n] for n in waiting]
                    waiting = []
                placed.append(token)
        else:
            placed += [[n] for n in waiting]
            waiting = []
            if token in {"text", "image"}:
                placed.append(token)
    parts = [placed]
    for tag in tags:
        parts = [piece for part in parts for piece in split_at(part, tag)]
    kept = [part for part in parts if any(t == "text" or isinstance(t, list) for t in part)]
    return [[n for t in part if isinstance(t, list) for n in t] for part in kept]


def split_at(part: list[Any], tag: str) -> list[list[Any]]:
    pieces: list[list[Any]] = [[]]
    for token in part:
        if isinstance(token, tuple) and token[0] == tag:
            pieces.append([])
        else:
            pieces[-1].append(token)
    return pieces


@given(
    soups(st.sampled_from(["<a href=1>", "</a>", "<div>", "</div>", "<p>", "bees"]), size=40),
    st.permutations(list(CONFIG.tags)),
)
def test_twin(page, order):
    """In one pass or tag by tag in any order: the sections are the same."""
    tops = tree_page(f"<body>{page}").tree.tops
    found = [section.links for section in scan(tops, BlockConfig(alt=False))]
    assert plain_sections(tops, order) == found
    assert list(range(len(find_links(tops)))) == [n for links in found for n in links]


@given(soups(size=40))
def test_any_soup(page):
    """Counts agree with each other, whatever the page."""
    for section in scan(tree_page(f"<body>{page}").tree.tops, CONFIG):
        assert section.links or section.characters
        assert section.link_words <= section.words
        assert max(section.bold_outside_links, section.bold_outside_headings) <= section.bold
        assert section.bold <= section.characters
        assert set(section.headings) <= set(HEADINGS)
        assert section.backgrounds()
