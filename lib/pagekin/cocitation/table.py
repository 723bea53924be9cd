"""The table of related pages in an index: one look-up a query, by binary search [BLOCK].

The records of the related stage are dealt to shards by their key, the hash of the page's URL; that
is where `shard_of` deals the document of the URL to. A shard holds them in the order of the keys:

    hashes    the keys as numbers, ascending
    bounds    where each value begins in `text`, and the end of the last
    text      the values: URL, kin, reasons (`pagekin.cocitation.kin`)

A page of the table need not be a document of the index, nor need its kin.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

import numpy as np

from pagekin.cocitation.kin import Kin, parse_kin
from pagekin.cocitation.records import url_hash
from pagekin.errors import InputError
from pagekin.index.shard_files import SHARD_FILES, shard_of_hash
from pagekin.kinds import Pair
from pagekin.tables import ArrayFile

__all__ = ["DTYPES", "KIND", "KinTable", "shard_of_key", "table_pieces"]

_, KIND, DTYPES = SHARD_FILES["kin"]

_BATCH = 512  # pages in one piece: about 1 MB

Piece = tuple[str, bytes]


def shard_of_key(key: bytes, shards: int) -> int:
    """The shard of a record of the related stage."""
    return shard_of_hash(int(key, 16), shards)


def table_pieces(records: Iterable[Pair]) -> Iterator[Piece]:
    """The pieces of a shard's table from its records, which come in the order of their keys."""
    size = 0
    yield "kin/bounds", bytes(8)
    rest = iter(records)
    while batch := list(islice(rest, _BATCH)):
        ends = np.cumsum([len(value) for _, value in batch], dtype=np.int64) + size
        yield "kin/hashes", np.array([int(key, 16) for key, _ in batch], dtype="<u8").tobytes()
        yield "kin/bounds", ends.astype("<u8").tobytes()
        yield "kin/text", b"".join(value for _, value in batch)
        size = int(ends[-1])


class KinTable:
    """The related pages of one shard, open for reading."""

    def __init__(self, file: ArrayFile | Path) -> None:
        self._file = ArrayFile(file, KIND) if isinstance(file, Path) else file
        if len(self._file["bounds"]) != len(self) + 1:
            raise self._damaged()

    def __len__(self) -> int:
        return len(self._file["hashes"])

    def related(self, url: str) -> list[Kin]:
        """The kin of a canonical URL, the best first; none for a URL that is not here."""
        wanted = np.uint64(url_hash(url.encode("utf-8", "replace")))
        at = int(np.searchsorted(self._file["hashes"], wanted))
        if at == len(self) or self._file["hashes"][at] != wanted:
            return []
        found, kin = self._parsed(at)
        return kin if found == url else []

    def records(self) -> Iterator[Pair]:
        """All records as they were given, in the order of the hashes."""
        for at, hash_ in enumerate(self._file["hashes"].tolist()):
            yield b"%016x" % hash_, self._value(at)

    def all(self) -> Iterator[tuple[str, list[Kin]]]:
        """All pages with their kin, in the order of the hashes."""
        return map(self._parsed, range(len(self)))

    def _parsed(self, at: int) -> tuple[str, list[Kin]]:
        try:
            return parse_kin(self._value(at))
        except ValueError as error:
            raise self._damaged() from error

    def _value(self, at: int) -> bytes:
        low, high = self._file["bounds"][at : at + 2].tolist()
        if not low <= high <= len(self._file["text"]):
            raise self._damaged()
        return self._file["text"][low:high].tobytes()

    def _damaged(self) -> InputError:
        return InputError(f"{self._file.path} is damaged: it contradicts itself; build it again")
