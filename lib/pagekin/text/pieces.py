"""Pieces of text and their numbers: the look-up that each running word costs.

A text is cut by bytes, which needs no Unicode: letters of ASCII are lowered, its other characters
separate. A piece in ASCII is a word. What lies beyond may hold several words, and is looked at
closely where it is met first.

`_pieces.c` does the same in a quarter of the time, and is taken where it was built.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pagekin.native import load
from pagekin.text.markup import CODES

__all__ = ["UNKNOWN", "Meet", "Pieces", "cut", "make_pieces"]

Meet = Callable[[bytes], list[int]]
_native = load("pagekin.text._pieces")


_LEAST_FOREIGN = 0x80  # bytes of characters beyond ASCII
_SEPARATOR = ord(" ")
UNKNOWN = -99  # markers have negative numbers too, above
_SEVERAL, _ONCE = -100, -(1 << 30)


def _piece_byte(byte: int) -> int:
    character = chr(byte)
    if byte >= _LEAST_FOREIGN or character in CODES:
        return byte
    return ord(character.lower()) if character.isalpha() else _SEPARATOR


_PLAIN = bytes(map(_piece_byte, range(256)))


def cut(text: bytes) -> list[bytes]:
    """The pieces of a text.

    >>> [piece.decode() for piece in cut("Bees, 2 hives; l'été—Là".encode())]
    ['bees', 'hives', 'l', 'été—là']
    """
    return text.translate(_PLAIN).split()


class Pieces(dict[bytes, int]):
    """piece -> number. One in ASCII that is met first is a new word, if it is not too long. Pieces
    that are not one word have numbers from `_SEVERAL` down, by their places in a list.
    """

    def __init__(self, words: list[str], max_letters: int) -> None:
        super().__init__()
        self._words = words
        self._max_letters = max_letters
        self._several: list[list[int]] = []
        self._once: list[list[int]] = []  # of the text that is being read
        self._meet: Meet = _unknown

    def numbers(self, text: bytes, meet: Meet) -> bytes:
        """The numbers of the pieces of a text, as int32; `meet` tells those of unknown pieces
        beyond ASCII, and whether they are put here.
        """
        self._meet = meet
        try:
            numbers = np.fromiter(map(self.__getitem__, cut(text)), np.int32)
        finally:
            self._meet = _unknown  # no circle with who is asked
        return self._spread(numbers).tobytes()

    def number(self, piece: bytes) -> int:
        """The number of one piece that is one word; UNKNOWN if it is beyond ASCII and not known."""
        if piece in self or piece.isascii():
            return self[piece] if piece else 0
        return UNKNOWN

    def put(self, piece: bytes, numbers: list[int]) -> None:
        """Remember the numbers of a piece."""
        self[piece] = self._code(numbers, self._several, _SEVERAL)

    def put_words(self, pieces: list[bytes], numbers: list[int]) -> None:
        """Remember many pieces, each of which is the word of one number."""
        self.update(zip(pieces, numbers, strict=True))

    def __missing__(self, piece: bytes) -> int:
        if not piece.isascii():
            return self._code(self._meet(piece), self._once, _ONCE)
        if len(piece) > self._max_letters:
            return 0  # and not remembered: a run of letters may have megabytes
        number = self[piece] = len(self._words)
        self._words.append(piece.decode())
        return number

    def _code(self, numbers: list[int], among: list[list[int]], first: int) -> int:
        if len(numbers) == 1:
            return numbers[0]
        among.append(numbers)
        return first + 1 - len(among)

    def _spread(self, numbers: NDArray[np.int32]) -> NDArray[np.int32]:
        """The same with the numbers of each word where a piece is not just one."""
        places = np.flatnonzero(numbers <= _SEVERAL)
        if not len(places):
            return numbers
        inside = [
            self._once[_ONCE - code] if code <= _ONCE else self._several[_SEVERAL - code]
            for code in numbers[places].tolist()
        ]
        times = np.ones(len(numbers), dtype=np.int64)
        times[places] = list(map(len, inside))
        spread = np.repeat(numbers, times)
        spread[spread <= _SEVERAL] = list(chain.from_iterable(inside))
        self._once.clear()
        return spread


def _unknown(piece: bytes) -> list[int]:
    return [UNKNOWN]


def make_pieces(words: list[str], max_letters: int) -> Pieces:
    """The fastest that there is."""
    if _native is None:
        return Pieces(words, max_letters)
    in_c: Pieces = _native.Pieces(words, max_letters, _PLAIN, os.urandom(8))
    return in_c
