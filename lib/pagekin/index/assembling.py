"""The pieces that the tasks made become the files of an index; it appears whole or not at all.

The index is written into a folder beside its name and moved into place. An index that stands there
already is replaced; a folder of other things is refused.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pagekin.config import BuildConfig, to_dict
from pagekin.errors import UsageError
from pagekin.index.folder import (
    ALIASES,
    BESIDE_OLD,
    HEADER,
    MIRRORS,
    OPTIONAL,
    IndexHeader,
    beside,
    is_header,
    write_header,
)
from pagekin.index.mirror_table import Edge, Group, write_mirrors
from pagekin.index.shard import Shard
from pagekin.index.shard_files import (
    MOST_INLINKS,
    SHARD_FILES,
    Piece,
    count_inlinks,
    shard_name,
    shard_of,
)
from pagekin.tables import ArrayFile, ArrayWriter
from pagekin.web.resolution import write_aliases

__all__ = [
    "Mirrors",
    "check_target",
    "index_in_place",
    "sweep_beside",
    "write_index",
    "write_shard",
]

_BESIDE = ("new", BESIDE_OLD)  # folders beside the index while it is exchanged

Frequencies = dict[str, float]


class Mirrors(NamedTuple):
    """Pages that are copies of one another, by their URLs."""

    groups: Iterable[Group]
    contained: Iterable[Edge]  # of which b holds most of a


def check_target(path: Path) -> None:
    """UsageError where an index cannot be written to `path`."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"--index {path}: is a file; an index is a folder")
    if not path.is_dir() or not any(path.iterdir()):
        return
    if not is_header(path / HEADER):
        raise UsageError(f"--index {path}: holds other files and is no index; name a new folder")
    for other in sorted(path.iterdir()):
        if other.name not in {HEADER, ALIASES, *OPTIONAL} and not other.match("shard-?????"):
            raise UsageError(
                f"--index {path}: holds {other.name} beside an index, which would be lost; move it"
                " away, or name a new folder"
            )


@contextmanager
def index_in_place(path: Path) -> Iterator[Path]:
    """A folder that becomes `path` at the end, if nothing is raised."""
    check_target(path)
    path = path.resolve()
    path.parent.mkdir(parents=True, exist_ok=True)
    sweep_beside(path)
    made, old = (path.with_name(f"{beside(path, word)}{os.getpid()}") for word in _BESIDE)
    try:
        made.mkdir()
        yield made
        _exchange(made, path, old)
    finally:
        for folder in (made, old):
            shutil.rmtree(folder, ignore_errors=True)


def _exchange(made: Path, path: Path, old: Path) -> None:
    if path.exists():
        path.rename(old)
    try:
        made.rename(path)
    except OSError:
        if old.exists():
            old.rename(path)
        raise


def sweep_beside(path: Path) -> None:
    """Remove what writers of this index left that were killed: their process is no more."""
    path = path.resolve()
    if not path.parent.is_dir():
        return
    starts = tuple(beside(path, word) for word in _BESIDE)
    for other in sorted(path.parent.iterdir()):
        number = other.name.rpartition(".")[2]
        if other.name.startswith(starts) and number.isdigit() and not _lives(int(number)):
            if other.name.startswith(starts[1]) and not path.exists():
                other.rename(path)  # killed between two moves: it is the index
            shutil.rmtree(other, ignore_errors=True)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        pass  # it is another user's
    return True


def write_index(  # noqa: PLR0917 - all that a header says
    folder: Path,
    config: BuildConfig,
    pieces: Iterable[tuple[int, Piece]],
    aliases: Sequence[Path],
    frequencies: Frequencies,
    sources: list[dict[str, Any]],
    learned: Sequence[Path] = (),
    mirrors: Mirrors | None = None,
) -> IndexHeader:
    """Write all files of an index into an empty folder.

    `pieces` come shard by shard, of all shards; `aliases` are the files that name them; `learned`
    are files that the index gets as they are, of those in LEARNED.
    """
    write_aliases(folder / ALIASES, aliases)
    for path in learned:
        shutil.copyfile(path, folder / path.name)
    for shard, group in groupby(pieces, key=itemgetter(0)):
        write_shard(folder, shard, config, (piece for _, piece in group))
    if mirrors:
        place_of = _places(folder, config.index.shards)
        write_mirrors(folder / MIRRORS, *mirrors, place_of, config.index.shards)
    header = _describe(folder, config, frequencies, sources)
    write_header(folder, header)
    return header


def _places(folder: Path, shards: int) -> Callable[[bytes], tuple[int, int] | None]:
    """A function that tells the shard of a URL, and its number there, if it is a document."""
    file = SHARD_FILES["urls"]
    opened = [
        Shard(shard, 0, {"urls": ArrayFile(folder / shard_name(shard) / file.name, file.kind)})
        for shard in range(shards)
    ]

    def place_of(url: bytes) -> tuple[int, int] | None:
        shard = shard_of(url, shards)
        document = opened[shard].find(url)
        return (shard, document) if document >= 0 else None

    return place_of


def write_shard(folder: Path, shard: int, config: BuildConfig, pieces: Iterable[Piece]) -> None:
    """Write the files of one shard."""
    place = folder / shard_name(shard)
    place.mkdir()
    signatures = to_dict(config, ["signatures"])["signatures"]
    meta = {
        "shard": shard,
        "shards": config.index.shards,
        "min_inlinks": config.index.min_inlinks,
        **{f"signatures.{name}": value for name, value in signatures.items()},
    }
    with ExitStack() as stack:
        writers = {
            name: stack.enter_context(ArrayWriter(place / file.name, file.dtypes))
            for name, file in SHARD_FILES.items()
        }
        met = set()
        for name, data in pieces:
            file, _, array = name.partition("/")
            met.add(file)
            if array:
                writers[file].append(array, data)
            else:
                writers.pop(file).finish(SHARD_FILES[file].kind, meta)
        if "kin" not in met:  # built without co-citation
            writers["kin"].append("bounds", bytes(8))
        for file, writer in writers.items():
            writer.finish(SHARD_FILES[file].kind, meta)


def _describe(
    folder: Path, config: BuildConfig, frequencies: Frequencies, sources: list[dict[str, Any]]
) -> IndexHeader:
    whole = [name for name in (ALIASES, *OPTIONAL) if (folder / name).exists()]
    files = {name: ArrayFile(folder / name).checksum for name in whole}
    inlinks = np.zeros(MOST_INLINKS + 1, dtype=np.int64)
    documents = listed = crawled = empty = kin = titled = 0
    for shard in range(config.index.shards):
        name = shard_name(shard)
        opened = {n: ArrayFile(folder / name / f.name, f.kind) for n, f in SHARD_FILES.items()}
        files |= {f"{name}/{SHARD_FILES[n].name}": file.checksum for n, file in opened.items()}
        anchors = opened["urls"]["anchors"]
        inlinks += count_inlinks(anchors)
        documents += len(anchors)
        crawled += int(np.count_nonzero(opened["urls"]["crawled"]))
        empty += int(np.count_nonzero(np.diff(opened["bags"]["bounds"]) == 0))
        titled += int(np.count_nonzero(np.diff(opened["titles"]["bounds"])))
        kin += len(opened["kin"]["numbers"])
        listed += len(opened["I"]["ids"]) // config.signatures.count
    return IndexHeader(
        to_dict(config),
        config.index.shards,
        documents,
        listed,
        crawled,
        empty,
        inlinks.tolist(),
        frequencies,
        files,
        sources,
        kin,
        titled,
    )
