"""The shuffle of the local runner: what a map task makes is sorted by the task, and each reduce
task reads its share of all of them, merged.

mrjob sorts the output of all map tasks in one go, cuts it and writes both down, and meanwhile the
other cores wait. Shares are whole keys, cut where samples of the sorted files say that they are
about equal.
"""

from __future__ import annotations

import mmap
import os
import subprocess
import sys
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise, repeat
from pathlib import Path
from typing import BinaryIO

from pagekin.memory import give_back_freed
from pagekin.storage.part_files import Piece, key_at, mapped

__all__ = ["SORT", "cut_keys", "merged_lines", "sort_lines", "write_sorted"]

SORT = ("sort", "-S", "64M")  # with more it is no faster, and takes as much as a file has
_SAMPLES = 64  # keys of each file that say where to cut
_SMALL = 4  # a share is no smaller than this part of its due
_HELD = 4 << 20  # bytes of all shares of a task at once
_BLOCK, _LEAST_BLOCK = 1 << 18, 1 << 14  # of each


# --- sorting ---


def write_sorted(lines: Iterable[bytes], most: int, out: BinaryIO) -> bool:
    """Write lines in their order, if they have no more than so many bytes; else as they come.

    Are they in order? That is the order without their ends, as programs sort.
    """
    rest = iter(lines)
    some: list[bytes] = []  # without their ends
    size = 0
    for line in rest:
        some.append(line[:-1])
        size += len(line)
        if size > most:
            break
    few = size <= most
    if few:
        some.sort()
    out.writelines(chain.from_iterable(zip(some, repeat(b"\n"))))
    some.clear()
    if not few:
        give_back_freed()  # or it would be held for the rest of the task
    out.writelines(rest)
    return few


def sort_lines(path: Path, program: Sequence[str], folder: Path) -> None:
    """Sort a file, by one thread of a program that puts what it cannot hold into a folder.

    Where there is none, or it fails, it is sorted in memory.
    """
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(folder), "OMP_NUM_THREADS": "1"}
    beside = path.with_name(f"{path.name}.sorted")
    try:
        subprocess.run([*program, "-o", beside, path], check=True, env=environment)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.stderr.write(f"{error}; lines are sorted in memory\n")
        lines = path.read_bytes().split(b"\n")[:-1]
        lines.sort()
        beside.write_bytes(b"".join(line + b"\n" for line in lines))
    beside.replace(path)


# --- cutting ---


def cut_keys(
    paths: Sequence[Path], most: int, worth: Iterable[tuple[bytes, float]] = ()
) -> list[list[Piece]]:
    """Cut sorted files into at most so many shares, about equal, none with a key of another.

    `worth` tells what a byte costs of records whose keys so begin, beside others. There is one
    share at least, and an empty piece is left out.
    """

    def weighed(key: bytes, size: float) -> tuple[bytes, float]:
        return key, size * next((w for start, w in worth if key.startswith(start)), 1.0)

    samples = (weighed(*sample) for path in paths for sample in _sampled(path))
    cuts = _cuts(sorted(samples), most)
    shares: list[list[Piece]] = [[] for _ in range(len(cuts) + 1)]
    for path in paths:
        with mapped(path) as text:
            starts = [_first_of(text, key) for key in cuts]
            for share, (start, end) in zip(shares, pairwise([0, *starts, len(text)]), strict=True):
                if start < end:
                    share.append(Piece(path, start, end))
    return [share for share in shares if share] or [[]]


def _cuts(samples: list[tuple[bytes, float]], most: int) -> list[bytes]:
    """The first key of each share but the first one.

    They are those nearest to where equal shares would begin: before or behind a heavy key.
    """
    starts: dict[bytes, float] = {}  # of each key: how much lies before it
    total = 0.0
    for key, size in samples:
        starts.setdefault(key, total)
        total += size
    keys, places = list(starts), list(starts.values())
    due = total / most
    cuts: list[bytes] = []
    last = 0.0
    for number in range(1, most if samples else 1):
        after = bisect_left(places, number * due)
        near = min(keys[after - 1 : after + 1], key=lambda k: abs(starts[k] - number * due))
        if min(starts[near] - last, total - starts[near]) >= due / _SMALL:
            cuts.append(near)
            last = starts[near]
    return cuts


def _sampled(path: Path) -> Iterator[tuple[bytes, float]]:
    """Keys from all over a file, with the tab: so they sort; and how many bytes each stands for."""
    with mapped(path) as text:
        count = min(_SAMPLES, len(text))
        for k in range(count):
            yield key_at(text, len(text) * k // count) + b"\t", len(text) / count


def _first_of(text: mmap.mmap | bytes, key: bytes) -> int:
    """Where the first line is that does not lie before those of this key."""

    def head(place: int) -> bytes:
        start = text.rfind(b"\n", 0, place) + 1
        return text[start : start + len(key)].partition(b"\n")[0]

    return bisect_left(range(len(text)), key, key=head)


# --- merging ---


def merged_lines(shares: Sequence[Piece]) -> Iterator[bytes]:
    """The lines of sorted pieces in their order, without their ends.

    Blocks of all pieces are joined and sorted as far as all of them are known: Python's sort merges
    what is sorted already, six times faster than a heap.
    """
    size = max(_LEAST_BLOCK, min(_BLOCK, _HELD // max(len(shares), 1)))
    blocks = [_blocks(share, size) for share in shares]
    held: list[list[bytes]] = [[] for _ in blocks]
    while True:
        for number, lines in enumerate(held):
            if not lines:
                held[number] = next(blocks[number], [])
        known = [lines[-1] for lines in held if lines]
        if not known:
            return
        least = min(known)
        ready: list[bytes] = []
        for number, lines in enumerate(held):
            place = bisect_right(lines, least)
            ready += lines[:place]
            held[number] = lines[place:]
        ready.sort()
        yield from ready


def _blocks(share: Piece, size: int) -> Iterator[list[bytes]]:
    """The lines of a piece, many at once. It is open while it is read alone: there may be many."""
    place, rest = share.start, b""
    while place < share.end:
        with share.path.open("rb", buffering=0) as file:
            file.seek(place)
            text = file.read(min(size, share.end - place))
        place += len(text)
        *lines, rest = (rest + text).split(b"\n")
        if lines:
            yield lines
        if not text or (rest and place == share.end):
            raise OSError(f"{share.path} has changed since it was sorted")
