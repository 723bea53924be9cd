"""`signatures`: speed and error of signatures, beside datasketch's weighted sketches."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from benchmarks.corpora import add_work, made_work
from benchmarks.harness import Add, Benchmark, MissingPeer, peer, say
from benchmarks.results import Column, Result, Table, Target
from pagekin.bags.bag import Bag, Bags
from pagekin.build.bag_store import BagStore
from pagekin.config import SignatureConfig
from pagekin.errors import UsageError
from pagekin.minhash.signatures import make_signer
from pagekin.query.exact import jaccards

__all__ = ["BENCHMARK"]

_ABOUT = """\
Speed is bags per CPU second of one core, the best of three runs, in turns. Error is that of the
estimated weighted Jaccard on random pairs, and on pairs of near neighbours (found by signatures of
another seed, so that the choice favours nobody); beside it the error of M independent samples.
Where datasketch is installed, its WeightedMinHashGenerator signs the same bags in the same run.

The bags are those of a workspace that pagekin build made, or of a made-up web."""

DIMENSIONS = (4096, 20_000)  # of datasketch's tables: it takes dense vectors of a fixed vocabulary
RUNS = 3
NEAR_BAGS, NEAR_EACH = 400, 5
SEED, OTHER_SEED = 1, 2
FASTER, WORSE = 30.0, 1.05
SLOW_BAGS = 200  # signed in one run by what signs a thousand a second


class Pairs(NamedTuple):
    """Pairs of bags, and how similar they are."""

    first: list[int]
    second: list[int]
    truth: np.ndarray


class Method(NamedTuple):
    """What is measured: a run over bags, and estimates for pairs."""

    name: str
    bags: int  # in one run
    run: Callable[[], Any]
    estimate: Callable[[Pairs], np.ndarray] | None


def add_options(add: Add) -> None:
    """Which bags, and how many pairs."""
    add_work(add)
    add("--pages", type=int, default=2000, metavar="N", help="of the made-up web (default: 2000)")
    add("--crawled", action="store_true", help="only bags of crawled pages")
    add("--pairs", type=int, default=2000, metavar="N", help="random pairs (default: 2000)")
    add("--count", type=int, default=80, metavar="M", help="signatures a bag (default: 80)")


def run(options: argparse.Namespace) -> Result:
    """A row for each method."""
    work = options.work or made_work(options.data, options.pages)
    bags = [bag for bag in BagStore(work).all() if len(bag.terms)]
    bags = [bag for bag in bags if bag.crawled] if options.crawled else bags
    if len(bags) <= NEAR_EACH:
        raise UsageError("the workspace holds too few bags")
    random = np.random.default_rng(SEED)
    kinds = {
        "random": random_pairs(bags, options.pairs, random),
        "near": near_pairs(bags, options.count, random),
    }
    methods = [*ours(bags, options.count), *datasketch(bags, options.count)]
    rows = measure(methods, kinds, options.count)
    terms = np.mean([len(bag.terms) for bag in bags])
    about = (
        f"{len(bags):,} bags of {terms:.0f} terms on average, {options.count} signatures. Mean"
        f" similarity of random pairs {similarity(kinds['random'])}, of near pairs"
        f" {similarity(kinds['near'])}."
    )
    return Result([table(rows, about)], targets(rows))


# --- pairs ---


def similarity(pairs: Pairs) -> float:
    """The mean."""
    return round(float(pairs.truth.mean()), 4)


def with_truth(bags: list[Bag], first: list[int], second: list[int]) -> Pairs:
    """Pairs with their exact similarity."""
    found = [_jaccard(bags[a], bags[b]) for a, b in zip(first, second, strict=True)]
    return Pairs(first, second, np.array(found))


def _jaccard(a: Bag, b: Bag) -> float:
    return float(jaccards(a.terms, a.weights, Bags.of([b]).columns())[0])


def random_pairs(bags: list[Bag], count: int, random: np.random.Generator) -> Pairs:
    """Any two."""
    first, second = random.integers(0, len(bags), (2, count)).tolist()
    return with_truth(bags, first, second)


def near_pairs(bags: list[Bag], count: int, random: np.random.Generator) -> Pairs:
    """Some bags with those that have most signatures in common with them."""
    rows = make_signer(SignatureConfig(count=count, seed=OTHER_SEED)).sign(*joined(bags))
    first, second = [], []
    for chosen in random.choice(len(bags), min(NEAR_BAGS, len(bags)), replace=False).tolist():
        equal = (rows == rows[chosen]).sum(axis=1)
        equal[chosen] = -1
        first += [chosen] * NEAR_EACH
        second += np.argsort(-equal, kind="stable")[:NEAR_EACH].tolist()
    return with_truth(bags, first, second)


# --- methods ---


def joined(bags: list[Bag]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bags one behind another, as a signer takes them."""
    terms = np.concatenate([bag.terms for bag in bags])
    weights = np.concatenate([bag.weights for bag in bags])
    return terms, weights, np.cumsum([0, *(len(bag.terms) for bag in bags)], dtype=np.int64)


def ours(bags: list[Bag], count: int) -> list[Method]:
    """Our three."""
    arrays = joined(bags)
    methods = []
    for name in ("darts", "icws", "linear"):
        signer = make_signer(SignatureConfig(count=count, seed=SEED, method=name))

        def estimate(pairs: Pairs, signer: Any = signer) -> np.ndarray:
            rows = signer.sign(*arrays)
            return (rows[pairs.first] == rows[pairs.second]).mean(axis=1)

        run = lambda signer=signer: signer.sign(*arrays)  # noqa: E731
        methods.append(Method(name, len(bags), run, estimate))
    return methods


def datasketch(bags: list[Bag], count: int) -> list[Method]:
    """Its weighted sketches, which hold tables for a vocabulary known in advance."""
    try:
        make_generator = peer("datasketch", "datasketch").WeightedMinHashGenerator
    except MissingPeer as missing:
        say(f"  {missing}")
        return []
    methods = []
    for size in DIMENSIONS:
        generator = make_generator(size, sample_size=count, seed=SEED)
        vectors = [
            dense(bag, bag.terms % size, size) for bag in bags[:: len(bags) // SLOW_BAGS + 1]
        ]
        run = lambda make=generator.minhash, these=vectors: [make(v) for v in these]  # noqa: E731

        def estimate(pairs: Pairs, make: Any = generator.minhash, size: int = size) -> np.ndarray:
            both = ((bags[a], bags[b]) for a, b in zip(pairs.first, pairs.second, strict=True))
            return np.array([sketched(a, b, make, size) for a, b in both])

        wanted = estimate if size == DIMENSIONS[0] else None  # the other differs in speed alone
        methods.append(Method(f"datasketch, {size:,} words", len(vectors), run, wanted))
    return methods


def dense(bag: Bag, places: np.ndarray, size: int) -> np.ndarray:
    """A bag as a vector."""
    vector = np.zeros(size)
    vector[places] = bag.weights
    return vector


def sketched(a: Bag, b: Bag, make: Any, size: int) -> float:
    """Its estimate for two bags, with the words of just these two as the vocabulary."""
    words = np.union1d(a.terms, b.terms)
    first, second = (make(dense(x, np.searchsorted(words, x.terms), size)) for x in (a, b))
    return float(first.jaccard(second))


# --- figures ---


def measure(methods: list[Method], kinds: dict[str, Pairs], count: int) -> list[dict[str, Any]]:
    """A row for each method."""
    speeds = dict.fromkeys((method.name for method in methods), 0.0)
    for _ in range(RUNS):
        for method in methods:
            start = time.process_time()
            method.run()
            speed = method.bags / (time.process_time() - start)
            speeds[method.name] = max(speeds[method.name], speed)
    rows = []
    for method in methods:
        row: dict[str, Any] = {"method": method.name, "bags_per_cpu_second": speeds[method.name]}
        others = [name for name in speeds if name.startswith("datasketch")]
        row |= {f"times_{name}": speeds[method.name] / speeds[name] for name in others}
        for kind, pairs in kinds.items() if method.estimate else ():
            error = method.estimate(pairs) - pairs.truth
            ideal = np.sqrt((pairs.truth * (1 - pairs.truth)).mean() / count)
            row[f"{kind}_rmse"] = float(np.sqrt((error**2).mean()))
            row[f"{kind}_ideal"] = float(ideal)
            row[f"{kind}_bias"] = float(error.mean())
        rows.append(row)
    return rows


def table(rows: list[dict[str, Any]], about: str) -> Table:
    """Speed with error beside it."""
    others = [name for name in rows[0] if name.startswith("times_")]
    columns = [Column("method"), Column("bags per CPU s", ",.0f")]
    columns += [Column(f"x {name[6:]}", ".1f") for name in others]
    names = [f"{kind}_{name}" for kind in ("random", "near") for name in ("rmse", "ideal", "bias")]
    columns += [
        Column(name.replace("_", ": ").replace("rmse", "RMSE"), "+.4f" if "bias" in name else ".4f")
        for name in names
    ]
    columns += [Column("random: RMSE / ideal", ".2f"), Column("near: RMSE / ideal", ".2f")]
    cells = [
        [
            *(row[name] for name in ("method", "bags_per_cpu_second", *others)),
            *(row.get(name) for name in names),
            *(of_ideal(row, kind) for kind in ("random", "near")),
        ]
        for row in rows
    ]
    return Table("Signatures", columns, cells, about)


def of_ideal(row: dict[str, Any], kind: str) -> float | None:
    """The error, times that of independent samples."""
    ideal = row.get(f"{kind}_ideal")
    return float(row[f"{kind}_rmse"] / ideal) if ideal else None


def targets(rows: list[dict[str, Any]]) -> list[Target]:
    """What must hold of darts."""
    darts, beside = rows[0], f"times_datasketch, {DIMENSIONS[0]:,} words"
    found = []
    if beside in darts:
        found.append(Target("darts, times datasketch's speed", darts[beside], FASTER, least=True))
    shares = {kind: of_ideal(darts, kind) for kind in ("random", "near")}
    return found + [
        Target(f"darts, {kind} pairs: RMSE / ideal", share, WORSE)
        for kind, share in shares.items()
        if share is not None
    ]


BENCHMARK = Benchmark(
    "signatures", "bags signed per CPU second, and their error", _ABOUT, add_options, run
)
