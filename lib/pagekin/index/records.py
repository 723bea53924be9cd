"""Documents and pieces as records: what travels between the tasks that make the shards.

    map -> reduce    key SHARD, value `URL CRAWLED ANCHORS PAGES HOSTS PACKED`, PACKED being base64
                     of the m signatures, then the terms, then the weights
    output           key `SHARD NUMBER`, value `ARRAY PACKED`: the NUMBER-th piece of the shard

The value begins with the URL, so a reducer, which gets its values sorted, meets the documents in
the order of their URLs; nothing is asked of the engine's partitioner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from pybase64 import b64decode, b64encode

from pagekin.bags.batch import Batch, lay_out
from pagekin.index.building import BLOCK, Piece, Signed
from pagekin.index.layout import shard_of

__all__ = ["document_records", "parse_piece", "piece_records", "read_documents", "shard_key"]

Pair = tuple[bytes, bytes]


def shard_key(shard: int) -> bytes:
    """The key of all documents of a shard."""
    return b"%05d" % shard


def document_records(signed: Signed, shards: int) -> Iterator[Pair]:
    """The records of bags with their signatures, each with the key of its shard."""
    urls, origins, *_ = batch = signed.batch
    size, rows = signed.rows.itemsize * signed.rows.shape[1], signed.rows.tobytes()
    for k, packed in enumerate(batch.packed()):
        text = b64encode(rows[size * k : size * (k + 1)] + packed)
        yield shard_key(shard_of(urls[k], shards)), b"%b %b %b" % (urls[k], origins[k], text)


def read_documents(values: Iterable[bytes], count: int) -> Iterator[Signed]:
    """The bags of such values in blocks, with `count` signatures each."""
    rest = iter(values)
    while some := list(islice(rest, BLOCK)):
        heads, _, texts = zip(*(value.rpartition(b" ") for value in some), strict=True)
        urls, _, origins = zip(*(head.partition(b" ") for head in heads), strict=True)
        packed = [b64decode(text, validate=True) for text in texts]
        rows = np.frombuffer(b"".join([data[: 4 * count] for data in packed]), "<u4")
        bags = Batch(list(urls), list(origins), *lay_out([data[4 * count :] for data in packed]))
        yield Signed(bags, rows.reshape(-1, count))


def piece_records(shard: int, pieces: Iterable[Piece]) -> Iterator[Pair]:
    """The records of a shard's pieces, in their order."""
    for number, (name, data) in enumerate(pieces):
        key = b"%b %09d" % (shard_key(shard), number)
        yield key, b"%b %b" % (name.encode(), b64encode(data))


def parse_piece(pair: Pair) -> tuple[int, Piece]:
    """A piece, and the shard that it belongs to."""
    name, _, text = pair[1].partition(b" ")
    return int(pair[0].partition(b" ")[0]), (name.decode(), b64decode(text, validate=True))
