"""`house`: what a build and a question cost here and at another commit, in turns."""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from benchmarks.corpora import corpora
from benchmarks.harness import ROOT, Add, Benchmark, in_turns, ratio, say
from benchmarks.results import Column, Result, Table, Target
from benchmarks.sides import Side, digest_of, other_side, this_side
from pagekin.errors import InputError

__all__ = ["BENCHMARK"]

_ABOUT = """\
This tree and another commit, measured alike and in turns: every second round begins with the other
one, ratios are taken round by round, and the median counts. Both are used through their commands
and through pagekin.Index alone, so it does not matter how they are laid out inside. The commit is
set up with a .venv of its own in the folder of --data, and found there the next time; a folder in
which make setup ran will do as well.

CPU is that of all processes of a build (-r local, two tasks at once, kept to two cores), wall clock
that of the same builds, and memory that of the largest task of any stage. Bytes shuffled are map
output as a cluster would send it, raw and compressed with zlib, level 1: what pagekin plan finds
with --sample 100%. Of questions the median over pages counts, of each page the fastest of three
times, files mapped and caches filled. The indexes of both sides are compared byte by byte.

The corpora are `webpages` in the folder that PAGEKIN_CORPORA names (else ../shared/data, if there
is one), or what --warc names (nothing: none); and a made-up web. Wall clock needs a machine with
nothing else to do; CPU does not, but is a few per cent higher where others use the caches."""

_CPU, _WALL, _MEMORY, _SHUFFLED, _QUESTIONS = 1.10, 1.15, 1.10, 1.25, 1.05
_TASKS = 2
_WAYS = {"bags": "by bags", "cocitation": "by co-citation"}
_MB, _COUNT = ",.1f", ",d"

Row = tuple[str, str, list[float], list[float], float]  # what, its form, here, there, the bound


def add_options(add: Add) -> None:
    """With what to compare, and how often."""
    add("--against", default="HEAD", metavar="COMMIT", help="or a folder (default: HEAD)")
    add("--rounds", type=int, default=5, metavar="N", help="(default: %(default)s)")
    about = "these pages (default: webpages, where it is there)"
    add("--warc", nargs="*", type=Path, default=_webpages(), metavar="FILE", help=about)
    add("--pages", type=int, default=2000, metavar="N", help="made-up pages (default: 2000)")
    add("--questions", type=int, default=200, metavar="N", help="of each way (default: 200)")


def _webpages() -> list[Path]:
    folder = Path(os.environ.get("PAGEKIN_CORPORA") or ROOT.parent / "shared" / "data")
    return sorted((folder / "webpages").glob("*.warc.gz"))


def run(options: argparse.Namespace) -> Result:
    """Tables for each corpus, and lines of code."""
    if options.rounds < 1:
        raise InputError("--rounds takes 1 and more")
    sides = this_side(), other_side(options.against, options.data)
    result = Result([_lines(*sides)])
    for name, files in corpora(options.data, options.warc, options.pages).items():
        with tempfile.TemporaryDirectory(prefix="bench-", dir=options.data) as folder:
            _Corpus(name, files, Path(folder), sides).measure(options, result)
    return result


def _lines(here: Side, there: Side) -> Table:
    columns = [Column(""), *(Column(side.name, _COUNT) for side in (here, there))]
    lines = here.lines(), there.lines()
    row = ["lines of lib and jobs (.py .c .h)", *lines, lines[0] / lines[1]]
    return Table("Lines", [*columns, Column("ratio", ".2f")], [row])


class _Corpus:
    """One corpus, built and asked on both sides."""

    def __init__(self, name: str, files: list[str], folder: Path, sides: tuple[Side, Side]) -> None:
        self.name, self.files, self.folder, self.sides = name, files, folder, sides

    def measure(self, options: argparse.Namespace, result: Result) -> None:
        """Add what is found to the result."""
        say(f"  {self.name}: builds")
        ways = {side.name: partial(self._build, side) for side in self.sides}
        built = list(in_turns(ways, options.rounds).values())
        say(f"  {self.name}: bytes shuffled")
        shuffled = [side.shuffled(self.files) for side in self.sides]
        say(f"  {self.name}: questions")
        rows = _builds(*built) + _shuffled(*shuffled)
        rows += self._questions(options.questions, options.rounds)
        result.tables.append(self._table(rows))
        result.targets.extend(
            Target(f"{self.name}: {what}, ratio", ratio(here, there).median, bound)
            for what, _, here, there, bound in rows
        )
        result.tables.append(self._stages(*built, *shuffled))
        same = len({digest_of(self._index(side)) for side in self.sides}) == 1
        result.notes.append(f"{self.name}: the indexes {'are the same' if same else 'DIFFER'}.")

    def _index(self, side: Side) -> Path:
        return self.folder / ("here" if side is self.sides[0] else "there")

    def _build(self, side: Side) -> dict[str, Any]:
        """A build in a new folder, of which the index is kept."""
        with tempfile.TemporaryDirectory(prefix="build-", dir=self.folder) as folder:
            built = side.build(Path(folder), self.files, _TASKS)
            shutil.rmtree(self._index(side), ignore_errors=True)
            (Path(folder) / "index").rename(self._index(side))
            return built

    def _questions(self, count: int, rounds: int) -> list[Row]:
        chosen = self.sides[0].ask(index=self._index(self.sides[0]), ways=[*_WAYS], count=count)
        ways = {
            side.name: partial(side.ask, index=self._index(side), urls=chosen, times=3)
            for side in self.sides
        }
        here, there = in_turns(ways, rounds).values()
        return [
            (
                f"question {_WAYS[by]}, {what} ms",
                ".3f",
                *([said[by][cost] for said in some] for some in (here, there)),
                _QUESTIONS,
            )
            for by in here[0]
            for cost, what in (("cpu", "CPU"), ("wall", "wall"))
        ]

    def _table(self, rows: Sequence[Row]) -> Table:
        columns = [Column(""), *(Column(side.name, ",") for side in self.sides)]
        columns += [Column("ratio", ".2f"), Column("rounds"), Column("bound", ".2f")]
        cells = []
        for what, form, here, there, bound in rows:
            share = ratio(here, there)
            shown = [format(statistics.median(some), form) for some in (here, there)]
            cells.append([what, *shown, share.median, share.spread(), bound])
        return Table(f"{self.name}", columns, cells)

    def _stages(
        self,
        here: Sequence[dict[str, Any]],
        there: Sequence[dict[str, Any]],
        *shuffled: Mapping[str, dict[str, float]],
    ) -> Table:
        columns = [Column("stage")]
        for what, form in (("CPU s", ".2f"), ("largest task MB", ".0f"), ("shuffled MB", ".2f")):
            columns += [Column(f"{what}, {side.name}", form) for side in self.sides]
            columns += [Column("ratio", ".2f")]
        rows: list[list[Any]] = []
        for names in _same_stages(here[0], there[0]):
            cells: list[float | None] = []
            for what, scale in (("cpu_seconds", 1), ("peak_memory", 1e6)):
                each = [
                    _median_of(some, name, what, scale)
                    for some, name in zip((here, there), names, strict=True)
                ]
                cells += [*each, _share(each)]
            # a stage may be named with what it makes, as in reading.fragments.blocks
            sent = [
                some[plain]["compressed"] / 1e6 if plain in some else None
                for some, plain in zip(shuffled, (n.partition(".")[0] for n in names), strict=True)
            ]
            cells += [*sent, _share(sent)]
            rows.append([" / ".join(dict.fromkeys(filter(None, names))), *cells])
        return Table(f"{self.name}, stage by stage", columns, rows, "Shuffled: compressed.")


def _builds(here: Sequence[dict[str, Any]], there: Sequence[dict[str, Any]]) -> list[Row]:
    def each(what: str) -> tuple[list[float], list[float]]:
        return [said[what] for said in here], [said[what] for said in there]

    def memory(builds: Sequence[dict[str, Any]]) -> list[float]:
        return [max(s["peak_memory"] for s in said["stages"]) / 1e6 for said in builds]

    return [
        ("build, CPU s", ".2f", *each("cpu"), _CPU),
        ("build on two cores, wall s", ".2f", *each("wall"), _WALL),
        ("largest task, MB", ".0f", memory(here), memory(there), _MEMORY),
    ]


def _shuffled(*sides: Mapping[str, dict[str, float]]) -> list[Row]:
    rows: list[Row] = []
    for what, name in (("bytes", "raw"), ("compressed", "compressed")):
        here, there = ([sum(s[what] for s in side.values()) / 1e6] for side in sides)
        rows.append((f"shuffled, {name}, MB", ".2f", here, there, _SHUFFLED))
    return rows


def _same_stages(here: dict[str, Any], there: dict[str, Any]) -> list[tuple[str, str]]:
    """The stages of both sides in order, as pairs: by name, or by place where as many have names of
    their own; one that only one side has stands beside nothing.
    """
    names = [[stage["name"] for stage in said["stages"]] for said in (here, there)]
    own = [
        [name for name in some if name not in other]
        for some, other in zip(names, reversed(names), strict=True)
    ]
    if len(own[0]) == len(own[1]):
        renamed = dict(zip(*own, strict=True))
        return [(name, renamed.get(name, name)) for name in names[0]]
    pairs = [(name, name if name in names[1] else "") for name in names[0]]
    return [*pairs, *zip_longest([], own[1], fillvalue="")]


def _median_of(
    builds: Sequence[dict[str, Any]], name: str, what: str, scale: float
) -> float | None:
    found = [stage[what] for said in builds for stage in said["stages"] if stage["name"] == name]
    return statistics.median(found) / scale if found else None


def _share(each: Sequence[float | None]) -> float | None:
    here, there = each
    return here / there if here is not None and there else None


BENCHMARK = Benchmark(
    "house",
    "a build and questions here and at another commit: CPU, wall, memory, bytes shuffled",
    _ABOUT,
    add_options,
    run,
    alone=True,
)
