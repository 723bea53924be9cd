"""WordLlama: a fixed vector for each token, taken from a large language model; their mean, cosine.

Model and tokenizer lie in the package, and nothing is loaded from elsewhere. The mean is over all
tokens of a text, however long.
"""

from __future__ import annotations

import importlib.util
from pathlib import Path

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

__all__ = ["WORDLLAMA"]

_DIMENSIONS = 256


def _make(texts: Texts, progress: Progress) -> list[Made]:
    from wordllama import WordLlama  # noqa: PLC0415 - of the extra

    spec = importlib.util.find_spec("wordllama")
    folder = Path((spec and spec.origin) or "").parent
    model = WordLlama.load(cache_dir=folder, disable_download=True)
    watch = Stopwatch()
    vectors = np.zeros((len(texts.judged), _DIMENSIONS), np.float32)
    for page, text in enumerate(texts.judged):
        if text.words:
            vectors[page] = model.embed([text.words])[0]
        progress(page, len(vectors))
    vectors = unit_rows(vectors)
    return [Made("", dot_products(vectors), vectors.nbytes, watch.seconds(), len(vectors))]


WORDLLAMA = Rival("wordllama", "WordLlama, the mean of all tokens", ("wordllama",), False, _make)
