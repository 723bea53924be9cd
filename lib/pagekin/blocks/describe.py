"""Blocks put into words, for people and for JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any

from pagekin.blocks.links import Links
from pagekin.blocks.model import Block, Removed
from pagekin.blocks.structural import REASONS
from pagekin.config import BlockConfig
from pagekin.counters import Counters
from pagekin.web.page import Page

__all__ = ["block_lines", "boundary", "describe_blocks"]


def boundary(block: Block) -> str:
    """What made the block, in a line."""
    rule = block.segment.rule
    reason = REASONS.get(rule)
    return f"{block.segment.tag}  {rule} ({reason})" if reason else f"{block.segment.tag}  {rule}"


def describe_blocks(
    page: Page, links: Links, blocks: Iterable[Block], config: BlockConfig, counters: Counters
) -> dict[str, Any]:
    """Everything that is known of the blocks of a page; `links` are all of its <a href>."""
    return {
        "url": page.url,
        "charset": page.charset,
        "rules": config.rules,
        "links": links.hrefs,
        "blocks": [_describe(block) for block in blocks],
        "counters": counters.as_dict(),
    }


def _describe(block: Block) -> dict[str, Any]:
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


def block_lines(page: Page, blocks: list[Block], counters: Counters) -> Iterator[str]:
    """The same for people."""
    yield f"url        {page.url}"
    for number, block in enumerate(blocks, 1):
        yield ""
        found = len(block.segment.links)
        yield f"block {number}: {len(block.links)} of {found} links; {boundary(block)}"
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


def _notes(what: str, links: Iterable[Removed]) -> Iterator[str]:
    for link in links:
        yield f"  {link.number:>5}  {what} by {link.filter}: {link.reason}  ({link.href})"
