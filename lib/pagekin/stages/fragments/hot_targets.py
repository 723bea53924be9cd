"""Links to URLs that very many links point to are summed in the mapper, before they are sent.

All fragments about a URL go to one reducer, so a URL with a million links makes one task longer
than all others. The mappers share that work: once a task has seen much text about a URL, further
links to it are held, summed as the reducer would sum them, and sent as values of sums.

The sums are exact, and the reducer adds them to the others: which links were folded by which task
leaves no trace in the bag. So sizes may be taken of some pages only and forgotten again, and what
is held may be sent at any time; both are bounded, whatever the pages hold.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from pagekin.bags.fragments import KIND_SHIFT, LINK, WIDTH, decode
from pagekin.config import BagConfig, WindowConfig
from pagekin.kinds import Pair
from pagekin.stages.fragments.link_records import Said, link_records
from pagekin.stages.fragments.term_positions import place_weights, sum_terms
from pagekin.stages.fragments.totals import ENTRY_BYTES, HostSet, TermSums
from pagekin.stages.fragments.values import (
    FIRST,
    FLAG,
    HOST,
    LINK_TEXT,
    FoldedLinks,
    folded_value,
    host_id,
)

__all__ = ["Folding"]

_SAMPLE = 8  # one in so many pages is measured: 0.05 us a record, where every page costs 0.4
_HOT = 32 << 10  # bytes in these pages make a URL hot; in all 256 KB, 3 ms of a reducer
_PIECE = 256 << 10  # bytes of one URL summed at once: 50,000 numbers, what a cache holds
_HELD = 4 << 20  # bytes that wait, of all URLs
_EMPTY = 1 << 10  # bytes of a URL for which nothing waits
_RECORD_TERMS = 1 << 15  # in one value: 500 KB, and a reducer may hold a few
_KNOWN = 10_000  # URLs whose sizes are remembered: 2.5 MB
_LITTLE = 2 << 10  # bytes: sizes up to that are forgotten when there are too many


@dataclass(slots=True)
class _Hot:
    """Links to one URL that wait."""

    own_host: bytes
    held: int = _EMPTY
    text: bytearray = field(default_factory=bytearray)
    within: bytearray = field(default_factory=bytearray)  # text of links within the host
    links: int = 0
    pages: int = 0
    hosts: HostSet = field(default_factory=HostSet)
    sums: TermSums = field(default_factory=TermSums)


class Folding:
    """Stands behind what reads pages, and takes links to hot URLs out of what they say."""

    def __init__(self, bag: BagConfig, window: WindowConfig) -> None:
        self._weights = place_weights(bag, window)
        self._weigh_within = bag.same_host == "weigh"
        self._pages = 0
        self._sizes: dict[bytes, int] = {}
        self._hot: dict[str, _Hot] = {}
        self._held = 0

    def fold(self, said: Said) -> Said:
        """What a page says, but for its links to hot URLs."""
        hot = [target if target in self._hot else None for target in said.targets]
        if any(hot):
            for key, value in link_records(hot, said.parts, said.host):
                self._hold(self._hot[key.decode()], value)
            cold = [None if url else t for url, t in zip(hot, said.targets, strict=True)]
            said = said._replace(targets=cold)
        if not self._pages % _SAMPLE:
            self._measure(said)
        self._pages += 1
        return said

    def overdue(self) -> Iterator[Pair]:
        """All that waits, if it is too much."""
        if self._held > _HELD:
            yield from self.finish()

    def finish(self) -> Iterator[Pair]:
        """All that waits."""
        for key, hot in self._hot.items():
            if hot.pages:
                self._sum(hot)
                for value in _values(hot):
                    yield key.encode(), value
        self._hot, self._held = {}, 0

    def _measure(self, said: Said) -> None:
        """Look at the sizes of a page's records, which tell what is hot from the next page on."""
        sizes = self._sizes
        for key, value in link_records(said.targets, said.parts, said.host):
            size = sizes[key] = sizes.get(key, 0) + len(value)
            if size > _HOT and (url := key.decode()) not in self._hot:
                self._hot[url] = _Hot(host_id(url) if self._weigh_within else b"")
                self._held += _EMPTY
        if len(sizes) > _KNOWN:
            self._forget()

    def _forget(self) -> None:
        """Small sizes go, or all of them if too few are small."""
        large = {key: size for key, size in self._sizes.items() if size > _LITTLE}
        self._sizes = large if len(large) < _KNOWN // 2 else {}

    def _hold(self, hot: _Hot, value: bytes) -> None:
        host = value[HOST]
        text = hot.within if host == hot.own_host else hot.text
        text += value[LINK_TEXT:]
        hot.hosts.add(host)
        hot.pages += value[FLAG] == FIRST
        hot.held += len(value)
        self._held += len(value)
        if len(text) > _PIECE:
            self._held -= hot.held
            self._sum(hot)
            self._held += hot.held

    def _sum(self, hot: _Hot) -> None:
        """Texts become sums."""
        numbers = decode(hot.text + hot.within)
        within = np.arange(len(numbers)) >= len(hot.text) // WIDTH if hot.within else None
        url_of = np.zeros(len(numbers), dtype=np.uint64)
        hot.links += int(np.count_nonzero(numbers >> np.uint64(KIND_SHIFT) == LINK))
        hot.sums.add(*sum_terms(numbers, url_of, self._weights, within)[1:])
        hot.text, hot.within = bytearray(), bytearray()
        hot.held = _EMPTY + len(hot.hosts.ids()) + ENTRY_BYTES * len(hot.sums)


def _values(hot: _Hot) -> Iterator[bytes]:
    """One value, or several where it would be too long."""
    links, pages, hosts = hot.links, hot.pages, hot.hosts.ids()
    terms, sums = hot.sums.total()
    for k in range(0, len(terms) or 1, _RECORD_TERMS):
        part = slice(k, k + _RECORD_TERMS)
        yield folded_value(FoldedLinks(links, pages, hosts, terms[part], sums[part]))
        links, pages, hosts = 0, 0, b""
