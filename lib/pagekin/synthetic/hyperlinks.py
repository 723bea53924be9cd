"""Links of made-up pages: the addresses of pages, how links are written, and where they lead.

Every page has one address, which names its number. Some had another before, from which the server
now redirects. Numbers at or above the count of pages are pages that no crawler fetched: most links
of a real snapshot lead to such.

Six links that follow each other are of one sort, as in the lists of real pages. Of 100 links of a
normal page 40 stay in its class, 8 go to a class of its branch, 15 to its own host, 14 to what is
popular anywhere, 23 to pages that no crawler fetched. Within a class and overall the page of rank r
is chosen with a share like r^-0.75 and r^-0.8, so the numbers of inlinks have a power-law tail with
an exponent of about 2.3, near the 2.1 that was measured on the web (Broder et al., "Graph structure
in the web", 2000). Pages of link farms link to each other.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from pagekin.synthetic.chance import draws, key_of, mix
from pagekin.synthetic.population import SPAM, Host, Population
from pagekin.synthetic.prose import make_words

__all__ = ["MOVED", "Addresses", "Targets", "is_moved"]

_SLUGS = 1024
_SECTIONS = ("news", "articles", "guide", "archive", "topics", "notes", "reports", "blog")
MOVED = 3  # of 100 pages have an old address
_OLD = 30  # of 100 links to them still name it
_TRACKED = 5  # of 100 links to other hosts carry what a mailing added
_KEPT = 1 << 16  # addresses and titles; 20 MB


def is_moved(page: int) -> bool:
    """Has the page an old address?"""
    return mix(page) % 100 < MOVED


class Addresses:
    """Addresses and titles of the pages of a web."""

    def __init__(self, web: Population) -> None:
        self._web, self._pages = web, web.config.pages
        self._key = key_of(web.config.seed, "addresses")
        self._host = web.hosts.host
        self._leaf, self._words, self._spaces = web.leaf, web.topics.words, web.topics.spaces
        self._known = lru_cache(_KEPT)(self._make)

    def host(self, page: int) -> Host:
        """The host of a page, or of one that was not fetched."""
        if page < self._pages:
            return self._host(self._web.host[page])
        return self._host(mix(self._key ^ page) % len(self._web.hosts))

    def url(self, page: int) -> str:
        host, path, *_ = self._known(page)
        return host.site + path

    def old_url(self, page: int) -> str:
        return f"{self.host(page).site}/node/{page}"

    def title(self, page: int) -> str:
        """Three words of the page's class, which anchors repeat."""
        return self._known(page)[2]

    def link(self, page: int, source: Host, chance: int) -> str:
        """A link as a page of `source` has it."""
        host, path, title, moved = self._known(page)
        if host is source:
            return f'<a href="{path}">{title}</a>'
        percent = chance % 100
        if moved and percent < _OLD:
            return f'<a href="{self.old_url(page)}">{title}</a>'
        if percent >= 100 - _TRACKED:
            path += f"{'&amp;' if '?' in path else '?'}utm_source=list"
        return f'<a href="{host.site}{path}">{title}</a>'

    def _make(self, page: int) -> tuple[Host, str, str, bool]:
        """Host, path and title of a page, and whether it has an old address."""
        host, chance = self.host(page), mix(self._key ^ page)
        leaf = self._leaf[page % self._pages]
        words = self._words(leaf)
        first = words[chance >> 30 & 2047]
        more = (words[chance >> 41 & 2047], words[chance >> 52 & 2047])
        title = self._spaces[leaf].join((first[:1].upper() + first[1:], *more))
        moved = page < self._pages and is_moved(page)
        return host, _PATHS[host.addresses](page, chance), title, moved


@cache
def _slugs() -> list[str]:
    words: list[str] = make_words("en", key_of(0, "slugs"), _SLUGS).tolist()
    return words


def _named(page: int, chance: int) -> str:
    slugs = _slugs()
    section = _SECTIONS[chance & 7]
    return f"/{section}/{slugs[chance >> 8 & 1023]}-{slugs[chance >> 18 & 1023]}-{page}.html"


def _dated(page: int, chance: int) -> str:
    slugs = _slugs()
    slug = f"{slugs[chance >> 8 & 1023]}-{slugs[chance >> 18 & 1023]}-{slugs[chance >> 24 & 1023]}"
    return f"/{2004 + chance % 18}/{1 + chance % 12:02}/{slug}-{page}/"


def _numbered(page: int, chance: int) -> str:
    return f"/{_SECTIONS[chance & 7]}/view.php?id={page}"


_PATHS: tuple[Callable[[int, int], str], ...] = (_named, _dated, _numbered)


# --- where links lead ---

_CLASS, _BRANCH, _HOST, _POPULAR = 40, 48, 63, 77  # bounds, of 100
_FARM = 85  # of 100 links of a spam page
_BRANCHES = 16  # classes so far apart by number are in the same branch
_RUN = 6  # links of one sort
_UNSEEN = 2  # pages that were not fetched, for each that was

Sort = tuple[NDArray[np.int32], int]  # pages, and the power to which chance is raised


class Targets:
    """Draws the targets of pages."""

    def __init__(self, web: Population) -> None:
        self._web = web
        self._key = key_of(web.config.seed, "targets")
        pages = web.config.pages
        self._unseen = np.arange(pages, (_UNSEEN + 1) * pages, dtype=np.int32)

    def of(self, page: int, count: int) -> list[tuple[int, int]]:
        """So many targets of a page, each with a number for whatever else is to be chosen."""
        chance = draws(key_of(self._key, page), count)
        first = (chance >> np.uint64(32)) / float(1 << 32)
        second = first * first
        powers = {2: second, 4: second * second, 5: second * second * first}
        targets: list[int] = []
        for at, kind in zip(range(0, count, _RUN), (chance[::_RUN] % 100).tolist(), strict=True):
            pages, power = self._sort(page, kind)
            places = (powers[power][at : at + _RUN] * len(pages)).astype(np.int64)
            targets += pages[places].tolist()
        return list(zip(targets, (chance & np.uint64(0xFFFFF)).tolist(), strict=True))

    def _sort(self, page: int, kind: int) -> Sort:
        """Whence a run of links takes its targets."""
        web = self._web
        if web.hosts.kinds[web.host[page]] == SPAM:
            return (web.spam, 2) if kind < _FARM else (web.popular, 5)
        if kind < _BRANCH:
            leaf = web.leaf[page] + (_BRANCHES if kind >= _CLASS else 0)
            same_class = web.by_leaf.members(leaf % web.topics.count)
            return (same_class, 4) if len(same_class) else (web.popular, 5)
        if kind < _HOST:
            return web.by_host.members(web.host[page]), 2
        return (web.popular, 5) if kind < _POPULAR else (self._unseen, 2)
