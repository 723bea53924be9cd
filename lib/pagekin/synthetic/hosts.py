"""The hosts of a made-up web: what each is, what it is about, and how its server speaks.

Names end in .example, which nobody owns (RFC 2606). Of 100 hosts 86 are normal, 6 mirror another
one, and 8 belong to link farms. The big domain, if there is one, has eight hosts.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache

import numpy as np

from pagekin.synthetic.chance import draws, key_of
from pagekin.synthetic.config import WebConfig
from pagekin.synthetic.languages import Language, make_words
from pagekin.synthetic.topics import Topics

__all__ = ["BIG_DOMAIN", "DECLARED", "MIRROR", "NORMAL", "SPAM", "Host", "Hosts"]

NORMAL, MIRROR, SPAM = range(3)
BIG_DOMAIN = "everybody-writes.example"

_BIG_HOSTS = 8
_MIRRORS, _SPAM = 6, 8  # of 100
_NEVER_ODD = 5  # hosts that are normal in the smallest web
DECLARED = ("header", "meta", "both", "header", "meta", "both", "both", "none")
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
    declared: str  # one of DECLARED
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
        kinds = np.where(percent < _MIRRORS, MIRROR, np.where(percent < _MIRRORS + _SPAM, SPAM, 0))
        kinds[: self.big + _NEVER_ODD] = NORMAL
        self.kinds: list[int] = kinds.tolist()
        self.sources = self._sources(chance)
        self.homes = self._homes()
        self._turns = self._take_turns()
        self.host = cache(self._host)

    def __len__(self) -> int:
        return self._count

    def _sources(self, chance: np.ndarray) -> list[int]:
        """The host that each mirrors: a normal one among the larger; others themselves."""
        normal = [number for number, kind in enumerate(self.kinds) if kind == NORMAL]
        some = normal[self.big : self.big + max(len(normal) // 4, 1)]
        places = (chance >> np.uint64(20)).tolist()
        return [
            some[places[number] % len(some)] if kind == MIRROR else number
            for number, kind in enumerate(self.kinds)
        ]

    def _homes(self) -> list[int]:
        """A class of the directory for each host; a mirror has that of its source."""
        weights = np.cumsum(self._topics.weights())
        # steps of the golden ratio: even a few hosts have all large branches, and all languages
        places = (np.arange(self._count) * _GOLDEN + (self._seed % 97) / 97) % 1.0
        homes = np.searchsorted(weights[:-1], places, side="right")
        return [int(homes[source]) for source in self.sources]

    def _take_turns(self) -> list[int]:
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
            declared=DECLARED[chance[2] % len(DECLARED)],
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
