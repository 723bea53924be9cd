"""Parcels become raw bags: the reducer of the bags [SIM 6.1].

Parcels come sorted by range, and ranges are ordered as their URLs are. All parcels of a range are
opened together, the sections of text of each URL are found, and their terms are summed: most URLs
have one link, so that all is done for many URLs at once. Everything here is a function of the set
of pages, whatever the tasks: weights are summed as whole numbers, in which no order of addition
matters.

A range that is too large to be held is *folded*: its links become sums, URL by URL, in the records
that map tasks send of URLs to which very many links lead. Where that leaves too much, too, the
records are written to disk, sorted by URL. Of a URL with more than `max_terms` terms the lightest
go (of equal ones the larger hashes), once all are summed.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Bags, is_bag, origin_of
from pagekin.bags.vocabulary import merge_among
from pagekin.config import BagConfig, BuildConfig, WindowConfig
from pagekin.counters import Counters
from pagekin.errors import naming
from pagekin.kinds import Pair
from pagekin.limits import MOST_ABOVE
from pagekin.stages.fragments.parcels import (
    Opened,
    bounds_of,
    host_part,
    open_parcels,
    own_parcel,
    page_title,
    pieces_index,
)
from pagekin.stages.fragments.term_sums import (
    ANCHOR,
    CITING_PAGE,
    CITING_TITLE,
    CONTENT,
    HEADINGS,
    SCALE,
    TITLE,
    WITHIN_HOST,
    LinkSums,
    Sections,
    Sums,
    UrlSums,
    add_up,
    place_weights,
    sum_sections,
)
from pagekin.web.urls import host

__all__ = ["BagMerger", "merge_fragments"]

Numbers = NDArray[np.int64]

LINK_SUMS = b"s"  # the first byte of a record of links that are summed already
_TOGETHER = 256 << 10  # bytes of ranges that are opened at once: 17 pages of `webpages`
_SUMMED = 1 << 18  # terms summed at once, as many as these ranges have: 12 MB
_HELD = 6 << 20  # bytes of one range that are held: 400 pages, 50 MB once they are open
_MOST_URLS = 0xFFFF  # of those summed at once: sum_sections has 16 bits for their numbers
_RECORD_TERMS = 1 << 15  # in one record of sums: 500 KB
_OPEN_FILES = 64
_BUFFER = 64 << 10


def merge_fragments(
    pairs: Iterable[Pair], config: BuildConfig, counters: Counters
) -> Iterator[Pair]:
    """Raw bags and words from what map tasks have sent, sorted; blocks of links pass unchanged."""
    merger = BagMerger(config.bag, config.window, counters)
    for bags, run in groupby(pairs, key=is_bag):
        yield from merger.merge(run) if bags else merge_among(run)  # noqa: B031


class _Batch(NamedTuple):
    """What is known of some URLs but for the sums of their terms."""

    urls: list[bytes]  # ascending; their numbers are their places
    opened: Opened
    url: Numbers  # of each URL in each parcel, its number
    summed: list[UrlSums]  # what the records of sums have, each of one URL
    links: Numbers  # of each URL
    pages: Numbers
    host_url: Numbers  # of each host that cites a URL, the number of the URL: ascending
    host: Numbers  # the number of that host
    hosts: dict[bytes, int]  # numbers of hosts, in the order of their names


class BagMerger:
    """Turns parcels into (URL, raw bag) pairs, under one configuration."""

    def __init__(self, bag: BagConfig, window: WindowConfig, counters: Counters) -> None:
        self._weights = place_weights(bag, window)
        self._weigh_within = bag.same_host == "weigh"
        self._max_terms = bag.max_terms
        self._crawled_only = bag.urls == "crawled"
        self._counters = counters

    def merge(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The raw bags, in the order of the URLs; pairs have the key of a range, or a URL."""
        waiting: list[Pair] = []
        size = 0
        for _, of_range in groupby(pairs, key=itemgetter(0)):
            records, runs = self._gather(of_range)
            if runs:
                yield from self._bags(waiting)
                yield from self.merge(runs.merged(records))
                waiting, size = [], 0
                continue
            waiting += records
            size += sum(len(value) for _, value in records)
            if size > _TOGETHER:
                yield from self._bags(waiting)
                waiting, size = [], 0
        yield from self._bags(waiting)

    def fold(self, pairs: list[Pair]) -> list[Pair]:
        """The same with the terms of all links summed: records with URLs for keys, in order."""
        batch = _read(pairs)
        opened = batch.opened
        records = [
            (opened.url[entry], own_parcel(opened, entry))
            for entry in np.flatnonzero(opened.links == 0).tolist()
        ]
        host_bounds = np.searchsorted(batch.host_url, np.arange(len(batch.urls) + 1)).tolist()
        names = list(batch.hosts)
        for first, last, found in _sums(batch, self._link_sections(batch), self._weights):
            bounds = np.searchsorted(found.url, np.arange(first, last + 1)).tolist()
            for number, (low, high) in enumerate(pairwise(bounds), first):
                url = batch.urls[number]
                links, pages = int(batch.links[number]), int(batch.pages[number])
                citing = batch.host[slice(*host_bounds[number : number + 2])].tolist()
                hosts = [names[k] for k in citing]
                for at in range(low, max(high, low + (links > 0)), _RECORD_TERMS):
                    part = slice(at, min(at + _RECORD_TERMS, high))
                    sums = LinkSums(links, pages, hosts, found.terms[part], found.sums[part])
                    rest = url[len(host_part(url)) :]
                    records.append((url, LINK_SUMS + rest + b" " + sums.to_bytes()))
                    links, pages, hosts = 0, 0, []  # in the first record alone
        return sorted(records)

    def _gather(self, pairs: Iterable[Pair]) -> tuple[list[Pair], _SortedRuns | None]:
        """The records of a range, folded if they are too many; and those that lie on disk."""
        records: list[Pair] = []
        runs = None
        size, most = 0, _HELD
        for pair in pairs:
            records.append(pair)
            size += len(pair[1])
            if size > most:
                records = self.fold(records)
                size = sum(len(value) for _, value in records)
                if records[0][0] == records[-1][0]:  # one URL: its terms are not many more yet
                    most = max(_HELD, 2 * size)
                elif 2 * size > _HELD:
                    runs = runs or _SortedRuns()
                    runs.add(records)
                    records, size = [], 0
        return self.fold(records) if runs and records else records, runs

    def _bags(self, pairs: list[Pair]) -> Iterator[Pair]:
        """The bags of all URLs in some ranges."""
        if not pairs:
            return
        batch = _read(pairs)
        pages = _own_pages(batch)
        crawled = np.zeros(len(batch.urls), np.int64)
        crawled[batch.url[pages]] = 1
        dropped = int(np.count_nonzero(batch.opened.links == 0)) - len(pages)
        self._counters.add("bags", "other_content_dropped", dropped)
        wanted = crawled if self._crawled_only else np.ones_like(crawled)
        self._counters.add("bags", "urls_not_crawled", int(np.count_nonzero(wanted == 0)))
        sections = [*self._link_sections(batch), *_page_sections(batch, pages)]
        hosts = np.bincount(batch.host_url, minlength=len(batch.urls))
        titles = np.full(len(batch.urls), b"", object)
        flags = map(batch.opened.flag.__getitem__, batch.opened.parcel[pages].tolist())
        titles[batch.url[pages]] = np.array([*map(page_title, flags)], object)
        columns = crawled, batch.links, batch.pages, hosts, titles
        for first, last, found in _sums(batch, sections, self._weights, wanted):
            chosen = first + np.flatnonzero(wanted[first:last])
            urls = list(map(batch.urls.__getitem__, chosen.tolist()))
            yield from self._records(urls, chosen, [column[chosen] for column in columns], found)

    def _records(
        self, urls: list[bytes], numbers: Numbers, origin: list[NDArray[Any]], found: UrlSums
    ) -> Iterator[Pair]:
        """The bags of URLs as records; `origin` has the columns of what `origin_of` takes."""
        low, high = (np.searchsorted(found.url, numbers, side) for side in ("left", "right"))
        sizes = np.minimum(high - low, self._max_terms)
        over = int((high - low - sizes).sum())
        self._counters.add("bags", "terms_over_limit", over)
        terms, sums = found.terms, found.sums
        if over or int(sizes.sum()) < len(terms):  # else all terms are in some bag
            edges = zip(low.tolist(), high.tolist(), strict=True)
            chosen = [self._heaviest(found, a, b) for a, b in edges] if over else []
            places = np.concatenate(chosen) if over else pieces_index(low, sizes)
            terms, sums = terms[places], sums[places]
        crawled, links, *_ = origin
        totals = {"urls": len(urls), "crawled": crawled.sum(), "anchors": links.sum()}
        totals |= {"terms": sizes.sum(), "empty": len(sizes) - np.count_nonzero(sizes)}
        self._counters.merge({"bags": {name: int(number) for name, number in totals.items()}})
        origins = list(map(origin_of, *(column.tolist() for column in origin)))
        weights = (sums / SCALE).astype(np.float32)
        return Bags(urls, origins, terms, weights, bounds_of(sizes)).records()

    def _heaviest(self, found: UrlSums, low: int, high: int) -> Numbers:
        """The places of as many terms of a URL as a bag may have: of equal ones the smaller."""
        order = np.lexsort((found.terms[low:high], -found.sums[low:high]))
        return np.sort(low + order[: self._max_terms])

    def _link_sections(self, batch: _Batch) -> list[Sections]:
        """What the links to each URL carry."""
        opened = batch.opened
        within = np.zeros(len(batch.url), np.int64)
        if self._weigh_within:
            hosts = (host(url.decode()).encode() for url in batch.urls)
            own = np.array([batch.hosts.get(name, -1) for name in hosts], np.int64)
            citing = np.array([batch.hosts[name] for name in opened.host], np.int64)
            within = WITHIN_HOST * (own[batch.url] == citing[opened.parcel])
        url, parcel, within = (
            batch.url[opened.entry],
            opened.parcel[opened.entry],
            within[opened.entry],
        )
        title, text = opened.title[parcel], opened.text[parcel]
        windows = opened.low, opened.anchor, opened.anchor_end, opened.high
        return [
            Sections(url, *windows, ANCHOR + within),
            _section(url, opened.above, opened.above_end, HEADINGS + within),
            _section(url, title, np.minimum(text, title + MOST_ABOVE), CITING_TITLE + within),
            _section(url, opened.page_id[parcel], opened.end[parcel], CITING_PAGE + within),
        ]


def _read(pairs: list[Pair]) -> _Batch:
    """What the records of some ranges say, but for the sums of terms."""
    summed = []
    for key, value in pairs:
        if value[:1] == LINK_SUMS:
            rest, _, text = value[1:].partition(b" ")
            summed.append((host_part(key) + rest, LinkSums.from_bytes(text)))
    opened = open_parcels([pair for pair in pairs if pair[1][:1] != LINK_SUMS])
    urls = sorted({*opened.url, *(url for url, _ in summed)})
    number = dict(zip(urls, range(len(urls)), strict=True))
    url = np.array(list(map(number.__getitem__, opened.url)), np.int64)
    of_summed = np.array([number[url] for url, _ in summed], np.int64)
    links = np.bincount(url, opened.links, len(urls)).astype(np.int64)
    np.add.at(links, of_summed, [sums.links for _, sums in summed])
    cited = np.flatnonzero(opened.links)
    pages = np.bincount(url[cited], minlength=len(urls))
    np.add.at(pages, of_summed, [sums.pages for _, sums in summed])
    names = [*opened.host, *(name for _, sums in summed for name in sums.hosts)]
    hosts = {name: k for k, name in enumerate(sorted({*names}))}
    numbers = np.array([hosts[name] for name in names], np.int64)
    of_parcels, of_sums = np.split(numbers, [len(opened.host)])
    citing = np.concatenate([of_parcels[opened.parcel[cited]], of_sums])
    host_url = np.repeat(of_summed, [len(sums.hosts) for _, sums in summed])
    host_url = np.concatenate([url[cited], host_url])
    order = np.lexsort((citing, host_url))
    citing, host_url = citing[order], host_url[order]
    is_first = np.ones(len(citing), np.bool_)
    is_first[1:] = (citing[1:] != citing[:-1]) | (host_url[1:] != host_url[:-1])
    of_terms = [
        UrlSums(np.full(len(sums.terms), number[url], np.int64), sums.terms, sums.sums)
        for url, sums in summed
        if len(sums.terms)
    ]
    cited_by = host_url[is_first], citing[is_first]
    return _Batch(urls, opened, url, of_terms, links, pages, *cited_by, hosts)


def _own_pages(batch: _Batch) -> Numbers:
    """Of each URL that was read the entry with its own words. Of several pages the one at that URL
    comes first, then that with the smallest terms, of title and text, and the smallest title.
    """
    opened = batch.opened

    def order(entry: int) -> tuple[bytes, list[int], list[int], bytes]:
        at = opened.parcel[entry]
        title, text, end = opened.title[at], opened.text[at], opened.headings[at]
        # a title that goes on is less than one that ends there
        return (
            opened.flag[at][:1],
            [*opened.terms[title:text].tolist(), 1 << 32],
            opened.terms[text:end].tolist(),
            opened.flag[at],
        )

    entries: dict[int, int] = {}
    for entry in np.flatnonzero(opened.links == 0).tolist():
        url = int(batch.url[entry])
        known = entries.setdefault(url, entry)
        if known != entry and order(entry) < order(known):
            entries[url] = entry
    return np.array([*entries.values()], np.int64)


def _page_sections(batch: _Batch, entries: Numbers) -> list[Sections]:
    """What pages say of themselves."""
    opened, url = batch.opened, batch.url[entries]
    parcel = opened.parcel[entries]
    title, text, end = opened.title[parcel], opened.text[parcel], opened.headings[parcel]
    places = np.full(len(entries), TITLE), np.full(len(entries), CONTENT)
    return [_section(url, title, text, places[0]), _section(url, text, end, places[1])]


def _section(url: Numbers, low: Numbers, high: Numbers, place: Numbers) -> Sections:
    """Those of sections without distances that have any terms."""
    some = np.flatnonzero(high > low)
    low, high = low[some], high[some]
    return Sections(url[some], low, low, high, high, place[some])


def _sums(
    batch: _Batch, parts: list[Sections], weights: Sums, wanted: Numbers | None = None
) -> Iterator[tuple[int, int, UrlSums]]:
    """The sums of the terms of wanted URLs: for as many URLs at once as have so many terms."""
    sections = Sections(*map(np.concatenate, zip(*parts, strict=True)))
    chosen = np.argsort(sections.url, kind="stable")
    if wanted is not None:
        chosen = chosen[wanted[sections.url[chosen]] > 0]
    sections = Sections(*(column[chosen] for column in sections))
    bounds = np.searchsorted(sections.url, np.arange(len(batch.urls) + 1))
    terms = bounds_of(sections.high - sections.low)
    first = 0
    while first < len(batch.urls):
        low = int(bounds[first])
        last = int(np.searchsorted(terms[bounds], terms[low] + _SUMMED, "right")) - 1
        last = min(max(last, first + 1), first + _MOST_URLS)
        high = int(bounds[last])
        found: list[UrlSums] = []
        while not found or low < high:  # once, but for a URL of more terms
            to = min(
                max(low + 1, int(np.searchsorted(terms, terms[low] + _SUMMED, "right")) - 1), high
            )
            some = Sections(*(column[low:to] for column in sections))
            found.append(sum_sections(batch.opened.terms, some, weights))
            low = to
        found += [sums for sums in batch.summed if first <= sums.url[0] < last]
        yield first, last, found[0] if len(found) == 1 else add_up(found)
        first = last


class _SortedRuns:
    """Records on disk, in files that are each sorted."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="pagekin-range-")
        self._paths: list[Path] = []
        self._written = 0

    def add(self, records: Iterable[Pair]) -> None:
        """Write sorted records; many files become one."""
        self._paths.append(self._write(records))
        if len(self._paths) > _OPEN_FILES:
            paths, self._paths = self._paths, []
            self._paths.append(self._write(heapq.merge(*map(_lines, paths))))
            for path in paths:
                path.unlink()

    def merged(self, records: list[Pair]) -> Iterator[Pair]:
        """All records with some more, sorted; then the files are gone."""
        with self._folder:
            yield from heapq.merge(*map(_lines, self._paths), records)

    def _write(self, records: Iterable[Pair]) -> Path:
        path = Path(self._folder.name, str(self._written))
        self._written += 1
        with naming(path), path.open("wb", _BUFFER) as out:
            out.writelines(b"%b\t%b\n" % record for record in records)
        return path


def _lines(path: Path) -> Iterator[Pair]:
    with path.open("rb", _BUFFER) as lines:
        for line in lines:
            key, _, value = line[:-1].partition(b"\t")
            yield key, value
