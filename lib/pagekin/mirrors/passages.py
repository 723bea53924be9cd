"""What two texts share, passage by passage: words of a shingle that both have, and all others."""

from __future__ import annotations

from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.mirrors.shingles import (
    Fingerprints,
    Likeness,
    compare,
    cut_words,
    fingerprints,
    make_sketch,
)

__all__ = ["Comparison", "Passage", "compare_texts"]


class Passage(NamedTuple):
    """Words of a text that stand together."""

    shared: bool  # with the other text
    words: list[str]


class Comparison(NamedTuple):
    """Two texts, and what they share."""

    likeness: Likeness  # exact
    first: list[Passage]  # of the first text, in its order
    second: list[Passage]


def compare_texts(first: bytes, second: bytes, length: int) -> Comparison:
    """Compare two texts by shingles of so many words: flat texts of pages, or others in UTF-8.

    >>> found = compare_texts(b"a bowline is a knot", b"here a bowline is a hitch", 3)
    >>> [" ".join(passage.words) for passage in found.first if passage.shared]
    ['a bowline is a']
    """
    ours, theirs = (fingerprints(text, length) for text in (first, second))
    words, others = map(cut_words, (first, second))
    likeness = compare(*(make_sketch(each, len(each)) for each in (ours, theirs)))
    return Comparison(likeness, _passages(words, ours, theirs), _passages(others, theirs, ours))


def _passages(words: list[str], own: Fingerprints, others: Fingerprints) -> list[Passage]:
    told = zip(_are_shared(len(words), own, others).tolist(), words, strict=True)
    return [
        Passage(shared, [word for _, word in some])
        for shared, some in groupby(told, key=itemgetter(0))
    ]


def _are_shared(words: int, own: Fingerprints, others: Fingerprints) -> NDArray[np.bool_]:
    """Which words stand in a shingle that is also among the others? The i-th begins at word i."""
    starts = np.isin(own, others).nonzero()[0]
    length = words - len(own) + 1
    steps = np.zeros(words + 1, np.int64)
    steps[starts] += 1
    steps[starts + length] -= 1
    return steps.cumsum()[:words] > 0
