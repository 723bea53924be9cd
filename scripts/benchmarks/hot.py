"""`hot`: a URL that all link to, a page of very many links, a domain with half of all pages."""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.corpora import made_web, web_files
from benchmarks.harness import HERE, Add, Benchmark, environment, pagekin, say
from benchmarks.results import Column, Result, Table, Target
from pagekin.errors import PagekinError

__all__ = ["BENCHMARK", "read_notes", "stages_of"]

_ABOUT = """\
A whole build (-r local) of a made-up web with all three, beside one of the same size without. Each
task notes its CPU and the most memory that it held when it ends; the median is over the tasks of
one job and kind (map, reduce). CPU includes the start of the process, which is most of it in small
stages."""

_MEMORY, _LONGEST = 500.0, 3.0  # MB; times the median of the stage


def add_options(add: Add) -> None:
    """How large, and how hot."""
    add("--pages", type=int, default=8000, metavar="N", help="(default: 8000)")
    add("--hot-inlinks", type=int, default=1_000_000, metavar="N", help="(default: 1000000)")
    add("--wide-page", type=int, default=20_000, metavar="N", help="links (default: 20000)")
    add("--big-domain", type=float, default=0.5, metavar="X", help="share of pages (default: 0.5)")
    add("--tasks", type=int, default=8, metavar="N", help="of each stage (default: 8)")
    add("--no-plain", action="store_true", help="leave out the web without hot keys")


def run(options: argparse.Namespace) -> Result:
    """A row for each kind of task."""
    shape = {name: getattr(options, name) for name in ("hot_inlinks", "wide_page", "big_domain")}
    shape = {name: value for name, value in shape.items() if value}
    webs = {"hot keys": made_web(options.data, options.pages, **shape)}
    if not options.no_plain:
        webs["without"] = made_web(options.data, options.pages)
    notes = {name: _built(options.data, web, options.tasks) for name, web in webs.items()}
    stages = {name: stages_of(some) for name, some in notes.items()}
    tables = [_table(f"Tasks, {name}", rows) for name, rows in stages.items()]
    return Result(tables, _targets(stages["hot keys"]))


def _built(data: Path, web: Path, tasks: int) -> list[dict[str, Any]]:
    """What each task of a build noted."""
    say(f"  build of {web.name}")
    with tempfile.TemporaryDirectory(prefix="bench-", dir=data) as folder:
        notes = Path(folder) / "notes"
        notes.mkdir()
        env = environment(PAGEKIN_BENCH_TASKS=str(notes))
        env["PYTHONPATH"] = os.pathsep.join((str(HERE / "tasklog"), env["PYTHONPATH"]))
        words = ["build", "-q", "--tasks", tasks, "--work", Path(folder) / "work"]
        pagekin(*words, "--index", Path(folder) / "index", *web_files(web), env=env)
        return read_notes(notes)


def read_notes(folder: Path) -> list[dict[str, Any]]:
    """All notes of a folder."""
    notes = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.iterdir())]
    if not notes:
        raise PagekinError("no task noted what it took: another sitecustomize comes before ours")
    return notes


def stages_of(notes: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Job and kind, in order of the longest task."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = {}
    for note in notes:
        groups.setdefault((note["job"], note["kind"]), []).append(note)
    rows = []
    for (job, kind), some in groups.items():
        seconds = [note["cpu"] for note in some]
        rows.append(
            {
                "task": f"{job}, {kind}",
                "tasks": len(some),
                "median": statistics.median(seconds),
                "longest": max(seconds),
                "times": max(seconds) / statistics.median(seconds),
                "memory": max(note["memory"] for note in some) / 1e6,
            }
        )
    return sorted(rows, key=lambda row: -row["longest"])


def _table(title: str, stages: list[dict[str, Any]]) -> Table:
    columns = [Column("task"), Column("tasks", ",d"), Column("median CPU s", ".2f")]
    columns += [Column("longest CPU s", ".2f"), Column("longest / median", ".2f")]
    columns.append(Column("largest MB", ".0f"))
    return Table(title, columns, [list(row.values()) for row in stages])


def _targets(stages: list[dict[str, Any]]) -> list[Target]:
    largest = max(stages, key=lambda row: row["memory"])
    uneven = max(stages, key=lambda row: row["times"])
    return [
        Target(f"largest task, MB ({largest['task']})", largest["memory"], _MEMORY),
        Target(f"longest task, times the median ({uneven['task']})", uneven["times"], _LONGEST),
    ]


BENCHMARK = Benchmark(
    "hot",
    "memory and CPU of the largest task where keys are hot",
    _ABOUT,
    add_options,
    run,
    ("--no-plain", "--pages", "4000"),
)
