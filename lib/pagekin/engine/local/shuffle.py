"""The shuffle of this machine: what a map task makes is sorted by the task, and each reduce task
reads its share of all of them, merged.

Shares are whole keys, cut where samples of the sorted files say that they are about equal.
"""

from __future__ import annotations

import errno
import mmap
import os
import signal
import subprocess
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import IO, BinaryIO, cast

from pagekin.errors import NO_ROOM
from pagekin.storage.part_files import Piece, key_at, mapped

__all__ = ["BUFFER", "SORT", "cut_keys", "merged_lines", "sorting"]

SORT = ("sort", "-S", "64M")  # with more it is no faster, and takes as much as a file has
BUFFER = 1 << 17  # bytes: with the usual 8 KB writing lines takes nearly twice the CPU
_SAMPLES = 64  # keys of each file that say where to cut
_SMALL = 4  # a share is no smaller than this part of its due
_HELD = 4 << 20  # bytes of all pieces at once
_BLOCK, _LEAST_BLOCK = 1 << 18, 1 << 14  # of each
_AT_ONCE = 64  # sources that are merged together; of more, groups are merged first


# --- sorting ---


@contextmanager
def sorting(path: Path, program: Sequence[str], scratch: Path) -> Iterator[BinaryIO]:
    """To write lines to, which stand sorted by their bytes in a file at the end.

    A program sorts them, in one thread, and puts what it cannot hold into the folder `scratch`.
    """
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": str(scratch), "OMP_NUM_THREADS": "1"}
    words = [*program, "-o", str(path)]
    pipe = subprocess.PIPE
    process = subprocess.Popen(words, stdin=pipe, stderr=pipe, bufsize=BUFFER, env=environment)
    with process, cast(IO[bytes], process.stderr) as err:
        try:
            with cast(IO[bytes], process.stdin) as out:
                yield cast(BinaryIO, out)
        except BrokenPipeError:  # it ended before it had read everything
            if not process.wait():
                raise
        said = err.read().decode("utf-8", "replace").strip()
    if process.returncode:
        if process.returncode == -signal.SIGXFSZ:  # how a limit of the length of files ends it
            said = os.strerror(errno.EFBIG)
        full = next((code for code in NO_ROOM if os.strerror(code) in said), None)
        reason = f"{words[0]} ended with code {process.returncode}: {said}"
        raise OSError(full, reason) if full else OSError(reason)


# --- cutting ---


def cut_keys(paths: Sequence[Path], most: int) -> list[list[Piece]]:
    """Cut sorted files into at most so many shares, about equal, none with a key of another.

    There is one share at least, and an empty piece is left out.
    """
    samples = sorted(sample for path in paths for sample in _sampled(path))
    cuts = _cuts(samples, most)
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
    """The lines of sorted pieces in their order, without their ends."""
    size = max(_LEAST_BLOCK, min(_BLOCK, _HELD // max(len(shares), 1)))
    for lines in _merged([_blocks(share, size) for share in shares]):
        yield from lines


def _merged(sources: list[Iterator[list[bytes]]]) -> Iterator[list[bytes]]:
    """Blocks of sorted lines, from sources of such blocks.

    Blocks of all sources are joined and sorted as far as all of them are known: Python's sort
    merges what is sorted already, six times faster than a heap. A round looks at every source, so
    many sources are merged in groups: a line costs the same however many there are.
    """
    if len(sources) > _AT_ONCE:
        number = max(_AT_ONCE, -(-len(sources) // _AT_ONCE))  # in a group
        starts = range(0, len(sources), number)
        sources = [_merged(sources[start : start + number]) for start in starts]
    known: list[list[bytes]] = [[] for _ in sources]  # lines of each source
    used = [0] * len(sources)  # so many of them have been merged
    while True:
        for number, lines in enumerate(known):
            if used[number] == len(lines):
                known[number], used[number] = next(sources[number], []), 0
        ends = [lines[-1] for lines in known if lines]
        if not ends:
            return
        least = min(ends)
        ready: list[bytes] = []
        for number, lines in enumerate(known):
            start = used[number]
            used[number] = bisect_right(lines, least, lo=start)
            ready += lines[start : used[number]]
        ready.sort()
        yield ready


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
