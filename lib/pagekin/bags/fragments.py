"""Fragments: what one page says about one URL, on its way from a mapper to a reducer [SIM 6.1].

A fragment is a little stream of numbers: section marks, each followed by its terms, as hashes, in
the order of the page. Weights are not written: they follow from the order.

    of a link    LINK, terms of the window, [HEADINGS, terms,] [CITING_TITLE, terms,]
                 [CITING_PAGE, id]                              ... once per link
    of a page    TITLE, title terms, CONTENT, body terms

LINK says how many terms of its window stand left and right of the anchor, so that the window itself
is a piece of the page as it stands. Each number takes five bytes of seven bits, with the eighth
set: no separator of lines or fields can occur, and equal terms are equal bytes at every place. That
is what makes overlapping windows compress: a quarter better than base64, whose text depends on
where a number falls in a group of three bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.stream import HIGHEST, MOST_ABOVE, Places, Stream
from pagekin.bags.windows import reach, windows
from pagekin.config import BagConfig, WindowConfig
from pagekin.native import load
from pagekin.text.tokens import CODES, HEADING_END

__all__ = [
    "CITING_PAGE",
    "CITING_TITLE",
    "CONTENT",
    "HEADINGS",
    "KIND_SHIFT",
    "LINK",
    "SIDE_SHIFT",
    "TITLE",
    "WIDTH",
    "FragmentMaker",
    "LinkParts",
    "Numbers",
    "decode",
    "encode",
    "headings_above",
]

Numbers = NDArray[np.uint64]

WIDTH = 5  # bytes of a number
KIND_SHIFT = 32  # above it a mark's kind; a term has none
LINK, HEADINGS, CITING_TITLE, CITING_PAGE, TITLE, CONTENT = range(1, 7)

SIDE_SHIFT = 16  # of a LINK: terms left of the anchor above, terms right of it below
_BITS = 7
_native, _streams = load("pagekin.stages.fragments._fragments"), load("pagekin.bags._stream")


def encode(numbers: NDArray[np.unsignedinteger]) -> bytes:
    """Numbers below 2^35 as text without separators.

    >>> encode(np.array([1, 128, 6 << KIND_SHIFT], np.uint64)).hex(" ", 5)
    '8080808081 8080808180 e080808080'
    """
    if _native is not None:
        text: bytes = (_native.encode_32 if numbers.itemsize == 4 else _native.encode_64)(numbers)
        return text
    columns = np.empty((len(numbers), WIDTH), dtype=np.uint8)
    for k in range(WIDTH):
        columns[:, k] = numbers >> numbers.dtype.type(_BITS * (WIDTH - 1 - k))
    columns |= 0x80
    return columns.tobytes()


def decode(text: bytes | bytearray) -> Numbers:
    """The numbers of one fragment, or of several joined ones."""
    if _native is not None:
        return np.frombuffer(_native.decode(text), dtype=np.uint64)
    groups = np.frombuffer(text, dtype=np.uint8).reshape(-1, WIDTH) & np.uint8(0x7F)
    numbers = groups[:, 0].astype(np.uint64)
    for k in range(1, WIDTH):
        numbers <<= np.uint64(_BITS)
        numbers |= groups[:, k]
    return numbers


def _mark(kind: int) -> bytes:
    return encode(np.array([kind << KIND_SHIFT], dtype=np.uint64))


_HEADINGS, _CITING_TITLE, _CITING_PAGE = map(_mark, (HEADINGS, CITING_TITLE, CITING_PAGE))
_TITLE, _CONTENT, _BARE_LINK = map(_mark, (TITLE, CONTENT, LINK))


class LinkParts(NamedTuple):
    """What the fragments of a page's links are put together from, in the order of the links."""

    marks: bytes  # of each
    terms: bytes  # of the page
    low: Places  # the first of each link's window
    high: Places  # and the one behind its last
    above: list[bytes] | None  # the headings that a link stands under
    tail: bytes  # what every link carries


@dataclass(frozen=True)
class FragmentMaker:
    """Makes the fragments of pages under one configuration."""

    window: WindowConfig
    bag: BagConfig

    def of_page(self, stream: Stream) -> bytes:
        """The page's own fragment: its title, and its words if the bag takes content."""
        content = encode(stream.terms) if self.bag.content else b""
        return b"".join((_TITLE, encode(stream.title), _CONTENT, content))

    def of_links(self, stream: Stream, page_id: int) -> LinkParts:
        """What the fragments of the links of a page are put together from."""
        tail = self._tail(stream, page_id)
        if not self.bag.anchor:
            nowhere = np.zeros(len(stream.opens), dtype=np.int64)
            return LinkParts(_BARE_LINK * len(nowhere), b"", nowhere, nowhere, None, tail)
        low, high = windows(stream, self.window.kind, self._reach)
        terms = encode(stream.terms)
        above = _headings(stream, terms) if self.bag.headings else None
        return LinkParts(_link_marks(stream, low, high), terms, low, high, above, tail)

    @cached_property
    def _reach(self) -> int:
        return reach(self.window, self.bag)

    def _tail(self, stream: Stream, page_id: int) -> bytes:
        """What every link of the page carries: the page's title and id, where they are wanted."""
        title = page = b""
        if self.bag.citing_title and len(stream.title):
            title = _CITING_TITLE + encode(stream.title[:MOST_ABOVE])
        if self.bag.links:
            page = _CITING_PAGE + encode(np.array([page_id], dtype=np.uint64))
        return title + page


def _link_marks(stream: Stream, low: Places, high: Places) -> bytes:
    """The LINK of each link."""
    left, right = stream.start - low, high - stream.end
    return encode(((LINK << KIND_SHIFT) | (left << SIDE_SHIFT) | right).astype(np.uint64))


def _headings(stream: Stream, terms: bytes) -> list[bytes]:
    """For each link the section of the headings it stands under: one of each open level."""
    if _streams is None:
        return headings_above(stream, terms)
    columns = (stream.codes, stream.before, stream.opens)
    codes = (HIGHEST, CODES[HEADING_END], MOST_ABOVE)
    above: list[bytes] = _streams.headings_above(*columns, terms, _HEADINGS, *codes)
    return above


def headings_above(stream: Stream, terms: bytes) -> list[bytes]:
    """The same, in Python."""
    places, levels, low, high = stream.headings()
    chains: list[bytes] = [b""]
    open_levels: dict[int, bytes] = {}
    for level, a, b in zip(levels, (WIDTH * low).tolist(), (WIDTH * high).tolist(), strict=True):
        open_levels = {k: v for k, v in open_levels.items() if k < level}
        open_levels[level] = terms[a:b]
        above = b"".join(open_levels.values())  # levels rise: only lower ones were kept
        chains.append(_HEADINGS + above if above else b"")
    return [chains[k] for k in np.searchsorted(places, stream.opens).tolist()]
