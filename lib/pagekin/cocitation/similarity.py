"""The similarity of the links of one block, Eq. 5 to 7 of [BLOCK], for many blocks at once.

    P = 1 where |i - j| <= lambda, else e^(-(|i - j| - lambda) / 2)
    A = shared words / all words of both anchors; 0 where neither has one
    S = P (1 + A)

S is a whole number of 2^-30, so that no order of addition shows later: P is rounded to 2^-30, and P
times a quotient of whole numbers again. S is wrong by 1.5 * 2^-30 at the most. P is 0 from
lambda + 43 places on, so a link meets some hundred others at the most, however long its block is.

With plain co-citation S is 1 for the `around` / 2 links before a link and as many behind it; for
all links of a block of `around` + 1 and fewer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.cocitation.words import WordSets
from pagekin.config import CocitationConfig

__all__ = ["ONE", "Links", "Rows", "Similarity", "proximities"]

ONE = 1 << 30  # S = 1
_AT_ONCE = 1 << 18  # pairs: what is at work then stays in the cache
_PLANE = 64  # words, or blocks, whose marks fit into one number

Numbers = NDArray[np.int64]
Values = NDArray[np.uint32]
Marks = NDArray[np.uint64]


class Links(NamedTuple):
    """The links of several blocks, block after block, and for each its facts."""

    hashes: Marks  # of the URL
    domains: Numbers  # numbers that are equal where the top sub-domains are
    places: Numbers  # i and j of Eq. 5, ascending in a block
    starts: Numbers  # where its block begins among the links
    ends: Numbers
    words: WordSets
    earlier: list[Marks]  # bit b: block b of the page, before this one, holds the URL too


class Rows(NamedTuple):
    """For consecutive links from `first` on their partners in the order of the block."""

    first: int
    sizes: Numbers  # partners of each link
    partners: Marks  # hashes of the URLs
    values: Values  # S
    repeated: int  # pairs left out because an earlier block of the page has them


class Similarity:
    """Pairs of links under one configuration."""

    def __init__(self, config: CocitationConfig) -> None:
        self._plain, self._around = config.plain, config.around
        self._table = proximities(config.near)

    def rows(self, links: Links) -> Iterator[Rows]:
        """The pairs of all links; each pair stands with both."""
        low, high = self._reach(links)
        ends = np.cumsum(high - low)
        shared = [] if self._plain else _shared_words(links)
        first = 0
        while first < len(low):
            done = int(ends[first - 1]) if first else 0
            last = max(int(np.searchsorted(ends, done + _AT_ONCE, "right")), first + 1)
            yield self._some(links, shared, slice(first, last), low, high)
            first = last

    def _reach(self, links: Links) -> tuple[Numbers, Numbers]:
        """The links that each may pair with."""
        here = np.arange(len(links.starts))
        if self._plain:
            whole = links.ends - links.starts <= self._around + 1
            reach = np.where(whole, self._around, self._around // 2)
        else:
            reach = np.full(len(here), len(self._table) - 1)
        return np.maximum(links.starts, here - reach), np.minimum(links.ends, here + reach + 1)

    def _some(
        self, links: Links, shared: list[Marks], rows: slice, low: Numbers, high: Numbers
    ) -> Rows:
        sizes = high[rows] - low[rows]
        bounds = np.cumsum(sizes)
        here = np.repeat(np.arange(rows.start, rows.stop), sizes)
        there = np.arange(len(here)) + np.repeat(low[rows] - bounds + sizes, sizes)
        mine, others = np.repeat(links.domains[rows], sizes), links.domains[there]
        kept = mine != others  # and so nothing pairs with itself
        values = self._proximity(links.places, rows, sizes, there)
        kept &= values != 0
        again = 0
        if links.earlier:
            repeated = _common(links.earlier, here, there, count=False) != 0
            again = int(np.count_nonzero(kept & repeated))
            kept &= ~repeated
        if shared:
            values = _with_words(
                values, _common(shared, here, there), links.words.sizes, here, there
            )
        left = np.add.reduceat(kept, bounds - sizes, dtype=np.int64)
        return Rows(rows.start, left, links.hashes[there[kept]], values[kept], again)

    def _proximity(self, places: Numbers, rows: slice, sizes: Numbers, there: Numbers) -> Values:
        if self._plain:
            return np.full(len(there), ONE, np.uint32)
        apart = np.repeat(places[rows], sizes)
        apart -= places[there]
        np.abs(apart, out=apart)
        return self._table.take(apart, mode="clip")


def proximities(near: int) -> Values:
    """P of Eq. 5 by distance, up to the first distance where it is 0."""
    values = [ONE] * (near + 1)
    while values[-1]:
        values.append(round(ONE * math.exp((near - len(values)) / 2)))
    return np.array(values, dtype=np.uint32)


def _with_words(
    values: Values, both: Numbers, sizes: Numbers, here: Numbers, there: Numbers
) -> Values:
    """P (1 + A), rounded to the nearest whole number."""
    alike = np.flatnonzero(both)
    shared = both[alike]
    union = sizes[here[alike]] + sizes[there[alike]] - shared
    # exact up to the last rounding: numerator and denominator are whole numbers below 2^53
    values[alike] = np.rint(values[alike] * (union + shared).astype(np.float64) / union)
    return values


def _common(planes: list[Marks], here: Numbers, there: Numbers, *, count: bool = True) -> Numbers:
    """For each pair how many marks both links have, or whether they have one."""
    total = np.zeros(len(here), dtype=np.int64)
    for marks in planes:
        both = marks[here] & marks[there]
        total += np.bitwise_count(both) if count else both != 0
    return total


def _shared_words(links: Links) -> list[Marks]:
    """Marks for the words that more than one link of a block has, numbered within the block."""
    words, starts, sizes = links.words
    link = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(link)) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    block = links.starts[link].astype(np.uint64)
    keys = block << np.uint64(32) | words[place]
    order = np.argsort(keys, kind="stable")
    keys, link = keys[order], link[order]
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    lengths = np.diff(np.append(begins, len(keys)))
    begins, lengths = begins[lengths > 1], lengths[lengths > 1]
    if not len(begins):
        return []
    number = _within(keys[begins] >> np.uint64(32))
    link = link[
        np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
    ]
    return _as_planes(len(sizes), link, np.repeat(number, lengths))


def _within(groups: Marks) -> Numbers:
    """The place of each element among those of its group, which stand together."""
    here = np.arange(len(groups))
    first = np.append(True, groups[1:] != groups[:-1])
    return here - np.maximum.accumulate(np.where(first, here, 0))


def _as_planes(count: int, link: Numbers, number: Numbers) -> list[Marks]:
    planes = []
    for low in range(0, int(number.max()) + 1, _PLANE):
        chosen = (number >= low) & (number < low + _PLANE)
        marks = np.zeros(count, dtype=np.uint64)
        np.bitwise_or.at(marks, link[chosen], np.uint64(1) << (number[chosen] - low).astype("u8"))
        planes.append(marks)
    return planes
