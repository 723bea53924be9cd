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
    CITING_PAGE,
    CITING_TITLE,
    CONTENT,
    HEADINGS,
    KIND_SHIFT,
    LINK,
    SIDE_SHIFT,
    TITLE,
    Numbers,
)
from pagekin.bags.windows import distance_weights
from pagekin.config import BagConfig, WindowConfig
from pagekin.text.words import Terms

__all__ = ["LEAST", "SCALE", "Sums", "add_sums", "place_weights", "places", "sum_terms"]

SCALE = 2.0**32  # weights are summed as whole numbers of 2^-32: exact, so order-independent

_FAR = 0x1FFF
_PLACE = {
    CONTENT: _FAR + 1,
    TITLE: _FAR + 2,
    HEADINGS: _FAR + 3,
    CITING_TITLE: _FAR + 4,
    CITING_PAGE: _FAR + 5,
}
_NOWHERE = 0x3FFF
_WITHIN_HOST = 0x4000  # added to the place of terms from links within a host

Sums = NDArray[np.int64]
Places = NDArray[np.int32]


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


def places(numbers: Numbers) -> Places:
    """The place of each number; that of a section mark is one without a weight.

    `numbers` starts with a mark. In a window the distance counts down to the anchor and up behind
    it: it is the larger of the two counts, and of 0 in between.
    """
    marks = np.flatnonzero(numbers >> np.uint64(KIND_SHIFT))
    ends = np.append(marks[1:], len(numbers))
    heads = numbers[marks].astype(np.int64)
    links = heads >> KIND_SHIFT == LINK
    sides = (1 << SIDE_SHIFT) - 1
    left = np.where(links, marks + (heads >> SIDE_SHIFT & sides) + 1, 0).astype(np.int32)
    right = np.where(links, ends - 1 - (heads & sides), len(numbers)).astype(np.int32)
    spans = ends - marks
    position = np.arange(len(numbers), dtype=np.int32)
    found: Places = np.repeat(left, spans) - position
    np.maximum(found, position - np.repeat(right, spans), out=found)
    np.maximum(found, np.repeat(LEAST[heads >> KIND_SHIFT], spans), out=found)
    np.minimum(found, _NOWHERE, out=found)
    found[marks] = _NOWHERE
    return found


LEAST = np.zeros(1 << 3, dtype=np.int32)
"""Of each kind of section the place of its terms, or the nearest of them."""
for _section, _place in _PLACE.items():
    LEAST[_section] = _place


def sum_terms(
    numbers: Numbers,
    url_of: NDArray[np.uint64],
    weights: Sums,
    within: NDArray[np.bool_] | None = None,
) -> tuple[NDArray[np.uint64], Terms, Sums]:
    """(URL number, term, sum of weights), ordered; terms of weight 0 are no terms.

    `url_of` numbers the URL (below 2^16) and `within` says whether the link lies within a host,
    both for each number of the stream.
    """
    place = places(numbers)
    if within is not None:
        place += within * np.int32(_WITHIN_HOST)
    # marks stay in, without a weight: to take them out would cost more than to sort them, too
    keys = numbers << np.uint64(32)
    keys >>= np.uint64(16)
    keys |= url_of << np.uint64(48)
    keys |= place.astype(np.uint64)
    keys.sort()
    pairs = keys >> np.uint64(16)
    firsts = _firsts(pairs)
    weighed = weights.take((keys & np.uint64(0xFFFF)).astype(np.int64))
    sums = np.add.reduceat(weighed, firsts) if len(firsts) else weighed
    weighty = np.flatnonzero(sums)
    pairs, sums = pairs.take(firsts.take(weighty)), sums.take(weighty)
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
