"""`scale`: how the cost of a build grows with pages, and how its time shrinks with workers."""

from __future__ import annotations

import argparse
import math
import resource
import subprocess
import tempfile
from collections.abc import Collection, Sequence
from functools import partial
from operator import itemgetter
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np

from benchmarks.asking import choose
from benchmarks.corpora import made_web, web_files
from benchmarks.harness import Add, Benchmark, in_process, in_turns, pagekin, say, timed
from benchmarks.job import build
from benchmarks.results import Column, Figure, Result, Table, Target
from pagekin import Index
from pagekin.errors import UsageError

__all__ = ["BENCHMARK", "ask_index", "exponent"]

_ABOUT = """\
Whole builds (-r local) of made-up webs of growing size, each made anew: CPU of all processes,
wall clock, and the memory of the largest task of each stage. The exponent is the slope of a line
through the logarithms of pages and seconds: 1 is linear, and what a build takes once makes it
smaller, so it is told for all sizes and for the two largest. A web of more pages has more files
and not more tasks, so each task has more to do. Workers are tasks at once, on as many cores.
The disk that a build takes is what it and its index have at most, looked at every second, without
the snapshot. The indexes of the smallest and of the largest web are verified and asked.

Small webs are built three times, in turns, and the build of middle length counts."""

_QUESTIONS = 1_000
_ROUNDS, _SMALL = 3, 4_000  # builds of a web of so many pages, or fewer
_EXPONENT = 1.05
_CORES = 1.7
_GROWTH = 1.1  # of the largest task of a stage, from the smallest to the largest web
_FAR, _FAR_GROWTH = 10, 1.2  # where the largest has so many times the pages


def add_options(add: Add) -> None:
    """How many pages, and how many at work."""
    sizes = [2000, 4000, 8000, 16000]
    add("--pages", type=int, nargs="+", default=sizes, metavar="N", help="webs of so many pages")
    add("--tasks", type=int, default=2, metavar="N", help="tasks at once (default: 2)")
    add(
        "--workers",
        type=int,
        nargs="*",
        default=[1, 2],
        metavar="N",
        help="tasks at once, for the smallest and for the largest web (default: 1 2)",
    )
    add("--mean-words", type=int, default=1400, metavar="N", help="of a page (default: 1400)")
    add("--mean-links", type=int, default=100, metavar="N", help="of a page (default: 100)")


def run(options: argparse.Namespace) -> Result:
    """Tables by pages, by stage and by workers."""
    sizes = sorted(set(options.pages))
    if len(sizes) < 2:
        raise UsageError("--pages takes two sizes at least")
    at_once = sorted(set(options.workers))
    ends = (sizes[0], sizes[-1])  # of these all numbers of workers are told
    shape = {"mean_words": options.mean_words, "mean_links": options.mean_links}
    built = {}
    for pages in sizes:
        files = web_files(made_web(options.data, pages, **shape))
        tasks = {options.tasks, *(at_once if pages in ends else ())}
        asked = options.tasks if pages in ends else 0
        built[pages] = _built(options.data, pages, files, tasks, asked)
    said = {pages: by[options.tasks] for pages, by in built.items()}
    workers = {pages: {n: built[pages][n] for n in at_once} for pages in ends}
    growth = _FAR_GROWTH if sizes[-1] > _FAR * sizes[0] else _GROWTH
    totals = {what: {n: float(s[what]) for n, s in said.items()} for what in ("cpu", "wall")}
    tables = [_by_pages(said), _by_stage(said), _asked(said), _by_workers(workers)]
    targets = [
        Target("exponent of the CPU time, all sizes", exponent(totals["cpu"]), _EXPONENT),
        Target("exponent of the CPU time, two largest", exponent(_last(totals["cpu"])), _EXPONENT),
        Target("exponent of the wall clock, all sizes", exponent(totals["wall"]), _EXPONENT),
    ]
    targets += [
        Target(f"{stage}: growth of its largest task's memory", grown, growth)
        for stage, grown in _growth(said).items()
    ]
    targets += [
        Target(f"{pages:,} pages: on 2 cores, times as fast as on one", faster, _CORES, least=True)
        for pages, faster in _on_two_cores(workers).items()
    ]
    figures = _figures(said, workers) if len(sizes) > 2 else []  # two points are no curve
    return Result([t for t in tables if t.rows], targets, figures)


def exponent(seconds: dict[int, float]) -> float:
    """The slope between logarithms."""
    x, y = ([math.log(v) for v in some] for some in (seconds.keys(), seconds.values()))
    return float(np.polyfit(x, y, 1)[0])


def _last(seconds: dict[int, float]) -> dict[int, float]:
    return dict(sorted(seconds.items())[-2:])


def _built(
    data: Path, pages: int, files: list[str], at_once: Collection[int], asked: int
) -> dict[int, dict[str, Any]]:
    """What builds of so many pages say, by tasks at once; the index of one of them is asked."""

    def work(tasks: int) -> dict[str, Any]:
        with tempfile.TemporaryDirectory(prefix="bench-", dir=data) as folder:
            work = Path(folder) / "work"
            with _DiskUse(Path(folder)) as disk:
                said = {**build(work, files, tasks), "disk": disk.most}
            return {**said, **_ask(f"{work}.index")} if tasks == asked else said

    say(f"  builds of {pages:,} pages, by tasks at once")
    ways = {str(tasks): partial(work, tasks) for tasks in sorted(at_once)}
    found = in_turns(ways, _ROUNDS if pages <= _SMALL else 1)
    return {int(tasks): _middle(builds) for tasks, builds in found.items()}


class _DiskUse:
    """Looks every second how much a folder holds; `most` at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._over, self.most = folder, Event(), 0
        self._thread = Thread(target=self._watch, daemon=True)

    def __enter__(self) -> _DiskUse:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        self._thread.join()
        self._look()

    def _watch(self) -> None:
        while not self._over.wait(1):
            self._look()

    def _look(self) -> None:
        self.most = max(self.most, _bytes_in(self._folder))


def _bytes_in(folder: Path) -> int:
    """What the files of a folder take on the disk, while others write and remove them."""
    words = ["du", "-s", "--block-size=1", str(folder)]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return int(said.split()[0]) if said else 0


def _ask(index: str) -> dict[str, Any]:
    """Seconds of `verify`, and milliseconds of a question of each kind, warm and at first."""
    say("  verify, and questions")
    verified = pagekin("verify", "--index", index)
    return {"verified": verified.wall, **in_process(ask_index, index=index, count=_QUESTIONS)}


def ask_index(index: str, count: int) -> dict[str, Any]:
    """Ask so many pages by each source, each once: the files are on the disk, not in memory."""
    opened, ways = Index(index), ["bags", "cocitation"]
    said = {}
    for by, urls in choose(opened, ways, count).items():
        took = [timed(lambda url=url, by=by: list(opened.related(url, 10, by=by))) for url in urls]
        wall = sorted(1000 * each.wall for each in took)
        found = sum(1 for each in took if each.value)
        said[by] = {"asked": len(urls), "answered": found}
        if wall:
            said[by] |= {"median": wall[len(wall) // 2], "p99": wall[len(wall) * 99 // 100]}
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    return {"asked": said, "asking_memory": memory}


def _middle(builds: Sequence[dict[str, Any]]) -> dict[str, Any]:
    return sorted(builds, key=itemgetter("wall"))[len(builds) // 2]


def _largest(said: dict[str, Any]) -> dict[str, float]:
    """Megabytes of the largest task of each stage."""
    return {stage["name"]: stage["peak_memory"] / 1e6 for stage in said["stages"]}


def _growth(said: dict[int, dict[str, Any]]) -> dict[str, float]:
    first, last = (_largest(said[n]) for n in (min(said), max(said)))
    return {stage: last[stage] / first[stage] for stage in last if first.get(stage)}


def _by_pages(said: dict[int, dict[str, Any]]) -> Table:
    columns = [Column("pages", ",d"), Column("CPU s", ",.1f"), Column("CPU ms a page", ".2f")]
    columns += [Column("wall s", ",.1f"), Column("pages a wall second", ",.0f")]
    columns += [Column("largest task MB", ".0f"), Column("index KB a page", ".2f")]
    columns.append(Column("disk KB a page, at most", ".2f"))
    rows: list[list[Any]] = []
    for pages, s in said.items():
        memory, index = max(_largest(s).values()), s["index"]["bytes"] / pages / 1000
        each = [s["cpu"], 1000 * s["cpu"] / pages, s["wall"], pages / s["wall"]]
        rows.append([pages, *each, memory, index, s["disk"] / pages / 1000])
    return Table("Growing with pages", columns, rows)


def _asked(said: dict[int, dict[str, Any]]) -> Table:
    """Each question is asked once, so that the first touch of a file is in it."""
    columns = [Column("pages", ",d"), Column("verify s", ",.1f"), Column("by")]
    columns += [Column("asked", ",d"), Column("answered", ",d")]
    columns += [Column("median ms", ".2f"), Column("99 of 100 within ms", ".2f")]
    columns.append(Column("memory MB", ".0f"))
    rows: list[list[Any]] = []
    for pages, s in said.items():
        for by, told in s.get("asked", {}).items():
            each = [told.get(what) for what in ("asked", "answered", "median", "p99")]
            rows.append([pages, s["verified"], by, *each, s["asking_memory"]])
    return Table("Asking", columns, rows)


def _by_stage(said: dict[int, dict[str, Any]]) -> Table:
    sizes = list(said)
    columns = [Column("stage")]
    columns += [Column(f"{n:,}: CPU s", ",.2f") for n in sizes] + [Column("exponent", ".2f")]
    columns += [Column(f"{n:,}: largest task MB", ".0f") for n in sizes] + [Column("x", ".2f")]
    columns.append(Column("KB of output a page", ".2f"))
    rows: list[list[Any]] = []
    for place, stage in enumerate(said[sizes[0]]["stages"]):
        each = {n: s["stages"][place] for n, s in said.items()}
        seconds = {n: s["cpu_seconds"] for n, s in each.items()}
        memory = [s["peak_memory"] / 1e6 for s in each.values()]
        rows.append(
            [
                *(stage["name"], *seconds.values(), exponent(seconds), *memory),
                *(memory[-1] / memory[0], each[sizes[-1]]["bytes"] / sizes[-1] / 1000),
            ]
        )
    return Table("Stage by stage", columns, rows)


Workers = dict[int, dict[int, dict[str, Any]]]  # by pages, by tasks at once


def _on_two_cores(workers: Workers) -> dict[int, float]:
    """How many times as fast two tasks at once are."""
    return {n: by[1]["wall"] / by[2]["wall"] for n, by in workers.items() if {1, 2} <= by.keys()}


def _by_workers(workers: Workers) -> Table:
    columns = [Column("pages", ",d"), Column("at once", ",d"), Column("wall s", ",.1f")]
    columns += [Column("times as fast", ".2f"), Column("CPU s", ",.1f")]
    rows: list[list[Any]] = []
    for pages, by in workers.items():
        first = by[min(by)]["wall"] if by else 0.0
        rows += [[pages, n, s["wall"], first / s["wall"], s["cpu"]] for n, s in by.items()]
    return Table("Growing with workers", columns, rows)


def _figures(said: dict[int, dict[str, Any]], workers: Workers) -> list[Figure]:
    def line(name: str, by: dict[int, float]) -> list[tuple[str, float | None, float]]:
        return [(name, float(x), y) for x, y in by.items()]

    seconds = line("CPU", {n: s["cpu"] for n, s in said.items()})
    seconds += line("wall clock", {n: s["wall"] for n, s in said.items()})
    memory = [
        mark
        for stage in _largest(said[min(said)])
        for mark in line(stage, {n: _largest(s)[stage] for n, s in said.items()})
    ]
    figures = [
        Figure("scale-time", "Time of a build", "", ("pages", "seconds"), seconds),
        Figure("scale-memory", "Largest task of each stage", "", ("pages", "MB"), memory),
    ]
    pages, last = max(workers.items())
    if len(last) > 1:
        wall = {n: s["wall"] for n, s in last.items()}
        marks = line("wall clock", wall)
        marks += line("if it were linear", {n: wall[min(wall)] * min(wall) / n for n in wall})
        title, axes = f"Time of a build of {pages:,} pages", ("tasks at once", "seconds")
        figures.append(Figure("scale-workers", title, "", axes, marks))
    return figures


BENCHMARK = Benchmark(
    "scale",
    "cost by pages and by workers: exponents and memory",
    _ABOUT,
    add_options,
    run,
    ("--pages", "2000", "4000", "8000"),
)
