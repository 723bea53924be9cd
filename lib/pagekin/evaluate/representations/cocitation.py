"""Pages by co-citation: the total similarity TS in the tables of an index [BLOCK].

A table keeps the best kin of each page, so a pair may stand in the list of one page, of both (with
two values, because TS is divided by the blocks of one of them) or of none. Similar is the larger
value; 0 is a pair that is in neither list.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from pagekin.errors import UsageError
from pagekin.evaluate.similarities import Material, Similarities
from pagekin.index.folder import IndexFolder
from pagekin.query.cocited import KinTables

__all__ = ["CitedSimilarities", "make"]


class CitedSimilarities:
    """For each page its kin among the pages, of either list."""

    def __init__(self, index: IndexFolder, urls: Sequence[str]) -> None:
        self._kin: list[dict[int, float]] = [{} for _ in urls]
        for page, other, score in _edges(KinTables(index), urls):
            for a, b in ((page, other), (other, page)):
                self._kin[a][b] = max(score, self._kin[a].get(b, 0.0))

    def similarities(self, source: int) -> Similarities:
        """The total similarity of a page and each page."""
        result: Similarities = np.zeros(len(self._kin))
        for other, score in self._kin[source].items():
            result[other] = score
        return result


def _edges(tables: KinTables, urls: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    numbers = {url: number for number, url in enumerate(urls)}
    for page, url in enumerate(urls):
        for kin in tables.edges(url):
            if kin.url in numbers:
                yield page, numbers[kin.url], kin.score


def make(material: Material) -> CitedSimilarities:
    """Of the tables of the index."""
    if material.index is None:
        raise UsageError("--by cocitation and --by both need an index; a workspace has no table")
    if not material.index.header.kin:
        raise UsageError(
            f"{material.index.path} has no co-citation table: no page of it has kin that way;"
            " --by takes bags, cosine or signatures"
        )
    return CitedSimilarities(material.index, material.pages.urls)
