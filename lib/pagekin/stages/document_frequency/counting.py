"""Document frequencies: in how many bags each term stands, and how it is written.

    map -> reduce    key a bucket: the first hexadecimal digits of term hashes
                     value `df COUNTS`, in how many bags of a task the terms of the bucket stand, or
                     `words WORDS`, a record of words as it was read
    output           the same key; `df COUNTS` of all bags, and
                     `words HASHES ENTRIES`, for the terms that stand in a bag

COUNTS are n terms and behind them n counts, 32 bits each, in base64. A mapper counts the terms of
many bags in one call of numpy.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin import kinds
from pagekin.bags.bag import BAR, Bags, Entry, halves, is_bag
from pagekin.bags.vocabulary import DIGITS, Row, merge_words, read_forms
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.native import load
from pagekin.text.words import Form, Terms, term_hash

__all__ = [
    "DF",
    "WORDS",
    "Best",
    "best_forms",
    "count_terms",
    "plain_best_forms",
    "reduce_buckets",
    "unpack_counts",
    "unpack_words",
]

Counts = NDArray[np.uint32]

DF = b"df "  # sorts before WORDS
WORDS = b"words "
_ENOUGH = 8_000_000  # bytes of values: 3 MB of terms, as much of weights, and again for the sort
_native = load("pagekin.bags._words")
_HELD = 8 << 20  # bytes of counts of one bucket that are added up at once, or twice their sum


def count_terms(pairs: Iterable[Pair], counters: Counters) -> Iterator[Pair]:
    """The mapper: records of counts from those of bags, and the words of the same buckets."""
    bags: list[Pair] = []
    size = 0
    for pair in pairs:
        if kinds.WORDS.holds(pair[0]):
            yield pair[0].removeprefix(kinds.WORDS.prefix), WORDS + pair[1]
        elif is_bag(pair):
            bags.append(pair)
            size += len(pair[1])
            if size > _ENOUGH:
                yield from _counts(bags, counters)
                bags, size = [], 0
    yield from _counts(bags, counters)


def _counts(bags: list[Pair], counters: Counters) -> Iterator[Pair]:
    """For each bucket in how many of these bags its terms stand."""
    counters.add("frequencies", "bags", len(bags))
    terms, counts = np.unique(Bags.read(bags).terms, return_counts=True)
    df = counts.astype(np.uint32)
    buckets, starts = np.unique(terms >> np.uint32(32 - 4 * DIGITS), return_index=True)
    for bucket, (a, b) in zip(buckets.tolist(), pairwise([*starts, len(terms)]), strict=True):
        yield b"%0*x" % (DIGITS, bucket), DF + _pack(terms[a:b], df[a:b])


def _pack(terms: Terms, counts: Counts) -> bytes:
    return b64encode(terms.tobytes() + counts.tobytes())


def unpack_counts(*texts: bytes) -> tuple[Terms, Counts]:
    """The terms and counts of records, one behind another."""
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


def reduce_buckets(pairs: Iterable[Pair], counters: Counters) -> Iterator[Pair]:
    """The reducer: of each bucket the df of its terms, and the words of those that are in a bag."""
    for bucket, group in groupby(pairs, key=itemgetter(0)):
        counts: list[bytes] = []
        words: list[bytes] = []
        size, most = 0, _HELD
        for _, value in group:
            if value.startswith(DF):
                counts.append(value.removeprefix(DF))
                size += len(value)
                if size > most:
                    counts = [_pack(*_add_up(*unpack_counts(*counts)))]
                    size = len(counts[0])
                    most = max(_HELD, 2 * size)
            else:
                words.append(value.removeprefix(WORDS))
        terms, df = _add_up(*unpack_counts(*counts))
        if len(terms):
            counters.add("frequencies", "terms", len(terms))
            counters.add("frequencies", "incidences", int(df.sum()))
            yield bucket, DF + _pack(terms, df)
        yield from _words(bucket, terms, words, counters)


def _add_up(terms: Terms, counts: Counts) -> tuple[Terms, Counts]:
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


# --- the words of a bucket ---


class Best(NamedTuple):
    """What becomes of a record: the hashes that are used, ascending, and their entries in the
    dictionary, parted by bars; how many of the hashes are shared by terms.
    """

    hashes: bytes
    entries: bytes
    shared: int


def best_forms(values: list[bytes], used: Terms) -> Best:
    """For each hash that is used its term with the most frequent form.

    Of terms that share a hash the more frequent one gives the name; ties go to the first in order.
    `used` ascend; with several values equal forms are added up.
    """
    if not values:
        return Best(b"", b"", 0)
    value = merge_words(values) if len(values) > 1 else values[0]
    if _native is None:
        return plain_best_forms(value, used)
    return Best(*_native.best_forms(value, used))


def plain_best_forms(value: bytes, used: Terms) -> Best:
    """The same of one value, in Python."""
    best, shared = _best_forms(read_forms(value), set(used.tolist()))
    hashes = np.array([form.hash for form in best], np.uint32)
    entries = [Entry(form.term, form.form).text() for form in best]
    return Best(hashes.tobytes(), BAR.join(entries), shared)


def _best_forms(rows: Iterable[Row], used: Container[int]) -> tuple[list[Form], int]:
    of_terms: dict[str, list[tuple[int, str]]] = {}
    for term, form, count in rows:
        of_terms.setdefault(term, []).append((-count, form))
    of_hashes: dict[int, list[tuple[int, str]]] = {}
    for term, forms in of_terms.items():
        if (hash_ := term_hash(term)) in used:
            of_hashes.setdefault(hash_, []).append((sum(count for count, _ in forms), term))
    best: list[Form] = []
    for hash_, terms in sorted(of_hashes.items()):
        _, term = min(terms)
        count, form = min(of_terms[term])
        best.append(Form(hash_, term, form, -count))
    return best, sum(len(terms) > 1 for terms in of_hashes.values())
