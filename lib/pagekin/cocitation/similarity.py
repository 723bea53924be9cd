"""The similarity of the links of one block, Eq. 5 to 7 of [BLOCK], for many blocks at once.

    P = 1 where |i - j| <= lambda, else e^(-(|i - j| - lambda) / 2)
    A = shared words / all words of both anchors; 0 where neither has one
    S = P (1 + A)

S is a whole number of 2^-30, so that no order of addition shows later: P is rounded to 2^-30, and P
times a quotient of whole numbers again. S is wrong by 1.5 * 2^-30 at the most. P is 0 from
lambda + 43 places on, so a link meets some hundred others at the most, however long its block is.

S of most pairs is P of their distance alone, and is not worked out here. Only links that share a
word, a top sub-domain or an earlier block with others of their block are compared: for the blocks
of the benchmark 0.06 s, where all pairs took 0.40 s.

With plain co-citation S is 1 for the `around` / 2 links before a link and as many behind it; for
all links of a block of `around` + 1 and fewer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.cocitation.marks import Marks, Numbers, marks_of
from pagekin.cocitation.words import WordSets
from pagekin.config import CocitationConfig

__all__ = [
    "ONE",
    "Links",
    "Marks",
    "Numbers",
    "Rows",
    "Similarity",
    "Values",
    "proximities",
    "table_of",
]

ONE = 1 << 30  # S = 1
_AT_ONCE = 1 << 18  # pairs: what is at work then stays in the cache

Values = NDArray[np.uint32]


class Links(NamedTuple):
    """The links of several blocks, block after block, and for each its facts."""

    hashes: Marks  # of the URL
    domains: Numbers  # number of the top sub-domain; 0 where no other link of its block has it
    starts: Numbers  # where its block begins among the links
    ends: Numbers
    words: WordSets
    earlier: list[Marks]  # bit b: block b of the page, before this one, holds the URL too
    places: Numbers | None = None  # i and j of Eq. 5, ascending in a block, if not 0, 1, 2 ...


class Rows(NamedTuple):
    """For consecutive links from `first` on those near enough, and where S is not just P."""

    first: int
    low: Numbers  # links from low to high are near enough to each
    high: Numbers
    partners: Numbers  # how many make a pair with it
    sizes: Numbers  # how many have another S than P of their distance
    changed: Numbers  # these, by the place among all links
    values: Values  # their S, or 0 where they make no pair
    repeated: int  # unordered pairs left out because an earlier block of the page has them


class _Marked(NamedTuple):
    """The links that have something in common with another of their block, and their marks."""

    links: Numbers
    ends: Numbers  # for each the last of them that may pair with it, and one more
    words: list[Marks]
    domains: list[Marks]
    earlier: list[Marks]


class _Changes(NamedTuple):
    """Pairs of links whose S is not that of their distance alone."""

    links: Numbers
    partners: Numbers
    values: Values


_NONE = _Changes(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.uint32))


class Similarity:
    """Pairs of links under one configuration."""

    def __init__(self, config: CocitationConfig) -> None:
        self._plain, self._around = config.plain, config.around
        self._table = table_of(config)

    def rows(self, links: Links) -> Iterator[Rows]:
        """The pairs of all links; each pair stands with both."""
        low, high = self._reach(links)
        marked = self._marked(links, high)
        work = np.zeros(len(low) + 1, np.int64)
        work[marked.links + 1] = marked.ends - np.arange(1, len(marked.links) + 1)
        ends = np.cumsum(work)
        first, mirrored = 0, _NONE
        while first < len(low):
            # one link may exceed what is done at once, but never more than one
            last = max(int(np.searchsorted(ends, ends[first] + _AT_ONCE, "right")) - 1, first + 1)
            changes, repeated = self._changes(links, marked, slice(first, last))
            changes = _both_ways(changes, mirrored)
            now = changes.links < last
            mirrored = _some(changes, ~now)
            yield _rows(slice(first, last), low, high, _some(changes, now), repeated)
            first = last

    def _reach(self, links: Links) -> tuple[Numbers, Numbers]:
        """The links that each may pair with, and itself."""
        here = np.arange(len(links.starts))
        if self._plain:
            whole = links.ends - links.starts <= self._around + 1
            reach = np.where(whole, self._around, self._around // 2)
        else:
            reach = np.full(len(here), len(self._table) - 2)
        return np.maximum(links.starts, here - reach), np.minimum(links.ends, here + reach + 1)

    def _marked(self, links: Links, high: Numbers) -> _Marked:
        """Few links have something in common with others: all work on pairs is done for these."""
        words = [] if self._plain else _shared_words(links)
        known = np.flatnonzero(links.domains)
        domains = marks_of(links.starts, known, links.domains[known].astype(np.uint64))
        marks = [*words, *domains, *links.earlier]
        some = np.zeros(len(high), dtype=bool)
        for plane in marks:
            some |= plane != 0
        if links.places is not None:
            some[:] = True
        before = np.append(0, np.cumsum(some))
        chosen = np.flatnonzero(some)
        planes = ([plane[chosen] for plane in kind] for kind in (words, domains, links.earlier))
        return _Marked(chosen, before[high[chosen]], *planes)

    def _changes(self, links: Links, marked: _Marked, rows: slice) -> tuple[_Changes, int]:
        """Pairs of the rows with later links whose S is not that of their distance alone."""
        here, there = _alike(marked, rows, links.places is None)
        mine, others = marked.links[here], marked.links[there]
        usual = near = self._table[others - mine]
        if links.places is not None:
            near = self._table.take(links.places[others] - links.places[mine], mode="clip")
        values = _with_words(
            near, _common(marked.words, here, there), links.words.sizes, mine, others
        )
        one_domain = _common(marked.domains, here, there) != 0
        repeated = _common(marked.earlier, here, there) != 0
        values[one_domain | repeated] = 0
        new = values != usual
        left_out = int(np.count_nonzero(repeated & ~one_domain & (near != 0)))
        return _Changes(mine[new], others[new], values[new]), left_out


def _alike(marked: _Marked, rows: slice, only: bool) -> tuple[Numbers, Numbers]:
    """Pairs of marked links and later ones; with `only` of those that have a mark in common."""
    first, last = np.searchsorted(marked.links, (rows.start, rows.stop)).tolist()
    here = np.arange(first, last, dtype=np.int32)
    sizes = marked.ends[first:last] - here - 1
    bounds = np.cumsum(sizes)
    there = np.arange(bounds[-1] if len(bounds) else 0, dtype=np.int32)
    there += np.repeat((here + 1 - bounds + sizes).astype(np.int32), sizes)
    here = np.repeat(here, sizes)
    if not only:
        return here, there
    alike = np.zeros(len(here), dtype=bool)
    for marks in (*marked.words, *marked.domains, *marked.earlier):
        alike |= marks[here] & marks[there] != 0
    found = np.flatnonzero(alike)
    return here[found], there[found]


def _both_ways(changes: _Changes, mirrored: _Changes) -> _Changes:
    """The changes for either link of a pair, by link and partner; `mirrored` are from before."""
    links = np.concatenate((mirrored.links, changes.links, changes.partners))
    partners = np.concatenate((mirrored.partners, changes.partners, changes.links))
    values = np.concatenate((mirrored.values, changes.values, changes.values))
    order = np.argsort(links << 32 | partners)
    return _Changes(links[order], partners[order], values[order])


def _some(changes: _Changes, wanted: NDArray[np.bool_]) -> _Changes:
    links, partners, values = changes
    return _Changes(links[wanted], partners[wanted], values[wanted])


def _rows(rows: slice, low: Numbers, high: Numbers, changes: _Changes, repeated: int) -> Rows:
    count, low, high = rows.stop - rows.start, low[rows], high[rows]
    sizes = np.bincount(changes.links - rows.start, minlength=count)
    none = np.bincount(changes.links[changes.values == 0] - rows.start, minlength=count)
    partners = high - low - 1 - none
    return Rows(rows.start, low, high, partners, sizes, changes.partners, changes.values, repeated)


def table_of(config: CocitationConfig) -> Values:
    """S by distance where two links have nothing else in common; 0 behind the last distance."""
    if config.plain:
        return np.array([ONE] * (config.around + 1) + [0], dtype=np.uint32)
    return proximities(config.near)


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
    values = values.copy()
    alike = np.flatnonzero(both)
    shared = both[alike]
    union = sizes[here[alike]] + sizes[there[alike]] - shared
    # exact up to the last rounding: numerator and denominator are whole numbers below 2^53
    values[alike] = np.rint(values[alike] * (union + shared).astype(np.float64) / union)
    return values


def _common(planes: list[Marks], here: Numbers, there: Numbers) -> Numbers:
    """For each pair how many marks both links have."""
    total = np.zeros(len(here), dtype=np.int64)
    for marks in planes:
        total += np.bitwise_count(marks[here] & marks[there])
    return total


def _shared_words(links: Links) -> list[Marks]:
    """Marks for the words that more than one link of a block has."""
    words, starts, sizes = links.words
    link = np.repeat(np.arange(len(sizes)), sizes)
    place = np.arange(len(link)) + np.repeat(starts - np.cumsum(sizes) + sizes, sizes)
    return marks_of(links.starts, link, words[place].astype(np.uint64))
