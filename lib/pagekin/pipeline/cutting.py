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
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mrjob.sim import SimMRJobRunner

from pagekin.pipeline.job import PagekinJob
from pagekin.pipeline.records import copy_piece

__all__ = ["LEAST", "CutsInput", "cut_lines", "key_at"]

LEAST = 1 << 20  # bytes of a piece: a task takes some 10 ms for itself
_COMPRESSED = {".gz", ".bz2"}  # left to mrjob


class CutsInput(SimMRJobRunner):  # type: ignore[misc]
    """The part of a runner that deals input to tasks."""

    reads_files = False  # is the input of the job's mappers manifests of the snapshot?
    least = 1  # bytes of a piece of it

    def deal_for(self, job: type[PagekinJob]) -> None:
        """Deal input as it suits this job."""
        self.reads_files = job.READS_FILES
        self.least = 1 if job.READS_FILES or job.LINES_ARE_WORK else LEAST

    def _split_mapper_input(
        self, input_paths: Iterable[str], step_num: int
    ) -> list[dict[str, Any]]:
        paths = list(map(Path, input_paths))
        if any(path.suffix in _COMPRESSED for path in paths):
            return list(super()._split_mapper_input(map(str, paths), step_num))
        size = max(self._pick_mapper_split_size(list(map(str, paths)), step_num), self.least)
        if self.reads_files and len(paths) >= self._num_cores():
            size = sys.maxsize  # each task learns the words anew: no more of them than need be
        pieces = [(path, start, end) for path in paths for start, end in cut_lines(path, size)]
        pieces.sort(key=_length, reverse=True)  # or the last task might be the longest
        for number, piece in enumerate(pieces):
            self._write_input("mapper", step_num, number, *piece)
        return [
            {"file": str(path), "start": start, "length": end - start}
            for path, start, end in pieces
        ]

    def _split_reducer_input(self, step_num: int) -> int:
        path = Path(self._sorted_reducer_input_path(step_num))
        size = max(path.stat().st_size // (self._num_reducers(step_num) * 2), LEAST)
        pieces = list(cut_lines(path, size, by_key=True))
        for number, (start, end) in enumerate(pieces):
            self._write_input("reducer", step_num, number, path, start, end)
        return len(pieces)

    def _write_input(  # noqa: PLR0917 - a task, and a piece of a file
        self, task_type: str, step_num: int, task_num: int, source: Path, start: int, end: int
    ) -> None:
        path = Path(self._task_input_path(task_type, step_num, task_num))
        path.parent.mkdir(parents=True, exist_ok=True)
        if end - start == source.stat().st_size > 0:
            with suppress(OSError):  # there is none to other disks, or to files of others
                path.hardlink_to(source.resolve())  # nobody writes into either
                return
        copy_piece(source, start, end, path)


def _length(piece: tuple[Path, int, int]) -> int:
    _, start, end = piece
    return end - start


def cut_lines(path: Path, size: int, *, by_key: bool = False) -> Iterator[tuple[int, int]]:
    """Where pieces of a file begin and end: whole lines, of about `size` bytes.

    They are of one length, but for a line, and that is nearer to `size` than with another number of
    them. `by_key`: the lines are sorted, and those of the same key stay together. An empty file is
    one piece.
    """
    if not path.stat().st_size:
        yield 0, 0
        return
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text:
        start = 0
        length = math.ceil(len(text) / max(1, round(len(text) / max(size, 1))))
        while start < len(text):
            end = _line_end(text, min(start + length, len(text)) - 1)
            end = _key_end(text, end) if by_key else end
            yield start, end
            start = end


def _line_end(text: mmap.mmap | bytes, place: int) -> int:
    return text.find(b"\n", place) + 1 or len(text)


def _key_end(text: mmap.mmap, end: int) -> int:
    """Where the lines with the key of the line that ends at `end` end."""
    key = key_at(text, end - 1)

    def is_another(place: int) -> bool:
        return key_at(text, place) != key

    return bisect_left(range(len(text)), True, lo=end, key=is_another)


def key_at(text: mmap.mmap | bytes, place: int) -> bytes:
    """The key of the line that this place lies in."""
    start = text.rfind(b"\n", 0, place) + 1
    line = text[start : _line_end(text, place)]
    return line.partition(b"\t")[0].rstrip(b"\n")
