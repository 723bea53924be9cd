"""A bag: terms with weights, and where they came from. As a record, and many at once.

One record serves raw bags (merged, not yet weighted) and final ones: key the URL, value
`crawled anchors pages hosts terms-and-weights`, the last as base64 of n little-endian 32-bit term
hashes in ascending order and n 32-bit floats. docs/formats.md has the record with an example.

A job reads many bags into two arrays, so that numpy is called once for all of them: a short bag
takes less time than one call. The URL and the four counts, which a job only passes on, stay bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.kinds import Pair
from pagekin.text.words import Terms

__all__ = [
    "Bag",
    "BagColumns",
    "Bags",
    "Bounds",
    "Weights",
    "bag_value",
    "halves",
    "in_batches",
    "is_bag",
    "parse_bag",
    "parse_counts",
    "read_bags",
]

Weights = NDArray[np.float32]
Bounds = NDArray[np.int64]

_ITEM = 8  # bytes: a term and a weight
_SHOWN = 40  # bytes of a value that a message shows
_LARGE = 2 << 20  # bytes of values in one batch: 200,000 terms, some 30 MB at work


class Bag(NamedTuple):
    """Terms with weights, and where they came from."""

    url: str
    crawled: bool  # the page itself was read, and its words are in
    anchors: int  # links to the URL
    pages: int  # pages with such a link
    hosts: int  # hosts of those pages
    terms: Terms  # ascending
    weights: Weights


class BagColumns(NamedTuple):
    """What is in many bags, one behind another."""

    terms: Terms
    weights: Weights
    bounds: Bounds  # the i-th bag has the terms from bounds[i] to bounds[i + 1]


@dataclass(frozen=True)
class Bags:
    """Many bags, their terms and weights one behind another."""

    urls: list[bytes]
    counts: list[bytes]  # `crawled anchors pages hosts`, as in the record
    terms: Terms
    weights: Weights
    bounds: Bounds  # as in BagColumns

    @classmethod
    def of(cls, bags: Sequence[Bag]) -> Bags:
        """These bags."""
        return cls(
            [bag.url.encode() for bag in bags],
            [b"%d %d %d %d" % bag[1:5] for bag in bags],
            np.concatenate([np.empty(0, np.uint32), *(bag.terms for bag in bags)]),
            np.concatenate([np.empty(0, np.float32), *(bag.weights for bag in bags)]),
            np.cumsum([0, *(len(bag.terms) for bag in bags)], dtype=np.int64),
        )

    @classmethod
    def read(cls, records: Sequence[Pair]) -> Bags:
        """The bags of these records."""
        urls = [url for url, _ in records]
        parts = [_split_value(value) for _, value in records]
        counts, packed = [some for some, _ in parts], [data for _, data in parts]
        terms, weights = halves(packed)
        bounds = np.cumsum([0, *(len(data) // _ITEM for data in packed)], dtype=np.int64)
        return cls(urls, counts, np.frombuffer(terms, "<u4"), np.frombuffer(weights, "<f4"), bounds)

    def __len__(self) -> int:
        return len(self.urls)

    def __iter__(self) -> Iterator[Bag]:
        edges = pairwise(self.bounds.tolist())
        for url, counts, (a, b) in zip(self.urls, self.counts, edges, strict=True):
            yield Bag(url.decode(), *parse_counts(counts), self.terms[a:b], self.weights[a:b])

    def columns(self) -> BagColumns:
        """What is in them."""
        return BagColumns(self.terms, self.weights, self.bounds)

    def records(self) -> Iterator[Pair]:
        """Their records."""
        terms, weights = self.terms.tobytes(), self.weights.tobytes()
        edges = pairwise((self.bounds * self.terms.itemsize).tolist())
        for url, counts, (a, b) in zip(self.urls, self.counts, edges, strict=True):
            yield url, b"%b %b" % (counts, b64encode(terms[a:b] + weights[a:b]))


def in_batches(bags: Iterable[Bag], size: int) -> Iterator[Bags]:
    """These bags, `size` at once."""
    rest = iter(bags)
    while some := list(islice(rest, size)):
        yield Bags.of(some)


def read_bags(records: Iterable[Pair], size: int) -> Iterator[Bags]:
    """The bags of these records, `size` at once, or fewer where they are large."""
    some: list[Pair] = []
    length = 0
    for record in records:
        some.append(record)
        length += len(record[1])
        if len(some) == size or length > _LARGE:
            yield Bags.read(some)
            some, length = [], 0
    if some:
        yield Bags.read(some)


def is_bag(record: Pair) -> bool:
    """Is it the record of a URL? Others stand among them: words, blocks."""
    return not record[0].startswith(b"!")


def parse_bag(key: bytes, value: bytes) -> Bag:
    """The bag of one record."""
    [bag] = Bags.read([(key, value)])
    return bag


def parse_counts(counts: bytes) -> tuple[bool, int, int, int]:
    """Was the page read; links to it, pages with such links, hosts of these."""
    crawled, anchors, pages, hosts = map(int, counts.split(b" "))
    return crawled == 1, anchors, pages, hosts


def bag_value(  # noqa: PLR0917 - the fields of the record, in their order
    crawled: bool, anchors: int, pages: int, hosts: int, terms: bytes, weights: bytes
) -> bytes:
    """The value of a bag's record, from the bytes of its terms and weights."""
    packed = b64encode(terms + weights)
    return b"%d %d %d %d %s" % (crawled, anchors, pages, hosts, packed)


def halves(packed: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The first halves of all, one behind another, and the second ones.

    >>> halves([b"abAB", b"cC"])
    (b'abc', b'ABC')
    """
    first = b"".join([data[: len(data) >> 1] for data in packed])
    return first, b"".join([data[len(data) >> 1 :] for data in packed])


def _split_value(value: bytes) -> tuple[bytes, bytes]:
    """The four counts of a record's value; and its terms with as many weights behind them."""
    counts, _, text = value.rpartition(b" ")
    try:
        packed = b64decode(text, validate=True)
        if counts.count(b" ") == 3 and not len(packed) % _ITEM:
            return counts, packed
    except ValueError:
        pass  # as the rest of what is none
    raise ValueError(f"no value of a bag: {value[:_SHOWN]!r}")
