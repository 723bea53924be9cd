"""Similarities of one page to all labelled pages: what a representation is, and an inverted file.

A representation is judged by nothing but these numbers. A new one is a new file in
`pagekin.evaluate.representations` with a function `make`; its name is that of the file.

Similarities come by the term, not by pairs: the postings of a page's terms lead to just the pages
that share one, so orthogonal pairs cost nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from pagekin.config import BuildConfig
from pagekin.errors import UsageError
from pagekin.evaluate import representations
from pagekin.evaluate.labelled import LabelledPages, PackedBags
from pagekin.index.folder import IndexFolder

__all__ = [
    "InvertedFile",
    "Material",
    "Representation",
    "Shared",
    "Similarities",
    "make_representation",
    "representation_names",
]

Similarities = NDArray[np.float64]


class Representation(Protocol):
    """A way to say how similar pages are."""

    def similarities(self, source: int) -> Similarities:
        """The similarity of a page to each labelled page; 0: nothing in common."""
        ...


@dataclass(frozen=True)
class Material:
    """What representations are made of; a sweep has no index."""

    pages: LabelledPages
    config: BuildConfig  # of the bags, and of signatures to be made
    index: IndexFolder | None = None


def representation_names() -> list[str]:
    """The representations that there are."""
    return sorted(module.name for module in pkgutil.iter_modules(representations.__path__))


def make_representation(name: str, material: Material) -> Representation:
    """The representation of this name; UsageError where there is none, or no material for it."""
    if name not in representation_names():
        raise UsageError(f"there is no representation {name!r}; there are {representation_names()}")
    module = importlib.import_module(f"{representations.__name__}.{name}")
    made: Representation = module.make(material)
    return made


class Shared(NamedTuple):
    """The terms that a page shares with others, one item for each term and other page."""

    pages: NDArray[np.int64]
    own: Similarities  # the weight of the term in the page itself
    theirs: Similarities


class InvertedFile:
    """For each term the pages that have it."""

    def __init__(self, bags: PackedBags) -> None:
        sizes = np.diff(bags.bounds)
        numbers = np.unique(bags.terms, return_inverse=True)[1]
        order = np.argsort(numbers, kind="stable")  # pages stay in order within a term
        self.count = len(sizes)
        self._of_bag, self._bag_bounds, self._weights = numbers, bags.bounds, bags.weights
        # 64 bits, because bincount would convert them at each call
        self._owners = np.repeat(np.arange(self.count), sizes)
        self._pages = self._owners[order]
        self._posted = bags.weights[order]
        self._starts = np.append(0, np.cumsum(np.bincount(numbers))).tolist()

    def shared(self, source: int) -> Shared:
        """The shared terms of a page, in the order of the terms."""
        part = slice(int(self._bag_bounds[source]), int(self._bag_bounds[source + 1]))
        edges = [(self._starts[t], self._starts[t + 1]) for t in self._of_bag[part].tolist()]
        if not edges:
            none = np.empty(0)
            return Shared(np.empty(0, np.int64), none, none)
        sizes = [high - low for low, high in edges]
        return Shared(
            np.concatenate([self._pages[low:high] for low, high in edges]),
            np.repeat(self._weights[part].astype(np.float64), sizes),
            np.concatenate([self._posted[low:high] for low, high in edges]).astype(np.float64),
        )

    def sums(self, pages: NDArray[np.int64], values: Similarities) -> Similarities:
        """The sum of values for each page."""
        return np.bincount(pages, values, self.count).astype(np.float64, copy=False)

    def totals(self, values: Similarities) -> Similarities:
        """The sum over each bag of a value for each of its terms."""
        return self.sums(self._owners, values)
