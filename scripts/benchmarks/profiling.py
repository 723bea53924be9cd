"""`profile`: the most expensive lines of each stage."""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.corpora import add_warc, corpora
from benchmarks.harness import ROOT, Add, Benchmark, in_process, say
from benchmarks.results import Column, Result, Table
from benchmarks.sampling import Place, Sampler
from pagekin.build.chain import Build, PlannedPass
from pagekin.cli import main as pagekin_main
from pagekin.errors import PagekinError

__all__ = ["BENCHMARK", "most_expensive", "profile_asking", "profile_build"]

_ABOUT = """\
A whole build runs on the inline runner, and 500 times a CPU second it is noted which line of
pagekin is at work; a call of a library counts for the line that makes it. Phases: map and reduce
are the job's own work, tables what the build makes of the records, engine everything else (mrjob,
sorting, reading and writing lines, start of the job). Asking is pagekin related --all of the
finished index. The shares are those of the stage's CPU. Imports count where they happen, so few
pages show them too large."""

_LIB = ROOT / "lib" / "pagekin"
_OURS = [_LIB, ROOT / "jobs"]
_ASKING = "asking"


def add_options(add: Add) -> None:
    """Which pages, and how many lines."""
    add_warc(add, 2000)
    add("--lines", type=int, default=3, metavar="N", help="of each stage (default: %(default)s)")


def run(options: argparse.Namespace) -> Result:
    """A table for each corpus."""
    tables = []
    for name, files in corpora(options.data, options.warc, options.pages).items():
        with tempfile.TemporaryDirectory(prefix="bench-", dir=options.data) as folder:
            rows = _rows(folder, files, options.lines)
        tables.append(_table(name, rows))
    return Result(tables)


def _rows(folder: str, files: list[str], lines: int) -> list[list[Any]]:
    words = {"folder": folder, "files": files, "lines": lines}
    say("  the build")
    rows: list[list[Any]] = in_process(profile_build, **words)
    say(f"  {_ASKING}")
    return rows + in_process(profile_asking, folder=folder, lines=lines)


def _table(name: str, rows: list[list[Any]]) -> Table:
    columns = [Column("stage"), Column("CPU s", ".2f"), Column("phases"), Column("share", ".1%")]
    columns += [Column("phase"), Column("place"), Column("line")]
    return Table(f"The most expensive lines, {name}", columns, rows)


# --- steps, each in a process of its own ---


def profile_build(folder: str, files: list[str], lines: int) -> list[list[Any]]:
    """Rows of every stage of a whole build."""
    samplers: defaultdict[str, Sampler] = defaultdict(lambda: Sampler(_OURS))
    run_pass = Build._run_pass  # one stage, whatever the others do

    def sampled(build: Build, planned: PlannedPass, *others: Any) -> None:
        with samplers[planned.stage.name].running():
            run_pass(build, planned, *others)

    Build._run_pass = sampled  # type: ignore[method-assign] # this process ends soon
    words = ["build", "-q", "-r", "inline", "--work", f"{folder}/work"]
    _call([*words, "--index", f"{folder}/index", *files])
    each = (most_expensive(name, s.seconds, lines) for name, s in samplers.items())
    return [row for rows in each for row in rows]


def profile_asking(folder: str, lines: int) -> list[list[Any]]:
    """Rows of asking the index for every page."""
    sampler = Sampler(_OURS, _ASKING)
    with sampler.running():
        _call(["related", "--index", f"{folder}/index", "--all"])
    return most_expensive(_ASKING, sampler.seconds, lines)


def _call(words: list[str]) -> None:
    with contextlib.redirect_stdout(io.StringIO()):
        code = pagekin_main(words)
    if code:
        raise PagekinError(f"pagekin {words[0]} ended with code {code}")


def most_expensive(stage: str, seconds: Counter[Place], lines: int) -> list[list[Any]]:
    """The rows of a stage: its sums once, and a row for each of its most expensive lines."""
    total = sum(seconds.values())
    if not total:
        return [[stage, 0.0, "", None, None, None, None]]
    phases: Counter[str] = Counter()
    for place, amount in seconds.items():
        phases[place.phase] += amount  # type: ignore[assignment]
    told = ", ".join(f"{phase} {amount / total:.0%}" for phase, amount in phases.most_common())
    rows: list[list[Any]] = []
    ours = Counter({place: s for place, s in seconds.items() if place.file})
    for place, amount in ours.most_common(lines):
        where = f"{_short(place.file)}:{place.line} {place.function}"
        rows.append([None, None, None, amount / total, place.phase, where, f"`{place.text()}`"])
    rows = rows or [[None] * 7]
    rows[0][:3] = [stage, total, told]
    return rows


def _short(file: str) -> str:
    path = Path(file)
    return str(path.relative_to(_LIB if path.is_relative_to(_LIB) else ROOT))


BENCHMARK = Benchmark(
    "profile",
    "the most expensive lines of each stage",
    _ABOUT,
    add_options,
    run,
    ("--pages", "1000"),
)
