"""The topics of an index in words: how many documents each is nearest to, and those of a page."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pagekin.bags.bag import BagColumns
from pagekin.enrich.topics import Topics
from pagekin.index.folder import Place
from pagekin.index.shard import Shard

__all__ = ["KnownTopic", "PageTopic", "topics_of_documents", "topics_of_page"]

_BLOCK = 2_000  # documents that are looked at together
_EXAMPLES = 3

Report = Callable[[int, int], None]  # documents that are done, of so many


class KnownTopic(NamedTuple):
    """A topic of the first set."""

    name: str  # the term that stands for it
    words: list[str]  # its heaviest
    documents: int  # to which it is nearest of its set
    examples: list[str]  # URLs of the nearest of these; those that were read come first


class PageTopic(NamedTuple):
    """A topic that a page is near."""

    name: str
    words: list[str]
    share: float  # of all topics of the page


class _Example(NamedTuple):
    """A document; the least is the best example of its topic."""

    unread: bool
    distance: int
    url: bytes


def topics_of_page(topics: Topics, place: Place) -> list[PageTopic]:
    """The topics of a document, the nearest first, of equal ones as they are numbered."""
    terms, weights = place.shard.plain_terms(place.document)
    bag = BagColumns(terms, weights, np.array([0, len(terms)]))
    found = topics.tokens(bag)
    numbers = [topics.number(term) for term in found.terms.tolist()]
    shares = [float(str(weight)) for weight in found.weights]
    return [
        PageTopic(topics.name(number), topics.words[number], share)
        for share, number in sorted(zip(shares, numbers, strict=True), key=lambda p: (-p[0], p[1]))
    ]


def topics_of_documents(
    topics: Topics, shards: Sequence[Shard], report: Report = lambda done, total: None
) -> list[KnownTopic]:
    """The topics of the first set, that of most documents first. The other sets tell of the same
    documents anew, from other beginnings.
    """
    done, total = 0, sum(map(len, shards))
    counts = np.zeros(topics.size, np.int64)
    best: list[list[_Example]] = [[] for _ in counts]
    for shard in shards:
        bags = shard.all_plain_bags()
        for start in range(0, len(shard), _BLOCK):
            edges = bags.bounds[start : start + _BLOCK + 1]
            span = slice(int(edges[0]), int(edges[-1]))
            some = BagColumns(bags.terms[span], bags.weights[span], edges - edges[0])
            numbers, cosines = (found[:, 0, 0] for found in topics.nearest(some))
            near = np.flatnonzero(cosines)
            counts += np.bincount(numbers[near], minlength=topics.size)
            unread = ~shard.crawled(slice(start, start + _BLOCK))
            order = near[np.lexsort((-cosines[near], unread[near], numbers[near]))]
            starts = np.searchsorted(numbers[order], np.arange(topics.size + 1))
            for number, (low, high) in enumerate(pairwise(starts.tolist())):
                best[number] = heapq.nsmallest(
                    _EXAMPLES,
                    [
                        *best[number],
                        *(
                            _Example(bool(unread[k]), -int(cosines[k]), shard.url(start + k))
                            for k in order[low : min(high, low + _EXAMPLES)].tolist()
                        ),
                    ],
                )
            done += len(edges) - 1
            report(done, total)
    known = [
        KnownTopic(topics.name(number), topics.words[number], count, _urls(best[number]))
        for number, count in enumerate(counts.tolist())
    ]
    return sorted(known, key=lambda topic: -topic.documents)


def _urls(examples: list[_Example]) -> list[str]:
    return [example.url.decode("utf-8", "replace") for example in examples]
