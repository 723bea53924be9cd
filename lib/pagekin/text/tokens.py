"""Flat text becomes tokens: words in lower case, and markers of structure.

A page is flattened to one text: its words, and between them marker characters, each of which is a
boundary that some window or block needs. A word is a run of letters of any script with the marks
that belong to them; everything else separates words [SIM 3.1]. Soft hyphens and joiners, which a
reader does not see, vanish.

There are two ways to the same words:

- `tokenise` looks at each character, by all rules of Unicode.
- `Pieces` cuts a text at bytes, of which only letters of ASCII are no separators, in a quarter of
  the time, and gives each piece the numbers of its words. A piece beyond ASCII is what `tokenise`
  says of it (`piece_words`), which is found out once; no separator in ASCII changes what stands
  beside it. `_pieces.c` does the same in a quarter of the time again.

Runs of Chinese and Japanese characters, which are written without spaces, are cut by jieba's method
(a dictionary as a directed graph, the most probable path through it, and a hidden Markov model for
words that it does not hold) in its Rust edition, rjieba. This is no segmenter of Japanese: Kanji
are cut by the Chinese dictionary, and a run of Katakana (mostly a foreign word) or of Hiragana
(mostly particles and endings) stays whole. Traditional characters are cut more finely than
simplified ones, because the dictionary holds fewer words in them. Korean has spaces.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Callable
from functools import cache
from itertools import chain
from typing import Final

import numpy as np

from pagekin.native import load

__all__ = [
    "BLOCK",
    "BREAK",
    "CODES",
    "HEADING",
    "HEADING_END",
    "LINK",
    "LINK_END",
    "LIST_END",
    "MENU",
    "MENU_END",
    "NAMES",
    "SENTENCE",
    "TABLE_END",
    "TITLE",
    "TITLE_END",
    "UNKNOWN",
    "Pieces",
    "load_dictionary",
    "make_pieces",
    "needs_segmenting",
    "one_line",
    "piece_words",
    "segment",
    "tokenise",
    "with_sentences",
]

# --- markers --------------------------------------------------------------------------------------

# Control characters that no page has any use for, one byte each in UTF-8, so that an English page
# stays ASCII. None is white space, to bytes or to strings. Where a page does hold them,
# `pagekin.web.markup` replaces them before it is read.
LINK, LINK_END = "\x01", "\x02"  # around an anchor text
BLOCK = "\x03"  # start or end of a paragraph, cell, list item, div: SYNTACTIC windows stop here
BREAK, SENTENCE = "\x04", "\x05"  # <br>, and <br> after the end of a sentence: SYNTACTIC
LIST_END, TABLE_END = "\x06", "\x07"  # SYNTACTIC and TOPICAL windows stop here
TITLE, TITLE_END = "\x08", "\x0e"  # around the page's title; \t \n \v \f \r lie between the two
HEADING_END = "\x0f"
HEADING = tuple(map(chr, range(0x10, 0x16)))  # <h1> .. <h6>: SYNTACTIC and TOPICAL
MENU, MENU_END = "\x16", "\x17"  # around what is no content by its tag: <nav>, <header> ...

NAMES: Final[dict[str, str]] = {
    LINK: "link",
    LINK_END: "/link",
    BLOCK: "block",
    BREAK: "break",
    SENTENCE: "sentence",
    LIST_END: "/list",
    TABLE_END: "/table",
    TITLE: "title",
    TITLE_END: "/title",
    HEADING_END: "/heading",
    MENU: "menu",
    MENU_END: "/menu",
    **{marker: f"heading{level}" for level, marker in enumerate(HEADING, 1)},
}
"""Marker -> the name that people read."""
CODES: Final[dict[str, int]] = {marker: -1 - k for k, marker in enumerate(NAMES)}
"""Marker -> its negative code in streams of word numbers."""

# --- texts that are shown as they are ------------------------------------------------------------

# Control characters but white space, and characters that change the direction of a text or are not
# seen at all; the joiners stay, which decide how the letters beside them look.
_UNSHOWN = re.compile(
    "[\0-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\xad"
    "\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]"
)


def one_line(text: str, most: int) -> str:
    """A text as one line of at most so many characters, without control characters.

    >>> one_line(" Bees  and \t honey ", 10)
    'Bees and h'
    """
    if not text.isprintable() or "  " in text:  # few; what goes is the same in all texts
        text = " ".join(_UNSHOWN.sub("", text).split())
    return text.strip()[:most].rstrip()


# --- words, by all rules of Unicode ---------------------------------------------------------------

_SEPARATOR = " "
_VARIATIONS = (*range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0))
_INVISIBLE = frozenset((0x00AD, 0x200C, 0x200D, 0x2060, 0xFEFF, *_VARIATIONS))
_LAST_LETTER = 0x323B0  # above are only emoji, private use and variation selectors
_LAST_MARK = 0x20000  # above are ideographs, which take no combining marks
_ACCENT = re.compile("[\u0300-\u036f]")  # combining: é in two characters
_WORD_CATEGORIES = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc"})
_MOST_MARKS = 30  # on one letter
_SENTENCE_ENDS = (".", "!", "?", "…", "。", "！", "？")
# What may stand between a full stop and its <br>.
_AFTER_SENTENCE = " \t\r\n\xa0\"'”’)]»" + LINK_END


def with_sentences(text: bytes) -> bytes:
    """A page's flat text in which each BREAK behind the end of a sentence is a SENTENCE."""
    return _mark_sentences(text.decode()).encode() if BREAK.encode() in text else text


def tokenise(text: str) -> list[str]:
    """The tokens of a text.

    >>> tokenise("Bees, 2 hives; l'été!")
    ['bees', 'hives', 'l', 'été']
    """
    return _words(_mark_sentences(text))


def piece_words(piece: bytes) -> list[str]:
    """The words in a piece of a text.

    >>> piece_words("“l’été…”".encode())
    ['l', 'été']
    """
    return _words(piece.decode())


def _words(text: str) -> list[str]:
    if _ACCENT.search(text):
        text = unicodedata.normalize("NFC", _long_runs().sub(r"\1", text))
    words = text.translate(_CHARACTERS).split()
    if not needs_segmenting(text):
        return words
    return [part for word in words for part in segment(word)]


def _mark_sentences(text: str) -> str:
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
        # "İ" alone has a lower-case form of two characters: its first is the letter
        found = character.lower()[0] if is_letter else _SEPARATOR
        self[point] = None if point in _INVISIBLE else found
        return self[point]


_CHARACTERS = _Characters({ord(marker): marker for marker in CODES})


@cache
def _long_runs() -> re.Pattern[str]:
    """More than 30 combining marks on one letter, of which Unicode's stream-safe text has 30 (UAX
    15, 13). Normalising sorts them in quadratic time: 5 MB of them took more than ten minutes.
    """
    marks = "".join(filter(unicodedata.combining, map(chr, range(_LAST_MARK))))
    return re.compile(f"([{marks}]{{{_MOST_MARKS}}})[{marks}]+")


# --- runs without spaces --------------------------------------------------------------------------

# With the signs that repeat or replace a Han character: 々 〆 〇.
_HAN = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
# The voicing marks and the length mark go with either kind of Kana.
_HIRAGANA = r"\u3041-\u3096\u309d-\u309f\u3099\u309a\u30fc"
_KATAKANA = r"\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff\uff66-\uff9f\u3099\u309a"

# No sentence has so many characters in a row. rjieba is linear (0.13 us a character), but its
# memory grows with the run.
_LONGEST_HAN = 1000

_PARTS = re.compile(
    f"([{_HAN}]{{1,{_LONGEST_HAN}}})|[{_HIRAGANA}]+|[{_KATAKANA}]+|[^{_HAN}{_HIRAGANA}{_KATAKANA}]+"
)
_ALL_HAN = re.compile(f"[{_HAN}]{{1,{_LONGEST_HAN}}}")
_EAST_ASIAN = re.compile(f"[{_HAN}{_HIRAGANA}{_KATAKANA}]")
# Tried first: 2 ns a character where the search above takes 7, and it settles 85 pages of 100.
_BELOW = re.compile(r"[\0-\u3004]*+")


def needs_segmenting(text: str) -> bool:
    """True if `text` holds Han characters or Kana, so that its runs must go through `segment`.

    >>> needs_segmenting("Tōkyō"), needs_segmenting("東京"), needs_segmenting("서울")
    (False, True, False)
    """
    return not _BELOW.fullmatch(text) and _EAST_ASIAN.search(text) is not None


def segment(run: str) -> list[str]:
    """The words of a run of letters; joined they are the run again.

    >>> segment("iphone手机壳"), segment("straße")
    (['iphone', '手机', '壳'], ['straße'])
    """
    if _ALL_HAN.fullmatch(run):  # most of Chinese
        return _cutter()(run)
    words: list[str] = []
    for part in _PARTS.finditer(run):
        words.extend(_cutter()(part[0]) if part[1] else (part[0],))
    return words


def load_dictionary() -> None:
    """Load the Chinese dictionary before the first Han character."""
    _cutter()


@cache
def _cutter() -> Callable[[str], list[str]]:
    # Imported at the first Han character: the dictionary takes 0.1 s and 33 MB. All threads share
    # one, because cutting does not change it.
    import rjieba  # noqa: PLC0415

    return rjieba.cut


# --- pieces and their numbers ---------------------------------------------------------------------

Lookup = Callable[[bytes], list[int]]
_native = load("pagekin.text._pieces")

UNKNOWN: Final = -99  # no word; markers have negative numbers too, above it


def _in_pieces(byte: int) -> int:
    """What stands for a byte in pieces: ASCII is a letter in lower case, a marker or a blank."""
    character = chr(byte)
    if byte > 0x7F or character in CODES:
        return byte
    return ord(character.lower() if character.isalpha() else _SEPARATOR)


_PIECE_BYTES = bytes(map(_in_pieces, range(256)))


def _cut_pieces(text: bytes) -> list[bytes]:
    """The pieces of a text.

    >>> [piece.decode() for piece in _cut_pieces("Bees, 2 hives; l'été—Là".encode())]
    ['bees', 'hives', 'l', 'été—là']
    """
    return text.translate(_PIECE_BYTES).split()


class Pieces(dict[bytes, tuple[int, ...]]):
    """piece -> the numbers of its words; `_pieces.c` is the same in C.

    A piece in ASCII that is met first is a new word: it is added to the list `words`, and its
    number is its index there, unless it is too long (0). Other pieces are put here by the caller.
    """

    def __init__(self, words: list[str], max_letters: int) -> None:
        super().__init__()
        self._words = words
        self._max_letters = max_letters
        self._look_up: Lookup = _unknown

    def numbers(self, text: bytes, look_up: Lookup) -> bytes:
        """The numbers of the words of a text, as int32.

        `look_up` gives those of an unknown piece beyond ASCII, and puts them here if it likes.
        """
        self._look_up = look_up
        try:
            numbers = chain.from_iterable(map(self.__getitem__, _cut_pieces(text)))
            return np.fromiter(numbers, np.int32).tobytes()
        finally:
            self._look_up = _unknown  # keeps no reference to the caller

    def number(self, piece: bytes) -> int:
        """The number of a piece that is one word; UNKNOWN if it is beyond ASCII and not known."""
        if piece in self or piece.isascii():
            return self[piece][0] if piece else 0
        return UNKNOWN

    def put(self, piece: bytes, numbers: list[int]) -> None:
        """Remember the numbers of a piece: of words, or of a marker."""
        self[piece] = _checked(numbers)

    def put_words(self, pieces: list[bytes], numbers: list[int]) -> None:
        """Remember many pieces, each of which is the word of one number."""
        self.update(zip(pieces, zip(numbers, strict=True), strict=True))

    def __missing__(self, piece: bytes) -> tuple[int, ...]:
        if not piece.isascii():
            return _checked(self._look_up(piece))
        if len(piece) > self._max_letters:
            return (0,)  # and not remembered: a run of letters may have megabytes
        numbers = self[piece] = (len(self._words),)
        self._words.append(piece.decode())
        return numbers


def _checked(numbers: list[int]) -> tuple[int, ...]:
    if not all(UNKNOWN <= number < 1 << 31 for number in numbers):
        raise ValueError("a number of a piece is neither a word's nor a marker's")
    return tuple(numbers)


def _unknown(piece: bytes) -> list[int]:
    return [UNKNOWN]


def make_pieces(words: list[str], max_letters: int) -> Pieces:
    """Pieces in C where it was built, else in Python."""
    if _native is None:
        return Pieces(words, max_letters)
    in_c: Pieces = _native.Pieces(words, max_letters, _PIECE_BYTES, os.urandom(8))
    return in_c
