"""The place of every term in a stream of fragments, and sums of weights by URL and term.

A place says in which section a term stands, and in the sections around an anchor how far away:
0 .. 8191 are distances (0: in the anchor), then one place for each other kind of section. A table
from place to weight is all that the weighting of the paper [SIM 5.2] needs. The whole is numpy: a
few passes over many fragments at once.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.fragments import (
    ANCHOR,
    CITING_PAGE,
    CITING_TITLE,
    CONTENT,
    END,
    GAP,
    HEADINGS,
    RIGHT,
    TITLE,
)
from pagekin.bags.windows import distance_weights
from pagekin.config import BagConfig, WindowConfig
from pagekin.text.words import FIRST_HASH, Terms

__all__ = ["SCALE", "Sums", "add_sums", "place_weights", "places", "sum_terms"]

SCALE = 2.0**32  # weights are summed as whole numbers of 2^-32: exact, so order-independent

_FAR = 0x1FFF
_PLACE = {
    CONTENT: _FAR + 1,
    TITLE: _FAR + 2,
    HEADINGS: _FAR + 3,
    CITING_TITLE: _FAR + 4,
    CITING_PAGE: _FAR + 5,
}
_WITHIN_HOST = 0x4000  # added to the place of terms from links within a host

Sums = NDArray[np.int64]
Places = NDArray[np.int64]


def place_weights(bag: BagConfig, window: WindowConfig) -> Sums:
    """The weight of a term at each place, in units of 2^-32."""
    near = distance_weights(bag, min(window.words, _FAR))
    anchor_word = near[0]
    weights = np.zeros(2 * _WITHIN_HOST)
    weights[: len(near)] = np.array(near) * bag.anchor
    weights[_PLACE[CONTENT]] = bag.content
    weights[_PLACE[TITLE]] = bag.content + bag.anchor * anchor_word
    weights[_PLACE[HEADINGS]] = bag.anchor * bag.headings * anchor_word
    weights[_PLACE[CITING_TITLE]] = bag.anchor * bag.citing_title * anchor_word
    weights[_PLACE[CITING_PAGE]] = bag.links
    weights[_WITHIN_HOST:] = weights[:_WITHIN_HOST] * bag.same_host_weight
    return np.rint(weights * SCALE).astype(np.int64)


def places(numbers: Terms) -> Places:
    """The place of each number; meaningless at the section marks themselves.

    `numbers` starts with a mark. Left of an anchor the distance counts down to it, right of it up;
    so in every section the place is `at + step * position`.
    """
    marks = np.flatnonzero(numbers < FIRST_HASH)
    ends = np.append(marks[1:], len(numbers))
    kinds = numbers[marks]
    step = _STEP[kinds]
    at = np.where(step < 0, ends, np.where(step > 0, -marks, _AT[kinds]))
    spans = ends - marks
    found: Places = np.repeat(step, spans) * np.arange(len(numbers)) + np.repeat(at, spans)
    return found


# Terms after END or GAP are left of the next anchor: the distance falls. After RIGHT it rises.
_STEP = np.zeros(FIRST_HASH, dtype=np.int64)
_STEP[[END, GAP]], _STEP[RIGHT] = -1, 1
_AT = np.zeros(FIRST_HASH, dtype=np.int64)
_AT[ANCHOR] = 0
for _section, _place in _PLACE.items():
    _AT[_section] = _place


def sum_terms(
    numbers: Terms,
    url_of: NDArray[np.uint64],
    weights: Sums,
    within: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.uint64], Terms, Sums]:
    """(URL number, term, sum of weights), ordered; terms of weight 0 are no terms.

    `url_of` numbers the URL (below 2^16) and `within` says whether the link lies within a host,
    both for each number of the stream.
    """
    place = np.minimum(places(numbers), _WITHIN_HOST - 1)
    if within is not None:
        place += within * _WITHIN_HOST
    real = numbers >= FIRST_HASH
    keys = (
        (url_of[real] << np.uint64(48))
        | (numbers[real].astype(np.uint64) << np.uint64(16))
        | place[real].astype(np.uint64)
    )
    keys.sort()
    pairs = keys >> np.uint64(16)
    firsts = _firsts(pairs)
    weighed = weights[(keys & np.uint64(0xFFFF)).astype(np.int64)]
    sums = np.add.reduceat(weighed, firsts) if len(firsts) else weighed
    pairs, sums = pairs[firsts][sums > 0], sums[sums > 0]
    return pairs >> np.uint64(32), pairs.astype(np.uint32), sums


def add_sums(terms: Terms, sums: Sums) -> tuple[Terms, Sums]:
    """Equal terms become one; the result is ordered by term."""
    order = np.argsort(terms, kind="stable")
    terms, sums = terms[order], sums[order]
    firsts = _firsts(terms)
    return terms[firsts], np.add.reduceat(sums, firsts) if len(firsts) else sums


def _firsts(ordered: NDArray[np.unsignedinteger]) -> NDArray[np.int64]:
    """Where each run of equal values begins."""
    if not len(ordered):
        return np.empty(0, dtype=np.int64)
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
