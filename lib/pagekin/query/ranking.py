"""Ranking: the candidates of one page, or of several at once, become an answer.

Several pages are asked for together: the score of a document is its mean similarity to them, less
its mean similarity to the pages that it should be unlike. By signatures alone the scores are
estimates (the paper's way); 80 of them lose much of the order, and the true similarity of the best
candidates brings it back (measured in docs/measurements/queries.md).

Pages that were read are answers before URLs that are known by links alone: these follow where
fewer than k were read and are similar enough. Among each kind those beyond a number of a host come
last. Mirrors are one answer: of each group the page with the most equal signatures is ranked, of
equal ones the first member.

Apart from that answers come by score, and by URL where scores are equal: so they are the same for
any number of shards. Ids of a shard are in the order of its URLs, so for the order URLs are
looked at only where several shards hold equal scores.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress, islice, takewhile
from numbers import Real
from operator import index
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import UsageError
from pagekin.index.folder import Place
from pagekin.index.mirror_table import MirrorTable
from pagekin.index.shard import ListBounds, Shard
from pagekin.minhash.signatures import Signatures
from pagekin.query.answer import Admission, Folding, admitted
from pagekin.query.candidates import Candidates, Counted, Limits, Scores, count_equal
from pagekin.query.exact import DECIMALS, jaccards
from pagekin.web.urls import host_named

__all__ = [
    "FLOOR",
    "MIRRORS",
    "PER_HOST",
    "READ",
    "Question",
    "Ranked",
    "make_question",
    "rank",
    "rank_each",
    "rank_some",
]

FLOOR: Final = 0.07  # of what is less similar little is related (docs/measurements/answers.md)
PER_HOST: Final = 3  # answers of one host before those of others, unless a number is asked for

# Which documents are answers, by what is asked for: those that were read (True), those that were
# not (False), or all alike (None); one set follows behind the other.
READ: Final[Mapping[str, tuple[bool | None, ...]]] = {
    "first": (True, False),
    "only": (True,),
    "any": (None,),
}

MIRRORS: Final = ("fold", "show", "only")

_MOST = 10**18  # of a number that is asked for
_OF_A_HOST = 4  # times per_host candidates of one host are ranked exactly
_PAGES = 256  # whose lists are looked up together
_LISTS = 2_048  # pages times shards at once: 1,280 bytes each with 80 signatures


@dataclass(frozen=True)
class Question:
    """What is asked for, and how the answer is made."""

    like: Sequence[Place]
    unlike: Sequence[Place] = ()
    k: int = 10
    alpha: float = FLOOR  # only what is more similar is an answer
    exact: bool = True
    candidates: int = 100  # how many are ranked exactly
    per_host: int | None = None  # answers of one host; 0: any number; None: 3, and more behind them
    exclude_hosts: Sequence[str] = ()
    budget: int = 20_000  # ids read for each page that is asked for
    read: str = "first"  # pages that were read are answers first, only, or any page is
    mirrors: str = "fold"  # one answer of each group, or all of them, or mirrors of `like` only
    table: MirrorTable | None = None  # of the index

    def folding(self, like: Iterable[Place], unlike: Iterable[Place]) -> Folding | None:
        """Which pages with mirrors may be answers, where these are asked for."""
        if self.table is None or self.mirrors == "show":
            return None
        only = self.mirrors == "only"
        asked = like if only else (*like, *unlike)
        groups = {self.table.group_of(place.spot) for place in asked} - {-1}
        return Folding(self.table, groups, self.exclude_hosts, only)

    def limits(self, crawled: bool | None, folding: Folding | None) -> Limits:
        """What candidates have to be."""
        alpha = 0.0 if self.exact else self.alpha
        wanted = max(self.k, self.candidates if self.exact else 0)
        return Limits(alpha, self.budget, wanted, crawled, folding)

    def admission(self, crawled: bool | None) -> Admission:
        """Which of them may be answers: of those that were not read only what looks like a page."""
        fills = self.per_host is None
        per_host = PER_HOST if self.per_host is None else self.per_host
        return Admission(per_host, fills, self.exclude_hosts, pages_only=crawled is False)


def make_question(*, exclude_hosts: str | Sequence[str] = (), **how: Any) -> Question:
    """A question; UsageError where its numbers make none."""
    named = (exclude_hosts,) if isinstance(exclude_hosts, str) else exclude_hosts
    hosts = tuple(map(host_named, named))
    question = Question(**{"like": (), **how}, exclude_hosts=hosts)
    for name, least in (("k", 1), ("candidates", 0), ("per_host", 0), ("budget", 0)):
        value = getattr(question, name)
        if value is None and name == "per_host":
            continue
        if not (_is_whole(value) and least <= value <= _MOST):
            raise UsageError(
                f"{name} is {value!r}; it takes a whole number from {least} to {_MOST:,}"
            )
    if not (isinstance(question.alpha, Real) and question.alpha < 1):
        raise UsageError(f"alpha is {question.alpha!r}; it takes a number below 1")
    for name, known in (("read", READ), ("mirrors", MIRRORS)):
        if (value := getattr(question, name)) not in known:
            raise UsageError(f"{name} is {value!r}; it takes one of {', '.join(known)}")
    return question


def _is_whole(value: object) -> bool:
    try:
        index(value)  # type: ignore[arg-type] # that is what is to be found out
    except TypeError:
        return False
    return True


class Ranked(NamedTuple):
    """A document with its scores."""

    score: float
    estimate: float
    exact: float | None
    place: Place


def rank_each(
    shards: Sequence[Shard], pages: Iterable[Place], question: Question
) -> Iterator[tuple[Place, list[Ranked], Counted]]:
    """What `rank` says of each page, where it is all that is asked for.

    Where lists begin and end is looked up for many pages in one go, for a fifth of the CPU.
    """
    rest = iter(pages)
    most = max(1, min(_PAGES, _LISTS // len(shards)))
    while some := list(islice(rest, most)):
        rows = np.stack([page.shard.H[page.document] for page in some])
        lists = [shard.lists(rows) for shard in shards]
        for number, page in enumerate(some):
            of_page = [one.row(number) for one in lists]
            yield page, *rank(shards, replace(question, like=(page,)), of_page)


def rank(
    shards: Sequence[Shard], question: Question, lists: Sequence[ListBounds] = ()
) -> tuple[list[Ranked], Counted]:
    """The answer, best first, and the candidates that it was chosen from.

    `lists` tells where those of the one page that is asked for are, if that is known.
    """
    ranked: list[Ranked] = []
    found: list[Candidates] = []
    capped = 0
    taken: Counter[str] = Counter()
    for crawled in READ[question.read]:
        rest = replace(question, k=question.k - len(ranked))
        some, counted = rank_some(shards, rest, crawled, taken, lists)
        ranked += some
        found += counted.found
        capped = max(capped, counted.capped)
        if len(ranked) == question.k:
            break
    return ranked, Counted(found, capped)


def rank_some(
    shards: Sequence[Shard],
    question: Question,
    crawled: bool | None,
    taken: Counter[str],
    lists: Sequence[ListBounds] = (),
) -> tuple[list[Ranked], Counted]:
    """The answer among pages that were read, among those that were not, or among all.

    `taken` counts the answers of each host.
    """
    folding = question.folding(question.like, question.unlike)
    counted = _count(shards, question, question.limits(crawled, folding), lists)
    found = folding.candidates(counted.found) if folding and counted.found else counted.found
    admission = question.admission(crawled)
    chosen = [_estimated(one) for one in _choose(found, question, admission, taken)]
    scores = [_exactly(one, question) if question.exact else one.scores for one in chosen]
    above = takewhile(lambda entry: entry.score > question.alpha, _in_order(chosen, scores))
    ranked: list[Ranked] = []
    for score, one, at in admitted(above, _url, admission, question.k, taken):
        exact = score if question.exact else None
        place = Place(one.shard, int(one.ids[at]))
        ranked.append(Ranked(score, float(one.scores[at]), exact, place))
    return ranked, counted


# --- candidates -----------------------------------------------------------------------------------


def _count(
    shards: Sequence[Shard], question: Question, limits: Limits, lists: Sequence[ListBounds]
) -> Counted:
    rows = _rows(question.like)
    full = [p.shard.has_terms(p.document) for p in question.like]
    each = [count_equal(shards, row, limits, lists) for row in compress(rows, full)]
    if len(each) == len(rows) == 1 and not question.unlike:
        return each[0]
    found = [_combined(shard, each, rows, _rows(question.unlike)) for shard in shards]
    return Counted(found, max((one.capped for one in each), default=0))


def _rows(places: Sequence[Place]) -> list[Signatures]:
    return [p.shard.H[p.document] for p in places]


def _combined(
    shard: Shard, each: list[Counted], like: list[Signatures], unlike: list[Signatures]
) -> Candidates:
    """The candidates of several pages in one shard, with their mean counts."""
    met = [found.ids for one in each for found in one.found if found.shard is shard]
    ids = np.unique(np.concatenate([np.empty(0, np.uint32), *met]))
    rows = shard.H[ids]

    def mean(signatures: list[Signatures]) -> NDArray[np.float64]:
        counts = [(rows == row).sum(axis=1) for row in signatures]
        return np.mean(counts, axis=0) if counts else np.zeros(len(ids))

    return Candidates(shard, ids, (mean(like) - mean(unlike)).round(DECIMALS))


def _choose(
    found: list[Candidates], question: Question, admission: Admission, taken: Counter[str]
) -> list[Candidates]:
    """Those that may be answers: the best, without the pages that are asked for."""
    for place in (*question.like, *question.unlike):
        found = [
            one.where(one.ids != place.document) if one.shard is place.shard else one
            for one in found
        ]
    if admission.fills:  # what is beyond the number of a host may be an answer, too
        admission = admission._replace(per_host=0)
    exact = question.exact
    wider = admission._replace(per_host=admission.per_host * (_OF_A_HOST if exact else 1))
    most = question.k * (_OF_A_HOST if exact and wider.per_host else 1)
    if exact or wider.fills:
        most = max(most, question.candidates)
    if not wider:
        return _best(found, most)
    entries = _in_order(found, [one.scores for one in found])
    chosen: dict[int, list[int]] = {}
    for _, one, at in admitted(entries, _url, wider, most, Counter(taken)):
        chosen.setdefault(one.shard.number, []).append(int(one.ids[at]))
    return [one.where(np.isin(one.ids, chosen.get(one.shard.number, []))) for one in found]


def _best(found: list[Candidates], limit: int) -> list[Candidates]:
    """The best `limit` of them, still in the order of their ids."""
    full = [one for one in found if len(one.ids)]
    if sum(len(one.ids) for one in full) <= limit:
        return full
    least = _score_at(full, limit)
    kept = [one.scores > least for one in full]
    missing = limit - sum(map(np.count_nonzero, kept))
    equal = [(one.scores == least).nonzero()[0][:missing].tolist() for one in full]
    if len(full) > 1:
        entries = [_with_urls(one, number, equal[number]) for number, one in enumerate(full)]
        equal = [[] for _ in full]
        for _, number, at in islice(heapq.merge(*entries), missing):
            equal[number].append(at)
    for mask, places in zip(kept, equal, strict=True):
        mask[places] = True
    return [one.where(mask) for one, mask in zip(full, kept, strict=True)]


def _score_at(found: list[Candidates], limit: int) -> float:
    """The `limit`-th best score."""
    scores = np.concatenate([one.scores for one in found])
    if scores.dtype.kind == "f":
        return float(np.partition(scores, len(scores) - limit)[len(scores) - limit])
    above = np.bincount(scores)[::-1].cumsum()
    return len(above) - 1 - int(above.searchsorted(limit))


def _with_urls(
    found: Candidates, number: int, places: list[int]
) -> Iterator[tuple[bytes, int, int]]:
    for at in places:
        yield found.shard.url(int(found.ids[at])), number, at


def _estimated(found: Candidates) -> Candidates:
    """Estimates of the similarity in the place of counts."""
    shares = (found.scores / found.shard.count).round(DECIMALS)
    return Candidates(found.shard, found.ids, shares)


# --- order ----------------------------------------------------------------------------------------


class _Entry(NamedTuple):
    """A document: its score, and where it stands among the candidates of its shard."""

    score: float
    found: Candidates
    at: int


def _in_order(found: list[Candidates], scores: Sequence[Scores]) -> Iterator[_Entry]:
    """All documents with these scores, the best first, and by URL where scores are equal."""
    if len(found) == 1:
        order = (-scores[0]).argsort(kind="stable")
        for score, at in zip(scores[0][order].tolist(), order.tolist(), strict=True):
            yield _Entry(score, found[0], at)
        return
    streams = [_in_order([one], [own]) for one, own in zip(found, scores, strict=True)]
    yield from heapq.merge(*streams, key=_best_first)


def _best_first(entry: _Entry) -> tuple[float, bytes]:
    return -entry.score, entry.found.shard.url(int(entry.found.ids[entry.at]))


def _url(entry: _Entry) -> str:
    return entry.found.shard.spelt(int(entry.found.ids[entry.at]))


# --- exact ----------------------------------------------------------------------------------------


def _exactly(found: Candidates, question: Question) -> Scores:
    """The true similarity of the same documents."""
    others = found.shard.bags_of(found.ids)

    def mean(pages: Sequence[Place]) -> NDArray[np.float64]:
        bags = (page.shard.terms(page.document) for page in pages)
        rows = [jaccards(*bag, others) for bag in bags]
        return np.mean(rows, axis=0) if rows else np.zeros(len(found.ids))

    if len(question.like) == 1 and not question.unlike:
        return mean(question.like)
    return (mean(question.like) - mean(question.unlike)).round(DECIMALS)
