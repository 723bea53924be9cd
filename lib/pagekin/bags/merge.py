"""Fragments of one URL become its raw bag: the reducer of the bags [SIM 6.1].

Values arrive sorted: the page's own fragment first, then the links grouped by the citing host. So
hosts are counted without a set, and everything here is a function of the set of fragments, whatever
the tasks: weights are summed as whole numbers, in which no order of addition matters.

Many URLs are summed in one numpy batch: one sort of packed (URL, term, place) numbers. A URL with
very many links is folded in pieces of its own, so that it costs no more memory than others. Of a
URL with more than `max_terms` distinct terms the lightest go (of equal ones the larger hashes),
after each piece and at the end.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.bags.bag import Weights, bag_value
from pagekin.bags.fragments import KIND_SHIFT, LINK, WIDTH, decode
from pagekin.bags.places import SCALE, Sums, add_sums, place_weights, sum_terms
from pagekin.config import BagConfig, WindowConfig
from pagekin.counters import Counters
from pagekin.text.words import Terms
from pagekin.web.urls import host

__all__ = ["BagMerger", "content_value", "host_id", "link_value"]

_BATCH_TEXT = 1 << 20  # bytes of fragments summed at once: 200,000 numbers, a cache's worth
_FOLD_TEXT = 4 << 20  # of one URL: 800,000 numbers, about 60 MB at work
_BATCH_URLS = 0xFFF0  # a URL's number in a batch takes 16 bits

# A value is b"c" flag text (the page's own) or b"l" host flag text (of links); b"c" sorts first.
_LINK = ord("l")
_OWN_TEXT = 2
_HOST = slice(1, 9)  # 6 bytes of the host's hash as base64
_FLAG, _FIRST = 9, ord("1")  # the page's first fragment about this URL
_LINK_TEXT = 10


def host_id(url: str) -> bytes:
    """Eight characters that name the host of a canonical URL."""
    return base64.b64encode(xxhash.xxh3_64_digest(host(url).encode())[:6])


def content_value(payload: bytes, own: bool) -> bytes:
    """The value of a page's own fragment; one given by another URL's page sorts behind."""
    return (b"c0" if own else b"c1") + payload


def link_value(host: bytes, payload: bytes, first: bool) -> bytes:
    """The value of a fragment about a link; `host` names the citing host in 8 characters."""
    return b"l" + host + (b"1" if first else b"0") + payload


@dataclass(slots=True)
class _Url:
    """What is known of one URL while its values pass by."""

    key: bytes
    size: int = 0  # of the texts
    crawled: bool = False
    pages: int = 0
    hosts: int = 0
    links: int = 0  # in the pieces that are folded already
    texts: list[bytes] = field(default_factory=list)
    within: list[bool] = field(default_factory=list)  # for each text: a link within the host?
    folded: tuple[Terms, Sums] | None = None


class BagMerger:
    """Turns sorted (URL, fragment) pairs into (URL, raw bag) pairs."""

    def __init__(self, bag: BagConfig, window: WindowConfig, counters: Counters) -> None:
        self._weights = place_weights(bag, window)
        self._weigh_within = bag.same_host == "weigh"
        self._max_terms = bag.max_terms
        self._counters = counters

    def merge(self, pairs: Iterable[tuple[bytes, bytes]]) -> Iterator[tuple[bytes, bytes]]:
        """The raw bags, in the order of the URLs."""
        batch: list[_Url] = []
        size = 0
        for key, group in groupby(pairs, key=itemgetter(0)):
            url = self._read(key, group)
            batch.append(url)
            size += url.size
            if size > _BATCH_TEXT or len(batch) >= _BATCH_URLS:
                yield from self._finish(batch)
                batch, size = [], 0
        yield from self._finish(batch)

    def _read(self, key: bytes, group: Iterable[tuple[bytes, bytes]]) -> _Url:
        """Collect a URL's fragments; the loop runs once per fragment, hence its plainness."""
        url = _Url(key)
        own_host = host_id(key.decode()) if self._weigh_within else b""
        host = b""
        for _, value in group:
            if value[0] == _LINK:
                if value[_HOST] != host:
                    host = value[_HOST]
                    url.hosts += 1
                url.pages += value[_FLAG] == _FIRST
                text = value[_LINK_TEXT:]
            else:
                self._counters.add("bags", "other_content_dropped", int(url.crawled))
                text = b"" if url.crawled else value[_OWN_TEXT:]
                url.crawled = True
            url.texts.append(text)
            if own_host:
                url.within.append(host == own_host)
            url.size += len(text)
            if url.size > _FOLD_TEXT:
                self._fold(url)
        return url

    def _fold(self, url: _Url) -> None:
        """Add the fragments so far to what is folded, and forget them."""
        _, terms, sums, links = self._sum([url])
        url.folded = self._add(url, terms, sums)
        url.links += int(links[0])
        url.texts, url.within, url.size = [], [], 0

    def _add(self, url: _Url, terms: Terms, sums: Sums) -> tuple[Terms, Sums]:
        if url.folded:
            terms, sums = add_sums(
                np.concatenate([url.folded[0], terms]), np.concatenate([url.folded[1], sums])
            )
        over = len(terms) - self._max_terms
        if over <= 0:
            return terms, sums
        self._counters.add("bags", "terms_over_limit", over)
        heaviest = np.sort(np.lexsort((terms, -sums))[: self._max_terms])
        return terms[heaviest], sums[heaviest]

    def _finish(self, batch: list[_Url]) -> Iterator[tuple[bytes, bytes]]:
        if not batch:
            return
        url_of, terms, sums, links = self._sum(batch)
        bounds = np.searchsorted(url_of, np.arange(len(batch) + 1, dtype=np.uint64)).tolist()
        all_terms, all_weights = terms.tobytes(), _as_weights(sums).tobytes()
        links_of = links.tolist()
        all_links = all_numbers = empty = 0
        for k, url in enumerate(batch):
            low, high = bounds[k], bounds[k + 1]
            if url.folded or high - low > self._max_terms:
                kept, heavy = self._add(url, terms[low:high], sums[low:high])
                packed = kept.tobytes(), _as_weights(heavy).tobytes()
            else:
                packed = all_terms[4 * low : 4 * high], all_weights[4 * low : 4 * high]
            anchors = links_of[k] + url.links
            all_links += anchors
            all_numbers += len(packed[0]) // 4
            empty += not packed[0]
            yield url.key, bag_value(url.crawled, anchors, url.pages, url.hosts, *packed)
        counts = {"urls": len(batch), "crawled": sum(url.crawled for url in batch)}
        counts |= {"anchors": all_links, "terms": all_numbers, "empty": empty}
        self._counters.merge({"bags": counts})

    def _sum(self, batch: list[_Url]) -> tuple[NDArray[np.uint64], Terms, Sums, NDArray[np.int64]]:
        """(URL number, term, sum), ordered, and the number of links of each URL."""
        numbers = decode(b"".join(text for url in batch for text in url.texts))
        sizes = [url.size // WIDTH for url in batch]
        url_of = np.repeat(np.arange(len(batch), dtype=np.uint64), sizes)
        links = np.bincount(
            url_of[numbers >> np.uint64(KIND_SHIFT) == LINK].astype(np.int64), minlength=len(batch)
        )
        within = self._within(batch) if self._weigh_within else None
        return *sum_terms(numbers, url_of, self._weights, within), links

    def _within(self, batch: list[_Url]) -> NDArray[np.bool_]:
        flags = [flag for url in batch for flag in url.within]
        sizes = [len(text) // WIDTH for url in batch for text in url.texts]
        return np.repeat(np.array(flags, dtype=np.bool_), sizes)


def _as_weights(sums: Sums) -> Weights:
    return (sums / SCALE).astype("<f4")
