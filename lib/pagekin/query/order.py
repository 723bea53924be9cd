"""The order of answers: by score, and by URL where scores are equal.

Ids of a shard are in the order of its URLs, so URLs are looked at only where several shards hold
equal scores. The order is the same for any number of shards.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from pagekin.index.folder import Place
from pagekin.query.process import Found

__all__ = ["Scored", "best", "select"]


_FEW = 256  # of one shard: sorted in less time than the best of them are found


class Scored(NamedTuple):
    """A document with its score."""

    score: float
    place: Place


def best(found: Sequence[Found], limit: int = 0) -> Iterator[Scored]:
    """All documents, the best first; `limit` tells how many will be asked for at the most."""
    full = [one for one in found if len(one.ids)]
    if limit and not (len(full) == 1 and len(full[0].ids) <= _FEW):
        full = select(full, limit)
    if len(full) == 1:
        yield from _of_one(full[0])
        return
    scores = np.unique(np.concatenate([np.empty(0), *(one.scores for one in full)]))
    for score in scores[::-1].tolist():
        places = (_with(one, score) for one in full)
        yield from (Scored(score, place) for place in heapq.merge(*places, key=_url))


def _of_one(found: Found) -> Iterator[Scored]:
    order = (-found.scores).argsort(kind="stable")
    shard = found.shard
    for score, document in zip(
        found.scores[order].tolist(), found.ids[order].tolist(), strict=True
    ):
        yield Scored(score, Place(shard, document))


def _with(found: Found, score: float) -> Iterator[Place]:
    for document in found.ids[found.scores == score].tolist():
        yield Place(found.shard, document)


def _url(place: Place) -> bytes:
    return place.shard.url(place.document)


def select(found: Sequence[Found], limit: int) -> list[Found]:
    """The best `limit` documents, still in the order of their ids."""
    full = [one for one in found if len(one.ids)]
    if sum(len(one.ids) for one in full) <= limit:
        return full
    cut = _cut(full, limit)
    worth = [one.at((one.scores >= cut).nonzero()[0]) for one in full]
    kept = [one.scores > cut for one in worth]
    missing = limit - sum(map(np.count_nonzero, kept))
    for mask, places in zip(kept, _first_urls(worth, cut, missing), strict=True):
        mask[places] = True
    return [one.where(mask) for one, mask in zip(worth, kept, strict=True)]


def _cut(found: list[Found], limit: int) -> float:
    """The `limit`-th best score."""
    scores = found[0].scores
    if len(found) > 1:
        scores = np.concatenate([one.scores for one in found])
    if scores.dtype.kind == "f":
        return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])
    above = np.bincount(scores)[::-1].cumsum()
    return len(above) - 1 - int(above.searchsorted(limit))


def _first_urls(found: list[Found], score: float, count: int) -> list[list[int]]:
    """For each shard the places of those with this score that are the `count` first by URL."""
    equal = [(one.scores == score).nonzero()[0][:count].tolist() for one in found]
    if len(found) == 1:
        return equal
    streams = (_with_urls(found[k], k, places) for k, places in enumerate(equal))
    kept: list[list[int]] = [[] for _ in found]
    for _, k, at in islice(heapq.merge(*streams), count):
        kept[k].append(at)
    return kept


def _with_urls(found: Found, shard: int, places: list[int]) -> Iterator[tuple[bytes, int, int]]:
    for at in places:
        yield found.shard.url(int(found.ids[at])), shard, at
