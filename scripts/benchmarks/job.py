"""`job`: the bags as a whole mrjob job beside parsing alone, and a whole build on two cores."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.corpora import add_warc, corpora
from benchmarks.floors import parse_only
from benchmarks.harness import (
    ROOT,
    Add,
    Benchmark,
    Timed,
    in_process,
    in_turns,
    pagekin,
    ratio,
    run_words,
    say,
    timed,
)
from benchmarks.mapping import mapped_records
from benchmarks.packing import sample_task
from benchmarks.results import Column, Result, Table, Target
from benchmarks.shuffle import merge_task
from pagekin.build.manifests import write_manifests
from pagekin.counters import TaskStatistics
from pagekin.kinds import STATISTICS
from pagekin.web.sources import list_snapshot

__all__ = ["BENCHMARK", "build", "map_to_lines", "sort_lines"]

_ABOUT = """\
CPU of jobs/reading.py as a user runs it, with all its processes, beside decompressing and
parsing the same pages; in turns, and the median of the rounds counts. What the engine adds is told
apart: a job over no pages is starts and nothing else; the map phase and the merging are measured
without the engine; sorting is `LC_ALL=C sort` of the lines; the rest is what mrjob does with each
record, its copies and its files.

Then the whole build on one core and on two, on the wall clock, in turns as well: with --tasks 1,
kept to one core by taskset, and with --tasks 2. This needs a quiet machine with two cores. (Not
kept to one core, a build of one task at a time takes 1 to 4 % less: files are brought to the disk,
and modules loaded, while the task runs.)"""

_INLINE, _LOCAL = 3.5, 5.0  # times parse only
_CORES = 1.7  # times as fast with two
_COSTS = ("wall", "cpu")


def add_options(add: Add) -> None:
    """Which pages, and how often."""
    add_warc(add, 2000)
    add("--rounds", type=int, default=3, metavar="N", help="(default: %(default)s)")
    add("--no-build", action="store_true", help="leave out the whole builds")


def run(options: argparse.Namespace) -> Result:
    """Tables of the job, of what the engine adds, and of the build, for each corpus."""
    tables, targets = [], []
    for name, files in corpora(options.data, options.warc, options.pages).items():
        with tempfile.TemporaryDirectory(prefix="bench-", dir=options.data) as folder:
            bench = _Bench(Path(folder), name, files)
            made, wanted = bench.job(options.rounds)
            tables += made
            targets += wanted
            if not options.no_build:
                table, target = bench.builds(options.rounds)
                tables.append(table)
                targets.append(target)
    return Result(tables, targets)


class _Bench:
    """One corpus."""

    def __init__(self, folder: Path, name: str, files: list[str]) -> None:
        self.folder, self.name, self.files = folder, name, files
        manifests = write_manifests(folder / "manifests", list_snapshot(files, ""), 2)
        self.manifests = list(map(str, manifests))
        self.packing = str(folder / "packing")
        in_process(sample_task, files=files, path=self.packing)
        self.runs = 0

    def job(self, rounds: int) -> tuple[list[Table], list[Target]]:
        """The job on either runner, and its parts."""
        ways = {
            "parse only": partial(in_process, parse_only, files=self.files),
            "inline": partial(self.run_job, "inline", self.manifests),
            "local": partial(self.run_job, "local", self.manifests),
        }
        found = in_turns(ways, rounds)
        floor = [said["cpu"] for said in found["parse only"]]
        pages = found["parse only"][0]["pages"]
        columns = [Column("way"), Column("CPU ms a page", ".3f"), Column("x parse only", ".2f")]
        columns += [Column("rounds"), Column("wall s", ".2f")]
        rows, targets = [], []
        for way, runs in found.items():
            share = ratio([r["cpu"] for r in runs], floor)
            each = 1000 * statistics.median(r["cpu"] for r in runs) / pages
            wall = [r["wall"] for r in runs if "wall" in r]
            rows.append([way, each, share.median, share.spread(), min(wall) if wall else None])
            if bound := {"inline": _INLINE, "local": _LOCAL}.get(way):
                what = f"{self.name}: the bags job, {way}, times parse only"
                targets.append(Target(what, share.median, bound))
        job = Table(f"The bags as a job, {self.name}", columns, rows)
        return [job, self._parts(found, pages)], targets

    def run_job(self, runner: str, inputs: list[str]) -> dict[str, float]:
        """The job as a build runs it."""
        self.runs += 1
        words = [sys.executable, ROOT / "jobs" / "reading.py", "-r", runner, "--no-conf"]
        words += ["--no-cat-output", "--output-dir", self.folder / f"out-{self.runs}"]
        words += ["--local-tmp-dir", self.folder, "--packing", self.packing]
        words += ["--outputs=fragments", *inputs]
        if runner == "local":
            words += ["--num-cores", "2", "--no-bootstrap-mrjob"]
        done = run_words(words)
        return {"cpu": done.cpu, "wall": done.wall}

    def _parts(self, found: dict[str, list[dict[str, float]]], pages: int) -> Table:
        """Where the CPU of the job goes."""
        say("  parts of the job")
        lines = str(self.folder / "lines")
        task = {"packing": self.packing, "path": lines}
        mapped = in_process(map_to_lines, files=self.files, **task)
        sorting = sort_lines(lines).cpu
        merged = in_process(merge_task, **task)["cpu"]
        empty = [self.folder / f"empty-{k}" for k in range(len(self.manifests))]
        for path in empty:
            path.write_text("")
        rows: list[list[Any]] = []
        for runner in ("inline", "local"):
            whole = statistics.median(r["cpu"] for r in found[runner])
            start = self.run_job(runner, list(map(str, empty)))["cpu"]
            rest = whole - mapped - merged - sorting - start
            figures = (whole, mapped, merged, sorting, start, rest)
            rows.append(
                [runner, *(1000 * s / pages for s in figures), 1 - (mapped + merged) / whole]
            )
        names = ("whole", "map phase", "merging", "sort", "starts", "rest of the engine")
        columns = [Column("runner"), *(Column(f"{n}: ms a page", ".3f") for n in names)]
        columns.append(Column("share that is the engine's", ".0%"))
        about = (
            "CPU. Starts are those of a job over as many manifests without pages. What each further"
            " map task loads once it has a page (stemmers, dictionaries) is in the rest; that of"
            " one task is in the map phase. The fewer pages, the larger all this looks."
        )
        return Table(f"What the engine adds, {self.name}", columns, rows, about)

    def builds(self, rounds: int) -> tuple[Table, Target]:
        """Whole builds with one task at a time and with two."""
        say("  whole builds")
        found = in_turns({str(tasks): partial(self._build, tasks) for tasks in (1, 2)}, rounds)
        one, two = found["1"], found["2"]
        columns = [Column("stage"), Column("wall s, 1 task", ".2f"), Column("2 tasks", ".2f")]
        columns += [Column("times as fast", ".2f")]
        columns += [Column("CPU s, 1 task", ".2f"), Column("2 tasks", ".2f"), Column("rounds")]
        rows: list[list[Any]] = []
        for place, stage in enumerate(one[0]["stages"]):
            wall, cpu = (
                [_middle(said["stages"][place][what] for said in runs) for runs in (one, two)]
                for what in ("seconds", "cpu_seconds")
            )
            rows.append([stage["name"], *wall, wall[0] / wall[1], *cpu, None])
        speed = ratio([said["wall"] for said in one], [said["wall"] for said in two])
        walls, cpus = ([_middle(s[what] for s in runs) for runs in (one, two)] for what in _COSTS)
        rows.append(["whole command", *walls, speed.median, *cpus, speed.spread()])
        what = f"{self.name}: the whole build on 2 cores, times as fast as on one"
        about = (
            "With two tasks at once the stages of co-citation (pairs, related) run beside those"
            " of the bags behind the fragments: each alone takes longer, both together less."
        )
        table = Table(f"A whole build, {self.name}", columns, rows, about)
        return table, Target(what, speed.median, _CORES, least=True)

    def _build(self, tasks: int) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="build-", dir=self.folder) as folder:
            return build(Path(folder) / "work", self.files, tasks)


def _middle(values: Iterable[float]) -> float:
    return statistics.median(values)


def build(folder: Path, files: list[str], tasks: int) -> dict[str, Any]:
    """A whole build with an index; its summary, with CPU and wall seconds of the command.

    So many tasks at once, on as many cores.
    """
    words = ["build", "-q", "-r", "local", "--tasks", tasks, "--json", "--work", folder]
    done = pagekin(*words, "--index", f"{folder}.index", *files, cores=tasks)
    summary = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return {**summary, "wall": done.wall, "cpu": done.cpu}


def map_to_lines(files: list[str], path: str, packing: str) -> float:
    """CPU seconds of the map phase with writing its lines, cold."""

    def work() -> None:
        with Path(path).open("wb", 1 << 20) as out:
            for key, value in mapped_records(files, packing)[0]:
                out.write(key + b"\t" + value + b"\n")
            out.write(STATISTICS + b"\t" + TaskStatistics().to_json() + b"\n")

    return timed(work).cpu


def sort_lines(path: str) -> Timed:
    """As the local runner sorts."""
    words = ["sort", "-o", path, path]
    return timed(lambda: subprocess.run(words, check=True, env={**os.environ, "LC_ALL": "C"}))


BENCHMARK = Benchmark(
    "job",
    "the bags as a whole job, what mrjob adds, a build on two cores",
    _ABOUT,
    add_options,
    run,
    ("--rounds", "1"),
)
