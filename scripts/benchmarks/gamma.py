"""`gamma`: what judging so many labelled pages costs."""

from __future__ import annotations

import argparse
import resource
import time
from pathlib import Path

import numpy as np

from benchmarks.corpora import add_work, made_work
from benchmarks.harness import Add, Benchmark, in_process, say
from benchmarks.results import Column, Result, Table
from pagekin.bags.bag import BagColumns
from pagekin.build.bag_store import BagStore
from pagekin.config import BuildConfig
from pagekin.errors import UsageError
from pagekin.evaluate.gamma import tally_sources
from pagekin.evaluate.labelled_pages import LabelledPages
from pagekin.evaluate.similarities import Material, make_representation

__all__ = ["BENCHMARK", "measure"]

_ABOUT = """\
Pages are the bags of a workspace with 100 terms and more, drawn with replacement up to N, each in a
random class of 1,500. S of them are compared with all N, and the time for N sources is what N / S
times as many would take: a source costs the same whichever it is. Memory is the most that the
process ever held, so each line is a process of its own.

The bags are those of a workspace that pagekin build made, or of a made-up web."""

CLASSES = [(f"a{a}", f"b{b}", f"c{c}") for a in range(15) for b in range(10) for c in range(10)]
FULL = 100  # terms
SEED = 1


_BY = ("bags", "signatures")


def add_options(add: Add) -> None:
    """Which bags, and how many of them."""
    add_work(add)
    add("--web", type=int, default=2000, metavar="N", help="pages of the made-up web")
    add("--pages", type=int, nargs="+", default=[5_000, 20_000], metavar="N")
    add("--sources", type=int, default=200, metavar="S")
    add("--by", nargs="+", default=list(_BY), metavar="NAME")


def run(options: argparse.Namespace) -> Result:
    """A row for each representation and number of pages."""
    work = options.work or made_work(options.data, options.web)
    rows = []
    for by in options.by:
        for count in options.pages:
            say(f"  {by}, {count:,} pages")
            words = {"by": by, "count": count, "sources": options.sources}
            rows.append(in_process(measure, work=str(work), **words))
    columns = [Column("by"), Column("pages", ",d"), Column("terms", ",d")]
    columns += [Column("set up s", ".1f"), Column("a source ms", ".2f")]
    columns += [Column("all sources min", ".1f"), Column("memory MB", ".0f")]
    return Result([Table("Judging", columns, rows)])


def measure(work: str, by: str, count: int, sources: int) -> list[str | float]:
    """One row; run it in a fresh process."""
    pages = drawn(Path(work), count)
    began = time.process_time()
    made = make_representation(by, Material(pages, BuildConfig()))
    ready = time.process_time()
    some = min(sources, count)
    tally_sources(pages, made, range(some))
    each = (time.process_time() - ready) / some
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    terms = len(pages.bags.terms)
    return [by, count, terms, ready - began, each * 1e3, each * count / 60, memory]


def drawn(work: Path, count: int) -> LabelledPages:
    """Pages of full bags in random classes."""
    bags = [bag for bag in BagStore(work).all() if len(bag.terms) >= FULL]
    if not bags:
        raise UsageError(f"the workspace holds no bag of {FULL} terms and more")
    chance = np.random.default_rng(SEED)
    some = [bags[k] for k in chance.integers(len(bags), size=count)]
    return LabelledPages(
        [str(k) for k in range(count)],
        CLASSES,
        np.arange(count + 1),
        chance.integers(len(CLASSES), size=count).astype(np.int32),
        BagColumns(
            np.concatenate([bag.terms for bag in some]),
            np.concatenate([bag.weights for bag in some]),
            np.cumsum([0, *(len(bag.terms) for bag in some)]),
        ),
    )


BENCHMARK = Benchmark(
    "gamma",
    "CPU and memory of judging labelled pages",
    _ABOUT,
    add_options,
    run,
    ("--pages", "5000"),
)
