"""What an index answers: kin, with the reasons for them; and which hosts may be among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pagekin.bags.bag import SOURCES
from pagekin.errors import InputError
from pagekin.index.folder import Place
from pagekin.progress import counted
from pagekin.web.urls import FILE_EXTENSIONS, among_hosts, extension_of, host

__all__ = [
    "Admission",
    "Answer",
    "Asked",
    "Citing",
    "Kin",
    "SharedTerm",
    "Why",
    "admitted",
    "asked_page",
    "reasons_by_bags",
]

_SHOWN = 10  # shared terms of a kin

T = TypeVar("T")


@dataclass(frozen=True)
class SharedTerm:
    """A term of both bags; what they share of it is the lesser weight.

    Of enriched bags it is told where each has most of its weight from: "own words", "related
    words", "citing", "cited", "co-cited" pages, or "topics".
    """

    term: str
    display: str
    asked: float  # its weight in the bag that was asked for
    found: float
    shared: float
    asked_source: str = "own words"
    found_source: str = "own words"


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
    read: bool  # or is it known by the words around links to it alone?
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
            "read": self.read,
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
    cited: int = 0  # pages that co-citation knows beside it

    def as_dict(self) -> dict[str, Any]:
        """The answer for one page as plain values, as `--urls` and `--all` print it in JSON."""
        related = [kin.as_dict() for kin in self]
        return {"url": self.asked[0].url, "related": related, "lists_left_out": self.capped}

    def notes(self, *, every: bool = False) -> list[str]:
        """What a reader should know about this answer.

        `every`: also how many lists of common signatures were left out. That is so in most answers,
        and more of the lists would change few of them.
        """
        said = []
        if self.by != "cocitation":
            said += [_known_by_anchors(p) for p in self.asked if not p.crawled and p.terms]
            said += [_EMPTY_BAG.format(p.url) for p in self.asked if not p.terms]
        if self.by != "bags" and not self.cited:
            ranks = "; the answers are by bags alone" if self.by == "both" and self else ""
            said.append(
                "no page reached the threshold of co-citation beside it"
                f" (cocitation.threshold of the build){ranks}"
            )
        has_terms = any(page.terms for page in self.asked)
        if self.by == "both" and self and has_terms and self.candidates == self.cited:
            said.append("no page has a bag like its own; the answers are by co-citation alone")
        if self.capped and every:
            said.append(
                f"{self.capped} signatures are so common that their lists were not read;"
                " pages that share only these are not found (--budget N reads more)"
            )
        return said


_EMPTY_BAG = "{} has an empty bag, and so no kin by bags"


def _known_by_anchors(page: Asked) -> str:
    links = counted(page.inlinks, "link")
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
    sources = np.zeros(len(theirs.terms), np.uint8)  # in the first bag that has the term
    for place in reversed(asked):
        bag = place.shard.bag(place.document)
        _, at, of = np.intersect1d(theirs.terms, bag.terms, assume_unique=True, return_indices=True)
        mine[at] += bag.weights[of]
        shared[at] += np.minimum(bag.weights[of], theirs.weights[at])
        sources[at] = bag.sources[of] if len(bag.sources) else 0
    mine, shared = mine / len(asked), shared / len(asked)
    order = np.lexsort((theirs.terms, -shared))[: min(_SHOWN, np.count_nonzero(shared))]
    words = found.shard.words.look_up(theirs.terms[order])
    found_sources = theirs.sources if len(theirs.sources) else np.zeros_like(sources)
    columns = zip(mine[order], theirs.weights[order], shared[order], strict=True)
    named = ([SOURCES[n] for n in column[order].tolist()] for column in (sources, found_sources))
    of_asked = [asked_page(place) for place in asked]
    return Why(
        [
            SharedTerm(word.term, word.display, _short(a), _short(b), _short(both), *sources)
            for word, (a, b, both), *sources in zip(words, columns, *named, strict=True)
        ],
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


class Admission(NamedTuple):
    """Which URLs may be answers, and how many of a host."""

    per_host: int = 0  # 0: any number
    fills: bool = False  # more of a host follow behind all others; without it they are left out
    excluded: Sequence[str] = ()  # hosts, with all that is below them
    pages_only: bool = False  # no URLs that look like something else than pages

    def __bool__(self) -> bool:
        """Does it say anything?"""
        return bool(self.per_host or self.excluded or self.pages_only)


def admitted(
    entries: Iterable[T],
    url_of: Callable[[T], str],
    admission: Admission,
    most: int,
    taken: Counter[str] | None = None,
) -> list[T]:
    """The first `most` entries that may be answers, those beyond the number of a host last.

    `taken` counts the answers of each host, those of earlier calls included.
    """
    if not admission:
        return list(islice(entries, most))
    per_host, fills, excluded, pages_only = admission
    is_excluded = among_hosts(excluded)
    taken = Counter() if taken is None else taken
    first: list[T] = []
    others: list[T] = []
    for entry in entries:
        url = url_of(entry)
        try:
            name = host(url)
        except ValueError as error:  # none was indexed
            raise InputError(f"the index is damaged: {url!r} is no URL") from error
        if (excluded and is_excluded(name)) or (pages_only and not _looks_like_a_page(url)):
            continue
        taken[name] += 1
        if not per_host or taken[name] <= per_host:
            first.append(entry)
            if len(first) == most:
                break
        elif fills:
            others.append(entry)
    return first + others[: most - len(first)]


def _looks_like_a_page(url: str) -> bool:
    """No file, and no query: of URLs that are only linked to, those with one are mostly buttons to
    share the page that links there, counters and searches.
    """
    return "?" not in url and extension_of(url) not in FILE_EXTENSIONS
