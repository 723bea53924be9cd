"""Documents for queries: clusters of about 12, each a mixture of its cluster's terms and of others.

Terms follow Zipf's law, weights are log-normal. `nmdf` weighs them with the non-monotonic df
weight; `hot` leaves them as they are, so that very common terms weigh most and their signatures
are shared by thousands of documents. The truth is the exact weighted Jaccard with all documents.
Everything lies in flat arrays: a million documents of 150 terms are 150 million numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Bag, EnrichedBags, Entry, in_batches
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.index.assembling import index_in_place, write_index
from pagekin.index.shard_files import Piece, Signed, shard_of, shard_pieces, sign_bags

__all__ = ["KINDS", "K", "clusters", "data_of", "nmdf", "packed", "url_of", "write"]

K = 10
KINDS = ("nmdf", "hot")
TERMS = 300_000  # of the vocabulary
SEED, QUERY_SEED = 3, 9
_SPREAD = np.uint32(2654435761)  # makes hashes of the numbers of terms


class Documents(NamedTuple):
    """Documents one behind another; those of one have ascending terms."""

    terms: NDArray[Any]
    weights: NDArray[Any]
    bounds: NDArray[Any]


def clusters(count: int) -> Documents:
    """Terms and weights of so many documents."""
    draw = np.random.default_rng(SEED)
    terms: list[NDArray[Any]] = []
    weights: list[NDArray[Any]] = []

    def zipf(size: int) -> NDArray[Any]:
        return np.exp(draw.random(size) * math.log(TERMS)).astype("i4")

    while len(terms) < count:
        center = np.unique(zipf(int(min(600, max(30, draw.lognormal(4.9, 0.5))))))
        heavy = draw.lognormal(0, 1.2, len(center))
        for _ in range(int(draw.integers(6, 19))):
            kept = draw.random(len(center)) < draw.uniform(0.3, 0.95)
            some = np.concatenate((center[kept], zipf(int((~kept).sum()))))
            noise = np.exp(0.4 * draw.standard_normal(int(kept.sum())))
            others = draw.lognormal(0, 1.2, int((~kept).sum()))
            weighed = np.concatenate((heavy[kept] * noise, others))
            distinct, first = np.unique(some, return_index=True)
            terms.append(distinct)
            weights.append((weighed[first] / weighed[first].sum()).astype("f4"))
    terms, weights = terms[:count], weights[:count]
    bounds = np.cumsum([0, *map(len, terms)])
    return Documents(np.concatenate(terms), np.concatenate(weights), bounds)


def nmdf(documents: Documents) -> Documents:
    """Weights under the non-monotonic df weight, mu = ln 100 and sigma = 1.5."""
    terms, weights, bounds = documents
    df = np.maximum(np.bincount(terms, minlength=TERMS + 1), 1)
    factor = np.exp(-0.5 * ((np.log(df) - math.log(100)) / 1.5) ** 2)
    scaled = weights * factor[terms] + 1e-9
    sums = np.add.reduceat(scaled, bounds[:-1])
    scaled /= np.repeat(sums, np.diff(bounds))
    return Documents(terms, scaled.astype("f4"), bounds)


def packed(documents: Documents, queries: int) -> dict[str, NDArray[Any]]:
    """Bags in the order of their hashes, and the exact ten nearest of some of them."""
    hashed = documents.terms.astype("u4") * _SPREAD + np.uint32(16)
    owners = np.repeat(np.arange(len(documents.bounds) - 1, dtype="u8"), np.diff(documents.bounds))
    order = np.argsort(owners << np.uint64(32) | hashed)
    del owners
    terms, weights = hashed[order], documents.weights[order]
    del order, hashed
    count = len(documents.bounds) - 1
    asked = np.random.default_rng(QUERY_SEED).choice(count, min(queries, count), replace=False)
    truth = nearest(terms, weights, documents.bounds, asked)
    return {
        "terms": terms,
        "weights": weights,
        "bounds": documents.bounds,
        "asked": asked,
        "truth": truth,
    }


def nearest(
    terms: NDArray[Any], weights: NDArray[Any], bounds: NDArray[Any], asked: NDArray[Any]
) -> NDArray[Any]:
    """The K documents of the highest weighted Jaccard with each of those asked for."""
    order = np.argsort(terms, kind="stable").astype("u4" if len(terms) < 1 << 32 else "i8")
    owners = np.repeat(np.arange(len(bounds) - 1, dtype="i4"), np.diff(bounds))[order]
    ordered, heavy = terms[order], weights[order]
    del order
    found = []
    for d in asked.tolist():
        mine = slice(bounds[d], bounds[d + 1])
        low = np.searchsorted(ordered, terms[mine])
        high = np.searchsorted(ordered, terms[mine], side="right")
        shared = np.zeros(len(bounds) - 1)
        for a, b, w in zip(low, high, weights[mine], strict=True):
            shared[owners[a:b]] += np.minimum(heavy[a:b], w)
        similar = shared / (2 - shared)
        similar[d] = -1
        found.append(np.argsort(-similar, kind="stable")[:K])
    return np.array(found)


def url_of(document: int) -> str:
    """The address of a document; their order is that of the numbers."""
    return f"http://d{document:08d}.example/"


def data_of(folder: Path, kind: str, documents: int, queries: int) -> Path:
    """Where the bags of a kind lie; the index is beside."""
    return folder / f"{kind}-{documents}-{queries}.npz"


def write(data: Any, folder: Path, shards: int) -> None:
    """Make an index of the bags as a build makes it."""
    config = replace(BuildConfig(), index=replace(BuildConfig().index, shards=shards))
    terms, weights, bounds = data["terms"], data["weights"], data["bounds"].tolist()

    def bags(shard: int) -> Iterator[Bag]:
        for d in range(len(bounds) - 1):
            mine = slice(bounds[d], bounds[d + 1])
            if shard_of(url_of(d).encode(), shards) == shard:
                yield Bag(url_of(d), True, 9, 9, 9, terms[mine], weights[mine])

    def signed(shard: int) -> Iterator[Signed]:
        return sign_bags(map(EnrichedBags, in_batches(bags(shard), 2_048)), config, Counters())

    def words(hashes: NDArray[Any]) -> list[bytes]:
        return [Entry(f"t{h:x}", f"t{h:x}").text() for h in hashes.tolist()]

    def pieces() -> Iterator[tuple[int, Piece]]:
        for shard in range(shards):
            for piece in shard_pieces(signed(shard), config, words):
                yield shard, piece

    frequencies = {"bags": len(bounds) - 1, "terms": TERMS, "mu": math.log(100), "sigma": 1.5}
    with index_in_place(folder) as made:
        write_index(made, config, pieces(), [], frequencies, [])
