"""The labelled pages of a snapshot: those that stand in a directory, with their bags.

They are what is judged, sources and others alike. Bags may come from a workspace, an index, or the
memory of a sweep. Pages lie in the order of their URLs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.bags.bag import Bag
from pagekin.errors import InputError
from pagekin.evaluate.directory import ClassPath, Directory, key_of
from pagekin.evaluate.familial import Family

__all__ = ["LabelledPages", "PackedBags", "label_bags"]


class PackedBags(NamedTuple):
    """Bags behind one another: the k-th has the terms from bounds[k] to bounds[k + 1]."""

    terms: NDArray[np.uint32]
    weights: NDArray[np.float32]
    bounds: NDArray[np.int64]


@dataclass(frozen=True)
class LabelledPages:
    """Pages with classes and bags; page k is in members[bounds[k]:bounds[k + 1]]."""

    urls: list[str]
    classes: list[ClassPath]
    bounds: NDArray[np.int64]
    members: NDArray[np.int32]
    bags: PackedBags
    missing: int = 0  # pages of the directory that the snapshot does not know
    unlinked: int = 0  # pages left out because no page links to them

    def __len__(self) -> int:
        return len(self.urls)

    @cached_property
    def family(self) -> Family:
        """The distances between the pages."""
        return Family(self.classes, self.bounds, self.members)

    @cached_property
    def keys(self) -> NDArray[np.uint64]:
        """What stands for the URLs."""
        return np.array([key_of(url) for url in self.urls], np.uint64)

    def paths_of(self, page: int) -> list[ClassPath]:
        """The classes of a page."""
        own = self.members[self.bounds[page] : self.bounds[page + 1]]
        return [self.classes[number] for number in own.tolist()]

    def digest(self) -> str:
        """One number for which pages stand in which classes, whatever their bags are."""
        state = xxhash.xxh3_128()
        for page, url in enumerate(self.urls):
            paths = sorted("/".join(path) for path in self.paths_of(page))
            state.update(f"{url}\t{' '.join(paths)}\n".encode())
        return state.hexdigest()


def label_bags(bags: Iterable[Bag], directory: Directory, *, linked: bool = False) -> LabelledPages:
    """The bags whose pages the directory knows; `linked`: only those that some page links to."""
    found = [(bag, page) for bag in bags if (page := directory.find(bag.url)) >= 0]
    missing = len(directory) - len(found)
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
        _bounds(members),
        np.concatenate(members),
        _packed([bag for bag, _ in kept]),
        missing,
        len(found) - len(kept),
    )


def _packed(bags: list[Bag]) -> PackedBags:
    terms = np.concatenate([bag.terms for bag in bags])
    weights = np.concatenate([bag.weights for bag in bags])
    return PackedBags(terms, weights, _bounds([bag.terms for bag in bags]))


def _bounds(parts: Iterable[NDArray[np.int32] | NDArray[np.uint32]]) -> NDArray[np.int64]:
    return np.cumsum([0, *map(len, parts)], dtype=np.int64)
