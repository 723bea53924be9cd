"""Fragments of one URL become its raw bag: the reducer of the bags [SIM 6.1].

Values arrive sorted: the page's own fragment first, then the links that mappers have folded, then
the others grouped by the citing host. So hosts are counted without a set, but where links were
folded, and everything here is a function of the set of links, whatever the tasks: weights are
summed as whole numbers, in which no order of addition matters.

Many URLs are summed in one numpy batch: one sort of packed (URL, term, place) numbers. A URL with
very many links is folded in pieces of its own, so that it costs no more memory than others but for
12 bytes a distinct term. Of a URL with more than `max_terms` of them the lightest go (of equal ones
the larger hashes), once all are summed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain, groupby
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Weights, bag_value
from pagekin.bags.fragments import KIND_SHIFT, LINK, WIDTH, decode
from pagekin.bags.places import SCALE, Sums, place_weights, sum_terms
from pagekin.bags.totals import HostSet, TermSums
from pagekin.bags.values import (
    FIRST,
    FLAG,
    HOST,
    LINK_TEXT,
    OF_FOLDED,
    OF_LINKS,
    OF_PAGE,
    OWN_TEXT,
    host_id,
    parse_folded,
)
from pagekin.config import BagConfig, WindowConfig
from pagekin.counters import Counters
from pagekin.text.words import Terms

__all__ = ["BagMerger"]

_BATCH_TEXT = 1 << 20  # bytes of fragments summed at once: 200,000 numbers, a cache's worth
_FOLD_TEXT = 4 << 20  # of one URL: 800,000 numbers, about 60 MB at work
_BATCH_URLS = 0xFFF0  # a URL's number in a batch takes 16 bits

Pair = tuple[bytes, bytes]


@dataclass(slots=True)
class _Url:
    """What is known of one URL while its values pass by."""

    key: bytes
    size: int = 0  # of the texts
    crawled: bool = False
    pages: int = 0
    hosts: int = 0
    cited_from: HostSet | None = None  # those hosts, where some links came folded
    links: int = 0  # in what is folded already
    texts: list[bytes] = field(default_factory=list)
    within: list[bool] = field(default_factory=list)  # for each text: a link within the host?
    folded: TermSums | None = None


class BagMerger:
    """Turns sorted (URL, fragment) pairs into (URL, raw bag) pairs."""

    def __init__(self, bag: BagConfig, window: WindowConfig, counters: Counters) -> None:
        self._weights = place_weights(bag, window)
        self._weigh_within = bag.same_host == "weigh"
        self._max_terms = bag.max_terms
        self._crawled_only = bag.urls == "crawled"
        self._counters = counters

    def merge(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The raw bags, in the order of the URLs."""
        batch: list[_Url] = []
        size = 0
        for key, group in self._wanted(pairs):
            url = self._read(key, group)
            batch.append(url)
            size += url.size
            if size > _BATCH_TEXT or url.folded is not None or len(batch) >= _BATCH_URLS:
                yield from self._finish(batch)
                batch, size = [], 0
        yield from self._finish(batch)

    def _wanted(self, pairs: Iterable[Pair]) -> Iterator[tuple[bytes, Iterable[Pair]]]:
        """The URLs that are to have bags; fragments of the others are passed over unread."""
        groups = groupby(pairs, key=itemgetter(0))
        if not self._crawled_only:
            yield from groups
        for key, group in groups:
            first = next(group)
            if first[1][0] == OF_PAGE:
                yield key, chain((first,), group)
            else:
                self._counters.add("bags", "urls_not_crawled")

    def _read(self, key: bytes, group: Iterable[Pair]) -> _Url:
        """Collect a URL's fragments; the loop runs once per fragment, hence its plainness."""
        url = _Url(key)
        own_host = host_id(key.decode()) if self._weigh_within else b""
        host = b""
        for _, value in group:
            if value[0] == OF_LINKS:
                if value[HOST] != host:
                    host = value[HOST]
                    url.hosts += 1
                    if url.cited_from:
                        url.cited_from.add(host)
                url.pages += value[FLAG] == FIRST
                text = value[LINK_TEXT:]
            elif value[0] == OF_FOLDED:
                _take_folded(url, value)
                continue
            else:
                text = self._own_text(url, value)
            url.texts.append(text)
            if own_host:
                url.within.append(host == own_host)
            url.size += len(text)
            if url.size > _FOLD_TEXT:
                self._fold(url)
        if url.cited_from:
            url.hosts = url.cited_from.count()
        return url

    def _own_text(self, url: _Url, value: bytes) -> bytes:
        """Of the first page that gives the URL a content."""
        self._counters.add("bags", "other_content_dropped", int(url.crawled))
        text = b"" if url.crawled else value[OWN_TEXT:]
        url.crawled = True
        return text

    def _fold(self, url: _Url) -> None:
        """Add the fragments so far to what is folded, and forget them."""
        _, terms, sums, links = self._sum([url])
        _sums_of(url).add(terms, sums)
        url.links += int(links[0])
        url.texts, url.within, url.size = [], [], 0

    def _heaviest(self, url: _Url) -> tuple[Terms, Sums]:
        """As many terms as a bag may have."""
        terms, sums = _sums_of(url).total()
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
            if url.folded is not None or high - low > self._max_terms:
                _sums_of(url).add(terms[low:high], sums[low:high])
                kept, heavy = self._heaviest(url)
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
        marks = np.flatnonzero(numbers >> np.uint64(KIND_SHIFT))
        links_at = marks[numbers[marks] >> np.uint64(KIND_SHIFT) == LINK]
        links = np.bincount(url_of[links_at].astype(np.int64), minlength=len(batch))
        within = self._within(batch) if self._weigh_within else None
        return *sum_terms(numbers, url_of, self._weights, within), links

    def _within(self, batch: list[_Url]) -> NDArray[np.bool_]:
        flags = [flag for url in batch for flag in url.within]
        sizes = [len(text) // WIDTH for url in batch for text in url.texts]
        return np.repeat(np.array(flags, dtype=np.bool_), sizes)


def _take_folded(url: _Url, value: bytes) -> None:
    """Add links that a mapper has folded."""
    links, pages, hosts, terms, sums = parse_folded(value)
    url.links += links
    url.pages += pages
    if url.cited_from is None:
        url.cited_from = HostSet()
    url.cited_from.add(hosts)
    _sums_of(url).add(terms, sums)


def _sums_of(url: _Url) -> TermSums:
    if url.folded is None:
        url.folded = TermSums()
    return url.folded


def _as_weights(sums: Sums) -> Weights:
    return (sums / SCALE).astype("<f4")
