"""Enriched bags: what a page says, and parts that say what its words leave unsaid.

A part gives each bag some more terms, with weights of the sum 1: related words, what the pages
around it say, the topics it is near. Words are added to the words of the bag and cut together with
them; topics are no words, and take a share of the whole. The sum stays 1, so an enriched bag is
signed, compared and indexed as a plain one is.

For reasons each term of an enriched bag has a source: the bag itself, if it has the term, or else
the part that gives most of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import SOURCES, BagColumns, Bags, Bounds, EnrichedBags, Sources, Weights
from pagekin.bags.weigh import by_bag, cut_to_sum_one

__all__ = ["CITED", "CITING", "COCITED", "ENOUGH", "OWN", "RELATED", "TOPICS", "Part", "enrich"]

OWN, RELATED, CITING, CITED, COCITED, TOPICS = range(len(SOURCES))

ENOUGH = 100  # terms: what a shorter bag is about is less sure
_TERM_BITS = np.uint64(32)


@dataclass(frozen=True)
class Part:
    """What is added to bags: the i-th of these bags to the i-th of those."""

    source: int  # as in SOURCES
    share: float | NDArray[np.float64]  # of all bags, or of each
    bags: BagColumns  # each with the sum 1, or empty


def enrich(plain: Bags, words: Sequence[Part], topics: Part | None, most: int) -> EnrichedBags:
    """Plain bags, with the sum 1, and more words, cut to the `most` heaviest (0: all); and topics.

    `topics` take their share of the whole, and the words what it leaves; where there are no topics,
    or no words, the others are everything.
    """
    sums = by_bag(np.add, plain.weights.astype(np.float64), plain.bounds)
    own = Part(OWN, 1 / np.where(sums > 0, sums, 1), plain.columns())
    mixed = _sum([_taken(part) for part in (own, *words)])
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

    The source of a term is the bag itself where it has the term, else that of its greatest weight,
    of equal ones the first.
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
        given = sources[of_greatest[np.searchsorted(of_greatest, firsts)]]
        sources = np.where(sources[firsts] == OWN, np.uint8(OWN), given)  # it comes first
        weights = np.add.reduceat(weights, firsts)
    key = key[firsts]
    bounds = np.searchsorted(key, bags).astype(np.int64)
    return _Mixed(key.astype(np.uint32), weights, bounds, sources)
