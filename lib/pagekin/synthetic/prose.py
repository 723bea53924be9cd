"""Running text: words by their frequency, sentences, and a mark or a link here and there."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle

import numpy as np

from pagekin.synthetic.chance import draws
from pagekin.synthetic.languages import Language, Words
from pagekin.synthetic.topics import TABLE

__all__ = ["Text", "dice", "draw_words"]

_TOPICAL = round(0.28 * 65536)  # words of the class
_ASIDE = 65536 // 6  # of these: of another class
_RARE = round(0.97 * 65536)  # from here on: rare words
_MARKED, _PLAIN = 51, 115  # of 256 sentences: up to here marked, from here on plain
_MARKS = ("b", "em", "i", "strong", "span", "code")


def dice(key: int, count: int) -> Callable[[], int]:
    """Throws 16 bits at a time, and begins anew when all are thrown."""
    numbers: list[int] = draws(key, (count + 3) // 4).view(np.uint16).tolist()
    return cycle(numbers).__next__


def draw_words(
    language: Language, table: Words, key: int, count: int, aside: Words | None = None
) -> list[str]:
    """Words of a text: 28 of 100 from the class's table, 3 rare ones.

    With a second table a sixth of the 28 come from there.
    """
    chance = draws(key, count).view(np.uint16).reshape(count, 4)
    words = language.general.take(chance[:, 0])
    source = chance[:, 1]
    at = np.flatnonzero(source < _TOPICAL)
    words[at] = table[chance[at, 2] % TABLE]
    if aside is not None:
        at = at[chance[at, 3] < _ASIDE]
        words[at] = aside[chance[at, 2] % TABLE]
    at = np.flatnonzero(source >= _RARE)
    beginnings, ends = language.beginnings, language.ends
    words[at] = beginnings[chance[at, 2] % len(beginnings)] + ends[chance[at, 3] % len(ends)]
    drawn: list[str] = words.tolist()
    return drawn


class Text:
    """Words that are used up from front to back."""

    def __init__(self, language: Language, words: list[str], throw: Callable[[], int]) -> None:
        self._words, self._at, self._size = words, 0, len(words)
        self._space, self._comma, self._stop = language.space, language.comma, language.stop
        self._throw = throw

    @property
    def left(self) -> int:
        return self._size - self._at

    def phrase(self, count: int) -> str:
        """So many words with a capital; from the beginning again when all are used."""
        begin = self._at if self._at + count <= self._size else 0
        self._at = end = begin + count
        text = self._space.join(self._words[begin:end])
        return text[:1].upper() + text[1:]

    def sentence(self, link: str = "") -> str:
        """6 to 25 words, with the link among them; one in four has a comma, one in five a mark."""
        throw = self._throw()
        begin, at = self._at, self._at + 3 + (throw & 7)
        self._at = end = at + 3 + (throw >> 3 & 7) + (throw >> 6 & 3)
        words, space = self._words, self._space
        if not link and throw >> 8 > _PLAIN:
            plain = space.join(words[begin:end])
            return f"{plain[:1].upper()}{plain[1:]}{self._stop}"
        first = space.join(words[begin:at])
        rest = space.join(words[at:end])
        if link:
            middle = f"{space}{link}{space}"
        elif throw >> 8 < _MARKED:
            mark = _MARKS[throw % len(_MARKS)]
            middle, rest = f"{space}<{mark}>", f"{rest}</{mark}>"
        else:
            middle = self._comma
        return f"{first[:1].upper()}{first[1:]}{middle}{rest}{self._stop}"
