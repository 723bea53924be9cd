"""URLs of documents of a shard as a sequence: looked up as they are asked for, never all held."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from pagekin.index.shard import Shard

__all__ = ["Urls"]


class Urls(Sequence[str]):
    """The URLs of these documents: a range of them, or an array."""

    def __init__(self, shard: Shard, documents: range | NDArray[np.int64]) -> None:
        self._shard, self._documents = shard, documents

    def __len__(self) -> int:
        return len(self._documents)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Urls: ...
    def __getitem__(self, at: int | slice) -> str | Urls:
        if isinstance(at, int):
            return self._shard.spelt(int(self._documents[at]))
        return Urls(self._shard, self._documents[at])
