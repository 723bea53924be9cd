"""Who is who in a made-up web: its settings, its classes and hosts, and every page, as arrays.

Settings decide every byte; those that are not given follow from the number of pages.

The directory has classes three deep, and words that pages of a class share. Of 100 words of a page
28 are those of a class: 69 of 100 of these of the class alone, the others of the two classes above
it. A sixth of the 28 are those of another class of the branch, for no page is about one thing. So
pages of one class are most alike, siblings next, then cousins, which is what a human directory is
taken to say [SIM 2.1]. A branch has one language.

Names of hosts end in .example, which nobody owns (RFC 2606). Of 100 hosts 86 are normal, 6 mirror
another one, and 8 belong to link farms. The big domain, if there is one, has eight hosts.

The numbers of pages on hosts follow a power law. A host is about one class of the second level:
85 of 100 of its pages are in a class below it, the others elsewhere in its branch. A mirror's pages
are copies of one other host's. All follows from the settings alone, takes 0.4 s for a million
pages, and every process makes it anew.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import UsageError
from pagekin.synthetic.chance import UInt64s, draws, key_of
from pagekin.synthetic.prose import (
    CODES,
    Language,
    Words,
    language,
    language_shares,
    make_words,
    spread,
    zipf,
)

__all__ = ["BIG_DOMAIN", "SPAM", "Host", "Population", "Topics", "WebConfig"]

_MAX_PAGES = 50_000_000  # the arrays take about 40 bytes a page in every process
_PAGES_OF_A_HOST, _MOST_HOSTS = 10, 20_000
_PAGES_OF_A_TOPIC = 25
_TOPICS = (16, 4096)  # at least one for each language and branch; at most what a process can hold


@dataclass(frozen=True)
class WebConfig:
    """The settings that decide every byte of the web."""

    pages: int
    seed: int = 1
    hosts: int = 0
    """0: one for 10 pages, but at most 20,000."""
    topics: int = 0
    """Classes of the third level; 0: one for 25 pages, but 16 to 4,096."""
    mean_words: int = 1400
    mean_links: int = 100
    hot_inlinks: int = 0
    """Links to one URL, dealt out to all pages."""
    wide_page: int = 0
    """Links to as many URLs on one page."""
    big_domain: float = 0.0
    """Share of the pages that one domain has."""

    def __post_init__(self) -> None:
        wrong = [text for holds, text in self._rules() if not holds]
        if wrong:
            raise UsageError("; ".join(wrong))

    def _rules(self) -> list[tuple[bool, str]]:
        """What must hold, and the sentence if it does not."""
        return [
            (10 <= self.pages <= _MAX_PAGES, f"--pages takes 10 to {_MAX_PAGES:,}"),
            (0 <= self.seed < 1 << 63, "--seed takes a number from 0, below 2 to the 63rd"),
            (0 <= self.hosts <= self.pages, "--hosts takes at most as many as there are pages"),
            (0 <= self.topics <= _TOPICS[1], f"--topics takes at most {_TOPICS[1]:,}"),
            (10 <= self.mean_words <= 20_000, "--mean-words takes 10 to 20,000"),
            (60 <= self.mean_links <= 2_000, "--mean-links takes 60 to 2,000"),
            (0 <= self.hot_inlinks <= 2_000 * self.pages, "--hot-inlinks takes 2,000 for a page"),
            (0 <= self.wide_page <= 1_000_000, "--wide-page takes at most 1,000,000"),
            (0 <= self.big_domain <= 0.95, "--big-domain takes a share from 0 to 0.95"),
        ]

    @property
    def host_count(self) -> int:
        return self.hosts or max(10, min(self.pages // _PAGES_OF_A_HOST, _MOST_HOSTS))

    @property
    def topic_count(self) -> int:
        low, high = _TOPICS
        return self.topics or min(max(self.pages // _PAGES_OF_A_TOPIC, low), high)


# --- classes ---

_LEVELS = ((256, 60), (384, 50), (1408, 60))  # slots and words of the branch, the second, the class
_BRANCHES = (
    *("Arts", "Business", "Games", "Health", "Recreation", "Science", "Society"),
    *CODES[1:],  # by the name that the language gives itself
)
_ENGLISH = len(_BRANCHES) - len(CODES) + 1


class Topics:
    """The classes of a web, numbered from 0."""

    def __init__(self, count: int, seed: int) -> None:
        self.count = count
        self._seed = seed
        self.table = cache(self._table)
        self.words = cache(lambda leaf: self.table(leaf).tolist())
        self.path = cache(self._path)
        self.spaces = [self.language(leaf).space for leaf in range(count)]

    def branch(self, leaf: int) -> int:
        return leaf % len(_BRANCHES)

    def second(self, leaf: int) -> int:
        """The number of the class above within its branch."""
        return leaf // len(_BRANCHES) // self._width

    @cached_property
    def _width(self) -> int:
        return max(2, math.isqrt(self.count // len(_BRANCHES)))

    def code(self, leaf: int) -> str:
        """The language of the class's pages."""
        return CODES[max(self.branch(leaf) - _ENGLISH + 1, 0)]

    def language(self, leaf: int) -> Language:
        return language(self.code(leaf))

    def another(self, leaf: int, chance: int) -> int:
        """Some class of the branch."""
        branch = self.branch(leaf)
        return branch + chance % ((self.count - 1 - branch) // len(_BRANCHES) + 1) * len(_BRANCHES)

    def weights(self) -> NDArray[np.float64]:
        """The share of the pages that each class has."""
        english, *others = language_shares()
        of_branches = np.array([english / _ENGLISH] * _ENGLISH + others)
        leaves = np.arange(self.count)
        within = (leaves // len(_BRANCHES) + 2.0) ** -0.5
        sums = np.bincount(leaves % len(_BRANCHES), within, len(_BRANCHES))
        weights = of_branches[leaves % len(_BRANCHES)] * within / sums[leaves % len(_BRANCHES)]
        return np.asarray(weights / weights.sum())

    def family(self, leaf: int) -> tuple[int, int]:
        """Equal for classes below the same second one."""
        return self.branch(leaf), self.second(leaf)

    def _path(self, leaf: int) -> str:
        """/Top/A/B/C; the names are words that the classes' pages use."""
        branch = self.branch(leaf)
        top = _BRANCHES[branch] if branch < _ENGLISH else self.language(leaf).name
        second, third = (self._names(leaf, level)[0].capitalize() for level in (1, 2))
        return f"/Top/{top}/{second}_{self.second(leaf)}/{third}_{leaf}"

    def _names(self, leaf: int, level: int) -> Words:
        places = (self.branch(leaf), self.second(leaf), leaf)[: level + 1]
        key = key_of(self._seed, "topic", level, *places)
        return make_words(self.code(leaf), key, _LEVELS[level][1])

    def _table(self, leaf: int) -> Words:
        parts = [
            spread(self._names(leaf, level), slots, zipf(count, 2.0, 0.8))
            for level, (slots, count) in enumerate(_LEVELS)
        ]
        return np.concatenate(parts)


# --- hosts ---

_NORMAL, _MIRROR, SPAM = range(3)
BIG_DOMAIN = "everybody-writes.example"

_BIG_HOSTS = 8
_MIRRORS, _SPAM = 6, 8  # of 100
_NEVER_ODD = 5  # hosts that are normal in the smallest web
_DECLARED = ("header", "meta", "both", "header", "meta", "both", "both", "none")
_STYLES = 6
_LETTERS = 7  # of a part of a name
_GOLDEN = 0.6180339887498949


@dataclass(frozen=True)
class Host:
    """A host as its pages need it."""

    number: int
    kind: int
    name: str
    site: str  # https://name
    language: Language
    charset: str
    declared: str  # one of _DECLARED
    style: int
    addresses: int  # which form the paths of its pages have


class Hosts:
    """All hosts; one is made when it is asked for."""

    def __init__(self, config: WebConfig, topics: Topics) -> None:
        self._seed, self._topics = config.seed, topics
        self.big = _BIG_HOSTS if config.big_domain else 0
        self._count = config.host_count + self.big
        chance = draws(key_of(config.seed, "hosts"), self._count)
        percent = chance % 100
        kinds = np.where(percent < _MIRRORS, _MIRROR, np.where(percent < _MIRRORS + _SPAM, SPAM, 0))
        kinds[: self.big + _NEVER_ODD] = _NORMAL
        self.kinds: list[int] = kinds.tolist()
        self.sources = self._sources(chance)
        self.homes = self._homes()
        self._turns = self._charset_turns()
        self.host = cache(self._host)

    def __len__(self) -> int:
        return self._count

    def _sources(self, chance: np.ndarray) -> list[int]:
        """The host that each mirrors: a normal one among the larger; others themselves."""
        normal = [number for number, kind in enumerate(self.kinds) if kind == _NORMAL]
        some = normal[self.big : self.big + max(len(normal) // 4, 1)]
        places = (chance >> np.uint64(20)).tolist()
        return [
            some[places[number] % len(some)] if kind == _MIRROR else number
            for number, kind in enumerate(self.kinds)
        ]

    def _homes(self) -> list[int]:
        """A class of the directory for each host; a mirror has that of its source."""
        weights = np.cumsum(self._topics.weights())
        # steps of the golden ratio: even a few hosts have all large branches, and all languages
        places = (np.arange(self._count) * _GOLDEN + (self._seed % 97) / 97) % 1.0
        homes = np.searchsorted(weights[:-1], places, side="right")
        return [int(homes[source]) for source in self.sources]

    def _charset_turns(self) -> list[int]:
        """How many hosts of its language come before each: they take charsets in turn."""
        seen: Counter[str] = Counter()
        turns = []
        for home in self.homes:
            code = self._topics.code(home)
            turns.append(seen[code])
            seen[code] += 1
        return turns

    def _host(self, number: int) -> Host:
        chance = draws(key_of(self._seed, "host", number), 5).tolist()
        language = self._topics.language(self.homes[number])
        name = self._name(number, chance[0])
        return Host(
            number=number,
            kind=self.kinds[number],
            name=name,
            site=f"{('https', 'https', 'http')[chance[1] % 3]}://{name}",
            language=language,
            charset=language.charsets[self._turns[number] % len(language.charsets)],
            declared=_DECLARED[chance[2] % len(_DECLARED)],
            style=chance[3] % _STYLES,
            addresses=chance[4] % 3,
        )

    def _name(self, number: int, chance: int) -> str:
        first, second = _names()[chance % 997], _names()[chance // 997 % 997]
        if number < self.big:
            return f"{first}.{BIG_DOMAIN}"
        if self.kinds[number] == SPAM:
            return f"best-{first}-{second}{number}.example"
        return f"{('www.', 'www.', '')[chance % 3]}{first}{second}-{number}.example"


@cache
def _names() -> list[str]:
    words: list[str] = make_words("en", key_of(0, "names"), 997).tolist()
    return [word[:_LETTERS] for word in words]


# --- pages ---

_AT_HOME = 0.85
_LISTED = 0.5  # of the pages of normal hosts, in the directory
_HOST_SIZES = 0.7  # exponent of the Zipf law


class _Groups:
    """Pages by what they have in common: members(group) are their numbers."""

    def __init__(self, labels: NDArray[np.int32], pages: NDArray[np.int32], count: int) -> None:
        self._order = pages[np.argsort(labels[pages], kind="stable")]
        sizes = np.bincount(labels[pages], minlength=count)
        self._bounds = _view(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    def members(self, group: int) -> NDArray[np.int32]:
        return self._order[self._bounds[group] : self._bounds[group + 1]]


class Population:
    """The arrays of a web; scalars are read through memory views, which numpy is slow at."""

    def __init__(self, config: WebConfig) -> None:
        self.config = config
        self.topics = Topics(config.topic_count, config.seed)
        self.hosts = Hosts(config, self.topics)
        self._host = self._deal_hosts()
        self._leaf = self._deal_leaves()
        kinds = np.array(self.hosts.kinds, dtype=np.int8)[self._host]
        self._normal = np.flatnonzero(kinds == _NORMAL).astype(np.int32)
        self._origin = self._deal_copies(np.flatnonzero(kinds == _MIRROR))
        self._leaf = self._leaf[self._origin]
        self.spam = np.flatnonzero(kinds == SPAM).astype(np.int32)
        self.host, self.leaf = _view(self._host), _view(self._leaf)
        self.origin = _view(self._origin)

    @cached_property
    def by_leaf(self) -> _Groups:
        """The pages of normal hosts by their class; the first are the most linked."""
        return _Groups(self._leaf, self._normal, self.topics.count)

    @cached_property
    def by_host(self) -> _Groups:
        everyone = np.arange(self.config.pages, dtype=np.int32)
        return _Groups(self._host, everyone, len(self.hosts))

    @cached_property
    def popular(self) -> NDArray[np.int32]:
        """The pages of normal hosts, the most linked first."""
        order = np.argsort(self._chance("popular")[self._normal], kind="stable")
        return self._normal[order]

    @cached_property
    def listed(self) -> NDArray[np.int32]:
        """The pages that stand in the directory."""
        return self._normal[_parts(self._chance("listed")[self._normal]) < _LISTED]

    def _chance(self, purpose: str) -> UInt64s:
        return draws(key_of(self.config.seed, purpose), self.config.pages)

    def _deal_hosts(self) -> NDArray[np.int32]:
        """The big domain's hosts come first; the others share the rest by Zipf's law."""
        big, count = self.hosts.big, len(self.hosts)
        weights = (np.arange(count) + 1.0) ** -_HOST_SIZES
        if big:
            share = self.config.big_domain
            weights[:big] = weights[big:].sum() * share / (1 - share) / big
        return _choose(weights, self._chance("host"))

    def _deal_leaves(self) -> NDArray[np.int32]:
        """At home with the host, or anywhere in its branch: a place on a line where the classes of
        one family, and the families of one branch, lie side by side."""
        topics = self.topics
        families = np.array([topics.family(leaf) for leaf in range(topics.count)])
        order = np.lexsort((families[:, 1], families[:, 0]))
        line = np.concatenate([[0.0], np.cumsum(topics.weights()[order])])
        homes = np.array(self.hosts.homes)[self._host]
        at_home = _parts(self._chance("where")) < _AT_HOME
        near, far = _extents(families[order]), _extents(families[order, :1])
        place = np.argsort(order)[homes]
        low = np.where(at_home, near[0][place], far[0][place])
        high = np.where(at_home, near[1][place], far[1][place])
        points = line[low] + _parts(self._chance("leaf")) * (line[high] - line[low])
        found = np.searchsorted(line, points, side="right") - 1
        return np.asarray(order[np.clip(found, low, high - 1)], dtype=np.int32)

    def _deal_copies(self, copies: NDArray[np.intp]) -> NDArray[np.int32]:
        """Each page's original: itself, or for a mirror's page one of the mirrored host's."""
        origin = np.arange(self.config.pages, dtype=np.int32)
        order = np.argsort(self._host, kind="stable")
        bounds = np.searchsorted(self._host[order], np.arange(len(self.hosts) + 1))
        sources = np.array(self.hosts.sources)[self._host[copies]]
        first, sizes = bounds[sources], bounds[sources + 1] - bounds[sources]
        whole = sizes > 0
        chance = (self._chance("copy")[copies] >> np.uint64(33)).astype(np.int64)
        origin[copies[whole]] = order[first[whole] + chance[whole] % sizes[whole]]
        return origin


def _view(array: NDArray[Any]) -> memoryview:
    return memoryview(cast("bytes", array))  # numpy's types name no buffers before Python 3.12


def _parts(numbers: UInt64s) -> NDArray[np.float64]:
    """UInt64s as shares from 0 to 1."""
    return np.asarray((numbers >> np.uint64(11)) / float(1 << 53))


def _extents(labels: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the run of equal labels begins and ends in which each stands."""
    new = np.any(labels[1:] != labels[:-1], axis=1)
    bounds = np.concatenate([[0], np.flatnonzero(new) + 1, [len(labels)]])
    runs = np.concatenate([[0], np.cumsum(new)])
    return bounds[runs], bounds[runs + 1]


def _choose(weights: NDArray[np.floating[Any]], numbers: UInt64s) -> NDArray[np.int32]:
    """An index for each number, by weight."""
    bounds = np.cumsum(weights)
    chosen = np.searchsorted(bounds, _parts(numbers) * bounds[-1], side="right")
    return np.asarray(np.minimum(chosen, int(np.flatnonzero(weights)[-1])), dtype=np.int32)
