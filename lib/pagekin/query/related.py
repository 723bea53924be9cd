"""Ranking: the candidates of one page, or of several at once, become an answer.

Several pages are asked for together: the score of a document is its mean similarity to them, less
its mean similarity to the pages that it should be unlike. By signatures alone the scores are
estimates (the paper's way); 80 of them lose much of the order, and the true similarity of the best
candidates brings it back (measured in docs/measurements/queries.md).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import UsageError
from pagekin.index.folder import Place
from pagekin.index.inversion import Numbers
from pagekin.index.shard import Shard
from pagekin.query.exact import DECIMALS, Pool
from pagekin.query.hosts import allowed
from pagekin.query.order import Scored, best, select
from pagekin.query.process import Counted, Found, Limits, count_equal

__all__ = ["NEEDS", "Question", "Ranked", "choose", "rank", "show"]

Pools = Callable[[Shard, Numbers], Pool]  # the bags of some documents of a shard, or of more

NEEDS = "related needs at least one URL, a k from 1, and numbers from 0"
_OF_A_HOST = 4  # times per_host candidates of one host are ranked exactly


@dataclass(frozen=True)
class Question:
    """What is asked for, and how the answer is made."""

    like: Sequence[Place]
    unlike: Sequence[Place] = ()
    k: int = 10
    alpha: float = 0.0  # only what is more similar is an answer
    exact: bool = True
    candidates: int = 100  # how many are ranked exactly
    per_host: int = 0  # answers of one host at the most; 0: any number
    exclude_hosts: Sequence[str] = ()
    budget: int = 20_000  # ids read for each page that is asked for
    crawled: bool = False  # answers are pages that were read

    @property
    def limits(self) -> Limits:
        """What candidates have to be."""
        alpha = 0.0 if self.exact else self.alpha
        wanted = max(self.k, self.candidates if self.exact else 0)
        return Limits(alpha, self.budget, wanted, self.crawled)


def make_question(
    like: Sequence[Place],
    unlike: Sequence[Place] = (),
    k: int = 10,
    *,
    exclude_hosts: str | Sequence[str] = (),
    **how: Any,
) -> Question:
    """A question; UsageError where its numbers make none."""
    hosts = (exclude_hosts,) if isinstance(exclude_hosts, str) else tuple(exclude_hosts)
    question = Question(like, unlike, k, exclude_hosts=hosts, **how)
    if k < 1 or min(question.candidates, question.per_host, question.budget) < 0:
        raise UsageError(NEEDS)
    if not question.alpha < 1:
        raise UsageError(f"alpha is {question.alpha}; it must be below 1")
    return question


class Ranked(NamedTuple):
    """A document with its scores."""

    score: float
    estimate: float
    exact: float | None
    place: Place


def rank(shards: Sequence[Shard], question: Question) -> tuple[list[Ranked], Counted]:
    """The answer, best first, and the candidates that it was chosen from."""
    counted = _candidates(shards, question)
    return show(choose(counted, question), question, Pool), counted


def choose(counted: Counted, question: Question) -> list[Found]:
    """Of the candidates those that may be answers, with their estimates."""
    asked = (*question.like, *question.unlike)
    found = counted.found
    if not _by_host(question):  # few are left before those asked for are looked for among them
        found = select(found, _limit(question) + len(asked))
    found = [_without(one, asked) for one in found]
    if _by_host(question):
        found = _of_hosts(found, question) if question.exact else found
    else:
        found = select(found, _limit(question))
    return [_scaled(one) for one in found]


def _limit(question: Question) -> int:
    """How many may be answers: k, or those that are ranked exactly."""
    if not question.exact:
        return question.k
    return max(question.candidates, question.k * (_OF_A_HOST if question.per_host else 1))


def show(chosen: list[Found], question: Question, pool: Pools) -> list[Ranked]:
    """The answer that is made of them, best first."""
    if not question.exact:
        return [Ranked(s, s, None, place) for s, place in _answers(chosen, question)]
    exact = [_exactly(one, question, pool(one.shard, one.ids)) for one in chosen]
    return _with_estimates(_answers(exact, question), chosen)


# --- candidates -----------------------------------------------------------------------------------


def _candidates(shards: Sequence[Shard], question: Question) -> Counted:
    rows = _rows(question.like)
    full = [p.shard.has_terms(p.document) for p in question.like]
    each = [count_equal(shards, row, question.limits) for row in compress(rows, full)]
    if len(each) == len(rows) == 1 and not question.unlike:
        return each[0]
    found = [_combined(shard, each, rows, _rows(question.unlike)) for shard in shards]
    return Counted(found, max((one.capped for one in each), default=0))


def _rows(places: Sequence[Place]) -> list[Numbers]:
    return [p.shard.H[p.document] for p in places]


def _combined(
    shard: Shard, each: list[Counted], like: list[Numbers], unlike: list[Numbers]
) -> Found:
    """The candidates of several pages in one shard, with their mean counts."""
    met = [found.ids for one in each for found in one.found if found.shard is shard]
    ids = np.unique(np.concatenate([np.empty(0, np.uint32), *met]))
    rows = shard.H[ids]

    def mean(signatures: list[Numbers]) -> NDArray[np.float64]:
        counts = [(rows == row).sum(axis=1) for row in signatures]
        return np.mean(counts, axis=0) if counts else np.zeros(len(ids))

    return Found(shard, ids, (mean(like) - mean(unlike)).round(DECIMALS))


def _without(found: Found, asked: Sequence[Place]) -> Found:
    for document in [place.document for place in asked if place.shard is found.shard]:
        found = found.where(found.ids != document)
    return found


def _scaled(found: Found) -> Found:
    """Estimates in the place of counts."""
    shares = (found.scores / found.shard.count).round(DECIMALS)
    return Found(found.shard, found.ids, shares)


# --- exact ----------------------------------------------------------------------------------------


def _of_hosts(found: list[Found], question: Question) -> list[Found]:
    """The candidates that are ranked exactly, where some hosts may have but few."""
    chance = _allowed(best(found), question, _OF_A_HOST * question.per_host)
    chosen: dict[int, list[int]] = {}
    for scored in islice(chance, _limit(question)):
        chosen.setdefault(scored.place.shard.number, []).append(scored.place.document)
    return [one.where(np.isin(one.ids, chosen.get(one.shard.number, []))) for one in found]


def _by_host(question: Question) -> bool:
    """Does anything depend on hosts?"""
    return bool(question.per_host or question.exclude_hosts)


def _exactly(found: Found, question: Question, pool: Pool) -> Found:
    """The same documents with their true similarity."""

    def mean(pages: Sequence[Place]) -> NDArray[np.float64]:
        bags = (page.shard.terms(page.document) for page in pages)
        rows = [pool.jaccards(bag, found.ids) for bag in bags]
        return np.mean(rows, axis=0) if rows else np.zeros(len(found.ids))

    if len(question.like) == 1 and not question.unlike:
        (page,) = question.like
        bag = page.shard.terms(page.document)
        return Found(found.shard, found.ids, pool.jaccards(bag, found.ids))
    scores = (mean(question.like) - mean(question.unlike)).round(DECIMALS)
    return Found(found.shard, found.ids, scores)


def _with_estimates(answers: Iterable[Scored], estimates: list[Found]) -> list[Ranked]:
    of: dict[int, tuple[list[int], list[float]]] = {
        one.shard.number: (one.ids.tolist(), one.scores.tolist()) for one in estimates
    }

    def estimate(place: Place) -> float:
        ids, scores = of[place.shard.number]
        return scores[bisect_left(ids, place.document)]

    return [Ranked(score, estimate(place), score, place) for score, place in answers]


# --- what is shown --------------------------------------------------------------------------------


def _answers(found: list[Found], question: Question) -> Iterator[Scored]:
    """The k best above alpha, as many of a host as may be."""
    above = [one.where(one.scores > question.alpha) for one in found]
    if not _by_host(question):
        return islice(best(above, question.k), question.k)
    return islice(_allowed(best(above), question, question.per_host), question.k)


def _allowed(entries: Iterable[Scored], question: Question, per_host: int) -> Iterator[Scored]:
    return allowed(entries, lambda scored: scored.place.url, question.exclude_hosts, per_host)
