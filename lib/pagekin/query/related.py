"""Ranking: the candidates of one page, or of several at once, become an answer.

Several pages are asked for together: the score of a document is its mean similarity to them, less
its mean similarity to the pages that it should be unlike. By signatures alone the scores are
estimates (the paper's way); 80 of them lose much of the order, and the true similarity of the best
candidates brings it back (measured in docs/measurements/queries.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.index.folder import Place
from pagekin.index.inversion import Numbers
from pagekin.index.shard import Shard
from pagekin.query.exact import DECIMALS, jaccards
from pagekin.query.hosts import allowed
from pagekin.query.order import Scored, best, select
from pagekin.query.process import Counted, Found, count_equal

__all__ = ["Question", "Ranked", "rank"]

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


class Ranked(NamedTuple):
    """A document with its scores."""

    score: float
    estimate: float
    exact: float | None
    place: Place


def rank(shards: Sequence[Shard], question: Question) -> tuple[list[Ranked], Counted]:
    """The answer, best first, and the candidates that it was chosen from."""
    counted = _candidates(shards, question)
    asked = (*question.like, *question.unlike)
    found = [_without(one, asked) for one in counted.found]
    if not question.exact:
        if not _by_host(question):
            found = select(found, question.k)
        found = [_scaled(one) for one in found]
        return [Ranked(s, s, None, place) for s, place in _answers(found, question)], counted
    estimates = _worth_ranking(found, question)
    exact = [_exactly(one, question) for one in estimates]
    return _with_estimates(_answers(exact, question), estimates), counted


# --- candidates -----------------------------------------------------------------------------------


def _candidates(shards: Sequence[Shard], question: Question) -> Counted:
    alpha = 0.0 if question.exact else question.alpha
    wanted = max(question.k, question.candidates if question.exact else 0)
    rows = _rows(question.like)
    full = [p.shard.has_terms(p.document) for p in question.like]
    each = [
        count_equal(shards, row, alpha, question.budget, wanted) for row in compress(rows, full)
    ]
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
    own = [place.document for place in asked if place.shard is found.shard]
    for document in own:
        found = found.where(found.ids != document)
    return found


def _scaled(found: Found) -> Found:
    """Estimates in the place of counts."""
    shares = (found.scores / found.shard.count).round(DECIMALS)
    return Found(found.shard, found.ids, shares)


# --- exact ----------------------------------------------------------------------------------------


def _worth_ranking(found: list[Found], question: Question) -> list[Found]:
    """The candidates that are ranked exactly, with their estimates."""
    limit = max(question.candidates, question.k * (_OF_A_HOST if question.per_host else 1))
    if not _by_host(question):
        return [_scaled(one) for one in select(found, limit)]
    chance = _allowed(best(found), question, _OF_A_HOST * question.per_host)
    chosen: dict[int, list[int]] = {}
    for scored in islice(chance, limit):
        chosen.setdefault(scored.place.shard.number, []).append(scored.place.document)
    some = [one.where(np.isin(one.ids, chosen.get(one.shard.number, []))) for one in found]
    return [_scaled(one) for one in some]


def _by_host(question: Question) -> bool:
    """Does anything depend on hosts?"""
    return bool(question.per_host or question.exclude_hosts)


def _exactly(found: Found, question: Question) -> Found:
    """The same documents with their true similarity."""
    bags = found.shard.bags_of(found.ids)

    def mean(pages: Sequence[Place]) -> NDArray[np.float64]:
        rows = [jaccards(page.shard.terms(page.document), *bags) for page in pages]
        return np.mean(rows, axis=0) if rows else np.zeros(len(found.ids))

    scores = (mean(question.like) - mean(question.unlike)).round(DECIMALS)
    return Found(found.shard, found.ids, scores)


def _with_estimates(answers: Iterable[Scored], estimates: list[Found]) -> list[Ranked]:
    of = {one.shard.number: one for one in estimates}

    def estimate(place: Place) -> float:
        one = of[place.shard.number]
        return float(one.scores[one.ids.searchsorted(np.uint32(place.document))])

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
