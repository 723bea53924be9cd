"""Bags and co-citation together: the sum of their reciprocal ranks, as `related --by both` has it.

Ranks are counted among the labelled pages. Pages of equal similarity share the first of their
ranks, where an answer puts one before the other by its URL: that order says nothing, and is not to
be judged. What is not similar at all has no rank, and adds nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.evaluate.representations import bags, cocitation
from pagekin.evaluate.similarities import Material, Representation, Similarities
from pagekin.query.cocited import RANKS

__all__ = ["FusedSimilarities", "make", "reciprocal_ranks"]


class FusedSimilarities:
    """Several representations by their ranks."""

    def __init__(self, parts: Sequence[Representation]) -> None:
        self._parts = parts

    def similarities(self, source: int) -> Similarities:
        """The sum of the reciprocal ranks of each page; the source itself has none."""
        total: Similarities = np.zeros(0)
        for part in self._parts:
            scores = part.similarities(source).copy()
            scores[source] = 0.0
            ranks = reciprocal_ranks(scores)
            total = total + ranks if len(total) else ranks
        return total.round(12)


def reciprocal_ranks(scores: Similarities) -> Similarities:
    """1 / (60 + rank) for each score above 0; the highest has rank 1."""
    rounded = scores.round(12)
    falling = np.sort(-rounded)
    ranks = falling.searchsorted(-rounded, side="left") + 1
    return np.where(rounded > 0, 1 / (RANKS + ranks), 0.0)


def make(material: Material) -> FusedSimilarities:
    """Of the bags and the tables of the index."""
    return FusedSimilarities([bags.make(material), cocitation.make(material)])
