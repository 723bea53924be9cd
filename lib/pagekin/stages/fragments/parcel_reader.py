"""Parcels opened in a reducer: the records of each URL, in their order, in bounded memory.

Parcels come sorted by range, and ranges are ordered as their URLs are: so what is opened is told
range by range. Of a range that is too large to be held its records are written down in sorted
parts, and merged; so is a host of millions of pages that no sample has told of.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory

from pagekin.errors import naming
from pagekin.kinds import Pair
from pagekin.stages.fragments.packing import Packing
from pagekin.stages.fragments.parcels import unpack

__all__ = ["Opener", "opened"]

_AT_ONCE = 64 << 10  # bytes of parcels; of records five to twenty times as many, or 300 times
_ENOUGH = 2 << 20  # bytes of records that are open at once
_HELD = 8 << 20  # of one range
_OPEN_PARTS = 16  # files; of each a record is held, which has 600 KB at the most
_BUFFER = 64 << 10


class Opener:
    """Opens parcels that are packed as a file says."""

    def __init__(self, packing: str | None) -> None:
        self._packing = Packing.read(packing)

    def open(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        """The records of sorted parcels."""
        return opened(pairs, self._packing)


def opened(pairs: Iterable[Pair], packing: Packing) -> Iterator[Pair]:
    """The records of sorted parcels, by URL and then by value."""
    last, records = b"", _Range()
    for some in _chunks(pairs):
        start = 0
        while start < len(some):
            ranges, start = unpack(some, start, packing, _ENOUGH)
            for key, opened_, size in ranges:
                if key != last:
                    yield from records.take()
                    last = key
                records.add(opened_, size)
    yield from records.take()


def _chunks(pairs: Iterable[Pair]) -> Iterator[list[Pair]]:
    chunk: list[Pair] = []
    size = 0
    for pair in pairs:
        chunk.append(pair)
        size += len(pair[1])
        if size > _AT_ONCE:
            yield chunk
            chunk, size = [], 0
    yield chunk


class _Range:
    """The records of the range that is being opened."""

    def __init__(self) -> None:
        self._held: list[list[Pair]] = []  # each sorted
        self._size = 0
        self._parts: _Parts | None = None

    def add(self, records: list[Pair], size: int) -> None:
        """Take more of them, sorted, and so many bytes."""
        self._held.append(records)
        self._size += size
        if self._size > _HELD:
            self._parts = self._parts or _Parts()
            self._parts.write(self._sorted())
            self._held, self._size = [], 0

    def take(self) -> Iterable[Pair]:
        """All in their order; behind that there are none."""
        records, parts = self._sorted(), self._parts
        self._held, self._size, self._parts = [], 0, None
        return parts.merged(records) if parts else records

    def _sorted(self) -> list[Pair]:
        if len(self._held) == 1:
            return self._held[0]
        return sorted(chain.from_iterable(self._held))


class _Parts:
    """Sorted records of one range, on disk."""

    def __init__(self) -> None:
        self._folder = TemporaryDirectory(prefix="pagekin-range-")
        self._levels: list[list[Path]] = [[]]  # parts of parts of parts, the smallest first
        self._written = 0

    def write(self, records: Iterable[Pair]) -> None:
        """A part more; so many of one level become one of the next."""
        self._levels[0].append(self._put(records))
        level = 0
        while len(self._levels[level]) == _OPEN_PARTS:
            parts, self._levels[level] = self._levels[level], []
            if level + 1 == len(self._levels):
                self._levels.append([])
            level += 1
            self._levels[level].append(self._joined(parts))

    def merged(self, last: list[Pair]) -> Iterator[Pair]:
        """All parts, and what was not written; then they are gone."""
        with self._folder:
            parts = list(chain.from_iterable(self._levels))
            while len(parts) > _OPEN_PARTS:
                parts = [*parts[_OPEN_PARTS:], self._joined(parts[:_OPEN_PARTS])]
            yield from heapq.merge(*map(_read, parts), last)

    def _joined(self, parts: list[Path]) -> Path:
        joined = self._put(heapq.merge(*map(_read, parts)))
        for path in parts:
            path.unlink()
        return joined

    def _put(self, records: Iterable[Pair]) -> Path:
        path = Path(self._folder.name, str(self._written))
        self._written += 1
        with naming(path), path.open("wb", _BUFFER) as out:
            out.writelines(b"%b\t%b\n" % record for record in records)
        return path


def _read(path: Path) -> Iterator[Pair]:
    with path.open("rb", _BUFFER) as lines:
        for line in lines:
            key, _, value = line[:-1].partition(b"\t")
            yield key, value
