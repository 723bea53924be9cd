"""Pages by co-citation: the total similarity TS in the tables of an index [BLOCK].

A table keeps the best kin of each page, so a pair may stand in the list of one page, of both (with
two values, because TS is divided by the blocks of one of them) or of none. Similar is the larger
value; 0 is a pair that is in neither list.
"""

from __future__ import annotations

import numpy as np

from pagekin.errors import UsageError
from pagekin.evaluate.similarities import Material, Representation, Similarities
from pagekin.query.cocited import KinTables

__all__ = ["make"]


def make(material: Material) -> Representation:
    """Of the tables of the index."""
    index, urls = material.index, material.pages.urls
    if index is None:
        raise UsageError("--by cocitation and --by both need an index; a workspace has no table")
    if not index.header.kin:
        raise UsageError(
            f"{index.path} has no co-citation table: no page of it has kin that way;"
            " --by takes bags, cosine or signatures"
        )
    tables, numbers = KinTables(index), {url: number for number, url in enumerate(urls)}
    scores: list[dict[int, float]] = [{} for _ in urls]
    for page, url in enumerate(urls):
        for kin in tables.edges(url):
            if (other := numbers.get(kin.url)) is not None:
                for a, b in ((page, other), (other, page)):
                    scores[a][b] = max(kin.score, scores[a].get(b, 0.0))

    def similarities(source: int) -> Similarities:
        result: Similarities = np.zeros(len(urls))
        for other, score in scores[source].items():
            result[other] = score
        return result

    return similarities
