"""Shingles: what a text is made of, so that copies of it are known [TOPK, "Duplicate Elimination"].

A shingle is a run of so many words of a text, and its fingerprint a number of 64 bits: words are
hashed by BLAKE2b, and the hashes of a run are mixed so that their order counts. All words take
part, stop words too; what separates words (tags, digits, punctuation) does not. A text of fewer
words than a run is one shingle.

A `Sketch` is the set of a text's fingerprints or, of a long text, the least of them, as many as
`MOST_KEPT`. Fingerprints are numbers by lot, so that these are a sample of the set, and of two
texts the same numbers are drawn. Of two sketches that are whole, resemblance and containment are
exact; else they are shares among the n sampled shingles of both, with a standard error of
sqrt(s (1 - s) / n): .019 for two long texts that share a half of their shingles (s = .5, n = 700).

- Broder: *On the resemblance and containment of documents*, 1997
"""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.config import TextConfig
from pagekin.text.words import WordTable

__all__ = [
    "MOST_KEPT",
    "WHOLE",
    "Fingerprints",
    "Likeness",
    "Shingler",
    "Sketch",
    "compare",
    "make_sketch",
    "mix",
    "pack",
    "unpack",
]

Fingerprints = NDArray[np.uint64]

MOST_KEPT = 512  # fingerprints of a sketch: 4 KB
WHOLE = (1 << 64) - 1  # the reach of a sketch that has all

_FULL = 80_000  # words that are remembered: 20 MB
_FACTORS = tuple(
    map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xBF58476D1CE4E5B9))
)  # odd, with their bits by lot
_HEAD = struct.Struct("<IQ")  # shingles and reach, as they are packed
_HIGH, _MIDDLE = np.uint64(32), np.uint64(29)


class Shingler:
    """Cuts texts into shingles of so many words; it remembers the words that it met."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._start()

    def _start(self) -> None:
        # words as they stand: without stems, of whatever language
        self._table = WordTable(TextConfig(stemming="nostem", stop_words=False), "")
        self._hashes: Fingerprints = np.zeros(0, np.uint64)

    def words(self, text: bytes) -> list[str]:
        """The words of a text, a page's flat text with markers or any other in UTF-8.

        >>> Shingler(3).words("It’s a <b>knot</b>, 2 knots".encode())
        ['it', 's', 'a', 'b', 'knot', 'b', 'knots']
        """
        known = self._table.words
        return [known[number] for number in self._numbers(text).tolist()]

    def fingerprints(self, text: bytes) -> Fingerprints:
        """Those of all shingles of a text in its order: the i-th begins with the i-th word."""
        numbers = self._numbers(text)
        if len(self._table.words) > len(self._hashes):
            new = self._table.words[len(self._hashes) :]
            self._hashes = np.concatenate([self._hashes, _word_hashes(new)])
        return _mixed_runs(self._hashes[numbers], self._length)

    def sketch(self, text: bytes) -> Sketch:
        """The sketch of a text."""
        return make_sketch(self.fingerprints(text))

    def _numbers(self, text: bytes) -> NDArray[np.int32]:
        if len(self._table) > _FULL:
            self._start()
        numbers = self._table.numbers(text)
        return numbers[numbers >= 0]  # the others are markers


def _word_hashes(words: list[str]) -> Fingerprints:
    digests = [blake2b(word.encode("utf-8", "replace"), digest_size=8).digest() for word in words]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _mixed_runs(hashes: Fingerprints, length: int) -> Fingerprints:
    """The hashes of each run of so many words as one number: runs of 1, 2, 4 ... words are mixed,
    and of these, the shortest first, those that make up the length.
    """
    length = min(length, len(hashes))
    if not length:
        return hashes
    runs, of_runs, done, made = hashes, 1, 0, hashes
    while of_runs <= length:
        if length & of_runs:
            # what is made so far comes first, and the run behind it
            made = runs if not done else mix(made[: len(runs) - done], runs[done:])
            done += of_runs
        runs = mix(runs[:-of_runs], runs[of_runs:])
        of_runs *= 2
    return made


def mix(first: Fingerprints, second: Fingerprints) -> Fingerprints:
    """One number for two; stored, and so fixed for ever."""
    mixed = first * _FACTORS[0]
    mixed ^= second * _FACTORS[1]
    mixed ^= mixed >> _HIGH
    mixed *= _FACTORS[2]
    mixed ^= mixed >> _MIDDLE
    return mixed


class Sketch(NamedTuple):
    """The shingles of a text, or a sample of them."""

    shingles: int  # different ones of the whole text; of a sample without templates about so many
    reach: int  # all fingerprints up to it are here; WHOLE: all
    fingerprints: Fingerprints  # sorted, each once

    def without(self, some: Fingerprints) -> Sketch:
        """The sketch without these shingles, which are sorted."""
        kept = self.fingerprints[~_are_in(self.fingerprints, some)]
        known = max(len(self.fingerprints), 1)
        shingles = len(kept) if self.reach == WHOLE else self.shingles * len(kept) // known
        return Sketch(shingles, self.reach, kept)


def make_sketch(fingerprints: Fingerprints, most: int = MOST_KEPT) -> Sketch:
    """The sketch of a text's shingles, in any order and as often as they stand there."""
    distinct = np.sort(fingerprints)
    if len(distinct):
        distinct = distinct[np.concatenate(([True], distinct[1:] != distinct[:-1]))]
    if len(distinct) <= most:
        return Sketch(len(distinct), WHOLE, distinct)
    return Sketch(len(distinct), int(distinct[most - 1]), distinct[:most].copy())


def pack(sketch: Sketch) -> bytes:
    """A sketch as a word: number of shingles, reach and fingerprints, little-endian, in base64."""
    shingles, reach, fingerprints = sketch
    return b64encode(_HEAD.pack(shingles, reach) + fingerprints.astype("<u8").tobytes())


def unpack(word: bytes) -> Sketch:
    """The sketch that was packed; ValueError if it is none."""
    data = b64decode(word, validate=True)
    if len(data) < _HEAD.size or (len(data) - _HEAD.size) % 8:
        raise ValueError("not the length of a sketch")
    shingles, reach = _HEAD.unpack_from(data)
    fingerprints = np.frombuffer(data, "<u8", offset=_HEAD.size).astype(np.uint64, copy=False)
    if (fingerprints[1:] <= fingerprints[:-1]).any():
        raise ValueError("the fingerprints of a sketch do not ascend")
    return Sketch(shingles, reach, fingerprints)


class Likeness(NamedTuple):
    """What two texts share: exact if both sketches are whole, else counted in the sample."""

    shared: int  # shingles of both
    first: int  # shingles of the one
    second: int  # and of the other
    exact: bool

    @property
    def resemblance(self) -> float:
        """The shared among those of either [TOPK]; 0 of two empty texts."""
        return self.shared / max(self.first + self.second - self.shared, 1)

    @property
    def containment(self) -> float:
        """The share of the first text's shingles that the second has [TOPK]."""
        return self.shared / max(self.first, 1)

    @property
    def other_containment(self) -> float:
        """The share of the second text's shingles that the first has."""
        return self.shared / max(self.second, 1)


def compare(first: Sketch, second: Sketch) -> Likeness:
    """What two texts share, among the shingles that both sketches know of."""
    reach = min(first.reach, second.reach)
    ones, others = _up_to(first, reach), _up_to(second, reach)
    shared = int(np.count_nonzero(_are_in(ones, others)))
    return Likeness(shared, len(ones), len(others), reach == WHOLE)


def _up_to(sketch: Sketch, reach: int) -> Fingerprints:
    if sketch.reach == reach:
        return sketch.fingerprints
    end = np.searchsorted(sketch.fingerprints, np.uint64(reach), "right")
    return sketch.fingerprints[:end]


def _are_in(some: Fingerprints, others: Fingerprints) -> NDArray[np.bool_]:
    """Which of these sorted numbers are among the others, which are sorted too?"""
    if not len(others):
        return np.zeros(len(some), np.bool_)
    places = np.searchsorted(others, some)
    places[places == len(others)] = 0
    found: NDArray[np.bool_] = others[places] == some
    return found
