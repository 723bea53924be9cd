"""Places that are named on the command line: a folder of this machine, or an address of a store.

Only `pagekin build` works on a store as it is; an index at an address is copied before it is asked.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from pagekin.errors import UsageError, WorkspaceError
from pagekin.names import ON_THIS_MACHINE
from pagekin.web.schemes import scheme_of

__all__ = [
    "add_index",
    "check_places",
    "index_here",
    "index_place",
    "place",
    "refuse_remote",
    "store_at",
]


def place(word: str) -> Path | str:
    """A path, or an address as it was written.

    >>> place("s3://bucket/work/")
    's3://bucket/work'
    """
    return word.rstrip("/") if scheme_of(word) else Path(word)


def add_index(parser: argparse.ArgumentParser) -> None:
    """Declare --index of a command that looks after an index, wherever it is."""
    parser.add_argument(
        "--index",
        required=True,
        type=place,
        metavar="DIR",
        help="the index, also at hdfs:// or s3://",
    )


def store_at(uri: str, options: argparse.Namespace) -> Any:
    """The store at an address, as the runner's configuration reaches it."""
    from pagekin.storage.stores import open_store

    runner, conf = getattr(options, "runner", "hadoop"), getattr(options, "conf", None)
    if scheme_of(uri) != "hdfs":
        return open_store(uri)
    from pagekin.engine.requirements import hadoop_program

    return open_store(uri, hadoop_program(conf, "spark" if runner == "spark" else "hadoop"))


def index_place(uri: str, options: argparse.Namespace) -> Any:
    """The place of an index in a store."""
    from pagekin.build.remote_index import RemoteIndex

    above, _, name = uri.rpartition("/")
    if above.endswith("/") or not name:
        raise UsageError(f"--index {uri}: names no folder; write {uri}/crawl.index")
    return RemoteIndex(store_at(above, options), name)


def index_here(index: Path | str, options: argparse.Namespace) -> Path:
    """The folder of an index on this machine: its own, or that of a copy."""
    if isinstance(index, Path):
        return index
    folder: Path = index_place(index, options).copy_here()
    return folder


def refuse_remote(work: Path | str) -> Path:
    """The folder of a workspace that is to be read here."""
    if isinstance(work, Path):
        return work
    raise WorkspaceError(
        f"--work {work}: bags are looked up in a workspace on this machine; build with --index, and"
        " ask that: --index takes hdfs:// and s3:// addresses too"
    )


def check_places(options: argparse.Namespace) -> None:
    """UsageError where a build cannot work in these places."""
    work, index = options.work, options.index
    if isinstance(work, str):
        _check_runner(work, options.runner)
    if isinstance(index, str):
        if str(work) == index or str(work).startswith(f"{index}/"):
            raise UsageError(f"--index {index}: holds the workspace; name another folder")
        index_place(index, options).check_target()
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
