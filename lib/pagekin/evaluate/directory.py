"""A human directory as a tree of classes with pages [SIM 2.1], collapsed to a depth.

Depth is counted below the root, so /Top/A/B is a class of depth 2. What lies below the depth joins
its ancestor there, as in the paper. Pages above it are kept as a class of their own (`keep`) or
left out (`drop`, the paper's way). A page may be in several classes.

Only a 64-bit hash of each canonical URL and the numbers of its classes are held, 12 bytes a row:
dumps have millions of rows, and a snapshot knows few of them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import xxhash
from numpy.typing import NDArray

from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.evaluate.readers import Entry, directory_files, read_entries
from pagekin.web.urls import canonical

__all__ = ["SHALLOW", "Directory", "DirectoryConfig", "key_of", "read_directory"]

SHALLOW = ("keep", "drop")
_ROOT = "Top"
_SOFT = "@"
_NONE = -1

ClassPath = tuple[str, ...]


@dataclass(frozen=True)
class DirectoryConfig:
    """How a directory is read."""

    depth: int = 3  # the paper's
    shallow: str = "keep"  # or drop: pages above the depth
    form: str = "auto"  # or one of FORMATS


@dataclass(frozen=True)
class Directory:
    """Which page is in which classes: page k in members[bounds[k]:bounds[k + 1]]."""

    classes: list[ClassPath]
    keys: NDArray[np.uint64]  # of the pages, ascending
    bounds: NDArray[np.int64]
    members: NDArray[np.int32]
    counters: Counters = field(default_factory=Counters)

    def __len__(self) -> int:
        return len(self.keys)

    def find(self, url: str) -> int:
        """The page of a canonical URL, or -1."""
        at = int(self.keys.searchsorted(np.uint64(key_of(url))))
        return at if at < len(self.keys) and int(self.keys[at]) == key_of(url) else _NONE

    def classes_of(self, page: int) -> NDArray[np.int32]:
        """The numbers of a page's classes."""
        return self.members[self.bounds[page] : self.bounds[page + 1]]


def key_of(url: str) -> int:
    """What stands for a canonical URL."""
    return xxhash.xxh3_64_intdigest(url.encode())


def read_directory(
    paths: Iterable[Path],
    config: DirectoryConfig | None = None,
    resolve: Callable[[str], str] = str,
) -> Directory:
    """The directory in some files or folders; `resolve` leads from an alias to its page."""
    config = config or DirectoryConfig()
    builder = _Builder(config, resolve)
    files = directory_files(paths)
    for path in files:
        for entry in read_entries(path, builder.counters, config.form):
            builder.add(entry)
    directory = builder.finish()
    if not len(directory):
        names = ", ".join(map(str, files))
        raise InputError(f"{names}: no page stands in a class there{_why(directory)}")
    return directory


def _why(directory: Directory) -> str:
    counts = directory.counters.as_dict().get("directory", {})
    said = ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))
    return f" ({said})" if said else ""


class _Builder:
    """Rows become arrays."""

    def __init__(self, config: DirectoryConfig, resolve: Callable[[str], str]) -> None:
        self.config, self.resolve = config, resolve
        self.counters = Counters()
        self._numbers: dict[ClassPath, int] = {}
        self._known: dict[str, int] = {}  # paths as they are written, which repeat
        self._keys, self._labels = array("Q"), array("q")
        self._later, self._by_number = array("q"), dict[int, int]()

    def add(self, entry: Entry) -> None:
        """Take a row."""
        label = _NONE if entry.path is None else self._class_of(entry.path)
        if entry.url is None:
            if entry.number is not None:
                self._by_number[entry.number] = label
            return
        self.counters.add("directory", "rows")
        url = canonical(entry.url)
        if url is None:
            self.counters.add("directory", "no_web_address")
            return
        self._keys.append(key_of(self.resolve(url)))
        self._labels.append(label)
        self._later.append(_NONE if entry.number is None else entry.number)

    def _class_of(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = self._new_class(text)
        return self._known[text]

    def _new_class(self, text: str) -> int:
        path = [part for part in text.strip().split("/") if part]
        if not path or any(part.endswith(_SOFT) for part in path):
            return _NONE
        path = path[1:] if path[0] == _ROOT else path
        if len(path) < self.config.depth and self.config.shallow == "drop":
            return _NONE
        return self._numbers.setdefault(tuple(path[: self.config.depth]), len(self._numbers))

    def finish(self) -> Directory:
        """All rows as a directory: sorted by key, each class of a page once."""
        keys = np.frombuffer(self._keys, np.uint64)
        labels = np.frombuffer(self._labels, np.int64).copy()
        for at in np.flatnonzero(np.frombuffer(self._later, np.int64) != _NONE).tolist():
            labels[at] = self._by_number.get(self._later[at], _NONE)
        keys, labels = keys[labels != _NONE], labels[labels != _NONE]
        self.counters.add("directory", "rows_without_class", len(self._keys) - len(keys))
        order = np.lexsort((labels, keys))
        keys, labels = keys[order], labels[order]
        again = np.flatnonzero((keys[1:] == keys[:-1]) & (labels[1:] == labels[:-1])) + 1
        keys, labels = np.delete(keys, again), np.delete(labels, again)
        unique, first = np.unique(keys, return_index=True)
        self.counters.add("directory", "pages", len(unique))
        bounds = np.append(first, len(keys)).astype(np.int64)
        return Directory(
            list(self._numbers), unique, bounds, labels.astype(np.int32), self.counters
        )
