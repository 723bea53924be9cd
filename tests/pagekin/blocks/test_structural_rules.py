"""Structural rules: which elements hold which links, and what becomes of them."""

from __future__ import annotations

from itertools import groupby
from math import ceil
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.blocks.links import HEADINGS, find_links
from pagekin.blocks.structural_rules import LISTS, REASONS, LinkTree, structural_segments
from pagekin.config import BlockConfig
from tests.pages import outline
from tests.soups import elements, soups
from tests.trees import tree_page

pieces = st.sampled_from(
    [
        "<a href=1>",
        "</a>",
        "<div>",
        "</div>",
        "<ul>",
        "</ul>",
        "<li>",
        "<h2>",
        "</h2>",
        "<div id=nav>",
    ]
)
pages = st.one_of(soups(pieces, pieces, size=50), st.lists(pieces, max_size=50).map("".join))


def links(number: int, around: str = "{}") -> str:
    return "".join(around.format(f"<a href={k}>x{k}</a> ") for k in range(number))


def rules_of(html: str, **options: Any) -> list[tuple[int, str]]:
    """The size of each block and its rule."""
    found = structural_segments(outline(html.encode()), BlockConfig(**options))
    return [(len(segment.links), segment.rule) for segment in found]


# Enough links elsewhere, so that no part holds most of the page's.
REST = f"<ul>{links(60, '<li>{}</li>')}</ul>"
AND_REST = (60, "leaf")


# --- the rules ---


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<div></div>", []),
        (links(1), []),
        (links(2), [(2, "leaf")]),
        (f"<div><p>{links(3)}</p></div>", [(3, "leaf")]),
        (f"<div>{links(2, '<p>{}</p>')}</div>", [(2, "leaf")]),
        (f"<div>{links(2)}</div><div>{links(3)}</div>", [(2, "leaf"), (3, "leaf")]),
        (f"<a href=x>y</a><div>{links(2)}</div>", [(2, "leaf")]),
    ],
)
def test_leaf(html, expected):
    """Whatever has no part of two links is a block; what holds most of the page's links is cut."""
    assert expected == rules_of(html)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        # a list is a block, though its items hold lists
        (f"<ul><li>{links(1)}<ul>{links(3)}</ul><li>{links(2)}</ul>", [(6, "list")]),
        (f"<div><ol><li>{links(2)}<li>{links(2)}</ol></div>", [(4, "list")]),
        # what calls itself a menu is one, by the last word of a name
        (f"<nav>{'<h2>a</h2>' * 3}<b>{links(2)}</b><i>{links(2)}</i></nav>", [(4, "menu")]),
        (f"<div class='a main-nav'><b>{links(2)}</b><ul>{links(2)}</ul></div>", [(4, "menu")]),
        (f"<div class=sideMenu2><b>{links(2)}</b><ul>{links(2)}</ul></div>", [(4, "menu")]),
        (f"<div id=Menu><b>{links(2)}</b><i>{links(2)}</i></div>", [(4, "menu")]),
        (f"<div role=navigation><b>{links(2)}</b><ul>{links(2)}</ul></div>", [(4, "menu")]),
        (f"<div class=nav-content><b>{links(2)}</b><ul>{links(2)}</ul></div>", [(2, "leaf")] * 2),
        (f"<div class=menus><b>{links(2)}</b><ul>{links(2)}</ul></div>", [(2, "leaf")] * 2),
        # but not with a single part, or with two lists: those are the menus
        (f"<nav>{links(1)}<ul>{links(3)}</ul></nav>", [(3, "leaf")]),
        (f"<nav><ul>{links(2)}</ul><p><ol>{links(2)}</ol></p></nav>", [(2, "leaf"), (2, "leaf")]),
        # a title that is a link belongs to its list, and so does a link to more
        (f"<div><h2>{links(1)}</h2><ul>{links(2)}</ul></div>", [(3, "titled")]),
        (f"<div><b><h6>{links(1)}</h6></b><ul>{links(2)}</ul></div>", [(3, "titled")]),
        (f"<div><ul>{links(2)}</ul>{links(1)}</div>", [(3, "titled")]),
        (f"<div><p>{links(1)}</p><ul>{links(2)}</ul></div>", [(2, "leaf")]),
        (f"<div><ul>{links(2)}</ul><h2>{links(1)}</h2></div>", [(2, "leaf")]),
        (f"<div>{links(1)}<ul>{links(2)}</ul>{links(1)}</div>", [(2, "leaf")]),
        (f"<div><h2><a href=#a>x</a></h2><ul>{links(2)}</ul></div>", [(2, "leaf")]),
        (f"<div><h2>{links(1)}</h2><ul><li>{links(2)}</ul></div>", [(3, "titled")]),
        (f"<div><h2>{links(1)}</h2><div>{links(2, '<i>{0}{0}</i>')}</div></div>", [(5, "whole")]),
        # paragraphs are one text, headings and lists between them or not
        (f"<div>{links(2, '<p>{0}{0}</p>')}</div>", [(4, "text")]),
        (f"<div>{'<h2>a</h2>' * 3}{links(2, '<p>{0}{0}</p>')}</div>", [(4, "text")]),
        (f"<div>{links(2, '<p>{0}{0}</p>')}<ul>{links(2)}</ul></div>", [(6, "text")]),
        (f"<div><p>{links(2)}</p><ul>{links(2)}</ul></div>", [(2, "leaf"), (2, "leaf")]),
        # five parts of one kind
        (f"<div>{links(1, '<i><b>{0}</b>{0}</i>') * 5}</div>", [(10, "alike")]),
        (
            f"<div>{'<h2>a</h2>' * 3}{links(1, '<i>{0}{0}</i>') * 5}</div>",
            [(10, "alike")],
        ),
        (
            f"<div>{'<h2>a</h2>' * 3}{links(1, '<i>{0}{0}</i>') * 4}</div>",
            [(2, "leaf")] * 4,
        ),
        (
            f"<div>{'<h2>a</h2>' * 3}{links(1, '<b>{0}{0}</b><i>{0}{0}</i>') * 3}</div>",
            [(2, "leaf")] * 6,
        ),
        # three headings, a list
        (
            f"<div><b>{links(2)}</b><h2>a</h2><h3>b</h3><b>{links(2)}</b></div>",
            [(4, "whole")],
        ),
        (
            f"<div><b>{links(2)}</b><h2>a</h2><h3>b</h3><b>{links(2)}<h4>c</h4></b></div>",
            [(2, "leaf"), (2, "leaf")],
        ),
        (f"<div><p>{links(2)}</p><ul>{links(1)}</ul></div>", [(3, "whole")]),
    ],
)
def test_rules(html, expected):
    """Each rule by an example, and by one that it just misses."""
    assert [*expected, AND_REST] == rules_of(html + REST)


def test_huge():
    """What holds very many links is cut, if it can be."""
    nested = f"<ul><li><p>{links(150)}</p><li><p>{links(100)}</p></ul>"
    more = f"<ul><li>{links(2)}<li>{links(100)}</ul>" * 4
    assert [(150, "leaf"), (100, "leaf"), *[(102, "list")] * 4] == rules_of(nested + more)
    assert (250, "list") == rules_of(nested + more, huge=250)[0]
    assert [(300, "leaf")] == rules_of(links(300))


def story(number: int) -> str:
    """A picture and a title that lead to the same story."""
    return f"<div><a href=s{number}></a><a href=s{number}>x</a></div>"


def test_details():
    """The more links a page has, the more addresses a part of it leads to that is no detail."""
    three = "".join(map(story, range(3)))
    html = f"<div>{'<h2>a</h2>' * 3}{three}</div>{REST}"
    assert [*[(2, "leaf")] * 3, AND_REST] == rules_of(html)
    assert [(6, "leaf"), AND_REST] == rules_of(html, detail=65)
    assert [*[(2, "leaf")] * 3, AND_REST] == rules_of(html, detail=66)
    assert [*[(2, "leaf")] * 3, AND_REST] == rules_of(html, detail=0)
    pairs = f"<div>{'<h2>a</h2>' * 3}{links(2, '<b>{0}<a href=y>y</a></b>')}</div>{REST}"
    assert [(2, "leaf"), (2, "leaf"), AND_REST] == rules_of(pairs, detail=32)
    assert [(4, "leaf"), AND_REST] == rules_of(pairs, detail=31)
    triples = pairs.replace("</b>", "<a href=z>z</a></b>")
    assert [(3, "leaf"), (3, "leaf"), AND_REST] == rules_of(triples, detail=1)


def test_detail_beside_a_part():
    """Where a group is cut, a part that leads to one address goes as a part of one link does."""
    html = f"<div>{story(1)}<ul>{links(4)}</ul></div>{REST}"
    assert [(2, "leaf"), (4, "leaf"), AND_REST] == rules_of(html)
    assert [(4, "leaf"), AND_REST] == rules_of(html, detail=65)


def test_details_of_a_huge_list():
    """What is too large for a block is cut into its details."""
    html = f"<ul>{links(101, '<li>{0}<a href=z>z</a></li>')}</ul>"
    assert [(2, "leaf")] * 101 == rules_of(html)
    assert [(202, "leaf")] == rules_of(html, huge=202)


def test_share_of_the_page():
    """What holds more than the share of the page's links is cut, whatever it is."""
    html = f"<ul><li>{links(2)}<li>{links(6)}</ul><p>{links(2)}"
    assert [(8, "list"), (2, "leaf")] == rules_of(html)
    assert [(2, "leaf"), (6, "leaf"), (2, "leaf")] == rules_of(html, page_share=0.79)


def test_share_of_the_whole_page():
    """With a share of 1 a page may be one block, also one that goes on behind its end."""
    html = f"<p>{links(2)}</p></html><html><p>{links(2)}"
    assert [(4, "text")] == rules_of(html, page_share=1.0)
    assert [(2, "leaf")] * 2 == rules_of(html)


def test_without_menus():
    """On request nobody is believed to be a menu."""
    html = f"<div class=menu><p>{links(2)}</p><ul>{links(2)}</ul></div>{REST}"
    assert [(4, "menu"), AND_REST] == rules_of(html)
    assert [(2, "leaf"), (2, "leaf"), AND_REST] == rules_of(html, menus=False)


def test_coarse():
    """Coarse rules cut only where three lists are inside."""
    for number in (2, 3):
        lists = f"<div>{f'<ul>{links(2)}</ul>' * number}</div>"
        expected = [(4, "whole")] if number == 2 else [(2, "leaf")] * 3
        assert [*expected, AND_REST] == rules_of(lists + REST, rules="coarse")
        assert [*[(2, "leaf")] * number, AND_REST] == rules_of(lists + REST)


def test_two_topics_in_one_row():
    """Cells side by side with a list each are two blocks, as topics that stand in one table row."""
    cell = f"<td><b>{{}}</b><ul>{links(4, '<li>{}</li>')}</ul>"
    html = f"<table><tr>{cell.format('Books')}{cell.format('Games')}</table>"
    assert [(4, "leaf"), (4, "leaf"), AND_REST] == rules_of(html + REST)


def test_licence_at_the_foot():
    """A licence link below the lists of a page is in no block with them."""
    foot = "<div id=foot><a href=licence>licence</a></div>"
    assert [AND_REST] == rules_of(f"<div>{REST}</div>{foot}")


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (f"<div id=main class='a b'><p>{links(2)}</p></div>", "div.a"),
        (links(2), "page"),
        (f"<div id=main class='a b'><p>{links(2)}</p></div>{REST}", "div.a"),
        (f"<div id=main><p>{links(2)}</p></div>{REST}", "div#main"),
        (f"<div><p>{links(2)}</p></div>{REST}", "div"),
    ],
)
def test_name(html, expected):
    """A block is named after the outermost element that holds just its links."""
    assert expected == structural_segments(outline(html.encode()), BlockConfig())[0].tag


def test_elements_behind_the_end():
    """Elements behind the end of the page belong to it."""
    assert [(2, "leaf"), (3, "leaf")] == rules_of(f"<p>{links(2)}</p></html><html><p>{links(3)}")


# --- twins ---


@given(pages)
def test_link_tree(page):
    """Links are an element's own or its children's."""
    found = outline(page.encode())
    tree = LinkTree(found)
    above = {0: -1}
    for element in range(len(found.tags)):
        inside = range(element + 1, found.behind[element])
        above |= dict.fromkeys(inside, element)
    for element in range(len(found.tags)):
        children = [kid for kid, parent in above.items() if parent == element]
        own = [number for number, link in enumerate(found.elements) if link == element]
        held = [number for kid in children for number in tree.links(kid)]
        assert [*own, *held] == list(tree.links(element))
        assert all(tree.sizes[kid] > 0 for kid in children)
        assert children == tree.children(element)
        chain = tree.chain(element)
        assert {tree.links(element)} == {tree.links(inner) for inner in chain}
        assert tree.links(element) not in [tree.links(kid) for kid in tree.children(chain[-1])]


def held(element: Any) -> list[Any]:
    return [a for a in element.iter("a") if a.get("href") is not None]


@given(elements())
def test_what_is_inside(page):
    """Headings and lists below an element are counted as in a tree, itself not."""
    tops = tree_page(page).tree.tops
    with_links = [e for top in tops for e in top.iter() if held(e)]
    with_links = [e for e in with_links if e.tag not in ("html", "body")]
    found = outline(page.encode())
    tree = LinkTree(found)
    assert [e.tag for e in with_links] == found.tags[1:]
    for k, element in enumerate(with_links, 1):
        headings = sum(1 for e in element.iterdescendants(*HEADINGS))
        lists = sum(1 for e in element.iterdescendants(*LISTS) if len(held(e)) > 1)
        assert headings == tree.count_headings(k)
        assert lists == tree.count_lists(k)


def held_by(element: Any, tops: list[Any]) -> list[Any]:
    return find_links(tops) if element is None else held(element)


def addresses(element: Any) -> int:
    """One that is linked several times in a row is one."""
    return len(list(groupby(a.get("href") for a in held(element))))


def is_part(element: Any, wanted: int) -> bool:
    return len(held(element)) > 1 and addresses(element) >= min(wanted, 2)


def same_links(element: Any) -> list[Any]:
    """It, and what is in it and holds the same links."""
    return [e for e in element.iter() if len(held(e)) == len(held(element))]


def is_titled(first: Any, second: Any, part: Any, wanted: int) -> bool:
    link = second if part is first else first
    inner = same_links(part)[-1]
    if len(held(link)) > 1 or held(link)[0].get("href").startswith("#"):
        return False
    if inner.tag != "a" and any(is_part(e, wanted) and addresses(e) >= wanted for e in inner):
        return False
    return link.tag == "a" if part is first else any(e.tag in HEADINGS for e in same_links(link))


def is_list(element: Any) -> bool:
    """Is it, or anything in it that holds the same links, a list?"""
    return any(e.tag in ("ul", "ol") for e in same_links(element))


def plain_rule(
    chain: list[Any], children: list[Any], size: int, total: int, config: BlockConfig
) -> str:
    """The first rule that holds, all of them asked."""
    kids = [c for c in children if held(c)]
    wanted = min(3, max(1, ceil(total / config.detail))) if config.detail else 1
    parts = [c for c in kids if is_part(c, wanted)]
    paragraphs = [c for c in parts if c.tag == "p"]
    elements = [e for e in chain if e is not None]
    names = " ".join(e.get(n, "") for e in elements for n in ("class", "id", "role")).lower()
    tags = {e.tag for e in elements}
    inside = [e for c in children for e in c.iter()]
    kinds = [(c.tag, c.get("class", "")) for c in kids]
    most = max((kinds.count(kind) for kind in kinds), default=0)
    largest = max((len(held(c)) for c in parts), default=0)
    lists = sum(e.tag in LISTS and len(held(e)) > 1 for e in inside)
    holds = {
        "huge": size > config.huge and len(parts) > 0,
        "leaf": all(addresses(part) < wanted for part in parts),
        "page": size > config.page_share * total,
        "menu": config.menus
        and ("nav" in tags or "nav" in names)
        and len(parts) != 1
        and sum(map(is_list, parts)) < 2,
        "list": bool(tags & {"ul", "ol"}),
        "titled": len(kids) == 2 and len(parts) == 1 and is_titled(*kids, parts[0], wanted),
        "text": len(paragraphs) > 1 and len(paragraphs) > len(parts) / 2,
        "alike": len(kids) >= 5 and most >= 0.8 * len(kids) and largest <= 8,
        "headings": sum(e.tag in HEADINGS for e in inside) >= 3,
        "lists": lists >= (3 if config.rules == "coarse" else 1),
        "whole": True,
    }
    assert list(REASONS) == list(holds)
    return next(rule for rule, applies in holds.items() if applies)


def plain_segments(
    tops: list[Any], config: BlockConfig, element: Any = None
) -> list[tuple[tuple[int, ...], str]]:
    """The rules as they are told, everything counted anew wherever it is asked for."""
    links = find_links(tops)
    mine = held_by(element, tops)
    chain = [element]
    children = list(tops if element is None else element)
    while whole := [c for c in children if len(held(c)) == len(mine)]:
        chain += whole
        children = list(whole[0])
        if whole[0].tag == "a" and whole[0].get("href") is not None:
            break  # a link that holds the others
    rule = plain_rule(chain, children, len(mine), len(links), config)
    if REASONS[rule].startswith("block"):
        return [(tuple(links.index(a) for a in mine), rule)]
    wanted = ceil(len(links) / config.detail) if config.detail else 1
    parts = [child for child in children if is_part(child, wanted)]
    return [found for part in parts for found in plain_segments(tops, config, part)]


CONFIGS = st.just(BlockConfig()) | st.builds(
    BlockConfig,
    rules=st.sampled_from(["structural", "coarse"]),
    menus=st.booleans(),
    page_share=st.sampled_from([0.3, 0.5, 0.9, 1.0]),
    detail=st.integers(0, 6) | st.just(1 << 70),
    huge=st.integers(1, 30) | st.just(1 << 70),
)


@settings(max_examples=500)
@given(elements(), CONFIGS)
def test_twin(page, config):
    """The rules told plainly over another parser's tree give the same blocks."""
    tops = tree_page(page).tree.tops
    found = structural_segments(outline(page.encode()), config)
    if len(find_links(tops)) < 2:
        assert [] == found
        return
    assert plain_segments(tops, config) == [(s.links, s.rule) for s in found]


@given(pages, st.sampled_from(["structural", "coarse"]), st.booleans())
def test_blocks_are_apart(page, rules, menus):
    """No link is in two blocks, and every block has two links and a reason."""
    config = BlockConfig(rules=rules, menus=menus)
    found = structural_segments(outline(page.encode()), config)
    numbers = [number for segment in found for number in segment.links]
    assert sorted(set(numbers)) == numbers
    for segment in found:
        assert len(segment.links) > 1
        assert REASONS[segment.rule].startswith("block")
