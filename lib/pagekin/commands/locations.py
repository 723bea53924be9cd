"""Workspaces and indexes that lie on this machine or in a store, and what commands do with them.

Only `pagekin build` works in a store (HDFS, S3). To other commands an index in a store is copied.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pagekin.commands.arguments import DEFAULT_WORK, location
from pagekin.engine import ON_THIS_MACHINE
from pagekin.errors import UsageError, WorkspaceError
from pagekin.web.streams import scheme_of

__all__ = [
    "check_locations",
    "default_index",
    "index_in_store",
    "local_index",
    "local_workspace",
    "store_at",
]


def store_at(uri: str, options: argparse.Namespace) -> Any:
    """The store at an address, reached with the configuration of the runner.

    `options.asks_s3` is false in a dry run without credentials.
    """
    from pagekin.storage.stores import open_store

    runner, conf = getattr(options, "runner", "hadoop"), getattr(options, "conf", None)
    if scheme_of(uri) != "hdfs":
        return open_store(uri, ask=getattr(options, "asks_s3", True))
    from pagekin.engine.requirements import hadoop_program

    return open_store(uri, hadoop_program(conf, "spark" if runner == "spark" else "hadoop"))


def index_in_store(uri: str, options: argparse.Namespace) -> Any:
    """The index at an address."""
    from pagekin.build.remote_index import RemoteIndex

    above, _, name = uri.rpartition("/")
    if above.endswith("/") or not name:
        raise UsageError(f"--index {uri}: names no folder; write {uri}/crawl.index")
    return RemoteIndex(store_at(above, options), name)


def local_index(index: Path | str, options: argparse.Namespace) -> Path:
    """The folder of an index on this machine: its own, that of a copy, or that of a workspace."""
    from pagekin.index.folder import report_bus_errors

    report_bus_errors()
    if isinstance(index, Path):
        index = _index_of(index)
    if isinstance(index, Path):
        return index
    folder: Path = index_in_store(index, options).copy_here()
    return folder


def default_index(work: Path | str) -> Path | str:
    """Where a build makes its index unless it is told: in its workspace."""
    return work / "index" if isinstance(work, Path) else f"{work}/index"


def _index_of(folder: Path) -> Path | str:
    """The folder itself, or of a workspace the index that its last build made."""
    from pagekin.storage.workspace import MARK, Workspace

    if folder == DEFAULT_WORK and not folder.exists():
        raise UsageError(
            f"there is no {folder} here, where pagekin build makes an index; name one with --index"
        )
    if not (folder / MARK).is_file():
        return folder
    own = folder / "index"
    made = Workspace.open(folder).summary().get("index", {})
    index = location(made.get("place", str(own)))
    if isinstance(index, Path) and not index.is_dir() and own.is_dir():
        index = own  # the workspace was moved
    if isinstance(index, Path) and not index.is_dir():
        raise UsageError(
            f"{folder} is a workspace, and its index, {index}, is not there; name it with --index,"
            " or make it: pagekin build without --no-index and --until"
        )
    return index


def local_workspace(work: Path | str) -> Path:
    """The folder of a workspace; WorkspaceError for one that is in a store."""
    if isinstance(work, Path):
        return work
    raise WorkspaceError(
        f"--work {work}: bags are looked up in a workspace on this machine; build with --index, and"
        " ask that: --index takes hdfs:// and s3:// addresses too"
    )


def check_locations(options: argparse.Namespace) -> None:
    """UsageError where a build cannot use its workspace or its index."""
    work, index = options.work, options.index
    if isinstance(work, str):
        _check_runner(work, options.runner)
    if isinstance(index, str):
        if str(work) == index or str(work).startswith(f"{index}/"):
            raise UsageError(f"--index {index}: holds the workspace; name another folder")
        index_in_store(index, options).check_target()
    elif index:
        from pagekin.index.assembling import check_target

        check_target(index)
        if isinstance(work, Path) and work.resolve().is_relative_to(index.resolve()):
            raise UsageError(f"--index {index}: holds the workspace; name another folder")


def _check_runner(work: str, runner: str) -> None:
    if runner in ON_THIS_MACHINE:
        raise UsageError(
            f"--work {work}: -r {runner} keeps its workspace in a folder of this machine; name one,"
            " or build with -r hadoop, spark or emr"
        )
    if runner == "emr" and scheme_of(work) == "hdfs":
        raise UsageError(
            f"--work {work}: the HDFS of an EMR cluster ends with it; name an s3:// address"
        )
