"""The similarity of the links of one block, Eq. 5 to 7 of [BLOCK], for many blocks at once.

    P = 1 where |i - j| <= lambda, else e^(-(|i - j| - lambda) / 2)
    A = shared words / all words of both anchors; 0 where neither has one
    S = P (1 + A)

S is a whole number of 2^-30, so that no order of addition shows later: P is rounded to 2^-30, and P
times a quotient of whole numbers again. S is wrong by 1.5 * 2^-30 at the most. P is 0 from
lambda + 43 places on, so a link meets some hundred others at the most, however long its block is.
Links of one top sub-domain make no pair, and neither do two links that an earlier block of their
page holds both.

S of most pairs is P of their distance alone, and is not worked out here. Only links that share a
trait with others of their block are compared: a word, a top sub-domain, an earlier block. Traits
are kept as bits, because to compare two links is then one operation for 64 of them. For the blocks
of the benchmark that takes 0.1 s, where all pairs took 0.4 s.

Words are those of the bags: runs of letters in lower case, Chinese cut by its dictionary, stems by
Porter's algorithm, stop words dropped with all words of their stem. An anchor is too short to tell
its language: `language` is taken for all, but words in Han characters meet the Chinese stop list.
Digits are no words, so "page 2" and "page 3" have the same ones.

With plain co-citation S is 1 for the `around` / 2 links before a link and as many behind it; for
all links of a block of `around` + 1 and fewer.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.config import CocitationConfig, TextConfig
from pagekin.text.tokens import CODES, LINK, needs_segmenting, tokenise
from pagekin.text.words import WordTable
from pagekin.web.urls import top_subdomain

__all__ = ["ONE", "S30", "Alike", "BlockLinks", "Indices", "Similarity", "similarity_by_distance"]

ONE = 1 << 30  # S = 1
_PAIRS_AT_ONCE = 1 << 18
_BITS = 64
_MAX_ANCHORS = _MAX_WORDS = 20_000  # that are remembered, about 5 MB
_CHINESE = "zh"

Indices = NDArray[np.int64]  # numbers of links, blocks or groups, and places in other arrays
S30 = NDArray[np.uint32]  # S in 2^-30
_Bits = NDArray[np.uint64]  # for each link which of 64 traits it has


class BlockLinks(NamedTuple):
    """The links of several blocks, block after block."""

    urls: Sequence[bytes]
    anchors: Sequence[bytes]
    sizes: Sequence[int]  # how many links each block has
    earlier: Mapping[int, int]  # link -> bit b: block b of the page, before this one, has its URL
    places: Indices | None = None  # i and j of Eq. 5, ascending in a block, if not 0, 1, 2 ...


class Alike(NamedTuple):
    """Which links are alike: for consecutive ones from `first` on, those that each may pair with.

    These are the links from `low` to `high` but for itself. S is that of their distance in this
    list, with exceptions: `exceptions[k]` of them for link k, one link after the other in `others`
    and `values`; 0 where two make no pair.
    """

    first: int
    low: Indices
    high: Indices
    exceptions: Indices
    others: Indices
    values: S30
    partners: Indices  # how many make a pair with each
    repeated: int  # pairs left out as an earlier block has both, each counted with both links


class Similarity:
    """Pairs of links under one configuration."""

    def __init__(self, config: CocitationConfig) -> None:
        self._config = config
        self._table = similarity_by_distance(config)
        self._forget()

    def alike(self, links: BlockLinks) -> Iterator[Alike]:
        """The pairs of all links; each pair is told of both."""
        sizes = np.array(links.sizes, np.int64)
        ends = np.cumsum(sizes)
        starts, ends = np.repeat(ends - sizes, sizes), np.repeat(ends, sizes)
        low, high = self._reach(starts, ends)
        traits = self._traits(links, starts)
        has_some = np.full(len(starts), links.places is not None)
        for bits in (*traits.words, *traits.domains, *traits.earlier):
            has_some |= bits != 0
        step = max(_PAIRS_AT_ONCE // max(int((high - low).max()), 1), 1)
        for first in range(0, len(starts), step):
            some = slice(first, first + step)
            yield self._compare(first, low[some], high[some], np.flatnonzero(has_some), traits)

    def _reach(self, starts: Indices, ends: Indices) -> tuple[Indices, Indices]:
        """The first link that each may pair with, and the one behind the last."""
        here = np.arange(len(starts))
        reach = np.full(len(here), len(self._table) - 2)
        if self._config.plain:
            around = self._config.around
            reach[ends - starts > around + 1] = around // 2
        return np.maximum(starts, here - reach), np.minimum(ends, here + reach + 1)

    def _compare(
        self, first: int, low: Indices, high: Indices, compared: Indices, traits: _Traits
    ) -> Alike:
        """Links from `first` on, and where S is not that of their distance alone."""
        a, b = np.searchsorted(compared, (first, first + len(low)))
        mine = compared[a:b]
        begin, end = (np.searchsorted(compared, bound[mine - first]) for bound in (low, high))
        mine, others = np.repeat(mine, end - begin), compared[_ranges(begin, end)]
        usual = near = self._table[np.abs(others - mine)]
        if traits.places is not None:
            apart = np.abs(traits.places[others] - traits.places[mine])
            near = self._table.take(apart, mode="clip")
        values = near.copy()
        shared = _in_common(traits.words, mine, others)
        some = np.flatnonzero(shared)
        shared = shared[some]
        union = traits.sizes[mine[some]] + traits.sizes[others[some]] - shared
        # exact up to the last rounding: numerator and denominator are whole numbers below 2^53
        values[some] = np.rint(near[some] * (union + shared).astype(np.float64) / union)
        one_domain = _in_common(traits.domains, mine, others) != 0
        repeated = _in_common(traits.earlier, mine, others) != 0
        values[one_domain | repeated] = 0
        changed = (values != usual) & (mine != others)
        exceptions = np.bincount(mine[changed] - first, minlength=len(low))
        left_out = repeated & ~one_domain & (near != 0) & (mine != others)
        none = np.bincount(mine[changed & (values == 0)] - first, minlength=len(low))
        return Alike(
            *(first, low, high, exceptions, others[changed], values[changed]),
            partners=high - low - 1 - none,
            repeated=int(np.count_nonzero(left_out)),
        )

    # --- traits ---

    def _traits(self, links: BlockLinks, starts: Indices) -> _Traits:
        words: list[_Bits] = []
        sizes = np.zeros(len(starts), np.int64)
        if not self._config.plain:
            link, terms, sizes = self._anchor_words(links.anchors)
            words = _shared_traits(starts, link, terms)
        domains = _shared_traits(starts, np.arange(len(starts)), _domains(links.urls))
        earlier = _as_bits(links.earlier, len(starts))
        return _Traits(words, sizes, domains, earlier, links.places)

    def _anchor_words(self, anchors: Sequence[bytes]) -> tuple[Indices, Indices, Indices]:
        """Links, one word of each, and for each link how many words it has."""
        if len(self._words) > _MAX_ANCHORS or max(map(len, self._tables)) > _MAX_WORDS:
            self._forget()
        new = [anchor for anchor in dict.fromkeys(anchors) if anchor not in self._words]
        if new:
            self._learn(new)
        words = [self._words[anchor] for anchor in anchors]
        sizes = np.fromiter(map(len, words), np.int64, len(words))
        return np.repeat(np.arange(len(anchors)), sizes), np.concatenate(words), sizes

    def _forget(self) -> None:
        config = TextConfig(stemming="stem", stop_words=self._config.stop_words)
        self._tables = [WordTable(config, name) for name in (self._config.language, _CHINESE)]
        self._words: dict[bytes, Indices] = {}

    def _learn(self, anchors: list[bytes]) -> None:
        """Find the words of anchors; all at once takes a fifth of the time of one by one."""
        texts = [anchor.decode("utf-8", "replace").replace(LINK, " ") for anchor in anchors]
        tokens = tokenise(f" {LINK} ".join(texts))
        own, chinese = self._tables
        found = own.numbers_of(tokens)
        terms = own.terms(np.maximum(found, 0)).astype(np.int64)  # 0: a marker, a stop word
        han = [k for k, t in enumerate(tokens) if not t.isascii() and needs_segmenting(t)]
        if han:
            terms[han] = chinese.terms(chinese.numbers_of([tokens[k] for k in han]))
        pairs = np.cumsum(found == CODES[LINK]) << 32 | terms
        pairs = np.unique(pairs[terms != 0])
        bounds = np.searchsorted(pairs >> 32, np.arange(len(anchors) + 1)).tolist()
        words = pairs & 0xFFFFFFFF
        parts = (words[low:high] for low, high in pairwise(bounds))
        self._words.update(zip(anchors, parts, strict=True))


class _Traits(NamedTuple):
    """What links have in common with others of their block."""

    words: list[_Bits]
    sizes: Indices  # how many words each link has
    domains: list[_Bits]
    earlier: list[_Bits]
    places: Indices | None


def _domains(urls: Sequence[bytes]) -> Indices:
    """A number for the top sub-domain of each URL.

    Hosts of one top sub-domain have their last two labels in common, or are equal: only those are
    looked up, as to look up a new host costs 3 microseconds, more than all else of a link.
    """
    sites = [url.split(b"/", 3)[2] for url in urls]  # hosts, and ports
    names = {site: site.partition(b":")[0] for site in sites}
    ends = {site: name[name.rfind(b".", 0, name.rfind(b".")) + 1 :] for site, name in names.items()}
    counts = Counter(ends.values())
    first: dict[bytes | str, int] = {}
    numbers = {}
    for site, end in ends.items():
        shared = counts[end] > 1
        domain = top_subdomain(f"http://{site.decode('utf-8', 'replace')}/") if shared else site
        numbers[site] = first.setdefault(domain, len(first))
    return np.array([numbers[site] for site in sites])


def _shared_traits(starts: Indices, link: Indices, traits: Indices) -> list[_Bits]:
    """Bits for the traits that more than one link of a block has; link[k] has traits[k].

    `starts` tells where the block of each link begins; traits are numbers of 32 bits.
    """
    keys, inverse, counts = np.unique(
        starts[link] << 32 | traits, return_inverse=True, return_counts=True
    )
    shared = np.flatnonzero(counts > 1)
    blocks = keys[shared] >> 32
    bit = np.full(len(keys), -1)  # of each trait of a block, counted within the block
    bit[shared] = np.arange(len(shared)) - np.searchsorted(blocks, blocks)
    bits = bit[inverse]
    planes = []
    for low in range(0, int(bit.max(initial=-1)) + 1, _BITS):
        chosen = (bits >= low) & (bits < low + _BITS)
        plane = np.zeros(len(starts), np.uint64)
        np.bitwise_or.at(plane, link[chosen], np.uint64(1) << (bits[chosen] - low).astype("u8"))
        planes.append(plane)
    return planes


def _as_bits(earlier: Mapping[int, int], links: int) -> list[_Bits]:
    planes = []
    while earlier:
        plane = np.zeros(links, np.uint64)
        for link, bits in earlier.items():
            plane[link] = bits & ((1 << _BITS) - 1)
        planes.append(plane)
        earlier = {link: bits >> _BITS for link, bits in earlier.items() if bits >> _BITS}
    return planes


def _in_common(planes: list[_Bits], mine: Indices, others: Indices) -> Indices:
    """For each pair how many traits both links have."""
    total = np.zeros(len(mine), np.int64)
    for bits in planes:
        total += np.bitwise_count(bits[mine] & bits[others])
    return total


def _ranges(begin: Indices, end: Indices) -> Indices:
    """All numbers from each `begin` to its `end`, one range after the other.

    >>> _ranges(np.array([3, 7]), np.array([5, 8])).tolist()
    [3, 4, 7]
    """
    sizes = end - begin
    found: Indices = np.arange(sizes.sum()) + np.repeat(begin - np.cumsum(sizes) + sizes, sizes)
    return found


def similarity_by_distance(config: CocitationConfig) -> S30:
    """S of two links with nothing else in common: P of Eq. 5, up to the first distance of 0."""
    if config.plain:
        return np.array([ONE] * (config.around + 1) + [0], np.uint32)
    values = [ONE] * (config.near + 1)
    while values[-1]:
        values.append(round(ONE * math.exp((config.near - len(values)) / 2)))
    return np.array(values, np.uint32)
