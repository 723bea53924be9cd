"""The records of a WARC stream; what is broken ends in a named damage and not in an exception.

It rests on WARC/1.0 and 1.1 (ISO 28500; 0.17 and 0.18 read the same way). The framing is our own:
fastwarc's iterator (2.0) stops for good at the first bad member, lets a Content-Length that is too
long swallow the next records without a sign, and needs streams with `tell`. This takes 1.04
of its CPU time for iterating and reading 1,208 pages (0.32 s), 1.97 on 6,166 of 4 KB (0.22 s).

What is kept of a broken record: a block that the end of the stream or a wrong length cuts is still
HTML worth reading, so it is given, and its damage follows. Of a member that fails to decompress, or
fails its checksum, the record being read is not given: nobody knows which bytes are wrong, and
they may be those of its URL.

Where a wrong length is over 8 MiB and no member ends, the records inside are lost with it.
Segmented records (`continuation`) are not joined and digests not checked.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from pagekin.web.members import Damage, Reason, pieces
from pagekin.web.recordtext import SEPARATOR, RecordText

__all__ = ["MAX_RECORD_BYTES", "PAGE_KINDS", "Damage", "Reason", "Record", "read_records"]

MAX_RECORD_BYTES = 8 << 20  # the longest of 1,208 real pages has 1.6 MB
PAGE_KINDS = frozenset({"response", "revisit"})

# Blocks up to this size are held while they are read, whatever is kept of them: one whose length is
# wrong can then be looked through for the records that it would swallow.
_MAX_HELD = 8 << 20


@dataclass(slots=True)
class Record:
    """One record, its block cut to the limit; of kinds that were not asked for without a block."""

    offset: int
    """Where it begins in a plain stream; where its member begins in a compressed one."""
    kind: str
    """WARC-Type in lower case: response, revisit, request, warcinfo, ..."""
    headers: dict[str, str]
    """By lower-case name; of fields given twice the first counts."""
    length: int
    """Of the block, as the header declares it."""
    block: bytes = b""
    index: int = 0
    """How many records before it begin at the same offset: members may hold several."""

    @property
    def place(self) -> str:
        """Names the record within its stream."""
        return f"{self.offset}.{self.index}" if self.index else str(self.offset)

    @property
    def url(self) -> str:
        return self.headers.get("warc-target-uri", "").removeprefix("<").removesuffix(">")

    @property
    def date(self) -> str:
        return self.headers.get("warc-date", "")

    @property
    def truncated(self) -> str:
        """Why the crawler stored less than it saw: length, time, disconnect, ... or nothing."""
        return self.headers.get("warc-truncated", "").lower()

    @property
    def cut(self) -> bool:
        """Whether `block` holds less than the header declares."""
        return len(self.block) < self.length


_Limit = int | Callable[[Record], int]  # a block has no text yet when it is asked for


def read_records(
    stream: BinaryIO,
    limit: _Limit = MAX_RECORD_BYTES,
    kinds: Container[str] = PAGE_KINDS,
) -> Iterator[Record | Damage]:
    """All records of a stream in their order, and between them what is damaged.

    At most `limit` bytes are kept of a block, and blocks only of `kinds`. The stream need not seek.
    """
    offset, index = -1, 0
    for item in _read(RecordText(pieces(stream)), limit, kinds):
        if isinstance(item, Record):
            index = index + 1 if item.offset == offset else 0
            offset, item.index = item.offset, index
        yield item


def _read(text: RecordText, limit: _Limit, kinds: Container[str]) -> Iterator[Record | Damage]:
    while True:
        if text.begin():
            yield from _next(text, limit, kinds)
        elif isinstance(damage := text.ahead, Damage):
            text.pass_damage()
            yield damage
        else:
            return


def _next(text: RecordText, limit: _Limit, kinds: Container[str]) -> Iterator[Record | Damage]:
    offset, head = text.offset, text.head()
    if isinstance(head, str):
        yield _skip_to_head(text, head)
        return
    text.skip(head.size)
    record = Record(offset, head.fields["warc-type"].lower(), head.fields, head.length)
    most = limit(record) if callable(limit) else limit
    keep = most if record.kind in kinds else 0
    if record.length > max(most, _MAX_HELD):
        yield from _read_long(text, record, keep)
    elif text.ends(record.length):
        record.block = text.take(record.length, keep)
        yield record
    else:
        yield from _read_doubtful(text, record, keep)


def _read_long(text: RecordText, record: Record, keep: int) -> Iterator[Record | Damage]:
    """A block that is not held whole, so that it cannot be looked through for other records."""
    size = min(keep, text.need(keep))
    record.block = text.take(size, keep)
    whole = text.skip(record.length - size) == record.length - size
    ends = whole and text.ends(0)
    if ends or not text.spoilt:
        yield record
    if not whole:
        yield from _missing(text, record)
    elif not ends and not text.spoilt and not text.separated(0):
        yield _skip_to_head(text, "bad_length")


def _read_doubtful(text: RecordText, record: Record, keep: int) -> Iterator[Record | Damage]:
    """A block that ends too early, or not where its header says."""
    inner = text.inner_head(record.length)
    if text.spoilt:
        text.clear()
    elif inner >= 0:
        record.block = text.take(inner, keep).removesuffix(SEPARATOR)
        yield record
        yield Damage(record.offset, "bad_length", 0)
    elif text.have >= record.length:
        yield from _read_with_rest(text, record, keep)
    else:
        record.block = text.take(text.have, keep)
        if not text.inside:
            record.block = record.block.removesuffix(SEPARATOR)
        yield record
        yield from _missing(text, record)


def _read_with_rest(text: RecordText, record: Record, keep: int) -> Iterator[Record | Damage]:
    trusted = text.separated(record.length)
    record.block = text.take(record.length, keep)
    yield record
    if not trusted:
        yield _skip_to_head(text, "bad_length")


def _missing(text: RecordText, record: Record) -> Iterator[Damage]:
    """Why a block is shorter than declared, where no damage that follows says so."""
    if not text.inside:
        yield Damage(record.offset, "bad_length", 0)
    elif text.ahead is None:
        yield Damage(record.offset, "unexpected_end", 0)


def _skip_to_head(text: RecordText, reason: Reason) -> Damage:
    """Passes what is no record; with damage right behind it that is one region."""
    offset, skipped = text.offset, text.seek()
    behind = text.ahead
    if text.have or not isinstance(behind, Damage):
        return Damage(offset, reason, skipped)
    text.pass_damage()
    if behind.offset == offset:
        return behind
    return Damage(offset, reason, skipped + behind.skipped)
