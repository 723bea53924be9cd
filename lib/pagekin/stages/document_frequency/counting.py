"""Counting in how many bags each term stands, in packed arrays and bounded memory.

A mapper gathers the terms of many bags and counts them in one numpy call; what it sends is, for
each bucket of term hashes (their first hexadecimal digits), one record of terms and counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.bags.bag import is_bag
from pagekin.bags.batch import halves, read_values
from pagekin.bags.dictionary import BAR
from pagekin.bags.vocabulary import DIGITS, WORDS_KEY, best_forms, is_forms
from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.kinds import Pair
from pagekin.text.words import Terms

__all__ = [
    "DF",
    "WORDS",
    "TermCounter",
    "reduce_buckets",
    "unpack_all_counts",
    "unpack_counts",
    "unpack_words",
]

Counts = NDArray[np.uint32]

DF = b"df "  # sorts before WORDS
WORDS = b"words "
_ENOUGH = 8_000_000  # bytes of values: 3 MB of terms, as much of weights, and again for the sort
_AT_ONCE = 1 << 20  # bytes of records that are reduced together


class TermCounter:
    """The mapper: counts terms, passes words on."""

    def __init__(self, counters: Counters, digits: int = DIGITS) -> None:
        self._counters, self._digits = counters, digits
        self._gathered: list[bytes] = []  # the values of bags
        self._size = 0

    def count(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """Records of counts, and the words of the same buckets."""
        for pair in pairs:
            if is_forms(pair):
                yield pair[0].removeprefix(WORDS_KEY), WORDS + pair[1]
                continue
            if not is_bag(pair):
                continue
            self._gathered.append(pair[1])
            self._size += len(pair[1])
            if self._size > _ENOUGH:
                yield from self._flush()
        yield from self._flush()

    def _flush(self) -> Iterator[Pair]:
        self._counters.add("frequencies", "bags", len(self._gathered))
        gathered = read_values(self._gathered)[1]
        self._gathered, self._size = [], 0
        if not len(gathered):
            return
        terms, counts = np.unique(gathered, return_counts=True)
        buckets, starts = np.unique(terms >> np.uint32(32 - 4 * self._digits), return_index=True)
        ends = np.append(starts[1:], len(terms))
        df = counts.astype(np.uint32)
        for bucket, a, b in zip(buckets.tolist(), starts.tolist(), ends.tolist(), strict=True):
            yield b"%0*x" % (self._digits, bucket), DF + _pack(terms[a:b], df[a:b])


def _pack(terms: Terms, counts: Counts) -> bytes:
    return b64encode(terms.tobytes() + counts.tobytes())


def unpack_counts(text: bytes) -> tuple[Terms, Counts]:
    """Terms and counts of one record."""
    numbers = np.frombuffer(b64decode(text, validate=True), dtype="<u4")
    return numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]


def unpack_all_counts(texts: Iterable[bytes]) -> tuple[Terms, Counts]:
    """Those of many records, one behind the other."""
    terms, counts = halves([b64decode(text, validate=True) for text in texts])
    return np.frombuffer(terms, "<u4"), np.frombuffer(counts, "<u4")


def unpack_words(texts: Iterable[bytes]) -> tuple[Terms, bytes]:
    """The term hashes of records, ascending, and the entries of the dictionary, a bar behind each.

    >>> unpack_words([b"AQAAAA== bee bees", b"AgAAAAMAAAA= hive hive|honei honey"])[1]
    b'bee bees|hive hive|honei honey|'
    """
    parted = [text.partition(b" ") for text in texts]
    hashes = b"".join([b64decode(packed, validate=True) for packed, _, _ in parted])
    return np.frombuffer(hashes, "<u4"), b"".join([entries + BAR for _, _, entries in parted])


class _Bucket(NamedTuple):
    """The values of one key."""

    key: bytes
    counts: list[bytes]
    words: list[bytes]


def reduce_buckets(pairs: Iterable[Pair], counters: Counters) -> Iterator[Pair]:
    """Bucket by bucket the df of its terms, and the words of those that stand in a bag."""
    for buckets in _gathered(pairs):
        parts = [unpack_counts(text) for bucket in buckets for text in bucket.counts]
        terms, df = _add_up(parts)
        if len(terms):
            counters.add("frequencies", "terms", len(terms))
            counters.add("frequencies", "incidences", int(df.sum()))
        widths = np.array([1 << 32 - 4 * len(bucket.key) for bucket in buckets], np.uint64)
        starts = np.array([int(bucket.key, 16) for bucket in buckets], np.uint64) * widths
        lows = terms.searchsorted(starts).tolist()
        highs = terms.searchsorted(starts + widths).tolist()
        # each by itself: on Spark buckets come in any order
        for bucket, low, high in zip(buckets, lows, highs, strict=True):
            if low < high:
                yield bucket.key, DF + _pack(terms[low:high], df[low:high])
            yield from _words(bucket.key, terms[low:high], bucket.words, counters)


def _gathered(pairs: Iterable[Pair]) -> Iterator[list[_Bucket]]:
    """Buckets that are added up at once, for they are small: a call for each takes longer."""
    some: list[_Bucket] = []
    size = digits = 0
    for key, group in groupby(pairs, key=itemgetter(0)):
        digits = digits or len(key)
        if len(key) != digits:  # a term would be counted in two buckets
            raise InputError(
                f"words are parted into buckets by {digits} digits and by {len(key)}; all jobs of a"
                " build need the same --word-digits"
            )
        bucket = _Bucket(key, [], [])
        for _, value in group:
            if value.startswith(DF):
                bucket.counts.append(value.removeprefix(DF))
            else:
                bucket.words.append(value.removeprefix(WORDS))
            size += len(value)
        some.append(bucket)
        if size > _AT_ONCE:
            yield some
            some, size = [], 0
    if some:
        yield some


def _add_up(parts: list[tuple[Terms, Counts]]) -> tuple[Terms, Counts]:
    if not parts:
        return np.empty(0, np.uint32), np.empty(0, np.uint32)
    terms, counts = map(np.concatenate, zip(*parts, strict=True))
    if (terms[1:] > terms[:-1]).all():  # one mapper has counted all
        return terms, counts
    distinct, which = np.unique(terms, return_inverse=True)
    totals = np.bincount(which, weights=counts)
    return distinct, np.minimum(totals, 0xFFFFFFFF).astype(np.uint32)


def _words(bucket: bytes, terms: Terms, words: list[bytes], counters: Counters) -> Iterator[Pair]:
    best = best_forms(words, terms)
    counters.add("frequencies", "hash_collisions", best.shared)
    counters.add("frequencies", "terms_without_a_word", len(terms) - len(best.hashes) // 4)
    if best.hashes:
        yield bucket, b"%b%b %b" % (WORDS, b64encode(best.hashes), best.entries)
