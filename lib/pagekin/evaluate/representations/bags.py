"""Bags by their bag Jaccard, the sum of minima over the sum of maxima: exact [SIM 4]."""

from __future__ import annotations

import numpy as np

from pagekin.evaluate.labelled import PackedBags
from pagekin.evaluate.similarities import InvertedFile, Material, Similarities

__all__ = ["BagSimilarities", "make"]


class BagSimilarities:
    """J = m / (s + s' - m), with the sum of minima m by the term."""

    def __init__(self, bags: PackedBags) -> None:
        self._file = InvertedFile(bags)
        self._sums = self._file.totals(bags.weights.astype(np.float64))

    def similarities(self, source: int) -> Similarities:
        """The bag Jaccard of a page with each page."""
        minima = self._file.sums(source, np.minimum)
        maxima = self._sums + self._sums[source] - minima
        result: Similarities = np.zeros_like(minima)
        np.divide(minima, maxima, out=result, where=maxima > 0)
        return result


def make(material: Material) -> BagSimilarities:
    """Of the bags of the pages."""
    return BagSimilarities(material.pages.bags)
