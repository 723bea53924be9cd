"""Flat text becomes a list of tokens: lower-case words, and markers as they stand.

A word is a run of letters of any script with the marks that belong to them; everything else
separates words [SIM 3.1]. Soft hyphens and joiners, which a reader does not see, vanish instead.

There are two ways. `tokenise` knows all of Unicode: one table look-up for the whole text (numpy)
and one `split`. `pagekin.text.pieces` knows ASCII, in a quarter of the time. Any piece beyond is
what `tokenise` would say of it, which is found out once for each piece (`piece_words`); no
separator in ASCII changes what stands beside it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from itertools import compress
from operator import not_
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from pagekin.text.markup import BREAK, CODES, LINK_END, SENTENCE
from pagekin.text.segment import needs_segmenting, segment

__all__ = ["make_tables", "piece_words", "tokenise", "with_sentences"]

Points: TypeAlias = NDArray[np.uint16] | NDArray[np.uint32]

_CODECS = {2: "utf-16-le", 4: "utf-32-le"}

_PLANE = 0x10000
_SEPARATOR = 32
_BREAK = BREAK.encode()
_VARIATIONS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_INVISIBLE = (0x00AD, 0x200C, 0x200D, 0x2060, 0xFEFF, *_VARIATIONS)
# Letters live below; above are only emoji, private use and variation selectors.
_LAST_LETTER = 0x323B0
_LAST_MARK = 0x20000  # above are ideographs, which take no combining marks
_ACCENT = re.compile("[\u0300-\u036f]")  # combining: é in two characters
_EAST_ASIAN = 0x3005  # no letter below is written without spaces, but for Thai's kin
_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"})
_MOST_MARKS = 30  # on one letter
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
# What may stand between a full stop and its <br>.
_AFTER_SENTENCE = " \t\r\n\xa0\"'”’)]»" + LINK_END


def with_sentences(text: bytes) -> bytes:
    """A page's flat text in which each <br> behind a sentence is one that ends it."""
    return _mark_sentences(text.decode()).encode() if _BREAK in text else text


def tokenise(text: str) -> list[str]:
    """The tokens of a text.

    >>> tokenise("Bees, 2 hives; l'été!")
    ['bees', 'hives', 'l', 'été']
    """
    marked = f" {_mark_sentences(text)} "
    points = _points(marked)
    if _within(points, 0x300, 0x36F).any():  # combining accents: é in two characters
        points = _points(unicodedata.normalize("NFC", _without_long_runs(marked, points)))
    mapped = _looked_up(points)
    if not mapped.all():
        mapped = mapped[mapped != 0]
    words = _text(mapped).split()
    if _within(mapped, _EAST_ASIAN, _LAST_LETTER).any():
        return [part for word in words for part in _parts(word)]
    return words


def make_tables() -> None:
    """Make now what `tokenise` else makes when it first needs it."""
    _table()
    _marks()


def piece_words(piece: bytes) -> list[str]:
    """The words in a piece: what `tokenise` says, in a tenth of the time for a few characters.

    >>> piece_words("“l’été…”".encode())
    ['l', 'été']
    """
    text = piece.decode()
    if _ACCENT.search(text):
        return tokenise(text)
    words = text.translate(_CHARACTERS).split()
    return [part for word in words for part in _parts(word)]


def _parts(word: str) -> list[str]:
    """A word of a script without spaces is cut further where need be."""
    return segment(word) if needs_segmenting(word) else [word]


def _text(points: Points) -> str:
    return points.tobytes().decode(_CODECS[points.itemsize])


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


class _Characters(dict[int, str | None]):
    """Code point -> what stands for it: itself in lower case, a separator, or nothing."""

    def __missing__(self, point: int) -> str | None:
        character = chr(point)
        is_letter = unicodedata.category(character) in _WORD_CATEGORIES and point < _LAST_LETTER
        found = character.lower()[0] if is_letter else chr(_SEPARATOR)
        self[point] = None if point in _INVISIBLE else found
        return self[point]


_CHARACTERS = _Characters()


def _looked_up(points: Points) -> Points:
    """Each character in lower case, as a separator, or as 0 (nothing)."""
    if points.itemsize == 2:
        return _table().take(points)
    found = _table().take(np.minimum(points, _PLANE - 1)).astype(np.uint32)
    high = np.flatnonzero(points >= _PLANE)  # mostly emoji
    distinct, which = np.unique(points[high], return_inverse=True)
    found[high] = np.array([ord(_CHARACTERS[p] or "\0") for p in distinct.tolist()], "<u4")[which]
    return found


@cache
def _table() -> NDArray[np.uint16]:
    """The same of the characters of 16 bits. Made at first use, in 12 ms."""
    letters, others = _letters_and_others(range(_PLANE))
    kept = letters + [c for c in others if unicodedata.category(c) in _WORD_CATEGORIES]
    table = np.full(_PLANE, _SEPARATOR, dtype=np.uint16)
    # "İ" alone has a lower-case form of two characters: its first is the letter
    lower = "".join(c if len(c) == 1 else c[0] for c in map(str.lower, kept))
    table[_points("".join(kept))] = _points(lower)
    table[[ord(marker) for marker in CODES]] = [ord(marker) for marker in CODES]
    table[[point for point in _INVISIBLE if point < _PLANE]] = 0
    return table


def _letters_and_others(points: range) -> tuple[list[str], list[str]]:
    """Characters of the categories L*, for which Python has a word, and those of all others."""
    characters = list(map(chr, points))
    are_letters = list(map(str.isalpha, characters))
    letters = list(compress(characters, are_letters))
    return letters, list(compress(characters, map(not_, are_letters)))


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
    _, others = _letters_and_others(range(_LAST_MARK))
    marks = [ord(c) for c in compress(others, map(unicodedata.combining, others))]
    is_mark = np.zeros(0x110000, dtype=np.bool_)
    is_mark[marks] = True
    letters = "".join(map(chr, marks))
    return is_mark, re.compile(f"([{letters}]{{{_MOST_MARKS}}})[{letters}]+")
