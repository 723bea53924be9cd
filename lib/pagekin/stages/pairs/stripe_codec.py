"""Stripes: a link of a block with all its partners, as records between map and reduce [BLOCK].

    key      the URL of the link
    value    empty where the link has no partner, else
             DOMAIN ANCHOR FACTS HASHES: a blank behind DOMAIN, the byte 1 behind ANCHOR and FACTS

DOMAIN is the top sub-domain of the page and ANCHOR the text of this link, as Figure 5 sends them.
Where the links of the page do not count 1, the byte 3 and what they count in hundredths follow
behind ANCHOR. All together are the group of the stripe. Values sort by domain, then by anchor,
because both delimiters are below every byte of either.

HASHES are the numbers of the URLs of all links of the block that are near enough, the link itself
among them, in base64 of 8 bytes each. FACTS are base64 of 6 bytes each: first the link's own place
in this list and 0, then, for each partner whose S is not the P of Eq. 5, its place (16 bits) and S
in 2^-30 (32 bits); 0 where two links make no pair.

So the links of a block share most of their text, and nothing is worked out for most pairs until
they are merged. With 12 bytes for each partner, S among them, the map took 1.5 times as long.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.authority.table import FULL_WEIGHT
from pagekin.cocitation.kin_table import WEIGHT_MARK
from pagekin.cocitation.similarity import S30, Alike, Indices

__all__ = [
    "Hashes",
    "Partners",
    "Sums",
    "pack_stripes",
    "split_stripes",
    "unpack_partners",
    "weigh_partners",
    "weight_mark",
]

Hashes = NDArray[np.uint64]  # numbers of URLs
Sums = NDArray[np.uint64]  # sums of S, in 2^-30
_MARK = b"\x01"
_FACT = np.dtype([("place", "<u2"), ("value", "<u4")])
_FACT_CHARACTERS = 8
_HASH_BYTES = 8


class Partners(NamedTuple):
    """The partners in several stripes, one stripe after the other, the links themselves too."""

    sizes: Indices  # how many each stripe has
    hashes: Hashes
    values: S30 | Sums  # S; 0 where there is no pair


def pack_stripes(alike: Alike, hashes: Hashes, groups: Sequence[bytes]) -> list[bytes]:
    """The values of the stripes of consecutive links; `hashes` are of all links of the batch."""
    facts, bounds = _pack_facts(alike)
    windows = zip(alike.low.tolist(), alike.high.tolist(), strict=True)
    lists: list[bytes] = []  # of each link; mostly one for a block
    for window, links in groupby(windows):
        lists += [b64encode(hashes[slice(*window)].tobytes())] * len(list(links))
    parts = zip(alike.partners.tolist(), groups, bounds, bounds[1:], lists, strict=False)
    return [
        _MARK.join((group, facts[low:high], text)) if partners else b""
        for partners, group, low, high, text in parts
    ]


def _pack_facts(alike: Alike) -> tuple[bytes, list[int]]:
    """The facts of all links as text, and where those of each begin."""
    bounds = np.append(0, np.cumsum(alike.exceptions + 1))
    facts = np.zeros(bounds[-1], _FACT)
    is_exception = np.ones(len(facts), dtype=bool)
    is_exception[bounds[:-1]] = False
    places = np.empty(len(facts), np.int64)
    places[~is_exception] = np.arange(alike.first, alike.first + len(alike.low)) - alike.low
    places[is_exception] = alike.others - np.repeat(alike.low, alike.exceptions)
    facts["place"] = places
    facts["value"][is_exception] = alike.values
    return b64encode(facts.tobytes()), (bounds * _FACT_CHARACTERS).tolist()


def split_stripes(values: Sequence[bytes]) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """The groups, facts and hashes of several stripes; no value is empty."""
    fields = _MARK.join(values).split(_MARK)  # spares a list for each stripe
    return fields[::3], fields[1::3], fields[2::3]


def unpack_partners(facts: Sequence[bytes], hashes: Sequence[bytes], by_distance: S30) -> Partners:
    """The partners of stripes, given by their facts and hashes."""
    parts = list(map(b64decode, hashes))
    sizes = np.fromiter(map(len, parts), np.int64, len(parts)) // _HASH_BYTES
    found = np.frombuffer(b"".join(parts), "<u8")
    read = np.frombuffer(b64decode(b"".join(facts), validate=True), _FACT)
    counts = np.fromiter(map(len, facts), np.int64, len(facts)) // _FACT_CHARACTERS
    first = np.cumsum(counts) - counts
    starts = np.cumsum(sizes) - sizes
    own = starts + read["place"][first]
    values = by_distance.take(np.abs(np.arange(len(found)) - np.repeat(own, sizes)), mode="clip")
    values[own] = 0  # a link is no partner of itself
    is_exception = np.ones(len(read), dtype=bool)
    is_exception[first] = False
    exceptions = read[is_exception]
    values[np.repeat(starts, counts - 1) + exceptions["place"]] = exceptions["value"]
    return Partners(sizes, found, values)


def weight_mark(weight: int) -> bytes:
    """What stands behind the anchor text of links that count so many hundredths."""
    return b"" if weight == FULL_WEIGHT else WEIGHT_MARK + b"%d" % weight


def weigh_partners(partners: Partners, groups: Sequence[bytes]) -> Partners:
    """The partners with S times what the links of each stripe count, by its group."""
    marks = (group.rpartition(WEIGHT_MARK) for group in groups)
    weights = np.array([int(w) if mark else FULL_WEIGHT for _, mark, w in marks], np.uint64)
    values = partners.values * np.repeat(weights, partners.sizes) + np.uint64(FULL_WEIGHT // 2)
    return partners._replace(values=values // np.uint64(FULL_WEIGHT))
