"""Bags by their bag Jaccard, the sum of minima over the sum of maxima: exact [SIM 4]."""

from __future__ import annotations

import numpy as np

from pagekin.evaluate.similarities import InvertedFile, Material, Representation, Similarities

__all__ = ["make"]


def make(material: Material) -> Representation:
    """J = m / (s + s' - m), with the sum of minima m by the term."""
    file = InvertedFile(material.pages.bags)
    sums = file.totals(np.positive)

    def similarities(source: int) -> Similarities:
        minima = file.sums(source, np.minimum)
        maxima = sums + sums[source] - minima
        result: Similarities = np.zeros_like(minima)
        np.divide(minima, maxima, out=result, where=maxima > 0)
        return result

    return similarities
