"""A first look at a WARC file: which pages were captured when, and what was redirected where.

Only headers are read, at a tenth of the price of reading the pages, unless canonical URLs are
wanted, which stand in the pages. So a capture that proves to be no page later (binary, no markup)
may hide an earlier one; an empty body is seen here, and is no capture. Pages of a sample are read
on the way, for those who want to know what the snapshot is like.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.inventory.captures import capture_value, key_of, other_value, redirect_value
from pagekin.stages.inventory.cuts import CutFinder
from pagekin.stages.inventory.sample import Sampler
from pagekin.stages.inventory.stop_lists import LONGEST, StopWordSampler
from pagekin.web.http import HttpResponse
from pagekin.web.page import (
    NOTHING,
    Page,
    PageReader,
    capture_name,
    is_blank,
    is_html,
    open_response,
    read_file,
    status_reason,
)
from pagekin.web.urls import Resolver
from pagekin.web.warc import Record

__all__ = ["Surveyor"]

Report = Callable[[int, int], None]

_HEADERS_ONLY = 1 << 10  # bytes of a body: to see whether it is HTML when no type is given


class Surveyor:
    """Looks through snapshot files under one configuration."""

    def __init__(
        self,
        config: BuildConfig,
        counters: Counters,
        *,
        captures: bool = True,
        sample: Sampler | None = None,
        stop_words: StopWordSampler | None = None,
        heads: int = 0,
    ) -> None:
        """`heads` are the bytes of each file that are read for a sample alone; 0: all."""
        reading = config.reading
        self._captures, self._sample, self._heads = captures, sample, heads
        self._stop_words = stop_words
        self._join = reading.join_spellings
        # answers that seem to be no page: reading may tell better
        self._tell_others = config.bag.asks_what_was_read
        self._canonical = captures and reading.follow_canonical
        self._limit = LONGEST if stop_words else _HEADERS_ONLY
        if self._canonical:
            self._limit = max(self._limit, reading.max_page_bytes)
        self._counters = counters
        view = sample.view if sample else NOTHING
        self._pages = PageReader(reading, Counters(), view)  # what it counts is counted by readers

    def survey(self, uri: str, report: Report) -> Iterator[Pair]:
        """(key of its URL, capture or redirect) of each record that is one, what is said of the
        sample, and where the file can be cut.
        """
        if not self._captures and not self._stop_words:
            yield from self._of_head(uri)
            return
        whole = self._is_wanted if self._sample else None
        cuts, failed = CutFinder(), self._counters.get("files", "failed")
        for record in read_file(uri, self._counters, self._limit, whole):
            cuts.see(record)
            opened = open_response(record)
            report(int(not isinstance(opened, str)), record.offset)
            if isinstance(opened, str) or self._pages.excludes(opened[0]):
                continue
            if self._captures:
                yield from self._look(capture_name(uri, record), record, *opened)
            elif self._is_wanted(record):
                yield from self._told(self._read(record))
            if self._stop_words and not status_reason(opened[1]):
                self._stop_words.look(record, opened[1])
        # where it failed it is read whole, and may fail
        if self._captures and self._counters.get("files", "failed") == failed:
            yield from cuts.records(uri)

    def _of_head(self, uri: str) -> Iterator[Pair]:
        found = read_file(uri, Counters(), self._limit, self._is_wanted)
        for record in takewhile(lambda r: not self._heads or r.offset < self._heads, found):
            if self._is_wanted(record) and not isinstance(open_response(record), str):
                yield from self._told(self._read(record))

    def _look(
        self, name: bytes, record: Record, url: str, response: HttpResponse
    ) -> Iterator[Pair]:
        key = key_of(url, join=self._join)
        reason = status_reason(response)
        if reason == "redirect":
            target = Resolver(record.url)(response.headers["location"])
            if target is None:
                self._counters.add("inventory", "redirects_to_no_web_address")
            elif target == url:
                self._counters.add("inventory", "redirects_to_itself")
            else:
                self._counters.add("inventory", "redirects")
                yield key, redirect_value(record.date, url, target)
        elif not reason and is_html(response) and not is_blank(response):
            self._counters.add("inventory", "captures")
            wanted = self._is_wanted(record)
            page = self._read(record) if self._canonical or wanted else None
            target = page.canonical if page and self._canonical else None
            yield key, capture_value(record.date, url, name, target)
            yield from self._told(page if wanted else None)
        elif not reason and self._tell_others:
            yield key, other_value(url)

    def _told(self, page: Page | None) -> Iterator[Pair]:
        """What is said of a page of the sample."""
        if page and self._sample:
            self._counters.add("inventory", "pages_sampled")
            yield self._sample.record(page)

    def _is_wanted(self, record: Record) -> bool:
        return self._sample is not None and self._sample.wants(record)

    def _read(self, record: Record) -> Page | None:
        page = self._pages.read(record)
        return page if isinstance(page, Page) else None
