"""Latent semantic analysis: the truncated singular value decomposition of tf-idf, and cosine.

It is learned from the texts of judged and other pages together. 50 dimensions: of 50, 100 and 200
they are the best on wikispeedia and debdocs (docs/measurements/rivals.md).
"""

from __future__ import annotations

import numpy as np

from pagekin.evaluate.rivals.rival import (
    Made,
    Progress,
    Rival,
    Stopwatch,
    Texts,
    dot_products,
    unit_rows,
)
from pagekin.evaluate.rivals.tfidf import tfidf_columns

__all__ = ["SVD"]

_DIMENSIONS = 50
_NOTHING = 1e-6  # the length of a text that has no part in these dimensions; all have 1 before


def _make(texts: Texts, _progress: Progress) -> list[Made]:
    from scipy.sparse import csr_array  # noqa: PLC0415 - of the extra
    from scipy.sparse.linalg import svds  # noqa: PLC0415

    watch = Stopwatch()
    columns = tfidf_columns([*texts.judged, *texts.others])
    count = len(columns.bounds) - 1
    rows = np.repeat(np.arange(count), np.diff(columns.bounds))
    squares = np.bincount(rows, columns.weights.astype(np.float64) ** 2, count)
    lengths = np.sqrt(squares)[rows]
    weights = np.divide(columns.weights, lengths, out=np.zeros(len(rows)), where=lengths > 0)
    terms, which = np.unique(columns.terms, return_inverse=True)
    table = csr_array((weights, which, columns.bounds), (count, len(terms)))
    dimensions = min(_DIMENSIONS, min(table.shape) - 1)
    if dimensions < 1 or not table.count_nonzero():  # nothing to decompose
        vectors = np.zeros((len(texts.judged), 1), np.float32)
    else:
        # an explicit start, as it would be drawn by lot
        left, values, _ = svds(table, dimensions, v0=np.ones(min(table.shape)))
        vectors = (left * values)[: len(texts.judged)].astype(np.float32)
        vectors[np.linalg.norm(vectors, axis=1) < _NOTHING] = 0  # and not what was rounded off
        vectors = unit_rows(vectors)
    return [Made("", dot_products(vectors), vectors.nbytes, watch.seconds(), count)]


SVD = Rival("svd", f"{_DIMENSIONS} dimensions of the SVD of tf-idf", ("scipy",), False, _make)
