"""The documents of one shard, in the order of their URLs, become the pieces of its files.

This is the work of a reducer. URLs, signatures and bags go out as they come; signatures are also
gathered, 4m bytes a document, and inverted at the end. A piece is a name (`H/signatures`) and
bytes that continue that array.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from pagekin.bags.bag import Bag
from pagekin.bags.dictionary import Entry
from pagekin.errors import UsageError
from pagekin.index.inversion import Numbers, invert
from pagekin.minhash.hashing import EMPTY

__all__ = ["Document", "Piece", "shard_pieces"]

_BATCH = 512  # documents in one piece: about 1 MB of bags
_MOST_IDS = 0xFFFFFFFF  # in one shard: places in the lists take 32 bits

Piece = tuple[str, bytes]
Words = Callable[[Numbers], list[Entry]]


class Document(NamedTuple):
    """A bag with its signatures."""

    bag: Bag
    signatures: Numbers


def shard_pieces(
    documents: Iterable[Document], count: int, min_inlinks: int, words: Words
) -> Iterator[Piece]:
    """All pieces of a shard with `count` signatures a document.

    Documents with fewer inlinks than `min_inlinks`, and those without a term, are in no list.
    `words` looks terms up.
    """
    rows: list[Numbers] = [np.empty((0, count), np.uint32)]
    listed: list[Numbers] = [np.empty(0, np.uint32)]
    terms = np.empty(0, np.uint32)
    done = urls = size = 0
    yield from (("urls/bounds", _u8([0])), ("bags/bounds", _u8([0])))
    rest = iter(documents)
    while batch := list(islice(rest, _BATCH)):
        bags = [document.bag for document in batch]
        rows.append(np.stack([document.signatures for document in batch]))
        kept = [k for k, d in enumerate(batch) if _is_listed(d, min_inlinks)]
        listed.append(np.array(kept, dtype=np.uint32) + np.uint32(done))
        terms = np.union1d(terms, np.concatenate([bag.terms for bag in bags]))
        yield from _url_pieces(bags, urls)
        yield "H/signatures", rows[-1].astype("<u4").tobytes()
        yield from _bag_pieces(bags, size)
        done += len(batch)
        urls += sum(len(bag.url.encode()) for bag in bags)
        size += sum(len(bag.terms) for bag in bags)
    yield from _list_pieces(rows, np.concatenate(listed))
    yield from _word_pieces(terms, words)


def _is_listed(document: Document, min_inlinks: int) -> bool:
    return document.bag.anchors >= min_inlinks and int(document.signatures[0]) != EMPTY


def _u8(values: Iterable[int]) -> bytes:
    return np.fromiter(values, dtype="<u8").tobytes()


def _u4(values: Iterable[int]) -> bytes:
    return np.fromiter((min(v, 0xFFFFFFFF) for v in values), dtype="<u4").tobytes()


def _ends(lengths: Iterable[int], start: int) -> bytes:
    return (np.cumsum(np.fromiter(lengths, dtype="<u8"), dtype="<u8") + np.uint64(start)).tobytes()


def _url_pieces(bags: list[Bag], start: int) -> Iterator[Piece]:
    urls = [bag.url.encode() for bag in bags]
    yield "urls/bounds", _ends(map(len, urls), start)
    yield "urls/text", b"".join(urls)
    yield "urls/crawled", bytes(bag.crawled for bag in bags)
    yield "urls/anchors", _u4(bag.anchors for bag in bags)
    yield "urls/pages", _u4(bag.pages for bag in bags)
    yield "urls/hosts", _u4(bag.hosts for bag in bags)


def _bag_pieces(bags: list[Bag], start: int) -> Iterator[Piece]:
    yield "bags/bounds", _ends((len(bag.terms) for bag in bags), start)
    yield "bags/terms", b"".join(bag.terms.tobytes() for bag in bags)
    yield "bags/weights", b"".join(bag.weights.tobytes() for bag in bags)


def _list_pieces(rows: list[Numbers], listed: Numbers) -> Iterator[Piece]:
    if rows[0].shape[1] * len(listed) > _MOST_IDS:
        raise UsageError(
            f"a shard would hold {len(listed):,} documents, more than 32 bits count; name more"
            " --shards"
        )
    keys = ids = 0
    for position in invert(rows, listed):
        yield "I/directory", (position.directory + np.uint32(keys)).astype("<u4").tobytes()
        yield "I/keys", position.keys.astype("<u4").tobytes()
        yield "I/starts", (position.starts + np.uint32(ids)).astype("<u4").tobytes()
        yield "I/ids", position.ids.astype("<u4").tobytes()
        keys += len(position.keys)
        ids += len(position.ids)
    yield "I/starts", _u4([ids])


def _word_pieces(terms: Numbers, look_up: Words) -> Iterator[Piece]:
    size = 0
    yield "words/bounds", _u8([0])
    for k in range(0, len(terms), 1 << 14):
        some = terms[k : k + (1 << 14)]
        words = [f"{entry.term} {entry.display}".encode() for entry in look_up(some)]
        yield "words/hashes", some.astype("<u4").tobytes()
        yield "words/bounds", _ends(map(len, words), size)
        yield "words/text", b"".join(words)
        size += sum(map(len, words))
