"""A page with its blocks in colours."""

from __future__ import annotations

import re

from pagekin.blocks.display import colour_blocks
from pagekin.blocks.links import find_links
from pagekin.blocks.page_blocks import described_blocks, page_links
from pagekin.config import BlockConfig
from pagekin.counters import Counters
from pagekin.web.html import to_html
from tests.trees import HERE, tree_page

PAGE = """<head><title>Bees</title></head><body><script src=x>alert(1)</script>
<ul><li><a href=http://b.example/>b</a><li><a href=http://c.example/>c</a><li><a href=/x>o</a></ul>
<div><a href=http://d.example/>d</a> <a href=http://e.example/>&lt;e&gt;</a></div>
<a href=http://f.example/>alone</a>"""


def marked(html: str, url: str = HERE) -> str:
    page = tree_page(html, url)
    blocks = described_blocks(page, BlockConfig(), Counters())
    links = page_links(page, BlockConfig())
    return to_html(page.tree, colour_blocks(page.tree.tops, links, blocks, page.resolver)).decode()


def test_marks():
    """Links of a block have its colour; those that a filter took are crossed out."""
    written = marked(PAGE)
    links = find_links(tree_page(written).tree.tops)
    assert ["1", "1", "1", "2", "2", None] == [link.get("data-block") for link in links]
    assert [k == 2 for k in range(6)] == [link.get("data-removed") is not None for link in links]
    assert "block 2" == links[3].get("title")
    expected = "block 1, removed by common_domain: within own.example, as the page"
    assert expected == links[2].get("title")
    colours = re.findall(r'^\[data-block="(\d)"\]{background:(.*?);', written, re.MULTILINE)
    assert ["1", "2"] == [number for number, _ in colours]
    assert 2 == len({colour for _, colour in colours})


def test_legend():
    """A legend in the same colours tells what made each block."""
    written = marked(PAGE)
    first = "1: 2 of 3 links; ul  leaf (block: no part of it is more than a detail)"
    assert f'<p data-block="1">{first}</p>' in written
    assert '<p data-block="2">2: 2 of 2 links; div  leaf' in written
    assert "no blocks" in marked("<p>nothing")


def test_links_lead_to_pages():
    """A link leads where the reader saw it leading; one to no page leads nowhere."""
    page = "<a href=/x?b>1</a><a href='java\nscript:alert(1)'>2</a><a href=mailto:a@b>3</a>"
    targets = ["http://own.example/x?b", None, None]
    assert targets == [link.get("href") for link in tree_page(marked(page)).tree.tops[0].iter("a")]


def test_controls():
    """Attributes with controls in their names go, those in values are seen."""
    assert '<p class="a\\u0001b">c</p>' in marked("<p class='a&#1;b' x\x0b=1 \x01=2>c</p>")


def test_names_of_any_kind():
    """What a page calls its elements is text, whatever it holds."""
    html = "<div class='<b>&quot;\x01\x85'><a href=x>a</a><a href=y>b</a></div><p><a href=z>c</a>"
    assert "div.&lt;b&gt;" in marked(html)
