"""Neighbours of terms: which terms stand in the same bags more often than chance would have it.

They are learned from a sample of plain bags, each a set of its heaviest terms. Of two terms that
stand together in n bags of N, and in a and b bags each, the association is

    ln(n N / (a b))  x  n / (n + 1)  x  min(a, b) / (min(a, b) + 1)

where it is above 0: pointwise mutual information, discounted for rare terms (Turney and Pantel,
"From Frequency to Meaning", 2010, section 4.2, after Pantel and Lin 2002). Each term keeps its
nearest, whose shares have the sum 1. Terms of very few bags, and of very many, have no neighbours;
a term that has some may still be too rare to be one.

The part of a bag is what its heaviest terms are near to: each gives its weight to its neighbours by
their shares. Associations, shares and sums are whole numbers, so no order of addition shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import BagColumns, Bounds, Weights
from pagekin.bags.weigh import by_bag, heaviest, runs
from pagekin.config import EnrichConfig
from pagekin.enrich.mixture import ENOUGH
from pagekin.tables import ArrayFile, write_arrays
from pagekin.text.words import Terms

__all__ = [
    "DTYPES",
    "KIND",
    "ONE",
    "TERMS",
    "Nearest",
    "Neighbours",
    "in_sample",
    "learn_neighbours",
    "write_neighbours",
]

KIND = "neighbours of terms"
DTYPES = {
    "terms": "<u4",  # ascending
    "df": "<u4",  # in so many bags of the sample
    "bounds": "<u8",  # the i-th term has the neighbours from bounds[i] to bounds[i + 1]
    "neighbours": "<u4",  # numbers of terms, of each term the nearest first
    "shares": "<u2",  # of ONE
    "word_bounds": "<u8",
    "words": "|u1",  # `term form` of each term
}

ONE = 65_535  # the shares of a term's neighbours add up to this, or a little less
TERMS = 100  # the heaviest of a bag, which teach and give; all 200 take longer and are no better
_PAIRS = 3  # two terms that stand together in fewer bags are no neighbours
_COMMON = 10  # what stands in more than one bag in so many tells nothing of its subject
_RARE = 500  # what stands in fewer than one bag in so many is nobody's neighbour

_AT_ONCE = 1 << 18  # pairs that are sorted together: 2 MB, and some 15 at work

# A number of 64 bits has a row, how far its score is from the highest, and the number of a term.
_ROWS, _SCORES, _NUMBERS = 1 << 18, 24, 22
_HIGHEST = (1 << _SCORES) - 1
_LN = 1 << 20  # logarithms are whole numbers of this part: of 40,000 bags they are below _HIGHEST

_HEAVIEST = 1 << 24  # the weight of the heaviest term of a bag

Whole = NDArray[np.int64]


class Nearest(NamedTuple):
    """The terms of a sample and their neighbours; the arrays are those of DTYPES."""

    terms: Terms
    df: NDArray[np.uint32]
    bounds: Bounds
    neighbours: NDArray[np.uint32]
    shares: NDArray[np.uint16]


def in_sample(number: int, bags: int, config: EnrichConfig) -> bool:
    """Is the bag of a URL with this number in the sample of so many bags? All are, if they are few.

    >>> in_sample(1 << 62, 50_000, EnrichConfig(words_sample=10_000))
    False
    """
    return number * bags < config.words_sample << 64


def learn_neighbours(terms: Terms, bounds: Bounds, config: EnrichConfig) -> Nearest:
    """The neighbours of terms in these bags, the i-th of which has the terms from bounds[i] to
    bounds[i + 1], each once.
    """
    bags = len(bounds) - 1
    known, df, numbers = _number_terms(terms, config.words_least, bags // _COMMON)
    bag = np.repeat(np.arange(bags, dtype=np.int32), np.diff(bounds))[numbers >= 0]
    numbers = numbers[numbers >= 0]
    holders = bag[np.argsort(numbers, kind="stable")]  # the bags of each term
    may_be = df[numbers] * _RARE >= bags
    company = numbers[may_be]  # the terms of each bag that may be neighbours
    starts = np.append(0, np.cumsum(np.bincount(bag[may_be], minlength=bags)))
    sizes = np.diff(starts)[holders]
    logarithms = np.array([0, *(round(math.log(n) * _LN) for n in range(1, bags + 1))], np.int64)
    places = np.append(0, np.cumsum(df))  # of terms in holders
    found = [_NONE_NEAR]
    for low, high in _batches(np.append(0, np.cumsum(sizes))[places], len(known), _ROWS):
        mine = slice(places[low], places[high])
        rows = np.repeat(np.repeat(np.arange(high - low), df[low:high]), sizes[mine])
        others = company[runs(starts[holders[mine]], sizes[mine])]
        row, other, together = _count_pairs(rows, others, low)
        score = _associations(together, df[row + low], df[other], logarithms)
        row, other, score = _nearest(row, other, score, config.words_nearest)
        found.append((row + low, other, score))
    row, other, score = (np.concatenate(column) for column in zip(*found, strict=True))
    row_bounds = np.append(0, np.cumsum(np.bincount(row, minlength=len(known))))
    totals = np.repeat(_sums(score, row_bounds), np.diff(row_bounds))
    shares = np.maximum(score * ONE // totals, 1).astype(np.uint16)
    return Nearest(known, df.astype(np.uint32), row_bounds, other.astype(np.uint32), shares)


_NONE: Whole = np.empty(0, np.int64)
_NONE_NEAR = _NONE, _NONE, _NONE


def _number_terms(terms: Terms, least: int, most: int) -> tuple[Terms, Whole, NDArray[np.int32]]:
    """The terms of at least and at most so many bags, their df, and for each occurrence the place
    of its term in these, or -1.
    """
    packed = terms.astype(np.uint64) << np.uint64(32)
    packed |= np.arange(len(terms), dtype=np.uint64)
    packed.sort()  # faster than an order
    ordered = (packed >> np.uint64(32)).astype(np.uint32)
    first = _first(ordered)
    df = np.diff(first, append=len(ordered))
    good = (df >= least) & (df <= most)
    names = np.where(good, np.cumsum(good) - 1, -1).astype(np.int32)
    numbers = np.empty(len(terms), np.int32)
    numbers[packed.astype(np.uint32)] = np.repeat(names, df)
    return ordered[first][good], df[good], numbers


def _count_pairs(rows: Whole, others: NDArray[np.int32], low: int) -> tuple[Whole, Whole, Whole]:
    """The different pairs, and in how many bags each stands, if in enough; the terms of rows count
    from `low`.
    """
    packed = rows.astype(np.uint64) << np.uint64(32)
    packed |= others.astype(np.uint64)
    packed.sort()
    first = _first(packed)
    together = np.diff(first, append=len(packed))
    many = together >= _PAIRS
    pairs, together = packed[first[many]], together[many]
    row, other = (pairs >> np.uint64(32)).astype(np.int64), _low(pairs, 32)
    apart = row + low != other
    return row[apart], other[apart], together[apart]


def _associations(n: Whole, a: Whole, b: Whole, logarithms: Whole) -> Whole:
    """The association of terms that stand in n bags together, and in a and b bags each."""
    chance = logarithms[a] + logarithms[b]
    mutual = np.maximum(logarithms[n] + logarithms[-1] - chance, 0)
    rarer = np.minimum(a, b)
    scores: Whole = mutual * n * rarer // ((n + 1) * (rarer + 1))
    return scores


def _nearest(rows: Whole, others: Whole, scores: Whole, most: int) -> tuple[Whole, Whole, Whole]:
    """The `most` highest scores above 0 of each row, the highest first; of equal ones that of the
    smaller term.
    """
    some = scores > 0
    above = rows[some] << _SCORES | _HIGHEST - scores[some]
    packed = above.astype(np.uint64) << np.uint64(_NUMBERS) | others[some].astype(np.uint64)
    packed.sort()
    above = (packed >> np.uint64(_NUMBERS)).astype(np.int64)
    first = _first(above >> _SCORES)
    sizes = np.diff(first, append=len(packed))
    near = np.arange(len(packed)) - np.repeat(first, sizes) < most
    return (
        above[near] >> _SCORES,
        _low(packed[near], _NUMBERS),
        _HIGHEST - above[near] % (_HIGHEST + 1),
    )


def write_neighbours(
    path: Path, nearest: Nearest, words: list[bytes], meta: dict[str, Any]
) -> None:
    """Store what was learned; `words` are `term form` of each term."""
    lengths = np.array([len(word) for word in words], np.uint64)
    arrays = {
        **nearest._asdict(),
        "word_bounds": np.append(np.uint64(0), np.cumsum(lengths, dtype=np.uint64)),
        "words": np.frombuffer(b"".join(words), np.uint8),
    }
    write_arrays(path, KIND, meta, {n: arrays[n].astype(dtype) for n, dtype in DTYPES.items()})


class Neighbours:
    """What was learned, looked up in a memory-mapped file."""

    def __init__(self, file: ArrayFile | Path) -> None:
        self.file = file = ArrayFile(file, KIND) if isinstance(file, Path) else file
        self.terms: Terms = file["terms"]
        self._bounds, self._shares = file["bounds"].astype(np.int64), file["shares"]
        self._neighbours = file["neighbours"]

    @cached_property
    def _targets(self) -> tuple[Terms, NDArray[np.uint32]]:
        """The terms that are neighbours, far fewer than all; and which of them each one is."""
        numbers, which = np.unique(self._neighbours, return_inverse=True)
        return self.terms[numbers], which.astype(np.uint32)

    def expand(self, bags: BagColumns) -> BagColumns:
        """What the terms of each bag are near to, with the sum 1; empty where that is nothing, as
        it is for most bags of a crawl, which are short.
        """
        terms, which = self._targets
        givers = self._givers(bags)
        found = gifts(givers, Table(self._bounds, which, self._shares), len(terms))
        sizes = np.diff(found.bounds)
        weights = found.values / np.repeat(by_bag(np.add, found.values, found.bounds), sizes)
        return BagColumns(terms[found.targets], weights.astype(np.float32), found.bounds)

    def givers(self, terms: Terms, weights: Weights, wanted: Terms) -> list[int]:
        """Of each wanted term the term of a bag that gives it most, of equal ones the smallest; 0
        where none of them is its neighbour.
        """
        giving = self._givers(BagColumns(terms, weights, np.array([0, len(terms)])))
        counts = np.diff(self._bounds)[giving.rows]
        at = runs(self._bounds[giving.rows], counts)
        given = np.repeat(giving.weights.astype(np.int64), counts) * self._shares[at]
        giver = np.repeat(self.terms[giving.rows], counts)
        found = []
        for term in wanted.tolist():
            mine = np.flatnonzero(self.terms[self._neighbours[at]] == term)
            found.append(int(giver[mine[np.argmax(given[mine])]]) if len(mine) else 0)
        return found

    def _givers(self, bags: BagColumns) -> Givers:
        """The heaviest terms of each full bag, as far as they have neighbours."""
        top = by_bag(np.maximum, bags.weights, bags.bounds).astype(np.float64)
        scale = _HEAVIEST / np.where(top > 0, top, 1)
        weights = np.rint(bags.weights * np.repeat(scale, np.diff(bags.bounds))).astype(np.uint32)
        at = np.searchsorted(self.terms, bags.terms)
        at[at == len(self.terms)] = 0
        gives = heaviest(weights, bags.bounds, TERMS)
        sizes = np.diff(bags.bounds)
        gives &= np.repeat(sizes >= ENOUGH, sizes)
        gives &= self.terms[at] == bags.terms if len(self.terms) else False
        bounds = np.append(0, np.cumsum(gives))[bags.bounds]
        return Givers(bounds, at[gives].astype(np.uint32), weights[gives])


# --- what bags give -------------------------------------------------------------------------------


class Givers(NamedTuple):
    """Bags of terms that have neighbours: the numbers of the terms, and whole weights."""

    bounds: Bounds
    rows: NDArray[np.uint32]
    weights: NDArray[np.uint32]


class Table(NamedTuple):
    """The i-th term gives to the targets from starts[i] to starts[i + 1], by their shares."""

    starts: Bounds
    targets: NDArray[np.uint32]
    shares: NDArray[np.uint16]


class Gifts(NamedTuple):
    """What targets get of each bag; the targets of a bag ascend."""

    targets: NDArray[np.uint32]
    values: Whole
    bounds: Bounds


def gifts(givers: Givers, table: Table, targets: int) -> Gifts:
    """The largest of what these targets get of each bag, as many as it has terms that give; of
    equal ones the first.
    """
    chosen, values, bounds = [_NONE], [_NONE], [0]
    for low, high in pairwise(givers.bounds.tolist()):
        rows, weights = givers.rows[low:high], givers.weights[low:high].astype(np.int64)
        counts = np.diff(table.starts)[rows]
        at = runs(table.starts[rows], counts)
        given = np.repeat(weights, counts) * table.shares[at]
        # a target gets less than 2^53, of which 64-bit floats know every whole number
        sums = np.bincount(table.targets[at], given, targets).astype(np.int64)
        kept = np.flatnonzero(heaviest(sums, np.array([0, targets]), high - low))
        chosen.append(kept)
        values.append(sums[kept])
        bounds.append(bounds[-1] + len(kept))
    return Gifts(np.concatenate(chosen).astype(np.uint32), np.concatenate(values), np.array(bounds))


# --- helpers --------------------------------------------------------------------------------------


def _first(values: NDArray[Any]) -> Whole:
    """Where each run of equal values begins."""
    return np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])


def _low(packed: NDArray[np.uint64], bits: int) -> Whole:
    """The lowest bits of numbers."""
    return (packed & np.uint64((1 << bits) - 1)).astype(np.int64)


def _sums(values: Whole, bounds: NDArray[Any]) -> Whole:
    """The sum of each run of values."""
    sums = np.append(0, np.cumsum(values, dtype=np.int64))
    found: Whole = np.diff(sums[bounds])
    return found


def _batches(pairs: Whole, count: int, most: int) -> Iterator[tuple[int, int]]:
    """Ranges of `count` things, at most so many in one, that have as many pairs as are at work at
    once, or that are one; `pairs` are those before each thing.
    """
    low = 0
    while low < count:
        fits = int(np.searchsorted(pairs, pairs[low] + _AT_ONCE, "right")) - 1
        high = min(max(fits, low + 1), low + most, count)
        yield low, high
        low = high
