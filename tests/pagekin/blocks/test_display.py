"""A page with its blocks in colours."""

from __future__ import annotations

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
    colour_blocks(page.tree.tops, page_links(page, BlockConfig()), blocks, page.resolver.base)
    return to_html(page.tree).decode()


def test_marks():
    """Links of a block have its colour; those that a filter took are crossed out."""
    page = tree_page(marked(PAGE))
    links = find_links(page.tree.tops)
    looks = [link.get("style", "").partition(";")[0] for link in links]
    assert looks[0] == looks[1] == looks[2] != looks[3] == looks[4]
    assert "" == looks[5]
    assert ["line-through" in link.get("style", "") for link in links] == [k == 2 for k in range(6)]
    assert "block 2" == links[3].get("title")
    expected = "block 1, removed by common_domain: within own.example, as the page"
    assert expected == links[2].get("title")


def test_legend():
    """A legend in the same colours tells what made each block."""
    written = marked(PAGE)
    assert "1: 2 of 3 links; ul  leaf (block: no part of it holds two links)" in written
    assert "2: 2 of 2 links; div  leaf" in written
    legend = written.partition("1: 2 of 3")[0].rpartition("background:")[2].partition('"')[0]
    assert f"background:{legend}" in written.partition("</ul>")[0].rpartition("<ul>")[2]
    assert "no blocks" in marked("<p>nothing")


def test_still_page():
    """Scripts go, text stays as it was, and what the page loads is found from where it lies."""
    written = marked(PAGE)
    assert "alert" not in written
    assert "src=" not in written
    assert "&lt;e&gt;" in written
    assert f'<base href="{HERE}">' in written
    assert "<base" not in marked(PAGE, "http://localhost/")
    assert 1 == marked(f"<base href=/b/>{PAGE}").count("<base")


def test_names_of_any_kind():
    """What a page calls its elements is text, whatever it holds."""
    html = "<div class='<b>&quot;\x01\x85'><a href=x>a</a><a href=y>b</a></div><p><a href=z>c</a>"
    assert "div.&lt;b&gt;" in marked(html)
