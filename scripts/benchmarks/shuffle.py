"""`shuffle`: what the bags send through the shuffle, and what merging it costs."""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.corpora import add_warc, corpora
from benchmarks.harness import Add, Benchmark, cpu, in_process, say, timed
from benchmarks.packing import sample_task
from benchmarks.results import Column, Result, Table, Target
from pagekin.bags.vocabulary import WORDS_KEY
from pagekin.jobs.reading import Reading
from pagekin.kinds import BLOCKS, STATISTICS, Pair
from pagekin.stages.fragments.parcels import PARCEL

__all__ = ["BENCHMARK", "kind_of", "map_task", "merge_task"]

_ABOUT = """\
A sample of the pages tells where large hosts are cut, as in a build. All go through one map task
of the job, its records are sorted as the runners sort, and compressed with zlib, level 1, in that
order: that is what an engine sends. Parcels with the page's own words, those of other hosts, words
and blocks of links are told apart by compressing each kind by itself. Then the job's reducer reads
the sorted lines. A thousand pages are pages read, not URLs merged."""

_KB, _SECONDS = 8.0, 0.4  # a page; CPU per 1,000 pages
_OWN = slice(10, 11)  # of a parcel: there it says whether it has the page's own words
_KINDS = ("own host", "other hosts", "words", "blocks")


def add_options(add: Add) -> None:
    """Which pages, and how often."""
    add_warc(add)
    add("--rounds", type=int, default=3, metavar="N", help="of merging (default: %(default)s)")


def run(options: argparse.Namespace) -> Result:
    """Bytes by kind, and the cost of merging."""
    sizes: list[list[Any]] = []
    costs: list[list[Any]] = []
    targets: list[Target] = []
    for name, files in corpora(options.data, options.warc, options.pages).items():
        with tempfile.TemporaryDirectory(prefix="bench-", dir=options.data) as folder:
            lines, packing = str(Path(folder) / "sorted"), str(Path(folder) / "packing")
            say(f"  {name}: mapping")
            sampled = in_process(sample_task, files=files, path=packing)
            task = {"files": files, "packing": packing}
            made = in_process(map_task, **task, path=lines)
            both = in_process(map_task, **task, path=f"{lines}.blocks", blocks=True)
            say(f"  {name}: merging")
            task = {"packing": packing, "path": lines}
            merged = [in_process(merge_task, **task) for _ in range(options.rounds)]
        best = min(merged, key=lambda said: said["cpu"])
        thousands = made["pages"] / 1000
        sizes += [_sizes(name, "bags", made), _sizes(name, "bags and blocks", both)]
        cpu = [best["cpu"] / thousands, made["sort"] / thousands]
        each = [best["bags"] / made["pages"], best["terms"] / made["pages"]]
        costs.append([name, made["pages"], sampled["pages"], *cpu, *each, best["memory"] / 1e6])
        kilobytes = made["compressed"]["all"] / made["pages"] / 1000
        targets += [
            Target(f"{name}: KB a page, compressed", kilobytes, _KB),
            Target(f"{name}: CPU s of merging 1,000 pages", best["cpu"] / thousands, _SECONDS),
        ]
    return Result([_size_table(sizes), _cost_table(costs)], targets)


def map_task(files: list[str], path: str, packing: str, *, blocks: bool = False) -> dict[str, Any]:
    """Write the sorted output of a map task; gives its bytes, plain and compressed."""
    outputs = "fragments,blocks" if blocks else "fragments"
    job = Reading(["--packing", packing, f"--outputs={outputs}"])
    lines = Path(path)
    with lines.open("wb", 1 << 20) as out:
        for key, value in job.map_pairs((file.encode(), b"") for file in files):
            out.write(key + b"\t" + value + b"\n")
    before = cpu()
    words = ["sort", "-S", "1G", "-o", path, path]
    subprocess.run(words, check=True, env={**os.environ, "LC_ALL": "C"})
    sorting = cpu() - before
    plain, compressed = _compressed(lines)
    pages = job.counters_.get("records", "used")
    return {"pages": pages, "plain": plain, "compressed": compressed, "sort": sorting}


def merge_task(path: str, packing: str) -> dict[str, Any]:
    """What the reducer takes for the sorted lines."""
    from pagekin.counters import peak_memory  # noqa: PLC0415

    job = Reading(["--packing", packing, "--outputs=fragments"])

    def work() -> int:
        return sum(1 for _ in job.reduce_pairs(_lines(Path(path))))

    done = timed(work)
    counters = job.counters_
    bags, terms = counters.get("bags", "urls"), counters.get("bags", "terms")
    return {"cpu": done.cpu, "bags": bags, "terms": terms, "memory": peak_memory()}


def kind_of(key: bytes, value: bytes) -> str:
    """Whose record it is; nothing for statistics."""
    if key == STATISTICS:
        return ""
    if key.startswith(BLOCKS.prefix):
        return "blocks"
    if key.startswith(WORDS_KEY):
        return "words"
    has_own = value.startswith(PARCEL) and value[_OWN] in {b"0", b"1"}
    return "own host" if has_own else "other hosts"


def _compressed(lines: Path) -> tuple[dict[str, int], dict[str, int]]:
    """Bytes by kind and of all."""
    packers = {kind: zlib.compressobj(1) for kind in (*_KINDS, "all")}
    plain, packed = dict.fromkeys(packers, 0), dict.fromkeys(packers, 0)
    for key, value in _lines(lines):
        line = key + b"\t" + value + b"\n"
        for kind in filter(None, (kind_of(key, value), "all")):
            plain[kind] += len(line)
            packed[kind] += len(packers[kind].compress(line))
    for kind, packer in packers.items():
        packed[kind] += len(packer.flush()) if plain[kind] else 0
    return plain, packed


def _lines(path: Path) -> Iterator[Pair]:
    with path.open("rb", 1 << 20) as lines:
        for line in lines:
            key, _, value = line[:-1].partition(b"\t")
            yield key, value


def _sizes(name: str, what: str, made: dict[str, Any]) -> list[Any]:
    pages = made["pages"] * 1000
    each = [made["compressed"][kind] / pages or None for kind in _KINDS]
    return [name, what, made["plain"]["all"] / pages, made["compressed"]["all"] / pages, *each]


def _size_table(rows: list[list[Any]]) -> Table:
    names = ("KB a page", "zlib-1 KB a page", *(f"{kind}: zlib-1 KB" for kind in _KINDS))
    columns = [Column("pages"), Column("what is made"), *(Column(name, ".2f") for name in names)]
    return Table("Bytes shuffled", columns, rows, "Kinds are compressed each by itself.")


def _cost_table(rows: list[list[Any]]) -> Table:
    columns = [Column("pages"), Column("number", ",d"), Column("in the sample", ",d")]
    columns += [Column("merging: CPU s / 1,000", ".3f")]
    columns += [Column("sorting: CPU s / 1,000", ".3f"), Column("bags a page", ".1f")]
    columns += [Column("terms a page", ",.0f"), Column("memory MB", ".0f")]
    return Table("Merging the bags", columns, rows)


BENCHMARK = Benchmark(
    "shuffle", "bytes a page that the bags shuffle, and CPU of merging", _ABOUT, add_options, run
)
