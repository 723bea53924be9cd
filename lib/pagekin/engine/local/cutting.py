"""Which task reads what, on this machine: files of lines are cut into shares of about equal length.

mrjob looks at each line when it deals input to tasks, and copies it. Here a file is cut at the ends
of lines that are looked for where a share is to end, and tasks read their shares where they lie.
Which lines a task gets is decided here, and the result of a job does not depend on it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from pagekin.kinds import Kind
from pagekin.storage.part_files import Piece, ascend, line_end, mapped, place_of

__all__ = ["LARGE", "LEAST", "map_shares", "tasks_for"]

LEAST = 1 << 20  # bytes of a share: a task takes some 10 ms for itself
LARGE = 16 << 20  # bytes of a share from which on two tasks for each core are worth it


def tasks_for(size: int, cores: int) -> int:
    """How many tasks so many bytes are worth: with much to do two for each core, because shares are
    never quite equal; with little to do one for each core, or fewer.
    """
    most = 2 * cores if cores > 1 and size >= 2 * cores * LARGE else cores
    return max(1, min(most, size // LEAST))


def map_shares(
    paths: Sequence[Path],
    cores: int,
    *,
    kinds: Collection[Kind] = (),
    lines_are_work: bool = False,
    keep_order: bool = False,
) -> list[list[Piece]]:
    """What each map task reads, the largest share first.

    Of sorted part files only records of these `kinds` are read. Where each line is much work, files
    are not joined, and cut where there are fewer than cores. With `keep_order` each share of sorted
    files is sorted too, as the output of a job without reducers is to be.
    """
    pieces = [piece for path in paths for piece in _pieces_of(path, kinds)]
    total = sum(map(_length, pieces))
    if lines_are_work:
        each = 1 if len(pieces) >= cores else 2 * cores
        shares = [share for piece in pieces for share in _cut([piece], each)]
    elif keep_order and not ascend(paths):
        due = max(1, total / tasks_for(total, cores))
        shares = [s for piece in pieces for s in _cut([piece], max(1, round(_length(piece) / due)))]
    else:
        shares = _cut(pieces, tasks_for(total, cores))
    shares.sort(key=lambda share: -sum(map(_length, share)))
    return shares or [[]]


def _length(piece: Piece) -> int:
    return piece.end - piece.start


def _pieces_of(path: Path, kinds: Collection[Kind]) -> list[Piece]:
    """The parts of a sorted file that hold records of these kinds; without kinds, all of it."""
    size = path.stat().st_size
    if not kinds:
        return [Piece(path, 0, size)] if size else []
    pieces: list[Piece] = []
    for least, behind in sorted(kind.key_range for kind in kinds):
        start = place_of(path, least)
        end = place_of(path, behind) if behind else size
        if pieces and pieces[-1].end == start:
            start = pieces.pop().start
        if start < end:
            pieces.append(Piece(path, start, end))
    return pieces


def _cut(pieces: Sequence[Piece], most: int) -> list[list[Piece]]:
    """The lines of pieces, in their order, in at most so many shares of about equal length."""
    due = sum(map(_length, pieces)) / most
    shares: list[list[Piece]] = []
    dealt = 0
    for path, first, end in pieces:
        start = first
        with mapped(path) as text:
            while start < end:
                if dealt >= due * len(shares):
                    shares.append([])
                room = max(1, round(due * len(shares)) - dealt)
                cut = end
                if end - start > room and len(shares) < most:
                    cut = min(end, line_end(text, start + room - 1))
                shares[-1].append(Piece(path, start, cut))
                dealt += cut - start
                start = cut
    return shares
