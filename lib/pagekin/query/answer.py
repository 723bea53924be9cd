"""What an index answers: kin, with the reasons for them; and which hosts may be among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar

import numpy as np

from pagekin.errors import InputError
from pagekin.index.folder import Place
from pagekin.web.urls import among_hosts, host

__all__ = [
    "Answer",
    "Asked",
    "Citing",
    "Kin",
    "SharedTerm",
    "Why",
    "allowed",
    "asked_page",
    "reasons_by_bags",
]

_SHOWN = 10  # shared terms of a kin

T = TypeVar("T")


@dataclass(frozen=True)
class SharedTerm:
    """A term of both bags; what they share of it is the lesser weight."""

    term: str
    display: str
    asked: float  # its weight in the bag that was asked for
    found: float
    shared: float


@dataclass(frozen=True)
class Citing:
    """A domain that cites both pages, and the anchor text that adds most of what it adds."""

    domain: str
    anchor: str
    capped: float  # the sum over its pages, at most N
    contribution: float  # what remains of it in the total, divided by 1 + ln(in) [BLOCK Eq. 13]


@dataclass(frozen=True)
class Why:
    """The reasons for a kin: the heaviest shared terms, where both bags come from, who cites both.

    By bags there are no citing domains, by co-citation no terms.
    """

    terms: list[SharedTerm] = field(default_factory=list)
    shared_terms: int = 0  # of all
    shared_weight: float = 0.0
    inlinks: int = 0
    linking_hosts: int = 0
    crawled: bool = False
    asked_inlinks: int = 0
    asked_linking_hosts: int = 0
    citing: list[Citing] = field(default_factory=list)  # the heaviest
    citing_domains: int = 0  # of all
    blocks: int = 0  # in which the page stands


@dataclass(frozen=True)
class Kin:
    """A related page. `score` is what it is ranked by: `exact` if there is one, or `estimate`.

    By co-citation it is the total similarity, and by both the sum of the reciprocal ranks. It is
    `weak` where nothing but a single domain vouches for it, that links to both pages.
    """

    url: str
    score: float
    estimate: float | None
    exact: float | None
    inlinks: int
    why: Why | None = None
    weak: bool = False
    title: str = ""  # of a page that was read

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as `--json` prints them."""
        return {  # asdict takes 15 times as long, for each of ten kin a page
            "url": self.url,
            "title": self.title,
            "score": self.score,
            "estimate": self.estimate,
            "exact": self.exact,
            "inlinks": self.inlinks,
            "weak": self.weak,
            "why": asdict(self.why) if self.why else None,
        }


@dataclass(frozen=True)
class Asked:
    """A page that was asked for, as the index knows it."""

    url: str
    crawled: bool = False
    inlinks: int = 0
    linking_hosts: int = 0
    terms: int = 0
    title: str = ""


@dataclass(eq=False, repr=False)  # it is compared and shown as the list that it is
class Answer(list[Kin]):
    """The kin, best first, and how they were found."""

    asked: list[Asked] = field(default_factory=list)
    candidates: int = 0  # documents that agree in enough signatures
    capped: int = 0  # lists of signatures so common that they were not read
    by: str = "bags"

    def notes(self) -> list[str]:
        """What a reader should know about this answer."""
        said = [_known_by_anchors(page) for page in self.asked if not page.crawled and page.terms]
        if self.by == "cocitation" and not self.candidates:
            said.append(
                "no page reached the threshold of co-citation beside it"
                " (cocitation.threshold of the build)"
            )
        if self.by == "bags":
            said += [f"{p.url} has an empty bag, and so no kin" for p in self.asked if not p.terms]
        if self.capped:
            said.append(
                f"{self.capped} signatures are so common that their lists were not read;"
                " pages that share only these are not found (--budget N reads more)"
            )
        return said


def _known_by_anchors(page: Asked) -> str:
    links = f"{page.inlinks:,} link{'s' if page.inlinks != 1 else ''}"
    return f"{page.url} was not read: it is known only by the anchors of {links} to it"


def asked_page(place: Place) -> Asked:
    """What the index knows of a page that is asked for."""
    shard, document = place
    crawled, anchors, _, hosts = shard.counts(document)
    terms = len(shard.terms(document)[0])
    return Asked(place.url, crawled == 1, anchors, hosts, terms, place.title)


def reasons_by_bags(asked: Sequence[Place], found: Place) -> Why:
    """The terms that a page shares with those asked for; of several the means."""
    theirs = found.shard.bag(found.document)
    mine, shared = np.zeros(len(theirs.terms)), np.zeros(len(theirs.terms))
    for place in asked:
        terms, weights = place.shard.terms(place.document)
        _, at, of = np.intersect1d(theirs.terms, terms, assume_unique=True, return_indices=True)
        mine[at] += weights[of]
        shared[at] += np.minimum(weights[of], theirs.weights[at])
    mine, shared = mine / len(asked), shared / len(asked)
    order = np.lexsort((theirs.terms, -shared))[: min(_SHOWN, np.count_nonzero(shared))]
    words = found.shard.words.look_up(theirs.terms[order])
    columns = zip(words, mine[order], theirs.weights[order], shared[order], strict=True)
    of_asked = [asked_page(place) for place in asked]
    return Why(
        [SharedTerm(w.term, w.display, *(_short(x) for x in row)) for w, *row in columns],
        int(np.count_nonzero(shared)),
        _short(shared.sum()),
        theirs.anchors,
        theirs.hosts,
        theirs.crawled,
        sum(page.inlinks for page in of_asked),
        sum(page.linking_hosts for page in of_asked),
    )


def _short(weight: float) -> float:
    """As many digits as 32 bits have."""
    return float(f"{weight:.7g}")


def allowed(
    entries: Iterable[T], url_of: Callable[[T], str], excluded: Sequence[str], per_host: int
) -> Iterator[T]:
    """Without excluded hosts; `per_host` of one host at the most, if it is not 0."""
    is_excluded = among_hosts(excluded)
    taken: Counter[str] = Counter()
    for entry in entries:
        url = url_of(entry)
        try:
            name = host(url)
        except ValueError as error:  # none was indexed
            raise InputError(f"the index is damaged: {url!r} is no URL") from error
        taken[name] += 1
        if not is_excluded(name) and not (per_host and taken[name] > per_host):
            yield entry
