"""Many pages, each by itself: the answers of `rank`, for less.

Where lists begin and end is looked up for many pages in one go, and the bags of the candidates of
all of them are read once: pages that are neighbours by URL have half of their candidates in common
and more. What is held grows with these candidates, and is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

import numpy as np

from pagekin.index.folder import Place
from pagekin.index.inversion import Numbers
from pagekin.index.shard import Shard
from pagekin.query.exact import Pool
from pagekin.query.process import Counted, Found, count_equal
from pagekin.query.related import Question, Ranked, choose, show

__all__ = ["Answered", "rank_each"]

_PAGES = 256  # at once; four times as many have a third less to read
_LISTS = 2_048  # pages times shards at once: 1,280 bytes each with 80 signatures
_POOLED = 1 << 24  # bytes of bags, each counted as often as it is a candidate; 77,000 a page


class Answered(NamedTuple):
    """What `rank` says of one page."""

    page: Place
    ranked: list[Ranked]
    candidates: int
    capped: int


class _Waiting(NamedTuple):
    """A page whose candidates are known."""

    question: Question
    chosen: list[Found]
    candidates: int
    capped: int


def rank_each(
    shards: Sequence[Shard], pages: Iterable[Place], question: Question
) -> Iterator[Answered]:
    """For each page what `rank` answers where it is all that is asked for."""
    rest = iter(pages)
    most = max(1, min(_PAGES, _LISTS // len(shards)))
    while some := list(islice(rest, most)):
        waiting: list[_Waiting] = []
        size = 0
        for one in _candidates(shards, some, question):
            waiting.append(one)
            size += _size(one) if question.exact else 0
            if size > _POOLED:
                yield from _ranked(waiting)
                waiting, size = [], 0
        yield from _ranked(waiting)


def _candidates(
    shards: Sequence[Shard], pages: Sequence[Place], question: Question
) -> Iterator[_Waiting]:
    rows = np.stack([page.shard.H[page.document] for page in pages])
    lists = [shard.lists(rows) for shard in shards]
    for number, page in enumerate(pages):
        own, counted = replace(question, like=(page,)), Counted([])
        if page.shard.has_terms(page.document):
            of_page = [one.row(number) for one in lists]
            counted = count_equal(shards, rows[number], own.limits, of_page)
        yield _Waiting(own, choose(counted, own), len(counted), counted.capped)


def _size(waiting: _Waiting) -> int:
    return sum(one.shard.size_of_bags(one.ids) for one in waiting.chosen)


def _ranked(waiting: Sequence[_Waiting]) -> Iterator[Answered]:
    """The answers, when the bags that they need are read."""
    pools: dict[int, Pool] = {}
    if waiting and waiting[0].question.exact:
        pools = _pools(found for one in waiting for found in one.chosen)

    def pool(shard: Shard, _: Numbers) -> Pool:
        return pools[shard.number]

    for question, chosen, candidates, capped in waiting:
        ranked = show(chosen, question, pool)
        yield Answered(question.like[0], ranked, candidates, capped)


def _pools(found: Iterable[Found]) -> dict[int, Pool]:
    """The bags of all of them, by shard."""
    ids: dict[Shard, list[Numbers]] = {}
    for one in found:
        ids.setdefault(one.shard, []).append(one.ids)
    return {
        shard.number: Pool(shard, np.unique(np.concatenate(some))) for shard, some in ids.items()
    }
