"""Parcels: all that one page says about the URLs of one range, on its way to their reducer.

Windows of one page overlap, and a page has some hundred links to some fifteen hosts. So a parcel
has the words of all its windows once, as pieces of the page in their order, and of each link only
where in them its anchor stands. The page's own fragment goes into the parcel of its own range,
whose words are then all of the page. What comes out of parcels, URL by URL, is what went in
(`link_records.py`): they are how it travels, and nothing else. docs/formats.md has their
parts. `_parcels.c` does the same, and is taken where it was built.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice
from typing import NamedTuple

import numpy as np

from pagekin.bags.fragments import KIND_SHIFT, LINK, SIDE_SHIFT, WIDTH, decode, encode
from pagekin.kinds import Pair
from pagekin.native import load
from pagekin.stages.fragments.link_records import PER_RECORD, Said
from pagekin.stages.fragments.packing import Packing, host_part
from pagekin.stages.fragments.values import OF_FOLDED, OF_PAGE, link_value

__all__ = [
    "MOST_OPENED",
    "PARCEL",
    "Range",
    "keyed",
    "pack",
    "plain_pack",
    "plain_unpack",
    "unpack",
]

Range = tuple[bytes, list[Pair], int]
"""Its name, its records by URL and value, and their bytes."""

MOST_OPENED = 1 << 20  # bytes of the links of a parcel that is open, but for its last link
PARCEL = b"p"  # the first byte: behind the links of the range that mappers have folded
_END = b" "  # of the rest of a URL
_COUNTS, _LAST = 96, 0x80  # digits of a count from 20 on, of which the last one has the eighth bit
_FLAGS, _LENGTHS = 0x21, 9  # anchors of so many words say it apart
_USUAL, _FINAL, _SAME = 1, 2, 4
_NOTHING, _GOES_ON = b"-", b"~"  # of the page itself; the first URL has links in the parcel before
_OWN = b""
_SIDE = (1 << SIDE_SHIFT) - 1  # words of a side, at most
_HIGHEST = 1 << 40  # of a count that is read on
_NUMBER = re.compile(rb"[\x20-\x5F].|[\x60-\x6B]..|[\x6E\x6F]....|[\x71-\x77]", re.DOTALL)
_native = load("pagekin.stages.fragments._parcels")


_Placed = tuple[bytes, int]  # a link: its URL, and its place on the page


class _Link(NamedTuple):
    """Where a link stands in the text of its parcel."""

    anchor: int
    words: int  # of the anchor
    left: int
    right: int
    above: int  # number of the headings above it
    final: bool  # the last one to its URL


def pack(said: Said, packing: Packing) -> list[Pair]:
    """The parcels of a page, one for each range that it says something about, in their order. Of
    very many links to a range more parcels are made, so that none is long once it is open.
    """
    if _native is None:
        return plain_pack(said, packing)
    ranges = packing.table, packing.cut_text, packing.cut_bounds
    parcels: list[Pair] = _native.pack(
        said.url, said.value, said.targets, *said.parts, said.host, *ranges, MOST_OPENED
    )
    return parcels


def keyed(pairs: Iterable[Pair], packing: Packing) -> Iterator[Pair]:
    """Records of single URLs that travel beside parcels: links that a mapper has folded."""
    for url, value in pairs:
        rest = url[len(host_part(url)) :]
        yield packing.key_of(url), value[:1] + rest + _END + value[1:]


def unpack(pairs: list[Pair], start: int, packing: Packing, enough: int) -> tuple[list[Range], int]:
    """What sorted pairs say from the place `start` on, range by range, until so many bytes are
    open; and the place of the next pair.
    """
    if _native is None:
        return plain_unpack(pairs, start, packing, enough)
    limits = PER_RECORD, MOST_OPENED, enough
    opened: tuple[list[Range], int] = _native.unpack(pairs, start, packing.text, *limits)
    return opened


# --- packing, in Python ---


def plain_pack(said: Said, packing: Packing) -> list[Pair]:
    """The same as `pack`, in Python."""
    links = [(t.encode(), k) for k, t in enumerate(said.targets) if t is not None]
    own = packing.key_of(said.url)
    ranges: dict[bytes, list[_Placed]] = {own: []}
    for link in sorted(links):
        ranges.setdefault(packing.key_of(link[0]), []).append(link)
    words = _Words(said, packing)
    return [
        (key, words.parcel(key, some, head))
        for key in sorted(ranges)
        for some, head in words.parts(ranges[key], has_own=key == own)
    ]


class _Words:
    """A page's words, ready for its parcels."""

    def __init__(self, said: Said, packing: Packing) -> None:
        self._said, self._packing = said, packing
        parts = said.parts
        self._spelt_terms = list(map(packing.spelt.__getitem__, decode(parts.terms).tolist()))
        self._sections: dict[bytes, bytes] = {}
        marks = decode(parts.marks)
        side = np.uint64(_SIDE)
        self._left = (marks >> np.uint64(SIDE_SHIFT) & side).tolist()
        self._right = (marks & side).tolist()
        self._low, self._high = parts.low.tolist(), parts.high.tolist()
        self._usual = max(self._left + self._right, default=0)

    def parts(
        self, links: list[_Placed], *, has_own: bool
    ) -> Iterator[tuple[list[_Placed], bytes]]:
        """The links of a range by parcel, and what each says of the page itself."""
        part: list[_Placed] = []
        size, head = 0, _OWN if has_own else _NOTHING
        for link in links:
            if size > MOST_OPENED:
                yield part, head
                head = _GOES_ON if link[0] == part[-1][0] else _NOTHING
                part, size = [], 0
            size += self._opened(link) + (len(link[0]) if not part or part[-1][0] != link[0] else 0)
            part.append(link)
        yield part, head

    def _opened(self, link: _Placed) -> int:
        """What a link is, once its parcel is open."""
        above, k = self._said.parts.above, link[1]
        words: int = WIDTH * (1 + self._high[k] - self._low[k])
        return words + (len(above[k]) if above else 0) + len(self._said.parts.tail)

    def parcel(self, key: bytes, links: list[_Placed], head: bytes) -> bytes:
        """What the page says with these links, to URLs of one range."""
        said, terms = self._said, self._said.parts.terms
        whole = head == _OWN and bool(terms) and said.value.endswith(terms)
        edges = [(self._low[k], self._high[k]) for _, k in links]
        pieces = [(0, len(self._spelt_terms))] if whole else _joined(edges)
        words = [word for a, b in pieces for word in self._spelt_terms[a:b]]
        placed, above = self._place(links, pieces)
        start = len(host_part(key))
        urls = list(dict.fromkeys(url for url, _ in links))
        return b"".join(
            (
                PARCEL,
                said.host,
                self._own_part(start, whole=whole) if head == _OWN else head,
                self._section(said.parts.tail),
                _count(len(above)),
                *map(self._section, above),
                _count(len(words)),
                *words,
                _count(self._usual),
                _count(len(urls)),
                *(url[start:] + _END for url in urls),
                *self._spelt(placed),
            )
        )

    def _own_part(self, start: int, *, whole: bool) -> bytes:
        """The page's own fragment; where its last words are the text, without them."""
        url, value = self._said.url, self._said.value
        head = value[2 : len(value) - len(self._said.parts.terms)] if whole else value[2:]
        flags = value[1:2] + (b"=" if whole else b"-")
        return flags + url[start:] + _END + self._section(head)

    def _section(self, text: bytes) -> bytes:
        """The numbers of a text, spelt."""
        if text not in self._sections:
            numbers = list(map(self._packing.spelt.__getitem__, decode(text).tolist()))
            self._sections[text] = _count(len(numbers)) + b"".join(numbers)
        return self._sections[text]

    def _place(
        self, links: list[_Placed], pieces: list[tuple[int, int]]
    ) -> tuple[list[_Link], list[bytes]]:
        """Where in the pieces the links stand, and the headings above them, each once."""
        above = self._said.parts.above
        headings: dict[bytes, int] = {}
        starts, offsets = [a for a, _ in pieces], [0]
        for a, b in pieces:
            offsets.append(offsets[-1] + b - a)
        placed: list[_Link] = []
        for place, (url, k) in enumerate(links, 1):
            low, left, right = self._low[k], self._left[k], self._right[k]
            piece = bisect_right(starts, low) - 1
            anchor = offsets[piece] + low - starts[piece] + left
            number = headings.setdefault(above[k] if above else b"", len(headings))
            words = self._high[k] - right - low - left
            final = place == len(links) or links[place][0] != url
            placed.append(_Link(anchor, words, left, right, number, final))
        return placed, list(headings)

    def _spelt(self, links: list[_Link]) -> Iterator[bytes]:
        behind = above = 0
        usual = self._usual, self._usual
        for link in links:
            step = link.anchor - behind
            flags = _USUAL * ((link.left, link.right) == usual)
            flags |= _FINAL * link.final | _SAME * (link.above == above)
            words = min(link.words, _LENGTHS)
            yield _count(2 * step if step >= 0 else -2 * step - 1)
            yield bytes([_FLAGS + 8 * words + flags])
            if not flags & _SAME:
                yield _count(link.above)
            if not flags & _USUAL:
                yield _count(link.left) + _count(link.right)
            if words == _LENGTHS:
                yield _count(link.words - _LENGTHS)
            behind, above = link.anchor + link.words, link.above


def _joined(edges: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Pieces of the page that hold all windows, in their order."""
    pieces: list[tuple[int, int]] = []
    for low, high in sorted(edges):
        if pieces and low <= pieces[-1][1]:
            pieces[-1] = pieces[-1][0], max(high, pieces[-1][1])
        else:
            pieces.append((low, high))
    return pieces


def _count(number: int) -> bytes:
    """A small number, in bytes that no line is cut at."""
    made = [_LAST + number % _COUNTS]
    while number := number // _COUNTS:
        made.append(_LAST - _COUNTS + number % _COUNTS)
    return bytes(reversed(made))


# --- unpacking, in Python ---


def plain_unpack(
    pairs: list[Pair], start: int, packing: Packing, enough: int
) -> tuple[list[Range], int]:
    """The same as `unpack`, in Python."""
    ranges: list[Range] = []
    opened = 0
    for place in range(start, len(pairs)):
        if place > start and opened >= enough:
            return ranges, place
        key, value = pairs[place]
        records = _records(host_part(key), value, packing)
        size = sum(len(url) + len(record) for url, record in records)
        opened += size
        if ranges and ranges[-1][0] == key:
            _, others, before = ranges.pop()
            records, size = others + records, before + size
        ranges.append((key, sorted(records), size))
    return ranges, max(start, len(pairs))


def _records(start: bytes, value: bytes, packing: Packing) -> list[Pair]:
    """What a value says, URL by URL; `start` is what they have in common."""
    try:
        if value[:1] != bytes([OF_FOLDED]):
            return list(_Reader(value, packing).records(start))
        end = value.index(_END)
        return [(start + value[1:end], value[:1] + value[end + 1 :])]
    except (IndexError, ValueError) as error:
        raise ValueError("a parcel is damaged") from error


@lru_cache(maxsize=10_000)
def _link_mark(left: int, right: int) -> bytes:
    mark = LINK << KIND_SHIFT | left << SIDE_SHIFT | right
    return encode(np.array([mark], np.uint64))


class _Reader:
    """Reads a parcel from its first byte to its last."""

    def __init__(self, value: bytes, packing: Packing) -> None:
        self._value, self._at = value, 0
        self._packing = packing
        self._behind = self._heading = 0  # the end of the last anchor; the number of its headings
        self._opened = 0  # bytes of links

    def records(self, start: bytes) -> Iterator[Pair]:
        """What it says, URL by URL; `start` is what they have in common."""
        if self._take(1) != PARCEL:
            raise ValueError("not a parcel")
        host, flag = self._take(8), self._take(1)
        has_own = flag in {b"0", b"1"}
        if not has_own and flag not in {_NOTHING, _GOES_ON}:
            raise ValueError("no flag")
        shared, own, head = b"", b"", b""
        if has_own:
            shared, own, head = self._take(1), start + self._rest(), self._section()
        self._tail = self._section()
        self._above = [self._section() for _ in range(self._number())]
        self._text = self._section()
        if has_own:
            words = self._text if shared == b"=" else b""
            yield own, bytes([OF_PAGE]) + flag + head + words
        self._usual = self._number()
        urls = [start + self._rest() for _ in range(self._number())]
        for number, url in enumerate(urls):
            links = list(self._links(len(url)))
            first = number > 0 or flag != _GOES_ON
            for k in range(0, len(links), PER_RECORD):
                text = b"".join(links[k : k + PER_RECORD])
                yield url, link_value(host, text, first=first and not k)
        if self._at != len(self._value):
            raise ValueError("more than a parcel")

    def _links(self, more: int) -> Iterator[bytes]:
        """The fragments of the links to the next URL, which takes so many bytes more."""
        flags = 0
        while not flags & _FINAL:
            if self._opened > MOST_OPENED:
                raise ValueError("more than a parcel should hold")
            step, flags = self._number(), self._take(1)[0] - _FLAGS
            words = flags >> 3
            if not 0 <= words <= _LENGTHS:
                raise ValueError("no flags")
            self._heading = self._heading if flags & _SAME else self._number()
            known = bool(flags & _USUAL)
            left, right = (self._usual,) * 2 if known else (self._number(), self._number())
            words += self._number() if words == _LENGTHS else 0
            anchor = self._behind + (-(step + 1) // 2 if step & 1 else step // 2)
            low, self._behind = anchor - left, anchor + words
            high = self._behind + right
            if low < 0 or WIDTH * high > len(self._text) or max(left, right) > _SIDE:
                raise ValueError("a window lies outside of the text")
            window = self._text[WIDTH * low : WIDTH * high]
            link = _link_mark(left, right) + window + self._above[self._heading] + self._tail
            self._opened += len(link) + more
            more = 0
            yield link

    def _take(self, count: int) -> bytes:
        taken = self._value[self._at : self._at + count]
        if len(taken) != count:
            raise ValueError("it ends too early")
        self._at += count
        return taken

    def _rest(self) -> bytes:
        """The rest of a URL."""
        end = self._value.index(_END, self._at)
        taken = self._take(end - self._at)
        self._at += 1
        return taken

    def _number(self) -> int:
        number = 0
        while (byte := self._take(1)[0]) < _LAST:
            number = _COUNTS * number + byte - (_LAST - _COUNTS)
            if byte < _LAST - _COUNTS or number >= _HIGHEST:
                raise ValueError("no count")
        return _COUNTS * number + byte - _LAST

    def _section(self) -> bytes:
        """Numbers as fragments have them."""
        count, start = self._number(), self._at
        found = list(islice(_NUMBER.finditer(self._value, start), count))
        self._at = found[-1].end() if found else start
        spelt = [match[0] for match in found]
        if len(spelt) != count or sum(map(len, spelt)) != self._at - start:
            raise ValueError("no number")
        return b"".join(map(self._packing.numbers.__getitem__, spelt))
