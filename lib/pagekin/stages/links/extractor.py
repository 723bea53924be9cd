"""Pages become records of their links: whose context a page is part of, and who stands together.

The value names the URLs that the page links to, each once, and pairs of them that stand side by
side on it: `URL URL|URL URL|0 2 1 2`. Behind the first bar are those that surely were not read,
behind the second the pairs, two places in the list of all for each. Pairs of which none was read
are left out: neither has anything to tell. URLs of the page's own host begin with their paths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import LINKS, Pair
from pagekin.stages.extractor import LinkTargets
from pagekin.stages.fragments.parcels import host_part
from pagekin.text.tokens import LINK, LINK_END, NAMES
from pagekin.web.page import Page, View
from pagekin.web.resolution import Resolution, own_url
from pagekin.web.tags import CUTS, HEADING_MARKS
from pagekin.web.urls import top_subdomain

__all__ = ["LinkExtractor", "PageLinks", "neighbours", "parse_links", "shortened", "whole"]

# other extractors may want them in the text; here they are no words
_BLANKS = bytes.maketrans("".join(NAMES).encode(), b" " * len(NAMES))


class PageLinks(NamedTuple):
    """What the record of a page says."""

    urls: list[bytes]  # each once; those that may have been read come first
    readable: int  # so many may have been read
    pairs: list[tuple[int, int]]  # places of URLs that stand side by side


def shortened(urls: Iterable[bytes], page: bytes) -> list[bytes]:
    """URLs of the host of a page without the host, which is half of what is sent."""
    host = host_part(page)
    path = len(host) - 1
    return [url[path:] if url.startswith(host) else url for url in urls]


def whole(urls: Iterable[bytes], page: bytes) -> list[bytes]:
    """Such URLs as they were."""
    host = host_part(page)[:-1]
    return [host + url if url.startswith(b"/") else url for url in urls]


def parse_links(page: bytes, value: bytes) -> PageLinks:
    """What stands in the value of a page; ValueError if it is none."""
    readable, others, places = value.split(b"|")
    first = whole(readable.split(), page)
    urls, numbers = first + whole(others.split(), page), list(map(int, places.split()))
    if len(numbers) % 2 or not all(0 <= number < len(urls) for number in numbers):
        raise ValueError("pairs of links that are not there")
    return PageLinks(urls, len(first), list(zip(numbers[::2], numbers[1::2], strict=True)))


class LinkExtractor:
    """Makes the record of the links of each page."""

    view = View(without=CUTS | HEADING_MARKS)

    def __init__(
        self, config: BuildConfig, counters: Counters, resolution: Resolution | None = None
    ) -> None:
        self._config = config
        self._resolution = resolution
        self._counters = counters
        # the fragments, which have the same links, count them
        self._targets = LinkTargets(config, Counters(), resolution)

    def records(self, page: Page) -> Iterator[Pair]:
        """The record of a page that links to others."""
        own = own_url(page.url, self._config.reading, self._resolution)
        targets, _ = self._targets.of(page, own)
        urls = list(dict.fromkeys(filter(None, targets)))
        if not urls:
            return
        unread = self._unread(urls)
        urls.sort(key=unread.__contains__)
        readable = len(urls) - len(unread)
        place: dict[str | None, int] = {url: k for k, url in enumerate(urls)}
        places = [place.get(target, -1) for target in targets]
        pairs = self._pairs(page.flat.text, places, readable) if readable else set()
        self._counters.add("joined_links", "found", len(urls))
        self._counters.add("joined_links", "pairs", len(pairs))
        site = top_subdomain(own)
        to_others = sum(top_subdomain(url) != site for url in urls)
        self._counters.add("joined_links", "to_other_sites", to_others)
        key = own.encode()
        short = shortened(map(str.encode, urls), key)
        numbers = b" ".join([b"%d %d" % pair for pair in sorted(pairs)])
        value = b"%b|%b|%b" % (b" ".join(short[:readable]), b" ".join(short[readable:]), numbers)
        yield LINKS.prefix + key, value

    def finish(self) -> Iterator[Pair]:
        """Nothing: no record of a page waits for others."""
        return iter(())

    def _unread(self, urls: Sequence[str]) -> set[str]:
        """Those that surely were not read. A page that names another URL as its own is known by the
        one where it was found, so that nothing is sure of the other.
        """
        if self._resolution is None or self._config.reading.follow_canonical:
            return set()
        return self._resolution.surely_unread(urls)

    def _pairs(self, text: bytes, places: Sequence[int], readable: int) -> set[tuple[int, int]]:
        """The places of links that stand side by side, if one of them may have been read."""
        near = neighbours(text, self._config.enrich.links_near, places)
        ordered = {(a, b) if a < b else (b, a) for a, b in near if a != b}
        return {(a, b) for a, b in ordered if a < readable}


def neighbours(text: bytes, most: int, places: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Links that follow each other with at most so many words between, by their places; links
    whose place is negative are passed over, as if they were no links.
    """
    letters = np.frombuffer(text, np.uint8)
    opens = np.flatnonzero(letters == ord(LINK))
    closes = np.append(np.flatnonzero(letters == ord(LINK_END)), len(text))
    ends = closes[np.searchsorted(closes, opens)].tolist()
    links = [link for link in zip(places, opens.tolist(), ends, strict=True) if link[0] >= 0]
    for (place, _, end), (following, start, _) in pairwise(links):
        between = text[end:start].translate(_BLANKS)
        if len(between.split(None, most)) <= most:
            yield place, following
