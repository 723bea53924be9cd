"""One page of a made-up web: its frame, its text, its links, and what the settings ask of it.

A page follows from the settings and its number alone. A copy on a mirror has the words and the
links of its original, in the frame of the mirror and with a line that says so.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

from pagekin.synthetic.addresses import Addresses
from pagekin.synthetic.blocks import KINDS, Maker
from pagekin.synthetic.chance import key_of, mix
from pagekin.synthetic.config import WebConfig
from pagekin.synthetic.frames import LINKS, WORDS, Frames, encode
from pagekin.synthetic.hosts import Host
from pagekin.synthetic.languages import Words
from pagekin.synthetic.plan import Plan
from pagekin.synthetic.prose import Text, dice, draw_words
from pagekin.synthetic.targets import Targets

__all__ = ["MadePage", "PageMaker"]

_WORDS_OF_A_LINK = 3
_SPREAD = 0.6  # of the logarithm of lengths
_STEPS = 256
_HOT_ROW = 40  # links to the hot URL in one list
_THROWS = 512


class MadePage(NamedTuple):
    """A page as the server sends it."""

    url: str
    body: bytes
    host: Host


class PageMaker:
    """Makes the pages of a web."""

    def __init__(self, config: WebConfig) -> None:
        self.config, self.plan = config, Plan(config)
        self.addresses = Addresses(self.plan)
        self._frames = Frames(self.plan, self.addresses)
        self._targets = Targets(self.plan)
        self._factors = _factors()

    @property
    def hot(self) -> int:
        """The page to which the hot links lead."""
        return int(self.plan.popular[0])

    @property
    def wide(self) -> int:
        """The page with very many links."""
        return int(self.plan.popular[1])

    def make(self, page: int) -> MadePage:
        """The page of a number."""
        host, origin = self.addresses.host(page), self.plan.origin[page]
        frame = self._frames.of(host.number)
        key = key_of(self.config.seed, "page", origin)
        title = self.addresses.title(origin)
        url = self.addresses.url(page)
        head = f"<title>{title} - {host.name}</title>\n{self._names(page, origin, url)}"
        content = f"<h1>{title}</h1>\n{self._note(page, origin)}{self._content(origin, key, host)}"
        content += self._asked(page, key, host)
        parts = (
            *(frame.start, encode(head, host.charset), frame.head, frame.top),
            *(encode(content, host.charset), frame.end, frame.close),
        )
        return MadePage(url, b"".join(parts), host)

    def _names(self, page: int, origin: int, url: str) -> str:
        """Half of the copies name their original, a third of the others themselves."""
        chance = mix(page ^ self.config.seed)
        if page != origin:
            named = self.addresses.url(origin) if chance & 1 else ""
        else:
            named = url if chance % 3 == 0 else ""
        return f'<link rel="canonical" href="{named}">\n' if named else ""

    def _note(self, page: int, origin: int) -> str:
        if page == origin:
            return ""
        return f'<p class="note"><small>Mirror {page} of {self.addresses.url(origin)}</small></p>\n'

    def _content(self, origin: int, key: int, host: Host) -> str:
        config, plan = self.config, self.plan
        factor = self._factors[key % _STEPS]
        count = round((config.mean_links - LINKS) * factor)
        own = config.mean_words - WORDS - _WORDS_OF_A_LINK * (config.mean_links - LINKS)
        size = 40 + round(max(own - 40, 0) * factor)
        leaf = plan.leaf[origin]
        language = plan.topics.language(leaf)
        throw = dice(key ^ 1, _THROWS)
        words = draw_words(language, plan.topics.table(leaf), key, size, self._aside(leaf, key))
        text = Text(language, words, throw)
        links = self._targets.of(origin, count)
        made = (self.addresses.link(target, host, chance) for target, chance in links)
        return Maker(text, made, count, throw).content(KINDS[(key >> 20) % len(KINDS)])

    def _aside(self, leaf: int, key: int) -> Words:
        """The words of some class of the branch: no page is about one thing alone."""
        return self.plan.topics.table(self.plan.topics.another(leaf, key))

    def _asked(self, page: int, key: int, host: Host) -> str:
        """Links to the hot URL, and the many of the wide page."""
        pages, config = self.config.pages, self.config
        hot = config.hot_inlinks // pages + (page < config.hot_inlinks % pages)
        parts = [self._hot_links(key, host, hot)] if hot else []
        if config.wide_page and page == self.wide:
            links = [self.addresses.link(k, host, 50) for k in range(config.wide_page)]
            parts.append(_lists(links))
        return "".join(parts)

    def _hot_links(self, key: int, host: Host, count: int) -> str:
        """Each with words of its own around it."""
        leaf, topics = self.plan.leaf[self.hot], self.plan.topics
        language = host.language
        words = draw_words(language, topics.table(leaf), key ^ 2, 4 * count)
        href = self.addresses.url(self.hot)
        space = language.space
        links = [
            f'{words[at]}{space}{words[at + 1]} <a href="{href}">{words[at + 2]}</a>'
            f" {words[at + 3]}"
            for at in range(0, 4 * count, 4)
        ]
        return _lists(links)


def _lists(links: list[str]) -> str:
    """Lists of forty."""
    rows = [links[at : at + _HOT_ROW] for at in range(0, len(links), _HOT_ROW)]
    return "".join(f"\n<ul>{''.join(f'<li>{link}</li>' for link in row)}</ul>" for row in rows)


def _factors() -> list[float]:
    """How long pages are beside the mean: lognormal, in 256 equally likely steps."""
    normal = NormalDist(-_SPREAD * _SPREAD / 2, _SPREAD)
    return [2.718281828459045 ** normal.inv_cdf((k + 0.5) / _STEPS) for k in range(_STEPS)]
