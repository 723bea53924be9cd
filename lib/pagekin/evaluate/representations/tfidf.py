"""Bags by tf-idf and cosine: what the "more like this" of search libraries does, as a baseline.

The weight of a term is its weight in the bag times ln(N / df). N is the number of bags that hold
any term. `bag.anchor = 0` makes it a measure of content alone; tf is raw with `weight.tf = "none"`
and ln(1 + tf) with `"log"`. Bags without df weights and without a cut (`weight.df = "none"`,
`weight.terms = 0`) are what it is meant for; others would count df twice, and are refused.
"""

from __future__ import annotations

import numpy as np

from pagekin.errors import UsageError
from pagekin.evaluate.representations.cosine import cosines
from pagekin.evaluate.similarities import Material, Representation

__all__ = ["make"]


def make(material: Material) -> Representation:
    """Of the bags, with the document frequencies of all bags."""
    if material.frequencies is None:
        raise UsageError("by tfidf needs document frequencies: those of a workspace, or of a sweep")
    if material.config.weight.df != "none":
        raise UsageError(
            'by tfidf needs bags without df weights (weight.df = "none"): it has its own'
        )
    bags = material.pages.bags
    df = np.maximum(material.frequencies.df(bags.terms), 1)
    idf = np.log(np.maximum(material.documents / df, 1.0))
    return cosines(bags._replace(weights=(bags.weights * idf).astype(np.float32)))
