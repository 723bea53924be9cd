"""The partners of a link as text, so that the links of a block share most of it.

    FACTS HASHES, parted by the byte 1

HASHES are 9 bytes for each link of the block that is near enough, the link itself among them: a
mask, and each byte of the hash xor the mask. The mask is the first of 16, 32 ... 240 with which no
byte is below 16, where all are that end a field or a line; 8 bytes rule out 8 of them at the most.
Base64 takes 11 characters, and to read it back was a seventh of the reducer's time.

FACTS are base64 of 6 bytes each: first the link's own place in the list and 0, then, for each
partner whose S is not the P of Eq. 5, its place (16 bits) and S in 2^-30 (32 bits).

So a link has few bytes of its own, and nothing is worked out for most pairs until they are merged.
With 12 bytes for each partner, S among them, the map took 1.5 times as long.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.cocitation.similarity import Links, Marks, Numbers, Rows, Values

__all__ = ["FACT", "MARK", "Partners", "mask_hashes", "pack"]

MARK = b"\x01"  # behind the anchor, and between facts and hashes
FACT = np.dtype([("place", "<u2"), ("value", "<u4")])
_FACT_TEXT = 8  # characters of base64
_HASH = np.dtype([("mask", "u1"), ("masked", "<u8")])
_SIZE = _HASH.itemsize
_BYTES = np.uint64(0x0101010101010101)  # times a byte: eight of it


def pack(links: Links, rows: Rows, heads: list[bytes]) -> list[bytes]:
    """The values of stripes, heads with facts and hashes; empty where a link has no partner."""
    facts, bounds = _facts(rows)
    lists, numbers = _lists(links, rows)
    parts = zip(rows.partners.tolist(), heads, bounds, bounds[1:], numbers, strict=False)
    return [
        MARK.join((head, facts[low:high], lists[number])) if partners else b""
        for partners, head, low, high, number in parts
    ]


def _facts(rows: Rows) -> tuple[bytes, list[int]]:
    """The facts of all links as text, and where those of each begin."""
    bounds = np.append(0, np.cumsum(rows.sizes + 1))
    facts = np.zeros(bounds[-1], FACT)
    changed = np.ones(len(facts), dtype=bool)
    changed[bounds[:-1]] = False
    places = np.empty(len(facts), np.int64)
    places[~changed] = np.arange(rows.first, rows.first + len(rows.low)) - rows.low
    places[changed] = rows.changed - np.repeat(rows.low, rows.sizes)
    facts["place"] = places
    facts["value"][changed] = rows.values
    return b64encode(facts.tobytes()), (bounds * _FACT_TEXT).tolist()


def _lists(links: Links, rows: Rows) -> tuple[list[bytes], list[int]]:
    """The different lists of hashes, mostly one for a block, and the number of each link's."""
    first, last = int(rows.low.min()), int(rows.high.max())
    text = mask_hashes(links.hashes[first:last])
    low, high = rows.low - first, rows.high - first
    new = np.ones(len(low), dtype=bool)
    new[1:] = (low[1:] != low[:-1]) | (high[1:] != high[:-1])
    bounds = zip((low[new] * _SIZE).tolist(), (high[new] * _SIZE).tolist(), strict=True)
    return [text[a:b] for a, b in bounds], (np.cumsum(new) - 1).tolist()


def mask_hashes(hashes: Marks) -> bytes:
    """Hashes as 9 bytes each."""
    mask = np.full(len(hashes), 16, np.uint64)
    left = np.arange(len(hashes))
    while len(left := left[_has_low_byte(hashes[left] ^ mask[left] * _BYTES)]):
        mask[left] += np.uint64(16)
    masked = np.empty(len(hashes), _HASH)
    masked["mask"], masked["masked"] = mask, hashes ^ mask * _BYTES
    return masked.tobytes()


def _has_low_byte(numbers: Marks) -> NDArray[np.bool_]:
    """Whether one of the eight bytes is below 16: of all bytes at once."""
    high = numbers & _BYTES * np.uint64(0xF0)
    found: NDArray[np.bool_] = (high - _BYTES) & ~high & _BYTES * np.uint64(0x80) != 0
    return found


class Partners:
    """The partners of several stripes: who they are, and for those that are asked for S."""

    def __init__(self, facts: Sequence[bytes], hashes: Sequence[bytes], table: Values) -> None:
        """`facts` and `hashes` are of each stripe, `table` is P by distance."""
        lengths = np.fromiter(map(len, hashes), dtype=np.int64, count=len(hashes))
        self.sizes = lengths // _SIZE
        masked = np.frombuffer(b"".join(hashes), _HASH)
        self.hashes: Marks = masked["masked"] ^ masked["mask"] * _BYTES
        self._starts = np.cumsum(self.sizes) - self.sizes
        self._table = table.copy()
        self._table[0] = 0  # a link is no partner of itself
        lengths = np.fromiter(map(len, facts), dtype=np.int64, count=len(facts))
        self._read(b64decode(b"".join(facts), validate=True), lengths // _FACT_TEXT)

    def _read(self, packed: bytes, counts: Numbers) -> None:
        facts = np.frombuffer(packed, FACT)
        first = np.cumsum(counts) - counts
        self._own = facts["place"][first].astype(np.int64)
        changed = np.ones(len(facts), dtype=bool)
        changed[first] = False
        changes = facts[changed]
        self._changed = np.repeat(self._starts, counts - 1) + changes["place"]
        self._changes = changes["value"]

    def values(self, stripes: NDArray[np.signedinteger], places: Numbers) -> Marks:
        """S of some partners by their places among all, ascending; 0 where there is no pair.

        `stripes` are the numbers of the stripes that they belong to.
        """
        apart = np.abs(places - (self._starts + self._own)[stripes])
        values: Marks = self._table.take(apart, mode="clip").astype(np.uint64)
        if len(places):
            at = np.minimum(np.searchsorted(places, self._changed), len(places) - 1)
            there = places[at] == self._changed
            values[at[there]] = self._changes[there]
        return values
