"""Records that do not fit into memory: dealt by key to files, and read back sorted, file by file.

Each of the 64 files is sorted by itself, so a 64th of the records is held at once. Keys of one file
stand together, in order, with their values in order, as a reducer gets them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import xxhash

from pagekin.kinds import Pair

__all__ = ["Spill", "read_spilled"]

_FILES = 64
_WAITING = 8 << 20  # bytes that wait for being written


class Spill:
    """Writes records; `finish` writes those that still wait."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._paths = [folder / f"records-{k:02d}" for k in range(_FILES)]
        self._lines: list[list[bytes]] = [[] for _ in range(_FILES)]
        self._size = 0

    def add(self, pairs: Iterable[Pair]) -> None:
        """Take records; neither keys nor values hold tabs or line ends."""
        for key, value in pairs:
            line = key + b"\t" + value
            self._lines[xxhash.xxh3_64_intdigest(key) % _FILES].append(line)
            self._size += len(line)
        if self._size > _WAITING:
            self.finish()

    def finish(self) -> None:
        """Write what waits."""
        for path, lines in zip(self._paths, self._lines, strict=True):
            if lines:
                with path.open("ab") as out:
                    out.write(b"\n".join(lines) + b"\n")
                lines.clear()
        self._size = 0


def read_spilled(folder: Path) -> Iterator[Pair]:
    """All records: each key once in a row, its values in order."""
    for path in sorted(folder.glob("records-*")):
        lines = path.read_bytes().split(b"\n")
        lines.pop()  # behind the last line end
        lines.sort()
        for line in lines:
            key, _, value = line.partition(b"\t")
            yield key, value
