"""Shingles: what a text is made of, so that copies of it are known [TOPK, "Duplicate Elimination"].

A shingle is a run of so many words of a text, and its fingerprint a number of 64 bits: words are
hashed by SipHash, and the hashes of a run are mixed so that their order counts. A text of fewer
words than a run is one shingle.

Words are cut at bytes, in a tenth of the time that the words of bags take: all that copies need is
that equal texts have equal words. A word is a run of letters; those of ASCII are made small. Beyond
ASCII a character is a letter if it is above U+00BF and no symbol; each Chinese or Japanese one is a
word by itself. All words take part, stop words too, and digits and punctuation never.

A `Sketch` is the set of a text's fingerprints or, of a long text, the least of them, as many as
`MOST_KEPT`. Fingerprints are numbers by lot, so that these are a sample of the set, and of two
texts the same numbers are drawn. Of two sketches that are whole, resemblance and containment are
exact; else they are shares among the n sampled shingles of both, with a standard error of
sqrt(s (1 - s) / n): .019 for two long texts that share a half of their shingles (s = .5, n = 700).

- Broder: *On the resemblance and containment of documents*, 1997
- Aumasson, Bernstein: *SipHash: a fast short-input PRF*, 2012
"""

from __future__ import annotations

import re
import struct
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.native import load

__all__ = [
    "MOST_KEPT",
    "WHOLE",
    "Fingerprints",
    "Likeness",
    "Sketch",
    "compare",
    "cut_words",
    "fingerprints",
    "make_sketch",
    "mix",
    "mixed_runs",
    "pack",
    "siphash",
    "unpack",
]

Fingerprints = NDArray[np.uint64]

MOST_KEPT = 512  # fingerprints of a sketch: 4 KB
WHOLE = (1 << 64) - 1  # the reach of a sketch that has all

_HEAD = struct.Struct("<IQ")  # shingles and reach, as they are packed

# --- words ---

# Of a character the first byte tells what it is; what is cut off by the end of the text is nothing.
_LETTER = rb"[a-z]++|[\xc3-\xdf].|[\xe0\xe1\xea-\xed].."
_OF_ITS_OWN = rb"\xe3[^\x80].|[\xe4-\xe9]..|\xf0[\xa0-\xff].."
_BETWEEN = rb"[\x00-`{-\x7f]++|\xc2.|[\xe2\xe3\xee\xef]..|[\xf0-\xf4]...|."
_WORD = re.compile(rb"((?:%b)++|%b)|(?:%b)" % (_LETTER, _OF_ITS_OWN, _BETWEEN), re.DOTALL)

_KEY: Final = b"pagekin shingles"  # stored fingerprints rest on it
_MASK = (1 << 64) - 1
_REMEMBERED = 1 << 16  # hashes of words
_native = load("pagekin.mirrors._shingles")


def cut_words(text: bytes) -> list[str]:
    """The words of a text: a page's flat text with markers, or any other in UTF-8.

    >>> cut_words("It’s a <b>Knot</b>, 2 結び目".encode())
    ['it', 's', 'a', 'b', 'knot', 'b', '結', 'び', '目']
    """
    return [word.decode("utf-8", "replace") for word in _WORD.findall(text.lower()) if word]


@lru_cache(_REMEMBERED)
def _hash_of(word: bytes) -> int:
    return siphash(_KEY, word)


def siphash(key: bytes, data: bytes) -> int:
    """SipHash-2-4."""
    k0, k1 = struct.unpack("<QQ", key)
    v0, v1 = k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D
    v2, v3 = k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573
    padded = data + bytes(7 - len(data) % 8) + bytes([len(data) % 256])
    for (block,) in struct.iter_unpack("<Q", padded):
        v0, v1, v2, v3 = _rounds(v0, v1, v2, v3 ^ block, 2)
        v0 ^= block
    v0, v1, v2, v3 = _rounds(v0, v1, v2 ^ 0xFF, v3, 4)
    return v0 ^ v1 ^ v2 ^ v3


def _rounds(v0: int, v1: int, v2: int, v3: int, count: int) -> tuple[int, int, int, int]:
    for _ in range(count):
        v0 = (v0 + v1) & _MASK
        v2 = (v2 + v3) & _MASK
        v1 = (v1 << 13 & _MASK | v1 >> 51) ^ v0
        v3 = (v3 << 16 & _MASK | v3 >> 48) ^ v2
        v0 = v0 << 32 & _MASK | v0 >> 32
        v2 = (v2 + v1) & _MASK
        v0 = (v0 + v3) & _MASK
        v1 = (v1 << 17 & _MASK | v1 >> 47) ^ v2
        v3 = (v3 << 21 & _MASK | v3 >> 43) ^ v0
        v2 = v2 << 32 & _MASK | v2 >> 32
    return v0, v1, v2, v3


# --- shingles ---

_FACTORS = tuple(
    map(np.uint64, (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0xBF58476D1CE4E5B9))
)  # odd, with their bits by lot
_HIGH, _MIDDLE = np.uint64(32), np.uint64(29)


def fingerprints(text: bytes, length: int) -> Fingerprints:
    """Those of all shingles of a text in its order: the i-th begins with the i-th word."""
    if _native is None:
        return mixed_runs([_hash_of(word) for word in _WORD.findall(text.lower()) if word], length)
    return np.frombuffer(_native.fingerprints(text, _KEY, length), np.uint64)


def mixed_runs(hashes: Sequence[int], length: int) -> Fingerprints:
    """One number for each run of so many words, of their hashes; `_shingles.c` does the same.

    Runs of 1, 2, 4 ... words are mixed, and of these, the shortest first, those that make up the
    length.
    """
    runs = made = np.array(hashes, np.uint64)
    length = min(length, len(runs))
    of_runs, done = 1, 0
    while of_runs <= length:
        if length & of_runs:
            # what is made so far comes first, and the run behind it
            made = mix(made[: len(runs) - done], runs[done:]) if done else runs
            done += of_runs
        if done < length:
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


# --- sketches ---


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

    def in_parts(self, one: int) -> tuple[int, int, int]:
        """Resemblance and both containments, where `one` is 1, rounded down."""
        either = self.first + self.second - self.shared
        return (
            one * self.shared // max(either, 1),
            one * self.shared // max(self.first, 1),
            one * self.shared // max(self.second, 1),
        )


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
    if len(some) <= len(others):
        places = np.searchsorted(others, some)
        places[places == len(others)] = 0
        found: NDArray[np.bool_] = others[places] == some
        return found
    found = np.zeros(len(some), np.bool_)  # the fewer are looked up: of templates there are few
    places = np.searchsorted(some, others)
    places[places == len(some)] = 0
    found[places[some[places] == others]] = True
    return found
