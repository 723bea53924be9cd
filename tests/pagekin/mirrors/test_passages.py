"""Passages that two texts share, against runs of words that are looked for one by one."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from pagekin.mirrors.passages import Passage, compare_texts
from pagekin.mirrors.shingles import Likeness

_texts = st.lists(st.sampled_from(["bowline", "knot", "rope"]), max_size=25)


def plain_marks(words: list[str], others: list[str], length: int) -> list[bool]:
    """For each word: does it stand in a run of this text that the other one has, too?"""
    length_here, length_there = min(length, len(words)), min(length, len(others))
    if length_here != length_there:
        return [False] * len(words)
    runs = {tuple(others[k : k + length]) for k in range(len(others) - length_there + 1)}
    shared = [False] * len(words)
    for k in range(len(words) - length_here + 1):
        if tuple(words[k : k + length]) in runs:
            shared[k : k + length_here] = [True] * length_here
    return shared


def marks(passages: list[Passage]) -> list[tuple[bool, str]]:
    return [(passage.shared, word) for passage in passages for word in passage.words]


@given(_texts, _texts, st.integers(1, 6))
def test_twin(one: list[str], other: list[str], length: int) -> None:
    """Every word of both texts is told once, in its order, with whether it is shared; passages are
    as long as they can be."""
    first, second = (" ".join(words).encode() for words in (one, other))
    found = compare_texts(first, second, length)
    for own, others, passages in ((one, other, found.first), (other, one, found.second)):
        expected = list(zip(plain_marks(own, others, length), own, strict=True))
        assert expected == marks(passages)
        assert all(a.shared != b.shared for a, b in pairwise(passages))


def test_likeness() -> None:
    """Resemblance and containment are those of all shingles, exact however long the texts are."""
    words = [f"w{a}{b}{c}" for a in "abcdefghij" for b in "klmnopqrst" for c in "uvwxyzabcd"]
    whole, half = " ".join(words).encode(), " ".join(words[:500]).encode()
    found = compare_texts(half, whole, 5)
    assert Likeness(496, 496, 996, exact=True) == found.likeness
    assert 1.0 == found.likeness.containment
    assert [True] == [passage.shared for passage in found.first]
    assert [(True, 500), (False, 500)] == [(p.shared, len(p.words)) for p in found.second]


def test_empty() -> None:
    """An empty text shares nothing."""
    found = compare_texts(b"", b"a knot", 3)
    assert (0.0, [], [Passage(shared=False, words=["a", "knot"])]) == (
        found.likeness.resemblance,
        found.first,
        found.second,
    )
