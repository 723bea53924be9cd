"""The last step of a build: what the shard stage made becomes an index in its own folder."""

from __future__ import annotations

import shutil
import time
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, Generic, TypeVar

import xxhash

import pagekin
from pagekin.bags.weigh import Frequencies
from pagekin.build.made import check_files, records_of, required_pass, table_path
from pagekin.build.remote_index import RemoteIndex
from pagekin.build.report import Report
from pagekin.cocitation.kin_table import shard_of_key, table_pieces
from pagekin.config import BuildConfig, to_dict
from pagekin.engine.job import settle_memory
from pagekin.errors import InputError, WorkspaceError
from pagekin.index.assembling import Mirrors, index_in_place, sweep_beside, write_index
from pagekin.index.folder import IndexFolder, IndexHeader
from pagekin.index.shard_files import Piece, parse_piece, shard_pieces
from pagekin.kinds import MIRROR_EDGES, MIRROR_GROUPS, Pair
from pagekin.progress import StageProgress, TaskProgress
from pagekin.stages.authority import AUTHORITY_TABLE
from pagekin.stages.chain import maker_of, output_named
from pagekin.stages.declaration import Table
from pagekin.stages.document_frequency import FREQUENCIES
from pagekin.stages.inventory import RESOLUTION
from pagekin.stages.mirror_groups.cutting import contained_pairs, read_groups
from pagekin.stages.term_neighbours import NEIGHBOUR_TABLE
from pagekin.stages.topics import TOPICS
from pagekin.storage.remote_workspace import AnyWorkspace
from pagekin.tables import ArrayFile
from pagekin.web.streams import scheme_of

__all__ = ["make_index", "make_remote_index"]

T = TypeVar("T")
_SHARDS, _KIN = "index_shards", "related"  # the outputs that shards are made of
_MIRRORS, _EDGES = "mirror_groups", "mirror_edges"  # those that its mirrors are made of
_LEARNED = (
    NEIGHBOUR_TABLE,
    TOPICS,
    AUTHORITY_TABLE,
)  # tables that an index has too, if they are made


def make_index(  # noqa: PLR0917
    workspace: AnyWorkspace,
    config: BuildConfig,
    outputs: Collection[str],
    path: Path,
    snapshot: dict[str, Any],
    report: Report,
) -> dict[str, Any]:
    """Write the index, unless it is there already; gives what the summary says of it.

    `outputs` are those of the build: an index has bags, or related pages by co-citation, or both.
    """
    began = time.monotonic()
    settle_memory()
    made_of, learned, mirrors = _made_of(outputs), _learned(outputs), _mirrors_of(outputs)
    built_from = _built_from(workspace, outputs)
    sweep_beside(path)
    header = _standing(path, config, built_from)
    state = "kept" if header else "built"
    if header is None:
        tables = [RESOLUTION, *([FREQUENCIES] if _SHARDS in made_of else []), *learned]
        read = map(output_named, [*made_of, *mirrors])
        check_files(workspace, [*read, *map(maker_of, tables)])
        source = {"pagekin": pagekin.__version__, **snapshot, "built_from": built_from}
        with index_in_place(path) as folder:
            header = write_index(
                folder,
                config,
                _pieces(workspace, config, made_of, report),
                _aliases(workspace),
                _frequencies(workspace, config, made_of),
                [source],
                [_required_table(workspace, table) for table in learned],
                _mirrors(workspace) if mirrors else None,
            )
    size = sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    described = _described(str(path), state, header, size)
    return {**described, "seconds": round(time.monotonic() - began, 3)}


def make_remote_index(  # noqa: PLR0917
    workspace: AnyWorkspace,
    config: BuildConfig,
    outputs: Collection[str],
    place: RemoteIndex,
    snapshot: dict[str, Any],
    report: Report,
) -> dict[str, Any]:
    """The same in a store: made on this machine, and moved there."""
    began = time.monotonic()
    scratch = workspace.new_folder("made")
    header = place.standing(scratch)
    if header and _is_same(header, config, _built_from(workspace, outputs)):
        made = _described(place.uri, "kept", header, sum(place.sizes().values()))
    else:
        made = make_index(workspace, config, outputs, scratch / "index", snapshot, report)
        place.put(scratch / "index")
        shutil.rmtree(scratch)
    return {
        **made,
        "path": place.uri,
        "place": place.uri,
        "seconds": round(time.monotonic() - began, 3),
    }


def _made_of(outputs: Collection[str]) -> list[str]:
    return [name for name in (_SHARDS, _KIN) if name in outputs]


def _mirrors_of(outputs: Collection[str]) -> list[str]:
    return [_MIRRORS, _EDGES] if {_MIRRORS, _SHARDS} <= {*outputs} else []


def _mirrors(workspace: AnyWorkspace) -> Mirrors:
    pairs = records_of(workspace, MIRROR_EDGES)
    return Mirrors(read_groups(records_of(workspace, MIRROR_GROUPS)), contained_pairs(pairs))


def _learned(outputs: Collection[str]) -> list[Table]:
    return [table for table in _LEARNED if maker_of(table).name in outputs]


def _described(path: str, state: str, header: IndexHeader, size: int) -> dict[str, Any]:
    return {
        "path": path,
        "place": path if scheme_of(path) else str(Path(path).absolute()),
        "state": state,
        "digest": header.digest,
        "documents": header.documents,
        "shards": header.shards,
        "bytes": size,
    }


def _built_from(workspace: AnyWorkspace, outputs: Collection[str]) -> dict[str, str]:
    """Digests of what goes into an index; none depends on where the snapshot lies."""
    digests = {}
    learned = [maker_of(table).name for table in _learned(outputs)]
    for name in [*_made_of(outputs), *_mirrors_of(outputs), *learned]:
        digests[name] = required_pass(workspace, output_named(name)).record["result"]["digest"]
    aliases = xxhash.xxh3_128()
    for file in map(ArrayFile, _aliases(workspace)):
        for name in ("aliases", "targets", "spelt", "spellings"):
            if name in file.dtypes:
                aliases.update(file[name].tobytes())
    return {**digests, "aliases": aliases.hexdigest()}


def _standing(path: Path, config: BuildConfig, built_from: dict[str, str]) -> IndexHeader | None:
    """The index that stands there whole, if it is the one that would be made."""
    try:
        header = IndexFolder(path).header  # every file is there, and as long as it was
    except InputError:
        return None
    return header if _is_same(header, config, built_from) else None


def _is_same(header: IndexHeader, config: BuildConfig, built_from: dict[str, str]) -> bool:
    """Would the index that is to be made be this one?"""
    same = to_plain(to_dict(config)) == header.config
    return same and [built_from] == [source.get("built_from") for source in header.sources]


def to_plain(config: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """As JSON gives it back: lists, no tuples."""
    return {
        name: {k: list(v) if isinstance(v, tuple) else v for k, v in section.items()}
        for name, section in config.items()
    }


def _aliases(workspace: AnyWorkspace) -> list[Path]:
    path = table_path(workspace, RESOLUTION)
    return [path] if path else []


def _frequencies(
    workspace: AnyWorkspace, config: BuildConfig, outputs: Collection[str]
) -> dict[str, float]:
    if _SHARDS not in outputs:
        return {"bags": 0, "terms": 0, "mu": 0.0, "sigma": 0.0}
    table = Frequencies(_required_table(workspace, FREQUENCIES))
    mu, sigma = table.moments(config.weight)
    return {"bags": table.bags, "terms": len(table), "mu": mu, "sigma": sigma}


def _required_table(workspace: AnyWorkspace, table: Table) -> Path:
    path = table_path(workspace, table)
    if path is None:
        raise WorkspaceError(f"{workspace.name}: {table.file} is gone; who removed it?")
    return path


def _pieces(
    workspace: AnyWorkspace, config: BuildConfig, outputs: Collection[str], report: Report
) -> Iterator[tuple[int, Piece]]:
    """The pieces of all shards, in their order: first of bags, then of related pages."""
    shards = config.index.shards
    notes = workspace.new_folder("index")
    passes = {name: required_pass(workspace, output_named(name)) for name in outputs}
    total = sum(made.record["result"]["records"] for made in passes.values())
    shown = StageProgress("index", notes, report.progress_to, total=total)
    with shown, TaskProgress(str(notes)) as progress:
        streams = {
            name: _noted(workspace.records(made.name), progress) for name, made in passes.items()
        }
        bags = _Runs(map(parse_piece, streams.get(_SHARDS, iter(()))))
        kin = _Runs((shard_of_key(pair[0], shards), pair) for pair in streams.get(_KIN, iter(())))
        for shard in range(shards):
            none = shard_pieces((), config, lambda terms: [])
            yield from ((shard, piece) for piece in bags.of(shard) or none)
            yield from ((shard, piece) for piece in table_pieces(kin.of(shard) or ()))


def _noted(pairs: Iterator[Pair], progress: TaskProgress) -> Iterator[Pair]:
    for pair in pairs:
        progress.add(records=1)
        yield pair


class _Runs(Generic[T]):
    """What belongs to each shard, of a stream that is in the order of the shards."""

    def __init__(self, stream: Iterable[tuple[int, T]]) -> None:
        self._groups = groupby(stream, key=itemgetter(0))
        self._next = next(self._groups, None)

    def of(self, shard: int) -> Iterator[T] | None:
        """What belongs to this shard, if anything does; to be asked for in order, and read up."""
        if self._next is None or self._next[0] != shard:
            return None
        return self._read()

    def _read(self) -> Iterator[T]:
        if self._next:
            yield from (item for _, item in self._next[1])
        self._next = next(self._groups, None)
