"""Running text of a made-up web: languages with words of their own, sentences, and marks.

Function words, which people use, make up 41 of 100 words of a text, so stop lists and the detection
of languages work as on real pages. The other words, which nobody uses, are syllables typical of the
language; their frequencies follow Zipf and Mandelbrot, and 3 words in 100 are so rare that the
vocabulary never ends.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import cycle

import numpy as np
from numpy.typing import NDArray

from pagekin.synthetic.chance import draws, key_of

__all__ = [
    "CODES",
    "TOPIC_SLOTS",
    "Language",
    "Text",
    "Words",
    "dice",
    "draw_words",
    "language",
    "language_shares",
    "make_words",
    "spread",
    "zipf",
]

Words = NDArray[np.object_]

_SLOTS = 1 << 16  # of a table of words: a word has as many as its frequency gives it
TOPIC_SLOTS = 2048  # of the table of a class
_FUNCTIONS = 0.6  # of the words that a class has not given
_CONTENT = 20_000  # words that a language has apart from its function words and rare ones
_SHIFT = 2.7  # of Mandelbrot's formula
_EXPONENT = 1.05
_PARTS = 1024  # beginnings and ends of rare words: together a million words
_TOPICAL = round(0.28 * 65536)  # words of the class
_OTHER = 65536 // 6  # of these: of another class
_RARE = round(0.97 * 65536)  # from here on: rare words
_MARKED, _PLAIN = 51, 115  # of 256 sentences: up to here marked, from here on plain
_MARKS = ("b", "em", "i", "strong", "span", "code")
CODES = ("en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja")


@dataclass(frozen=True)
class Language:
    """What texts of a language are made from."""

    code: str
    name: str
    general: Words
    """65,536 words by their frequency; an even draw is a draw by frequency."""
    beginnings: Words
    ends: Words
    charsets: tuple[str, ...]
    space: str
    comma: str
    stop: str


@cache
def _data() -> dict[str, dict[str, str | int]]:
    path = files("pagekin").joinpath("synthetic", "languages.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def language_shares() -> list[int]:
    """Of 100 pages, those in each language of CODES."""
    return [int(_data()[code]["share"]) for code in CODES]


@cache
def language(code: str) -> Language:
    """A language, the same in every web."""
    data = _data()[code]
    functions = np.array(str(data["functions"]).split(), dtype=object)
    own = round(_SLOTS * _FUNCTIONS)
    content = make_words(code, key_of(0, code, "content"), _CONTENT)
    general = [spread(functions, own, zipf(len(functions), 1.0, 1.0))]
    general.append(spread(content, _SLOTS - own, zipf(_CONTENT, _SHIFT, _EXPONENT)))
    east = "signs" in data
    return Language(
        code=code,
        name=str(data["name"]),
        general=np.concatenate(general),
        beginnings=_lower(make_words(code, key_of(0, code, "rare"), _PARTS)),
        ends=_lower(make_words(code, key_of(0, code, "end"), _PARTS)),
        charsets=tuple(str(data["charsets"]).split()),
        space="" if east else " ",
        comma={"zh": "，", "ja": "、"}.get(code, ", "),
        stop="。" if east else ". ",
    )


def zipf(count: int, shift: float, exponent: float) -> NDArray[np.float64]:
    """The shares of so many words by their rank."""
    weights = (np.arange(count) + shift) ** -exponent
    return np.asarray(weights / weights.sum())


def spread(words: Words, slots: int, weights: NDArray[np.float64]) -> Words:
    """A table in which each word has slots by its weight."""
    bounds = np.rint(np.cumsum(weights) * slots).astype(np.int64)
    return words[np.searchsorted(bounds[:-1], np.arange(slots), side="right")]


def make_words(code: str, key: int, count: int) -> Words:
    """So many words of a language, a few of them more than once."""
    data = _data()[code]
    chance = draws(key, count * 4).reshape(4, count)
    if "signs" in data:
        return _signs(data, chance)
    onsets, nuclei, endings = (str(data[k]).split() for k in ("onsets", "nuclei", "endings"))
    syllables = np.array([on + nu for on in onsets for nu in nuclei], dtype=object)
    first, second, third = (syllables[row % len(syllables)] for row in chance[:3])
    size = chance[3] >> np.uint64(32)
    second[size % 5 == 0] = ""
    third[size % 5 < 3] = ""
    end = np.array(endings, dtype=object)[chance[3] % len(endings)]
    words = first + second + third + end
    if code == "de":  # nouns
        words[size % 7 < 3] = [word.capitalize() for word in words[size % 7 < 3]]
    return np.asarray(words, dtype=object)


def _signs(data: dict[str, str | int], chance: NDArray[np.uint64]) -> Words:
    signs = np.array(list(str(data["signs"])), dtype=object)
    words = signs[chance[0] % len(signs)] + signs[chance[1] % len(signs)]
    if "kana" in data:
        kana = np.array(list(str(data["kana"])), dtype=object)
        runs = kana[chance[0] % len(kana)]
        for row in (chance[1], chance[2], chance[3]):
            runs = runs + kana[row % len(kana)]
        loans = chance[3] >> np.uint64(40) & np.uint64(3) == 0
        words[loans] = runs[loans]
    return np.asarray(words, dtype=object)


def _lower(words: Words) -> Words:
    return np.array([word.lower() for word in words], dtype=object)


# --- texts ---


def dice(key: int, count: int) -> Callable[[], int]:
    """Throws 16 bits at a time, and begins anew when all are thrown."""
    numbers: list[int] = draws(key, (count + 3) // 4).view(np.uint16).tolist()
    return cycle(numbers).__next__


def draw_words(
    language: Language, table: Words, key: int, count: int, other: Words | None = None
) -> list[str]:
    """Words of a text: 28 of 100 from the class's table, 3 rare ones.

    With a second table a sixth of the 28 come from there.
    """
    chance = draws(key, count).view(np.uint16).reshape(count, 4)
    words = language.general.take(chance[:, 0])
    source = chance[:, 1]
    at = np.flatnonzero(source < _TOPICAL)
    words[at] = table[chance[at, 2] % TOPIC_SLOTS]
    if other is not None:
        at = at[chance[at, 3] < _OTHER]
        words[at] = other[chance[at, 2] % TOPIC_SLOTS]
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
