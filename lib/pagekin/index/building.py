"""The documents of one shard, in the order of their URLs, become the pieces of its files.

This is the work of a reducer. URLs, signatures and bags go out as they come; signatures are also
gathered, by `pagekin.index.columns`, and inverted at the end. A piece is a name (`H/signatures`)
and bytes that continue that array.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from pagekin.bags.bag import Bag
from pagekin.bags.batch import Batch
from pagekin.errors import UsageError
from pagekin.index.columns import Columns
from pagekin.index.inversion import Numbers, invert
from pagekin.minhash.hashing import EMPTY

__all__ = ["BLOCK", "Document", "Piece", "Signed", "in_blocks", "shard_pieces"]

BLOCK = 512  # documents in one piece: about 1 MB of bags
_WAITING = 1 << 18  # terms that are sorted together, at least
_MOST = 0xFFFFFFFF
_DIGITS = 10  # of the first number that might be more than `_MOST`
_MOST_IDS = _MOST  # in one shard: places in the lists take 32 bits

Piece = tuple[str, bytes]
Words = Callable[[Numbers], list[bytes]]  # as the dictionary stores them


class Document(NamedTuple):
    """A bag with its signatures."""

    bag: Bag
    signatures: Numbers


class Signed(NamedTuple):
    """Bags with their signatures, one row for each."""

    batch: Batch
    rows: Numbers


def in_blocks(documents: Iterable[Document]) -> Iterator[Signed]:
    """The documents, as many at once as go into one piece."""
    rest = iter(documents)
    while some := list(islice(rest, BLOCK)):
        yield Signed(Batch.of([d.bag for d in some]), np.stack([d.signatures for d in some]))


def shard_pieces(
    blocks: Iterable[Signed], count: int, min_inlinks: int, words: Words
) -> Iterator[Piece]:
    """All pieces of a shard with `count` signatures a document.

    Documents with fewer inlinks than `min_inlinks`, and those without a term, are in no list.
    `words` gives the texts of ascending terms.
    """
    with Columns(count) as columns:
        terms, listed = yield from _document_pieces(blocks, columns, min_inlinks)
        yield from _list_pieces(columns, count, listed)
    yield from _word_pieces(terms, words)


def _document_pieces(
    blocks: Iterable[Signed], columns: Columns, min_inlinks: int
) -> Generator[Piece, None, tuple[Numbers, Numbers]]:
    """What goes out as it comes; gives all terms, and the documents that are to be in lists."""
    terms, listed = _Distinct(), [np.empty(0, np.uint32)]
    done = urls = size = 0
    yield from (("urls/bounds", _u8([0])), ("bags/bounds", _u8([0])))
    for batch, signatures in blocks:
        columns.add(signatures)
        terms.add(batch.terms)
        origins = _numbers(batch.origins)
        kept = (origins[:, 1] >= min_inlinks) & (signatures[:, 0] != EMPTY)
        listed.append((np.flatnonzero(kept) + done).astype(np.uint32))
        yield from _url_pieces(batch.urls, origins, urls)
        yield "H/signatures", signatures.astype("<u4").tobytes()
        yield from _bag_pieces(batch, size)
        done += len(batch.urls)
        urls += sum(map(len, batch.urls))
        size += len(batch.terms)
    return terms.all(), np.concatenate(listed)


def _numbers(origins: list[bytes]) -> Numbers:
    """The four numbers of each; the files have 32 bits for one."""
    texts = b" ".join(origins).split()
    numbers = [int(n) if len(n) < _DIGITS else min(int(n), _MOST) for n in texts]
    return np.array(numbers, np.uint32).reshape(-1, 4)


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


def _bag_pieces(batch: Batch, start: int) -> Iterator[Piece]:
    yield "bags/bounds", (batch.bounds[1:] + start).astype("<u8").tobytes()
    yield "bags/terms", batch.terms.tobytes()
    yield "bags/weights", batch.weights.tobytes()


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
