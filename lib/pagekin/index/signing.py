"""Bags get their signatures, many at once, and are dealt to shards [SIM 6.2]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np

from pagekin.bags.bag import Bag
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.index.building import Document
from pagekin.index.layout import shard_of
from pagekin.minhash.signatures import make_signer

__all__ = ["sign_bags"]

_BATCH = 256  # bags signed in one call: one at a time costs 5 to 20 times as much


def sign_bags(
    bags: Iterable[Bag], config: BuildConfig, counters: Counters
) -> Iterator[tuple[int, Document]]:
    """Each bag with its signatures, and its shard."""
    signer = make_signer(config.signatures, normalised=config.weight.normalise)
    rest = iter(bags)
    while batch := list(islice(rest, _BATCH)):
        terms = np.concatenate([bag.terms for bag in batch])
        weights = np.concatenate([bag.weights for bag in batch])
        bounds = np.cumsum([0, *(len(bag.terms) for bag in batch)], dtype=np.int64)
        rows = signer.sign(terms, weights, bounds)
        for bag, row in zip(batch, rows, strict=True):
            counters.add("index", "documents")
            counters.add("index", "without_terms", int(not len(bag.terms)))
            yield shard_of(bag.url.encode(), config.index.shards), Document(bag, row)
