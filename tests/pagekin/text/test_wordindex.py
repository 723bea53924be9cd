"""Words looked up by their letters, a page at once: the same numbers as from the dictionary."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import TextConfig
from pagekin.text import markup as m
from pagekin.text import wordindex as module
from pagekin.text.tokens import cut_tokens, tokenise
from pagekin.text.wordindex import WordIndex, word_names
from pagekin.text.words import WordTable

SHORT = st.text("abcdé日ア𠀀", min_size=1, max_size=3)
WORDS = SHORT | st.sampled_from(["bees", "the", "x" * 64, "x" * 65, "y" * 300, m.LINK, m.LINK_END])
PAGES = st.lists(st.lists(WORDS, max_size=40).map(" ".join), max_size=6)


class Counted(dict[str, int]):
    """Numbers words as they come, and keeps what it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def __getitem__(self, word: str) -> int:
        self.asked.append(word)
        return self.setdefault(word, len(self))


@pytest.fixture
def _small(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Few letters at once, and few slots, so that all limits are met."""
    monkeypatch.setattr(module, "_AT_ONCE", 50)
    monkeypatch.setattr(module, "_SMALLEST", 2)
    yield


@given(PAGES)
def test_same_numbers(pages: list[str]) -> None:
    """Page after page the numbers are those of the same words one by one."""
    at_once, one_by_one = (WordTable(TextConfig(max_letters=100), "en") for _ in range(2))
    for page in pages:
        expected = one_by_one.numbers(tokenise(page)).tolist()
        assert expected == at_once.numbers(cut_tokens(page)).tolist()
        assert list(at_once.forms()) == list(one_by_one.forms())


@pytest.mark.usefixtures("_small")
def test_limits() -> None:
    """Words across pieces, far too long ones, and full slots change nothing."""
    rng = np.random.default_rng(3)
    index, numbers = WordIndex(), Counted()
    for _ in range(60):
        sizes = rng.integers(1, 90, size=30)
        page = " ".join("".join(rng.choice(list("abc"), size=n)) for n in sizes)
        assert [numbers.setdefault(w, len(numbers)) for w in tokenise(page)] == index.numbers(
            cut_tokens(page), numbers
        ).tolist()


def test_names() -> None:
    """A name follows from the letters alone, wherever the word stands; long words have none."""
    text = " ".join(f"{'z' * k} bees dc cc {'x' * 65} été 日本" for k in range(1, 40))
    tokens = cut_tokens(text)
    by_word: dict[str, set[int]] = {}
    for word, name in zip(tokens.all(), word_names(tokens).tolist(), strict=True):
        by_word.setdefault(word, set()).add(name)
    assert {0} == by_word.pop("x" * 65)
    assert all(len(names) == 1 for names in by_word.values())
    assert len(by_word) == len(set.union(*by_word.values()))
    assert by_word["bees"] == set(word_names(cut_tokens("𠀀 bees"))[1:].tolist())


def test_names_are_far_apart() -> None:
    """All words of three letters have names of their own."""
    letters = "abcdefghijklmnopqrstuvwxyzäöüß"
    text = " ".join(a + b + c for a in letters for b in letters for c in letters)
    assert len(letters) ** 3 == len(np.unique(word_names(cut_tokens(text))))


def test_the_dictionary_is_asked_once() -> None:
    """What was met before is found without it, but for words that found no slot free."""
    words = [f"w{'abcdefghij'[k % 10]}{chr(0x61 + k // 10 % 26)}{chr(0x61 + k // 260)}"
             for k in range(5000)]  # fmt: skip
    index, numbers, page = WordIndex(), Counted(), cut_tokens(" ".join(words))
    index.numbers(page, numbers)
    assert words == numbers.asked
    numbers.asked.clear()
    for _ in range(3):
        index.numbers(page, numbers)
    assert len(numbers.asked) < 0.02 * 3 * len(words)


def test_nothing() -> None:
    """A page without words."""
    assert [] == WordIndex().numbers(cut_tokens(" 1 2 "), Counted()).tolist()
