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

__all__ = ["make"]


def make(material: Material) -> Representation:
    """Of the signatures and the bags."""
    rough, exact_of = signatures.make(material), bags.make(material)
    limit = material.candidates

    def similarities(source: int) -> Similarities:
        shares = rough(source)
        exact = np.where(shares > 0, exact_of(source), 0.0)
        found = int((shares > 0).sum()) - int(shares[source] > 0)
        if not limit or found <= limit:
            return exact
        order = np.argsort(-shares, kind="stable")
        best = order[order != source][:limit]
        result: Similarities = shares * exact[best].min() / 2
        result[best], result[source] = exact[best], exact[source]
        return result

    return similarities
