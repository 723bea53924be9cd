"""Bags by the cosine of their weights: for comparison with the Jaccard measure [SIM 4]."""

from __future__ import annotations

import numpy as np

from pagekin.evaluate.labelled import PackedBags
from pagekin.evaluate.similarities import InvertedFile, Material, Similarities

__all__ = ["CosineSimilarities", "make"]


class CosineSimilarities:
    """The sum of products by the term, over both norms."""

    def __init__(self, bags: PackedBags) -> None:
        self._file = InvertedFile(bags)
        self._norms = np.sqrt(self._file.totals(bags.weights.astype(np.float64) ** 2))

    def similarities(self, source: int) -> Similarities:
        """The cosine of a page with each page."""
        products = self._file.sums(source, np.multiply)
        norms = self._norms * self._norms[source]
        result: Similarities = np.zeros_like(products)
        np.divide(products, norms, out=result, where=norms > 0)
        return result


def make(material: Material) -> CosineSimilarities:
    """Of the bags of the pages."""
    return CosineSimilarities(material.pages.bags)
