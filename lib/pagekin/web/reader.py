"""All pages of a WARC file, with a count for every record that is none.

The counts of the group `records` are checked after each file: what was read is what was used and
what was left out, reason by reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import BinaryIO

from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.web.page import TEXT, Page, PageReader, View
from pagekin.web.resolution import Resolution
from pagekin.web.streams import open_source
from pagekin.web.warc import MAX_RECORD_BYTES, Damage, Record, read_records

__all__ = ["SnapshotReader", "capture_name", "read_file"]

_HEADERS = 64 << 10  # bytes of HTTP headers before the body

Report = Callable[[int, int], None]  # pages, bytes of the file


def capture_name(uri: str, record: Record) -> bytes:
    """How a capture is named between the inventory and the readers."""
    return f"{uri}:{record.place}".encode()


def read_file(
    uri: str,
    counters: Counters,
    limit: int,
    whole: Callable[[Record], bool] | None = None,
) -> Iterator[Record]:
    """The intact records of a file, `limit` bytes of each body, or more of those that are wanted
    whole; damage is counted, and so is a file that cannot be read."""

    usual = limit + _HEADERS

    def most(record: Record) -> int:
        return max(usual, MAX_RECORD_BYTES) if whole and whole(record) else usual

    try:
        with open_source(uri) as stream:
            yield from _intact(uri, stream, counters, most if whole else usual)
        counters.add("files", "read")
    except InputError as error:
        counters.add("files", "failed")
        counters.note(str(error))


def _intact(
    uri: str, stream: BinaryIO, counters: Counters, limit: int | Callable[[Record], int]
) -> Iterator[Record]:
    damaged = intact = 0
    for item in read_records(stream, limit):
        counters.add("records", "read")
        if isinstance(item, Damage):
            damaged += 1
            counters.add("records", f"damaged_{item.reason}")
        else:
            intact += 1
            yield item
    if damaged and not intact:
        raise InputError(f"{uri}: holds no WARC record; is it a WARC file?")


class SnapshotReader:
    """Pages of snapshot files under one configuration."""

    def __init__(
        self,
        config: ReadingConfig,
        counters: Counters,
        resolution: Resolution | None = None,
        view: View = TEXT,
    ) -> None:
        self._limit = config.max_page_bytes
        self._pages = PageReader(config, counters, view)
        self._counters = counters
        self._resolution = resolution

    def pages(self, uri: str, report: Report = lambda pages, size: None) -> Iterator[Page]:
        """The pages of one file."""
        add = self._counters.add
        for record in read_file(uri, self._counters, self._limit):
            page = self._read(uri, record)
            add("records", page if isinstance(page, str) else "used")
            report(int(not isinstance(page, str)), record.offset)
            if not isinstance(page, str):
                yield page
        self._check(uri)

    def _read(self, uri: str, record: Record) -> Page | str:
        if self._resolution and self._resolution.passes_over(capture_name(uri, record)):
            return "other_capture"
        return self._pages.read(record)

    def _check(self, uri: str) -> None:
        counts = dict(self._counters.as_dict().get("records", {}))
        read = counts.pop("read", 0)
        if read != sum(counts.values()):
            raise AssertionError(f"{uri}: of {read} records {sum(counts.values())} have a reason")
