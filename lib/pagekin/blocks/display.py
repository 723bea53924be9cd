"""Blocks for people: as lines of text, as JSON, and as the page itself with its blocks in colours.

On the coloured page the links of a block get its colour and number, those that a filter removed are
crossed out, and a legend says what made each block. Of the page itself its text and links are left,
and a browser loads and runs nothing (`web.safe_html`).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from pagekin.blocks.filters import DescribedBlock, FilteredOut
from pagekin.blocks.links import Links, TreeLinks, same_links
from pagekin.blocks.structural_rules import REASONS
from pagekin.config import BlockConfig
from pagekin.counters import Counters
from pagekin.printing import printable
from pagekin.web.page import Page
from pagekin.web.safe_html import make_harmless

__all__ = ["block_lines", "blocks_as_json", "colour_blocks"]

# Degrees between the hues of neighbours: no two of the first hundred are alike.
_HUES_APART: Final = 137.508
# The page's own attributes of these names are taken out.
_BLOCK, _REMOVED, _LEGEND = "data-block", "data-removed", "data-legend"
_SHEET: Final = f"""
[{_LEGEND}]{{position:fixed;right:0;top:0;max-width:28em;max-height:100vh;overflow:auto;margin:0;
padding:.5em;background:white;color:black;border:1px solid black;text-align:left;
font:12px/1.4 sans-serif}}
[{_LEGEND}] p{{margin:2px 0;padding:1px 4px;overflow-wrap:anywhere}}
[{_BLOCK}],[{_BLOCK}] *{{color:black}}
a[{_REMOVED}]{{text-decoration:line-through}}
"""


def _boundary(block: DescribedBlock) -> str:
    """What made the block, in a line."""
    rule = block.segment.rule
    reason = f" ({REASONS[rule]})" if rule in REASONS else ""
    return f"{block.segment.tag}  {rule}{reason}"


# --- JSON and text ---


def blocks_as_json(
    page: Page,
    links: Links,
    blocks: Iterable[DescribedBlock],
    config: BlockConfig,
    counters: Counters,
) -> dict[str, Any]:
    """Everything that is known of the blocks of a page; `links` are all of its <a href>."""
    return {
        "url": page.url,
        "charset": page.charset,
        "rules": config.rules,
        "links": links.hrefs,
        "blocks": [_block_as_json(block) for block in blocks],
        "counters": counters.as_dict(),
    }


def _block_as_json(block: DescribedBlock) -> dict[str, Any]:
    tag, rule = block.segment.tag, block.segment.rule
    return {
        "tag": tag,
        "rule": rule,
        "reason": REASONS.get(rule, ""),
        "found": list(block.segment.links),
        "links": [dataclasses.asdict(link) for link in block.links],
        "removed": [link._asdict() for link in block.removed],
        "changed": [link._asdict() for link in block.changed],
    }


def block_lines(page: Page, blocks: list[DescribedBlock], counters: Counters) -> Iterator[str]:
    """The blocks of a page as lines of text."""
    yield f"url        {page.url}"
    for number, block in enumerate(blocks, 1):
        yield ""
        found = len(block.segment.links)
        yield f"block {number}: {len(block.links)} of {found} links; {_boundary(block)}"
        for link in block.links:
            yield f"  {link.number:>5}  {link.anchor}  -> {link.url}"
        yield from _notes("changed", block.changed)
        yield from _notes("removed", block.removed)
    if not blocks:
        yield ""
        yield "no blocks"
    yield ""
    for group, names in counters.as_dict().items():
        yield f"{group:10} " + ", ".join(f"{name} {amount:,}" for name, amount in names.items())


def _notes(what: str, links: Iterable[FilteredOut]) -> Iterator[str]:
    for link in links:
        yield f"  {link.number:>5}  {what} by {link.filter}: {link.reason}  ({link.href})"


# --- the page in colours ---


def colour_blocks(
    tops: list[Any],
    links: Links,
    blocks: list[DescribedBlock],
    resolve: Callable[[str], str | None],
) -> str:
    """Mark the links of a page's tree, and leave of it what shows text; gives the style sheet.

    `links` are those of the blocks; one that the tree does not have keeps its looks. `resolve`
    tells where an href leads.
    """
    in_tree = TreeLinks(tops)
    numbers = same_links(links.hrefs, in_tree.hrefs)
    make_harmless(tops, resolve)
    for number, block in enumerate(blocks, 1):
        removed = {link.number: link for link in block.removed}
        for link in block.segment.links:
            if link in numbers:
                _mark_link(in_tree.elements[numbers[link]], number, removed.get(link))
    if tops:
        body = next(tops[0].iter("body"), tops[0])
        body.insert(0, _legend(body, blocks))
    return _SHEET + "".join(map(_colour_rule, range(1, len(blocks) + 1)))


def _colour_rule(number: int) -> str:
    colour = f"hsl({number * _HUES_APART % 360:.0f},80%,80%)"
    return f'[{_BLOCK}="{number}"]{{background:{colour};outline:2px solid {colour}}}\n'


def _mark_link(link: Any, number: int, removed: FilteredOut | None) -> None:
    note = f"block {number}"
    link.set(_BLOCK, str(number))
    if removed:
        link.set(_REMOVED, "")
        note += f", removed by {removed.filter}: {removed.reason}"
    link.set("title", printable(note))


def _legend(body: Any, blocks: Iterable[DescribedBlock]) -> Any:
    legend = body.makeelement("div", {_LEGEND: ""})
    for number, block in enumerate(blocks, 1):
        entry = legend.makeelement("p", {_BLOCK: str(number)})
        entry.text = printable(
            f"{number}: {len(block.links)} of {len(block.segment.links)} links; {_boundary(block)}"
        )
        legend.append(entry)
    if not len(legend):
        legend.text = "no blocks"
    return legend
