"""Words by number, in C and in Python: the same words of every text."""

from __future__ import annotations

import doctest
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.text import markup as m
from pagekin.text import pieces as module
from pagekin.text.pieces import UNKNOWN, Pieces, cut
from pagekin.text.tokens import piece_words
from tests.natives import native

PLAIN = module._PLAIN
LETTERS = "abZ .,-1 éÉß×÷ªºµ\xa0\xad\xb7 ЯяЀѐѠѡѯ Łł ıİ Σς “”’–…‰"
LETTERS += "\u200c\u2060ⁱⁿ€₠ 日本語ァン한 हि \u0301\u0338 \U0001d400"
# no markers: where a page has such characters they were taken out
OTHERS = st.characters(exclude_categories=["Cs"], exclude_characters=[*m.CODES])
TEXTS = st.text(LETTERS, max_size=40) | st.text(OTHERS, max_size=10)


class Reader:
    """Numbers words as `pagekin.text.words` does, in few lines."""

    def __init__(self, kind: Any, *more: Any, max_letters: int = 20) -> None:
        self.words = [""]
        self.max_letters = max_letters
        self.pieces = kind(self.words, max_letters, *more)
        self.met: list[bytes] = []
        for marker, code in m.CODES.items():
            self.pieces.put(marker.encode(), [code])

    def read(self, text: str) -> list[str | int]:
        numbers = np.frombuffer(self.pieces.numbers(text.encode(), self.meet), np.int32).tolist()
        return [self.words[n] if n > 0 else n for n in numbers if n]

    def meet(self, piece: bytes) -> list[int]:
        self.met.append(piece)
        numbers = list(map(self.number, piece_words(piece)))
        self.pieces.put(piece, numbers)
        return numbers

    def number(self, word: str) -> int:
        if len(word) > self.max_letters:
            return 0
        known = self.pieces.number(word.encode())
        if known != UNKNOWN:
            return int(known)
        self.words.append(word)
        self.pieces.put(word.encode(), [len(self.words) - 1])
        return len(self.words) - 1


def in_c(**options: int) -> Reader:
    return Reader(native("pagekin.text._pieces").Pieces, PLAIN, b"a secret", **options)


def test_examples() -> None:
    """The examples in the module hold."""
    assert 0 == doctest.testmod(module).failed


@given(st.lists(TEXTS | st.sampled_from([*m.CODES, "x" * 21, "é" * 21, "é" * 20]), max_size=8))
@settings(max_examples=1000)
def test_twins(texts: list[str]) -> None:
    """At first sight and remembered; markers too, and words that are too long."""
    fast, plain = in_c(), Reader(Pieces)
    for text in texts * 2:
        assert plain.read(text) == fast.read(text)


def test_every_character() -> None:
    """Alone, between letters, and at their ends."""
    fast, plain = in_c(), Reader(Pieces)
    for point in (*range(1, 0x2400), *range(0x2C00, 0x3200), 0xFEFF, 0x1F600, 0x20000):
        c = chr(point)
        if c not in m.CODES:
            text = f"{c} a{c}b {c}É {c}{c} É{c} {c}\u0301x a{c}\u0300 {c}\u0342"
            assert plain.read(text) == fast.read(text), hex(point)


def test_many_words() -> None:
    """The table grows, and loses nothing."""
    fast = in_c()
    words = [
        f"{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}{chr(97 + k // 676)}" for k in range(15000)
    ]
    for _ in range(2):
        assert words == fast.read(" ".join(words))
    assert len(words) + 1 == len(fast.words)
    assert len(fast.pieces) == len(words) + len(m.CODES)


def test_what_is_met_is_asked_for_once() -> None:
    """Letters of Western Europe and Russian are words at once; others are asked for."""
    fast = in_c()
    assert ["été", "ёж", "l", "eau"] == fast.read("Été Ёж l’eau")
    assert [] == fast.met
    assert ["łódź", "łódź", "日本"] == fast.read("Łódź łódź 日本")
    assert ["日本", "łódź"] == fast.read("日本 Łódź")
    assert ["Łódź", "日本"] == [piece.decode() for piece in fast.met]


def test_cut_characters() -> None:
    """Bytes that are no UTF-8 are pieces that somebody asks about, and nothing is read beyond."""
    fast = in_c()
    met: list[bytes] = []

    def meet(piece: bytes) -> list[int]:
        met.append(piece)
        return []

    for text in (b"\xe2", b"\xe2\x80", b"\xc3", b"\xf0\x9f\x98", b"\x80", b"a\xd0"):
        fast.pieces.numbers(text, meet)
    assert len(met) == 6


@given(st.dictionaries(TEXTS.map(str.encode).filter(bool), st.integers(0, 1 << 30)))
def test_many_at_once(numbers: dict[bytes, int]) -> None:
    """Words that are remembered together are known as by one and one."""
    for reader in (in_c(), Reader(Pieces)):
        reader.pieces.put_words(list(numbers), list(numbers.values()))
        assert all(reader.pieces.number(piece) == number for piece, number in numbers.items())


@pytest.mark.parametrize(
    ("pieces", "numbers"),
    [
        ([b"a"], []),
        ([b"a"], [-1]),
        ([b"a"], [1 << 31]),
        ([b""], [1]),
        (["a"], [1]),
        ([b"a"], ["1"]),
    ],
)
def test_words_that_are_none(pieces: list[object], numbers: list[object]) -> None:
    """Columns that are not of one length, or of another kind, are refused."""
    with pytest.raises((ValueError, TypeError)):
        in_c().pieces.put_words(pieces, numbers)


def test_errors() -> None:
    """What cannot be a piece, or a number, is refused; errors of who is asked are passed on."""
    fast = in_c()
    for piece, numbers in ((b"", [1]), (b"x", ["1"]), (b"x", [1 << 70])):
        with pytest.raises((ValueError, TypeError, OverflowError)):
            fast.pieces.put(piece, numbers)
    for wrong in (lambda piece: 1, lambda piece: ["x"], lambda piece: 1 // 0):
        with pytest.raises((TypeError, SystemError, ZeroDivisionError)):
            fast.pieces.numbers("日".encode(), wrong)
    pieces = native("pagekin.text._pieces").Pieces
    for plain, secret in ((b"short", b"a secret"), (PLAIN, b"short")):
        with pytest.raises(ValueError, match=r"stands for it|eight bytes"):
            pieces([], 10, plain, secret)
    unmade = pieces.__new__(pieces)
    for ask in (unmade.number, lambda text: unmade.numbers(text, list), unmade.put):
        with pytest.raises(TypeError):
            ask(b"bee")
    assert 0 == fast.pieces.number(b"")
    assert cut(b"a-b") == [b"a", b"b"]
