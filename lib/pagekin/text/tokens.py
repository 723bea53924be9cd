"""Flat text becomes a list of tokens: lower-case words, and markers as they stand.

A word is a run of letters of any script with the marks that belong to them; everything else
separates words [SIM 3.1]. Soft hyphens and joiners, which a reader does not see, vanish instead.

One table look-up for the whole page (numpy) and one `split` cost 0.24 s per 1,000 long pages, a
Unicode regular expression 1.06; without the `split`, which makes a string of every word, 0.17. A
page is looked up in two bytes a character, and in four where it holds one beyond U+FFFF.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from typing import TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from pagekin.text.markup import BREAK, CODES, FIRST, LAST, LINK_END, SENTENCE
from pagekin.text.segment import needs_segmenting, segment

__all__ = ["Tokens", "cut_tokens", "tokenise"]

Places: TypeAlias = NDArray[np.int64]
Points: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]

_CODECS = {2: "utf-16-le", 4: "utf-32-le"}

_SEPARATOR = 32
_VARIATIONS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_INVISIBLE = (0x00AD, 0x200C, 0x200D, 0x2060, 0xFEFF, *_VARIATIONS)
# Letters live below; above are only emoji, private use and variation selectors.
_LAST_LETTER = 0x323B0
_EAST_ASIAN = 0x3005  # no letter below is written without spaces, but for Thai's kin
_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"})
_MOST_MARKS = 30  # on one letter
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
# What may stand between a full stop and its <br>.
_AFTER_SENTENCE = " \t\r\n\xa0\"'”’)]»" + LINK_END


@dataclass(frozen=True, slots=True)
class Tokens:
    """Words and markers as runs of characters in one array, with a separator before and behind."""

    points: Points
    starts: Places
    ends: Places

    def __len__(self) -> int:
        return len(self.starts)

    def all(self) -> list[str]:
        """Every token, in order."""
        return self._text().split()

    def some(self, numbers: Places) -> Iterator[str]:
        """The tokens of these numbers."""
        text = self._text()
        edges = zip(self.starts[numbers].tolist(), self.ends[numbers].tolist(), strict=True)
        return (text[start:end] for start, end in edges)

    def _text(self) -> str:
        return self.points.tobytes().decode(_CODECS[self.points.itemsize])


def tokenise(text: str) -> list[str]:
    """The tokens of a page's flat text.

    >>> tokenise("Bees, 2 hives; l'été!")
    ['bees', 'hives', 'l', 'été']
    """
    return cut_tokens(text).all()


def cut_tokens(text: str) -> Tokens:
    """The same as places in an array: no string is made for a token."""
    marked = f" {_mark_sentences(text)} "
    points = _points(marked)
    if _within(points, 0x300, 0x36F).any():  # combining accents: é in two characters
        points = _points(unicodedata.normalize("NFC", _without_long_runs(marked, points)))
    mapped = _table(points.itemsize).take(points)
    if not mapped.all():
        mapped = mapped[mapped != 0]
    tokens = _runs(mapped)
    dense = _within(mapped, _EAST_ASIAN, FIRST - 1) | _within(mapped, LAST + 1, _LAST_LETTER)
    return _cut_dense(tokens, np.flatnonzero(dense)) if dense.any() else tokens


def _cut_dense(tokens: Tokens, letters: Places) -> Tokens:
    """Words that hold these letters, of scripts without spaces, are cut further where need be."""
    dense = np.unique(np.searchsorted(tokens.starts, letters, side="right") - 1)
    cuts: list[int] = []
    for start, word in zip(tokens.starts[dense].tolist(), tokens.some(dense), strict=True):
        if needs_segmenting(word):
            ends = accumulate(map(len, segment(word)), initial=start)
            cuts += [*ends][1:-1]
    return _runs(cast(Points, np.insert(tokens.points, cuts, _SEPARATOR)))


def _runs(points: Points) -> Tokens:
    """What stands between separators, of which there is one at either end."""
    is_word = points != _SEPARATOR
    edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
    return Tokens(points, edges[0::2], edges[1::2])


def _points(text: str) -> Points:
    """The characters' numbers; half of a surrogate pair is a question mark."""
    narrow = text.encode(_CODECS[2], "replace")
    if len(narrow) == 2 * len(text):
        return np.frombuffer(narrow, dtype="<u2")
    return np.frombuffer(text.encode(_CODECS[4], "replace"), dtype="<u4")


def _within(points: Points, low: int, high: int) -> NDArray[np.bool_]:
    """Which lie in a range? Numbers below it wrap around, and are larger."""
    high = min(high, int(np.iinfo(points.dtype).max))
    within: NDArray[np.bool_] = points - points.dtype.type(low) <= high - low
    return within


def _mark_sentences(text: str) -> str:
    """Turn each BREAK that follows the end of a sentence into SENTENCE."""
    parts = text.split(BREAK)
    if len(parts) == 1:
        return text
    last = parts.pop()
    ended = (part.rstrip(_AFTER_SENTENCE).endswith(_SENTENCE_ENDS) for part in parts)
    return (
        "".join(f"{p}{SENTENCE if e else BREAK}" for p, e in zip(parts, ended, strict=True)) + last
    )


@cache
def _table(width: int) -> Points:
    """Code point -> its lower-case form, a separator, or 0 (nothing).

    Made at first use, 40 ms for two bytes a character and 110 for four.
    """
    size, last = (0x10000, 0x10000) if width == 2 else (0x110000, _LAST_LETTER)
    letters = [chr(point) for point in range(last) if not 0xD800 <= point < 0xE000]
    kept = [c for c in letters if unicodedata.category(c) in _WORD_CATEGORIES]
    table = np.full(size, _SEPARATOR, dtype=np.uint32)
    # "İ" alone has a lower-case form of two characters: its first is the letter
    table[[ord(c) for c in kept]] = [ord(c.lower()[0]) for c in kept]
    table[[ord(marker) for marker in CODES]] = [ord(marker) for marker in CODES]
    table[[point for point in _INVISIBLE if point < size]] = 0
    return table.astype(np.uint16) if width == 2 else table


def _without_long_runs(text: str, points: Points) -> str:
    """The text with at most 30 marks on one letter, as Unicode's stream-safe text has (UAX 15, 13).

    Normalising sorts them in quadratic time: 5 MB of them took more than ten minutes. The search
    costs as much as all else that is done to a page, so it is made only where there is such a run.
    """
    is_mark, long_run = _marks()
    marks = np.concatenate([[0], np.cumsum(is_mark.take(points))])
    has_one = (marks[_MOST_MARKS + 1 :] - marks[: -_MOST_MARKS - 1] > _MOST_MARKS).any()
    return long_run.sub(r"\1", text) if has_one else text


@cache
def _marks() -> tuple[NDArray[np.bool_], re.Pattern[str]]:
    """Which characters are combining marks, and a pattern of long runs of them."""
    marks = [point for point in range(_LAST_LETTER) if unicodedata.combining(chr(point))]
    is_mark = np.zeros(0x110000, dtype=np.bool_)
    is_mark[marks] = True
    letters = "".join(map(chr, marks))
    return is_mark, re.compile(f"([{letters}]{{{_MOST_MARKS}}})[{letters}]+")
