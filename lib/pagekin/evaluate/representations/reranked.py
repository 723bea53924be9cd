"""Candidates by signatures, ranked again by exact bags: as an index answers [SIM 6.2, Figure 11].

A candidate is a page with at least one equal signature. `candidates = C` ranks only the C with most
equal ones again (of equal counts those of the first URLs), as `pagekin related` does with 100; 0
ranks all of them again. The others keep the order of their signatures, below all that are ranked
again: their similarity is the share of equal signatures times half the least exact similarity. A
page without an equal signature has nothing in common, as it can be no answer.

Candidates are counted among the labelled pages, where an index takes them among all.
"""

from __future__ import annotations

import numpy as np

from pagekin.evaluate.representations import bags, signatures
from pagekin.evaluate.similarities import Material, Representation, Similarities

__all__ = ["RerankedSimilarities", "make"]


class RerankedSimilarities:
    """The exact similarity of candidates."""

    def __init__(self, rough: Representation, exact: Representation, candidates: int = 0) -> None:
        self._rough, self._exact, self._candidates = rough, exact, candidates

    def similarities(self, source: int) -> Similarities:
        """Exact for candidates, 0 for pages that are none."""
        shares = self._rough.similarities(source)
        exact = np.where(shares > 0, self._exact.similarities(source), 0.0)
        found = int((shares > 0).sum()) - int(shares[source] > 0)
        if not self._candidates or found <= self._candidates:
            return exact
        order = np.argsort(-shares, kind="stable")
        best = order[order != source][: self._candidates]
        result: Similarities = shares * exact[best].min() / 2
        result[best], result[source] = exact[best], exact[source]
        return result


def make(material: Material) -> RerankedSimilarities:
    """Of the signatures and the bags."""
    rough, exact = signatures.make(material), bags.make(material)
    return RerankedSimilarities(rough, exact, material.candidates)
