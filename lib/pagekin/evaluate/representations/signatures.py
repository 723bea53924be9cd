"""Signatures by the share of equal ones, as answers without exact ranking have it [SIM 6.2].

Of an index they are its own, row by row of H; else the bags are signed here, as a build would. A
bag without weight is like no other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import InputError
from pagekin.evaluate.similarities import Material, Representation, Similarities
from pagekin.index.folder import IndexFolder
from pagekin.minhash.signatures import EMPTY, make_signer

__all__ = ["make"]


def make(material: Material) -> Representation:
    """Of the signatures of the index, or of the bags."""
    if material.index is not None:
        rows = _rows(material.index, material.pages.urls)
    else:
        config = material.config
        signer = make_signer(config.signatures, normalised=config.weight.normalise)
        rows = signer.sign(*material.pages.bags)
    columns = np.ascontiguousarray(rows.T)  # whole columns compare faster than rows
    empty = (rows == EMPTY).all(axis=1)

    def similarities(source: int) -> Similarities:
        if empty[source]:
            return np.zeros(len(rows))
        equal: NDArray[np.int64] = (columns == columns[:, source, None]).sum(axis=0)
        return equal / len(columns)

    return similarities


def _rows(index: IndexFolder, urls: list[str]) -> NDArray[np.uint32]:
    places = [index.find(url) for url in urls]
    if None in places:
        raise InputError(f"{index.path} lacks pages whose bags it gave; `pagekin verify` says more")
    return np.array([place.shard.H[place.document] for place in places if place], np.uint32)
