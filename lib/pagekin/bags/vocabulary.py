"""The words behind the hashes, on their way from the mappers to the dictionary.

Words travel in buckets of term hashes that begin with the same three hexadecimal digits, key
`!words/xxx`, so that a task writes at most 4,096 records of them and a reducer holds one bucket at
a time. A record is two columns, counts and names, a blank between: `7,2 bees bee|hive`. A name is
`form term`, or `form` where the term is the form; neither words nor canonical URLs hold blanks or
bars. The hash follows from the term.
"""

from __future__ import annotations

from array import array
from collections.abc import Container, Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np

from pagekin.text.words import Form, term_hash

__all__ = [
    "WORDS_KEY",
    "Row",
    "best_forms",
    "forms_records",
    "is_forms",
    "merge_forms",
    "parse_forms",
    "read_forms",
]

Pair = tuple[bytes, bytes]
Row = tuple[str, str, int]  # term, form, how often it was seen

WORDS_KEY = b"!words/"
_BUCKET_SHIFT = 20  # of 32 bits: three hexadecimal digits are left


def is_forms(pair: Pair) -> bool:
    """Does the record hold words?"""
    return pair[0].startswith(WORDS_KEY)


def forms_records(forms: Iterable[tuple[int, str, str, int]]) -> Iterator[Pair]:
    """Forms packed into one record per bucket, each once, ordered by their names."""
    hashes, names, counts = array("I"), list[str](), array("Q")
    for hash_, term, form, count in forms:
        hashes.append(hash_)
        names.append(form if term == form else f"{form} {term}")
        counts.append(count)
    buckets = np.frombuffer(hashes, dtype=np.uint32) >> np.uint32(_BUCKET_SHIFT)
    order = np.argsort(buckets, kind="stable")
    present, starts = np.unique(buckets[order], return_index=True)
    bounds = pairwise([*starts.tolist(), len(names)])
    for bucket, (start, end) in zip(present.tolist(), bounds, strict=True):
        totals: dict[str, int] = {}  # languages share words
        for place in order[start:end].tolist():
            name = names[place]
            totals[name] = totals.get(name, 0) + counts[place]
        some = sorted(totals)
        text = f"{','.join(map(str, map(totals.__getitem__, some)))} {'|'.join(some)}"
        yield b"%s%03x" % (WORDS_KEY, bucket), text.encode("utf-8", "replace")


def _columns(value: bytes) -> tuple[list[bytes], list[int]]:
    """Names and counts of a record."""
    counts, _, names = value.partition(b" ")
    return names.split(b"|"), list(map(int, counts.split(b",")))


def parse_forms(value: bytes) -> Iterator[Form]:
    """The forms of one record."""
    return (Form(term_hash(term), term, form, n) for term, form, n in read_forms(value))


def read_forms(value: bytes) -> Iterator[Row]:
    """Term, form and count of each entry of a record."""
    counts, _, names = value.decode("utf-8").partition(" ")
    for name, count in zip(names.split("|"), counts.split(","), strict=True):
        form, _, term = name.partition(" ")
        yield term or form, form, int(count)


def merge_forms(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """One record per bucket, the counts of equal forms added up, ordered by names.

    Nothing is decoded, and no term is hashed: it is in the right bucket.
    """
    for key, group in groupby(pairs, key=itemgetter(0)):
        first, *others = (value for _, value in group)
        yield key, _merged([first, *others]) if others else first


def _merged(values: Iterable[bytes]) -> bytes:
    totals: dict[bytes, int] = {}
    for names, counts in map(_columns, values):
        for name, count in zip(names, counts, strict=True):
            totals[name] = totals.get(name, 0) + count
    some = sorted(totals)
    counts_text = ",".join(map(str, map(totals.__getitem__, some)))
    return b"%b %b" % (counts_text.encode(), b"|".join(some))


def best_forms(rows: Iterable[Row], used: Container[int]) -> tuple[list[Form], int]:
    """For each hash that is used its term with the most frequent form, and how many hashes are
    shared by terms.

    Of terms that share a hash the more frequent one gives the name; ties go to the first in order.
    """
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
