"""Enriched bags: what a page says, and parts that say what its words leave unsaid.

A part gives each bag some more terms, with weights of the sum 1: related words, what the pages
around it say, the topics it is near. Words are added to the words of the bag and cut together with
them; topics are no words, and take a share of the whole. The sum stays 1, so an enriched bag is
signed, compared and indexed as a plain one is.

For reasons each term of an enriched bag has a source: where most of its weight came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.bags.bag import (
    NO_SOURCES,
    SOURCES,
    BagColumns,
    Bags,
    Bounds,
    Sources,
    Weights,
    batches_of,
    read_columns,
)
from pagekin.bags.weigh import cut_to_sum_one
from pagekin.config import BuildConfig
from pagekin.kinds import ENRICHED_BAGS, Pair

__all__ = ["EnrichedBags", "Part", "enrich", "read_batches"]

OWN, RELATED, CITING, CITED, COCITED, TOPICS = range(len(SOURCES))

_TERM_BITS = np.uint64(32)


@dataclass(frozen=True)
class Part:
    """What is added to bags: the i-th of these bags to the i-th of those."""

    source: int  # as in SOURCES
    share: float | NDArray[np.float64]  # of all bags, or of each
    bags: BagColumns  # each with the sum 1, or empty


class EnrichedBags(NamedTuple):
    """Bags as they are compared, and what is known of them for reasons.

    Without parts they are plain bags: there are no sources, and nothing lies behind them.
    """

    bags: Bags
    sources: Sources = NO_SOURCES
    plain: BagColumns | None = None  # the same bags, before they were enriched

    def records(self) -> Iterator[Pair]:
        """Their records: `SOURCES PLAIN BAG`, and the value of a bag."""
        assert self.plain
        sources, terms, weights = (
            array.tobytes() for array in (self.sources, self.plain.terms, self.plain.weights)
        )
        edges = pairwise(self.bags.bounds.tolist())
        plain_edges = pairwise((self.plain.bounds * self.plain.terms.itemsize).tolist())
        for record, (a, b), (c, d) in zip(self.bags.records(), edges, plain_edges, strict=True):
            plain = b64encode(terms[c:d] + weights[c:d])
            yield (
                ENRICHED_BAGS.prefix + record[0],
                b"%b %b %b" % (b64encode(sources[a:b]), plain, record[1]),
            )

    @classmethod
    def read(cls, records: Sequence[Pair]) -> EnrichedBags:
        """Those of such records, whose keys are URLs by now."""
        parts = [(url, *value.split(b" ", 2)) for url, value in records]
        bags = Bags.read([(url, value) for url, _, _, value in parts])
        sources, plain = ([b64decode(part[k], validate=True) for part in parts] for k in (1, 2))
        if list(map(len, sources)) != np.diff(bags.bounds).tolist():
            raise ValueError("an enriched bag has another number of sources than terms")
        return cls(bags, np.frombuffer(b"".join(sources), np.uint8), read_columns(plain))


def read_batches(records: Iterable[Pair], config: BuildConfig, size: int) -> Iterator[EnrichedBags]:
    """The bags that are compared, of their records, `size` at once; keys are URLs by now."""
    for some in batches_of(records, size):
        yield EnrichedBags.read(some) if config.enrich.is_on else EnrichedBags(Bags.read(some))


def enrich(plain: Bags, words: Sequence[Part], topics: Part | None, most: int) -> EnrichedBags:
    """Plain bags with more words, cut to the `most` heaviest (0: all), and with topics.

    `topics` take their share of the whole, and the words what it leaves; where there are no topics,
    or no words, the others are everything.
    """
    mixed = _sum([_taken(Part(OWN, 1.0, plain.columns())), *map(_taken, words)])
    kept, weights, bounds = cut_to_sum_one(mixed.weights, mixed.bounds, most)
    mixed = _Mixed(mixed.terms[kept], weights, bounds, mixed.sources[kept])
    if topics is not None:
        has_words, has_topics = np.diff(bounds) > 0, np.diff(topics.bags.bounds) > 0
        share = np.where(has_words & has_topics, topics.share, has_topics)
        rest = replace(mixed, weights=mixed.weights * np.repeat(1.0 - share, np.diff(bounds)))
        mixed = _sum([rest, _taken(replace(topics, share=share))])
    final: Weights = mixed.weights.astype("<f4")
    bags = replace(plain, terms=mixed.terms, weights=final, bounds=mixed.bounds)
    return EnrichedBags(bags, mixed.sources, plain.columns())


@dataclass(frozen=True)
class _Mixed:
    """Bags in the making."""

    terms: NDArray[np.uint32]
    weights: NDArray[np.float64]
    bounds: Bounds
    sources: Sources


def _taken(part: Part) -> _Mixed:
    """A part, as much of it as its share."""
    terms, weights, bounds = part.bags
    share = np.broadcast_to(np.asarray(part.share, np.float64), (len(bounds) - 1,))
    taken = weights.astype(np.float64) * np.repeat(share, np.diff(bounds))
    return _Mixed(terms, taken, bounds, np.full(len(terms), part.source, np.uint8))


def _sum(parts: Sequence[_Mixed]) -> _Mixed:
    """The weights of all parts added up by bag and term, in the order of the parts.

    The source of a term is that of its greatest weight, of equal ones the first.
    """
    count = len(parts[0].bounds) - 1
    bags = np.arange(count + 1, dtype=np.uint64) << _TERM_BITS
    key = np.concatenate([np.repeat(bags[:-1], np.diff(p.bounds)) | p.terms for p in parts])
    order = np.argsort(key, kind="stable")
    key = key[order]
    weights = np.concatenate([part.weights for part in parts])[order]
    sources = np.concatenate([part.sources for part in parts])[order]
    firsts = np.flatnonzero(np.diff(key, prepend=key[:1] - np.uint64(1)))
    if len(firsts):  # reduceat wants some
        greatest = np.repeat(np.maximum.reduceat(weights, firsts), np.diff(firsts, append=len(key)))
        of_greatest = np.flatnonzero(weights == greatest)
        sources = sources[of_greatest[np.searchsorted(of_greatest, firsts)]]
        weights = np.add.reduceat(weights, firsts)
    key = key[firsts]
    bounds = np.searchsorted(key, bags).astype(np.int64)
    return _Mixed(key.astype(np.uint32), weights, bounds, sources)
