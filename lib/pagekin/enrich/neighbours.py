"""Neighbours of terms: which terms stand in the same bags more often than chance would have it.

They are learned from a sample of plain bags, each a set of its heaviest terms. Of two terms that
stand together in n bags of N, and in a and b bags each, the association is

    ln(n N / (a b))  x  n / (n + 1)  x  min(a, b) / (min(a, b) + 1)

where it is above 0: pointwise mutual information, discounted for rare terms (Turney and Pantel,
"From Frequency to Meaning", 2010, section 4.2, after Pantel and Lin 2002). Each term keeps its
nearest, whose shares have the sum 1. Terms of very few bags, and of very many, have no neighbours;
a term that has some may still be too rare to be one.

The part of a bag is what its terms are near to: each term gives its weight to its neighbours by
their shares. Associations, shares and sums are whole numbers, so no order of addition shows.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import BagColumns, Bounds, Weights
from pagekin.bags.weigh import by_bag, runs
from pagekin.config import EnrichConfig
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
TERMS = 100  # the heaviest of a sampled bag; all 200 take four times as long and are no better
MOST = 300  # terms of the part of a bag: the heaviest are better than all
_PAIRS = 3  # two terms that stand together in fewer bags are no neighbours
_COMMON = 10  # what stands in more than one bag in so many tells nothing of its subject
_RARE = 500  # what stands in fewer than one bag in so many is nobody's neighbour

_AT_ONCE = 1 << 18  # pairs that are sorted together: 2 MB, and some 15 at work

# A number of 64 bits has a row, how far its score is from the highest, and the number of a term.
_ROWS, _SCORES, _NUMBERS = 1 << 18, 24, 22
_HIGHEST = (1 << _SCORES) - 1
_LN = 1 << 20  # logarithms are whole numbers of this part: of 40,000 bags they are below _HIGHEST

# A number of 64 bits has a bag, the number of a term, and what another term of the bag gives to it.
_BAGS, _VALUES = 1 << 10, 32
_HEAVIEST = 1 << 24  # the heaviest term of a bag; times ONE this has 8 bits more than a value
_TOO_FINE = 8
_NOTHING = np.uint64((1 << 32) - 1)

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
        self._bounds, self._neighbours = file["bounds"].astype(np.int64), file["neighbours"]
        self._shares = file["shares"]

    def expand(self, bags: BagColumns) -> BagColumns:
        """What the terms of each bag are near to, with the sum 1; empty where that is nothing."""
        bag, row, weights = self._known(bags)
        counts = np.diff(self._bounds)[row]
        each = np.bincount(bag, weights=counts, minlength=len(bags.bounds) - 1)
        pairs = np.append(0, np.cumsum(each)).astype(np.int64)
        parts = [
            self._expand(bag[mine] - low, row[mine], weights[mine], counts[mine], high - low)
            for low, high in _batches(pairs, len(pairs) - 1, _BAGS)
            for mine in [slice(*np.searchsorted(bag, (low, high)).tolist())]
        ]
        sizes = np.concatenate([_NONE, *(sizes for _, _, sizes in parts)])
        return BagColumns(
            np.concatenate([np.empty(0, np.uint32), *(terms for terms, _, _ in parts)]),
            np.concatenate([np.empty(0, np.float32), *(weights for _, weights, _ in parts)]),
            np.append(0, np.cumsum(sizes)),
        )

    def givers(self, terms: Terms, weights: Weights, wanted: Terms) -> list[int]:
        """Of each wanted term the term of a bag that gives it most, of equal ones the smallest; 0
        where none of them is its neighbour.
        """
        whole = BagColumns(terms, weights, np.array([0, len(terms)]))
        _, row, values = self._known(whole)
        counts = np.diff(self._bounds)[row]
        at = runs(self._bounds[row], counts)
        gifts = np.repeat(values, counts) * self._shares[at].astype(np.uint64)
        givers = np.repeat(self.terms[row], counts)
        found = []
        for term in wanted.tolist():
            mine = np.flatnonzero(self.terms[self._neighbours[at]] == term)
            found.append(int(givers[mine[np.argmax(gifts[mine])]]) if len(mine) else 0)
        return found

    def _known(self, bags: BagColumns) -> tuple[Whole, Whole, NDArray[np.uint64]]:
        """The terms that have neighbours: their bags, their numbers, and their weights as whole
        numbers.
        """
        sizes = np.diff(bags.bounds)
        bag = np.repeat(np.arange(len(sizes)), sizes)
        heaviest = by_bag(np.maximum, bags.weights, bags.bounds)
        scale = _HEAVIEST / np.where(heaviest > 0, heaviest, 1).astype(np.float64)
        weights = np.rint(bags.weights * scale[bag]).astype(np.uint64)
        at = np.searchsorted(self.terms, bags.terms)
        at[at == len(self.terms)] = 0
        known = self.terms[at] == bags.terms if len(self.terms) else np.zeros(len(at), np.bool_)
        return bag[known], at[known], weights[known]

    def _expand(
        self, bag: Whole, row: Whole, weights: NDArray[np.uint64], counts: Whole, bags: int
    ) -> tuple[Terms, NDArray[np.float32], Whole]:
        """The same of so many bags, and how many terms each has."""
        at = runs(self._bounds[row], counts)
        values = np.repeat(weights, counts) * self._shares[at].astype(np.uint64)
        keys = np.repeat(bag.astype(np.uint64) << np.uint64(_NUMBERS), counts)
        packed = (keys | self._neighbours[at].astype(np.uint64)) << np.uint64(_VALUES)
        packed |= values >> np.uint64(_TOO_FINE)
        packed.sort()
        first = _first(packed >> np.uint64(_VALUES))
        sums = _sums(_low(packed, _VALUES), np.append(first, len(packed)))
        keys = packed[first] >> np.uint64(_VALUES)
        bag = (keys >> np.uint64(_NUMBERS)).astype(np.int64)
        kept = _heaviest(bag, sums, MOST)
        bag, keys, sums = bag[kept], keys[kept], sums[kept]
        sizes = np.bincount(bag, minlength=bags)
        totals = np.repeat(_sums(sums, np.append(0, np.cumsum(sizes))), sizes)
        return self.terms[_low(keys, _NUMBERS)], (sums / totals).astype(np.float32), sizes


def _heaviest(bag: Whole, sums: Whole, most: int) -> Whole:
    """Places of the `most` highest sums above 0 of each bag, in their order; of equal ones the
    first stays. Sums are as equal as their first 24 bits.
    """
    heavy = sums.astype(np.float32).view(np.uint32)  # the bits of floats from 0 on are in order
    packed = bag.astype(np.uint64) << np.uint64(32) | _NOTHING - heavy
    packed = packed << np.uint64(_NUMBERS) | np.arange(len(bag), dtype=np.uint64)
    packed = packed[sums > 0]
    packed.sort()
    first = _first(packed >> np.uint64(_NUMBERS + 32))
    near = np.arange(len(packed)) - np.repeat(first, np.diff(first, append=len(packed))) < most
    return np.sort(_low(packed[near], _NUMBERS))


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
