"""Similarities of one page to all labelled pages: what a representation is, and an inverted file.

A representation is judged by nothing but these numbers. A new one is a new file in
`pagekin.evaluate.representations` with a function `make`; its name is that of the file.

Similarities come by the term, not by pairs: the postings of a page's terms lead to just the pages
that share one, so orthogonal pairs cost nothing.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.frequencies import Frequencies
from pagekin.config import BuildConfig
from pagekin.errors import UsageError
from pagekin.evaluate import representations
from pagekin.evaluate.labelled import LabelledPages, PackedBags
from pagekin.index.folder import IndexFolder

__all__ = [
    "InvertedFile",
    "Material",
    "Representation",
    "Similarities",
    "make_representation",
    "representation_names",
]

_COMMON = 8  # a term in one page of so many gets a row: about where a row costs what a list does
_ROWS_SIZE = 64 << 20  # bytes of all rows
_AT_ONCE = 8  # rows: 3,000 pages are 190 KB, and all 700 rows of a page would take 3 times as long

Similarities = NDArray[np.float64]
Combine = Callable[[Similarities, Similarities], Similarities]


class Representation(Protocol):
    """A way to say how similar pages are."""

    def similarities(self, source: int) -> Similarities:
        """The similarity of a page to each labelled page; 0: nothing in common."""
        ...


@dataclass(frozen=True)
class Material:
    """What representations are made of; each needs a part of it."""

    pages: LabelledPages
    config: BuildConfig  # of the bags, and of signatures to be made
    index: IndexFolder | None = None
    frequencies: Frequencies | None = None  # of all bags, not of these alone
    documents: int = 0  # bags that hold any term
    alpha: float = 0.0  # similarities up to this one are none
    candidates: int = 0  # that `reranked` ranks again; 0: all


def representation_names() -> list[str]:
    """The representations that there are."""
    return sorted(module.name for module in pkgutil.iter_modules(representations.__path__))


def make_representation(name: str, material: Material) -> Representation:
    """The representation of this name; UsageError where there is none, or no material for it."""
    if name not in representation_names():
        raise UsageError(f"there is no representation {name!r}; there are {representation_names()}")
    module = importlib.import_module(f"{representations.__name__}.{name}")
    made: Representation = module.make(material)
    return _Above(made, material.alpha) if material.alpha else made


class _Above:
    """Another representation without its lower similarities, as answers beyond an alpha are."""

    def __init__(self, other: Representation, alpha: float) -> None:
        self._other, self._alpha = other, alpha

    def similarities(self, source: int) -> Similarities:
        found = self._other.similarities(source)
        return np.where(found > self._alpha, found, 0.0)


class InvertedFile:
    """For each term the pages that have it.

    Terms of many pages lie as rows over all pages, where one pass of numpy takes a tenth of what
    lists cost; the others as lists. Uncut bags spend most of their time with the former.
    """

    def __init__(self, bags: PackedBags) -> None:
        sizes = np.diff(bags.bounds)
        terms, numbers, spread = np.unique(bags.terms, return_inverse=True, return_counts=True)
        self.count = len(sizes)
        # 64 bits, because numpy would convert them at each call
        self._owners = np.repeat(np.arange(self.count), sizes)
        self._of_bag, self._bag_bounds = numbers, bags.bounds
        self._weights = bags.weights.astype(np.float64)
        self._row_of = self._rows_of(spread)
        in_row = self._row_of[numbers] >= 0
        self._rows = np.zeros((int((self._row_of >= 0).sum()), self.count))
        self._rows[self._row_of[numbers[in_row]], self._owners[in_row]] = self._weights[in_row]
        listed = np.flatnonzero(~in_row)
        order = listed[np.argsort(numbers[listed], kind="stable")]  # pages in order within a term
        self._pages = self._owners[order]
        self._posted = bags.weights[order]
        lengths = np.bincount(numbers[listed], minlength=len(terms))
        self._starts = np.append(0, np.cumsum(lengths)).tolist()

    def _rows_of(self, spread: NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each term, or -1: the most frequent terms get one, in the order of terms."""
        most = _ROWS_SIZE // (8 * max(self.count, 1))
        common = np.argsort(-spread, kind="stable")[:most]
        common = np.sort(common[spread[common] * _COMMON >= self.count])
        rows = np.full(len(spread), -1)
        rows[common] = np.arange(len(common))
        return rows

    def sums(self, source: int, combine: Combine) -> Similarities:
        """For each page the sum over shared terms of `combine` of both weights.

        `combine` has to give 0 where one of them is 0. Terms are added in one order for all pages,
        so that a pair has one sum from both sides.
        """
        part = slice(int(self._bag_bounds[source]), int(self._bag_bounds[source + 1]))
        terms, weights = self._of_bag[part], self._weights[part]
        rows = self._row_of[terms]
        total = self._sum_rows(rows[rows >= 0], weights[rows >= 0], combine)
        edges = [(self._starts[t], self._starts[t + 1]) for t in terms[rows < 0].tolist()]
        if not edges:
            return total
        pages = np.concatenate([self._pages[low:high] for low, high in edges])
        theirs = np.concatenate([self._posted[low:high] for low, high in edges])
        own = np.repeat(weights[rows < 0], [high - low for low, high in edges])
        values = combine(theirs.astype(np.float64), own)
        return total + np.bincount(pages, values, self.count)

    def _sum_rows(
        self, rows: NDArray[np.int64], own: Similarities, combine: Combine
    ) -> Similarities:
        """The part of the frequent terms, some rows at a time: more leave the processor's cache."""
        total = np.zeros(self.count)
        for k in range(0, len(rows), _AT_ONCE):
            some = slice(k, k + _AT_ONCE)
            total += combine(self._rows[rows[some]], own[some, None]).sum(axis=0)
        return total

    def totals(self, values: Similarities) -> Similarities:
        """The sum over each bag of a value for each of its terms."""
        return np.bincount(self._owners, values, self.count).astype(np.float64, copy=False)
