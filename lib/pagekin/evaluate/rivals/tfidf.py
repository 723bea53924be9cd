"""Content by tf-idf and cosine, the baseline of search: ln(1 + tf) x ln(N / df).

Words are cut, stopped and stemmed as bags are, so that what differs is what stands in the bag. N
and df are over all texts, those of other pages too.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pagekin.bags.bag import BagColumns
from pagekin.config import TextConfig
from pagekin.evaluate.representations.cosine import cosines
from pagekin.evaluate.rivals.rival import Made, Progress, Rival, Stopwatch, Text, Texts
from pagekin.text.words import Vocabulary

__all__ = ["TFIDF", "tfidf_columns"]


def _make(texts: Texts, _progress: Progress) -> list[Made]:
    watch = Stopwatch()
    columns = tfidf_columns([*texts.judged, *texts.others])
    end = int(columns.bounds[len(texts.judged)])
    judged = BagColumns(
        columns.terms[:end], columns.weights[:end], columns.bounds[: len(texts.judged) + 1]
    )
    size, count = judged.terms.nbytes + judged.weights.nbytes, len(columns.bounds) - 1
    return [Made("", cosines(judged), size, watch.seconds(), count)]


def tfidf_columns(texts: Iterable[Text]) -> BagColumns:
    """The terms of each text with their tf-idf."""
    vocabulary = Vocabulary(TextConfig())
    terms, counts = [np.empty(0, np.uint32)], [np.empty(0, np.int64)]
    for text in texts:
        table = vocabulary.table(text.language)
        numbers = table.numbers(text.words.encode("utf-8", "replace"))
        hashes = table.terms(numbers[numbers > 0])
        some, times = np.unique(hashes[hashes > 0], return_counts=True)
        terms.append(some)
        counts.append(times)
    bounds = np.cumsum([len(some) for some in terms], dtype=np.int64)
    joined = np.concatenate(terms)
    _, which, df = np.unique(joined, return_inverse=True, return_counts=True)
    idf = np.log((len(terms) - 1) / df)[which]
    weights = np.log1p(np.concatenate(counts)) * idf
    return BagColumns(joined, weights.astype(np.float32), bounds)


TFIDF = Rival("tfidf", "tf-idf and cosine of the words", (), True, _make)
