"""`deal`: dealing files to map tasks, and merging the sorted pieces of a reduce task."""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.harness import Add, Benchmark, in_process, in_turns
from benchmarks.results import Column, Result, Table, Target
from pagekin.build.manifests import write_manifests
from pagekin.engine.local.shuffle import merged_lines
from pagekin.errors import UsageError
from pagekin.storage.part_files import Piece
from pagekin.web.sources import Source

__all__ = ["BENCHMARK", "dealing", "merging"]

_ABOUT = """\
What a build does before its tasks and between them must grow no faster than what it is given.
Dealing: a snapshot of so many files, with sizes by lot, is dealt to manifests, one for each map
task; of files whose size nobody knows each is a task. Merging: sorted lines of so many megabytes
are read in order, as a reduce task does, out of few pieces and out of many.

Growth is what a file costs in the large snapshot, times what it costs in one of an eighth; and what
the same bytes cost in the most pieces, times what they cost in a quarter of these: 1 where it is
linear, 8 and 4 where it is quadratic. Counted is CPU in user mode: the rest is the disk's. Each way
runs in a process of its own, in turns, and the median of the rounds counts."""

_DEALT, _MERGED = 3.0, 3.0  # sorting, and what no longer fits the cache, make a file dearer
_PART, _QUARTER = 8, 4
_WIDTH = 2
_GRAIN = 0.001  # seconds: the clock of user mode shows nothing smaller
_SIZE = 64 << 20  # of a file, at most: a task has some of them
_LINE = 100  # bytes
_KINDS = {"known": True, "unknown": False}


def add_options(add: Add) -> None:
    """How many files, and how large a share."""
    add("--files", type=int, default=100_000, metavar="N", help="dealt (default: 100,000)")
    add("--megabytes", type=int, default=75, metavar="N", help="merged (default: 75)")
    add("--pieces", type=int, default=2048, metavar="N", help="the most (default: 2048)")
    add("--rounds", type=int, default=3, metavar="N", help="(default: %(default)s)")


def run(options: argparse.Namespace) -> Result:
    """A table of dealing and one of merging."""
    if options.files < _PART or options.pieces < _QUARTER * _QUARTER:
        raise UsageError(f"--files takes {_PART} at least, and --pieces {_QUARTER * _QUARTER}")
    sizes = (options.files // _PART, options.files)
    pieces = (_QUARTER, options.pieces // _QUARTER, options.pieces)
    with tempfile.TemporaryDirectory(prefix="bench-", dir=options.data) as folder:
        deal = partial(in_process, dealing, folder=folder)
        merge = partial(in_process, merging, folder=folder, megabytes=options.megabytes)
        ways: dict[str, Any] = {
            f"{count} files of {kind} size": partial(deal, files=count, known=known)
            for kind, known in _KINDS.items()
            for count in sizes
        }
        ways |= {f"{count} pieces": partial(merge, pieces=count) for count in pieces}
        found = in_turns(ways, options.rounds)
    dealt: list[list[Any]] = []
    targets = []
    for kind in _KINDS:
        rounds = [found[f"{count} files of {kind} size"] for count in sizes]
        for count, some in zip(sizes, rounds, strict=True):
            seconds = _median(some)
            dealt.append([kind, count, some[0]["manifests"], seconds, 1e6 * seconds / count])
        what = f"dealing {sizes[-1]:,} files of {kind} size: growth"
        targets.append(Target(what, dealt[-1][-1] / dealt[-2][-1], _DEALT))
    merged = [[count, options.megabytes, _median(found[f"{count} pieces"])] for count in pieces]
    what = f"merging {options.megabytes} MB in {pieces[-1]:,} pieces: growth"
    targets.append(Target(what, merged[-1][-1] / merged[-2][-1], _MERGED))
    columns = [Column("size"), Column("files", ",d"), Column("manifests", ",d")]
    columns += [Column("CPU s", ".3f"), Column("microseconds a file", ".2f")]
    tables = [Table("Dealing files", columns, dealt)]
    columns = [Column("pieces", ",d"), Column("MB", ",d"), Column("CPU s", ".3f")]
    return Result([*tables, Table("Merging", columns, merged)], targets)


def _median(rounds: list[dict[str, float]]) -> float:
    return max(statistics.median(said["cpu"] for said in rounds), _GRAIN)


# --- steps, each in a process of its own ---


def dealing(folder: str, files: int, *, known: bool) -> dict[str, Any]:
    """CPU seconds of dealing so many files; of unknown size each is a task."""
    chance = random.Random(1)
    snapshot = [
        Source(f"s3://bucket/{k:07d}.warc.gz", chance.randrange(_SIZE) if known else -1)
        for k in range(files)
    ]
    with tempfile.TemporaryDirectory(dir=folder) as made:
        before = _user_seconds()
        manifests = write_manifests(Path(made) / "manifests", snapshot, _WIDTH)
        took = _user_seconds() - before
        named = sum(path.read_bytes().count(b"\n") for path in manifests)
    return {"cpu": took, "manifests": len(manifests), "files": named}


def merging(folder: str, megabytes: int, pieces: int) -> dict[str, Any]:
    """CPU seconds of reading sorted pieces in order."""
    chance, each = random.Random(1), max(1, megabytes * 1_000_000 // _LINE // pieces)
    with tempfile.TemporaryDirectory(dir=folder) as made:
        shares = []
        for number in range(pieces):
            lines = sorted(chance.randbytes(20).hex() for _ in range(each))
            text = "".join(f"{line}\t{'x' * (_LINE - 42)}\n" for line in lines).encode()
            path = Path(made) / f"{number:05d}"
            path.write_bytes(text)
            shares.append(Piece(path, 0, len(text)))
        before = _user_seconds()
        read = sum(1 for _ in merged_lines(shares))
        return {"cpu": _user_seconds() - before, "lines": read}


def _user_seconds() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_utime


BENCHMARK = Benchmark(
    "deal",
    "dealing files to tasks, and merging many pieces: is it linear?",
    _ABOUT,
    add_options,
    run,
    ("--rounds", "1"),
)
