"""Ranking: the candidates of one page, or of several at once, become an answer.

Several pages are asked for together: the score of a document is its mean similarity to them, less
its mean similarity to the pages that it should be unlike. By signatures alone the scores are
estimates (the paper's way); 80 of them lose much of the order, and the true similarity of the best
candidates brings it back (measured in docs/measurements/queries.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.index.folder import Place
from pagekin.index.inversion import Numbers
from pagekin.index.shard import Shard
from pagekin.query.exact import jaccards
from pagekin.query.process import Counted, Found, best, count_equal
from pagekin.web.urls import host

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
    candidates: int = 200  # how many are ranked exactly
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
    entries = _without_asked(best(counted.found), question)
    kept = _filtered(entries, question)
    if not question.exact:
        return _first(kept, question, question.per_host), counted
    per_host = _OF_A_HOST * question.per_host
    some = _first(kept, question, per_host, max(question.candidates, question.k))
    exact = _exact_scores(question, [ranked.place for ranked in some])
    again = [r._replace(score=x, exact=x) for r, x in zip(some, exact, strict=True)]
    again.sort(key=lambda r: (-r.score, r.place.shard.url(r.place.document)))
    chosen = (ranked for ranked in again if ranked.score > question.alpha)
    return _first(chosen, question, question.per_host), counted


def _candidates(shards: Sequence[Shard], question: Question) -> Counted:
    alpha = 0.0 if question.exact else question.alpha
    wanted = max(question.k, question.candidates if question.exact else 0)
    rows = [place.shard.H[place.document] for place in question.like if _has_terms(place)]
    each = [count_equal(shards, row, alpha, question.budget, wanted) for row in rows]
    if len(each) == 1 and not question.unlike:
        return each[0]
    against = [place.shard.H[place.document] for place in question.unlike if _has_terms(place)]
    found = [_combined(shard, each, rows, against) for shard in shards]
    return Counted(found, max((one.capped for one in each), default=0))


def _has_terms(place: Place) -> bool:
    return place.shard.has_terms(place.document)


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

    return Found(shard, ids, mean(like) - mean(unlike))


def _without_asked(
    entries: Iterator[tuple[float, Shard, int, bytes]], question: Question
) -> Iterator[tuple[Ranked, str]]:
    """Ranked by estimate, with their hosts where somebody asks for them."""
    asked = {(p.shard.number, p.document) for p in (*question.like, *question.unlike)}
    by_host = question.per_host or question.exclude_hosts
    for count, shard, document, url in entries:
        if (shard.number, document) not in asked:
            share = round(count / shard.count, 12)
            name = host(url.decode("utf-8", "replace")) if by_host else ""
            yield Ranked(share, share, None, Place(shard, document)), name


def _filtered(entries: Iterator[tuple[Ranked, str]], question: Question) -> Iterator[Ranked]:
    names = tuple(name.lower() for name in question.exclude_hosts)
    for ranked, of_host in entries:
        if not question.exact and ranked.score <= question.alpha:
            return  # and so are all that follow
        if not any(of_host == name or of_host.endswith(f".{name}") for name in names):
            yield ranked


def _first(
    entries: Iterator[Ranked], question: Question, per_host: int, limit: int = 0
) -> list[Ranked]:
    """The first `limit` (default: k) of them, `per_host` of one host at the most."""
    taken: list[Ranked] = []
    hosts: Counter[str] = Counter()
    for ranked in entries:
        if len(taken) == (limit or question.k):
            break
        if per_host:
            name = host(ranked.place.url)
            hosts[name] += 1
            if hosts[name] > per_host:
                continue
        taken.append(ranked)
    return taken


def _exact_scores(question: Question, places: list[Place]) -> list[float]:
    others = [place.shard.terms(place.document) for place in places]

    def mean(pages: Sequence[Place]) -> NDArray[np.float64]:
        rows = [jaccards(page.shard.terms(page.document), others) for page in pages]
        return np.mean(rows, axis=0) if rows else np.zeros(len(others))

    scores = mean(question.like) - mean(question.unlike)
    return [round(score, 12) for score in scores.tolist()]
