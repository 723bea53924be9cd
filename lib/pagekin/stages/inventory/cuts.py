"""Where a large file can be cut, so that several tasks of the reading share it.

The inventory reads every file from its beginning, and so knows where records begin. It notes one
such place for each cell of a file, all cells of equal length: of a megabyte, or of twice as much as
often as is needed for at most 128 of them. Which they are follows from the file alone. Nothing is
ever guessed from what bytes look like: a page may itself be a WARC.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from pagekin.kinds import CUTS, Pair

if TYPE_CHECKING:
    from pagekin.web.warc import Record

__all__ = ["CELL", "CutFinder", "cuts_of", "parse_cuts"]

CELL = 1 << 20  # bytes: fewer are not worth a task
_MOST = 128  # places: parts of a file are equal to a hundredth


class CutFinder:
    """Finds the places of one file, whose records it sees in their order."""

    def __init__(self) -> None:
        self._cell = CELL
        self._places: dict[int, int] = {}  # by cell, the first in each

    def see(self, record: Record) -> None:
        """Note a record if it is the first in its cell at which a reader can begin."""
        cell = record.offset // self._cell
        if record.can_begin and cell and cell not in self._places:
            self._places[cell] = record.offset
            while len(self._places) > _MOST:
                self._cell *= 2
                self._places = self._first_in_cells()

    def _first_in_cells(self) -> dict[int, int]:
        ordered = sorted(self._places.values(), reverse=True)  # of a cell the first is set last
        cells = {place // self._cell: place for place in ordered}
        return {cell: place for cell, place in cells.items() if cell}

    def records(self, uri: str) -> Iterator[Pair]:
        """The record of the file; none of a small one."""
        if self._places:
            places = sorted(self._places.values())
            yield CUTS.prefix + uri.encode(), b" ".join(b"%d" % place for place in places)


def parse_cuts(value: bytes) -> list[int]:
    """
    >>> parse_cuts(b"1050000 2100000")
    [1050000, 2100000]
    """
    return [int(place) for place in value.split()]


def cuts_of(pairs: Iterator[Pair]) -> dict[str, list[int]]:
    """The places in each file, by its address, of sorted records of the inventory."""
    found: dict[str, list[int]] = {}
    for key, value in pairs:
        if CUTS.holds(key):
            found[key.removeprefix(CUTS.prefix).decode()] = parse_cuts(value)
        elif key > CUTS.prefix:
            break
    return found
