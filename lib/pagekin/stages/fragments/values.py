"""The values of a URL's records between map and reduce, in the order in which they sort.

    c flag text                      the page's own fragment
    f links pages hosts sums         links that a mapper has folded
    l host flag text                 fragments of the links of one page

So a reducer knows whether links were folded before it sees the others, and those come grouped by
the citing host. docs/formats.md has each with its parts.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import xxhash
from pybase64 import b64decode, b64encode

from pagekin.stages.fragments.term_positions import Sums
from pagekin.text.words import Terms
from pagekin.web.urls import host

__all__ = [
    "FIRST",
    "FLAG",
    "HOST",
    "LINK_TEXT",
    "OF_FOLDED",
    "OF_LINKS",
    "OF_PAGE",
    "OWN_TEXT",
    "FoldedLinks",
    "content_value",
    "folded_value",
    "host_id",
    "link_value",
    "parse_folded",
]

OF_PAGE, OF_FOLDED, OF_LINKS = b"cfl"  # the first byte
OWN_TEXT = 2
HOST = slice(1, 9)  # 6 bytes of the host's hash as base64
FLAG, FIRST = 9, ord("1")  # the page's first fragment about this URL
LINK_TEXT = 10

_TERM_BYTES, _SUM_BYTES = 4, 8


class FoldedLinks(NamedTuple):
    """What is left of links whose text is gone."""

    links: int
    pages: int
    hosts: bytes  # ids of the citing hosts, each once
    terms: Terms  # ascending
    sums: Sums


def host_id(url: str) -> bytes:
    """Eight characters that name the host of a canonical URL."""
    return b64encode(xxhash.xxh3_64_digest(host(url).encode())[:6])


def content_value(payload: bytes, own: bool) -> bytes:
    """The value of a page's own fragment; one given by another URL's page sorts behind."""
    return (b"c0" if own else b"c1") + payload


def link_value(host: bytes, payload: bytes, first: bool) -> bytes:
    """The value of a fragment about a link; `host` names the citing host in 8 characters."""
    return b"l" + host + (b"1" if first else b"0") + payload


def folded_value(folded: FoldedLinks) -> bytes:
    """The value of folded links."""
    sums = folded.terms.astype("<u4").tobytes() + folded.sums.astype("<i8").tobytes()
    packed = b64encode(sums)
    return b"f%d %d %b %b" % (folded.links, folded.pages, folded.hosts, packed)


def parse_folded(value: bytes) -> FoldedLinks:
    """The folded links of a value."""
    links, pages, hosts, packed = value[1:].split(b" ")
    sums = b64decode(packed, validate=True)
    count = len(sums) // (_TERM_BYTES + _SUM_BYTES)
    return FoldedLinks(
        int(links),
        int(pages),
        hosts,
        np.frombuffer(sums, "<u4", count),
        np.frombuffer(sums, "<i8", count, offset=_TERM_BYTES * count),
    )
