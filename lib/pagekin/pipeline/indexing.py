"""The last step of a build: what the shard stage made becomes an index in its own folder."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import xxhash

import pagekin
from pagekin.bags.frequencies import Frequencies
from pagekin.config import BuildConfig, to_dict
from pagekin.errors import InputError
from pagekin.index.assembling import index_in_place, sweep_beside, write_index
from pagekin.index.building import Piece
from pagekin.index.header import IndexHeader, read_header
from pagekin.index.records import parse_piece
from pagekin.pipeline.names import FREQUENCIES, RESOLUTION
from pagekin.pipeline.progress import StageProgress, TaskProgress
from pagekin.pipeline.records import read_merged
from pagekin.pipeline.report import Report
from pagekin.pipeline.workspace import Workspace
from pagekin.tables import ArrayFile

__all__ = ["make_index"]

_STAGE = "index_shards"


def make_index(
    workspace: Workspace, config: BuildConfig, path: Path, snapshot: dict[str, Any], report: Report
) -> dict[str, Any]:
    """Write the index, unless it is there already; gives what the summary says of it."""
    began = time.monotonic()
    built_from = _built_from(workspace)
    sweep_beside(path)
    header = _standing(path, config, built_from)
    state = "kept" if header else "built"
    if header is None:
        source = {"pagekin": pagekin.__version__, **snapshot, "built_from": built_from}
        with index_in_place(path) as folder:
            header = write_index(
                folder,
                config,
                _pieces(workspace, report),
                _aliases(workspace),
                _frequencies(workspace),
                [source],
            )
    return {
        "path": str(path),
        "state": state,
        "digest": header.digest,
        "documents": header.documents,
        "shards": header.shards,
        "bytes": sum(file.stat().st_size for file in path.rglob("*") if file.is_file()),
        "seconds": round(time.monotonic() - began, 3),
    }


def _built_from(workspace: Workspace) -> dict[str, str]:
    """Digests of what goes into an index; none depends on where the snapshot lies."""
    record = workspace.stage_record(_STAGE) or {}
    aliases = xxhash.xxh3_128()
    for file in map(ArrayFile, _aliases(workspace)):
        for name in ("aliases", "targets"):
            aliases.update(file[name].tobytes())
    return {_STAGE: record["result"]["digest"], "aliases": aliases.hexdigest()}


def _standing(path: Path, config: BuildConfig, built_from: dict[str, str]) -> IndexHeader | None:
    """The index that stands there, if it is the one that would be made."""
    try:
        header = read_header(path)
    except InputError:
        return None
    same = to_plain(to_dict(config)) == header.config
    same = same and [built_from] == [source.get("built_from") for source in header.sources]
    return header if same and _is_whole(path, header) else None


def _is_whole(path: Path, header: IndexHeader) -> bool:
    """Is every file there, and as long as it was? (`pagekin verify` reads them all.)"""
    try:
        return all(ArrayFile(path / name).checksum == it for name, it in header.files.items())
    except InputError:
        return False


def to_plain(config: dict[str, dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """As JSON gives it back: lists, no tuples."""
    return {
        name: {k: list(v) if isinstance(v, tuple) else v for k, v in section.items()}
        for name, section in config.items()
    }


def _aliases(workspace: Workspace) -> list[Path]:
    path = workspace.stage_path("inventory") / RESOLUTION
    return [path] if path.exists() else []


def _frequencies(workspace: Workspace) -> dict[str, float]:
    table = Frequencies(workspace.require("document_frequency") / FREQUENCIES)
    return {"bags": table.bags, "terms": len(table), "mu": table.mu, "sigma": table.sigma}


def _pieces(workspace: Workspace, report: Report) -> Iterator[tuple[int, Piece]]:
    record = workspace.stage_record(_STAGE) or {}
    notes = workspace.new_folder("index")
    total = record["result"]["records"]
    shown = StageProgress("index", notes, report.progress_to, total=total)
    with shown, TaskProgress(str(notes)) as progress:
        for pair in read_merged(workspace.require(_STAGE)):
            progress.add(records=1)
            yield parse_piece(pair)
