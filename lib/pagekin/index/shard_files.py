"""The files of a shard: what they hold, and how documents become their arrays.

    INDEX/shard-00000/      the documents whose URL belongs to it, ids in the order of the URLs
        urls.arrays         URL, and where its bag came from
        titles.arrays       the titles of the pages that were read
        H.arrays            m signatures a document, fixed stride [SIM 6.2]
        I.arrays            for each position and signature the documents that have it
        bags.arrays         terms and weights, for exact similarity and for reasons; of enriched
                            bags also the source of each term
        plain.arrays        the bags that were enriched; empty where none were
        words.arrays        the words of the terms
        kin.arrays          the related pages by co-citation, and their reasons

docs/formats.md describes each array. I is the inversion of H, in four packed arrays:

    ids         the lists, one behind another: position after position, signature after signature
    keys        the signature of each list, ascending within a position
    starts      where each list begins in `ids`, and one more for the end
    directory   for each position 2^bits + 1 places in `keys`: those of the keys whose first bits
                are 0, 1, 2 ..., so that a look-up begins among a few keys and not among all

Files are written piece by piece: a piece is a name (`H/signatures`) and bytes that continue that
array; or the name of a file (`H/`) and nothing: it is whole.

The stage index_shards makes the pieces (`map_documents`, `reduce_documents`). Its records:

    map -> reduce    key `SHARD bags`, value `URL BAG`: the record of a final or an enriched bag, as
                         it was read
                     key `SHARD rows`, value `URL CRAWLED ANCHORS PAGES HOSTS TITLE ROW`: the origin
                         of its bag, and the m signatures
    output           key `SHARD KIND NUMBER`, value `ARRAY BYTES`: the NUMBER-th such piece

ROW and BYTES are in base64. A shard has two keys, so that two tasks may share its work, and either
takes half of it. Values begin with the URL, so a reducer, which gets its values sorted, meets the
documents in the order of their URLs; nothing is asked of the engine's partitioner.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from itertools import chain, groupby, islice, tee, zip_longest
from operator import itemgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.bags.bag import Bag, BagColumns, Bags, EnrichedBags, parse_origin, read_compared
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.errors import UsageError
from pagekin.kinds import Pair, compared_bags
from pagekin.minhash.signatures import EMPTY, Signatures, make_signer
from pagekin.tables import url_number
from pagekin.text.words import Terms

__all__ = [
    "MOST_INLINKS",
    "SHARD_FILES",
    "Document",
    "Ids",
    "Lists",
    "Piece",
    "ShardFile",
    "Signed",
    "count_inlinks",
    "directory_bits",
    "in_blocks",
    "invert",
    "map_documents",
    "may_share",
    "parse_piece",
    "reduce_documents",
    "shard_name",
    "shard_of",
    "shard_of_number",
    "shard_pieces",
    "sign_bags",
]

MOST_INLINKS = 16  # the header tells how many documents have 0, 1 ... 15, and more inlinks

_BLOCK = 512  # documents in one piece: about 1 MB of bags
_SIGNED = 2_048  # bags signed in one call: one at a time costs 5 to 20 times as much
_WAITING = 1 << 18  # terms that are sorted together, at least
_SPILLED = 2 << 20  # bytes of signatures in memory, and three times as many while they are written
_WORDS = 1 << 14  # in one piece
_MOST = 0xFFFFFFFF
_MOST_IDS = _MOST  # in one shard: places in the lists take 32 bits

_MAX_BITS = 24
_KEYS_A_BUCKET = 4  # on average, where all signatures differ
_SHIFT = np.uint64(32)

Ids = NDArray[np.uint32]
Piece = tuple[str, bytes]
Words = Callable[[Terms], list[bytes]]  # the words of ascending terms as the dictionary stores them


class ShardFile(NamedTuple):
    """One array file of a shard."""

    name: str
    kind: str
    dtypes: dict[str, str]


SHARD_FILES: dict[str, ShardFile] = {
    file.name.partition(".")[0]: file
    for file in (
        ShardFile(
            "urls.arrays",
            "index urls",
            {
                "bounds": "<u8",
                "text": "|u1",
                "crawled": "|u1",
                "anchors": "<u4",
                "pages": "<u4",
                "hosts": "<u4",
            },
        ),
        ShardFile("titles.arrays", "index titles", {"bounds": "<u8", "text": "|u1"}),
        ShardFile("H.arrays", "index H", {"signatures": "<u4"}),
        ShardFile(
            "I.arrays",
            "index I",
            {"directory": "<u4", "keys": "<u4", "starts": "<u4", "ids": "<u4"},
        ),
        ShardFile(
            "bags.arrays",
            "index bags",
            {"bounds": "<u8", "terms": "<u4", "weights": "<f4", "sources": "|u1"},
        ),
        ShardFile(
            "plain.arrays", "index plain bags", {"bounds": "<u8", "terms": "<u4", "weights": "<f4"}
        ),
        ShardFile("words.arrays", "dictionary", {"hashes": "<u4", "bounds": "<u8", "text": "|u1"}),
        ShardFile("kin.arrays", "index kin", {"numbers": "<u8", "bounds": "<u8", "text": "|u1"}),
    )
}


def shard_name(shard: int) -> str:
    """The folder of a shard.

    >>> shard_name(7)
    'shard-00007'
    """
    return f"shard-{shard:05d}"


def shard_of(url: bytes, shards: int) -> int:
    """The shard of a canonical URL."""
    return shard_of_number(url_number(url), shards) if shards > 1 else 0


def shard_of_number(number: int, shards: int) -> int:
    """The shard of a URL by its number: equal ranges, so that what is sorted by number is by shard.

    >>> shard_of_number(0, 3), shard_of_number(1 << 63, 3), shard_of_number((1 << 64) - 1, 3)
    (0, 1, 2)
    """
    return number * shards >> 64


def may_share(shards: int, shard: int, others: int, other: int) -> bool:
    """Can a document lie in both, one of so many shards each? Shards are ranges of numbers.

    >>> may_share(2, 0, 3, 1), may_share(2, 0, 3, 2)
    (True, False)
    """
    return shard * others < (other + 1) * shards and other * shards < (shard + 1) * others


def count_inlinks(anchors: NDArray[np.uint32]) -> NDArray[np.int64]:
    """How many documents have 0, 1 ... inlinks, up to MOST_INLINKS and more.

    >>> count_inlinks(np.array([0, 2, 99, 2], np.uint32)).tolist()[:3], MOST_INLINKS
    ([1, 0, 2], 16)
    """
    return np.bincount(np.minimum(anchors, MOST_INLINKS), minlength=MOST_INLINKS + 1)


# --- documents ------------------------------------------------------------------------------------


class Document(NamedTuple):
    """A document with its signatures; of an enriched bag also the plain one."""

    bag: Bag
    signatures: Signatures
    plain: Bag | None = None


class Signed(NamedTuple):
    """Bags with their signatures, one row for each."""

    bags: EnrichedBags
    signatures: Signatures


class _Rows(NamedTuple):
    """All of some documents but their bags."""

    urls: list[bytes]
    origins: list[bytes]  # as in Bags
    signatures: Signatures


def sign_bags(
    batches: Iterable[EnrichedBags], config: BuildConfig, counters: Counters
) -> Iterator[Signed]:
    """Each batch with the signatures of its bags [SIM 6.2]."""
    signer = make_signer(config.signatures, normalised=config.weight.normalise)
    for batch in batches:
        bags = batch.bags
        counters.add("index", "documents", len(bags))
        counters.add("index", "without_terms", int((bags.bounds[1:] == bags.bounds[:-1]).sum()))
        yield Signed(batch, signer.sign(bags.terms, bags.weights, bags.bounds))


def in_blocks(documents: Iterable[Document]) -> Iterator[Signed]:
    """The documents, as many at once as go into one piece."""
    rest = iter(documents)
    while some := list(islice(rest, _BLOCK)):
        plain = [document.plain for document in some if document.plain]
        bags = EnrichedBags(
            Bags.of([document.bag for document in some]),
            np.concatenate([document.bag.sources for document in some]),
            Bags.of(plain).columns() if plain else None,
        )
        yield Signed(bags, np.stack([document.signatures for document in some]))


# --- records --------------------------------------------------------------------------------------


def map_documents(pairs: Iterable[Pair], config: BuildConfig, counters: Counters) -> Iterator[Pair]:
    """The mapper: from the records of bags those for both reducers of their shards.

    Where bags were enriched the final ones, which lie in the same records, are passed over.
    """
    shards, kind = config.index.shards, compared_bags(enriched=config.enrich.is_on)
    bags = ((key.removeprefix(kind.prefix), value) for key, value in pairs if kind.holds(key))
    records, again = tee(bags)
    for signed in sign_bags(
        read_compared(records, _SIGNED, enriched=config.enrich.is_on), config, counters
    ):
        rows = signed.signatures.astype("<u4")
        origins = signed.bags.bags.origins
        for (url, value), origin, row in zip(islice(again, len(rows)), origins, rows, strict=True):
            shard = shard_of(url, shards)
            yield b"%05d bags" % shard, b"%b %b" % (url, value)
            yield b"%05d rows" % shard, b"%b %b %b" % (url, origin, b64encode(row.tobytes()))


def reduce_documents(pairs: Iterable[Pair], config: BuildConfig, words: Words) -> Iterator[Pair]:
    """The reducer: the pieces of a shard that are made of its bags, or of the rest."""
    for key, group in groupby(pairs, key=itemgetter(0)):
        values = (value for _, value in group)
        if key.endswith(b" bags"):
            bags = ((url, bag) for url, _, bag in (value.partition(b" ") for value in values))
            pieces = _bag_pieces(read_compared(bags, _BLOCK, enriched=config.enrich.is_on), words)
        else:
            pieces = _row_pieces(_read_rows(values), config)
        for number, (name, data) in enumerate(chain.from_iterable(pieces)):
            yield b"%b %09d" % (key, number), b"%b %b" % (name.encode(), b64encode(data))


def _read_rows(values: Iterable[bytes]) -> Iterator[_Rows]:
    rest = iter(values)
    while some := list(islice(rest, _BLOCK)):
        documents, _, packed = zip(*(value.rpartition(b" ") for value in some), strict=True)
        urls, _, origins = zip(*(value.partition(b" ") for value in documents), strict=True)
        signatures = b"".join([b64decode(row, validate=True) for row in packed])
        rows = np.frombuffer(signatures, "<u4").reshape(len(some), -1)
        yield _Rows(list(urls), list(origins), rows)


def parse_piece(pair: Pair) -> tuple[int, Piece]:
    """A piece, and the shard that it belongs to."""
    key, value = pair
    blank = value.index(b" ")
    data = b64decode(memoryview(value)[blank + 1 :], validate=True)
    return int(key.partition(b" ")[0]), (value[:blank].decode(), data)


# --- pieces ---------------------------------------------------------------------------------------


def shard_pieces(blocks: Iterable[Signed], config: BuildConfig, words: Words) -> Iterator[Piece]:
    """All pieces of a shard, from one reading of its documents, in the order of their URLs."""
    for_bags, for_rows = tee(blocks)
    bags = _bag_pieces((block.bags for block in for_bags), words)
    rows = _row_pieces((_Rows(b.bags.urls, b.bags.origins, s) for b, s in for_rows), config)
    none: list[Piece] = []
    for of_bags, of_rows in zip_longest(bags, rows, fillvalue=none):  # block by block
        yield from chain(of_bags, of_rows)


def _bag_pieces(blocks: Iterable[EnrichedBags], words: Words) -> Iterator[list[Piece]]:
    """For each block its pieces of `bags` and `plain`, and at the end those of `words`."""
    terms, size, plain_size = _DistinctTerms(), 0, 0
    yield [("bags/bounds", bytes(8)), ("plain/bounds", bytes(8))]
    for block in blocks:
        terms.add(block.bags.terms)
        pieces = [*_column_pieces("bags", block.bags.columns(), size)]
        size += len(block.bags.terms)
        if block.plain:
            terms.add(block.plain.terms)
            pieces.append(("bags/sources", block.sources.tobytes()))
            pieces += _column_pieces("plain", block.plain, plain_size)
            plain_size += len(block.plain.terms)
        yield pieces
    yield [("bags/", b""), ("plain/", b"")]
    yield from _word_pieces(terms.ascending(), words)


def _column_pieces(file: str, bags: BagColumns, size: int) -> Iterator[Piece]:
    """The pieces of some bags, before which so many terms lie in the file."""
    yield f"{file}/bounds", (bags.bounds[1:] + size).astype("<u8").tobytes()
    yield f"{file}/terms", bags.terms.tobytes()
    yield f"{file}/weights", bags.weights.tobytes()


def _word_pieces(terms: Terms, words: Words) -> Iterator[list[Piece]]:
    size = 0
    yield [("words/bounds", bytes(8))]
    for k in range(0, len(terms), _WORDS):
        some = terms[k : k + _WORDS]
        texts = words(some)
        ends, size = _ends(texts, size)
        yield [
            ("words/hashes", some.astype("<u4").tobytes()),
            ("words/bounds", ends),
            ("words/text", b"".join(texts)),
        ]
    yield [("words/", b"")]


def _row_pieces(blocks: Iterable[_Rows], config: BuildConfig) -> Iterator[list[Piece]]:
    """For each block its pieces of `urls`, `titles` and `H`, and at the end those of `I`.

    Documents with few inlinks (`index.min_inlinks`), and those without a term, are in no list of I.
    """
    count, least = config.signatures.count, config.index.min_inlinks
    listed = [np.empty(0, np.uint32)]
    documents = size = title_size = 0
    yield [("urls/bounds", bytes(8)), ("titles/bounds", bytes(8))]
    with _Columns(count) as columns:
        for urls, origins, signatures in blocks:
            numbers, titles = _read_origins(origins)
            is_listed = (numbers[:, 1] >= least) & (signatures[:, 0] != EMPTY)
            listed.append((is_listed.nonzero()[0] + documents).astype(np.uint32))
            columns.add(signatures)
            ends, size = _ends(urls, size)
            title_ends, title_size = _ends(titles, title_size)
            yield [
                ("urls/bounds", ends),
                ("urls/text", b"".join(urls)),
                ("urls/crawled", numbers[:, 0].astype("|u1").tobytes()),
                ("urls/anchors", numbers[:, 1].tobytes()),
                ("urls/pages", numbers[:, 2].tobytes()),
                ("urls/hosts", numbers[:, 3].tobytes()),
                ("titles/bounds", title_ends),
                ("titles/text", b"".join(titles)),
                ("H/signatures", signatures.astype("<u4").tobytes()),
            ]
            documents += len(urls)
        yield [("urls/", b""), ("titles/", b""), ("H/", b"")]
        yield from _list_pieces(columns, count, np.concatenate(listed))


def _list_pieces(columns: Iterable[Signatures], count: int, listed: Ids) -> Iterator[list[Piece]]:
    if count * len(listed) > _MOST_IDS:
        raise UsageError(
            f"a shard would hold {len(listed):,} documents, more than 32 bits count; name more"
            " --shards"
        )
    keys = ids = 0
    for lists in invert(columns, listed):
        yield [
            ("I/directory", (lists.directory + np.uint32(keys)).astype("<u4").tobytes()),
            ("I/keys", lists.keys.astype("<u4").tobytes()),
            ("I/starts", (lists.starts + np.uint32(ids)).astype("<u4").tobytes()),
            ("I/ids", lists.ids.astype("<u4").tobytes()),
        ]
        keys += len(lists.keys)
        ids += len(lists.ids)
    yield [("I/starts", np.array([ids], "<u4").tobytes()), ("I/", b"")]


def _read_origins(origins: list[bytes]) -> tuple[NDArray[np.uint32], list[bytes]]:
    """The four counts of each document, as far as 32 bits hold them, and its title."""
    parsed = list(map(parse_origin, origins))
    numbers = [[min(number, _MOST) for number in counts] for counts, _ in parsed]
    return np.array(numbers, "<u4"), [title for _, title in parsed]


def _ends(texts: list[bytes], start: int) -> tuple[bytes, int]:
    """Where each of these texts ends, the first of which begins at `start`; and the last end."""
    ends = np.cumsum([start, *map(len, texts)], dtype="<u8")
    return ends[1:].tobytes(), int(ends[-1])


class _DistinctTerms:
    """Terms, each once. New ones are put among those that are known when they are as many: memory
    is little more than twice that of what is known."""

    def __init__(self) -> None:
        self._known: Terms = np.empty(0, np.uint32)
        self._new: list[Terms] = []
        self._waiting = 0

    def add(self, terms: Terms) -> None:
        self._new.append(terms)
        self._waiting += len(terms)
        if self._waiting > max(_WAITING, len(self._known)):
            self.ascending()

    def ascending(self) -> Terms:
        """All of them. numpy.unique goes by hashes, and takes ten times as long."""
        terms = np.concatenate([self._known, *self._new])
        terms.sort()
        self._known = terms[np.diff(terms, prepend=terms[:1] - np.uint32(1)) != 0]
        self._new, self._waiting = [], 0
        return self._known


# --- the inversion of H ---------------------------------------------------------------------------


class Lists(NamedTuple):
    """The lists of one position; `starts` and `directory` count from where its lists begin."""

    directory: NDArray[np.uint32]
    keys: Signatures
    starts: NDArray[np.uint32]
    ids: Ids


def directory_bits(documents: int) -> int:
    """First bits of a signature that the directory tells apart.

    >>> directory_bits(0), directory_bits(1000), directory_bits(1_000_000)
    (0, 7, 17)
    """
    return min(max(documents // _KEYS_A_BUCKET, 1).bit_length() - 1, _MAX_BITS)


def invert(columns: Iterable[Signatures], ids: Ids) -> Iterator[Lists]:
    """The lists of each position of H, whose columns these are, of the documents `ids` alone.

    A position is sorted as packed (signature, id) numbers of 64 bits: three times faster than
    sorting one array by the other.
    """
    bits = directory_bits(len(ids))
    edges = np.arange((1 << bits) + 1, dtype=np.uint64) << np.uint64(32 - bits)
    low = ids.astype(np.uint64)
    for column in columns:
        packed = column[ids].astype(np.uint64) << _SHIFT
        packed |= low
        packed.sort()
        ordered = (packed >> _SHIFT).astype(np.uint32)
        starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(ids) else low
        keys = ordered[starts]
        directory = np.searchsorted(keys.astype(np.uint64), edges)
        yield Lists(
            directory.astype(np.uint32), keys, starts.astype(np.uint32), packed.astype(np.uint32)
        )


class _Columns:
    """The columns of H, which comes by rows; to be used in a `with`.

    Few documents wait in memory. Of more, blocks lie on disk turned on their sides, and a column is
    read from all of them: memory is that of one column, 4 bytes a document, and not of all.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._rows: list[Signatures] = []
        self._size = 0  # their bytes
        self._spilled: list[int] = []  # rows of each block on disk

    def __enter__(self) -> _Columns:
        self._file = tempfile.TemporaryFile()
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, rows: Signatures) -> None:
        """More rows."""
        self._rows.append(rows)
        self._size += rows.nbytes
        if self._size > _SPILLED:
            block = np.concatenate(self._rows)
            self._file.write(np.ascontiguousarray(block.T).tobytes())
            self._spilled.append(len(block))
            self._rows, self._size = [], 0

    def __iter__(self) -> Iterator[Signatures]:
        """Each column, once all rows are there."""
        self._file.flush()
        for position in range(self._count):
            waiting = [rows[:, position] for rows in self._rows]
            yield np.concatenate([np.empty(0, np.uint32), *self._read(position), *waiting])

    def _read(self, position: int) -> Iterator[Signatures]:
        """What the blocks on disk hold of a column."""
        start = 0
        for rows in self._spilled:
            data = os.pread(self._file.fileno(), 4 * rows, start + 4 * rows * position)
            yield np.frombuffer(data, np.uint32)
            start += 4 * rows * self._count
