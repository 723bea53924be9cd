"""The dictionary: from a term's hash back to the term and the form in which people read it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Bag
from pagekin.tables import UNREADABLE, ArrayFile, damaged, write_arrays
from pagekin.text.words import Terms

__all__ = ["BAR", "Dictionary", "Entry", "describe_bag", "write_dictionary"]

BAR = b"|"  # between entries of one record; none has it
_KIND = "dictionary"
_KEPT = 500_000  # entries in words: about 100 MB


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
    write_arrays(path, _KIND, {}, arrays)


class Dictionary:
    """Looks terms up."""

    def __init__(self, path: Path) -> None:
        self._file = file = ArrayFile(path, _KIND)
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
        """The same as it is stored, for very many ascending hashes: nothing is remembered."""
        at = np.searchsorted(self._hashes, hashes)
        known = at < len(self._hashes)
        known[known] = self._hashes[at[known]] == hashes[known]
        text = self._text.data
        lows, highs = (self._bounds[at[known] + k].tolist() for k in (0, 1))
        found = (bytes(text[low:high]) for low, high in zip(lows, highs, strict=True))
        return [
            next(found) if is_known else _nameless(hash_).text()
            for hash_, is_known in zip(hashes.tolist(), known.tolist(), strict=True)
        ]

    def _read(self, hash_: int, at: int) -> Entry:
        if at == len(self._hashes) or int(self._hashes[at]) != hash_:
            return _nameless(hash_)
        low, high = int(self._bounds[at]), int(self._bounds[at + 1])
        term, _, display = bytes(self._text[low:high]).decode().partition(" ")
        return Entry(term, display)


def _nameless(hash_: int) -> Entry:
    return Entry(f"#{hash_:08x}", f"#{hash_:08x}")


def describe_bag(bag: Bag, dictionary: Dictionary, count: int) -> dict[str, Any]:
    """The bag in words, heaviest term first; `count` of them, 0: all."""
    order = np.lexsort((bag.terms, -bag.weights))[: count or None]
    entries = dictionary.look_up(bag.terms[order])
    weights = map(_short, bag.weights[order])
    terms = [
        {"term": entry.term, "display": entry.display, "weight": weight}
        for entry, weight in zip(entries, weights, strict=True)
    ]
    return {
        "url": bag.url,
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
