"""Sums of weights by URL and term: how heavy a term is follows from where it stands [SIM 5.2].

A term's place is its distance from the link's anchor (0: in it), or a number beyond all distances
for each other kind of section. A table from place to weight is all that the weighting of the paper
needs. Weights are summed as whole numbers of 2^-32: sums are exact, and do not depend on the order
of links, tasks or pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.bags.fragments import distance_weights
from pagekin.config import BagConfig, WindowConfig
from pagekin.text.words import Terms

__all__ = [
    "ANCHOR",
    "CITING_PAGE",
    "CITING_TITLE",
    "CONTENT",
    "HEADINGS",
    "SCALE",
    "TITLE",
    "WITHIN_HOST",
    "LinkSums",
    "Sections",
    "Sums",
    "UrlSums",
    "add_up",
    "place_weights",
    "sum_sections",
]

Numbers = NDArray[np.int64]
Sums = NDArray[np.int64]
Keys = NDArray[np.uint64]  # a URL's number above a term

SCALE = 2.0**32

_FAR = 0x1FFF  # the furthest distance
ANCHOR = 0  # and with the distance added all places around it
CONTENT, TITLE, HEADINGS, CITING_TITLE, CITING_PAGE = range(_FAR + 1, _FAR + 6)
WITHIN_HOST = 0x4000  # added to the place of terms from links within a host
_PLACE_BITS = 16


class Sections(NamedTuple):
    """Pieces of an array of terms, and for which URL they count, in columns.

    Terms before `start` and from `end` on are further away than those between; of sections that
    have no distances, all terms lie between.
    """

    url: Numbers  # its number
    low: Numbers
    start: Numbers
    end: Numbers
    high: Numbers
    place: Numbers  # of the terms from `start` to `end`


class UrlSums(NamedTuple):
    """Sums of weights, ordered by URL and then by term."""

    url: Numbers
    terms: Terms
    sums: Sums


def place_weights(bag: BagConfig, window: WindowConfig) -> Sums:
    """The weight of a term at each place, in units of 2^-32."""
    near = distance_weights(bag, min(window.words, _FAR))
    anchor_word = near[0]
    weights = np.zeros(2 * WITHIN_HOST)
    weights[: len(near)] = np.array(near) * bag.anchor
    weights[CONTENT] = bag.content
    weights[TITLE] = bag.content + bag.anchor * anchor_word
    weights[HEADINGS] = bag.anchor * bag.headings * anchor_word
    weights[CITING_TITLE] = bag.anchor * bag.citing_title * anchor_word
    weights[CITING_PAGE] = bag.links
    weights[WITHIN_HOST:] = weights[:WITHIN_HOST] * bag.same_host_weight
    return np.rint(weights * SCALE).astype(np.int64)


def sum_sections(terms: Terms, sections: Sections, weights: Sums) -> UrlSums:
    """The sum of each term for each URL; terms of weight 0 are no terms.

    Sections are ordered by URL, and the numbers of URLs differ by less than 2^16.
    """
    base = int(sections.url[:1].sum())
    sizes = sections.high - sections.low
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if len(ends) else 0
    at = np.arange(total) + np.repeat(sections.low - ends + sizes, sizes)
    distances = np.repeat(sections.start, sizes) - at
    np.maximum(distances, at - np.repeat(sections.end - 1, sizes), out=distances)
    np.clip(distances, 0, _FAR, out=distances)
    keys = np.repeat(sections.url - base << 32 + _PLACE_BITS | sections.place, sizes)
    keys += distances
    keys |= terms[at].astype(np.int64) << _PLACE_BITS
    ordered = keys.view(np.uint64)
    ordered.sort()
    weighed = weights[(ordered & np.uint64((1 << _PLACE_BITS) - 1)).view(np.int64)]
    ordered >>= np.uint64(_PLACE_BITS)
    found, sums = _totals(ordered, weighed)
    if not sums.all():
        weighty = np.flatnonzero(sums)
        found, sums = found[weighty], sums[weighty]
    return _url_sums(found, sums, base)


def add_up(parts: Iterable[UrlSums]) -> UrlSums:
    """One of many: what they have for the same URL and term is added."""
    url, terms, sums = (np.concatenate(column) for column in zip(*parts, strict=True))
    keys = url.astype(np.uint64) << np.uint64(32) | terms
    order = np.argsort(keys, kind="stable")
    return _url_sums(*_totals(keys[order], sums[order]))


def _totals(keys: Keys, sums: Sums) -> tuple[Keys, Sums]:
    """The distinct keys of ordered ones, each with its total."""
    is_last = np.ones(len(keys), np.bool_)
    np.not_equal(keys[1:], keys[:-1], out=is_last[:-1])
    lasts = np.flatnonzero(is_last)
    # differences of running totals: exact, and ten times as fast as np.add.reduceat
    totals = np.cumsum(sums)[lasts]
    totals[1:] -= totals[:-1].copy()
    return keys[lasts], totals


def _url_sums(keys: Keys, sums: Sums, base: int = 0) -> UrlSums:
    url = (keys >> np.uint64(32)).view(np.int64) + base
    return UrlSums(url, keys.astype(np.uint32), sums)


class LinkSums(NamedTuple):
    """Links to one URL whose terms are summed already.

    Of very many terms several are made, and only the first of them counts links, pages and hosts.
    """

    links: int
    pages: int
    hosts: list[bytes]  # that cite it, each once
    terms: Terms  # ascending
    sums: Sums

    def to_bytes(self) -> bytes:
        """As text without ends of lines."""
        packed = b64encode(self.terms.astype("<u4").tobytes() + self.sums.astype("<i8").tobytes())
        return b"%d %d %b %b" % (self.links, self.pages, b"/".join(self.hosts), packed)

    @classmethod
    def from_bytes(cls, text: bytes) -> LinkSums:
        """From such text."""
        links, pages, hosts, packed = text.split(b" ")
        sums = b64decode(packed, validate=True)
        count = len(sums) // 12  # bytes of a term and its sum
        of_terms = np.frombuffer(sums, "<i8", count, offset=4 * count)
        names = hosts.split(b"/") if hosts else []
        return cls(int(links), int(pages), names, np.frombuffer(sums, "<u4", count), of_terms)
