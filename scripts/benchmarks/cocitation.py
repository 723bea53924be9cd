"""`cocitation`: from blocks of links to the best kin, beside text pairs, Spark SQL and scipy."""

from __future__ import annotations

import argparse
import heapq
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import combinations, groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.harness import Add, Benchmark, MissingPeer, cpu, in_process, peer, say
from benchmarks.results import Column, Result, Table, Target
from benchmarks.spark_pairs import spark_sums
from pagekin.cocitation.block_record import blocks_value
from pagekin.cocitation.kin_table import parse_kin
from pagekin.config import CocitationConfig
from pagekin.counters import Counters
from pagekin.engine.job import settle_memory
from pagekin.kinds import Pair
from pagekin.stages.pairs.reducer import make_edges
from pagekin.stages.pairs.stripes import make_stripes
from pagekin.stages.related.best_kin import select_best

__all__ = ["BENCHMARK", "agreement", "make_blocks"]

_ABOUT = """\
Blocks have 2 to 80 links, 12.3 on average, to 200,000 pages of which few are linked to often, on
pages of 5,000 domains, with 16 anchor texts of two words. They go through the mapper, `LC_ALL=C
sort` and the reducer of the pairs, then through those of the kin, in this process and `sort` in
one of its own. Speed is unordered pairs per CPU second of all of it; the run with the least CPU
counts.

As plain text one line is one pair in one direction, and the reducer knows the same caps: what one
would write first. Its URLs and anchors are numbers, which is to its advantage. Where pyspark and
Java are installed, Spark SQL does the very same sums on local[2], from a text file of links, and
its kin are compared with ours; the CPU is that of its Java process from the first query on, so
without its start. Where scipy is installed, its product of the sparse matrix of blocks and pages
is the floor: it knows no caps and no best."""

SPEED, GOAL = 2.5e6, 5e6  # unordered pairs per CPU second
TARGETS, DOMAINS = 200_000, 5000
SYLLABLES = ("bar", "gul", "mor", "tes", "kim", "lop", "nud", "rit")
ANCHORS = [f"{a}{b} {b}{a}n" for a in SYLLABLES[:4] for b in SYLLABLES[4:]]
ONE = 1 << 16

Kin = dict[str, set[tuple[int, int]]]  # way -> pages and their kin


class Block(NamedTuple):
    """The numbers of the targets, and of the domain of the page."""

    targets: list[int]
    domain: int


class Phase(NamedTuple):
    """What a phase of a run took, and the bytes that left it."""

    name: str
    seconds: float
    bytes: int


def add_options(add: Add) -> None:
    """How many blocks, and what they are compared with."""
    add("--blocks", type=int, default=40_000, metavar="N", help="how many (default: 40000)")
    add("--threshold", type=float, default=4.0, metavar="T", help="T (default: 4.0)")
    add("--rounds", type=int, default=3, metavar="N", help="of ours (default: 3)")
    add("--no-text", action="store_true", help="leave out the plain text")
    add("--no-spark", action="store_true", help="leave out Spark")


def run(options: argparse.Namespace) -> Result:
    """A row for each way."""
    blocks = list(make_blocks(options.blocks))
    sizes = np.array([len(block.targets) for block in blocks])
    pairs = int((sizes * (sizes - 1) // 2).sum())
    kin: Kin = {}
    rows = []
    for way, rounds, work in ways(blocks, options, kin):
        say(f"  {way}")
        rows.append(summed(way, best_of(work, rounds, options.data), pairs))
    rows += with_spark(blocks, options, pairs, kin) + sparse(blocks, pairs)
    about = (
        f"{len(blocks):,} blocks of {sizes.mean():.1f} links on average, {pairs:,} unordered pairs,"
        f" T = {options.threshold}. Kin: pages related to another, and how many of them are ours."
    )
    speed = rows[0]["pairs_per_cpu_second"]
    target = Target("stripes: unordered pairs per CPU second", speed, SPEED, least=True, goal=GOAL)
    return Result([table(rows, kin, about)], [target])


def ways(
    blocks: list[Block], options: argparse.Namespace, kin: Kin
) -> Iterator[tuple[str, int, Callable[[Path], list[Phase]]]]:
    """What runs in this process, and how often."""
    yield "stripes", options.rounds, partial(stripes, blocks, options.threshold, kin)
    if not options.no_text:  # ten times slower: once is enough
        yield "text pairs", 1, partial(text_pairs, blocks)


def make_blocks(count: int) -> Iterator[Block]:
    """Random blocks, the same each time."""
    random = np.random.default_rng(4)
    sizes = np.clip(random.lognormal(2.3, 0.8, count).astype(int), 2, 80)
    domains = random.integers(0, DOMAINS, count)
    for size, domain in zip(sizes.tolist(), domains.tolist(), strict=True):
        often = np.exp(random.random(size) * np.log(TARGETS)) * 3
        chosen = (often + random.integers(0, TARGETS // 2, size)).astype(np.int64)
        yield Block(np.unique(np.minimum(TARGETS - 1, chosen)).tolist(), domain)


# --- what runs and what it takes ---


def best_of(run: Callable[[Path], list[Phase]], rounds: int, data: Path) -> list[Phase]:
    """The phases of the run with the least CPU."""
    found = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory(prefix="bench-", dir=data) as folder:
            found.append(run(Path(folder)))
    return min(found, key=lambda phases: sum(phase.seconds for phase in phases))


def phase(name: str, work: Callable[[], Any], path: Path) -> Phase:
    """Do the work; CPU of this process and of those that it waited for."""
    before = cpu()
    work()
    return Phase(name, cpu() - before, path.stat().st_size)


def sort(source: Path, target: Path) -> None:
    """As the runners sort."""
    words = ["sort", "-S", "1G", "-o", str(target), str(source)]
    subprocess.run(words, check=True, env={**os.environ, "LC_ALL": "C"})


def write(path: Path, pairs: Iterable[Pair]) -> None:
    """Records as lines."""
    with path.open("wb", 1 << 20) as out:
        for key, value in pairs:
            out.write(key + b"\t" + value + b"\n")


def read(path: Path) -> Iterator[Pair]:
    """Lines as records."""
    with path.open("rb", 1 << 20) as lines:
        for line in lines:
            key, _, value = line[:-1].partition(b"\t")
            yield key, value


def stripes(blocks: list[Block], threshold: float, found: Kin, folder: Path) -> list[Phase]:
    """The functions that the jobs call, on block records, with memory as tasks have it."""
    settle_memory()
    config, counters = CocitationConfig(threshold=threshold), Counters()
    records = [block_record(k, block) for k, block in enumerate(blocks)]
    paths = [folder / name for name in "abcde"]
    mapped, ordered, edges, grouped, kin = paths
    steps: list[tuple[str, Callable[[], Any], Path]] = [
        ("map", lambda: write(mapped, make_stripes(records, config, counters)), mapped),
        ("sort", lambda: sort(mapped, ordered), ordered),
        ("reduce", lambda: write(edges, make_edges(read(ordered), config, counters)), edges),
        ("sort of edges", lambda: sort(edges, grouped), grouped),
        ("best", lambda: write(kin, select_best(read(grouped), config.kin, counters)), kin),
    ]
    phases = [phase(*step) for step in steps]
    found["stripes"] = kin_of(read(kin))
    return phases


def block_record(number: int, block: Block) -> Pair:
    """A page of one block."""
    domain = f"d{block.domain}.example"
    links = [
        (f"http://www.t{target}.example/", ANCHORS[target & 15], place)
        for place, target in enumerate(block.targets)
    ]
    return f"!blocks/http://p{number}.{domain}/".encode(), blocks_value(domain, [links])


def kin_of(records: Iterable[Pair]) -> set[tuple[int, int]]:
    """The pages, by their numbers, and their kin."""
    found = set()
    for _, value in records:
        page, kin = parse_kin(value)
        found |= {(number_of(page), number_of(each.url)) for each in kin}
    return found


def number_of(url: str) -> int:
    """The number of a target."""
    return int(url.removeprefix("http://www.t").partition(".")[0])


# --- what one would write first ---


def text_pairs(blocks: list[Block], folder: Path) -> list[Phase]:
    """A line for each ordered pair; the best kin of a key in one reducer."""
    mapped, ordered, kin = (folder / name for name in "abc")
    return [
        phase("map", lambda: write_pairs(blocks, mapped), mapped),
        phase("sort", lambda: sort(mapped, ordered), ordered),
        phase("reduce", lambda: reduce_pairs(ordered, kin), kin),
    ]


def write_pairs(blocks: list[Block], path: Path) -> None:
    """Page, partner, domain, anchor, and less S so that the highest is first."""
    with path.open("w", 1 << 20) as out:
        for targets, domain in blocks:
            places = {target: place for place, target in enumerate(targets)}
            for a, b in combinations(targets, 2):
                near = max(abs(places[a] - places[b]) - 8, 0)
                value = 2 * ONE - int(ONE * 0.6065306597**near * (1 + ((a ^ b) & 15 == 0)))
                out.write(f"{a}\t{b}\t{domain}\t{a & 15}\t{value:06d}\n")
                out.write(f"{b}\t{a}\t{domain}\t{b & 15}\t{value:06d}\n")


def reduce_pairs(source: Path, target: Path) -> None:
    """Top 9 of an anchor, 10 of a domain, top 15 of a page."""
    with source.open() as lines, target.open("w") as out:
        for page, of_page in groupby((line.split("\t") for line in lines), key=itemgetter(0)):
            best: list[tuple[float, str]] = []
            for partner, of_pair in groupby(of_page, key=itemgetter(1)):
                total = 0.0
                for _, of_domain in groupby(of_pair, key=itemgetter(2)):
                    added = 0.0
                    for _, of_anchor in groupby(of_domain, key=itemgetter(3)):
                        values = [2 - int(fields[4]) / ONE for fields in of_anchor]
                        added += sum(values[:9])
                    total += min(added, 10.0)
                if len(best) < 15:
                    heapq.heappush(best, (total, partner))
                elif total > best[0][0]:
                    heapq.heapreplace(best, (total, partner))
            out.write(f"{page}\t{sorted(best, reverse=True)}\n")


# --- peers ---


def with_spark(
    blocks: list[Block], options: argparse.Namespace, pairs: int, kin: Kin
) -> list[dict[str, Any]]:
    """The same sums in SQL, where Spark is there."""
    if options.no_spark:
        return []
    try:
        peer("pyspark", "pyspark")
    except MissingPeer as missing:
        say(f"  {missing}")
        return []
    if not shutil.which("java"):
        say("  for a comparison with Spark: install Java")
        return []
    say("  Spark SQL")
    with tempfile.TemporaryDirectory(prefix="bench-", dir=options.data) as folder:
        links = Path(folder) / "links.tsv"
        with links.open("w") as out:
            for number, (targets, domain) in enumerate(blocks):
                out.writelines(
                    f"{number}\t{domain}\t{place}\t{target}\t{target & 15}\n"
                    for place, target in enumerate(targets)
                )
        words = {"links": str(links), "folder": folder, "threshold": options.threshold}
        said = in_process(spark_sums, kin=CocitationConfig().kin, **words)
    kin["Spark SQL, local[2]"] = {(a, b) for a, b in said["kin"]}
    phases = [Phase("query", said["cpu"], said["shuffled"])]
    return [summed("Spark SQL, local[2]", phases, pairs)]


def sparse(blocks: list[Block], pairs: int) -> list[dict[str, Any]]:
    """The product of the matrix of blocks and pages with itself, where scipy is there."""
    try:
        csr_matrix = peer("scipy.sparse", "scipy").csr_matrix
    except MissingPeer as missing:
        say(f"  {missing}")
        return []
    bounds = np.cumsum([0, *(len(block.targets) for block in blocks)])
    places = np.concatenate([block.targets for block in blocks])
    matrix = csr_matrix((np.ones(len(places), "f4"), places, bounds), (len(blocks), TARGETS))
    before = cpu()
    product = matrix.T.tocsr() @ matrix
    done = Phase("product", cpu() - before, product.data.nbytes + product.indices.nbytes)
    return [summed("scipy, no caps, no best", [done], pairs)]


# --- figures ---


def summed(name: str, phases: list[Phase], pairs: int) -> dict[str, Any]:
    """The figures of a way."""
    seconds = sum(phase.seconds for phase in phases)
    return {
        "way": name,
        "pairs_per_cpu_second": pairs / seconds,
        "cpu_seconds": seconds,
        "phases": ", ".join(f"{phase.name} {phase.seconds:.2f}" for phase in phases),
        "shuffled_bytes": phases[0].bytes,
    }


def agreement(ours: set[tuple[int, int]], others: set[tuple[int, int]]) -> float:
    """The share of both together that both have; 1 where there is none."""
    return len(ours & others) / len(ours | others) if ours | others else 1.0


def table(rows: list[dict[str, Any]], kin: Kin, about: str) -> Table:
    """Speed with what came out beside it."""
    columns = [Column("way"), Column("M pairs per CPU s", ".2f"), Column("x stripes", ".2f")]
    columns += [Column("CPU s", ".2f"), Column("phases"), Column("MB shuffled", ".0f")]
    columns += [Column("kin", ",d"), Column("as ours", ".1%")]
    base, cells = rows[0]["pairs_per_cpu_second"], []
    for row in rows:
        speed, found = row["pairs_per_cpu_second"], kin.get(row["way"])
        told = [None, None] if found is None else [len(found), agreement(kin["stripes"], found)]
        figures = [row["cpu_seconds"], row["phases"], row["shuffled_bytes"] / 1e6]
        cells.append([row["way"], speed / 1e6, speed / base, *figures, *told])
    return Table("Co-citation", columns, cells, about)


BENCHMARK = Benchmark(
    "cocitation",
    "pairs of links merged per CPU second, to the best kin",
    _ABOUT,
    add_options,
    run,
    ("--blocks", "20000", "--rounds", "2"),
)
