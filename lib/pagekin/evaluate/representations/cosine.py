"""Bags by the cosine of their weights: for comparison with the Jaccard measure [SIM 4]."""

from __future__ import annotations

import numpy as np

from pagekin.bags.bag import BagColumns
from pagekin.evaluate.similarities import InvertedFile, Material, Representation, Similarities

__all__ = ["cosines", "make"]


def make(material: Material) -> Representation:
    """Of the bags of the pages."""
    return cosines(material.pages.bags)


def cosines(bags: BagColumns) -> Representation:
    """The sum of products by the term, over both norms."""
    file = InvertedFile(bags)
    norms = np.sqrt(file.totals(np.square))

    def similarities(source: int) -> Similarities:
        products = file.sums(source, np.multiply)
        both = norms * norms[source]
        result: Similarities = np.zeros_like(products)
        np.divide(products, both, out=result, where=both > 0)
        return result

    return similarities
