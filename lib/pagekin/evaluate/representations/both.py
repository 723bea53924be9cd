"""Bags and co-citation together: the sum of their reciprocal ranks, as `related --by both` has it.

Ranks are counted among the labelled pages. Pages of equal similarity share the first of their
ranks, where an answer puts one before the other by its URL: that order says nothing, and is not to
be judged. What is not similar at all has no rank, and adds nothing.
"""

from __future__ import annotations

import numpy as np

from pagekin.evaluate.representations import bags, cocitation
from pagekin.evaluate.similarities import Material, Representation, Similarities
from pagekin.query.cocited import RANKS

__all__ = ["make", "reciprocal_ranks"]


def make(material: Material) -> Representation:
    """Of the bags and the tables of the index."""
    parts = [bags.make(material), cocitation.make(material)]

    def similarities(source: int) -> Similarities:
        total: Similarities = np.zeros(len(material.pages))
        for part in parts:
            scores = part(source)
            scores[source] = 0.0  # the source itself has no rank
            total += reciprocal_ranks(scores)
        return total.round(12)

    return similarities


def reciprocal_ranks(scores: Similarities) -> Similarities:
    """1 / (60 + rank) for each score above 0; the highest has rank 1."""
    rounded = scores.round(12)
    falling = np.sort(-rounded)
    ranks = falling.searchsorted(-rounded, side="left") + 1
    return np.where(rounded > 0, 1 / (RANKS + ranks), 0.0)
