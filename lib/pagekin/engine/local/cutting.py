"""What tasks read on this machine: files of lines are cut and sorted in large pieces.

mrjob looks at each line when it deals input to tasks, and writes each in two calls. Here a file is
cut at the ends of lines that are looked for where a piece is to end. Which lines a task gets is
decided here, and the result of a job does not depend on it.
"""

from __future__ import annotations

import math
import mmap
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from mrjob.sim import SimMRJobRunner

from pagekin.engine.job import PagekinJob
from pagekin.storage.part_files import (
    Piece,
    ascend,
    behind,
    copy_pieces,
    key_at,
    line_end,
    mapped,
    place_of,
)

__all__ = ["LARGE", "LEAST", "CutsInput", "cut_lines", "share_out"]

LEAST = 1 << 20  # bytes of a piece: a task takes some 10 ms for itself
LARGE = 16 << 20  # of less, tasks cost more than it helps that there are more of them
_NEAR = 1 / 8  # of a share
_COMPRESSED = {".gz", ".bz2"}  # left to mrjob


class CutsInput(SimMRJobRunner):  # type: ignore[misc]
    """The part of a runner that deals input to tasks."""

    lines_are_work = True  # has each line of the input of mappers much to do?
    reads_files = False  # is that input manifests of the snapshot?
    keeps_order = False  # are records in the order of their keys to stay so?
    passes_over = b""  # so begin keys of which mappers make nothing

    def deal_for(self, job: type[PagekinJob]) -> None:
        """Deal input as it suits this job."""
        self.reads_files = job.READS_FILES
        self.lines_are_work = job.READS_FILES or job.LINES_ARE_WORK
        self.keeps_order = not job.REDUCES
        self.passes_over = job.PASSES_OVER

    def _least(self) -> int:
        """Bytes that are worth a task."""
        return LEAST

    def _split_mapper_input(
        self, input_paths: Iterable[str], step_num: int
    ) -> list[dict[str, Any]]:
        paths = list(map(Path, input_paths))
        if any(path.suffix in _COMPRESSED for path in paths):
            return list(super()._split_mapper_input(map(str, paths), step_num))
        shares = self._lines(paths) if self.lines_are_work else self._shares_of(paths)
        shares.sort(key=_length, reverse=True)  # or the last task might be the longest
        for number, share in enumerate(shares):
            self._write_input("mapper", step_num, number, share)
        return [
            {"file": str(share[0].path), "start": share[0].start, "length": _length(share)}
            for share in shares
        ]

    def _lines(self, paths: Sequence[Path]) -> list[list[Piece]]:
        total = sum(path.stat().st_size for path in paths)
        size = max(total // (2 * self._num_cores()), 1)  # they are never quite equal
        if self.reads_files and len(paths) >= self._num_cores():
            size = sys.maxsize  # each task learns the words anew: no more of them than need be
        return [[Piece(path, *piece)] for path in paths for piece in cut_lines(path, size)]

    def _shares_of(self, paths: Sequence[Path]) -> list[list[Piece]]:
        unused = self.passes_over
        light = [place_of(path, behind(unused)) if unused else 0 for path in paths]
        total = sum(path.stat().st_size for path in paths) - sum(light)
        most = max(1, min(pieces_of(total, self._num_cores()), total // self._least()))
        files = list(zip(paths, light, strict=True))
        if not self.keeps_order or ascend(paths):
            return share_out(files, most)
        due = max(1, total / most)
        sizes = [path.stat().st_size - place for path, place in files]
        return [
            share
            for file, size in zip(files, sizes, strict=True)
            for share in share_out([file], max(1, round(size / due)))
        ]

    def _split_reducer_input(self, step_num: int) -> int:
        path = Path(self._sorted_reducer_input_path(step_num))
        total = path.stat().st_size
        size = max(total // pieces_of(total, self._num_cores()), self._least())
        pieces = list(cut_lines(path, size, by_key=True))
        for number, piece in enumerate(pieces):
            self._write_input("reducer", step_num, number, [Piece(path, *piece)])
        return len(pieces)

    def _write_input(
        self, task_type: str, step_num: int, task_num: int, pieces: Sequence[Piece]
    ) -> None:
        path = Path(self._task_input_path(task_type, step_num, task_num))
        path.parent.mkdir(parents=True, exist_ok=True)
        source, *others = pieces
        if not others and source.end - source.start == source.path.stat().st_size > 0:
            with suppress(OSError):  # there is none to other disks, or to files of others
                path.hardlink_to(source.path.resolve())  # nobody writes into either
                return
        copy_pieces(pieces, path)


def pieces_of(size: int, cores: int) -> int:
    """How many pieces of so many bytes are worth a task each: two for each core, because they are
    never quite equal, where there are several, and much to do.
    """
    return cores * (1 if cores == 1 or size < 2 * cores * LARGE else 2)


def _length(pieces: Sequence[Piece]) -> int:
    return sum(piece.end - piece.start for piece in pieces)


def share_out(files: Sequence[tuple[Path, int]], most: int) -> list[list[Piece]]:
    """The lines of all files in so many shares, or fewer, of about equal length.

    How much at the beginning of each file does not count is told. A share ends with a file, rather
    than near its end: a whole file needs no copy, where tasks are given one. Lines stay in their
    order: where files are sorted, and ascend, so are shares.
    """
    files = [(path, light) for path, light in files if path.stat().st_size] or list(files[:1])
    total = sum(path.stat().st_size - light for path, light in files)
    due = max(1, total / most)
    shares: list[list[Piece]] = [[]]
    dealt = 0
    for path, light in files:
        start = 0
        with mapped(path) as text:
            while start < len(text) or not shares[0]:
                place = max(start, light)
                rest, room = len(text) - place, due * len(shares) - dealt
                if room < due * _NEAR and len(shares) < most:
                    shares.append([])
                    continue
                end = len(text)
                if rest > room + due * _NEAR and len(shares) < most:
                    end = line_end(text, place + int(room))
                shares[-1].append(Piece(path, start, end))
                dealt += max(0, end - place)
                start = end
    return [share for share in shares if share]


def cut_lines(path: Path, size: int, *, by_key: bool = False) -> Iterator[tuple[int, int]]:
    """Where pieces of a file begin and end: whole lines, of about `size` bytes.

    They are of one length, but for a line, and that is nearer to `size` than with another number of
    them. `by_key`: the lines are sorted, and those of the same key stay together. An empty file is
    one piece.
    """
    with mapped(path) as text:
        if not text:
            yield 0, 0
        start = 0
        length = math.ceil(len(text) / max(1, round(len(text) / max(size, 1))))
        while start < len(text):
            end = line_end(text, min(start + length, len(text)) - 1)
            end = _key_end(text, end) if by_key else end
            yield start, end
            start = end


def _key_end(text: mmap.mmap | bytes, end: int) -> int:
    """Where the lines with the key of the line that ends at `end` end."""
    key = key_at(text, end - 1)

    def is_another(place: int) -> bool:
        return key_at(text, place) != key

    return bisect_left(range(len(text)), True, lo=end, key=is_another)
