"""The words behind the hashes, on their way from the mappers to the dictionary; stop lists stored.

Words travel in 256 buckets, of term hashes that begin with the same two hexadecimal digits, key
`!words/xx`. With 4,096 buckets a build of 2,000 pages takes 3 % longer. A reducer holds one bucket
at a time. A record is two columns, counts and names, a blank between: `7,2
bee s|hive`. A name is the letters that form and term begin with, and behind blanks how the form
ends and how the term does, where they do: `bee s` is bees of bee, and `happ y i` happy of happi.
Neither words nor canonical URLs hold blanks or bars. The hash follows from the term.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path

import numpy as np

from pagekin.kinds import Pair
from pagekin.native import load
from pagekin.tables import ArrayFile, write_arrays
from pagekin.text.words import Forms, StopLists

__all__ = [
    "DIGITS",
    "WORDS_KEY",
    "Row",
    "forms_records",
    "is_forms",
    "merge_among",
    "merge_forms",
    "merge_words",
    "merged",
    "name_of",
    "plain_forms_records",
    "read_forms",
    "read_stop_lists",
    "write_stop_lists",
]

Row = tuple[str, str, int]  # term, form, how often it was seen

WORDS_KEY = b"!words/"
DIGITS = 2  # hexadecimal ones of a hash, that name a bucket
_HELD = 2 << 20  # bytes of records of one bucket that are merged at once, or twice the merged one
_STOP_LISTS_KIND = "stop lists"
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
                values = [merge_words(values)]
                size = len(values[0])
                most = max(_HELD, 2 * size)
        yield key, merge_words(values) if len(values) > 1 else values[0]


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


merge_words: Callable[[list[bytes]], bytes] = _native.merge_words if _native else merged


# --- derived stop lists ---------------------------------------------------------------------------


def read_stop_lists(path: str | Path | None) -> StopLists:
    """The derived stop lists that were stored; none without a path."""
    if not path:
        return {}
    lines = ArrayFile(Path(path), _STOP_LISTS_KIND)["text"].tobytes().decode().splitlines()
    return {line.split(" ")[0]: frozenset(line.split(" ")[1:]) for line in lines}


def write_stop_lists(path: Path, lists: Mapping[str, Iterable[str]]) -> None:
    """Store derived stop lists: a line for each language."""
    lines = [" ".join([language, *words]) for language, words in sorted(lists.items())]
    text = "\n".join(lines).encode()
    write_arrays(path, _STOP_LISTS_KIND, {}, {"text": np.frombuffer(text, np.uint8)})
