"""A page with its blocks in colours, so that a person sees the segmentation.

The links of a block get its colour and number, those that a filter took are crossed out, and a
legend says what made each block. Scripts are taken out: the page shall look as it was read. What
the page loads (pictures, style sheets) the browser still loads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from pagekin.blocks.describe import boundary
from pagekin.blocks.links import Links, TreeLinks, same_links
from pagekin.blocks.model import Block

__all__ = ["mark_blocks"]

_TURN: Final = (
    137.508  # degrees between the hues of neighbours: no two of the first hundred are alike
)
_LEGEND: Final = (
    "position:fixed;right:0;top:0;z-index:2147483647;max-width:28em;max-height:100vh;overflow:auto;"
    "margin:0;padding:.5em;background:white;color:black;border:1px solid black;text-align:left;"
    "font:12px/1.4 sans-serif"
)
_ENTRY: Final = "margin:2px 0;padding:1px 4px;color:black;overflow-wrap:anywhere"


def mark_blocks(tops: list[Any], links: Links, blocks: list[Block], base: str) -> None:
    """Colour the elements of a page; `base` is what its links are relative to.

    `links` are those of the blocks; one that the tree does not have keeps its looks.
    """
    if not tops:
        return
    in_tree = TreeLinks(tops)
    places = same_links(links.hrefs, in_tree.hrefs)
    removed = {link.number: link for block in blocks for link in block.removed}
    for number, block in enumerate(blocks, 1):
        for place in block.segment.links:
            gone = removed.get(place)
            note = f"block {number}" + (
                f", removed by {gone.filter}: {gone.reason}" if gone else ""
            )
            if place in places:
                link = in_tree.elements[places[place]]
                _mark(link, _colour(number), note, gone=gone is not None)
    for top in tops:
        _still(top)
    _add_base(tops[0], base)
    body = next(tops[0].iter("body"), tops[0])
    body.insert(0, _legend(body, blocks))


def _colour(number: int) -> str:
    return f"hsl({number * _TURN % 360:.0f},80%,80%)"


def _mark(link: Any, colour: str, note: str, *, gone: bool) -> None:
    look = f"background:{colour} !important;color:black !important;outline:2px solid {colour}"
    if gone:
        look += ";text-decoration:line-through !important;outline-style:dashed"
    link.set("style", look)
    link.set("title", _plain(note))


def _still(top: Any) -> None:
    for script in top.iter("script"):
        script.text = None
        script.attrib.pop("src", None)


def _add_base(top: Any, base: str) -> None:
    if next(top.iter("base"), None) is None and not base.startswith("http://localhost"):
        head = next(top.iter("head"), top)
        head.insert(0, head.makeelement("base", {"href": _plain(base)}))


def _legend(body: Any, blocks: Iterable[Block]) -> Any:
    legend = body.makeelement("div", {"style": _LEGEND})
    for number, block in enumerate(blocks, 1):
        entry = legend.makeelement("p", {"style": f"{_ENTRY};background:{_colour(number)}"})
        entry.text = _plain(
            f"{number}: {len(block.links)} of {len(block.segment.links)} links; {boundary(block)}"
        )
        legend.append(entry)
    if not len(legend):
        legend.text = "no blocks"
    return legend


def _plain(text: str) -> str:
    """Without control characters, which no document can hold."""
    return "".join(c if c.isprintable() else " " for c in text)
