"""From a page to its blocks: all rules, counters, and pages that are made to hurt."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.blocks.display import colour_blocks
from pagekin.blocks.page_blocks import (
    blocks_view,
    described_blocks,
    kept_links,
    page_links,
    segments,
)
from pagekin.config import BlockConfig, ReadingConfig
from pagekin.counters import Counters
from pagekin.limits import MAX_LINKS
from pagekin.web.html import to_html
from pagekin.web.page import NOTHING, TEXT, Page, View, make_page
from pagekin.web.tags import CUTS
from tests.soups import smuggled, soups
from tests.trees import FOR_BLOCKS, HERE, tree_page

ALL_RULES = ("structural", "coarse", "paper", "page")
HTML = """<ul><li><a href=http://b.example/>b</a><li><a href=http://c.example/x?y=1>c</a>
<li><a href=/own>own</a></ul><div><p><a href=http://d.example/>d</a><p><a href=mailto:x>e</a></div>
<a href=http://alone.example/ rel=nofollow>alone</a>"""


def blocks_of(html: str, reading: ReadingConfig | None = None, **options: Any) -> Any:
    counters = Counters()
    page = tree_page(html)
    config = BlockConfig(**options)
    return described_blocks(page, config, counters, reading or ReadingConfig()), counters.as_dict()


def test_blocks():
    """A page's blocks in order, with what the filters left."""
    blocks, counters = blocks_of(HTML)
    expected = [["http://b.example/", "http://c.example/"], ["http://d.example/"]]
    assert expected == [[link.url for link in block.links] for block in blocks]
    assert {
        "blocks": {"found": 2, "left": 2},
        "block_links": {
            "found": 6,
            "in_no_block": 1,
            "common_domain": 1,
            "dynamic_changed": 1,
            "invalid": 1,
            "left": 3,
        },
    } == counters


def test_counters_add_up():
    """Every link is in no block, left, or counted with the filter that took it."""
    for rules in ALL_RULES:
        counted = blocks_of(HTML, rules=rules)[1]["block_links"]
        others = sum(n for name, n in counted.items() if not name.endswith(("found", "_changed")))
        assert counted["found"] == others


def test_empty_blocks_stay():
    """A block of which nothing is left is still there, to be shown."""
    blocks, counters = blocks_of("<a href=/x>x</a><a href=/y>y</a>")
    assert [()] == [block.links for block in blocks]
    assert {"found": 1} == counters["blocks"]


def test_whole_page():
    """On request the page is one block."""
    blocks, _ = blocks_of(HTML, rules="page")
    assert [tuple(range(6))] == [block.segment.links for block in blocks]
    assert [] == blocks_of("<a href=x>y</a>", rules="page")[0]


def test_nofollow():
    """Links that ask for it are left out where the reading says so."""
    html = "<a href=http://b.example/ rel='me NoFollow'>b</a><a href=http://c.example/>c</a>"
    assert [2] == [len(block.links) for block in blocks_of(html)[0]]
    assert [1] == [len(b.links) for b in blocks_of(html, ReadingConfig(drop_nofollow=True))[0]]
    meta = f"<meta name=robots content=nofollow>{html}"
    assert [2] == [len(block.links) for block in blocks_of(meta)[0]]
    obeying, counters = blocks_of(meta, ReadingConfig(obey_robots=True))
    assert [0] == [len(block.links) for block in obeying]
    assert 2 == counters["block_links"]["nofollow"]


def test_invalid_sections():
    """With the paper's words on invalid links, their sections go."""
    assert 1 == len(blocks_of(HTML, rules="paper", invalid="sections")[0])


def test_flat_page():
    """A page that was not read for the rules is a mistake of the program."""
    page = make_page(HERE, b"<a href=x>y</a>")
    assert isinstance(page, Page)
    for rules in ALL_RULES:
        with pytest.raises(ValueError, match=f"the rules '{rules}' .* read for them"):
            described_blocks(page, BlockConfig(rules=rules), Counters())


@given(soups(smuggled, st.sampled_from(["<a href=http://b.example/x>"]), size=40))
def test_any_soup(html):
    """Any soup gives blocks or none under all rules, can be marked, and counts each link once."""
    page = make_page(HERE, html.encode("utf-8", "replace"), view=FOR_BLOCKS)
    if isinstance(page, str):
        return
    for rules in ALL_RULES:
        config = BlockConfig(rules=rules)
        blocks, links = described_blocks(page, config, Counters()), page_links(page, config)
        numbers = [number for block in blocks for number in block.segment.links]
        assert sorted(set(numbers)) == numbers
        assert set(numbers) <= set(range(len(links.hrefs)))
        assert page.tree is not None
        sheet = colour_blocks(page.tree.tops, links, blocks, page.resolver)
    assert page.tree is not None
    assert to_html(page.tree, sheet).startswith(b"<!doctype html>")


@given(soups(smuggled, st.sampled_from(["<a href=http://b.example/x>", "<li>"]), size=40))
def test_with_and_without_bags(html):
    """Blocks are the same whatever else is wanted of the page."""
    body = html.encode("utf-8", "replace")
    pages = [
        make_page(HERE, body, view=blocks_view(BlockConfig(), also))
        for also in (NOTHING, TEXT, View(without=CUTS), FOR_BLOCKS)
    ]
    if not isinstance(pages[0], str):
        found = [kept_links(page, BlockConfig(), Counters()) for page in pages]
        assert found[:1] * 4 == found


HOSTILE = {
    "20,000 links": "".join(f"<p><a href=http://s{k}.example/>t</a>" for k in range(20_000)),
    "60,000 links": "<li><a href=/x>t</a>" * 60_000,
    "300,000 tags": "<p>" * 300_000,
    "deep": "<div><a href=x>t</a>" * 20_000,
    "just not too deep": "<div><a href=x>t</a>" * 1_900 + "<i>x</i>" * 50_000,
    "links in links": "<a href=x><b>t" * 900 + "<i>u</i>" * 20_000,
    "lists in lists": "<ul><li><a href=x>t</a><a href=y>t</a>" * 900,
    "many classes": "<style>.a.b{color:red}</style>"
    + "".join(f"<p class='{'a b c d e f g h ' * 9}{k}'><a href=x>t</a>" for k in range(3_000)),
    "a long class": f"<div class='{'nav-' * 300_000}'><p><a href=x>t</a><a href=y>t</a></p></div>",
    "a long text": f"<a href=x>{'bees ' * 500_000}</a><a href=y>t</a>",
    "control characters": "<a href='\x01' class='\x02' id='\ufffe'>\x03</a>" * 2,
}


@pytest.mark.parametrize("name", sorted(HOSTILE))
def test_hostile(name):
    """The worst pages take seconds, under all rules."""
    page = tree_page(HOSTILE[name])
    started = time.process_time()
    for rules in ("structural", "paper"):
        counters = Counters()
        described_blocks(page, BlockConfig(rules=rules), counters)
        assert counters.get("block_links", "found") <= MAX_LINKS
    assert time.process_time() - started < 20


def test_limit_of_links():
    """Links behind the limit are no links, and the reader counts that."""
    page = tree_page("<i><a href=x>t</a></i>" * (MAX_LINKS + 1))
    assert ["too_many_links"] == page.flat.notes
    for rules in ("structural", "paper"):
        counters = Counters()
        described_blocks(page, BlockConfig(rules=rules), counters)
        assert MAX_LINKS == counters.get("block_links", "found")


def test_deep_page():
    """A page that libxml2 cannot hold has blocks, and its tree says that it is deep."""
    items = "".join(f"<li><a href=http://s{k}.example/>t{k}</a>" for k in range(5))
    page = tree_page("<div>" * 3_000 + "</div>" * 3_000 + f"<ul>{items}</ul>")
    assert page.tree.deep
    for rules in ("structural", "paper"):
        config = BlockConfig(rules=rules)
        found = segments(page, page_links(page, config), config)
        assert [(0, 1, 2, 3, 4)] == [segment.links for segment in found]
