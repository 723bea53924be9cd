"""The block record: a page as blocks of links, on its way to the pairs [BLOCK].

    key      !blocks/ and the URL of the page
    value    DOMAIN BLOCK BLOCK ..., parted by the byte 1
    BLOCK    PLACES URL ANCHOR URL ANCHOR ..., parted by the byte 2

DOMAIN is the top sub-domain of the page. Links stand in the order of the page, after all filters:
no URL twice in one block. PLACES is empty, or tells with numbers and commas which places the links
had in the block before the filters, where these are not 0, 1, 2 ...
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pagekin.limits import MAX_ANCHOR
from pagekin.text.tokens import one_line

__all__ = ["Block", "PageBlocks", "blocks_value", "parse_blocks"]

_BLOCK, _FIELD = b"\x01", b"\x02"


class Block(NamedTuple):
    """The links of a block in order; `places` is None where they are 0, 1, 2 ..."""

    urls: list[bytes]
    anchors: list[bytes]
    places: list[int] | None = None


class PageBlocks(NamedTuple):
    """The top sub-domain of a page, and its blocks."""

    domain: bytes
    blocks: list[Block]


def blocks_value(domain: str, blocks: Iterable[Sequence[tuple[str, str, int]]]) -> bytes:
    """The value of a page's block record; blocks without a link are left out.

    A link is its URL, its anchor text, and its place in the block.

    >>> blocks_value("a.example", [[("http://b.example/", "Bees  and\\n honey", 0)]])
    b'a.example\\x01\\x02http://b.example/\\x02Bees and honey'
    """
    return _BLOCK.join([domain.encode(), *(_packed(block) for block in blocks if block)])


def _packed(block: Sequence[tuple[str, str, int]]) -> bytes:
    places = [place for _, _, place in block]
    fields = ["" if places == list(range(len(block))) else ",".join(map(str, places))]
    for url, anchor, _ in block:
        fields += (url, one_line(anchor, MAX_ANCHOR))
    return _FIELD.decode().join(fields).encode("utf-8", "replace")


def parse_blocks(value: bytes) -> PageBlocks:
    """The page of a block record's value."""
    domain, *blocks = value.split(_BLOCK)
    return PageBlocks(domain, [_parsed(block) for block in blocks])


def _parsed(block: bytes) -> Block:
    fields = block.split(_FIELD)
    places = list(map(int, fields[0].split(b","))) if fields[0] else None
    return Block(fields[1::2], fields[2::2], places)
