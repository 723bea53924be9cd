"""How fragments are packed for the way from mappers to reducers: which terms are short, and which
URLs travel together.

A term is a hash of 32 bits, which nothing makes shorter; so the terms that are frequent in a
sample of the snapshot get codes of two and three bytes. URLs travel in ranges: all of one host, so
that the words of a page are sent once for all its links there; or where a host is large a part of
its URLs in their order, from one cut to the next, so that no range makes a task long. A range is
named by the first URL that it could hold, hence ranges are ordered as their URLs are.

Packing changes no bag, only how much is sent. Without a sample terms are spelt out, and hosts are
whole.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.fragments import KIND_SHIFT, encode
from pagekin.native import load
from pagekin.tables import ArrayFile, write_arrays
from pagekin.text.words import Terms

__all__ = ["MOST_CODES", "Packing", "host_part", "spelt_code", "spelt_literal", "write_packing"]

_KIND = "packing"
_REMEMBERED = 1 << 17  # 20 MB, in Python alone
_native = load("pagekin.stages.fragments._parcels")

# The first byte of a number says how many follow: of two bytes 20 to 5F, of three 60 to 6B, spelt
# out 6E and 6F, marks 71 to 77. The others are digits to the base 252: no byte 0, at which sorting
# programs might stop, no tab, and no end of a line.
BASE = 252
TWO, THREE, LITERAL, MARK = 0x20, 0x60, 0x6E, 0x70
_OF_TWO = (THREE - TWO) * BASE
MOST_CODES = 1 << 17  # 2 MB of a task; a term beyond is as rare as one that was not seen


def host_part(url: bytes) -> bytes:
    """All of a canonical URL that is before its path, and the path's first slash."""
    end = url.find(b"/", url.find(b"://") + 3)
    return url[: end + 1] if end >= 0 else url


def _digits(number: int, count: int) -> bytes:
    """The last digits of a number, the highest first, as bytes that no line is cut at."""
    made = []
    for _ in range(count):
        number, digit = divmod(number, BASE)
        byte = digit + 1 + 2 * (digit + 1 >= ord("\t"))
        made.append(byte + (byte >= ord("\r")))
    return bytes(reversed(made))


def _read_digits(text: bytes) -> int:
    number = 0
    for byte in text:
        number = BASE * number + byte - 1 - (byte > ord("\r")) - 2 * (byte > ord("\t"))
    return number


def spelt_code(place: int) -> bytes:
    """The term at this place among the codes."""
    if place < _OF_TWO:
        return bytes([TWO + place // BASE]) + _digits(place, 1)
    place -= _OF_TWO
    return bytes([THREE + place // BASE**2]) + _digits(place, 2)


def spelt_literal(term: int) -> bytes:
    """A term that has no code."""
    return bytes([LITERAL + term // BASE**4]) + _digits(term, 4)


class _Memo(dict[Any, bytes]):
    """What a function says, remembered."""

    def __init__(self, say: Callable[[Any], bytes]) -> None:
        self._say = say

    def __missing__(self, key: int | bytes) -> bytes:
        if len(self) > _REMEMBERED:
            self.clear()
        value = self[key] = self._say(key)
        return value


class Packing:
    """The terms with codes, and the cuts within large hosts."""

    def __init__(self, terms: Terms | None = None, cuts: Sequence[bytes] = ()) -> None:
        terms = np.empty(0, np.uint32) if terms is None else terms[:MOST_CODES]
        self.terms = np.ascontiguousarray(terms, np.uint32)
        self.cuts = list(cuts)  # URLs, ascending
        self.cut_text = b"".join(self.cuts)
        self.cut_bounds = np.array([0, *accumulate(map(len, self.cuts))], np.int64)
        self._codes: dict[int, bytes] = {}
        self.spelt = _Memo(self._spell)  # a term or a mark of a fragment -> how it is spelt
        self.numbers = _Memo(self._read)  # and from that to what fragments have

    @cached_property
    def text(self) -> bytes:
        """The terms with codes, as fragments have them; for those who unpack."""
        return encode(self.terms)

    @cached_property
    def table(self) -> bytes:
        """Their places by hash, for those who pack in C."""
        table: bytes = b"" if _native is None else _native.code_table(self.terms)
        return table

    @classmethod
    def read(cls, path: str | Path | None) -> Packing:
        """As it was stored; with no path that of no sample."""
        if not path:
            return cls()
        file = ArrayFile(Path(path), _KIND)
        text = file["cuts"].tobytes()
        bounds = file["cut_bounds"].tolist()
        return cls(file["terms"], [text[a:b] for a, b in pairwise(bounds)])

    def key_of(self, url: bytes) -> bytes:
        """The name of the range that a URL is in."""
        start = host_part(url)
        place = bisect_right(self.cuts, url)
        cut = self.cuts[place - 1] if place else b""
        return cut if cut.startswith(start) else start

    def _spell(self, number: int) -> bytes:
        if number >> KIND_SHIFT:
            return bytes([MARK | number >> KIND_SHIFT])
        if not self._codes:
            self._codes = {t: spelt_code(k) for k, t in enumerate(self.terms.tolist())}
        return self._codes.get(number) or spelt_literal(number)

    def _read(self, spelt: bytes) -> bytes:
        return encode(np.array([self._number(spelt)], np.uint64))

    def _number(self, spelt: bytes) -> int:
        first, rest = spelt[0], _read_digits(spelt[1:])
        if first > MARK:
            return first - MARK << KIND_SHIFT
        if first >= LITERAL:
            number = (first - LITERAL) * BASE**4 + rest
            if number >> KIND_SHIFT:
                raise ValueError("no term has so many bits")
            return number
        place = (first - TWO) * BASE if first < THREE else (first - THREE) * BASE**2 + _OF_TWO
        return int(self.terms[place + rest])


def write_packing(path: Path, terms: Terms, cuts: Sequence[bytes]) -> None:
    """Store the terms with codes, the most frequent first, and the cuts."""
    packing = Packing(terms, sorted(cuts))
    arrays: dict[str, NDArray[Any]] = {
        "terms": packing.terms,
        "cuts": np.frombuffer(packing.cut_text, np.uint8),
        "cut_bounds": packing.cut_bounds,
    }
    write_arrays(path, _KIND, {}, arrays)
