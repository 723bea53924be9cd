"""Totals that grow piece by piece: sums of weights by term, and the hosts that cite.

Both are exact and do not depend on the pieces. What is new waits until it is as much as the whole,
so that adding a piece to a large total costs no more than to a small one, on the average.
"""

from __future__ import annotations

import numpy as np

from pagekin.stages.fragments.term_positions import Sums, add_sums
from pagekin.text.words import Terms

__all__ = ["ENTRY_BYTES", "HostSet", "TermSums"]

ENTRY_BYTES = 12  # of a term with its sum
_FEW = 1 << 14  # terms or hosts that wait: 200 KB
_ID_BYTES = 8  # of a host


class TermSums:
    """Sums of whole numbers by term."""

    def __init__(self) -> None:
        self._parts = [(np.empty(0, np.uint32), np.empty(0, np.int64))]
        self._waiting = 0  # terms of all parts but the first

    def __len__(self) -> int:
        """Entries that are held; a term may have several."""
        return len(self._parts[0][0]) + self._waiting

    def add(self, terms: Terms, sums: Sums) -> None:
        """Add a piece."""
        self._parts.append((terms, sums))
        self._waiting += len(terms)
        if self._waiting > max(_FEW, len(self._parts[0][0])):
            self.total()

    def total(self) -> tuple[Terms, Sums]:
        """All terms, ascending, with their sums."""
        if len(self._parts) > 1:
            terms, sums = map(np.concatenate, zip(*self._parts, strict=True))
            self._parts = [add_sums(terms, sums)]
            self._waiting = 0
        return self._parts[0]


class HostSet:
    """Hosts by their ids of 8 characters."""

    def __init__(self) -> None:
        self._ids = bytearray()
        self._most = _FEW * _ID_BYTES

    def add(self, ids: bytes) -> None:
        """Add hosts, known or not."""
        self._ids += ids
        if len(self._ids) > self._most:
            self._most = max(_FEW * _ID_BYTES, 2 * len(self.ids()))

    def ids(self) -> bytes:
        """The id of each host, once."""
        distinct = np.unique(np.frombuffer(self._ids, dtype="<u8"))
        self._ids = bytearray(distinct.tobytes())
        return distinct.tobytes()

    def count(self) -> int:
        """How many different ones there are."""
        return len(self.ids()) // _ID_BYTES
