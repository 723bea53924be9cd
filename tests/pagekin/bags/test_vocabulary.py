"""Words on their way to the dictionary: the same records from any number of tasks, and a twin."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags import vocabulary
from pagekin.bags.vocabulary import (
    WORDS_KEY,
    best_forms,
    forms_records,
    merge_forms,
    read_forms,
)
from pagekin.text.words import Form, Forms, term_hash
from tests.forms import parse_forms
from tests.natives import native

TERMS = st.sampled_from(["bee", "hive", "honei", "été", "蜜蜂", "link:http://a.example/"])
ROWS = st.tuples(TERMS, st.sampled_from(["bee", "bees", "hive", "été"]), st.integers(1, 5))
TASKS = st.lists(st.lists(ROWS, max_size=12), max_size=4)


def forms_of(rows: list[tuple[str, str, int]]) -> list[Form]:
    return [Form(term_hash(term), term, form, count) for term, form, count in rows]


def merged(tasks: list[list[tuple[str, str, int]]]) -> list[tuple[bytes, bytes]]:
    pairs = [pair for rows in tasks for pair in forms_records([Forms.of(forms_of(rows))])]
    return list(merge_forms(sorted(pairs)))


@given(TASKS)
def test_tasks_leave_no_trace(tasks: list[list[tuple[str, str, int]]]) -> None:
    """Counts add up, and the bytes are those of one task that saw all."""
    found = merged(tasks)
    assert merged([[row for rows in tasks for row in rows]]) == found
    counts: Counter[tuple[str, str]] = Counter()
    for key, value in found:
        for form in parse_forms(value):
            assert key == b"%s%03x" % (WORDS_KEY, form.hash >> 20)
            counts[form.term, form.form] += form.seen
    expected: Counter[tuple[str, str]] = Counter()
    for term, form, count in (row for rows in tasks for row in rows):
        expected[term, form] += count
    assert expected == counts


def test_record() -> None:
    """Two columns: counts, and names with their terms where these are others."""
    rows = forms_of([("bee", "bees", 7), ("bee", "bee", 2)])
    [(_, value)] = forms_records([Forms.of(rows)])
    assert b"2,7 bee|bees bee" == value
    assert [("bee", "bee", 2), ("bee", "bees", 7)] == list(read_forms(value))
    assert [] == list(forms_records([]))


@given(st.lists(ROWS), st.sets(TERMS))
def test_best_forms(rows: list[tuple[str, str, int]], used: set[str]) -> None:
    """The most frequent form of each term that is used, the first of equal ones."""
    hashes = {term_hash(term) for term in used}
    best, collisions = best_forms(rows, hashes)
    seen: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for term, form, count in rows:
        if term in used:
            seen[term].append((-count, form))
    expected = [Form(term_hash(t), t, min(fs)[1], -min(fs)[0]) for t, fs in seen.items()]
    assert (sorted(expected), 0) == (best, collisions)


@given(st.lists(st.dictionaries(st.text("ab é日", min_size=1), st.integers(1, 2**40)), max_size=9))
def test_merging_in_c(parts: list[dict[str, int]]) -> None:
    """As in Python, of any number of records, whatever names they share."""
    parts = [part or {"z": 1} for part in parts] or [{"z": 1}]
    records = [
        f"{','.join(str(part[name]) for name in sorted(part))} {'|'.join(sorted(part))}".encode()
        for part in parts
    ]
    assert vocabulary.merged(records) == native("pagekin.bags._words").merge_words(records)


@pytest.mark.parametrize(
    "wrong",
    [b"", b"1", b"1 a|b", b"1,2 a", b"x a", b"1, a", b" a", "1 a", b"1,2 b|a", b"9" * 20 + b" a"],
)
def test_broken_records_in_c(wrong: bytes) -> None:
    """Counts and names that do not belong together are refused, at any place."""
    merge = native("pagekin.bags._words").merge_words
    for records in ([wrong, b"1 a"], [b"1 a", b"1 b", wrong, b"1 c"]):
        with pytest.raises((ValueError, TypeError)):
            merge(records)
    for records in ([], (b"1 a",)):
        with pytest.raises(ValueError, match="one and more"):
            merge(records)
