"""Pages of the sample that tells how bags are packed: which they are, and what they tell."""

from __future__ import annotations

from collections import Counter

import numpy as np
import xxhash

from pagekin.bags.stream import read_stream
from pagekin.config import TextConfig
from pagekin.kinds import Pair
from pagekin.stages.inventory.sample import SAMPLE_KEY, sample_value
from pagekin.text.tokens import with_sentences
from pagekin.text.words import Terms, Vocabulary
from pagekin.web.page import NOTHING, TEXT, Page

__all__ = ["Sampler"]

_WINDOW, _PAGE = 64, 1000  # terms of a link and of a page, about


class Sampler:
    """Makes records of the pages that are chosen: where their links lead, and their terms."""

    def __init__(self, config: TextConfig, pages: int, *, words: bool = True) -> None:
        """One page in so many; without words no terms are told."""
        self._pages = pages
        self._terms = _Terms(config) if words else None
        self.view = TEXT if words else NOTHING

    def wants(self, url: str) -> bool:
        """Is a page with this URL in the sample?"""
        return not xxhash.xxh3_64_intdigest(url.encode("utf-8", "replace")) % self._pages

    def record(self, page: Page) -> Pair:
        """What it tells of the snapshot."""
        links = Counter(target.encode() for target in page.targets() if target)
        merged = {url: _WINDOW * number for url, number in links.items()}
        merged[page.url.encode()] = _PAGE
        nothing = np.empty(0, np.uint32)
        terms, counts = self._terms.of(page) if self._terms else (nothing, nothing)
        key = b"%b%016x" % (SAMPLE_KEY, xxhash.xxh3_64_intdigest(page.url.encode()))
        return key, sample_value(terms, counts, merged)


class _Terms:
    """The terms of pages, as their bags will have them."""

    def __init__(self, config: TextConfig) -> None:
        self._vocabulary = Vocabulary(config)

    def of(self, page: Page) -> tuple[Terms, Terms]:
        """The terms of a page, and how often each stands there."""
        stream = read_stream(with_sentences(page.flat.text), self._vocabulary.table(page.language))
        if self._vocabulary.full():
            for _ in self._vocabulary.take_forms():
                pass
        every = np.concatenate([stream.terms, stream.title])
        terms, counts = np.unique(every, return_counts=True)
        return terms, counts.astype(np.uint32)
