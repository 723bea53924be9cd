"""Where a page of very many blocks is kept while it is merged: rows by partner, and texts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.errors import naming

__all__ = ["PARTS", "ROW", "Names", "Parts", "Rows"]

PARTS = 256
ROW = np.dtype([("partner", "<u8"), ("value", "<u8"), ("group", "<u4"), ("domains", "<u4")])
_PART_BITS = 8
_HELD = 400_000  # rows kept in memory, 10 MB: most pages merged here never need the disk

Rows = NDArray[Any]  # of ROW


class Parts:
    """Rows in parts by the first bits of the partner: on disk if there are many.

    No file stays open, as a process may have fewer open than there are parts.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._held: list[tuple[Rows, list[int]]] = []  # rows, and where their parts begin
        folder.mkdir()

    def write(self, rows: Rows) -> None:
        """Add rows, which are ordered by partner."""
        edges = np.arange(PARTS + 1, dtype=np.uint64)
        bounds = np.searchsorted(rows["partner"] >> np.uint64(64 - _PART_BITS), edges)
        self._held.append((rows, bounds.tolist()))
        if sum(len(rows) for rows, _ in self._held) > _HELD:
            for part in range(PARTS):
                self._append(part, self._held_of(part))
            self._held = []

    def _append(self, part: int, rows: list[Rows]) -> None:
        path = self._folder / str(part)
        with naming(path), path.open("ab") as file:
            file.writelines(some.tobytes() for some in rows)

    def _held_of(self, part: int) -> list[Rows]:
        return [rows[bounds[part] : bounds[part + 1]] for rows, bounds in self._held]

    def take(self, part: int) -> Rows:
        """The rows of a part, which are gone from the disk afterwards."""
        path = self._folder / str(part)
        found = self._held_of(part)
        if path.exists():
            found.insert(0, np.frombuffer(path.read_bytes(), dtype=ROW))
            path.unlink()
        return np.concatenate(found) if found else np.empty(0, ROW)


class Names:
    """Texts on disk by number; memory holds where each begins."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._bounds = np.zeros(1024, np.int64)
        self._count = 0

    def __enter__(self) -> Names:
        self._file = self._path.open("w+b")
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, text: bytes) -> None:
        """The text of the next number."""
        if self._count + 1 == len(self._bounds):
            self._bounds = np.append(self._bounds, np.zeros_like(self._bounds))
        with naming(self._path):
            self._file.write(text)
        self._count += 1
        self._bounds[self._count] = self._bounds[self._count - 1] + len(text)

    def get(self, number: int) -> bytes:
        """The text of a number."""
        low, high = self._bounds[number : number + 2].tolist()
        self._file.seek(low)
        return self._file.read(high - low)
