"""Reading the part files of a finished stage: merged in order, or one key found by bisection.

Every part file of a stage on this machine is sorted by its key, because reducers write in the order
of their input and map-only stages keep it. So one URL is found with a few seeks in each file.
"""

from __future__ import annotations

import heapq
import mmap
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from operator import itemgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pagekin.kinds import STATISTICS, Pair
from pagekin.tables import allow_open

__all__ = [
    "Pair",
    "Piece",
    "ascend",
    "find",
    "key_at",
    "last_line",
    "last_line_of",
    "line_end",
    "lines_of",
    "mapped",
    "merged",
    "neighbours",
    "part_files",
    "place_of",
    "read_merged",
    "read_records",
    "records_from",
]


class Piece(NamedTuple):
    """A part of a file: whole lines."""

    path: Path
    start: int
    end: int


_BLOCK = 1 << 14  # bytes; the statistics of a task are shorter, if it noted nothing odd
_COPIED = 1 << 20  # bytes at once
_BUFFER = 1 << 17  # bytes: a piece of an index is a line of half a megabyte
_BUFFERS, _LEAST_BUFFER = 1 << 25, 1 << 13  # of all parts together, and of one
_OTHER_FILES = 64  # that a process has open besides part files: tables, logs, libraries


def part_files(folder: Path) -> list[Path]:
    """The part files of a stage, in order of their names."""
    return sorted(folder.glob("part-*"))


def read_records(path: Path) -> Iterator[Pair]:
    """The records of one part file, without the task's statistics."""
    with path.open("rb", _BUFFER) as lines:
        yield from _pairs(lines)


def read_merged(folder: Path) -> Iterator[Pair]:
    """The records of all part files in the order of their keys."""
    paths = part_files(folder)
    if ascend(paths):  # as those of this machine mostly do
        for path in paths:
            yield from read_records(path)
        return
    allow_open(len(paths) + _OTHER_FILES)
    with ExitStack() as stack:
        size = max(_LEAST_BUFFER, min(_BUFFER, _BUFFERS // max(len(paths), 1)))
        yield from merged(stack.enter_context(p.open("rb", size)) for p in paths)


def records_from(folder: Path, key: bytes) -> Iterator[Pair]:
    """The records of all part files whose keys are not below `key`, in the order of their keys."""
    with ExitStack() as stack:
        files = [stack.enter_context(path.open("rb")) for path in part_files(folder)]
        for file in files:
            _seek(file, key)
        yield from merged(files)


def merged(files: Iterable[BinaryIO]) -> Iterator[Pair]:
    """The records of open part files in the order of their keys."""
    return heapq.merge(*map(_pairs, files), key=itemgetter(0))


def _pairs(lines: BinaryIO) -> Iterator[Pair]:
    for line in lines:
        tab = line.find(b"\t")
        if tab < 0:
            yield line.rstrip(b"\n"), b""
        elif line[:tab] != STATISTICS:
            yield line[:tab], line[tab + 1 : -1 if line.endswith(b"\n") else None]


def last_line(path: Path) -> bytes:
    """The last line of a file, without its end; empty for an empty file."""

    def read_from(start: int) -> bytes:
        file.seek(start)
        return file.read()

    with path.open("rb") as file:
        return last_line_of(file.seek(0, os.SEEK_END), read_from)


def last_line_of(size: int, read_from: Callable[[int], bytes]) -> bytes:
    """The same of any file of so many bytes, which can be read from a byte on."""
    block = _BLOCK
    while True:
        start = max(0, size - block)
        _, before, line = read_from(start).removesuffix(b"\n").rpartition(b"\n")
        if before or not start:
            return line
        block *= 8


def find(folder: Path, key: bytes) -> bytes | None:
    """The value of a key; None if no part file has it."""
    for path in part_files(folder):
        with path.open("rb") as file:
            _seek(file, key)
            found, _, value = file.readline().rstrip(b"\n").partition(b"\t")
            if found == key:
                return value
    return None


def neighbours(folder: Path, key: bytes, count: int) -> list[bytes]:
    """Keys that follow `key` in the part files, the first `count` of each."""
    found: list[bytes] = []
    for path in part_files(folder):
        with path.open("rb") as file:
            _seek(file, key)
            lines = (file.readline().partition(b"\t")[0] for _ in range(count))
            found += [k for k in lines if k and not k.startswith(b"!")]
    return sorted(found)


@contextmanager
def mapped(path: Path) -> Iterator[mmap.mmap | bytes]:
    """The text of a file."""
    if not path.stat().st_size:
        yield b""
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        yield text


def ascend(paths: Sequence[Path]) -> bool:
    """Do the keys of each file lie behind those of the one before, as those of parts mostly do?"""
    last = b""
    for path in paths:
        with mapped(path) as text:
            behind_all = _last_key(text)
            if behind_all and key_at(text, 0) < last:
                return False
            last = behind_all or last
    return True


def _last_key(text: mmap.mmap | bytes) -> bytes:
    """That of the last record, before any statistics; none where there is no record."""
    end = len(text)
    while end:
        key = key_at(text, end - 1)
        if key != STATISTICS:
            return key
        end = text.rfind(b"\n", 0, end - 1) + 1
    return b""


def key_at(text: mmap.mmap | bytes, place: int) -> bytes:
    """The key of the line that this place lies in."""
    start = text.rfind(b"\n", 0, place) + 1
    line = text[start : line_end(text, place)]
    return line.partition(b"\t")[0].rstrip(b"\n")


def line_end(text: mmap.mmap | bytes, place: int) -> int:
    """Where the line ends that this place lies in, behind its last byte."""
    return text.find(b"\n", place) + 1 or len(text)


def lines_of(pieces: Iterable[Piece]) -> Iterator[bytes]:
    """The lines of pieces, one piece behind the other."""
    for path, start, end in pieces:
        left = end - start
        with path.open("rb", buffering=_COPIED) as file:
            file.seek(start)
            for line in file if left else ():
                yield line[:left]
                left -= len(line)
                if left <= 0:
                    break
        if left > 0:
            raise OSError(f"{path} has become shorter since the job began")


def place_of(path: Path, key: bytes) -> int:
    """Where the records of a part begin whose keys are not below `key`."""
    with path.open("rb") as file:
        _seek(file, key)
        return file.tell()


def _seek(file: BinaryIO, key: bytes) -> None:
    """Move to the first line whose key is not below `key`.

    The statistics of the task, the last line, have the least key of all and count as the greatest.
    """
    low, high = 0, file.seek(0, os.SEEK_END)
    while low < high:
        middle = (low + high) // 2
        file.seek(middle)
        if middle:
            file.seek(middle - 1)
            file.readline()  # to the start of the next line, or stay if this is one
        start = file.tell()
        line = file.readline()
        found = line.partition(b"\t")[0]
        if line and found != STATISTICS and found < key:
            low = start + len(line)
        else:
            high = middle
    file.seek(low)
