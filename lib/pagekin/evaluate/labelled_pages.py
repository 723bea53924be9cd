"""The labelled pages of a snapshot, those that stand in a directory, and how near they stand.

They are what is judged, sources and others alike, and have their bags with them. Bags may come from
a workspace, an index, or the memory of a sweep. Pages lie in the order of their URLs.

The familial distance [SIM 2.1, Definitions 1 and 2] from a page to another is that from its class
up to the most specific class above both: 0 the same class, 1 siblings, 2 cousins, 3 unrelated. What
the definition leaves open:

- only the root above both: unrelated, however deep the classes are;
- a page and one in a subclass of its class: siblings, in both directions;
- where a collapsed directory is deeper than 3, cousins of any degree are cousins;
- pages in several classes: the smallest distance over all pairs of classes.

Where pages of different depths are kept, distance has a direction: /A/B to /A/C/D is 1, back 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.bags.bag import Bag, BagColumns, Bags
from pagekin.errors import InputError
from pagekin.evaluate.directory import ClassPath, Directory, key_of

__all__ = [
    "COUSINS",
    "DISTANCES",
    "SAME",
    "SIBLINGS",
    "UNRELATED",
    "LabelledPages",
    "label_bags",
]

SAME, SIBLINGS, COUSINS, UNRELATED = range(4)
DISTANCES = ("same class", "sibling", "cousin", "unrelated")

Distances = NDArray[np.int8]


@dataclass(frozen=True)
class LabelledPages:
    """Pages with classes and bags; page k is in members[bounds[k]:bounds[k + 1]]."""

    urls: list[str]
    classes: list[ClassPath]
    bounds: NDArray[np.int64]
    members: NDArray[np.int32]
    bags: BagColumns
    missing: int = 0  # pages of the directory that the snapshot does not know
    unlinked: int = 0  # pages left out because no page links to them

    def __len__(self) -> int:
        return len(self.urls)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """The number of each URL."""
        return np.array([key_of(url) for url in self.urls], np.uint64)

    def paths_of(self, page: int) -> list[ClassPath]:
        """The classes of a page."""
        own = self.members[self.bounds[page] : self.bounds[page + 1]]
        return [self.classes[number] for number in own.tolist()]

    def distances(self, source: int) -> Distances:
        """The familial distance from a page to each page; to itself it is 0."""
        own = self.members[self.bounds[source] : self.bounds[source + 1]]
        to_classes = np.min([self._from_class(int(number)) for number in own], axis=0)
        nearest: Distances = np.minimum.reduceat(to_classes[self.members], self.bounds[:-1])
        return nearest

    def _from_class(self, number: int) -> Distances:
        own, depth = self._ancestors[number], len(self.classes[number])
        shared = (self._ancestors[:, :depth] == own[:depth]).sum(axis=1)
        distances: Distances = np.clip(depth - shared, SIBLINGS, COUSINS).astype(np.int8)
        distances[shared == 0] = UNRELATED
        distances[number] = SAME
        return distances

    @cached_property
    def _ancestors(self) -> NDArray[np.int32]:
        """Per class the number of its ancestor of each depth, itself included, and -1 below it.

        A number stands for a whole path from the root, so equal ones are shared ancestors.
        """
        depth = max(map(len, self.classes), default=0)
        table = np.full((len(self.classes), depth), -1, np.int32)
        numbers: dict[ClassPath, int] = {}
        for k, path in enumerate(self.classes):
            for level in range(len(path)):
                table[k, level] = numbers.setdefault(path[: level + 1], len(numbers))
        return table

    def only(self, chosen: NDArray[np.int64]) -> LabelledPages:
        """Some of the pages, ascending numbers, by themselves."""
        which, bounds = _parts(self.bounds, chosen)
        terms, bag_bounds = _parts(self.bags.bounds, chosen)
        bags = BagColumns(self.bags.terms[terms], self.bags.weights[terms], bag_bounds)
        urls = [self.urls[page] for page in chosen.tolist()]
        return LabelledPages(urls, self.classes, bounds, self.members[which], bags)

    def digest(self) -> str:
        """One number for which pages stand in which classes, whatever their bags are."""
        state = xxhash.xxh3_128()
        for page, url in enumerate(self.urls):
            paths = sorted("/".join(path) for path in self.paths_of(page))
            state.update(f"{url}\t{' '.join(paths)}\n".encode())
        return state.hexdigest()


def _parts(
    bounds: NDArray[np.int64], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the items of these parts are, one part behind another, and the bounds of the parts."""
    sizes = np.diff(bounds)[chosen]
    ends: NDArray[np.int64] = np.cumsum([0, *sizes.tolist()], dtype=np.int64)
    return np.arange(ends[-1]) + np.repeat(bounds[chosen] - ends[:-1], sizes), ends


def label_bags(bags: Iterable[Bag], directory: Directory, *, linked: bool = False) -> LabelledPages:
    """The bags whose pages the directory knows; `linked`: only those that some page links to."""
    found = [(bag, page) for bag in bags if (page := directory.find(bag.url)) >= 0]
    kept = [(bag, page) for bag, page in found if bag.anchors or not linked]
    if not kept:
        raise InputError(
            f"none of the {len(directory):,} pages of the directory has a bag here"
            + (" and a link to it" if linked else "")
        )
    kept.sort(key=lambda one: one[0].url)
    members = [directory.classes_of(page) for _, page in kept]
    return LabelledPages(
        [bag.url for bag, _ in kept],
        directory.classes,
        np.cumsum([0, *map(len, members)], dtype=np.int64),
        np.concatenate(members),
        Bags.of([bag for bag, _ in kept]).columns(),
        len(directory) - len(found),
        len(found) - len(kept),
    )
