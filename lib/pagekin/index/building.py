"""The documents of one shard, in the order of their URLs, become the pieces of its files.

This is the work of reducers: one takes a shard's bags, another its signatures and URLs. All go out
as they come; signatures are also gathered, by `pagekin.index.columns`, and inverted at the end. A
piece is a name (`H/signatures`) and bytes that continue that array; or the name of a file (`H/`)
and nothing: it is whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Bag
from pagekin.bags.batch import Batch, Packed
from pagekin.errors import UsageError
from pagekin.index.columns import Columns
from pagekin.index.inversion import Numbers, invert
from pagekin.minhash.hashing import EMPTY

__all__ = [
    "BLOCK",
    "Document",
    "Piece",
    "Rows",
    "Signed",
    "bag_pieces",
    "in_blocks",
    "row_pieces",
    "rows_of",
    "shard_pieces",
]

BLOCK = 512  # documents in one piece: about 1 MB of bags
_WAITING = 1 << 18  # terms that are sorted together, at least
_MOST = 0xFFFFFFFF
_MOST_IDS = _MOST  # in one shard: places in the lists take 32 bits

Piece = tuple[str, bytes]
Words = Callable[[Numbers], list[bytes]]  # as the dictionary stores them

_FIRST_URL, _FIRST_BAG = ("urls/bounds", bytes(8)), ("bags/bounds", bytes(8))  # where they begin


class Document(NamedTuple):
    """A bag with its signatures."""

    bag: Bag
    signatures: Numbers


class Signed(NamedTuple):
    """Bags with their signatures, one row for each."""

    batch: Batch
    rows: Numbers


class Rows(NamedTuple):
    """All of documents but their bags."""

    urls: list[bytes]
    origins: list[bytes]  # as in a Batch
    signatures: Numbers
    listed: NDArray[np.bool_]  # which are to be in lists


def in_blocks(documents: Iterable[Document]) -> Iterator[Signed]:
    """The documents, as many at once as go into one piece."""
    rest = iter(documents)
    while some := list(islice(rest, BLOCK)):
        yield Signed(Batch.of([d.bag for d in some]), np.stack([d.signatures for d in some]))


def rows_of(signed: Signed, min_inlinks: int) -> Rows:
    """Documents with fewer inlinks than `min_inlinks`, and those without a term, are in no list."""
    batch, rows = signed
    anchors = _numbers(batch.origins)[:, 1]
    return Rows(batch.urls, batch.origins, rows, (anchors >= min_inlinks) & (rows[:, 0] != EMPTY))


def bag_pieces(blocks: Iterable[Packed], words: Words) -> Iterator[Piece]:
    """The pieces of a shard that are made of bags: `bags` and `words`.

    `words` gives the texts of ascending terms.
    """
    bags = _Bags()
    yield _FIRST_BAG
    for packed in blocks:
        yield from bags.add(packed)
    yield from bags.finish(words)


def row_pieces(blocks: Iterable[Rows], count: int) -> Iterator[Piece]:
    """Those that are made of the rest, with `count` signatures of a document: `urls`, `H`, `I`."""
    yield _FIRST_URL
    with Columns(count) as columns:
        rows = _Rows(columns)
        for block in blocks:
            yield from rows.add(block)
        yield from rows.finish(count)


def shard_pieces(
    blocks: Iterable[Signed], count: int, min_inlinks: int, words: Words
) -> Iterator[Piece]:
    """All of them, from one reading."""
    bags = _Bags()
    yield from (_FIRST_URL, _FIRST_BAG)
    with Columns(count) as columns:
        rows = _Rows(columns)
        for signed in blocks:
            yield from bags.add(signed.batch.packed())
            yield from rows.add(rows_of(signed, min_inlinks))
        yield from rows.finish(count)
    yield from bags.finish(words)


class _Bags:
    """Bags go out as they come; their terms are gathered."""

    def __init__(self) -> None:
        self._terms = _Distinct()
        self._size = 0  # terms

    def add(self, packed: Packed) -> Iterator[Piece]:
        self._terms.add(packed.terms)
        yield from _bag_pieces(packed, self._size)
        self._size += len(packed.terms)

    def finish(self, words: Words) -> Iterator[Piece]:
        yield "bags/", b""
        yield from _word_pieces(self._terms.all(), words)
        yield "words/", b""


class _Rows:
    """URLs and signatures go out as they come. Signatures are also gathered by columns, to be
    inverted at the end.
    """

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._listed = [np.empty(0, np.uint32)]
        self._done = self._urls = 0  # documents, and bytes

    def add(self, rows: Rows) -> Iterator[Piece]:
        self._columns.add(rows.signatures)
        self._listed.append((np.flatnonzero(rows.listed) + self._done).astype(np.uint32))
        yield from _url_pieces(rows.urls, _numbers(rows.origins), self._urls)
        yield "H/signatures", rows.signatures.astype("<u4").tobytes()
        self._done += len(rows.listed)
        self._urls += sum(map(len, rows.urls))

    def finish(self, count: int) -> Iterator[Piece]:
        yield from (("urls/", b""), ("H/", b""))
        yield from _list_pieces(self._columns, count, np.concatenate(self._listed))
        yield "I/", b""


def _numbers(origins: list[bytes]) -> Numbers:
    """The four numbers of each; the files have 32 bits for one."""
    numbers = np.fromstring(b" ".join(origins).decode(), sep=" ")  # exact below 2^53
    return np.minimum(numbers, _MOST).astype(np.uint32).reshape(-1, 4)


class _Distinct:
    """Numbers, each once. New ones are put among those that are known when there are enough of
    them: memory is little more than twice that of what is known."""

    def __init__(self) -> None:
        self._known = np.empty(0, np.uint32)
        self._new: list[Numbers] = []
        self._waiting = 0

    def add(self, numbers: Numbers) -> None:
        self._new.append(numbers)
        self._waiting += len(numbers)
        if self._waiting > max(_WAITING, len(self._known) // 4):
            self.all()

    def all(self) -> Numbers:
        """In order. numpy.unique goes by hashes, and takes ten times as long."""
        new = np.sort(np.concatenate([np.empty(0, np.uint32), *self._new]))
        new = new[np.diff(new, prepend=new[:1] - np.uint32(1)) != 0]
        at = np.searchsorted(self._known, new)
        beyond = at == len(self._known)
        unknown = beyond.copy()
        unknown[~beyond] = self._known[at[~beyond]] != new[~beyond]
        self._known = np.insert(self._known, at[unknown], new[unknown])
        self._new, self._waiting = [], 0
        return self._known


def _u8(values: Iterable[int]) -> bytes:
    return np.fromiter(values, dtype="<u8").tobytes()


def _ends(lengths: Iterable[int], start: int) -> bytes:
    return (np.cumsum(np.fromiter(lengths, dtype="<u8"), dtype="<u8") + np.uint64(start)).tobytes()


def _url_pieces(urls: list[bytes], origins: Numbers, start: int) -> Iterator[Piece]:
    yield "urls/bounds", _ends(map(len, urls), start)
    yield "urls/text", b"".join(urls)
    yield "urls/crawled", origins[:, 0].astype("|u1").tobytes()
    for k, name in enumerate(("anchors", "pages", "hosts"), 1):
        yield f"urls/{name}", origins[:, k].astype("<u4").tobytes()


def _bag_pieces(packed: Packed, start: int) -> Iterator[Piece]:
    yield "bags/bounds", (packed.bounds[1:] + start).astype("<u8").tobytes()
    yield "bags/terms", packed.terms.tobytes()
    yield "bags/weights", packed.weights.tobytes()


def _list_pieces(columns: Columns, count: int, listed: Numbers) -> Iterator[Piece]:
    if count * len(listed) > _MOST_IDS:
        raise UsageError(
            f"a shard would hold {len(listed):,} documents, more than 32 bits count; name more"
            " --shards"
        )
    keys = ids = 0
    for position in invert(columns, listed):
        yield "I/directory", (position.directory + np.uint32(keys)).astype("<u4").tobytes()
        yield "I/keys", position.keys.astype("<u4").tobytes()
        yield "I/starts", (position.starts + np.uint32(ids)).astype("<u4").tobytes()
        yield "I/ids", position.ids.astype("<u4").tobytes()
        keys += len(position.keys)
        ids += len(position.ids)
    yield "I/starts", np.array([ids], "<u4").tobytes()


def _word_pieces(terms: Numbers, look_up: Words) -> Iterator[Piece]:
    size = 0
    yield "words/bounds", _u8([0])
    for k in range(0, len(terms), 1 << 14):
        some = terms[k : k + (1 << 14)]
        words = look_up(some)
        yield "words/hashes", some.astype("<u4").tobytes()
        yield "words/bounds", _ends(map(len, words), size)
        yield "words/text", b"".join(words)
        size += sum(map(len, words))
