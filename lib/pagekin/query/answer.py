"""What an index answers: kin, with the reasons for them; and which hosts and mirrors may be among
them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import SOURCES, Bag
from pagekin.enrich.neighbours import Neighbours
from pagekin.errors import InputError
from pagekin.index.folder import Place
from pagekin.index.mirror_table import MembersMet, MirrorTable
from pagekin.progress import counted
from pagekin.tables import UNREADABLE, damaged
from pagekin.text.words import Terms
from pagekin.web.urls import FILE_EXTENSIONS, among_hosts, extension_of, host

if TYPE_CHECKING:
    from pagekin.query.candidates import Candidates

__all__ = [
    "Admission",
    "Answer",
    "Asked",
    "Citing",
    "Folding",
    "Kin",
    "SharedTerm",
    "Why",
    "admitted",
    "asked_page",
    "reasons_by_bags",
]

_SHOWN = 10  # shared terms of a kin
_SHOWN_TOPICS = 3
RELATED_WORDS, TOPICS = SOURCES[1], SOURCES.index("topics")

T = TypeVar("T")
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class SharedTerm:
    """A term of both bags; what they share of it is the lesser weight.

    Of enriched bags it is told where each has it from: "own words", or else most of it "related
    words" (and to which of its words it is related), "citing", "cited", "co-cited" pages, or
    "topics".
    """

    term: str
    display: str
    asked: float  # its weight in the bag that was asked for
    found: float
    shared: float
    asked_source: str = "own words"
    found_source: str = "own words"
    asked_related_to: str = ""
    found_related_to: str = ""


@dataclass(frozen=True)
class Citing:
    """A domain that cites both pages, and the anchor text that adds most of what it adds."""

    domain: str
    anchor: str
    capped: float  # the sum over its pages, at most N
    contribution: float  # what remains of it in the total, divided by 1 + ln(in) [BLOCK Eq. 13]
    weight: float = 1.0  # what its links count, by the standing of their pages


@dataclass(frozen=True)
class Why:
    """The reasons for a kin: the heaviest shared terms, where both bags come from, who cites both.

    By bags there are no citing domains, by co-citation no terms.
    """

    terms: list[SharedTerm] = field(default_factory=list)
    shared_terms: int = 0  # of all, topics too
    shared_weight: float = 0.0
    topics: list[SharedTerm] = field(default_factory=list)  # the heaviest of the shared ones
    shared_topics: int = 0
    topics_weight: float = 0.0  # of all shared topics
    inlinks: int = 0
    linking_pages: int = 0
    linking_hosts: int = 0
    crawled: bool = False
    asked_inlinks: int = 0
    asked_linking_pages: int = 0
    asked_linking_hosts: int = 0
    citing: list[Citing] = field(default_factory=list)  # the heaviest
    citing_domains: int = 0  # of all
    blocks: int = 0  # in which the page stands
    standing: float | None = None  # by its links, from 0 to 1, if that is preferred
    preferred_by: float = 1.0  # the score was multiplied by it


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
    mirrors: int = 0  # so many other pages are copies of it
    mirror_of: str = ""  # the URL of the one that stands for all of them, where it is another

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
            "mirrors": self.mirrors,
            "mirror_of": self.mirror_of,
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
    mirrors: int = 0  # so many other pages are copies of it
    mirror_of: str = ""  # the URL of the one that was asked for in its place


@dataclass(eq=False, repr=False)  # it is compared and shown as the list that it is
class Answer(list[Kin]):
    """The kin, best first, and how they were found."""

    asked: list[Asked] = field(default_factory=list)
    candidates: int = 0  # documents that agree in enough signatures
    capped: int = 0  # lists of signatures so common that they were not read
    by: str = "bags"
    cited: int = 0  # pages that co-citation knows beside it
    of_mirrors: bool = False  # all are mirrors of the pages that were asked for

    def as_dict(self) -> dict[str, Any]:
        """The answer for one page as plain values, as `--urls` and `--all` print it in JSON."""
        related = [kin.as_dict() for kin in self]
        return {"url": self.asked[0].url, "related": related, "lists_left_out": self.capped}

    def notes(self, *, every: bool = False) -> list[str]:
        """What a reader should know about this answer.

        `every`: also how many lists of common signatures were left out. That is so in most answers,
        and more of the lists would change few of them.
        """
        said = [
            _AS_A_GROUP.format(p.url, p.mirrors, p.mirror_of) for p in self.asked if p.mirror_of
        ]
        if self.of_mirrors:
            said += [f"{page.url} has no mirrors" for page in self.asked if not page.mirrors]
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


_AS_A_GROUP = (
    "{} has {} mirrors; asked for is {}, which stands for all (--mirrors show asks for it alone)"
)
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


def reasons_by_bags(
    asked: Sequence[Place], found: Place, neighbours: Neighbours | None = None
) -> Why:
    """The terms that a page shares with those asked for; of several the means.

    `neighbours`, where the index has them, tell which word a related one is related to.
    """
    theirs = found.shard.bag(found.document)
    bags = [place.shard.bag(place.document) for place in asked]
    mine, shared = np.zeros(len(theirs.terms)), np.zeros(len(theirs.terms))
    of_bag = np.zeros(len(theirs.terms), np.int64)  # the first bag that has the term
    for number, bag in reversed(list(enumerate(bags))):
        _, at, of = np.intersect1d(theirs.terms, bag.terms, assume_unique=True, return_indices=True)
        mine[at] += bag.weights[of]
        shared[at] += np.minimum(bag.weights[of], theirs.weights[at])
        of_bag[at] = number
    mine, shared = mine / len(asked), shared / len(asked)
    is_topic = np.zeros(len(shared), np.bool_)
    is_topic[: len(theirs.sources)] = theirs.sources == TOPICS
    words = _heaviest(theirs.terms, np.where(is_topic, 0, shared), _SHOWN)
    topics = _heaviest(theirs.terms, np.where(is_topic, shared, 0), _SHOWN_TOPICS)

    places = np.concatenate([words, topics])
    terms, numbers = theirs.terms[places], of_bag[places].tolist()
    weights = zip(mine[places], theirs.weights[places], shared[places], strict=True)
    origins = {n: _origins(asked[n], bags[n], terms, neighbours) for n in {*numbers}}
    of_asked = [origins[number][k] for k, number in enumerate(numbers)]
    of_found = _origins(found, theirs, terms, neighbours)
    names = found.shard.words.look_up(terms)
    shown = [
        SharedTerm(name.term, name.display, _short(x), _short(y), _short(z), a, b, c, d)
        for name, (x, y, z), (a, c), (b, d) in zip(names, weights, of_asked, of_found, strict=True)
    ]
    counts = np.sum([place.shard.counts(place.document) for place in asked], axis=0).tolist()
    return Why(
        shown[: len(words)],
        int(np.count_nonzero(shared)),
        _short(shared.sum()),
        shown[len(words) :],
        int(np.count_nonzero(shared[is_topic])),
        _short(shared[is_topic].sum()),
        theirs.anchors,
        theirs.pages,
        theirs.hosts,
        theirs.crawled,
        *counts[1:],
    )


def _heaviest(terms: Terms, shared: NDArray[np.float64], most: int) -> NDArray[np.int64]:
    """Places of the terms that share most, if they share anything."""
    return np.lexsort((terms, -shared))[: min(most, np.count_nonzero(shared))]


def _origins(
    place: Place, bag: Bag, terms: Terms, neighbours: Neighbours | None
) -> list[tuple[str, str]]:
    """Where a bag has each of these terms from, and for a related word to which it is related."""
    if not len(bag.sources):
        return [(SOURCES[0], "")] * len(terms)
    at = np.minimum(np.searchsorted(bag.terms, terms), len(bag.terms) - 1)
    sources = [SOURCES[source] for source in bag.sources[at].tolist()]
    if neighbours is None or RELATED_WORDS not in sources:
        return [(source, "") for source in sources]
    try:
        givers = neighbours.givers(*place.shard.plain_terms(place.document), terms)
    except UNREADABLE as error:
        raise damaged(neighbours.file.path) from error
    words = place.shard.words.look_up(np.array(givers, np.uint32))
    return [
        (source, word.display if giver and source == RELATED_WORDS else "")
        for source, giver, word in zip(sources, givers, words, strict=True)
    ]


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
        name = _host(url)
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


@dataclass(frozen=True)
class Folding:
    """Which of the pages that have mirrors may be answers: of each group one, and none of the
    groups that are asked for; or, with `only`, none but these.
    """

    table: MirrorTable
    asked: Set[int]  # groups
    excluded: Sequence[str] = ()  # hosts of which no page stands for its group
    only: bool = False

    def candidates(self, found: list[Candidates]) -> list[Candidates]:
        """The candidates that may be answers. For a group stands the one with the most equal
        signatures, of equal ones the first member.
        """
        met = [self.table.members_among(one.shard.number, one.ids) for one in found]
        if not self.only and not any(len(one.at) for one in met):
            return found
        groups, places = (np.concatenate(each) for each in list(zip(*met, strict=True))[1:])
        is_asked = np.zeros(len(groups), np.bool_)
        for group in self.asked:
            is_asked |= groups == group
        chosen = is_asked if self.only else self._standing(found, met, groups, places, ~is_asked)
        ends = np.cumsum([len(one.at) for one in met])[:-1]
        folded = []
        for one, members, kept in zip(found, met, np.split(chosen, ends), strict=True):
            is_kept = np.full(len(one.ids), not self.only)
            is_kept[members.at] = kept
            folded.append(one.where(is_kept))
        return folded

    def _standing(
        self,
        found: list[Candidates],
        met: list[MembersMet],
        groups: Numbers,
        places: Numbers,
        is_open: Flags,
    ) -> Flags:
        """Which of the members stand for their groups?"""
        if self.excluded:
            is_excluded = among_hosts(self.excluded)
            is_open &= [
                not is_excluded(_host(one.shard.spelt(id_)))
                for one, members in zip(found, met, strict=True)
                for id_ in one.ids[members.at].tolist()
            ]
        members = is_open.nonzero()[0]
        pairs = zip(found, met, strict=True)
        scores = np.concatenate([one.scores[members.at] for one, members in pairs])[members]
        members = members[np.lexsort((places[members], -scores, groups[members]))]
        stands = np.zeros(len(groups), np.bool_)
        stands[members[np.diff(groups[members], prepend=-1) > 0]] = True
        return stands

    def urls(self, urls: Iterable[str], find: Callable[[str], Place | None]) -> Iterator[str]:
        """Those of these URLs that may be answers: of each group the first."""
        is_excluded, met = among_hosts(self.excluded), set(self.asked)
        for url in urls:
            place = find(url)
            group = -1 if place is None else self.table.group_of(place.spot)
            if self.only or group < 0:
                if self.only == (group in self.asked):
                    yield url
            elif group not in met and not is_excluded(_host(url)):
                met.add(group)
                yield url


def _host(url: str) -> str:
    try:
        return host(url)
    except ValueError as error:  # none was indexed
        raise InputError(f"the index is damaged: {url!r} is no URL") from error


def _looks_like_a_page(url: str) -> bool:
    """No file, and no query: of URLs that are only linked to, those with one are mostly buttons to
    share the page that links there, counters and searches.
    """
    return "?" not in url and extension_of(url) not in FILE_EXTENSIONS
