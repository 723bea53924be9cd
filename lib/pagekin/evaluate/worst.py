"""The sources that do most harm, and what went wrong: what stands nearer than their own class."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluate.familial import DISTANCES, SAME
from pagekin.evaluate.gamma import DECIMALS, Counts, gamma_of
from pagekin.evaluate.labelled import LabelledPages
from pagekin.evaluate.similarities import Representation, Similarities

__all__ = ["worst_sources"]

_NEIGHBOURS = 5


def worst_sources(
    pages: LabelledPages,
    representation: Representation,
    sources: NDArray[np.int64],
    counts: Counts,
    limit: int,
) -> list[dict[str, Any]]:
    """The sources whose discordant pairs outweigh the concordant ones most.

    Pairs are those of the three partial gammas, with a page of the source's class in each.
    """
    partial = counts[:, 1:].sum(axis=1)
    excess = partial[:, 1] - partial[:, 0]
    order = np.argsort(-excess, kind="stable")[:limit]
    return [
        _worst(pages, representation, int(sources[row]), partial[row])
        for row in order.tolist()
        if partial[row, 1]
    ]


def _worst(
    pages: LabelledPages, representation: Representation, source: int, partial: Counts
) -> dict[str, Any]:
    similarities = representation.similarities(source).round(DECIMALS)
    distances = pages.family.distances(source)
    order = np.argsort(-similarities, kind="stable")
    order = order[order != source]
    own = np.flatnonzero(distances[order] == SAME)
    nearest = int(order[own[0]])
    concordant, discordant, tied = partial.tolist()
    return {
        "url": pages.urls[source],
        "classes": _classes(pages, source),
        "value": float(gamma_of(partial)),
        "concordant": concordant,
        "discordant": discordant,
        "tied": tied,
        "same_class": len(own),
        "nearest_of_class": _neighbour(pages, similarities, distances, nearest),
        "its_rank": int((similarities[order] > similarities[nearest]).sum()) + 1,
        "wrong_neighbours": [
            _neighbour(pages, similarities, distances, page)
            for page in order[distances[order] != SAME][:_NEIGHBOURS].tolist()
        ],
    }


def _neighbour(
    pages: LabelledPages, similarities: Similarities, distances: NDArray[np.int8], page: int
) -> dict[str, Any]:
    return {
        "url": pages.urls[page],
        "similarity": float(similarities[page]),
        "distance": DISTANCES[distances[page]],
        "classes": _classes(pages, page),
    }


def _classes(pages: LabelledPages, page: int) -> list[str]:
    return sorted("/" + "/".join(path) for path in pages.paths_of(page))
