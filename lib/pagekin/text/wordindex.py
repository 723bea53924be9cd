"""Word -> number for a whole page at once: a cache in front of the dictionary of words.

A dictionary wants a string for every running word, and finds each by a walk through memory that the
parser has just emptied of it: 1,900 words took 0.9 ms of a page's 6. Here words are named by 64
bits of their letters, taken for all of a page from one running sum, and looked up in arrays.
What is not there (one word in 500, and new ones) is asked of the dictionary.

A word's name is sum(letter[k] * R^k) mod 2^64. That two words of a task share one, and then count
as the first of them, happens in one of 100,000,000 tasks of 400,000 words.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

import numpy as np
from numpy.typing import NDArray

from pagekin.text.tokens import Tokens

__all__ = ["WordIndex", "word_names"]

Names = NDArray[np.uint64]
Numbers = NDArray[np.int32]
Places = NDArray[np.int64]

_LONGEST = 64  # letters of a word that has a name; longer ones are rare
_AT_ONCE = 1 << 16  # letters: most pages have fewer, and the powers stay in the processor's cache
_R = 0xD1342543DE82EF95  # odd, so that it has an inverse
# From a name to the slots where it may be; what finds none free is left to the dictionary.
_SLOTS = tuple(map(np.uint64, (0x9E3779B97F4A7C15, 0xFF51AFD7ED558CCD, 0xC4CEB9FE1A85EC53)))
_SMALLEST = 12  # bits
_NAMED = np.uint64(1 << 63)  # this bit every name has
_ROOM = 2  # slots for each word, at least; up to twice as many
_EMPTY = 1  # what is no name, and not the 0 of a long word


def _powers(base: int, count: int) -> Names:
    factors = np.full(count, base, dtype=np.uint64)
    factors[0] = 1
    return np.multiply.accumulate(factors)


_POWERS = _powers(_R, _AT_ONCE + _LONGEST)
_INVERSE = _powers(pow(_R, -1, 1 << 64), _AT_ONCE + 1)


def word_names(tokens: Tokens) -> Names:
    """The name of each token, never 0; 0 for one that is too long to have any."""
    starts, ends = tokens.starts, np.minimum(tokens.ends, tokens.starts + _LONGEST)
    places = range(0, len(tokens.points), _AT_ONCE)
    # the separator before a piece's first word is its own: words begin behind `place`
    bounds = np.searchsorted(starts, places, side="right").tolist()
    pieces = [
        _names_within(tokens.points[place:], starts[a:b] - place, ends[a:b] - place)
        for place, a, b in zip(places, bounds, [*bounds[1:], len(starts)], strict=True)
        if a < b
    ]
    names = pieces[0] if len(pieces) == 1 else np.concatenate([np.empty(0, np.uint64), *pieces])
    names |= _NAMED
    names[tokens.ends - starts > _LONGEST] = 0
    return names


def _names_within(points: NDArray[np.unsignedinteger], starts: Places, ends: Places) -> Names:
    """Names of words that begin behind the first character, and at most `_AT_ONCE` behind it."""
    letters = points[: int(ends[-1])]
    sums = np.cumsum(letters * _POWERS[: len(letters)])
    return (sums.take(ends - 1) - sums.take(starts - 1)) * _INVERSE.take(starts)


class WordIndex:
    """The numbers of words that were met; a slot keeps the first name that came to it."""

    def __init__(self) -> None:
        self._make(_SMALLEST)
        self._words = 0  # in the dictionary when it was last asked

    def numbers(self, tokens: Tokens, memo: Mapping[str, int]) -> Numbers:
        """The number of each token; `memo` gives, or makes, that of any word."""
        names = word_names(tokens)
        numbers = np.zeros(len(names), dtype=np.int32)
        rest = np.arange(len(names))
        for factor in _SLOTS:
            rest = self._look(factor, names, numbers, rest)
        if len(rest):
            numbers[rest] = [memo[word] for word in tokens.some(rest)]
            if len(memo) > self._words:  # else they are words whose slots others have
                self._words = len(memo)
                named = rest[names[rest] != 0]
                self._add(names[named], numbers[named])
        return numbers

    def renumber(self, kept: Places, words: int) -> None:
        """Forget all of `words` numbers but those `kept`, which ascend and count from 1 now."""
        new = np.zeros(words, dtype=np.int32)
        new[kept] = np.arange(1, len(kept) + 1)
        there = self._numbers > 0
        self._numbers[there] = new[self._numbers[there]]
        self._names[self._numbers == 0] = _EMPTY
        self._words = 0  # slots are free: what found none may try again

    def _make(self, bits: int) -> None:
        self._shift = np.uint64(64 - bits)
        self._names = np.full(1 << bits, _EMPTY, dtype=np.uint64)
        self._numbers = np.zeros(1 << bits, dtype=np.int32)

    def _slots(self, factor: np.uint64, names: Names) -> Places:
        return ((names * factor) >> self._shift).astype(np.int64)

    def _look(self, factor: np.uint64, names: Names, numbers: Numbers, places: Places) -> Places:
        """Fill in what is known of these places; gives those that are left."""
        wanted = names.take(places)
        slots = self._slots(factor, wanted)
        known = self._names.take(slots) == wanted
        numbers[places] = self._numbers.take(slots)
        return cast(Places, places[~known])

    def _add(self, names: Names, numbers: Numbers) -> None:
        if _ROOM * self._words > len(self._names):
            held = np.flatnonzero(self._names != _EMPTY)
            names = np.concatenate([self._names[held], names])
            numbers = np.concatenate([self._numbers[held], numbers])
            self._make((2 * _ROOM * self._words).bit_length())
        for factor in _SLOTS:
            slots = self._slots(factor, names)
            free = self._names.take(slots) == _EMPTY
            self._names[slots[free]] = names[free]  # of several for one slot one stays
            there = self._names.take(slots) == names
            self._numbers[slots[there]] = numbers[there]
            names, numbers = names[~there], numbers[~there]
