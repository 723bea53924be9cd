"""Pages of the sample that tells how bags are packed: which they are, and what they tell."""

from __future__ import annotations

from collections import Counter

import numpy as np
import xxhash

from pagekin.bags.extract import Extractor
from pagekin.bags.fragments import KIND_SHIFT, decode
from pagekin.bags.sample import SAMPLE_KEY, sample_value
from pagekin.bags.values import OWN_TEXT
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.web.page import Page

__all__ = ["Sampler"]

Pair = tuple[bytes, bytes]

_WINDOW = 64  # terms of a link, about


class Sampler:
    """Makes records of the pages that are chosen."""

    def __init__(self, config: BuildConfig, pages: int) -> None:
        self._pages = pages
        self._extractor = Extractor(config, Counters())  # what it counts is counted by the readers

    def wants(self, url: str) -> bool:
        """Is a page with this URL in the sample?"""
        return not xxhash.xxh3_64_intdigest(url.encode("utf-8", "replace")) % self._pages

    def record(self, page: Page) -> Pair:
        """What it tells of the snapshot."""
        said = self._extractor.say(page)
        numbers = decode(said.value[OWN_TEXT:])
        is_term = numbers >> np.uint64(KIND_SHIFT) == 0
        terms, counts = np.unique(numbers[is_term].astype(np.uint32), return_counts=True)
        links = Counter(target.encode() for target in said.targets if target)
        merged = {url: _WINDOW * number for url, number in links.items()}
        merged[said.url] = merged.get(said.url, 0) + len(numbers)
        if self._extractor.full():
            for _ in self._extractor.take_forms():
                pass
        key = b"%b%016x" % (SAMPLE_KEY, xxhash.xxh3_64_intdigest(said.url))
        return key, sample_value(terms, counts.astype(np.uint32), merged)
