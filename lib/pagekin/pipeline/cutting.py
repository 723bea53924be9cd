"""What tasks read on this machine: files of lines are cut and sorted in large pieces.

mrjob looks at each line when it deals input to tasks, and writes each in two calls. Here a file is
cut at the ends of lines that are looked for where a piece is to end. Which lines a task gets is
decided here, and the result of a job does not depend on it.
"""

from __future__ import annotations

import mmap
import sys
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from mrjob.sim import SimMRJobRunner

__all__ = ["CutsInput", "cut_lines"]

_SLOP = 10  # what is left of a file is no piece of its own below this part of one
_COMPRESSED = {".gz", ".bz2"}  # left to mrjob


class CutsInput(SimMRJobRunner):  # type: ignore[misc]
    """The part of a runner that deals input to tasks."""

    reads_files = False  # is the input of the job's mappers manifests of the snapshot?

    def _split_mapper_input(
        self, input_paths: Iterable[str], step_num: int
    ) -> list[dict[str, Any]]:
        paths = list(map(Path, input_paths))
        if any(path.suffix in _COMPRESSED for path in paths):
            return list(super()._split_mapper_input(map(str, paths), step_num))
        size = self._pick_mapper_split_size(list(map(str, paths)), step_num)
        if self.reads_files and len(paths) >= self._num_cores():
            size = sys.maxsize  # each task learns the words anew: no more of them than need be
        splits: list[dict[str, Any]] = []
        for path in paths:
            for start, piece in cut_lines(path, size):
                self._write_input("mapper", step_num, len(splits), path, piece)
                splits.append({"file": str(path), "start": start, "length": len(piece)})
        return splits

    def _split_reducer_input(self, step_num: int) -> int:
        path = Path(self._sorted_reducer_input_path(step_num))
        size = path.stat().st_size // (self._num_reducers(step_num) * 2)
        number = 0
        for number, (_, piece) in enumerate(cut_lines(path, size, by_key=True), 1):
            self._write_input("reducer", step_num, number - 1, path, piece)
        return number

    def _write_input(
        self, task_type: str, step_num: int, task_num: int, source: Path, piece: memoryview
    ) -> None:
        path = Path(self._task_input_path(task_type, step_num, task_num))
        path.parent.mkdir(parents=True, exist_ok=True)
        if task_type == "reducer" and len(piece) == source.stat().st_size > 0:
            with suppress(OSError):  # some file systems have no links
                path.hardlink_to(source)  # all of it, and both lie in the job's own folder
                return
        path.write_bytes(piece)


def cut_lines(path: Path, size: int, *, by_key: bool = False) -> Iterator[tuple[int, memoryview]]:
    """Pieces of a file, and where each begins: whole lines, `size` bytes or a line more.

    The last one may be a tenth longer. `by_key`: the lines are sorted, and those of the same key
    stay together. An empty file is one piece. A piece is to be used before the next is asked for.
    """
    if not path.stat().st_size:
        yield 0, memoryview(b"")
        return
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text,
        memoryview(text) as view,
    ):
        start = 0
        while start < len(text):
            end = start + max(size, 1)
            end = _line_end(text, end - 1) if end + size // _SLOP < len(text) else len(text)
            end = _key_end(text, end) if by_key else end
            with view[start:end] as piece:
                yield start, piece
            start = end


def _line_end(text: mmap.mmap, place: int) -> int:
    return text.find(b"\n", place) + 1 or len(text)


def _key_end(text: mmap.mmap, end: int) -> int:
    """Where the lines with the key of the line that ends at `end` end."""
    key = _key(text, end - 1)

    def is_another(place: int) -> bool:
        return _key(text, place) != key

    return bisect_left(range(len(text)), True, lo=end, key=is_another)


def _key(text: mmap.mmap, place: int) -> bytes:
    """The key of the line that this place lies in."""
    start = text.rfind(b"\n", 0, place) + 1
    line = text[start : _line_end(text, place)]
    return line.partition(b"\t")[0].rstrip(b"\n")
