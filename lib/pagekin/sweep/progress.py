"""What a sweep says while it works: on a terminal a line that changes, else lines now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

from pagekin.progress import duration

__all__ = ["Progress"]

_EVERY = 0.5  # seconds between lines on a terminal
_QUIET = 5.0  # where they cannot be overwritten

T = TypeVar("T")


class Progress:
    """Prints to stderr, or nothing."""

    def __init__(self, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._tty = sys.stderr.isatty()
        self._began = self._next = time.monotonic()
        self._pages = self._bytes = 0

    def say(self, words: str) -> None:
        """A line that stays."""
        if not self._quiet:
            start = "\r\033[K" if self._tty else ""
            _write(f"{start}sweep: {words}\n")

    def reading(self, total: int) -> None:
        """Pages are read from now on, of files of so many bytes."""
        self._began, self._total, self._pages, self._bytes = time.monotonic(), total, 0, 0

    def read(self, pages: int, size: int) -> None:
        """So many more pages, and bytes of the files."""
        self._pages += pages
        self._bytes += size
        share = f", {self._bytes * 100 // self._total} %" if self._total else ""
        self._show(f"reading: {self._pages:,} pages{share}")

    def each(self, what: str, done: Iterable[T], total: int) -> Iterator[T]:
        """The same items; shows how many are done, and the time that the others may take."""
        began = time.monotonic()
        for count, item in enumerate(done, 1):
            yield item
            left = (time.monotonic() - began) / count * (total - count)
            self._show(f"{what}: {count} of {total}, {duration(left)} left")

    def _show(self, words: str) -> None:
        now = time.monotonic()
        if self._quiet or now < self._next:
            return
        self._next = now + (_EVERY if self._tty else _QUIET)
        start, end = ("\r\033[K", "") if self._tty else ("", "\n")
        _write(f"{start}sweep: {words}{end}")


def _write(words: str) -> None:
    sys.stderr.write(words)
    sys.stderr.flush()
