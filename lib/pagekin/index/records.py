"""Documents and pieces as records: what travels between the tasks that make the shards.

    map -> reduce    key SHARD, value `URL CRAWLED ANCHORS PAGES HOSTS PACKED`, PACKED being base64
                     of the m signatures, then the terms, then the weights
    output           key `SHARD NUMBER`, value `ARRAY PACKED`: the NUMBER-th piece of the shard

The value begins with the URL, so a reducer, which gets its values sorted, meets the documents in
the order of their URLs; nothing is asked of the engine's partitioner.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterable, Iterator

import numpy as np

from pagekin.bags.bag import Bag
from pagekin.index.building import Document, Piece

__all__ = ["document_value", "parse_document", "parse_piece", "piece_records", "shard_key"]

Pair = tuple[bytes, bytes]


def shard_key(shard: int) -> bytes:
    """The key of all documents of a shard."""
    return b"%05d" % shard


def document_value(document: Document) -> bytes:
    """The value of a document's record."""
    bag = document.bag
    packed = b"".join(a.tobytes() for a in (document.signatures, bag.terms, bag.weights))
    text = binascii.b2a_base64(packed, newline=False)
    counts = (bag.crawled, bag.anchors, bag.pages, bag.hosts)
    return b"%b %d %d %d %d %b" % (bag.url.encode(), *counts, text)


def parse_document(value: bytes, count: int) -> Document:
    """The document of a value, with `count` signatures."""
    url, crawled, anchors, pages, hosts, text = value.split(b" ")
    numbers = np.frombuffer(binascii.a2b_base64(text), dtype="<u4")
    terms, weights = np.split(numbers[count:], 2)
    counts = (crawled == b"1", int(anchors), int(pages), int(hosts))
    return Document(Bag(url.decode(), *counts, terms, weights.view("<f4")), numbers[:count])


def piece_records(shard: int, pieces: Iterable[Piece]) -> Iterator[Pair]:
    """The records of a shard's pieces, in their order."""
    for number, (name, data) in enumerate(pieces):
        key = b"%b %09d" % (shard_key(shard), number)
        yield key, b"%b %b" % (name.encode(), binascii.b2a_base64(data, newline=False))


def parse_piece(pair: Pair) -> tuple[int, Piece]:
    """A piece, and the shard that it belongs to."""
    name, _, text = pair[1].partition(b" ")
    return int(pair[0].partition(b" ")[0]), (name.decode(), binascii.a2b_base64(text))
