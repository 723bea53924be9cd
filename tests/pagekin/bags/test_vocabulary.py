"""Words on their way to the dictionary: the same records from any number of tasks, and a twin."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags import vocabulary
from pagekin.bags.vocabulary import (
    WORDS_KEY,
    forms_records,
    merge_forms,
    name_of,
    read_forms,
    read_stop_lists,
    write_stop_lists,
)
from pagekin.config import TextConfig
from pagekin.stages.document_frequency.counting import Best, best_forms, plain_best_forms
from pagekin.tables import ArrayFile
from pagekin.text.words import Form, Forms, Vocabulary, term_hash
from tests.forms import parse_forms
from tests.natives import native

TERMS = st.sampled_from(["bee", "hive", "honei", "été", "蜜蜂", "link:http://a.example/"])
ROWS = st.tuples(TERMS, st.sampled_from(["bee", "bees", "hive", "été"]), st.integers(1, 5))
TASKS = st.lists(st.lists(ROWS, max_size=12), max_size=4)


NAMES = st.text("ab é日𝒳", min_size=1).filter(lambda name: " " not in name)
COLUMNS = st.lists(st.tuples(st.integers(0, 3), NAMES, NAMES, st.integers(0, 2**40)), max_size=20)


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
            assert key == b"%s%02x" % (WORDS_KEY, form.hash >> 24)
            counts[form.term, form.form] += form.seen
    expected: Counter[tuple[str, str]] = Counter()
    for term, form, count in (row for rows in tasks for row in rows):
        expected[term, form] += count
    assert expected == counts


def test_record() -> None:
    """Two columns: counts, and names with their terms where these are others."""
    rows = forms_of([("bee", "bees", 7), ("bee", "bee", 2)])
    [(_, value)] = forms_records([Forms.of(rows)])
    assert b"2,7 bee|bee s" == value
    assert [("bee", "bee", 2), ("bee", "bees", 7)] == list(read_forms(value))
    assert [] == list(forms_records([]))


@pytest.mark.parametrize(
    ("term", "form", "name"),
    [
        ("bee", "bee", "bee"),
        ("bee", "bees", "bee s"),
        ("happi", "happy", "happ y i"),
        ("beex", "bee", "bee  x"),
        ("link:http://a/", "http://a/", " http://a/ link:http://a/"),
        ("é", "è", " è é"),
    ],
)
def test_name(term: str, form: str, name: str) -> None:
    """What form and term begin with, and how they end; no letter is parted."""
    assert name == name_of(term, form)
    [(_, value)] = forms_records([Forms.of(forms_of([(term, form, 3)]))])
    assert f"3 {name}".encode() == value
    assert [(term, form, 3)] == list(read_forms(value))


def record_of(rows: list[tuple[str, str, int]]) -> bytes:
    """One record, whatever the buckets of the terms are."""
    names = [name_of(term, form) for term, form, _ in rows]
    counts = Counter[str]()
    for name, (_, _, count) in zip(names, rows, strict=True):
        counts[name] += count
    names = sorted(counts)
    return f"{','.join(str(counts[name]) for name in names)} {'|'.join(names)}".encode()


@given(st.lists(st.lists(ROWS, min_size=1), max_size=3), st.sets(TERMS))
def test_best_forms(parts: list[list[tuple[str, str, int]]], used: set[str]) -> None:
    """The most frequent form of each term that is used, the first of equal ones."""
    hashes = np.array(sorted(map(term_hash, used)), np.uint32)
    seen: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for term, form, count in (row for rows in parts for row in rows):
        if term in used:
            seen[term][form] += count
    best = {term: min(forms, key=lambda f: (-forms[f], f)) for term, forms in seen.items()}
    terms = sorted(best, key=term_hash)
    found = best_forms([record_of(rows) for rows in parts], hashes)
    assert [term_hash(term) for term in terms] == np.frombuffer(found.hashes, "<u4").tolist()
    assert "|".join(f"{term} {best[term]}" for term in terms) == found.entries.decode()
    assert 0 == found.shared


SHARED = ["dywezt", "ekktnm", "gedrtp", "ydllsj"]  # two and two have one hash
OF_SHARED = st.tuples(st.sampled_from(SHARED), st.sampled_from("ab"), st.integers(0, 3))


def test_shared_hash() -> None:
    """The more frequent term gives the name, of equal ones the first, and it is counted."""
    rows = [("dywezt", "a", 2), ("dywezt", "b", 2), ("ekktnm", "ekktnm", 3), ("ydllsj", "c", 1)]
    used = np.array(sorted({term_hash(term) for term in SHARED}), np.uint32)
    assert 2 == len(used)
    found = best_forms([record_of(rows)], used)
    assert ({b"dywezt a", b"ydllsj c"}, 1) == (set(found.entries.split(b"|")), found.shared)
    found = best_forms([record_of([("ekktnm", "a", 4), ("dywezt", "a", 4)])], used)
    assert (b"dywezt a", 1) == (found.entries, found.shared)


@given(st.lists(OF_SHARED | st.tuples(NAMES, NAMES, st.integers(0, 9)), min_size=1))
def test_best_forms_in_c(rows: list[tuple[str, str, int]]) -> None:
    """As in Python, also where terms share a hash."""
    used = np.array(sorted({term_hash(term) for term, _, _ in rows[::2]}), np.uint32)
    value = record_of(rows)
    in_c = native("pagekin.bags._words").best_forms
    assert plain_best_forms(value, used) == Best(*in_c(value, used))


@given(st.lists(COLUMNS, max_size=4))
def test_records_in_c(tasks: list[list[tuple[int, str, str, int]]]) -> None:
    """As in Python, whatever parts share a bucket, a name or nothing."""
    parts = [
        Forms(
            np.array([bucket << 24 | n for n, (bucket, *_) in enumerate(rows)], np.uint32),
            [term for _, term, _, _ in rows],
            [form for _, _, form, _ in rows],
            np.array([seen for *_, seen in rows], np.int64),
        )
        for rows in tasks
    ]
    in_c = native("pagekin.bags._words").forms_records
    plain = list(vocabulary.plain_forms_records(parts))
    assert plain == in_c(parts) == in_c(iter(parts))


@pytest.mark.parametrize(
    "wrong",
    [
        (b"1234", ["a"], ["a"]),
        (b"1234", ["a"], ["a", "b"], bytes(8)),
        (b"1234", ["a"], ["a"], bytes(16)),
        (b"12345", ["a"], ["a"], bytes(8)),
        (b"1234", [1], ["a"], bytes(8)),
        (b"1234", ["a"], [b"a"], bytes(8)),
        (b"1234", ["a"], ["a"], b"\xff" * 8),
        (b"1234", ("a",), ["a"], bytes(8)),
        [b"1234", ["a"], ["a"], bytes(8)],
        None,
    ],
)
def test_broken_columns_in_c(wrong: object) -> None:
    """Columns that are not of one length or kind are refused, behind right ones too."""
    records = native("pagekin.bags._words").forms_records
    right = (b"1234", ["a"], ["a"], bytes(8))
    for parts in ([wrong], [right, wrong], wrong):
        with pytest.raises((TypeError, ValueError, SystemError)):
            records(parts)


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
    with pytest.raises((ValueError, TypeError)):
        native("pagekin.bags._words").best_forms(wrong, b"")
    for records in ([wrong, b"1 a"], [b"1 a", b"1 b", wrong, b"1 c"]):
        with pytest.raises((ValueError, TypeError)):
            merge(records)
    for records in ([], (b"1 a",)):
        with pytest.raises(ValueError, match="one and more"):
            merge(records)


# --- derived stop lists ---


def test_derived_stop_lists(tmp_path):
    """They are stored as sets by language; a vocabulary drops their words in their language alone,
    and never in place of a list that is shipped.
    """
    path = tmp_path / "stops.arrays"
    write_stop_lists(path, {"sv": ["och", "är"], "en": ["bees"], "cs": []})
    lists = read_stop_lists(path)
    assert {"sv": {"och", "är"}, "en": {"bees"}, "cs": frozenset()} == lists
    assert {} == read_stop_lists(None)
    vocabulary = Vocabulary(TextConfig(), lists)
    for language, kept in (("sv", ["bees"]), ("da", ["och", "bees"]), ("en", ["och", "bees"])):
        table = vocabulary.table(language)
        words = ["och", "bees"]
        dropped = table.terms(table.numbers_of(words)) == 0
        assert kept == [w for w, gone in zip(words, dropped.tolist(), strict=True) if not gone]
    plain = Vocabulary(TextConfig(stop_words=False), lists).table("sv")
    assert 0 not in plain.terms(plain.numbers_of(["och"]))


def test_no_derived_stop_lists(tmp_path):
    """A snapshot may have no such language."""
    write_stop_lists(tmp_path / "stops.arrays", {})
    assert {} == read_stop_lists(tmp_path / "stops.arrays")


def test_golden_stop_lists(tmp_path):
    """The bytes of the table are fixed."""
    write_stop_lists(tmp_path / "stops.arrays", {"sv": ["och", "är"], "cs": ["a"]})
    file = ArrayFile(tmp_path / "stops.arrays", "stop lists")
    assert "cs a\nsv och är".encode() == file["text"].tobytes()
