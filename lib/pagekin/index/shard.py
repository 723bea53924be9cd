"""One shard, open for reading: documents by URL, rows of H, lists of I, bags and words.

Files are mapped at their first use and only what is looked up is read. Nothing changes behind the
opening, so threads may share a shard. What a damaged file says is checked where it would lead out
of the file: InputError names it, and `pagekin verify` says more.
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Bag
from pagekin.bags.dictionary import Dictionary
from pagekin.errors import InputError
from pagekin.index.inversion import Numbers, directory_bits
from pagekin.index.layout import SHARD_FILES, shard_name
from pagekin.minhash.hashing import EMPTY
from pagekin.tables import ArrayFile

__all__ = ["Lists", "Shard"]

_COUNTS = ("crawled", "anchors", "pages", "hosts")

_BYTES = 8  # of a term and its weight

# as bits; negative weights and those that are no numbers are not below it either
_INFINITE = np.uint32(0x7F800000)

Places = NDArray[np.int64]


class Lists(NamedTuple):
    """For each position where its list of a signature begins and ends in `ids`.

    Of several documents a row each.
    """

    starts: Places
    ends: Places

    def row(self, number: int) -> Lists:
        """The lists of one of several documents."""
        return Lists(self.starts[number], self.ends[number])


class Shard:
    """The documents whose URL hashes to this shard; an id is a place in the order of the URLs."""

    def __init__(self, folder: Path, number: int, count: int) -> None:
        self.number, self.count = number, count
        self.folder = folder / shard_name(number)
        if not self.folder.is_dir():
            raise InputError(f"{folder}: shard {number} ({self.folder.name}) is missing")

    def _open(self, name: str) -> ArrayFile:
        file = SHARD_FILES[name]
        return ArrayFile(self.folder / file.name, file.kind)

    def __len__(self) -> int:
        return len(self._bounds) - 1

    # --- documents ---

    @cached_property
    def urls(self) -> ArrayFile:
        """URLs, and where their bags came from."""
        return self._open("urls")

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

    def crawled(self, documents: Numbers | slice) -> NDArray[np.bool_]:
        """Which of these documents are pages that were read?"""
        read: NDArray[np.bool_] = self.urls["crawled"][documents] == 1
        return read

    # --- co-citation ---

    @cached_property
    def kin(self) -> ArrayFile:
        """The related pages of pages of this shard; see `pagekin.cocitation.table`."""
        return self._open("kin")

    # --- signatures ---

    @cached_property
    def H(self) -> Numbers:  # noqa: N802 - the paper's name
        """One row of signatures a document."""
        signatures: Numbers = self._open("H")["signatures"]
        if len(signatures) != len(self) * self.count:
            raise self.damaged("H")
        return signatures.reshape(-1, self.count)

    @cached_property
    def _inverted(self) -> ArrayFile:
        return self._open("I")

    @cached_property
    def ids(self) -> Numbers:
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

    def lists(self, signatures: Numbers) -> Lists:
        """Where the lists of the documents are that agree with these signatures, by position.

        Rows of several documents are looked up at once, for a fifth of the CPU.
        """
        inverted, bits = self._inverted, self._bits
        keys, starts = inverted["keys"], inverted["starts"]
        if not len(keys):
            none = np.zeros(signatures.shape, np.int64)
            return Lists(none, none)
        wanted = signatures.astype(np.uint64)
        bucket = (wanted >> np.uint64(32 - bits)).astype(np.int64) + self._offsets
        low = inverted["directory"][bucket].astype(np.int64)
        stop = inverted["directory"][bucket + 1].astype(np.int64)
        found = _bisect(keys, low, stop, signatures)
        hit = (found < stop) & (keys.take(found, mode="clip") == signatures)
        found = np.where(hit, found, 0)
        begin = np.where(hit, starts[found], 0).astype(np.int64)
        end = np.where(hit, starts[found + 1], 0).astype(np.int64)
        if (begin > end).any() or int(end.max()) > len(self.ids):
            raise self.damaged("I")
        return Lists(begin, end)

    # --- bags ---

    @cached_property
    def _bags(self) -> ArrayFile:
        return self._open("bags")

    @cached_property
    def _bag_bounds(self) -> memoryview:
        return self._bags["bounds"].data

    @cached_property
    def words(self) -> Dictionary:
        """The words of the terms."""
        file = SHARD_FILES["words"]
        return Dictionary(self.folder / file.name)

    def terms(self, document: int) -> tuple[Numbers, NDArray[np.float32]]:
        """Terms, ascending, and weights of a document."""
        bounds = self._bag_bounds
        low, high = bounds[document], bounds[document + 1]
        if not low <= high <= len(self._bags["terms"]):
            raise self.damaged("bags")
        return self._bags["terms"][low:high], self.sound(self._bags["weights"][low:high])

    def bags_of(self, documents: Numbers) -> tuple[list[bytes], list[bytes]]:
        """The terms of each of these documents, and the weights, as bytes."""
        bounds = self._bags["bounds"]
        lows, highs = (bounds[d].astype(np.int64) for d in (documents, documents + 1))
        if (lows > highs).any() or (highs > len(self._bags["terms"])).any() or (lows < 0).any():
            raise self.damaged("bags")
        return self._bags.read("terms", lows, highs), self._bags.read("weights", lows, highs)

    def size_of_bags(self, documents: Numbers) -> int:
        """How many bytes `bags_of` gives for these documents."""
        bounds = self._bags["bounds"]
        return _BYTES * int((bounds[documents + 1] - bounds[documents]).sum())

    def sound(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """The same weights, if they are some; InputError if not."""
        if (weights.view(np.uint32) >= _INFINITE).any():
            raise self.damaged("bags")
        return weights

    def bag(self, document: int) -> Bag:
        """The bag of a document."""
        crawled, anchors, pages, hosts = self.counts(document)
        url, (terms, weights) = self.spelt(document), self.terms(document)
        return Bag(url, crawled == 1, anchors, pages, hosts, terms, weights)

    def counts(self, document: int) -> list[int]:
        """Was the page read (0 or 1); links to it, pages with such links, hosts of these."""
        return [column[document] for column in self._counts]

    @cached_property
    def _counts(self) -> list[memoryview]:
        return [self.urls[name].data for name in _COUNTS]

    def has_terms(self, document: int) -> bool:
        """Can it have kin at all?"""
        return int(self.H[document, 0]) != EMPTY

    def damaged(self, name: str) -> InputError:
        """The error that says that a file contradicts itself."""
        path = self.folder / SHARD_FILES[name].name
        return InputError(f"{path} is damaged: it contradicts itself; `pagekin verify` says more")


def _bisect(keys: Numbers, low: Places, high: Places, wanted: Numbers) -> Places:
    """For each search the first place from `low` on whose key is not below the wanted one."""
    while (more := low < high).any():
        middle = (low + high) >> 1
        below = keys.take(middle, mode="clip") < wanted
        below &= more
        low, high = np.where(below, middle + 1, low), np.where(below, high, middle)
    return low
