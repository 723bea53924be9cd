"""A bag: terms with weights, and where they came from. As a record, and many at once.

One record serves raw bags (merged, not yet weighted) and final ones: key the URL, value
`crawled anchors pages hosts title terms-and-weights`, the last as base64 of n little-endian 32-bit
term hashes in ascending order and n 32-bit floats. A page that was not read, or has no title, has
no such field. docs/formats.md has the record with an example.

A dictionary leads from a term's hash back to the term and the form in which people read it.

A job reads many bags into two arrays, so that numpy is called once for all of them: a short bag
takes less time than one call. The URL and the origin (the counts and the title), which a job only
passes on, stay bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.kinds import ENRICHED_BAGS, Pair
from pagekin.tables import UNREADABLE, ArrayFile, damaged, write_arrays
from pagekin.text.words import Terms

__all__ = [
    "BAR",
    "NO_SOURCES",
    "SOURCES",
    "Bag",
    "BagColumns",
    "Bags",
    "Bounds",
    "Dictionary",
    "EnrichedBags",
    "Entry",
    "Sources",
    "Weights",
    "batches_of",
    "describe_bag",
    "halves",
    "in_batches",
    "is_bag",
    "origin_of",
    "parse_bag",
    "parse_origin",
    "read_bags",
    "read_columns",
    "read_compared",
    "write_dictionary",
]

Weights = NDArray[np.float32]
Bounds = NDArray[np.int64]
Sources = NDArray[np.uint8]  # of each term, as numbered in SOURCES

_ITEM = 8  # bytes: a term and a weight
_COUNTS = 4  # in the origin of a bag, before the title
_SHOWN = 40  # bytes of a value that a message shows
_LARGE = 2 << 20  # bytes of values in one batch: 200,000 terms, some 30 MB at work

BAR = b"|"  # between entries of one record; none has it
_DICTIONARY = "dictionary"
_KEPT = 500_000  # entries in words: about 100 MB


# Where the terms of a bag come from, by the number that is stored (`pagekin.enrich.mixture`).
SOURCES: Final = ("own words", "related words", "citing", "cited", "co-cited", "topics")
NO_SOURCES: Sources = np.empty(0, np.uint8)


class Bag(NamedTuple):
    """Terms with weights, and where they came from."""

    url: str
    crawled: bool  # the page itself was read, and its words are in
    anchors: int  # links to the URL
    pages: int  # pages with such a link
    hosts: int  # hosts of those pages
    terms: Terms  # ascending
    weights: Weights
    title: str = ""  # of the page that was read
    sources: Sources = NO_SOURCES  # of an enriched bag


class BagColumns(NamedTuple):
    """What is in many bags, one behind another."""

    terms: Terms
    weights: Weights
    bounds: Bounds  # the i-th bag has the terms from bounds[i] to bounds[i + 1]


@dataclass(frozen=True)
class Bags:
    """Many bags, their terms and weights one behind another."""

    urls: list[bytes]
    origins: list[bytes]  # `crawled anchors pages hosts title`, as in the record
    terms: Terms
    weights: Weights
    bounds: Bounds  # as in BagColumns

    @classmethod
    def of(cls, bags: Sequence[Bag]) -> Bags:
        """These bags."""
        return cls(
            [bag.url.encode() for bag in bags],
            [origin_of(*bag[1:5], bag.title.encode()) for bag in bags],
            np.concatenate([np.empty(0, np.uint32), *(bag.terms for bag in bags)]),
            np.concatenate([np.empty(0, np.float32), *(bag.weights for bag in bags)]),
            np.cumsum([0, *(len(bag.terms) for bag in bags)], dtype=np.int64),
        )

    @classmethod
    def read(cls, records: Sequence[Pair]) -> Bags:
        """The bags of these records."""
        urls = [url for url, _ in records]
        parts = [_split_value(value) for _, value in records]
        return cls(urls, [some for some, _ in parts], *read_columns([data for _, data in parts]))

    def __len__(self) -> int:
        return len(self.urls)

    def __iter__(self) -> Iterator[Bag]:
        edges = pairwise(self.bounds.tolist())
        for url, origin, (a, b) in zip(self.urls, self.origins, edges, strict=True):
            counts, title = parse_origin(origin)
            yield Bag(url.decode(), *counts, self.terms[a:b], self.weights[a:b], title.decode())

    def columns(self) -> BagColumns:
        """What is in them."""
        return BagColumns(self.terms, self.weights, self.bounds)

    def records(self) -> Iterator[Pair]:
        """Their records."""
        packed = _packed(self.columns())
        for url, origin, bag in zip(self.urls, self.origins, packed, strict=True):
            yield url, b"%b %b" % (origin, bag)


def _packed(bags: BagColumns) -> Iterator[bytes]:
    """The terms and weights of each bag, as a record has them."""
    terms, weights = bags.terms.tobytes(), bags.weights.tobytes()
    for a, b in pairwise((bags.bounds * bags.terms.itemsize).tolist()):
        yield b64encode(terms[a:b] + weights[a:b])


def read_columns(packed: Sequence[bytes]) -> BagColumns:
    """Bags of whose terms, with as many weights behind them, these are the bytes."""
    if any(len(data) % _ITEM for data in packed):
        raise ValueError("a bag does not have as many weights as terms")
    terms, weights = halves(packed)
    bounds = np.cumsum([0, *(len(data) // _ITEM for data in packed)], dtype=np.int64)
    return BagColumns(np.frombuffer(terms, "<u4"), np.frombuffer(weights, "<f4"), bounds)


def in_batches(bags: Iterable[Bag], size: int) -> Iterator[Bags]:
    """These bags, `size` at once."""
    rest = iter(bags)
    while some := list(islice(rest, size)):
        yield Bags.of(some)


def read_bags(records: Iterable[Pair], size: int) -> Iterator[Bags]:
    """The bags of these records, `size` at once, or fewer where they are large."""
    return map(Bags.read, batches_of(records, size))


def batches_of(records: Iterable[Pair], size: int) -> Iterator[list[Pair]]:
    """These records, `size` at once, or fewer where they are large."""
    some: list[Pair] = []
    length = 0
    for record in records:
        some.append(record)
        length += len(record[1])
        if len(some) == size or length > _LARGE:
            yield some
            some, length = [], 0
    if some:
        yield some


class EnrichedBags(NamedTuple):
    """Bags as they are compared, and what is known of them for reasons.

    Without parts they are plain bags: there are no sources, and nothing lies behind them.
    """

    bags: Bags
    sources: Sources = NO_SOURCES
    plain: BagColumns | None = None  # the same bags, before they were enriched

    def records(self) -> Iterator[Pair]:
        """Their records: `SOURCES PLAIN BAG`, and the value of a bag."""
        assert self.plain
        sources, edges = self.sources.tobytes(), pairwise(self.bags.bounds.tolist())
        bags = zip(self.bags.records(), _packed(self.plain), edges, strict=True)
        for (url, bag), plain, (a, b) in bags:
            yield ENRICHED_BAGS.prefix + url, b"%b %b %b" % (b64encode(sources[a:b]), plain, bag)

    @classmethod
    def read(cls, records: Sequence[Pair]) -> EnrichedBags:
        """Those of such records, whose keys are URLs by now."""
        parts = [(url, *value.split(b" ", 2)) for url, value in records]
        bags = Bags.read([(url, value) for url, _, _, value in parts])
        sources, plain = ([b64decode(part[k], validate=True) for part in parts] for k in (1, 2))
        if list(map(len, sources)) != np.diff(bags.bounds).tolist():
            raise ValueError("an enriched bag has another number of sources than terms")
        return cls(bags, np.frombuffer(b"".join(sources), np.uint8), read_columns(plain))


def read_compared(records: Iterable[Pair], size: int, *, enriched: bool) -> Iterator[EnrichedBags]:
    """The bags that are compared, of their records, `size` at once; keys are URLs by now."""
    for some in batches_of(records, size):
        yield EnrichedBags.read(some) if enriched else EnrichedBags(Bags.read(some))


def is_bag(record: Pair) -> bool:
    """Is it the record of a URL? Others stand among them: words, blocks."""
    return not record[0].startswith(b"!")


def parse_bag(key: bytes, value: bytes) -> Bag:
    """The bag of one record."""
    [bag] = Bags.read([(key, value)])
    return bag


def origin_of(crawled: bool, anchors: int, pages: int, hosts: int, title: bytes) -> bytes:
    """Where a bag comes from, as it stands in its record."""
    counts = b"%d %d %d %d" % (crawled, anchors, pages, hosts)
    return b"%b %b" % (counts, title) if title else counts


def parse_origin(origin: bytes) -> tuple[tuple[bool, int, int, int], bytes]:
    """Was the page read, links to it, pages with such links, hosts of these; and its title."""
    crawled, anchors, pages, hosts, *title = origin.split(b" ", _COUNTS)
    counts = crawled == b"1", int(anchors), int(pages), int(hosts)
    return counts, title[0] if title else b""


def halves(packed: Sequence[bytes]) -> tuple[bytes, bytes]:
    """The first halves of all, one behind another, and the second ones.

    >>> halves([b"abAB", b"cC"])
    (b'abc', b'ABC')
    """
    first = b"".join([data[: len(data) >> 1] for data in packed])
    return first, b"".join([data[len(data) >> 1 :] for data in packed])


def _split_value(value: bytes) -> tuple[bytes, bytes]:
    """The origin in a record's value; and its terms with as many weights behind them."""
    origin, _, text = value.rpartition(b" ")
    try:
        packed = b64decode(text, validate=True)
        if origin.count(b" ") >= _COUNTS - 1 and not len(packed) % _ITEM:
            return origin, packed
    except ValueError:
        pass  # as the rest of what is none
    raise ValueError(f"no value of a bag: {value[:_SHOWN]!r}")


# --- words --------------------------------------------------------------------------------------


class Entry(NamedTuple):
    """A term and its most frequent surface form ([SIM] Figure 14)."""

    term: str
    display: str

    def text(self) -> bytes:
        """As it is stored."""
        return f"{self.term} {self.display}".encode("utf-8", "replace")


def write_dictionary(path: Path, parts: Iterable[tuple[Terms, bytes]]) -> None:
    """Store the entries of ascending terms, as `Entry.text` gives them, with a bar behind each."""
    hashes, lengths = [np.empty(0, np.uint32)], [np.zeros(1, np.uint64)]
    text = bytearray()
    for terms, entries in parts:
        hashes.append(terms)
        letters = np.frombuffer(entries, np.uint8)
        bars = np.flatnonzero(letters == BAR[0])
        lengths.append(np.diff(bars, prepend=-1).astype(np.uint64) - np.uint64(1))
        text += entries.replace(BAR, b"")
    arrays: dict[str, NDArray[Any]] = {
        "hashes": np.concatenate(hashes),
        "bounds": np.cumsum(np.concatenate(lengths), dtype=np.uint64),
        "text": np.frombuffer(text, dtype=np.uint8),
    }
    write_arrays(path, _DICTIONARY, {}, arrays)


class Dictionary:
    """Looks terms up; `tokens` are entries of terms that are no words, by their hashes."""

    def __init__(
        self, file: ArrayFile | Path, tokens: Mapping[int, Entry] = MappingProxyType({})
    ) -> None:
        self._tokens = tokens
        self._file = file = ArrayFile(file, _DICTIONARY) if isinstance(file, Path) else file
        self._hashes, self._bounds, self._text = file["hashes"], file["bounds"], file["text"]
        self._known: dict[int, Entry] = {}

    def __len__(self) -> int:
        return len(self._hashes)

    def look_up(self, hashes: Terms) -> list[Entry]:
        """The entry of each term hash; one without a word is shown as its number."""
        if len(self._known) > _KEPT:
            self._known = {}  # a new one: another thread may be reading from the old one
        known, wanted = self._known, hashes.tolist()
        missing = [h for h in wanted if h not in known]
        places = np.searchsorted(self._hashes, np.array(missing, dtype=np.uint32)).tolist()
        try:
            known.update((h, self._read(h, at)) for h, at in zip(missing, places, strict=True))
        except UNREADABLE as error:
            raise damaged(self._file.path) from error
        return [known[h] for h in wanted]

    def texts(self, hashes: Terms) -> list[bytes]:
        """The same as it is stored, for very many ascending hashes: nothing is remembered, nor does
        what was read stay in memory.
        """
        at = np.searchsorted(self._hashes, hashes)
        known = at < len(self._hashes)
        known[known] = self._hashes[at[known]] == hashes[known]
        text = self._text.data
        lows, highs = (self._bounds[at[known] + k].tolist() for k in (0, 1))
        found = iter([bytes(text[low:high]) for low, high in zip(lows, highs, strict=True)])
        self._file.let_go()
        return [
            next(found) if is_known else self._absent(hash_).text()
            for hash_, is_known in zip(hashes.tolist(), known.tolist(), strict=True)
        ]

    def _read(self, hash_: int, at: int) -> Entry:
        if at == len(self._hashes) or int(self._hashes[at]) != hash_:
            return self._absent(hash_)
        low, high = int(self._bounds[at]), int(self._bounds[at + 1])
        term, _, display = bytes(self._text[low:high]).decode().partition(" ")
        return Entry(term, display)

    def _absent(self, hash_: int) -> Entry:
        """What stands for a term that is not in the file."""
        number = f"#{hash_:08x}"
        return self._tokens.get(hash_) or Entry(number, number)


def describe_bag(bag: Bag, dictionary: Dictionary, count: int) -> dict[str, Any]:
    """The bag in words, heaviest term first; `count` of them, 0: all.

    Of an enriched bag it says where each term comes from.
    """
    order = np.lexsort((bag.terms, -bag.weights))[: count or None]
    entries = dictionary.look_up(bag.terms[order])
    weights = map(_short, bag.weights[order])
    terms: list[dict[str, Any]] = [
        {"term": entry.term, "display": entry.display, "weight": weight}
        for entry, weight in zip(entries, weights, strict=True)
    ]
    if len(bag.sources):
        for term, source in zip(terms, bag.sources[order].tolist(), strict=True):
            term["source"] = SOURCES[source]
    return {
        "url": bag.url,
        "title": bag.title,
        "inlinks": bag.anchors,
        "linking_pages": bag.pages,
        "linking_hosts": bag.hosts,
        "crawled": bag.crawled,
        "size": len(bag.terms),
        "terms": terms,
    }


def _short(weight: np.float32) -> float:
    """The shortest decimal that is this 32-bit number: no digits that mean nothing."""
    return float(str(weight))
