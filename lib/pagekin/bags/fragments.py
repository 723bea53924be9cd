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

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.stream import Places, Stream
from pagekin.bags.windows import reach, windows
from pagekin.config import BagConfig, WindowConfig

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
    "Numbers",
    "decode",
    "encode",
]

Numbers = NDArray[np.uint64]

WIDTH = 5  # bytes of a number
KIND_SHIFT = 32  # above it a mark's kind; a term has none
LINK, HEADINGS, CITING_TITLE, CITING_PAGE, TITLE, CONTENT = range(1, 7)

SIDE_SHIFT = 16  # of a LINK: terms left of the anchor above, terms right of it below
_BITS = 7


def encode(numbers: NDArray[np.unsignedinteger]) -> bytes:
    """Numbers below 2^35 as text without separators.

    >>> encode(np.array([1, 128, 6 << KIND_SHIFT], np.uint64)).hex(" ", 5)
    '8080808081 8080808180 e080808080'
    """
    text = np.empty((len(numbers), WIDTH), dtype=np.uint8)
    for k in range(WIDTH):
        text[:, k] = numbers >> numbers.dtype.type(_BITS * (WIDTH - 1 - k))
    text |= 0x80
    return text.tobytes()


def decode(text: bytes | bytearray) -> Numbers:
    """The numbers of one fragment, or of several joined ones."""
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


@dataclass(frozen=True)
class FragmentMaker:
    """Makes the fragments of pages under one configuration."""

    window: WindowConfig
    bag: BagConfig

    def of_page(self, stream: Stream) -> bytes:
        """The page's own fragment: its title, and its words if the bag takes content."""
        content = encode(stream.terms) if self.bag.content else b""
        return b"".join((_TITLE, encode(stream.title), _CONTENT, content))

    def of_links(
        self, stream: Stream, targets: list[str | None], page_id: int
    ) -> Mapping[str, list[bytes]]:
        """For each target URL the fragments of the links to it; None is a link that is left out."""
        tail = self._tail(stream, page_id)
        if not self.bag.anchor:
            return _grouped(targets, (_BARE_LINK + tail for _ in targets))
        words = reach(self.window, self.bag)
        low, high = windows(stream, self.window.kind, words)
        marks, terms = _link_marks(stream, low, high), encode(stream.terms)
        above = _headings_above(stream, terms) if self.bag.headings else repeat(b"")
        edges = zip((WIDTH * low).tolist(), (WIDTH * high).tolist(), strict=True)
        links = zip(range(0, len(marks), WIDTH), edges, above, strict=False)  # above may be endless
        return _grouped(
            targets, [marks[k : k + WIDTH] + terms[a:b] + h + tail for k, (a, b), h in links]
        )

    def _tail(self, stream: Stream, page_id: int) -> bytes:
        """What every link of the page carries: the page's title and id, where they are wanted."""
        title = page = b""
        if self.bag.citing_title and len(stream.title):
            title = _CITING_TITLE + encode(stream.title)
        if self.bag.links:
            page = _CITING_PAGE + encode(np.array([page_id], dtype=np.uint64))
        return title + page


def _link_marks(stream: Stream, low: Places, high: Places) -> bytes:
    """The LINK of each link."""
    left, right = stream.start - low, high - stream.end
    return encode(((LINK << KIND_SHIFT) | (left << SIDE_SHIFT) | right).astype(np.uint64))


def _grouped(targets: list[str | None], payloads: Iterable[bytes]) -> dict[str, list[bytes]]:
    groups: dict[str, list[bytes]] = {}
    for target, payload in zip(targets, payloads, strict=True):
        if target is None:
            continue
        if target in groups:
            groups[target].append(payload)
        else:
            groups[target] = [payload]
    return groups


def _headings_above(stream: Stream, terms: bytes) -> list[bytes]:
    """For each link the section of the headings it stands under: one of each open level."""
    places, levels, low, high = stream.headings()
    chains: list[bytes] = [b""]
    open_levels: dict[int, bytes] = {}
    for level, a, b in zip(levels, (WIDTH * low).tolist(), (WIDTH * high).tolist(), strict=True):
        open_levels = {k: v for k, v in open_levels.items() if k < level}
        open_levels[level] = terms[a:b]
        above = b"".join(open_levels.values())  # levels rise: only lower ones were kept
        chains.append(_HEADINGS + above if above else b"")
    return [chains[k] for k in np.searchsorted(places, stream.opens).tolist()]
