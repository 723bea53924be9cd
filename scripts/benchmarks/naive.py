"""`naive`: the same task in a straightforward script, and how good the answers of each way are."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.corpora import add_warc, corpora
from benchmarks.harness import HERE, Add, Benchmark, Timed, pagekin, peer, run_words, say
from benchmarks.results import Column, Result, Table, Target
from pagekin.synthetic.make_web import DIRECTORY
from pagekin.web.urls import canonical

__all__ = ["BENCHMARK", "judged", "read_directory"]

_ABOUT = """\
From HTML to weighted sketches to the ten nearest pages: scripts/benchmarks/naive_kin.py, written as
one would with BeautifulSoup, datasketch and Python dictionaries, beside pagekin build --index with
bags alone and pagekin related --all. The script makes and asks bags of the pages that it reads, and
leaves out much that its head names. pagekin does the same with --bag-urls crawled, and that is what
the target is about; by itself it also makes and asks bags for pages that were linked to and not
read, several for each page. The script is one process, and so tasks of ours run one at a time.

Quality is judged by the directory of the made-up web: of ten answers those whose class is known,
and which share of these are siblings (of the page's own class) or kin (below the same top
class). Only pages whose class is known are asked about. A made-up web shows whether answers are
right, and not how good they would be on a real one. Of other files no class is known."""

_TIMES = 10.0
_K = 10
_SCRIPT = "BeautifulSoup, datasketch, dictionaries"
_READ = "pagekin, pages that were read"
_EVERY = "pagekin, all URLs"
_PEERS = (
    ("bs4", "beautifulsoup4"),
    ("datasketch", "datasketch"),
    ("fastwarc", "FastWARC"),
)


def add_options(add: Add) -> None:
    """Which pages."""
    add_warc(add, 2000)


def run(options: argparse.Namespace) -> Result:
    """A table of each corpus."""
    for module, package in _PEERS:
        peer(module, package)
    tables, targets = [], []
    for name, files in corpora(options.data, options.warc, options.pages).items():
        directory = Path(files[0]).parent / DIRECTORY
        classes = read_directory(directory) if directory.is_file() else {}
        table, target = _compare(name, files, classes, options.data)
        tables.append(table)
        targets.append(target)
    return Result(tables, targets)


def _compare(
    name: str, files: list[str], classes: dict[str, set[str]], data: Path
) -> tuple[Table, Target]:
    """A row for each way."""
    say("  the script")
    script = run_words([sys.executable, HERE / "naive_kin.py", *files])
    read = _ours(files, data, "--bag-urls", "crawled")
    every = _ours(files, data)
    base = sum(part.cpu for part in read)
    rows = [_row(_SCRIPT, script.cpu, script, base, classes)]
    for way, (built, asked) in ((_READ, read), (_EVERY, every)):
        rows.append(_row(way, built.cpu + asked.cpu, asked, base, classes))
        parts = {"build": built.cpu, "related --all": asked.cpu}
        rows += [[f"of it: {part}", cpu, cpu / base, *[None] * 5] for part, cpu in parts.items()]
    columns = [Column("way"), Column("CPU s", ",.1f"), Column("x pagekin, read pages", ".2f")]
    columns += [Column("pages answered", ",d"), Column("of known class", ",d")]
    columns += [Column("labelled of 10", ".2f"), Column("siblings", ".1%"), Column("kin", ".1%")]
    what = f"{name}: the script's CPU, times ours for pages that were read"
    return Table(f"The whole task, {name}", columns, rows), Target(
        what, script.cpu / base, _TIMES, least=True
    )


def _ours(files: list[str], data: Path, *flags: str) -> tuple[Timed, Timed]:
    """A build, and the answers for all its documents."""
    with tempfile.TemporaryDirectory(prefix="bench-", dir=data) as folder:
        say(f"  {' '.join(('pagekin build, bags alone', *flags))}")
        work, index = Path(folder) / "work", Path(folder) / "index"
        words = ["build", "-q", "--tasks", 1, "--only", "bags", *flags]
        built = pagekin(*words, "--work", work, "--index", index, *files)
        say("  pagekin related --all")
        return built, pagekin("related", "--index", index, "--all", "-k", _K, "--json")


def _row(
    name: str, seconds: float, said: Timed, base: float, classes: dict[str, set[str]]
) -> list[Any]:
    pages, *judgement = judged(said.value.splitlines(), classes)
    return [name, seconds, seconds / base, pages, *(judgement if classes else [None] * 4)]


def read_directory(path: Path) -> dict[str, set[str]]:
    """The classes of each page."""
    classes: dict[str, set[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        url, _, name = line.partition("\t")
        if form := canonical(url):
            classes.setdefault(form, set()).add(name.strip())
    return classes


def judged(
    lines: Iterable[str], classes: dict[str, set[str]]
) -> tuple[int, int, float, float, float]:
    """Pages answered, those of known class, labelled answers of each, and the shares of kinds."""
    pages = known = siblings = kin = labelled = 0
    for line in lines:
        said = json.loads(line)
        pages += 1
        mine = classes.get(canonical(said["url"]) or "")
        if not mine:
            continue
        known += 1
        others = [classes.get(canonical(one["url"]) or "") for one in said["related"][:_K]]
        for other in filter(None, others):
            labelled += 1
            siblings += bool(mine & other)
            kin += bool(_tops(mine) & _tops(other))
    all_of = max(labelled, 1)
    return pages, known, labelled / max(known, 1), siblings / all_of, kin / all_of


def _tops(names: set[str]) -> set[str]:
    """The classes just below the root."""
    return {"/".join(name.split("/")[:3]) for name in names}


BENCHMARK = Benchmark(
    "naive",
    "CPU and quality beside a straightforward script",
    _ABOUT,
    add_options,
    run,
    ("--pages", "1000"),
)
