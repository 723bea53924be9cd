"""The languages of a made-up web: function words that people use, and words that nobody uses.

Function words make up 41 of 100 words of a text, so stop lists and the detection of languages work
as on real pages. The other words are syllables typical of the language; their frequencies follow
Zipf and Mandelbrot, and 3 words in 100 are so rare that the vocabulary never ends.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from pagekin.synthetic.chance import draws, key_of

__all__ = ["CODES", "SLOTS", "Language", "Words", "language", "shares", "spread", "zipf"]

Words = NDArray[np.object_]

SLOTS = 1 << 16  # of a table of words: a word has as many as its frequency gives it
_FUNCTIONS = 0.6  # of the words that a class has not given
_CONTENT = 20_000  # words that a language has apart from its function words and rare ones
_SHIFT = 2.7  # of Mandelbrot's formula
_EXPONENT = 1.05
_PARTS = 1024  # beginnings and ends of rare words: together a million words
_CODES = "en de fr es it pt nl ru zh ja"
CODES = tuple(_CODES.split())


@dataclass(frozen=True)
class Language:
    """What texts of a language are made from."""

    code: str
    name: str
    general: Words
    """SLOTS words by their frequency; an even draw is a draw by frequency."""
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


def shares() -> list[int]:
    """Of 100 pages, those in each language of CODES."""
    return [int(_data()[code]["share"]) for code in CODES]


@cache
def language(code: str) -> Language:
    """A language, the same in every web."""
    data = _data()[code]
    functions = np.array(str(data["functions"]).split(), dtype=object)
    own = round(SLOTS * _FUNCTIONS)
    content = make_words(code, key_of(0, code, "content"), _CONTENT)
    general = [spread(functions, own, zipf(len(functions), 1.0, 1.0))]
    general.append(spread(content, SLOTS - own, zipf(_CONTENT, _SHIFT, _EXPONENT)))
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
