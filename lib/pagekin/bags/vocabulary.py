"""The words behind the hashes, on their way from the mappers to the dictionary.

Words travel in 256 buckets, of term hashes that begin with the same two hexadecimal digits, key
`!words/xx`. With 4,096 buckets a build of 2,000 pages takes 3 % longer. A reducer holds one bucket
at a time. A record is two columns, counts and names, a blank between: `7,2
bee s|hive`. A name is the letters that form and term begin with, and behind blanks how the form
ends and how the term does, where they do: `bee s` is bees of bee, and `happ y i` happy of happi.
Neither words nor canonical URLs hold blanks or bars. The hash follows from the term.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from pagekin.bags.bag import Entry
from pagekin.kinds import Pair
from pagekin.native import load
from pagekin.text.words import Form, Forms, Terms, term_hash

__all__ = [
    "WORDS_KEY",
    "Best",
    "best_forms",
    "forms_records",
    "is_forms",
    "merge_among",
    "merge_forms",
    "merged",
    "name_of",
    "plain_best_forms",
    "plain_forms_records",
    "read_forms",
]

Row = tuple[str, str, int]  # term, form, how often it was seen

WORDS_KEY = b"!words/"
DIGITS = 2  # hexadecimal ones of a hash, that name a bucket
_HELD = 8 << 20  # bytes of records of one bucket that are merged at once, or twice the merged one
_native = load("pagekin.bags._words")


def is_forms(pair: Pair) -> bool:
    """Does the record hold words?"""
    return pair[0].startswith(WORDS_KEY)


def forms_records(parts: Iterable[Forms]) -> Iterator[Pair]:
    """Forms packed into one record per bucket, each once, ordered by their names."""
    return plain_forms_records(parts) if _native is None else iter(_native.forms_records(parts))


def plain_forms_records(parts: Iterable[Forms]) -> Iterator[Pair]:
    """The same, in Python."""
    names: list[str] = []
    hashes, seen = [np.empty(0, np.uint32)], [np.empty(0, np.int64)]
    for part in parts:
        names += map(name_of, part.terms, part.forms)
        hashes.append(part.hashes)
        seen.append(part.seen)
    buckets = np.concatenate(hashes) >> np.uint32(32 - 4 * DIGITS)
    order = np.argsort(buckets, kind="stable")
    present, starts = np.unique(buckets[order], return_index=True)
    bounds = pairwise([*starts.tolist(), len(names)])
    counts, places = np.concatenate(seen)[order].tolist(), order.tolist()
    for bucket, (start, end) in zip(present.tolist(), bounds, strict=True):
        some = list(map(names.__getitem__, places[start:end]))
        totals = _totals(some, counts[start:end])
        yield b"%s%0*x" % (WORDS_KEY, DIGITS, bucket), _record(totals).encode("utf-8", "replace")


def name_of(term: str, form: str) -> str:
    """How a form of a term is told."""
    if term == form:
        return form
    letters = zip(term, form, strict=False)
    differs = (place for place, (a, b) in enumerate(letters) if a != b)
    place = next(differs, min(len(term), len(form)))
    ending = term[place:]
    return f"{form[:place]} {form[place:]}" + (f" {ending}" if ending else "")


def _totals(names: list[str], counts: list[int]) -> dict[str, int]:
    """How often each name was seen; languages share words."""
    totals = dict(zip(names, counts, strict=True))
    if len(totals) == len(names):
        return totals
    totals = {}
    for name, count in zip(names, counts, strict=True):
        totals[name] = totals.get(name, 0) + count
    return totals


def _record(totals: dict[str, int]) -> str:
    names = sorted(totals)
    return f"{','.join(map(str, map(totals.__getitem__, names)))} {'|'.join(names)}"


def read_forms(value: bytes) -> Iterator[Row]:
    """Term, form and count of each entry of a record."""
    counts, _, names = value.decode("utf-8").partition(" ")
    for name, count in zip(names.split("|"), counts.split(","), strict=True):
        start, _, endings = name.partition(" ")
        of_form, _, of_term = endings.partition(" ")
        yield start + of_term, start + of_form, int(count)


def merge_forms(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """One record per bucket, the counts of equal forms added up, ordered by names.

    No term is hashed: it is in the right bucket.
    """
    for key, group in groupby(pairs, key=itemgetter(0)):
        values: list[bytes] = []
        size, most = 0, _HELD
        for _, value in group:
            values.append(value)
            size += len(value)
            if size > most:
                values = [_merge(values)]
                size = len(values[0])
                most = max(_HELD, 2 * size)
        yield key, _merge(values) if len(values) > 1 else values[0]


def merge_among(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The same where records of other kinds stand among them, which stay as they are."""
    for words, run in groupby(pairs, key=is_forms):
        merge = merge_forms if words else iter
        yield from merge(run)


def merged(values: list[bytes]) -> bytes:
    """One record of several."""
    names: list[str] = []
    counts: list[int] = []
    for value in values:
        some, _, words = value.decode().partition(" ")
        names += words.split("|")
        counts += map(int, some.split(","))
    return _record(_totals(names, counts)).encode()


_merge: Callable[[list[bytes]], bytes] = _native.merge_words if _native else merged


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
    value = _merge(values) if len(values) > 1 else values[0]
    if _native is None:
        return plain_best_forms(value, used)
    return Best(*_native.best_forms(value, used))


def plain_best_forms(value: bytes, used: Terms) -> Best:
    """The same of one value, in Python."""
    best, shared = _best_forms(read_forms(value), set(used.tolist()))
    hashes = np.array([form.hash for form in best], np.uint32)
    entries = [Entry(form.term, form.form).text() for form in best]
    return Best(hashes.tobytes(), b"|".join(entries), shared)


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
