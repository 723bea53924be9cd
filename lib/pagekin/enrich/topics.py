"""Topics: what bags are about, learned from the snapshot itself.

Centroids come of spherical k-means over a sample of bags (Dhillon and Modha, "Concept
decompositions for large sparse text data using clustering", 2001): several sets of them, which
differ by where they started. A bag is told by tokens: of each set those that stand for the nearest
centroids, by the squares of the cosines. Tokens are terms like words, so two bags that share a
topic and few words have something in common, and whatever is done with bags stays as it is.

Several sets, and several tokens of each, make a similarity that is fine enough. By the one nearest
centroid alone most pairs of bags are equally similar. The few pairs that it orders it orders very
well, which misleads whoever does not count ties.

All sums are of whole numbers. A bag becomes a vector of the length 4,096, a centroid one of 8,192,
so a cosine is 2^25 at the most. Square roots and quotients are exact to the last bit (IEEE 754),
and ties go to the first in a stated order: every machine learns the same topics.

The inner loop is written in C as well (`_topics.c`); `plain_nearest` is its twin.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import BagColumns, Bounds, Entry
from pagekin.bags.weigh import by_bag, runs
from pagekin.config import EnrichConfig
from pagekin.enrich.mixture import ENOUGH
from pagekin.native import load
from pagekin.tables import ArrayFile, write_arrays
from pagekin.text.words import Terms, term_hash

__all__ = [
    "DTYPES",
    "FULL",
    "KIND",
    "MOST_CENTROIDS",
    "MOST_NEAREST",
    "MOST_SETS",
    "Centroid",
    "Topic",
    "Topics",
    "fit",
    "nearest",
    "plain_nearest",
    "token",
    "topic_shares",
    "unit_vectors",
]

FULL = 200  # terms: a bag of so many says enough to learn from it; it is cut to them as well
MOST_SETS, MOST_CENTROIDS = 16, 1_000  # so many that no two tokens share a hash
MOST_NEAREST = 64
_BAGS_A_CENTROID = 4  # at least, in the sample
KIND = "topics"
DTYPES = {
    "bounds": "<u8",  # where each centroid begins in `terms` and `values`; set after set
    "terms": "<u4",
    "values": "<u2",
    "word_bounds": "<u8",
    "text": "|u1",  # the words of the heaviest terms of each, parted by bars
}
_BAG, _CENTROID = 1 << 12, 1 << 13  # lengths of vectors
_FINE = 1 << 20  # the heaviest term of a bag before its length is known
_BUCKETS = 1 << 16  # of terms that begin with the same 16 bits
_SHOWN = 3  # words of a topic where it stands among others
_native = load("pagekin.enrich._topics")

Units = NDArray[np.int32]
Nearest = tuple[NDArray[np.int32], NDArray[np.int64]]  # numbers and cosines: bag, set, rank


def token(set_: int, number: int) -> str:
    """The term that stands for a centroid; no word has a colon."""
    return f"topic:{set_}.{number}"


class Centroid(NamedTuple):
    """The mean direction of the bags that are nearest to it, cut to its heaviest terms."""

    terms: Terms  # ascending
    values: NDArray[np.uint16]  # squares add up to 8,192 squared, but for rounding

    def heaviest(self, count: int) -> Terms:
        """The heaviest terms, of equal ones the smaller hash first."""
        return self.terms[np.lexsort((self.terms, -self.values.astype(np.int64)))[:count]]


class Topic(NamedTuple):
    """A centroid, and the words of its heaviest terms."""

    words: list[str]
    centroid: Centroid


@dataclass(frozen=True)
class _Inverted:
    """Centroids by their terms, as a bag's nearest ones are looked for."""

    sets: NDArray[np.uint32]  # the s-th set has the numbers from sets[s] to sets[s + 1]
    rows: Terms  # the terms of all centroids
    starts: NDArray[np.uint32]  # where the centroids of each of them begin
    numbers: NDArray[np.uint16]
    values: NDArray[np.uint16]
    directory: NDArray[np.uint32]  # the first row of each bucket

    @classmethod
    def of(cls, sizes: Sequence[int], columns: BagColumns) -> _Inverted:
        """`columns` are the centroids of all sets, one behind another."""
        numbers = np.repeat(np.arange(len(columns.bounds) - 1), np.diff(columns.bounds))
        order = np.argsort(columns.terms, kind="stable")
        rows, starts = np.unique(columns.terms[order], return_index=True)
        edges = np.arange(_BUCKETS + 1, dtype=np.uint64) * np.uint64(2**32 // _BUCKETS)
        return cls(
            np.cumsum([0, *sizes], dtype=np.uint32),
            rows,
            np.append(starts, len(order)).astype(np.uint32),
            numbers[order].astype(np.uint16),
            columns.weights[order].astype(np.uint16),
            np.searchsorted(rows, edges).astype(np.uint32),
        )


# --- nearest centroids ----------------------------------------------------------------------------


def unit_vectors(bags: BagColumns) -> Units:
    """The weights of bags, each of which gets the length 4,096."""
    sizes = np.diff(bags.bounds)
    heavy = bags.weights.astype(np.float64)
    top = by_bag(np.maximum, heavy, bags.bounds)
    top[top == 0] = 1.0
    whole = np.rint(heavy * np.repeat(_FINE / top, sizes)).astype(np.int64)
    length = np.sqrt(by_bag(np.add, whole * whole, bags.bounds).astype(np.float64))
    length[length == 0] = 1.0
    return np.rint(whole * np.repeat(_BAG / length, sizes)).astype(np.int32)


def nearest(bags: BagColumns, units: Units, inverted: _Inverted, count: int) -> Nearest:
    """The `count` nearest centroids of each bag in each set; where there are fewer, cosines of 0.

    Of equally near ones the first come first.
    """
    if _native is None:
        return plain_nearest(bags, units, inverted, count)
    bags_and_centroids = (
        np.ascontiguousarray(bags.terms, np.uint32),
        np.ascontiguousarray(units, np.int32),
        np.ascontiguousarray(bags.bounds, np.int64),
        inverted.directory,
        inverted.rows,
        inverted.starts,
        inverted.numbers,
        inverted.values,
        inverted.sets,
    )
    numbers, cosines = _native.nearest(*bags_and_centroids, count)
    shape = len(bags.bounds) - 1, len(inverted.sets) - 1, count
    return (
        np.frombuffer(numbers, np.int32).reshape(shape),
        np.frombuffer(cosines, np.int64).reshape(shape),
    )


def plain_nearest(bags: BagColumns, units: Units, inverted: _Inverted, count: int) -> Nearest:
    """The same in Python."""
    shape = len(bags.bounds) - 1, len(inverted.sets) - 1, count
    numbers, cosines = np.zeros(shape, np.int32), np.zeros(shape, np.int64)
    for bag, (a, b) in enumerate(pairwise(bags.bounds.tolist())):
        sums = _cosines(bags.terms[a:b], units[a:b], inverted)
        for set_, (low, high) in enumerate(pairwise(inverted.sets.tolist())):
            order = np.argsort(-sums[low:high], kind="stable")[:count]
            found = order[sums[low:high][order] > 0] + low
            numbers[bag, set_, : len(found)] = found
            cosines[bag, set_, : len(found)] = sums[found]
    return numbers, cosines


def _cosines(terms: Terms, units: Units, inverted: _Inverted) -> NDArray[np.int64]:
    """Of one bag with every centroid."""
    at = np.searchsorted(inverted.rows, terms)
    known = np.flatnonzero(at < len(inverted.rows))
    known = known[inverted.rows[at[known]] == terms[known]]
    spans = [slice(*inverted.starts[row : row + 2].tolist()) for row in at[known].tolist()]
    sums = np.zeros(int(inverted.sets[-1]), np.int64)
    for unit, span in zip(units[known].tolist(), spans, strict=True):
        sums[inverted.numbers[span]] += unit * inverted.values[span].astype(np.int64)
    return sums


def topic_shares(bags: BagColumns, share: float) -> NDArray[np.float64]:
    """How much of each bag topics are to be: so much of a bag of 100 terms and more. What a shorter
    one is about is less sure, and its share is smaller.
    """
    return share * np.minimum(np.diff(bags.bounds) / ENOUGH, 1.0)


# --- learning centroids ---------------------------------------------------------------------------


def fit(bags: BagColumns, lots: NDArray[np.uint64], config: EnrichConfig) -> list[Centroid]:
    """The centroids of these bags, set after set, as many of each.

    A set starts at bags that are drawn by `lots`, one hash for each bag. In each round bags go to
    the centroid that is nearest to them, and a centroid that has any becomes their sum. Fewer
    bags than eight have no topics.
    """
    sets, most = config.topics_sets, config.topics_terms
    size = min(config.topics_centroids, len(lots) // _BAGS_A_CENTROID)
    if size < 2:
        return []
    units = unit_vectors(bags)
    vocabulary, ids = np.unique(bags.terms, return_inverse=True)
    drawn = [bag for set_ in range(sets) for bag in _draw(lots, set_, size)]
    spans = [slice(*bags.bounds[bag : bag + 2].tolist()) for bag in drawn]
    found = [_centroid(bags.terms[span], units[span].astype(np.int64), most) for span in spans]
    for _ in range(config.topics_rounds):
        inverted = _Inverted.of([size] * sets, _columns(found))
        numbers, cosines = nearest(bags, units, inverted, 1)
        for set_ in range(sets):
            chosen = np.where(cosines[:, set_, 0] > 0, numbers[:, set_, 0], -1)
            sums = _sums(ids, units, bags.bounds, chosen, range(set_ * size, (set_ + 1) * size))
            for number, values in sums:
                terms = np.flatnonzero(values)
                found[number] = _centroid(vocabulary[terms], values[terms], most)
    return found


def _draw(lots: NDArray[np.uint64], set_: int, count: int) -> list[int]:
    """The bags that a set starts at: others for each set (the finaliser of SplitMix64)."""
    mixed = lots + np.uint64(0x9E3779B97F4A7C15 * (set_ + 1) % 2**64)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    drawn: list[int] = np.argsort(mixed ^ (mixed >> np.uint64(31)), kind="stable")[:count].tolist()
    return drawn


def _sums(
    ids: NDArray[np.int64],
    units: Units,
    bounds: Bounds,
    chosen: NDArray[np.int32],
    numbers: range,
) -> Iterator[tuple[int, NDArray[np.int64]]]:
    """The vectors of the bags that chose each of these centroids, added up by term."""
    order = np.argsort(chosen, kind="stable")
    sizes = np.diff(bounds)[order]
    at = runs(bounds[:-1][order], sizes)
    ids, heavy = ids[at], units[at].astype(np.float64)  # whole numbers below 2^53 add up exactly
    starts = np.append(0, np.cumsum(sizes))
    edges = np.searchsorted(chosen[order], [*numbers, numbers.stop])
    for number, (low, high) in zip(numbers, pairwise(edges.tolist()), strict=True):
        if low < high:
            span = slice(starts[low], starts[high])
            yield number, np.bincount(ids[span], heavy[span]).astype(np.int64)


def _centroid(terms: Terms, values: NDArray[np.int64], most: int) -> Centroid:
    """The heaviest of these terms, of equal ones those with smaller hashes, at a stated length."""
    kept = np.sort(np.lexsort((terms, -values))[:most])
    terms, values = terms[kept], values[kept]
    length = np.sqrt(np.float64((values * values).sum()))
    scaled = np.rint(values * (_CENTROID / max(length, 1.0))).astype(np.uint16)
    return Centroid(terms[scaled > 0], scaled[scaled > 0])


def _columns(centroids: Sequence[Centroid]) -> BagColumns:
    return BagColumns(
        np.concatenate([np.empty(0, np.uint32), *(c.terms for c in centroids)]),
        np.concatenate([np.empty(0, np.uint16), *(c.values for c in centroids)]),
        np.cumsum([0, *(len(c.terms) for c in centroids)], dtype=np.int64),
    )


# --- the table ------------------------------------------------------------------------------------


class Topics:
    """The centroids that a snapshot taught, and the tokens of bags."""

    def __init__(self, file: ArrayFile | Path) -> None:
        self._file = file = ArrayFile(file, KIND) if isinstance(file, Path) else file
        self.sets, self._nearest = int(file.meta["sets"]), int(file.meta["nearest"])
        centroids = len(file["bounds"]) - 1
        if not (1 <= self.sets <= MOST_SETS and 1 <= self._nearest <= MOST_NEAREST):
            raise ValueError("no number of sets, or of nearest centroids")
        self.size, rest = divmod(centroids, self.sets)  # centroids of each set
        if rest or self.size > MOST_CENTROIDS or len(file["word_bounds"]) != centroids + 1:
            raise ValueError("sets are not of one size, or have no words")
        names = [token(set_, number) for set_ in range(self.sets) for number in range(self.size)]
        self.hashes = np.array([term_hash(name) for name in names], np.uint32)
        self._numbers = {hash_: number for number, hash_ in enumerate(self.hashes.tolist())}
        text, edges = file["text"].tobytes(), pairwise(file["word_bounds"].tolist())
        self.words = [text[a:b].decode().split("|") for a, b in edges]  # the heaviest first
        shown = ["topic: " + ", ".join(words[:_SHOWN]) for words in self.words]
        entries = zip(self.hashes.tolist(), map(Entry, names, shown), strict=True)
        self.entries = dict(entries)  # how a token is written and shown, by its hash

    @staticmethod
    def write(path: Path, topics: Sequence[Topic], config: EnrichConfig) -> None:
        """Store the topics of all sets, one behind another."""
        columns = _columns([topic.centroid for topic in topics])
        texts = ["|".join(topic.words).encode() for topic in topics]
        arrays: dict[str, NDArray[Any]] = {
            "bounds": columns.bounds.astype(np.uint64),
            "terms": columns.terms,
            "values": columns.weights.astype(np.uint16),
            "word_bounds": np.cumsum([0, *map(len, texts)], dtype=np.uint64),
            "text": np.frombuffer(b"".join(texts), np.uint8),
        }
        meta = {"sets": config.topics_sets, "nearest": config.topics_nearest}
        write_arrays(path, KIND, meta, arrays)

    def name(self, number: int) -> str:
        """The term that stands for a topic; they are numbered through all sets."""
        return token(*divmod(number, self.size))

    @cached_property
    def _inverted(self) -> _Inverted:
        columns = BagColumns(
            self._file["terms"], self._file["values"], self._file["bounds"].astype(np.int64)
        )
        return _Inverted.of([self.size] * self.sets, columns)

    def number(self, term: int) -> int:
        """The topic that a token stands for."""
        return self._numbers[term]

    def nearest(self, bags: BagColumns) -> Nearest:
        """The nearest topics of each bag in each set, and their cosines, times 2^25."""
        return nearest(bags, unit_vectors(bags), self._inverted, self._nearest)

    def tokens(self, bags: BagColumns) -> BagColumns:
        """What topics say of these bags: tokens with the sum 1, as much of each set.

        A bag that shares no term with any centroid has none.
        """
        numbers, cosines = self.nearest(bags)
        squares = cosines * cosines
        totals = squares.sum(2, keepdims=True)
        sets = np.count_nonzero(totals, axis=1, keepdims=True)
        weights = squares / np.maximum(totals * sets, 1)
        shape = len(squares), self.sets * self._nearest
        hashes = np.append(self.hashes, np.uint32(0))  # there may be no centroid
        terms = np.where(squares > 0, hashes[numbers], 0).reshape(shape)
        order = np.argsort(terms, axis=1, kind="stable")
        terms = np.take_along_axis(terms, order, 1)
        kept = terms > 0
        weights = np.take_along_axis(weights.reshape(shape), order, 1)
        bounds = np.cumsum([0, *kept.sum(1).tolist()], dtype=np.int64)
        return BagColumns(terms[kept], weights[kept].astype(np.float32), bounds)
