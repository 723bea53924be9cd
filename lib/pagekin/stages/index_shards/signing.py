"""Bags get their signatures, many at once [SIM 6.2]."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pagekin.bags.batch import Batch
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.index.building import Signed
from pagekin.minhash.signatures import make_signer

__all__ = ["BATCH", "sign_batches"]

BATCH = 2_048  # bags signed in one call: one at a time costs 5 to 20 times as much


def sign_batches(
    batches: Iterable[Batch], config: BuildConfig, counters: Counters
) -> Iterator[Signed]:
    """Each batch with the signatures of its bags."""
    signer = make_signer(config.signatures, normalised=config.weight.normalise)
    for batch in batches:
        counters.add("index", "documents", len(batch.urls))
        counters.add("index", "without_terms", int((batch.bounds[1:] == batch.bounds[:-1]).sum()))
        yield Signed(batch, signer.sign(batch.terms, batch.weights, batch.bounds))
