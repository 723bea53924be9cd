"""`map`: CPU per page of the map phase, beside only decompressing and parsing the same pages."""

from __future__ import annotations

import argparse
import statistics
import tempfile
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.corpora import add_warc, corpora, made_web, web_files
from benchmarks.floors import decompress_only, parse_only
from benchmarks.harness import Add, Benchmark, in_process, in_turns, ratio, timed
from benchmarks.packing import inventory_task, sample_task
from benchmarks.results import Column, Result, Table, Target
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.engine.job import settle_memory
from pagekin.stages.extractor import ReadingTask, extract
from pagekin.stages.reading import READING
from pagekin.web.streams import WHOLE

__all__ = ["BAGS", "BENCHMARK", "map_phase", "mapped_records"]

_ABOUT = """\
Floor: decompress the records and parse the HTML with lxml, nothing else. Bags: read, decode,
detect, parse, tokens, windows, URLs, packed records, and the records of the words. Each way runs
in a process of its own, in turns; ratios are taken round by round, and the median is shown.

Cold is the first sight of the words, as in a task that starts; that is the figure. Warm is the same
pages again in the same process. Start is what a process takes once, however many pages follow: stop
lists, dictionaries and tables that are read at first use. It is measured on 20 other pages before
the rest, and is in no other figure."""

BAGS = ("fragments",)  # the outputs of the reading that bags need
_BAGS, _BOTH, _SHINGLES = 2.5, 3.2, 0.4  # times the floor, at most
_GOAL = 2.0
_FLOOR = "parse only"
_FIRST_PAGES = 20


def add_options(add: Add) -> None:
    """Which pages, and how often."""
    add_warc(add)
    add("--rounds", type=int, default=3, metavar="N", help="(default: %(default)s)")


def run(options: argparse.Namespace) -> Result:
    """A row for each way, on each corpus."""
    tables, targets = [], []
    first = web_files(made_web(options.data, _FIRST_PAGES))
    for name, files in corpora(options.data, options.warc, options.pages).items():
        with tempfile.TemporaryDirectory(prefix="bench-", dir=options.data) as folder:
            packing = f"{folder}/packing"
            in_process(sample_task, files=files, path=packing)
            task = partial(in_process, map_phase, files=files, first=first, packing=packing)
            look = partial(in_process, inventory_task, files=files)
            ways = {
                "decompress only": partial(in_process, decompress_only, files=files),
                _FLOOR: partial(in_process, parse_only, files=files),
                "inventory": look,
                "inventory, with a sample": partial(look, sample=True),
                "bags": task,
                "bags and blocks": partial(task, outputs=(*BAGS, "blocks")),
                "bags and shingles": partial(task, outputs=(*BAGS, "shingles")),
            }
            found = in_turns(ways, options.rounds)
        tables.append(_table(name, found))
        floor = [said["cpu"] for said in found[_FLOOR]]
        for way, bound, goal in (("bags", _BAGS, _GOAL), ("bags and blocks", _BOTH, None)):
            mine = ratio([said["cpu"] for said in found[way]], floor)
            targets.append(
                Target(f"{name}: {way}, times parse only", mine.median, bound, goal=goal)
            )
        more, less = ([said["cpu"] for said in found[way]] for way in ("bags and shingles", "bags"))
        added = [one - other for one, other in zip(more, less, strict=True)]
        mine = ratio(added, floor)
        targets.append(Target(f"{name}: shingles add, times parse only", mine.median, _SHINGLES))
    return Result(tables, targets)


def map_phase(
    files: list[str], first: list[str], packing: str, *, outputs: Collection[str] = BAGS
) -> dict[str, Any]:
    """CPU seconds cold and warm, and what was made; run it in a fresh process."""
    start = timed(lambda: _mapped(first, packing, outputs=outputs)[0])
    cold = timed(lambda: _mapped(files, packing, outputs=outputs))
    made, counters = cold.value
    count = counters.get
    pages, terms, links = count("records", "used"), count("text", "terms"), count("links", "found")
    return {
        "start": start.cpu,
        "cpu": cold.cpu,
        "warm": timed(lambda: _mapped(files, packing, outputs=outputs)[0]).cpu,
        "pages": pages,
        "terms": terms,
        "links": links,
        "bytes": made,
    }


def _mapped(files: list[str], packing: str, *, outputs: Collection[str]) -> tuple[int, Counters]:
    """The bytes of all records that a map task of the reading makes, and what it counts."""
    records, counters = mapped_records(files, packing, outputs=outputs)
    return sum(len(key) + len(value) for key, value in records), counters


def mapped_records(
    files: list[str], packing: str, *, outputs: Collection[str] = BAGS
) -> tuple[Iterator[tuple[bytes, bytes]], Counters]:
    """All that a map task of the reading makes, without the engine, and what it counts by then."""
    settle_memory()
    counters = Counters()
    task = ReadingTask(BuildConfig(), counters, {"packing": Path(packing)})
    wanted = [output for output in READING.outputs if output.name in outputs]
    whole = [(file, WHOLE) for file in files]
    return extract(wanted, task, whole, lambda start: lambda pages, size: None), counters


def _table(name: str, found: dict[str, list[dict[str, Any]]]) -> Table:
    columns = [Column("way"), Column("pages", ",d"), Column("CPU ms a page", ".3f")]
    columns += [Column("x parse only", ".2f"), Column("rounds"), Column("warm: ms", ".3f")]
    columns += [Column("warm: x", ".2f"), Column("start s", ".2f"), Column("terms a page", ",.0f")]
    columns += [Column("links a page", ".0f"), Column("KB made a page", ".1f")]
    floor = [said["cpu"] for said in found[_FLOOR]]
    rows = [_row(way, rounds, floor) for way, rounds in found.items()]
    return Table(f"Map phase, {name}", columns, rows)


def _row(way: str, rounds: list[dict[str, Any]], floor: list[float]) -> list[Any]:
    said, cold = rounds[0], ratio([r["cpu"] for r in rounds], floor)
    pages = max(said["pages"], 1)
    each = 1000 * statistics.median(r["cpu"] for r in rounds) / pages
    row = [way, said["pages"], each, cold.median, cold.spread()]
    if "warm" not in said:
        return [*row, *[None] * 6]
    warm = [r["warm"] for r in rounds]
    row += [1000 * statistics.median(warm) / pages, ratio(warm, floor).median]
    row.append(statistics.median(r["start"] for r in rounds))
    return [*row, said["terms"] / pages, said["links"] / pages, said["bytes"] / pages / 1000]


BENCHMARK = Benchmark(
    "map",
    "CPU per page of the map phase, times only parsing",
    _ABOUT,
    add_options,
    run,
    ("--rounds", "2"),
)
