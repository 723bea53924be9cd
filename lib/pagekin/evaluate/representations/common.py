"""Bags by the number of terms that they have in common, whatever their weights.

Of bags that hold the ids of citing pages and nothing else (`bag.links` alone) it is plain
co-citation, the number of pages that link to both: a baseline. Other than the `plain` co-citation
of a build it takes links of all distances on a page, and those within one host too.
"""

from __future__ import annotations

import numpy as np

from pagekin.evaluate.labelled import PackedBags
from pagekin.evaluate.similarities import InvertedFile, Material, Similarities

__all__ = ["CommonTerms", "make"]


class CommonTerms:
    """Counts shared terms."""

    def __init__(self, bags: PackedBags) -> None:
        self._file = InvertedFile(bags)

    def similarities(self, source: int) -> Similarities:
        """The number of terms that a page shares with each page."""
        return self._file.sums(source, _both)


def _both(own: Similarities, theirs: Similarities) -> Similarities:
    return ((own > 0) & (theirs > 0)).astype(np.float64)


def make(material: Material) -> CommonTerms:
    """Of the bags of the pages."""
    return CommonTerms(material.pages.bags)
