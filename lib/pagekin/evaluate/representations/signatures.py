"""Signatures by the share of equal ones, as answers without exact ranking have it [SIM 6.2].

Of an index they are its own, row by row of H; else the bags are signed here, as a build would.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import InputError
from pagekin.evaluate.similarities import Material, Similarities
from pagekin.index.folder import IndexFolder
from pagekin.minhash.signatures import EMPTY, make_signer

__all__ = ["SignatureSimilarities", "make"]


class SignatureSimilarities:
    """Counts equal positions; a bag without weight is like no other."""

    def __init__(self, rows: NDArray[np.uint32]) -> None:
        self._columns = np.ascontiguousarray(rows.T)  # whole columns compare faster than rows
        self._empty = (rows == EMPTY).all(axis=1)

    def similarities(self, source: int) -> Similarities:
        """The share of equal signatures of a page with each page."""
        if self._empty[source]:
            return np.zeros(self._columns.shape[1])
        equal = (self._columns == self._columns[:, source, None]).sum(axis=0)
        shares: Similarities = equal / len(self._columns)
        return shares


def make(material: Material) -> SignatureSimilarities:
    """Of the signatures of the index, or of the bags."""
    if material.index is not None:
        return SignatureSimilarities(_rows(material.index, material.pages.urls))
    config = material.config
    signer = make_signer(config.signatures, normalised=config.weight.normalise)
    return SignatureSimilarities(signer.sign(*material.pages.bags))


def _rows(index: IndexFolder, urls: list[str]) -> NDArray[np.uint32]:
    places = [index.find(url) for url in urls]
    if None in places:
        raise InputError(f"{index.path} lacks pages whose bags it gave; `pagekin verify` says more")
    return np.array([place.shard.H[place.document] for place in places if place], np.uint32)
