"""Documents and pieces as records: what travels between the tasks that make the shards.

    map -> reduce    key `SHARD bags`, value `URL PACKED`: what is in the final bag
                     key `SHARD rows`, value `URL CRAWLED ANCHORS PAGES HOSTS LISTED PACKED`: where
                     it came from, and the m signatures
    output           key `SHARD KIND NUMBER`, value `ARRAY PACKED`: the NUMBER-th such piece

A shard has two keys, so that two tasks may share its work, and either takes half of it. Values
begin with the URL, so a reducer, which gets its values sorted, meets the documents in the order of
their URLs; nothing is asked of the engine's partitioner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.bags.batch import Packed, lay_out
from pagekin.index.building import BLOCK, Piece, Rows
from pagekin.index.layout import shard_of
from pagekin.kinds import Pair

__all__ = [
    "BAGS",
    "ROWS",
    "document_records",
    "parse_piece",
    "piece_records",
    "read_bags",
    "read_rows",
]

BAGS, ROWS = b"bags", b"rows"  # what a record or a piece is made of

_LARGE = 1 << 20  # bytes of bags in one block
_GROUP = 3  # bytes that base64 makes whole letters of


def document_records(documents: Iterable[Pair], rows: Rows, shards: int) -> Iterator[Pair]:
    """The records of documents, whose bags these are, and whose rows."""
    texts = _row_texts(rows.signatures)
    flags = [b"1" if listed else b"0" for listed in rows.listed.tolist()]
    keys = [(b"%05d %b" % (s, BAGS), b"%05d %b" % (s, ROWS)) for s in range(shards)]
    for (url, bag), flag, text in zip(documents, flags, texts, strict=True):
        of_bags, of_rows = keys[shard_of(url, shards)]
        origin, _, packed = bag.rpartition(b" ")
        yield of_bags, b"%b %b" % (url, packed)
        yield of_rows, b"%b %b %b %b" % (url, origin, flag, text)


def read_bags(values: Iterable[bytes]) -> Iterator[Packed]:
    """The bags of such values, in blocks, and in smaller ones where they are large."""
    some: list[bytes] = []
    held = 0
    for value in values:
        some.append(b64decode(value.rpartition(b" ")[2], validate=True))
        held += len(some[-1])
        if len(some) == BLOCK or held > _LARGE:
            yield lay_out(some)
            some, held = [], 0
    if some:
        yield lay_out(some)


def read_rows(values: Iterable[bytes], count: int) -> Iterator[Rows]:
    """The rest of such documents, with `count` signatures of each, in blocks."""
    rest = iter(values)
    while some := list(islice(rest, BLOCK)):
        heads, _, texts = zip(*(value.rpartition(b" ") for value in some), strict=True)
        numbers = np.frombuffer(b64decode(b"".join(texts), validate=True), "<u4")
        listed = np.array([head.endswith(b"1") for head in heads])
        urls, _, origins = zip(*(head[:-2].partition(b" ") for head in heads), strict=True)
        signatures = numbers.reshape(len(some), -1)[:, :count]
        yield Rows(list(urls), list(origins), signatures, listed)


def _row_texts(rows: NDArray[np.uint32]) -> Iterator[bytes]:
    """Each row in base64, filled up so that texts of rows may be read as one."""
    filled = np.zeros((len(rows), -(-rows.shape[1] // _GROUP) * _GROUP), "<u4")
    filled[:, : rows.shape[1]] = rows
    text = b64encode(filled.tobytes())
    size = filled.shape[1] * 4 // 3 * 4
    return (text[k : k + size] for k in range(0, len(text), size))


def piece_records(key: bytes, pieces: Iterable[Piece]) -> Iterator[Pair]:
    """The records of the pieces that were made of the records of a key, in their order."""
    for number, (name, data) in enumerate(pieces):
        yield b"%b %09d" % (key, number), b"%b %b" % (name.encode(), b64encode(data))


def parse_piece(pair: Pair) -> tuple[int, Piece]:
    """A piece, and the shard that it belongs to."""
    key, value = pair
    blank = value.index(b" ")
    data = b64decode(memoryview(value)[blank + 1 :], validate=True)
    return int(key.partition(b" ")[0]), (value[:blank].decode(), data)
