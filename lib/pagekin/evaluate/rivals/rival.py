"""What a rival is: a way to make, of the texts of pages, similarities to all judged pages."""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.evaluate.similarities import Representation, Similarities

__all__ = ["Made", "Progress", "Rival", "Stopwatch", "Text", "Texts", "dot_products", "unit_rows"]

Progress = Callable[[int, int], None]  # is told how many texts are done, and of how many
Vectors = NDArray[np.float32]  # a row for each page


class Text(NamedTuple):
    """What a rival reads of a page."""

    words: str  # "": there is nothing to read
    language: str = ""  # ISO 639-1, or "" where nobody knows


class Texts(NamedTuple):
    """What a rival is made of."""

    judged: Sequence[Text]  # of each judged page
    others: Sequence[Text]  # of other pages of the snapshot, from which a model may learn


class Made(NamedTuple):
    """A rival that is ready to be asked."""

    variant: str  # where one rival has several
    similarities: Representation
    size: int  # bytes that it keeps of the judged pages
    seconds: float  # of CPU that making it took,
    texts: int  # of so many texts


@dataclass(frozen=True)
class Rival:
    """A way to find similar pages that is not ours."""

    name: str
    about: str
    packages: tuple[str, ...]  # that are imported; none of them is a dependency
    reason: bool  # can it say why two pages are similar, in words that both hold?
    make: Callable[[Texts, Progress], list[Made]]
    forms: tuple[str, ...] = ("page", "main", "bag")  # of the text, each judged by itself
    cost: Callable[[Text], int] | None = None  # pieces that a network reads; else all is fast

    def missing(self) -> list[str]:
        """The packages that are not installed."""
        return [name for name in self.packages if importlib.util.find_spec(name) is None]


class Stopwatch:
    """CPU time of this process since the watch was made."""

    def __init__(self) -> None:
        self._began = time.process_time()

    def seconds(self) -> float:
        """All threads together."""
        return time.process_time() - self._began


def unit_rows(vectors: Vectors) -> Vectors:
    """Each row brought to length 1; rows of zeros stay, and are similar to nothing."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    result: Vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
    return result


def dot_products(vectors: Vectors) -> Representation:
    """Similarities of rows of length 1: their cosine."""

    def similarities(source: int) -> Similarities:
        result: Similarities = (vectors @ vectors[source]).astype(np.float64)
        return result

    return similarities
