"""H by columns while it is gathered by rows: a shard's signatures, kept where memory is short.

H comes in blocks of documents and is inverted position by position. Few documents wait in memory.
Of more, blocks lie on disk turned on their sides, and a position is read from all of them: memory
is that of one position, 4 bytes a document, and not of all.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Columns"]

_HELD = 2 << 20  # bytes in memory, and three times as many while they are written

Numbers = NDArray[np.uint32]


class Columns:
    """The columns of a table that grows by rows of `count` numbers; to be used in a `with`."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._held: list[Numbers] = []
        self._size = 0  # bytes of what is held
        self._spilled: list[int] = []  # rows of each block on disk

    def __enter__(self) -> Self:
        self._file = tempfile.TemporaryFile()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def add(self, rows: Numbers) -> None:
        """More rows."""
        self._held.append(rows)
        self._size += rows.nbytes
        if self._size > _HELD:
            block = np.concatenate(self._held)
            self._file.write(np.ascontiguousarray(block.T).tobytes())
            self._spilled.append(len(block))
            self._held, self._size = [], 0

    def __iter__(self) -> Iterator[Numbers]:
        """Each column, once all rows are there."""
        self._file.flush()
        for position in range(self._count):
            blocks = [rows[:, position] for rows in self._held]
            yield np.concatenate([np.empty(0, np.uint32), *self._read(position), *blocks])

    def _read(self, position: int) -> Iterator[Numbers]:
        """What the blocks on disk hold of a column."""
        start = 0
        for rows in self._spilled:
            data = os.pread(self._file.fileno(), 4 * rows, start + 4 * rows * position)
            yield np.frombuffer(data, np.uint32)
            start += 4 * rows * self._count
