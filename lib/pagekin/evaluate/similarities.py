"""Similarities of one page to all labelled pages: what a representation is, and an inverted file.

A representation is judged by nothing but these numbers. A new one is a new file in
`pagekin.evaluate.representations` with a function `make`; its name is that of the file.
"""

from __future__ import annotations

import importlib
import pickle
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import BagColumns
from pagekin.bags.weigh import Frequencies
from pagekin.config import BuildConfig
from pagekin.errors import UsageError
from pagekin.evaluate import representations
from pagekin.evaluate.labelled_pages import LabelledPages
from pagekin.index.folder import IndexFolder

__all__ = [
    "InvertedFile",
    "Material",
    "Representation",
    "Similarities",
    "make_representation",
    "representation_names",
]

Similarities = NDArray[np.float64]  # of a page to each labelled page; 0: nothing in common
Representation = Callable[[int], Similarities]  # of the page of this number
Combine = Callable[[Similarities, Similarities], Similarities]


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

    def write(self, path: Path) -> None:
        """Store the pages and the configuration, without index and frequencies, for tasks."""
        with path.open("wb") as file:
            pickle.dump(replace(self, index=None, frequencies=None), file)

    @classmethod
    def read(cls, path: Path) -> Material:
        """What `write` stored."""
        with path.open("rb") as file:
            material: Material = pickle.load(file)
        return material


def representation_names() -> list[str]:
    """The representations that there are."""
    return sorted(module.name for module in pkgutil.iter_modules(representations.__path__))


def make_representation(name: str, material: Material) -> Representation:
    """The representation of this name; UsageError where there is none, or no material for it."""
    if name not in representation_names():
        raise UsageError(f"there is no representation {name!r}; there are {representation_names()}")
    module = importlib.import_module(f"{representations.__name__}.{name}")
    similarities: Representation = module.make(material)
    if not material.alpha:
        return similarities

    def above_alpha(source: int) -> Similarities:
        found = similarities(source)
        return np.where(found > material.alpha, found, 0.0)

    return above_alpha


class InvertedFile:
    """For each term the pages that have it.

    Similarities come by the term, not by pairs: the postings of a page's terms lead to just the
    pages that share one, so orthogonal pairs cost nothing.
    """

    def __init__(self, bags: BagColumns) -> None:
        terms, numbers = np.unique(bags.terms, return_inverse=True)
        self._bounds, self._terms = bags.bounds, numbers  # of each bag
        self._weights = bags.weights.astype(np.float64)
        sizes = np.diff(bags.bounds)
        self.count = len(sizes)
        self._owners = np.repeat(np.arange(self.count), sizes)
        order = np.argsort(numbers, kind="stable")  # by terms; pages in order within a term
        self._pages, self._posted = self._owners[order], self._weights[order]
        self._starts = np.append(0, np.cumsum(np.bincount(numbers, minlength=len(terms))))

    def sums(self, source: int, combine: Combine) -> Similarities:
        """For each page the sum over shared terms of `combine` of both weights.

        `combine` has to give 0 where one of them is 0. Terms are added in one order for all pages,
        so that a pair has one sum from both sides.
        """
        part = slice(int(self._bounds[source]), int(self._bounds[source + 1]))
        firsts, lasts = self._starts[self._terms[part]], self._starts[self._terms[part] + 1]
        if not len(firsts):
            return np.zeros(self.count)
        postings = [slice(a, b) for a, b in zip(firsts.tolist(), lasts.tolist(), strict=True)]
        pages = np.concatenate([self._pages[some] for some in postings])
        theirs = np.concatenate([self._posted[some] for some in postings])
        own = np.repeat(self._weights[part], lasts - firsts)
        return self._added(pages, combine(theirs, own))

    def totals(self, combine: Callable[[Similarities], Similarities]) -> Similarities:
        """The sum over each bag of `combine` of its weights."""
        return self._added(self._owners, combine(self._weights))

    def _added(self, pages: NDArray[np.int64], values: Similarities) -> Similarities:
        return np.bincount(pages, values, self.count).astype(np.float64, copy=False)
