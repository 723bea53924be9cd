"""The words of anchor texts, for Eq. 6 of [BLOCK]: sets of stems without stop words.

Words are those of the bags: runs of letters in lower case, Chinese cut by its dictionary, stems by
Porter's algorithm, stop words dropped with all words of their stem. An anchor is too short to tell
its language: `language` is taken for all, but words in Han characters meet the Chinese stop list.
Digits are no words, so "page 2" and "page 3" have the same ones.

Every distinct anchor is looked at once: all new ones of a batch are cut into words together, which
takes a fifth of the time of one by one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.config import CocitationConfig, TextConfig
from pagekin.text.tokens import CODES, LINK, needs_segmenting, tokenise
from pagekin.text.words import Terms, WordTable

__all__ = ["AnchorWords", "WordSets"]

_FULL = 20_000  # anchors remembered, about 5 MB; and words
_CHINESE = "zh"

Numbers = NDArray[np.int64]


class WordSets(NamedTuple):
    """The words of several anchors: of anchor k they begin at starts[k] and are sizes[k]."""

    words: Terms
    starts: Numbers
    sizes: Numbers


class AnchorWords:
    """Anchor texts to sets of words."""

    def __init__(self, config: CocitationConfig) -> None:
        self._config = config
        self._forget()

    def _forget(self) -> None:
        text = TextConfig(stemming="stem", stop_words=self._config.stop_words)
        self._tables = [WordTable(text, self._config.language), WordTable(text, _CHINESE)]
        self._memo: dict[bytes, int] = {}
        self._words = np.empty(0, np.uint32)
        self._bounds = np.zeros(1, np.int64)

    def of(self, anchors: list[bytes]) -> WordSets:
        """The words of each anchor."""
        if len(self._memo) > _FULL or max(map(len, self._tables)) > _FULL:
            self._forget()
        new = [anchor for anchor in set(anchors) if anchor not in self._memo]
        if new:
            self._learn(new)
        memo = self._memo
        numbers = np.fromiter(map(memo.__getitem__, anchors), dtype=np.int64, count=len(anchors))
        starts = self._bounds[numbers]
        return WordSets(self._words, starts, self._bounds[numbers + 1] - starts)

    def _learn(self, anchors: list[bytes]) -> None:
        texts = [anchor.decode("utf-8", "replace") for anchor in anchors]
        tokens = tokenise(f" {LINK} ".join([text.replace(LINK, " ") for text in texts]))
        numbers = self._tables[0].numbers_of(tokens)
        terms = self._terms(tokens, numbers)
        packed = np.cumsum(numbers == CODES[LINK], dtype=np.uint64) << np.uint64(32)
        packed = np.unique(packed[terms != 0] | terms[terms != 0])
        sizes = np.bincount((packed >> np.uint64(32)).astype(np.int64), minlength=len(anchors))
        self._words = np.append(self._words, packed.astype(np.uint32))
        self._bounds = np.append(self._bounds, self._bounds[-1] + np.cumsum(sizes))
        self._memo.update(zip(anchors, range(len(self._memo), len(self._bounds) - 1), strict=True))

    def _terms(self, tokens: list[str], numbers: NDArray[np.int32]) -> Terms:
        """The term of each token; 0 for a marker and for a word that is dropped."""
        terms = self._tables[0].terms(np.maximum(numbers, 0))
        chinese = [k for k, t in enumerate(tokens) if not t.isascii() and needs_segmenting(t)]
        if chinese:
            found = self._tables[1].numbers_of([tokens[k] for k in chinese])
            terms[chinese] = self._tables[1].terms(found)
        return terms
