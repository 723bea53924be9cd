"""The addresses of made-up pages, and how links to them are written.

Every page has one address, which names its number. Some had another before, from which the server
now redirects. Numbers at or above the count of pages are pages that no crawler fetched: most links
of a real snapshot lead to such.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from pagekin.synthetic.chance import key_of, mix
from pagekin.synthetic.hosts import Host
from pagekin.synthetic.languages import make_words
from pagekin.synthetic.plan import Plan

__all__ = ["MOVED", "Addresses", "is_moved"]

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
    """Addresses and titles of the pages of a plan."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._pages = plan, plan.config.pages
        self._key = key_of(plan.config.seed, "addresses")
        self._host = plan.hosts.host
        self._leaf, self._words, self._spaces = plan.leaf, plan.topics.words, plan.topics.spaces
        self._known = lru_cache(_KEPT)(self._make)

    def host(self, page: int) -> Host:
        """The host of a page, or of one that was not fetched."""
        if page < self._pages:
            return self._host(self._plan.host[page])
        return self._host(mix(self._key ^ page) % len(self._plan.hosts))

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
