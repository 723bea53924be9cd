"""What links of one block have in common, as bits: two links share what both have a bit for.

Words, top sub-domains and earlier blocks are told so, because to compare two links is then one
operation for 64 of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["Marks", "Numbers", "marks_of"]

_PLANE = 64  # traits whose marks fit into one number

Numbers = NDArray[np.int64]
Marks = NDArray[np.uint64]


def marks_of(starts: Numbers, link: Numbers, traits: Marks) -> list[Marks]:
    """Marks for the traits, of 32 bits, that more than one link of a block has.

    `starts` tells where the block of each link begins. Traits are numbered within the block;
    link[k] has traits[k]. Each array holds 64 of them, a bit for each.
    """
    keys = starts[link].astype(np.uint64) << np.uint64(32) | traits
    order = np.argsort(keys)
    keys, link = keys[order], link[order]
    begins = np.flatnonzero(np.append(True, keys[1:] != keys[:-1])[: len(keys)])
    lengths = np.diff(np.append(begins, len(keys)))
    begins, lengths = begins[lengths > 1], lengths[lengths > 1]
    if not len(begins):
        return []
    number = _within(keys[begins] >> np.uint64(32))
    link = link[
        np.repeat(begins - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
    ]
    return _as_planes(len(starts), link, np.repeat(number, lengths))


def _within(groups: Marks) -> Numbers:
    """The place of each element among those of its group, which stand together."""
    here = np.arange(len(groups))
    first = np.append(True, groups[1:] != groups[:-1])
    return here - np.maximum.accumulate(np.where(first, here, 0))


def _as_planes(count: int, link: Numbers, number: Numbers) -> list[Marks]:
    planes = []
    for low in range(0, int(number.max()) + 1, _PLANE):
        chosen = (number >= low) & (number < low + _PLANE)
        marks = np.zeros(count, dtype=np.uint64)
        np.bitwise_or.at(marks, link[chosen], np.uint64(1) << (number[chosen] - low).astype("u8"))
        planes.append(marks)
    return planes
