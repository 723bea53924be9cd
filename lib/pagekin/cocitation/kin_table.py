"""The table of related pages that an index stores: kin by co-citation, with reasons [BLOCK].

A page of the table need not be a document of the index, nor need its kin. The table of a shard
holds the records of the stage `related` whose key belongs to the shard, in their order:

    numbers   the keys as numbers, ascending
    bounds    where each value begins in `text`, and the end of the last
    text      the values

    key       the number of the page's URL, as 16 hexadecimal digits; the URL itself goes to the
              same shard, as a document
    value     `URL KIN KIN ...`, parted by the byte 2
    KIN       `SCORE URL BLOCKS DOMAINS REASON REASON ...`: blanks, and the byte 1 before reasons
    REASON    `VALUE DOMAIN ANCHOR`, and the byte 3 and a number where links do not count 1

Kin that several domains vouch for come first, then weak kin, which one domain alone cites beside
the page; among each the highest TS, and of equal ones the first URL. SCORE is TS in 2^-20, BLOCKS
in_p of the related page, DOMAINS the number of domains that cite both pages. Reasons are the
heaviest of these domains: what it adds to TS before TS is divided by 1 + ln(BLOCKS), in 2^-20, and
the anchor text that adds most of it. The number is what links of this text count, in hundredths,
where the build regulated them by the standing of their pages.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pagekin.errors import InputError
from pagekin.index.shard_files import SHARD_FILES, may_share, shard_of_number
from pagekin.kinds import Pair
from pagekin.tables import ArrayFile, url_number

if TYPE_CHECKING:
    from pagekin.index.folder import IndexFolder

__all__ = [
    "KIN_MARK",
    "REASON_MARK",
    "SCORE",
    "WEIGHT_MARK",
    "KinTable",
    "Reason",
    "RelatedPage",
    "is_weak",
    "merged_table_pieces",
    "parse_kin",
    "parse_page",
    "shard_of_key",
    "table_pieces",
    "url_key",
]

SCORE = 1 << 20  # TS = 1
REASON_MARK, KIN_MARK, WEIGHT_MARK = b"\x01", b"\x02", b"\x03"
_KIND = SHARD_FILES["kin"].kind
_HUNDREDTHS = 100
_PAGES_AT_ONCE = 512  # about 1 MB

Piece = tuple[str, bytes]  # the array of a shard that the bytes belong to, and the bytes


class Reason(NamedTuple):
    """What one citing domain adds, capped at N, and the anchor text that adds most of it."""

    domain: str
    anchor: str
    value: float
    weight: float = 1.0  # of its links with this text, by the standing of their pages


class RelatedPage(NamedTuple):
    """A page that is related to another, and why."""

    url: str
    score: float  # TS
    blocks: int  # that it stands in
    domains: int  # that cite both
    reasons: tuple[Reason, ...]

    @property
    def weak(self) -> bool:
        """Does a single domain vouch for it?"""
        return is_weak(self.domains)


def is_weak(domains: int) -> bool:
    """Are two pages that so many domains cite together weak kin? They come behind all others."""
    return domains < 2


def url_key(url: bytes) -> bytes:
    """The key of the records of a canonical URL.

    Two of 100 million URLs share one with a chance of 1 in 3,700.

    >>> url_key(b"http://a.example/")
    b'a0354127cc7455ad'
    """
    return b"%016x" % url_number(url)


def parse_kin(value: bytes) -> tuple[str, list[RelatedPage]]:
    """The URL of a page, and its kin, the best first."""
    url, *kin = value.split(KIN_MARK)
    return url.decode("utf-8", "replace"), [parse_page(each) for each in kin]


def parse_page(text: bytes) -> RelatedPage:
    """One related page, as the table has it."""
    facts, *reasons = text.decode("utf-8", "replace").split(REASON_MARK.decode())
    score, url, blocks, domains = facts.split(" ")
    parsed = tuple(map(_parse_reason, reasons))
    return RelatedPage(url, int(score) / SCORE, int(blocks), int(domains), parsed)


def _parse_reason(text: str) -> Reason:
    value, domain, anchor = text.split(" ", 2)
    anchor, mark, weight = anchor.partition(WEIGHT_MARK.decode())
    return Reason(domain, anchor, int(value) / SCORE, int(weight) / _HUNDREDTHS if mark else 1.0)


class KinTable:
    """The related pages of one shard, open for reading."""

    def __init__(self, file: ArrayFile | Path) -> None:
        self._file = ArrayFile(file, _KIND) if isinstance(file, Path) else file
        if len(self._file["bounds"]) != len(self) + 1:
            raise self._damaged()

    def __len__(self) -> int:
        return len(self._file["numbers"])

    def related(self, url: str) -> list[RelatedPage]:
        """The kin of a canonical URL, the best first; none for a URL that is not here."""
        wanted = np.uint64(url_number(url.encode("utf-8", "replace")))
        numbers = self._file["numbers"]
        first, end = (int(np.searchsorted(numbers, wanted, side)) for side in ("left", "right"))
        found = dict(map(self._parsed, range(first, end)))  # mostly one
        return found.get(url, [])

    def records(self) -> Iterator[Pair]:
        """All records as they were given, in their order."""
        for at, number in enumerate(self._file["numbers"].tolist()):
            yield b"%016x" % number, self._value(at)

    def all(self) -> Iterator[tuple[str, list[RelatedPage]]]:
        """All pages with their kin, in the order of their numbers."""
        return map(self._parsed, range(len(self)))

    def _parsed(self, at: int) -> tuple[str, list[RelatedPage]]:
        try:
            return parse_kin(self._value(at))
        except ValueError as error:
            raise self._damaged() from error

    def _value(self, at: int) -> bytes:
        low, high = self._file["bounds"][at : at + 2].tolist()
        if not low <= high <= len(self._file["text"]):
            raise self._damaged()
        return self._file["text"][low:high].tobytes()

    def _damaged(self) -> InputError:
        return InputError(f"{self._file.path} is damaged: it contradicts itself; build it again")


# --- writing ---


def shard_of_key(key: bytes, shards: int) -> int:
    """The shard of a record of the related stage."""
    return shard_of_number(int(key, 16), shards)


def table_pieces(records: Iterable[Pair]) -> Iterator[Piece]:
    """The pieces of a shard's table from its records, which come sorted."""
    size = 0
    yield "kin/bounds", bytes(8)
    rest = iter(records)
    while batch := list(islice(rest, _PAGES_AT_ONCE)):
        ends = np.cumsum([len(value) for _, value in batch], dtype=np.int64) + size
        yield "kin/numbers", np.array([int(key, 16) for key, _ in batch], dtype="<u8").tobytes()
        yield "kin/bounds", ends.astype("<u8").tobytes()
        yield "kin/text", b"".join(value for _, value in batch)
        size = int(ends[-1])


def merged_table_pieces(
    folders: Sequence[IndexFolder], shard: int, shards: int, most: int
) -> Iterator[Piece]:
    """The pieces of the table of one shard of an index that several are merged into.

    TS is a sum over citing domains, and the tables keep its best terms only, so TS over all crawls
    together cannot be had from them. Of a pair that several tables hold the one that is not weak
    stays, and of such the highest TS; of all pairs of a page the best `most`.
    """
    streams = [_records_of(folder, shard, shards) for folder in folders]
    merged = groupby(heapq.merge(*streams, key=_page), key=_page)
    return table_pieces(
        (key, _best_of([value for _, value in group], most)) for (key, _), group in merged
    )


def _page(record: Pair) -> Pair:
    """The page of a record: its number and, as others may have that too, its URL."""
    return record[0], record[1].partition(KIN_MARK)[0]


def _records_of(folder: IndexFolder, shard: int, shards: int) -> Iterator[Pair]:
    for old in folder.shards:
        if may_share(len(folder.shards), old.number, shards, shard):
            for pair in KinTable(old.kin).records():
                if shard_of_key(pair[0], shards) == shard:
                    yield pair


def _best_of(values: list[bytes], most: int) -> bytes:
    """One value of several for the same page."""
    if len(values) == 1:
        return values[0]
    best: dict[bytes, tuple[bool, int, bytes]] = {}
    for value in values:
        for text in value.split(KIN_MARK)[1:]:
            score, url, _, domains = text.split(REASON_MARK, 1)[0].split(b" ")
            found = not is_weak(int(domains)), int(score), text
            best[url] = max(best.get(url, found), found)
    order = sorted(best, key=lambda url: (not best[url][0], -best[url][1], url))
    return KIN_MARK.join([values[0].split(KIN_MARK)[0], *(best[url][2] for url in order[:most])])
