"""The words behind the hashes, on their way from the mappers to the dictionary.

Words travel in buckets of term hashes that begin with the same three hexadecimal digits, key
`!words/xxx`, so that a task writes at most 4,096 records of them and a reducer holds one bucket at
a time. A record is a list of `form count term`, or `form count` where the term is the form, with a
bar between entries: neither words nor canonical URLs hold blanks or bars. The hash follows from the
term.
"""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np

from pagekin.text.words import Form, term_hash

__all__ = ["WORDS_KEY", "best_forms", "forms_records", "is_forms", "merge_forms", "parse_forms"]

Pair = tuple[bytes, bytes]

WORDS_KEY = b"!words/"
_BUCKET_SHIFT = 20  # of 32 bits: three hexadecimal digits are left


def is_forms(pair: Pair) -> bool:
    """Does the record hold words?"""
    return pair[0].startswith(WORDS_KEY)


def forms_records(forms: Iterable[tuple[int, str, str, int]]) -> Iterator[Pair]:
    """Forms packed into one record per bucket."""
    hashes, entries = array("I"), []
    for hash_, term, form, count in forms:
        hashes.append(hash_)
        entries.append(f"{form} {count}" if term == form else f"{form} {count} {term}")
    buckets = np.frombuffer(hashes, dtype=np.uint32) >> np.uint32(_BUCKET_SHIFT)
    order = np.argsort(buckets, kind="stable")
    present, starts = np.unique(buckets[order], return_index=True)
    bounds = pairwise([*starts.tolist(), len(entries)])
    for bucket, (start, end) in zip(present.tolist(), bounds, strict=True):
        text = "|".join(map(entries.__getitem__, order[start:end].tolist()))
        yield b"%s%03x" % (WORDS_KEY, bucket), text.encode("utf-8", "replace")


def parse_forms(value: bytes) -> Iterator[Form]:
    """The forms of one record."""
    return (Form(term_hash(term), term, form, n) for term, form, n in _entries(value))


def _entries(value: bytes) -> Iterator[tuple[str, str, int]]:
    """Term, form and count of each entry."""
    for entry in value.decode("utf-8").split("|"):
        form, _, rest = entry.partition(" ")
        count, _, term = rest.partition(" ")
        yield term or form, form, int(count)


def merge_forms(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """One record per bucket, the counts of equal forms added up, ordered by form and term.

    Nothing is decoded, and no term is hashed: it is in the right bucket.
    """
    for key, group in groupby(pairs, key=itemgetter(0)):
        counts: defaultdict[tuple[bytes, bytes], int] = defaultdict(int)
        for _, value in group:
            for entry in value.split(b"|"):
                form, _, rest = entry.partition(b" ")
                count, blank, term = rest.partition(b" ")
                counts[form, blank + term] += int(count)
        yield key, b"|".join([b"%b %d%b" % (f, n, t) for (f, t), n in sorted(counts.items())])


def best_forms(forms: Iterable[Form]) -> tuple[list[Form], int]:
    """For each hash its term with the most frequent form, and how many hashes are shared by terms.

    Of terms that share a hash the more frequent one gives the name; ties go to the first in order.
    """
    best: list[Form] = []
    collisions = 0
    for _, group in groupby(sorted(forms), key=itemgetter(0)):
        by_term = [list(g) for _, g in groupby(group, key=itemgetter(1))]
        collisions += len(by_term) > 1
        entries = max(by_term, key=lambda fs: sum(f.seen for f in fs))
        best.append(max(entries, key=lambda f: f.seen))
    return best, collisions
