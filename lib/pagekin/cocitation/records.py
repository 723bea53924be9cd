"""The block record: a page as blocks of links, on its way to the pairs [BLOCK].

    key      !blocks/ and the URL of the page: bags, made in the same pass, stand beside them
    value    DOMAIN BLOCK BLOCK ..., parted by the byte 1
    BLOCK    PLACES URL ANCHOR URL ANCHOR ..., parted by the byte 2

DOMAIN is the top sub-domain of the page. Links stand in the order of the page, after all filters:
no URL twice in one block. PLACES is empty, or tells with numbers and commas which places the links
had in the block before the filters, where these are not 0, 1, 2 ...

Here, too, is the number that stands for a URL where pairs are packed: the XXH3-64 of the canonical
URL, which also deals documents to the shards of an index. Two of 100 million URLs share one with a
chance of 1 in 3,700; such pages would be one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import xxhash

from pagekin.blocks.filters import KeptLink as Link
from pagekin.text.tokens import CODES

__all__ = [
    "BLOCKS_KEY",
    "SCORE",
    "Block",
    "Link",
    "Page",
    "blocks_value",
    "is_blocks",
    "parse_blocks",
    "url_hash",
    "url_key",
]

BLOCKS_KEY = b"!blocks/"  # sorts before every bag
SCORE = 1 << 20  # TS = 1 as a whole number; here, because those who ask import no words

_BLOCK, _FIELD = b"\x01", b"\x02"
_LONGEST_ANCHOR = 1000  # characters; each stripe carries the anchor of its link

# White space is squeezed before; what is left of the control characters would end a field or a
# line, and the markers of a flat text would end an anchor.
_UNWANTED = re.compile(f"[\\0-\\x1f\\x7f{''.join(CODES)}]")


class Block(NamedTuple):
    """The links of a block in order; `places` is None where they are 0, 1, 2 ..."""

    urls: list[bytes]
    anchors: list[bytes]
    places: list[int] | None = None


class Page(NamedTuple):
    """The top sub-domain of a page, and its blocks."""

    domain: bytes
    blocks: list[Block]


def is_blocks(pair: tuple[bytes, bytes]) -> bool:
    """Does the record hold the blocks of a page?"""
    return pair[0].startswith(BLOCKS_KEY)


def blocks_value(domain: str, blocks: Iterable[Sequence[Link]]) -> bytes:
    """The value of a page's block record; blocks without a link are left out.

    >>> blocks_value("a.example", [[Link("http://b.example/", "Bees  and\\n honey", 0)]])
    b'a.example\\x01\\x02http://b.example/\\x02Bees and honey'
    """
    return _BLOCK.join([domain.encode(), *(_packed(block) for block in blocks if block)])


def _packed(block: Sequence[Link]) -> bytes:
    places = [link.place for link in block]
    told = "" if places == list(range(len(block))) else ",".join(map(str, places))
    fields = [told]
    for link in block:
        fields += (link.url, _clean(link.anchor))
    return "\x02".join(fields).encode("utf-8", "replace")


def _clean(anchor: str) -> str:
    if anchor.isprintable() and "  " not in anchor:  # most; the markers are not printable
        return anchor.strip()[:_LONGEST_ANCHOR].rstrip()
    squeezed = _UNWANTED.sub("", " ".join(anchor.split()))
    return squeezed[:_LONGEST_ANCHOR].strip()


def parse_blocks(value: bytes) -> Page:
    """The page of a block record's value."""
    domain, *blocks = value.split(_BLOCK)
    return Page(domain, [_parsed(block) for block in blocks])


def _parsed(block: bytes) -> Block:
    fields = block.split(_FIELD)
    places = list(map(int, fields[0].split(b","))) if fields[0] else None
    return Block(fields[1::2], fields[2::2], places)


url_hash: Callable[[bytes], int] = xxhash.xxh3_64_intdigest


def url_key(url: bytes) -> bytes:
    """The same number as the key of a record.

    >>> url_key(b"http://a.example/")
    b'd9adadf2d37a6499'
    """
    return b"%016x" % url_hash(url)
