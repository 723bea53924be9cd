"""Manifests: small files that say which WARC files, or parts of them, each map task reads.

Large files are cut where the inventory found that a reader can begin, so that tasks get equal
shares however few the files are. Files without such a place are dealt whole.
"""

from __future__ import annotations

import heapq
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise
from pathlib import Path

from pagekin.web.sources import Source

__all__ = ["total_size", "write_manifests"]

_BYTES_PER_TASK = 256 << 20  # of compressed input: a task of a few minutes
_MAX_MANIFESTS = 100_000

Cuts = Mapping[str, Sequence[int]]  # by address, where a file can be cut


def total_size(snapshot: Sequence[Source]) -> int:
    """Bytes of all files whose size is known."""
    return sum(max(source.size, 0) for source in snapshot)


def write_manifests(
    folder: Path, snapshot: Sequence[Source], width: int, cuts: Cuts | None = None
) -> list[Path]:
    """Write one for each map task, of about equal bytes."""
    folder.mkdir()
    shares = _deal(snapshot, width, cuts or {})
    paths = [folder / f"manifest-{k:05d}" for k in range(len(shares))]
    for path, share in zip(paths, shares, strict=True):
        path.write_text("".join(f"{line}\n" for line in sorted(share)), encoding="utf-8")
    return paths


def _deal(snapshot: Sequence[Source], width: int, cuts: Cuts) -> list[list[str]]:
    """The lines of each manifest."""
    sized = [source._replace(size=_size(source, cuts)) for source in snapshot]
    row = sorted(s for s in sized if _can_be_cut(s, cuts))
    whole = [source for source in sized if not _can_be_cut(source, cuts)]
    total = total_size(sized)
    unknown = sum(source.size < 0 for source in sized)  # as in lists: a task for each
    count = max(width, total // _BYTES_PER_TASK + unknown)
    pieces = len(snapshot) + sum(len(cuts[source.uri]) for source in row)
    count = min(count, pieces, _MAX_MANIFESTS)
    loads, shares = _deal_whole(whole, count)
    rooms = [max(0.0, total / count - load) for load in loads]
    _deal_row(row, rooms, cuts, shares)
    return [share for share in shares if share]


def _size(source: Source, cuts: Cuts) -> int:
    """Where nobody knows, a file that was cut goes on as long as its parts are behind the last."""
    if source.size >= 0 or source.uri not in cuts:
        return source.size
    places = cuts[source.uri]
    return places[-1] + places[-1] // len(places)


def _can_be_cut(source: Source, cuts: Cuts) -> bool:
    return cuts.get(source.uri, (source.size,))[-1] < source.size


def _deal_whole(files: Sequence[Source], count: int) -> tuple[list[int], list[list[str]]]:
    """Files that cannot be cut: each, the largest first, goes to the share that has least."""
    loads = [0] * count
    shares: list[list[str]] = [[] for _ in range(count)]
    heap = [(0, number) for number in range(count)]
    for source in sorted(files, key=lambda s: (-s.size, s.uri)):
        load, number = heap[0]
        shares[number].append(source.uri)
        loads[number] = load + max(source.size, 1)
        heapq.heapreplace(heap, (loads[number], number))
    return loads, shares


def _deal_row(
    files: Sequence[Source], rooms: Sequence[float], cuts: Cuts, shares: list[list[str]]
) -> None:
    """The others: they stand one behind the other, and the row is cut near where shares are full.

    So there are fewer cuts than shares.
    """
    starts = list(accumulate((source.size for source in files), initial=0))
    places = [
        start + place
        for start, source in zip(starts, files, strict=False)
        for place in (0, *cuts[source.uri])
    ]
    places.append(starts[-1])
    scale = starts[-1] / max(sum(rooms), 1)
    ends = [_nearest(places, end * scale) for end in accumulate(rooms)]  # of each share's part
    for (start, behind), source in zip(pairwise(starts), files, strict=True):
        inside = ends[bisect_right(ends, start) : bisect_left(ends, behind)]
        for low, high in pairwise([start, *dict.fromkeys(inside), behind]):
            span = f"{low - start}-{high - start if high < behind else ''}"
            line = source.uri if span == "0-" else f"{source.uri}\t{span}"
            shares[bisect_right(ends, low)].append(line)


def _nearest(places: Sequence[int], wanted: float) -> int:
    """That of the ascending places which is nearest."""
    at = bisect_left(places, wanted)
    return min(places[max(at - 1, 0) : at + 1], key=lambda place: abs(place - wanted))
