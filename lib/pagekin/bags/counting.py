"""Counting in how many bags each term stands, in packed arrays and bounded memory.

A mapper gathers the terms of many bags and counts them in one numpy call; what it sends is, for
each bucket of term hashes (the first three hexadecimal digits), one record of terms and counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.bags.bag import is_bag
from pagekin.bags.batch import read_values
from pagekin.bags.vocabulary import WORDS_KEY, best_forms, is_forms
from pagekin.counters import Counters
from pagekin.text.words import Terms

__all__ = ["DF", "WORDS", "TermCounter", "reduce_bucket", "unpack_counts", "unpack_words"]

Pair = tuple[bytes, bytes]
Counts = NDArray[np.uint32]

DF = b"df "  # sorts before WORDS
WORDS = b"words "
_ENOUGH = 8_000_000  # bytes of values: 3 MB of terms, as much of weights, and again for the sort
_BUCKET_SHIFT = 20


class TermCounter:
    """The mapper: counts terms, passes words on."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
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
        buckets, starts = np.unique(terms >> _BUCKET_SHIFT, return_index=True)
        ends = np.append(starts[1:], len(terms))
        for bucket, a, b in zip(buckets.tolist(), starts.tolist(), ends.tolist(), strict=True):
            yield b"%03x" % bucket, DF + _pack(terms[a:b], counts[a:b].astype(np.uint32))


def _pack(terms: Terms, counts: Counts) -> bytes:
    return b64encode(terms.tobytes() + counts.tobytes())


def unpack_counts(text: bytes) -> tuple[Terms, Counts]:
    """Terms and counts of one record."""
    numbers = np.frombuffer(b64decode(text, validate=True), dtype="<u4")
    return numbers[: len(numbers) // 2], numbers[len(numbers) // 2 :]


def unpack_words(text: bytes) -> tuple[Terms, list[bytes]]:
    """The term hashes of one record, ascending, and the entry of each in the dictionary."""
    hashes, _, entries = text.partition(b" ")
    return np.frombuffer(b64decode(hashes, validate=True), dtype="<u4"), entries.split(b"|")


def reduce_bucket(bucket: bytes, values: Iterable[bytes], counters: Counters) -> Iterator[Pair]:
    """The df of the terms of one bucket, and the words of those that stand in a bag."""
    packed: list[bytes] = []
    words: list[bytes] = []
    for value in values:
        if value.startswith(DF):
            packed.append(value.removeprefix(DF))
        else:
            words.append(value.removeprefix(WORDS))
    terms, df = _add_up([unpack_counts(text) for text in packed])
    if len(terms):
        counters.add("frequencies", "terms", len(terms))
        counters.add("frequencies", "incidences", int(df.sum()))
        yield bucket, DF + _pack(terms, df)
    yield from _words(bucket, terms, words, counters)


def _add_up(parts: list[tuple[Terms, Counts]]) -> tuple[Terms, Counts]:
    if len(parts) == 1:  # mappers have counted: terms of one part ascend, each once
        return parts[0]
    if not parts:
        return np.empty(0, np.uint32), np.empty(0, np.uint32)
    terms, which = np.unique(np.concatenate([t for t, _ in parts]), return_inverse=True)
    counts = np.bincount(which, weights=np.concatenate([c for _, c in parts]))
    return terms, np.minimum(counts, 0xFFFFFFFF).astype(np.uint32)


def _words(bucket: bytes, terms: Terms, words: list[bytes], counters: Counters) -> Iterator[Pair]:
    best = best_forms(words, terms)
    counters.add("frequencies", "hash_collisions", best.shared)
    counters.add("frequencies", "terms_without_a_word", len(terms) - len(best.hashes) // 4)
    if best.hashes:
        yield bucket, b"%b%b %b" % (WORDS, b64encode(best.hashes), best.entries)
