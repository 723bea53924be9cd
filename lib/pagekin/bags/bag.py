"""The bag of a URL, its record between jobs, and the two similarities of bags [SIM 3, 4].

One record serves raw bags (merged, not yet weighted) and final ones: key the URL, value
`crawled anchors pages hosts terms-and-weights`, the last as base64 of n little-endian 32-bit term
hashes in ascending order and n 32-bit floats. docs/formats.md has the record with an example.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.text.words import Terms

__all__ = [
    "Bag",
    "Weights",
    "bag_record",
    "bag_value",
    "cosine",
    "is_bag",
    "jaccard",
    "parse_bag",
    "parse_counts",
    "split_value",
]

Weights = NDArray[np.float32]

_ITEM = 8  # bytes: a term and a weight
_SHOWN = 40  # bytes of a value that a message shows


class Bag(NamedTuple):
    """Terms with weights, and where they came from."""

    url: str
    crawled: bool  # the page itself was read, and its words are in
    anchors: int  # links to the URL
    pages: int  # pages with such a link
    hosts: int  # hosts of those pages
    terms: Terms  # ascending
    weights: Weights


def bag_record(bag: Bag) -> tuple[bytes, bytes]:
    """The record of a bag."""
    terms, weights = bag.terms.tobytes(), bag.weights.tobytes()
    counts = (bag.crawled, bag.anchors, bag.pages, bag.hosts)
    return bag.url.encode(), bag_value(*counts, terms, weights)


def bag_value(  # noqa: PLR0917 - the fields of the record, in their order
    crawled: bool, anchors: int, pages: int, hosts: int, terms: bytes, weights: bytes
) -> bytes:
    """The value of a bag record from ready bytes."""
    packed = b64encode(terms + weights)
    return b"%d %d %d %d %s" % (crawled, anchors, pages, hosts, packed)


def is_bag(pair: tuple[bytes, bytes]) -> bool:
    """Is it the record of a URL? Others stand among them: words, blocks."""
    return not pair[0].startswith(b"!")


def split_value(value: bytes) -> tuple[bytes, bytes]:
    """The four counts of a record, as they are; and its terms, behind them as many weights."""
    origin, _, text = value.rpartition(b" ")
    try:
        packed = b64decode(text, validate=True)
        if origin.count(b" ") == 3 and not len(packed) % _ITEM:
            return origin, packed
    except ValueError:
        pass  # as the rest of what is none
    raise ValueError(f"no value of a bag: {value[:_SHOWN]!r}")


def parse_counts(origin: bytes) -> tuple[bool, int, int, int]:
    """Whether the page was read; links, pages, hosts."""
    crawled, anchors, pages, hosts = map(int, origin.split(b" "))
    return crawled == 1, anchors, pages, hosts


def parse_bag(key: bytes, value: bytes) -> Bag:
    """The bag of one record."""
    origin, packed = split_value(value)
    numbers = np.frombuffer(packed, dtype="<u4")
    half = len(numbers) // 2
    terms, weights = numbers[:half], numbers[half:].view("<f4")
    return Bag(key.decode("utf-8"), *parse_counts(origin), terms, weights)


def jaccard(a: Bag, b: Bag) -> float:
    """Bag Jaccard: the sum of minima over the sum of maxima [SIM 4]."""
    _, of_a, of_b = np.intersect1d(a.terms, b.terms, assume_unique=True, return_indices=True)
    x, y = a.weights.astype(np.float64), b.weights.astype(np.float64)
    shared = float(np.minimum(x[of_a], y[of_b]).sum())
    union = float(x.sum() + y.sum()) - shared
    return shared / union if union > 0 else 0.0


def cosine(a: Bag, b: Bag) -> float:
    """The cosine of the two weight vectors, for comparison."""
    _, of_a, of_b = np.intersect1d(a.terms, b.terms, assume_unique=True, return_indices=True)
    x, y = a.weights.astype(np.float64), b.weights.astype(np.float64)
    norms = float(np.sqrt((x * x).sum() * (y * y).sum()))
    return float((x[of_a] * y[of_b]).sum()) / norms if norms > 0 else 0.0
