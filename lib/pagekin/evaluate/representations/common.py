"""Bags by the number of terms that they have in common, whatever their weights.

Of bags that hold the ids of citing pages and nothing else (`bag.links` alone) it is plain
co-citation, the number of pages that link to both: a baseline. Other than the `plain` co-citation
of a build it takes links of all distances on a page, and those within one host too.
"""

from __future__ import annotations

import numpy as np

from pagekin.evaluate.similarities import InvertedFile, Material, Representation, Similarities

__all__ = ["make"]


def make(material: Material) -> Representation:
    """Of the bags of the pages."""
    file = InvertedFile(material.pages.bags)
    return lambda source: file.sums(source, _both)


def _both(own: Similarities, theirs: Similarities) -> Similarities:
    return ((own > 0) & (theirs > 0)).astype(np.float64)
