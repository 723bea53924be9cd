"""Shingles against runs of words in sets of tuples, sketches against whole sets, and C against
Python.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.mirrors import shingles
from pagekin.mirrors.shingles import (
    MOST_KEPT,
    WHOLE,
    Fingerprints,
    Likeness,
    Sketch,
    compare,
    cut_words,
    fingerprints,
    make_sketch,
    mixed_runs,
    siphash,
)
from tests.natives import native

Runs = list[tuple[str, ...]]

_texts = st.lists(st.sampled_from(["bowline", "knot", "rope", "über"]), max_size=30)


def runs(words: list[str], length: int) -> Runs:
    """All runs of so many words; of a shorter text one."""
    if not words:
        return []
    length = min(length, len(words))
    return [tuple(words[k : k + length]) for k in range(len(words) - length + 1)]


def some(*numbers: int) -> Fingerprints:
    return np.array(numbers, np.uint64)


@given(_texts, _texts, st.integers(1, 12))
def test_equal_runs_of_words_and_no_others_have_equal_fingerprints(
    one: list[str], other: list[str], length: int
) -> None:
    """The i-th fingerprint is that of the run that begins with the i-th word, in every text."""
    known: dict[int, tuple[str, ...]] = {}
    for words in (one, other):
        found = fingerprints(" ".join(words).encode(), length).tolist()
        expected = runs(words, length)
        assert len(found) == len(expected)
        for fingerprint, run in zip(found, expected, strict=True):
            assert known.setdefault(fingerprint, run) == run
    assert len(known) == len(set(runs(one, length)) | set(runs(other, length)))


@given(_texts, _texts, st.integers(1, 4))
def test_resemblance_and_containment_are_those_of_the_sets(
    one: list[str], other: list[str], length: int
) -> None:
    """As [TOPK] defines them, of the runs of words as a set."""
    texts = (" ".join(words).encode() for words in (one, other))
    found = compare(*(make_sketch(fingerprints(text, length)) for text in texts))
    first, second = set(runs(one, length)), set(runs(other, length))
    shared = len(first & second)
    assert found == Likeness(shared, len(first), len(second), exact=True)
    assert found.resemblance == shared / max(len(first | second), 1)
    assert found.containment == shared / max(len(first), 1)
    assert found.other_containment == shared / max(len(second), 1)


def test_fingerprints_never_change() -> None:
    """They are stored: golden values."""
    found = fingerprints("Über  bowline-knots, &amp; 3 ropes".encode(), 3)
    assert [f"{number:016x}" for number in found.tolist()] == GOLDEN


GOLDEN = ["a629548493cfb73d", "49b63f050734a9f5", "706e81d9d02e9a23"]


def test_markers_are_no_words_and_all_words_count() -> None:
    """Stop words take part as they stand; what a page's text has of its structure does not."""
    assert cut_words(b"\x01 The \x02 \x08 knots \x0e of the THE") == [
        *("the", "knots", "of", "the", "the")
    ]


def test_words_beyond_ascii() -> None:
    """Letters stay as they are, what separates words does, and Chinese has a word a character."""
    assert cut_words("l’été—«Größe» Ночь\xa01 ความรัก 서울 ソフト、漢字 😀a€b 𠀋".encode()) == [
        *("l", "été", "größe", "Ночь", "ความรัก", "서울", "ソ", "フ", "ト", "漢", "字"),
        *("a", "b", "𠀋"),
    ]


_pieces = st.one_of(
    st.text(max_size=8).map(lambda text: text.encode("utf-8", "replace")),
    st.binary(max_size=4),
    st.sampled_from(
        [b"Knot", "Größe 漢字".encode(), b"\xe6\xbc", b"\xf0\xa0", b"\x01", b"w" * 300]
    ),
)


@given(
    st.lists(_pieces, max_size=12).map(b"".join),
    st.binary(min_size=16, max_size=16),
    st.integers(1, 20),
)
def test_c_makes_fingerprints_as_python_does(text: bytes, key: bytes, length: int) -> None:
    """Of any bytes, also of characters that are cut off, under any key."""
    part = native("pagekin.mirrors._shingles")
    words = [word for word in shingles._WORD.findall(text.lower()) if word]
    expected = mixed_runs([siphash(key, word) for word in words], length)
    found = np.frombuffer(part.fingerprints(text, key, length), np.uint64)
    assert found.tolist() == expected.tolist()


def test_python_alone_gives_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the part in C was not built."""
    text = "Über bowline-knots, &amp; 3 ropes 結び目".encode()
    expected = fingerprints(text, 3).tolist()
    monkeypatch.setattr(shingles, "_native", None)
    assert fingerprints(text, 3).tolist() == expected
    assert len(expected) == len(cut_words(text)) - 2 == 6


def test_the_hash_is_siphash() -> None:
    """The vector of its authors, and the length that tells nothing from zeros."""
    key = bytes(range(16))
    assert siphash(key, bytes(range(15))) == 0xA129CA6149BE45E5
    assert siphash(key, b"") == 0x726FDB47DD0E0E31
    assert len({siphash(key, bytes(size)) for size in range(20)}) == 20


def test_wrong_arguments_are_refused() -> None:
    """A key of another length, runs without words, and what is no bytes."""
    part = native("pagekin.mirrors._shingles")
    for key, length in ((b"", 1), (bytes(15), 1), (bytes(17), 1), (bytes(16), 0), (bytes(16), -1)):
        with pytest.raises(ValueError, match="a key has 16 bytes, and a run a word or more"):
            part.fingerprints(b"knot", key, length)
    with pytest.raises(TypeError):
        part.fingerprints("knot", bytes(16), 1)


@given(st.lists(st.integers(0, 99), max_size=60), st.lists(st.integers(0, 99), max_size=60))
def test_sketches_that_are_cut_compare_what_both_know(one: list[int], other: list[int]) -> None:
    """Of each the ten least are kept: what both know is what lies below the lesser reach."""
    found = compare(*(make_sketch(some(*numbers), 10) for numbers in (one, other)))
    kept = [sorted(set(numbers)) for numbers in (one, other)]
    reach = min(numbers[9] if len(numbers) > 10 else WHOLE for numbers in kept)
    first, second = ({n for n in numbers if n <= reach} for numbers in kept)
    whole = all(len(numbers) <= 10 for numbers in kept)
    assert found == Likeness(len(first & second), len(first), len(second), exact=whole)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5, 0.8, 0.95])
def test_the_error_of_sampled_sketches_is_as_stated(share: float) -> None:
    """Over 200 pairs of large sets the estimate of resemblance is off by sqrt(s (1 - s) / n)."""
    chance = np.random.default_rng(7)
    errors, expected = [], 0.0
    for _ in range(200):
        both, own = (chance.integers(0, WHOLE, 6000, np.uint64) for _ in range(2))
        shared = round(2 * 3000 * share / (1 + share))  # of 3,000 shingles of each
        rest = 3000 - shared
        one = np.concatenate([both[:shared], own[:rest]])
        other = np.concatenate([both[:shared], own[rest : 2 * rest]])
        found = compare(make_sketch(one), make_sketch(other))
        true = shared / (shared + 2 * rest)
        sampled = found.first + found.second - found.shared
        errors.append(found.resemblance - true)
        expected += true * (1 - true) / sampled / 200
        assert sampled >= MOST_KEPT
    assert sqrt(np.mean(np.square(errors))) == pytest.approx(sqrt(expected), rel=0.25)
    assert abs(np.mean(errors)) < 4 * sqrt(expected / 200)


@given(st.sets(st.integers(0, 99), max_size=40), st.sets(st.integers(0, 99), max_size=40))
def test_without_templates_is_the_difference_of_sets(page: set[int], site: set[int]) -> None:
    """Of a whole sketch exactly; of a sample, what it knows, and about as many as are left."""
    templates = some(*sorted(site))
    left = make_sketch(some(*page)).without(templates)
    assert left.fingerprints.tolist() == sorted(page - site)
    assert (left.shingles, left.reach) == (len(page - site), WHOLE)
    cut = make_sketch(some(*page), 5)
    known = set(cut.fingerprints.tolist())
    left = cut.without(templates)
    assert left.fingerprints.tolist() == sorted(known - site)
    assert left.shingles == len(page) * len(known - site) // max(len(known), 1)


def test_an_empty_text_is_like_nothing() -> None:
    """No shingles, and no division by their number."""
    empty = make_sketch(fingerprints(b" 12 \x01 ! \x02", 7))
    assert (empty.shingles, empty.reach, len(empty.fingerprints)) == (0, WHOLE, 0)
    assert compare(empty, Sketch(1, WHOLE, some(5))).resemblance == 0
    assert compare(empty, empty).containment == 0
