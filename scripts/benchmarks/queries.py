"""`queries`: how fast, how right and how large queries are, beside datasketch."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.clusters import KINDS, K, clusters, data_of, nmdf, packed, url_of, write
from benchmarks.harness import Add, Benchmark, MissingPeer, in_process, peer, say
from benchmarks.results import Column, Result, Table, Target
from pagekin import Index

__all__ = ["BENCHMARK", "datasketch_lsh", "generate", "ours"]

_ABOUT = """\
The data: clusters of about 12 documents, each a mixture of its cluster's terms and of background
terms in Zipf's law, log-normal weights; the truth is the exact weighted Jaccard over all documents.
Every system runs in a process of its own, which tells its memory; all are warm and in process.
`hot` is the same without the nmdf weight: very common terms weigh most there, and their signatures
are shared by thousands of documents. Memory is what the process holds more than before it opened
the index: after opening, after the first query, and after all queries, twice each; an index that is
mapped grows with what was touched. datasketch is measured where it is installed, up to a million
documents; its constructor draws permutations anew for each query, so here they are shared.

200,000 documents take one to two minutes to make, a million about eight and 10 GB of memory; with
--systems exact signatures they take half. --data keeps them."""

_MEDIAN, _P99 = 5.0, 25.0  # milliseconds, of exact answers at a million documents
_ALL = 1_000_000_000  # a budget that is never spent
_SYSTEMS: dict[str, dict[str, Any]] = {
    "signatures": {"kind": "nmdf", "exact": False},
    "exact": {"kind": "nmdf", "exact": True},
    "hot signatures": {"kind": "hot", "exact": False},
    "hot exact": {"kind": "hot", "exact": True},
    "hot signatures, all lists": {"kind": "hot", "exact": False, "budget": _ALL},
    "hot exact, all lists": {"kind": "hot", "exact": True, "budget": _ALL},
    "lsh80": {"threshold": 0.0},
    "lsh0.15": {"threshold": 0.15},
}


def add_options(add: Add) -> None:
    """How many documents, and which systems."""
    add("--documents", type=int, default=200_000, metavar="N", help="(default: 200000)")
    add("--queries", type=int, default=200, metavar="N", help="(default: 200)")
    add("--shards", type=int, default=1, metavar="N", help="of our index (default: 1)")
    add("--budget", type=int, default=0, metavar="N", help="0: the default of a query")
    add("--candidates", type=int, default=0, metavar="N", help="0: the default of a query")
    add("--systems", nargs="+", choices=tuple(_SYSTEMS), default=list(_SYSTEMS), metavar="NAME")


def run(options: argparse.Namespace) -> Result:
    """A row for each system."""
    systems = {name: _SYSTEMS[name] for name in options.systems if _possible(name, options.shards)}
    kinds = {"nmdf", *(how.get("kind", "nmdf") for how in systems.values())}
    shared = {"documents": options.documents, "queries": options.queries, "shards": options.shards}
    shared["data"] = str(options.data)
    say(f"  making {options.documents:,} documents")
    made = in_process(generate, kinds=sorted(kinds), **shared)
    chosen = {name: getattr(options, name) for name in ("budget", "candidates")}
    rows = {}
    for name, how in systems.items():
        say(f"  {name}")
        words = {**{k: v for k, v in chosen.items() if v}, **how, **shared}
        rows[name] = in_process(ours if "kind" in how else datasketch_lsh, **words)
    about = f"{options.documents:,} documents, {options.queries} queries, k = {K}, warm."
    return Result([_table(rows, about), _made_table(made)], _targets(rows, options.documents))


def _possible(name: str, shards: int) -> bool:
    if "threshold" not in _SYSTEMS[name]:
        return True
    if shards != 1:  # it takes the signatures of document d from row d of one shard
        say(f"  {name}: left out, needs --shards 1")
        return False
    try:
        peer("datasketch", "datasketch")
    except MissingPeer as missing:
        say(f"  {name}: {missing}")
        return False
    return True


# --- steps, each in a process of its own ---


def generate(
    data: str, documents: int, queries: int, shards: int, kinds: list[str]
) -> dict[str, dict[str, Any]]:
    """Documents, truth and indexes, unless they are there; what an index takes."""
    folder, made = Path(data), {}
    paths = {kind: data_of(folder, kind, documents, queries) for kind in kinds}
    if not all(path.exists() for path in paths.values()):
        plain = clusters(documents)
        for kind, path in paths.items():
            weighed = nmdf(plain) if kind == KINDS[0] else plain
            np.savez(path, **packed(weighed, queries))
    for kind, path in paths.items():
        index = _index_of(path, shards)
        began, found = time.process_time(), index.exists()
        if not found:
            with np.load(path) as loaded:
                write(
                    {name: loaded[name] for name in ("terms", "weights", "bounds")}, index, shards
                )
        files = Index.open(index).info()["bytes"]
        made[kind] = {
            "cpu": None if found else time.process_time() - began,
            "bytes": {name: size / documents for name, size in files.items()},
        }
    return made


def ours(  # noqa: PLR0917 - the words of a step
    data: str,
    documents: int,
    queries: int,
    shards: int,
    kind: str,
    exact: bool,
    budget: int = 0,
    candidates: int = 0,
) -> dict[str, Any]:
    """`Index.related`, from URL to URLs."""
    path = data_of(Path(data), kind, documents, queries)
    asked = _questions(path)
    before = resident()
    index = Index.open(_index_of(path, shards))
    # the search itself, without the order of answers by what was read and by host
    how: dict[str, Any] = {"exact": exact, "read": "any", "per_host": 0, "alpha": 0.0}
    how |= {"budget": budget} if budget else {}
    how |= {"candidates": candidates} if candidates else {}
    capped: list[int] = []

    def ask(document: int) -> tuple[list[int], int]:
        answer = index.related(url_of(document), K, **how)
        capped.append(answer.capped)
        return [int(kin.url[8:16]) for kin in answer], answer.candidates

    result = measure(ask, asked, lambda: resident() - before)
    return {**result, "capped": float(np.mean(capped))}


def datasketch_lsh(
    data: str, documents: int, queries: int, shards: int, threshold: float, **_: int
) -> dict[str, Any]:
    """MinHashLSH over our signatures, its candidates ranked by equal signatures."""
    library = peer("datasketch", "datasketch")
    path = data_of(Path(data), "nmdf", documents, queries)
    asked = _questions(path)
    rows = np.array(Index.open(_index_of(path, shards))._folder.shards[0].H).astype("u8")
    count = rows.shape[1]
    shared = library.MinHash(num_perm=count, seed=1, scheme="legacy").permutations
    before, began = resident(), time.process_time()

    def sketch(document: int) -> Any:
        return library.MinHash(
            num_perm=count,
            hashvalues=rows[document],
            seed=1,
            scheme="legacy",
            permutations=shared,
        )

    bands = {"threshold": threshold} if threshold else {"params": (count, 1)}
    lsh = library.MinHashLSH(num_perm=count, **bands)
    with lsh.insertion_session() as session:
        for document in range(documents):
            session.insert(document, sketch(document), check_duplication=False)
    built = time.process_time() - began

    def ask(document: int) -> tuple[list[int], int]:
        found = np.array(lsh.query(sketch(document)), dtype="i8")
        equal = (rows[found] == rows[document]).sum(axis=1)
        best = np.argpartition(-equal, min(K + 1, len(equal) - 1))[: K + 2]
        order = best[np.argsort(-equal[best], kind="stable")]
        return [d for d in found[order].tolist() if d != document][:K], len(found)

    result = measure(ask, asked, lambda: resident() - before)
    return {**result, "build_cpu": round(built, 1)}


def _questions(path: Path) -> dict[str, list[Any]]:
    with np.load(path) as loaded:
        return {name: loaded[name].tolist() for name in ("asked", "truth")}


def _index_of(path: Path, shards: int) -> Path:
    return path.with_name(f"{path.stem}-{shards}.index")


def resident() -> float:
    """Megabytes that this process holds now, mapped files included."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024
    return 0.0


def measure(
    ask: Callable[[int], tuple[list[int], int]],
    data: dict[str, list[Any]],
    memory: Callable[[], float],
) -> dict[str, Any]:
    """Ask everything once to warm up, then measure."""
    asked, truth = data["asked"], data["truth"]
    opened = memory()
    answers = [ask(asked[0])]
    first = memory()
    answers += [ask(d) for d in asked[1:]]
    seconds = []
    for d in asked:
        began = time.perf_counter()
        ask(d)
        seconds.append(time.perf_counter() - began)
    right = [len(set(a) & set(t)) / K for (a, _), t in zip(answers, truth, strict=True)]
    return {
        "median": round(float(np.median(seconds)) * 1000, 4),
        "p99": round(float(np.percentile(seconds, 99)) * 1000, 4),
        "recall": round(float(np.mean(right)), 4),
        "opened": round(opened, 1),
        "first": round(first, 1),
        "memory": round(memory(), 1),
        "candidates": float(np.mean([candidates for _, candidates in answers])),
    }


# --- figures ---


def _table(rows: dict[str, dict[str, Any]], about: str) -> Table:
    columns = [Column("system"), Column("median ms", ".3f"), Column("p99 ms", ".3f")]
    columns += [Column("recall@10", ".3f"), Column("median / lsh80", ".2f")]
    columns += [Column("MB opened", ".0f"), Column("MB, 1 query", ".0f"), Column("MB, all", ".0f")]
    columns += [Column("candidates", ",.0f"), Column("lists left out", ".1f")]
    columns += [Column("build CPU s", ",.1f")]
    base, cells = rows.get("lsh80"), []
    for name, s in rows.items():
        share = s["median"] / base["median"] if base else None
        figures = [s["median"], s["p99"], s["recall"], share, s["opened"], s["first"], s["memory"]]
        cells.append([name, *figures, s["candidates"], s.get("capped"), s.get("build_cpu")])
    return Table("Queries", columns, cells, about)


def _made_table(made: dict[str, dict[str, Any]]) -> Table:
    parts = list(dict.fromkeys(part for said in made.values() for part in said["bytes"]))
    columns = [Column("index"), Column("CPU s to make", ",.1f")]
    columns += [Column(f"{part}: bytes a document", ",.1f") for part in parts]
    rows = [[kind, s["cpu"], *(s["bytes"].get(p) for p in parts)] for kind, s in made.items()]
    return Table(
        "What was asked", columns, rows, "Where no CPU stands, the index was there before."
    )


def _targets(rows: dict[str, dict[str, Any]], documents: int) -> list[Target]:
    found = []
    for name in ("signatures", "exact"):
        if name in rows:
            what = f"{name}, {documents:,} documents"
            found.append(Target(f"{what}: warm median, ms", rows[name]["median"], _MEDIAN))
            found.append(Target(f"{what}: p99, ms", rows[name]["p99"], _P99))
    return found


BENCHMARK = Benchmark(
    "queries",
    "time, recall and memory of queries in process",
    _ABOUT,
    add_options,
    run,
    ("--documents", "100000"),
)
