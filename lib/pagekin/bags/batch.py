"""Many bags at once: terms and weights of all in two arrays, so that numpy is called once for them.

A record of a short bag costs less than one numpy call. What a job only passes on, the URL and where
the bag came from, stays the bytes that it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64encode

from pagekin.bags.bag import Bag, Weights, parse_counts, split_value
from pagekin.kinds import Pair
from pagekin.text.words import Terms

__all__ = [
    "Batch",
    "Bounds",
    "Packed",
    "batch_records",
    "batches_of",
    "halves",
    "lay_out",
    "read_batches",
    "read_values",
]

_LARGE = 2 << 20  # bytes of values in one batch: 200,000 terms, some 30 MB at work

Bounds = NDArray[np.int64]


class Packed(NamedTuple):
    """Terms and weights of bags that lie behind one another."""

    terms: Terms
    weights: Weights
    bounds: Bounds  # the i-th bag has the terms from bounds[i] to bounds[i + 1]


class Batch(NamedTuple):
    """Bags, laid behind one another."""

    urls: list[bytes]
    origins: list[bytes]  # `crawled anchors pages hosts`, as in the record
    terms: Terms
    weights: Weights
    bounds: Bounds

    @classmethod
    def of(cls, bags: Sequence[Bag]) -> Batch:
        """These bags."""
        return cls(
            [bag.url.encode() for bag in bags],
            [b"%d %d %d %d" % bag[1:5] for bag in bags],
            np.concatenate([np.empty(0, np.uint32), *(bag.terms for bag in bags)]),
            np.concatenate([np.empty(0, np.float32), *(bag.weights for bag in bags)]),
            _bounds(len(bag.terms) for bag in bags),
        )

    def packed(self) -> Packed:
        """What is in the bags."""
        return Packed(self.terms, self.weights, self.bounds)

    def bags(self) -> Iterator[Bag]:
        """The bags, one by one."""
        edges = pairwise(self.bounds.tolist())
        for url, origin, (a, b) in zip(self.urls, self.origins, edges, strict=True):
            yield Bag(url.decode(), *parse_counts(origin), self.terms[a:b], self.weights[a:b])


def batches_of(bags: Iterable[Bag], size: int) -> Iterator[Batch]:
    """Bags in batches of `size`."""
    rest = iter(bags)
    while some := list(islice(rest, size)):
        yield Batch.of(some)


def read_batches(pairs: Iterable[Pair], size: int) -> Iterator[Batch]:
    """The bags of records in batches of `size`, and of fewer where they are large."""
    urls: list[bytes] = []
    values: list[bytes] = []
    held = 0
    for url, value in pairs:
        urls.append(url)
        values.append(value)
        held += len(value)
        if len(urls) == size or held > _LARGE:
            yield Batch(urls, *read_values(values))
            urls, values, held = [], [], 0
    if urls:
        yield Batch(urls, *read_values(values))


def read_values(values: Sequence[bytes]) -> tuple[list[bytes], Terms, Weights, Bounds]:
    """Origins, terms, weights and bounds of bags of which these are the records' values."""
    origins, packed = zip(*map(split_value, values), strict=True) if values else ((), ())
    return list(origins), *lay_out(packed)


def lay_out(packed: Sequence[bytes]) -> Packed:
    """Bags of which these are the bytes: terms, and behind them as many weights."""
    terms, weights = halves(packed)
    bounds = _bounds(len(data) >> 3 for data in packed)
    return Packed(np.frombuffer(terms, "<u4"), np.frombuffer(weights, "<f4"), bounds)


def halves(packed: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The first halves of all, one behind the other, and the second ones.

    >>> halves([b"abAB", b"cC"])
    (b'abc', b'ABC')
    """
    first = b"".join([data[: len(data) >> 1] for data in packed])
    return first, b"".join([data[len(data) >> 1 :] for data in packed])


def batch_records(batch: Batch) -> Iterator[Pair]:
    """The records of the bags."""
    terms, weights = batch.terms.tobytes(), batch.weights.tobytes()
    edges = pairwise((batch.bounds * batch.terms.itemsize).tolist())
    for url, origin, (a, b) in zip(batch.urls, batch.origins, edges, strict=True):
        yield url, b"%b %b" % (origin, b64encode(terms[a:b] + weights[a:b]))


def _bounds(sizes: Iterable[int]) -> Bounds:
    return np.cumsum([0, *sizes], dtype=np.int64)
