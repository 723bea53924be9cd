"""What the inventory of a snapshot found: URLs that stand for others, and captures to pass over.

A redirected URL (or, as an option, a page with rel=canonical) is an alias of its target, so that a
link to a page that moved counts for the page. Of several captures of one URL only the latest is
read; the others are passed over, so that nothing counts twice.

One array file, memory-mapped: 24 bytes an alias and its target's text. Chains are followed at
look-up. Where bags are wanted of captured URLs alone, their hashes are there as well, so that links
to others need not be sent.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from itertools import compress, islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.config import ReadingConfig
from pagekin.tables import ArrayFile, write_arrays

__all__ = ["Ends", "Resolution", "own_url", "write_aliases", "write_resolution"]

Keys = NDArray[np.uint64]

_KIND = "resolution"
_MOST_CAPTURED = 50_000_000  # URLs: 400 MB, which each task looks into
_MAX_HOPS = 10  # longer chains are loops or traps; browsers stop at 20


def write_resolution(
    path: Path,
    aliases: Iterable[tuple[bytes, bytes]],
    passed_over: Iterable[bytes],
    captured: Iterable[bytes] | None = None,
) -> None:
    """Store (alias, target) URLs and the names of captures that are passed over.

    Where the URLs that were captured are given, they are stored as well, unless they are too many,
    and with them all targets, for which an alias may have been captured.
    """
    hashes, offsets = array("Q"), array("Q", [0])
    targets = bytearray()
    kept = array("Q")
    for alias, target in aliases:
        hashes.append(xxhash.xxh3_64_intdigest(alias))
        if captured is not None:
            kept.append(xxhash.xxh3_64_intdigest(target))
        targets += target
        offsets.append(len(targets))
    skipped = array("Q", map(xxhash.xxh3_64_intdigest, passed_over))
    arrays = _alias_arrays(_as_keys(hashes), _as_keys(offsets), targets)
    arrays["passed_over"] = np.sort(_as_keys(skipped))
    if captured is not None:
        kept.extend(map(xxhash.xxh3_64_intdigest, islice(captured, _MOST_CAPTURED + 1)))
        if len(kept) <= _MOST_CAPTURED:
            arrays["captured"] = np.unique(_as_keys(kept))
    write_arrays(path, _KIND, {}, arrays)


def write_aliases(path: Path, sources: Sequence[Path]) -> None:
    """Store the aliases of several such files, and no captures; of equal ones the first counts."""
    files = [ArrayFile(source, _KIND) for source in sources]
    keys = np.concatenate([np.empty(0, np.uint64), *(file["aliases"] for file in files)])
    keys, first = np.unique(keys, return_index=True)
    texts = [
        bytes(file["targets"][low:high])
        for file in files
        for low, high in zip(file["starts"].tolist(), file["ends"].tolist(), strict=True)
    ]
    kept = [texts[k] for k in first.tolist()]
    bounds = np.cumsum([0, *map(len, kept)], dtype=np.uint64)
    arrays = _alias_arrays(keys, bounds, b"".join(kept))
    write_arrays(path, _KIND, {}, arrays | {"passed_over": np.empty(0, np.uint64)})


def _alias_arrays(keys: Keys, bounds: Keys, targets: bytes | bytearray) -> dict[str, NDArray[Any]]:
    """Aliases in the order of their hashes, and where the target of each is in the text of all."""
    order = np.argsort(keys, kind="stable")
    return {
        "aliases": keys[order],
        "starts": bounds[:-1][order],
        "ends": bounds[1:][order],
        "targets": np.frombuffer(targets, dtype=np.uint8),
    }


def _as_keys(numbers: array[int]) -> Keys:
    return np.frombuffer(numbers, dtype=np.uint64)


class Ends(NamedTuple):
    """Where some URLs lead."""

    moved: dict[str, str]  # those that stand for others, with what they stand for
    others: set[str]  # those that surely lead to no page of the snapshot


class Resolution:
    """Looks up what the inventory found."""

    def __init__(self, path: Path) -> None:
        file = ArrayFile(path, _KIND)
        self._aliases, self._starts, self._ends = file["aliases"], file["starts"], file["ends"]
        self._targets = file["targets"]
        self._passed_over = file["passed_over"]
        self._captured = file["captured"] if "captured" in file.dtypes else None

    def passes_over(self, capture: bytes) -> bool:
        """Is this capture not the one to read?"""
        return _find(self._passed_over, xxhash.xxh3_64_intdigest(capture)) >= 0

    @property
    def knows_captured(self) -> bool:
        """Is it known which URLs were captured?"""
        return self._captured is not None

    def resolve(self, urls: Sequence[str]) -> dict[str, str]:
        """The URLs among these that stand for others, with what they stand for."""
        return self._moved(urls, _keys(urls)) if len(self._aliases) else {}

    def look_up(self, urls: Sequence[str]) -> Ends:
        """The same, and which of them surely lead to no page of the snapshot."""
        if self._captured is None:
            return Ends(self.resolve(urls), set())
        keys = _keys(urls)
        moved = self._moved(urls, keys)
        others = set(compress(urls, (~_among(self._captured, keys)).tolist()))
        ends = list(moved.values())
        for url, known in zip(moved, _among(self._captured, _keys(ends)).tolist(), strict=True):
            (others.discard if known else others.add)(url)
        return Ends(moved, others)

    def _moved(self, urls: Sequence[str], keys: Keys) -> dict[str, str]:
        hits = compress(urls, _among(self._aliases, keys).tolist())
        return {url: self.end_of(url) for url in hits}

    def end_of(self, url: str) -> str:
        """The end of the chain that begins at `url`; the URL itself where the chain never ends."""
        end, hops = url, 0
        while (target := self._target(end)) is not None:
            end, hops = target, hops + 1
            if hops > _MAX_HOPS or end == url:
                return url
        return end

    def _target(self, url: str) -> str | None:
        k = _find(self._aliases, xxhash.xxh3_64_intdigest(url.encode()))
        if k < 0:
            return None
        return bytes(self._targets[int(self._starts[k]) : int(self._ends[k])]).decode()


def own_url(url: str, config: ReadingConfig, resolution: Resolution | None) -> str:
    """The URL that a page found at `url` stands for."""
    return resolution.end_of(url) if resolution and config.follow_canonical else url


def _keys(urls: Iterable[str]) -> Keys:
    return np.array([xxhash.xxh3_64_intdigest(url.encode()) for url in urls], dtype=np.uint64)


def _among(ordered: Keys, keys: Keys) -> NDArray[np.bool_]:
    """Which of the keys are among these?"""
    if not len(ordered):
        return np.zeros(len(keys), dtype=np.bool_)
    at = np.minimum(np.searchsorted(ordered, keys), len(ordered) - 1)
    among: NDArray[np.bool_] = ordered[at] == keys
    return among


def _find(ordered: NDArray[np.uint64], key: int) -> int:
    """Where `key` stands, or -1."""
    at = int(np.searchsorted(ordered, np.uint64(key)))
    return at if at < len(ordered) and int(ordered[at]) == key else -1
