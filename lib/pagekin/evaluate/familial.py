"""Familial distance: how near two pages stand in a directory [SIM 2.1, Definitions 1 and 2].

The distance from a page to another is that from its class up to the most specific class above
both: 0 the same class, 1 siblings, 2 cousins, 3 unrelated. What the definition leaves open:

- only the root above both: unrelated, however deep the classes are;
- a page and one in a subclass of its class: siblings, in both directions;
- where a collapsed directory is deeper than 3, cousins of any degree are cousins;
- pages in several classes: the smallest distance over all pairs of classes.

Where pages of different depths are kept, distance has a direction: /A/B to /A/C/D is 1, back 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["COUSINS", "DISTANCES", "SAME", "SIBLINGS", "UNRELATED", "Family", "class_distance"]

SAME, SIBLINGS, COUSINS, UNRELATED = range(4)
DISTANCES = ("same class", "sibling", "cousin", "unrelated")

ClassPath = tuple[str, ...]
Distances = NDArray[np.int8]


def class_distance(source: ClassPath, other: ClassPath) -> int:
    """The distance from a class to another.

    >>> class_distance(("A", "B"), ("A", "B", "C"))
    1
    """
    if source == other:
        return SAME
    shared = 0
    while shared < min(len(source), len(other)) and source[shared] == other[shared]:
        shared += 1
    if not shared:
        return UNRELATED
    return min(max(len(source) - shared, SIBLINGS), COUSINS)


class Family:
    """The distances from a page to all pages."""

    def __init__(
        self,
        classes: Sequence[ClassPath],
        bounds: NDArray[np.int64],
        members: NDArray[np.int32],
    ) -> None:
        """Page k, which has a class, is in the classes members[bounds[k]:bounds[k + 1]]."""
        self._ancestors = _ancestors(classes)
        self._depths = np.array([len(path) for path in classes], np.int64)
        self._bounds, self._members = bounds, members

    def __len__(self) -> int:
        return len(self._bounds) - 1

    def distances(self, source: int) -> Distances:
        """The distance from a page to each page; to itself it is 0."""
        own = self._members[self._bounds[source] : self._bounds[source + 1]]
        to_classes = np.min([self._from_class(int(number)) for number in own], axis=0)
        nearest: Distances = np.minimum.reduceat(to_classes[self._members], self._bounds[:-1])
        return nearest

    def _from_class(self, number: int) -> Distances:
        own, depth = self._ancestors[number], int(self._depths[number])
        shared = (self._ancestors[:, :depth] == own[:depth]).sum(axis=1)
        distances: Distances = np.clip(depth - shared, SIBLINGS, COUSINS).astype(np.int8)
        distances[shared == 0] = UNRELATED
        distances[number] = SAME
        return distances


def _ancestors(classes: Sequence[ClassPath]) -> NDArray[np.int32]:
    """Per class the number of its ancestor of each depth, itself included, and -1 below it.

    A number stands for a whole path from the root, so equal ones are shared ancestors.
    """
    depth = max(map(len, classes), default=0)
    table = np.full((len(classes), depth), -1, np.int32)
    numbers: dict[ClassPath, int] = {}
    for k, path in enumerate(classes):
        for level in range(len(path)):
            table[k, level] = numbers.setdefault(path[: level + 1], len(numbers))
    return table
