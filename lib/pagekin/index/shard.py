"""One shard, open for reading: documents by URL, titles, rows of H, lists of I, bags and words.

Files are mapped, and only what is looked up is read. Nothing changes behind the opening, so threads
may share a shard.

A damaged file may hold anything. What would lead out of a file, or into nowhere, is checked at its
first use or where it is read: InputError names the file, and `pagekin verify` says more.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import NO_SOURCES, SOURCES, Bag, BagColumns, Dictionary, Sources, Weights
from pagekin.errors import InputError
from pagekin.index.shard_files import Ids, directory_bits
from pagekin.minhash.signatures import EMPTY, Signatures
from pagekin.tables import ArrayFile, damaged
from pagekin.text.words import Terms

__all__ = ["ListBounds", "Shard", "bounds_hold"]

Places = NDArray[np.int64]

_COUNTS = ("crawled", "anchors", "pages", "hosts")

# as bits; negative weights and those that are no numbers are not below it either
_INFINITE = np.uint32(0x7F800000)


class ListBounds(NamedTuple):
    """For each position where its list of a signature begins and ends in `ids`.

    Of several documents a row each.
    """

    starts: Places
    ends: Places

    def row(self, number: int) -> ListBounds:
        """Those of one of several documents."""
        return ListBounds(self.starts[number], self.ends[number])


class Shard:
    """The documents whose URL belongs to this shard; an id is a place in the order of the URLs."""

    def __init__(self, number: int, count: int, files: Mapping[str, ArrayFile]) -> None:
        self.number, self.count = number, count
        self._files = files  # as in SHARD_FILES

    def damaged(self, name: str) -> InputError:
        """The error that says that a file contradicts itself."""
        return damaged(self._files[name].path)

    # --- documents ---

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @cached_property
    def urls(self) -> ArrayFile:
        """URLs, and where their bags came from."""
        file = self._files["urls"]
        columns = [len(file[name]) for name in _COUNTS]
        if not bounds_hold(file["bounds"], len(file["text"])) or columns != [
            len(file["bounds"]) - 1
        ] * len(_COUNTS):
            raise self.damaged("urls")
        return file

    @cached_property
    def _bounds(self) -> memoryview:
        return self.urls["bounds"].data

    @cached_property
    def _text(self) -> memoryview:
        return self.urls["text"].data

    def url(self, document: int) -> bytes:
        """The URL of a document."""
        return bytes(self._text[self._bounds[document] : self._bounds[document + 1]])

    def spelt(self, document: int) -> str:
        """The URL of a document as text."""
        return self.url(document).decode("utf-8", "replace")

    @cached_property
    def titles(self) -> ArrayFile:
        """The titles of the pages that were read; empty for others."""
        file = self._files["titles"]
        if len(file["bounds"]) != len(self) + 1:
            raise self.damaged("titles")
        if not bounds_hold(file["bounds"], len(file["text"])):
            raise self.damaged("titles")
        return file

    def title(self, document: int) -> str:
        """The title of a document, "" if it has none or was not read."""
        low, high = self.titles["bounds"][document : document + 2].tolist()
        return self.titles["text"][low:high].tobytes().decode("utf-8", "replace")

    def at(self, url: bytes) -> int:
        """The id of the first document whose URL is not below this one."""
        low, high = 0, len(self)
        text, bounds = self._text, self._bounds
        while low < high:
            middle = (low + high) // 2
            if bytes(text[bounds[middle] : bounds[middle + 1]]) < url:
                low = middle + 1
            else:
                high = middle
        return low

    def find(self, url: bytes) -> int:
        """The id of a URL, or -1."""
        at = self.at(url)
        return at if at < len(self) and self.url(at) == url else -1

    def inlinks(self, document: int) -> int:
        """Links to a document."""
        return self._counts[1][document]

    def crawled(self, documents: Ids | slice) -> NDArray[np.bool_]:
        """Which of these documents are pages that were read?"""
        read: NDArray[np.bool_] = self.urls["crawled"][documents] == 1
        return read

    def counts(self, document: int) -> list[int]:
        """Was the page read (0 or 1); links to it, pages with such links, hosts of these."""
        return [column[document] for column in self._counts]

    @cached_property
    def _counts(self) -> list[memoryview]:
        return [self.urls[name].data for name in _COUNTS]

    # --- co-citation ---

    @cached_property
    def kin(self) -> ArrayFile:
        """The table of related pages of this shard."""
        return self._files["kin"]

    # --- signatures ---

    @cached_property
    def H(self) -> Signatures:  # noqa: N802 - the paper's name
        """One row of signatures a document."""
        signatures: Signatures = self._files["H"]["signatures"]
        if len(signatures) != len(self) * self.count:
            raise self.damaged("H")
        return signatures.reshape(-1, self.count)

    def has_terms(self, document: int) -> bool:
        """Can it have kin at all?"""
        return int(self.H[document, 0]) != EMPTY

    @cached_property
    def _inverted(self) -> ArrayFile:
        file = self._files["I"]
        if len(file["starts"]) != len(file["keys"]) + 1:
            raise self.damaged("I")
        return file

    @cached_property
    def ids(self) -> Ids:
        """All lists of I, one behind another."""
        return self._inverted["ids"]

    @cached_property
    def _bits(self) -> int:
        bits = directory_bits(len(self.ids) // self.count)
        if len(self._inverted["directory"]) != self.count * ((1 << bits) + 1):
            raise self.damaged("I")
        return bits

    @cached_property
    def _offsets(self) -> Places:
        """Where each position begins in the directory."""
        return np.arange(self.count) * ((1 << self._bits) + 1)

    def lists(self, signatures: Signatures) -> ListBounds:
        """Where the lists of the documents are that agree with these signatures, by position.

        Rows of several documents are looked up at once, for a fifth of the CPU.
        """
        inverted, bits = self._inverted, self._bits
        keys, starts = inverted["keys"], inverted["starts"]
        if not len(keys):
            none = np.zeros(signatures.shape, np.int64)
            return ListBounds(none, none)
        wanted = signatures.astype(np.uint64)
        bucket = (wanted >> np.uint64(32 - bits)).astype(np.int64) + self._offsets
        low = inverted["directory"][bucket].astype(np.int64)
        stop = inverted["directory"][bucket + 1].astype(np.int64)
        found = _bisect(keys, low, stop, signatures)
        hit = (found < stop) & (keys.take(found, mode="clip") == signatures)
        found = np.where(hit, found, 0)
        begin = np.where(hit, starts.take(found, mode="clip"), 0).astype(np.int64)
        end = np.where(hit, starts.take(found + 1, mode="clip"), 0).astype(np.int64)
        if (begin > end).any() or int(end.max()) > len(self.ids):
            raise self.damaged("I")
        return ListBounds(begin, end)

    # --- bags ---

    @cached_property
    def _bags(self) -> ArrayFile:
        file = self._columns("bags")
        sources = len(file["terms"]) if self.is_enriched else 0
        if (len(file["bounds"]), len(file["sources"])) != (len(self) + 1, sources):
            raise self.damaged("bags")
        return file

    @cached_property
    def _plain(self) -> ArrayFile:
        file = self._columns("plain")
        if len(file["bounds"]) not in {1, len(self) + 1}:
            raise self.damaged("plain")
        return file

    def _columns(self, name: str) -> ArrayFile:
        """A file with terms and weights, whose arrays agree."""
        file = self._files[name]
        holds = bounds_hold(file["bounds"], len(file["terms"]))
        if not holds or len(file["weights"]) != len(file["terms"]):
            raise self.damaged(name)
        return file

    @property
    def is_enriched(self) -> bool:
        """Do the bags say more than their pages, and do the plain ones lie beside them?"""
        return len(self._plain["bounds"]) > 1

    def _sources(self, document: int) -> Sources:
        """The source of each term of an enriched bag."""
        if not self.is_enriched:
            return NO_SOURCES
        low, high = self._bags["bounds"][document : document + 2].tolist()
        sources: Sources = self._bags["sources"][low:high]
        if (sources >= len(SOURCES)).any():
            raise self.damaged("bags")
        return sources

    def plain_terms(self, document: int) -> tuple[Terms, Weights]:
        """Terms and weights of what a page and the links to it say, before they were enriched."""
        return self._terms("plain" if self.is_enriched else "bags", document)

    @cached_property
    def words(self) -> Dictionary:
        """The words of the terms."""
        return Dictionary(self._files["words"])

    def terms(self, document: int) -> tuple[Terms, Weights]:
        """Terms, ascending, and weights of a document."""
        return self._terms("bags", document)

    def _terms(self, name: str, document: int) -> tuple[Terms, Weights]:
        file = self._bags if name == "bags" else self._plain
        low, high = file["bounds"][document : document + 2].tolist()
        terms: Terms = file["terms"][low:high]
        if (terms[1:] <= terms[:-1]).any():
            raise self.damaged(name)
        return terms, self._sound(file["weights"][low:high], name)

    def all_plain_bags(self) -> BagColumns:
        """What all pages and the links to them say, as it lies in the file."""
        name = "plain" if self.is_enriched else "bags"
        file = self._plain if self.is_enriched else self._bags
        weights = self._sound(file["weights"], name)
        return BagColumns(file["terms"], weights, file["bounds"].astype(np.int64))

    def bags_of(self, documents: Ids) -> BagColumns:
        """The bags of these documents."""
        file = self._bags
        lows, highs = (file["bounds"][d].tolist() for d in (documents, documents + 1))
        # slices of memory are joined in half the time that those of an array take
        terms, weights = (
            b"".join([data[a:b] for a, b in zip(lows, highs, strict=True)])
            for data in (file["terms"].data, file["weights"].data)
        )
        sizes = [high - low for low, high in zip(lows, highs, strict=True)]
        return BagColumns(
            np.frombuffer(terms, "<u4"),
            self._sound(np.frombuffer(weights, "<f4")),
            np.array(list(accumulate(sizes, initial=0))),
        )

    def _sound(self, weights: Weights, name: str = "bags") -> Weights:
        """The same weights, if they are some; InputError if not."""
        if (weights.view(np.uint32) >= _INFINITE).any():
            raise self.damaged(name)
        return weights

    def bag(self, document: int, *, plain: bool = False) -> Bag:
        """The bag of a document; `plain`: before it was enriched."""
        crawled, anchors, pages, hosts = self.counts(document)
        terms, weights = self.plain_terms(document) if plain else self.terms(document)
        url = self.spelt(document)
        title = self.title(document)
        sources = NO_SOURCES if plain else self._sources(document)
        return Bag(url, crawled == 1, anchors, pages, hosts, terms, weights, title, sources)


def bounds_hold(bounds: NDArray[np.uint64], length: int) -> bool:
    """Do they ascend from 0 to this length?"""
    return (
        len(bounds) > 0
        and int(bounds[0]) == 0
        and int(bounds[-1]) == length
        and bool((bounds[1:] >= bounds[:-1]).all())
    )


def _bisect(keys: Signatures, low: Places, high: Places, wanted: Signatures) -> Places:
    """For each search the first place from `low` on whose key is not below the wanted one."""
    while (more := low < high).any():
        middle = (low + high) >> 1
        below = keys.take(middle, mode="clip") < wanted
        below &= more
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    return low
