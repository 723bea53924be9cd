"""The records of a WARC stream; what is broken ends in a named damage and not in an exception.

Four layers, from the records down to the bytes:

- `read_records` gives whole records, and decides what to do about those that are not.
- `_Window` moves along the text of the WARC, in which records stand: headers, blocks, their ends.
- `_parts` gives that text, out of a plain stream, of gzip members, or of Zstandard frames (with the
  dictionary of the warc-zstd 1.0 specification). Which, the first bytes tell, not the file name.
- `_Rewindable` is the stream, read once and forwards, whose last bytes can be read again.

It rests on WARC/1.0 and 1.1 (ISO 28500; 0.17 and 0.18 read the same way), read with patience: any
line ends, any number of blank lines between records. A record ends at the latest where a member
opens with the next one: the framing of the compression is worth more than a Content-Length. A
record may go on in the members that follow (warc-zstd allows it); they then do not open with a
header. The search for headers is linear in the text, whatever it looks like.

The framing is our own: fastwarc's iterator (2.0) stops for good at the first bad member, lets a
Content-Length that is too long swallow the next records without a sign, and needs streams with
`tell`. This takes 1.04 of its CPU time for iterating and reading 1,208 pages (0.32 s), 1.97 on
6,166 of 4 KB (0.22 s).

What is kept of a broken record: a block that the end of the stream or a wrong length cuts is still
HTML worth reading, so it is given, and its damage follows. Of a member that fails to decompress, or
fails its checksum, the record being read is not given: nobody knows which bytes are wrong, and they
may be those of its URL. Where a member is broken, the next one that opens with a WARC record is
looked for in what was read of it (it may have run into its neighbours), and behind it.

A reader may begin at any record that says so (`Record.can_begin`), and stop where another begins:
what several of them read together is what one reads, bit for bit, whatever is damaged. At such a
place nothing is left of what was read before: it is a record of a plain stream, or opens a member
without a dictionary, and the chunk that is being read goes on as the first one of a new reader.

Where a wrong length is over 8 MiB and no member ends, the records inside are lost with it.
Segmented records (`continuation`) are not joined and digests not checked.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Container, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, Final, Literal, TypeAlias

from pagekin.limits import (
    FREE_TEXT,
    MAX_DICTIONARY,
    MAX_HELD,
    MAX_RATIO,
    MAX_RECORD,
    MAX_WARC_HEADER,
)
from pagekin.web.http import (
    ERRORS,
    Data,
    Decompressor,
    Opener,
    fine_steps,
    first_text,
    header_fields,
    open_gzip,
    open_zstd,
    steps,
    zstd_opener,
)
from pagekin.web.streams import WHOLE, ByteRange

__all__ = ["PAGE_KINDS", "Damage", "Reason", "Record", "read_records"]

Reason: TypeAlias = Literal[
    "bad_compression",  # a member cannot be decompressed, or fails its checksum
    "bad_length",  # Content-Length is no number, or not the length of the block
    "bad_record_header",
    "bomb",  # a member holds more text than any does that is no attack; what it gave counts
    "foreign_bytes",  # something that is no record and no member stands between them
    "unexpected_end",  # the stream ends within a record or a member
]

PAGE_KINDS = frozenset({"response", "revisit"})

_WARC = b"WARC/"
_SEPARATOR = b"\r\n\r\n"
_MAX_LENGTH_DIGITS = 18
_LOOK_AHEAD = 64  # how much of the text behind a block is looked at; a separator has 4 bytes

_VERSION = re.compile(rb"WARC/[01]\.\d+[ \t]*\r?\n(?=[!-9;-~])")
_TYPE = re.compile(rb"\n[^\n!-~]*warc-type[^\n!-~]*:", re.IGNORECASE)
_BLANK_LINE = re.compile(rb"\n\r?\n")
_LINE_ENDS = re.compile(rb"[\r\n]*")
_BEHIND = re.compile(rb"[\r\n]*(WARC/|\Z)")

_STEP = 1 << 20  # text of one member at a time; smaller steps cost CPU on bombs
_END: Final[Reason] = "unexpected_end"
_OVERLAP = 7  # the longest mark, less one
_SALVAGED = 8 << 20  # a member that gave more text than this in front of an error is not read again
_TRIAL = 160 << 10  # Zstandard gives nothing before a whole block, at most 128 KiB, was read

_ZSTD = b"\x28\xb5\x2f\xfd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_FRAMES = (_ZSTD, _DICTIONARY)
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")

# In what a broken member ran over other broken ones may give so many times its bytes of text, and
# as much more as two long records have. Bombs do not count: they have a limit of their own.
_WASTE, _WASTE_FREE = 16, 16 << 20

_FRAMING = 8  # bytes that tell how a stream is compressed
_CHUNK = 64 << 10
# A broken member shows within 64 KiB of the bad place (the longest stored block) nearly always, and
# members of 1,208 real pages have 30 KB on the average.
_KEPT = 1 << 20


@dataclass(slots=True)
class Damage:
    """One region of the stream that gave no record, or a record that is not what it says."""

    offset: int
    """Where it begins, or where the member or record begins that it lies in."""
    reason: Reason
    skipped: int
    """Bytes passed over: of the stream, or of the text of a member that could be decompressed."""


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
    can_begin: bool = False
    """Whether a reader that begins at its offset goes on as this one does."""

    @property
    def position(self) -> str:
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
    limit: _Limit = MAX_RECORD,
    kinds: Container[str] = PAGE_KINDS,
    part: ByteRange = WHOLE,
) -> Iterator[Record | Damage]:
    """All records of a stream in their order, and between them what is damaged.

    At most `limit` bytes are kept of a block, and blocks only of `kinds`. The stream need not seek.
    Of a part of a file the stream begins where the part does, and may go on behind it.
    """
    offset, index = -1, 0
    for item in _read(_Window(_parts(stream, part.start)), limit, kinds, part.end):
        if isinstance(item, Record):
            index = index + 1 if item.offset == offset else 0
            offset, item.index = item.offset, index
        yield item


def _read(
    window: _Window, limit: _Limit, kinds: Container[str], end: int | None
) -> Iterator[Record | Damage]:
    while True:
        if window.skip_line_ends():
            if end is not None and window.offset >= end:
                return
            yield from _next(window, limit, kinds)
        elif isinstance(damage := window.next_part, Damage):
            window.pass_damage()
            yield damage
        else:
            return


def _next(window: _Window, limit: _Limit, kinds: Container[str]) -> Iterator[Record | Damage]:
    offset, can_begin, head = window.offset, window.can_begin, window.parse_header()
    if isinstance(head, str):
        yield _skip_to_head(window, head)
        return
    window.skip(head.size)
    kind = head.fields["warc-type"].lower()
    record = Record(offset, kind, head.fields, head.length, can_begin=can_begin)
    most = limit(record) if callable(limit) else limit
    keep = min(most, record.length) if record.kind in kinds else 0
    if record.length > MAX_HELD:  # whatever the limit is: all readers find the same records
        yield from _read_long(window, record, keep)
    elif window.ends_record(record.length):
        record.block = window.read(record.length, keep)
        yield record
    else:
        yield from _read_doubtful(window, record, keep)


def _read_long(window: _Window, record: Record, keep: int) -> Iterator[Record | Damage]:
    """A block that is not held whole, so that it cannot be looked through for other records."""
    size = min(keep, window.widen(keep))
    record.block = window.read(size, keep)
    whole = window.skip(record.length - size) == record.length - size
    ends = whole and window.ends_record(0)
    if ends or not window.member_is_bad:
        yield record
    if not whole:
        yield from _missing(window, record)
    elif not ends and not window.member_is_bad and not window.separator_follows(0):
        yield _skip_to_head(window, "bad_length")


def _read_doubtful(window: _Window, record: Record, keep: int) -> Iterator[Record | Damage]:
    """A block that ends too early, or not where its header says."""
    inner = window.find_inner_header(record.length)
    if window.member_is_bad:
        window.skip_all()
    elif inner >= 0:
        record.block = window.read(inner, keep).removesuffix(_SEPARATOR)
        yield record
        yield Damage(record.offset, "bad_length", 0)
    elif window.size >= record.length:
        yield from _read_with_rest(window, record, keep)
    else:
        record.block = window.read(window.size, keep)
        if not window.member_is_open:
            record.block = record.block.removesuffix(_SEPARATOR)
        yield record
        yield from _missing(window, record)


def _read_with_rest(window: _Window, record: Record, keep: int) -> Iterator[Record | Damage]:
    trusted = window.separator_follows(record.length)
    record.block = window.read(record.length, keep)
    yield record
    if not trusted:
        yield _skip_to_head(window, "bad_length")


def _missing(window: _Window, record: Record) -> Iterator[Damage]:
    """Why a block is shorter than declared, where no damage that follows says so."""
    if not window.member_is_open:
        yield Damage(record.offset, "bad_length", 0)
    elif window.next_part is None:
        yield Damage(record.offset, "unexpected_end", 0)


def _skip_to_head(window: _Window, reason: Reason) -> Damage:
    """Passes what is no record; with damage right behind it that is one region."""
    offset, skipped = window.offset, window.seek_header()
    behind = window.next_part
    if window.size or not isinstance(behind, Damage):
        return Damage(offset, reason, skipped)
    window.pass_damage()
    if behind.offset == offset:
        return behind
    return Damage(offset, reason, skipped + behind.skipped)


# --- the text of records -------------------------------------------------------------------------


@dataclass(slots=True)
class _Head:
    """A record's header."""

    fields: dict[str, str]
    length: int
    """Of the block."""
    size: int
    """Of the header itself, blank line and all."""


class _Window:
    """A part of the text that moves along it, and ends where a member opens with the next record.

    `next_part` is what comes behind it, once that was looked at; None at the end of the stream.
    """

    def __init__(self, source: Iterator[_Part | Damage]) -> None:
        self._source = source
        self._last = _Part(b"", 0, fresh=False, last=True, packed=False)
        self._buffer = b""
        self._pos = 0
        self.next_part: _Part | Damage | None = None

    @property
    def size(self) -> int:
        return len(self._buffer) - self._pos

    @property
    def member_is_open(self) -> bool:
        """Whether a member is open, which a plain stream always is."""
        return not self._last.last

    @property
    def member_is_bad(self) -> bool:
        """Whether the member that is open turned out to be bad."""
        damage = self.next_part
        is_bad = isinstance(damage, Damage) and damage.reason == "bad_compression"
        return self.member_is_open and is_bad

    @property
    def offset(self) -> int:
        """Where the window begins in a plain stream, or its last member in a compressed one."""
        last = self._last
        return last.offset if last.packed else last.offset + len(last.data) - self.size

    @property
    def can_begin(self) -> bool:
        """Whether a reader that begins at the offset sees what this one sees from here on."""
        return not self._last.packed or (self._last.entry and self.size == len(self._last.data))

    def skip_line_ends(self) -> bool:
        """Moves to the next text that is no line end; False at damage and at the end."""
        while True:
            line_ends = _LINE_ENDS.match(self._buffer, self._pos)
            self._pos = line_ends.end() if line_ends else self._pos
            if self.size:
                return True
            if not isinstance(self._look(), _Part):
                return False
            self._buffer, self._pos = self._accept().data, 0

    def parse_header(self) -> _Head | Reason:
        """The header that should be here, or what is wrong with it."""
        if self.widen(len(_WARC)) and not self._buffer.startswith(_WARC, self._pos):
            return "foreign_bytes"
        head = _parse_head(self._buffer, self._pos)
        if head is None and self.widen(MAX_WARC_HEADER):
            head = _parse_head(self._buffer, self._pos)
        if head is None:
            ended = self.member_is_open and self.size < MAX_WARC_HEADER and self.next_part is None
            return "unexpected_end" if ended else "bad_record_header"
        return head

    def widen(self, size: int) -> int:
        """Widens the window to `size` bytes, if there are so many; returns its size."""
        have = self.size
        if have >= size:
            return have
        parts = [self._buffer[self._pos :]] if have else []
        while have < size and self._goes_on():
            parts.append(self._accept().data)
            have += len(parts[-1])
        self._buffer, self._pos = b"".join(parts), 0
        return have

    def read(self, size: int, keep: int) -> bytes:
        """Passes `size` bytes of the window, and gives the first `keep` of them."""
        start = self._pos
        self._pos += size
        return self._buffer[start : start + min(size, keep)]

    def skip(self, size: int) -> int:
        """Passes so many bytes without keeping them; returns how many there were."""
        passed = min(size, self.size)
        self._pos += passed
        while passed < size and self._goes_on():
            self._buffer = self._accept().data
            self._pos = min(len(self._buffer), size - passed)
            passed += self._pos
        return passed

    def skip_all(self) -> None:
        self._pos = len(self._buffer)

    def ends_record(self, size: int) -> bool:
        """Whether a block of this size is here whole, and behind it a record or nothing."""
        if self.widen(size) < size:
            return False
        behind = self._behind(size)
        if self.member_is_open or behind is None:
            self.widen(size + _LOOK_AHEAD)
            behind = self._behind(size)
        return behind is not None and (bool(behind[1]) or not self.member_is_bad)

    def separator_follows(self, size: int) -> bool:
        """Whether exactly what belongs between two records stands behind a block of this size."""
        return self._buffer.startswith(_SEPARATOR, self._pos + size)

    def find_inner_header(self, size: int) -> int:
        """Where in a block of this size another record begins; -1: nowhere, or its end is right."""
        have = self.widen(size + MAX_WARC_HEADER)
        if have >= size and self.separator_follows(size):
            return -1
        return self._find_head(1, min(size, have))

    def seek_header(self) -> int:
        """Moves on to a header, or past all that is in the window's reach; returns the bytes."""
        passed = self.skip(1)
        while True:
            have = self.widen(2 * MAX_WARC_HEADER)
            found = self._find_head(0, have)
            # Without a header in sight one may still begin in the last bytes.
            step = found if found >= 0 else max(have - MAX_WARC_HEADER, 0)
            if found < 0 and have < 2 * MAX_WARC_HEADER:
                step = have
            passed += self.skip(step)
            if found >= 0 or not self.size:
                return passed

    def pass_damage(self) -> None:
        self._last = _Part(b"", 0, fresh=False, last=True, packed=False)
        self.next_part = None

    def _look(self) -> _Part | Damage | None:
        if self.next_part is None:
            self.next_part = next(self._source, None)
        return self.next_part

    def _goes_on(self) -> bool:
        part = self._look()
        return isinstance(part, _Part) and not part.fresh

    def _accept(self) -> _Part:
        part = self.next_part
        assert isinstance(part, _Part)
        self._last, self.next_part = part, None
        return part

    def _behind(self, size: int) -> re.Match[bytes] | None:
        start = self._pos + size
        return _BEHIND.match(self._buffer, start, start + _LOOK_AHEAD)

    def _find_head(self, start: int, end: int) -> int:
        found = _find_head(self._buffer, self._pos + start, self._pos + end)
        return found if found < 0 else found - self._pos


def _parse_head(data: bytes, at: int) -> _Head | Reason | None:
    """A record's header; None when it does not end, or not soon enough."""
    blank = _BLANK_LINE.search(data, at, at + MAX_WARC_HEADER)
    if blank is None:
        return None
    raw = data[at : blank.start()]
    first = _VERSION.match(raw)
    # With a second header inside, the URL of one record would get the block of the next.
    if first is None or _VERSION.search(raw, 1):
        return "bad_record_header"
    fields = header_fields(raw[first.end() :].decode("utf-8", "replace"))
    length = fields.get("content-length", "")
    if "warc-type" not in fields:
        return "bad_record_header"
    if not (length.isascii() and length.isdigit() and len(length) <= _MAX_LENGTH_DIGITS):
        return "bad_length"
    return _Head(fields, int(length), blank.end() - at)


def _find_head(data: bytes, start: int, end: int) -> int:
    """Where the first whole header begins in data[start:end], or -1."""
    while (found := _VERSION.search(data, start)) and found.start() < end:
        start, named = found.start(), _TYPE.search(data, found.end() - 1)
        if named is None:
            return -1
        # a header has its type within its reach, and in front of the first blank line
        blank = max(data.rfind(line, start, named.start()) for line in (b"\n\n", b"\n\r\n"))
        if (earliest := max(blank, named.end() - MAX_WARC_HEADER)) > start:
            start = earliest
        elif isinstance(_parse_head(data, start), _Head):
            return start
        else:
            start = _next_try(data, found)
    return -1


def _next_try(data: bytes, failed: re.Match[bytes]) -> int:
    """Where to go on behind a header that is none, so that the search stays linear.

    Every header before the last one within its reach has that one inside, and is no header.
    """
    reach = failed.start() + MAX_WARC_HEADER
    blank = _BLANK_LINE.search(data, failed.start(), reach)
    start = failed.end()
    for later in _VERSION.finditer(data, start, blank.start() if blank else reach):
        start = later.start()
    return start


# --- members and their compression ---------------------------------------------------------------


@dataclass(slots=True)
class _Part:
    """Some of the text of the WARC."""

    data: bytes
    offset: int
    """Where its first byte is in a plain stream; where its member begins in a compressed one."""
    fresh: bool
    """A record begins here for sure: it opens the stream or a member."""
    last: bool
    """Its member ends here, checksum and all."""
    packed: bool
    entry: bool = False
    """A reader can begin with it: its member begins with it, and needs nothing from before."""


def _parts(stream: BinaryIO, start: int) -> Iterator[_Part | Damage]:
    """All text that can be had from the stream, in its order."""
    source = _Rewindable(stream, start)
    framings = (
        _Framing("plain", re.compile(rb"WARC/[01]\.\d")),
        _Framing("gzip", re.compile(rb"\x1f\x8b\x08"), open_gzip),
        _Framing("zstd", re.compile(b"|".join(map(re.escape, _FRAMES))), zstd_opener()),
    )
    framing = _framing_at(source, framings)
    if framing is None and source.peek(1):
        yield _resync(source, framings, "foreign_bytes", source.offset)
        framing = _framing_at(source, framings)
    if framing is not None:
        yield from _plain(source) if framing.name == "plain" else _packed(source, framing)


@dataclass(slots=True)
class _Framing:
    """How a member begins and is opened; a plain WARC is one member without an end."""

    name: str
    start: re.Pattern[bytes]
    opener: Opener = open_gzip
    has_dictionary: bool = False

    def opens_record(self, data: Data) -> bool:
        """Whether a member with a record begins here, and not merely the marks of one."""
        if self.name == "plain":
            return True
        try:
            return first_text(self.opener, data).startswith(_WARC)
        except ERRORS:
            return False


def _framing_at(source: _Rewindable, framings: tuple[_Framing, ...]) -> _Framing | None:
    head = source.peek(_FRAMING)
    return next((framing for framing in framings if framing.start.match(head)), None)


def _plain(source: _Rewindable) -> Iterator[_Part]:
    offset = start = source.mark()
    while data := bytes(source.read()):
        yield _Part(data, offset, fresh=offset == start, last=False, packed=False)
        offset = source.mark()


def _packed(source: _Rewindable, framing: _Framing) -> Iterator[_Part | Damage]:
    while head := source.peek(4):
        if framing.start.match(head) and not head.startswith(_DICTIONARY):
            yield from _member(source, framing)
        elif framing.name == "zstd" and _SKIPPABLE.match(head):
            yield from _skippable(source, framing)
        else:
            yield _resync(source, (framing,), "foreign_bytes", source.offset)


def _member(source: _Rewindable, framing: _Framing) -> Iterator[_Part | Damage]:
    """One member's text; a broken one gives what comes before the bad place, then its damage."""
    start, sent = source.mark(), 0
    can_begin = source.is_as_at_start and not framing.has_dictionary
    member, reason = framing.opener(), _END
    try:
        for data in _texts(member, source):
            fresh = not sent and data.startswith(_WARC)
            yield _Part(data, start, fresh, member.eof, packed=True, entry=fresh and can_begin)
            sent += len(data)
            if sent > FREE_TEXT + MAX_RATIO * (source.offset - start):
                reason = "bomb"
                break
    except ERRORS:
        reason, ran_to = "bad_compression", source.offset
        if data := _salvage(framing.opener(), source.since(start), sent):
            yield _Part(data, start, not sent and data.startswith(_WARC), last=False, packed=True)
            sent += len(data)
    else:
        ran_to = source.offset
    if reason != _END or not member.eof:
        source.leave_broken((start, ran_to), 0 if reason == "bomb" else sent)
        yield _resync(source, (framing,), reason, start)


def _texts(member: Decompressor, source: _Rewindable) -> Iterator[bytes]:
    """What a member holds, in _parts long enough to tell whether a record begins."""
    text = b""
    while not member.eof:
        feed = member.unconsumed_tail or source.read()
        more = member.decompress(feed, _STEP)
        text += more
        if member.eof:
            source.unread(len(member.unused_data))
        if member.eof or len(text) >= len(_WARC):
            yield text
            text = b""
        elif not feed and not more:
            return


def _salvage(member: Decompressor, data: bytes, sent: int) -> bytes:
    """The text between the `sent` bytes that are out and the place where the member breaks."""
    if sent > _SALVAGED:
        return b""
    text = bytearray()
    with suppress(*ERRORS):
        for part in fine_steps(member, data):
            text += part
    return bytes(text[sent:])


def _skippable(source: _Rewindable, framing: _Framing) -> Iterator[Damage]:
    """A Zstandard frame without text: the dictionary of the frames that follow, or padding."""
    start, head = source.mark(), source.peek(8)
    size = int.from_bytes(head[4:], "little")
    if head.startswith(_DICTIONARY) and size <= MAX_DICTIONARY:
        content = source.view(8 + size)[8:]
        try:
            if len(content) == size:
                framing.opener = zstd_opener(_dictionary(bytes(content)))
                framing.has_dictionary = True
        except ERRORS:
            yield Damage(start, "bad_compression", 8 + size)
    if not source.skip(8 + size):
        source.rewind(start + 1)
        yield _resync(source, (framing,), _END, start)


def _dictionary(content: bytes) -> bytes:
    """As it is, or out of the frame it is compressed in, where it is no bomb."""
    if not content.startswith(_ZSTD):
        return content
    most = min(MAX_DICTIONARY, MAX_RATIO * len(content))
    dictionary = next(steps(open_zstd(), content, most), b"")
    return dictionary if len(dictionary) <= most else b""


def _resync(
    source: _Rewindable, framings: tuple[_Framing, ...], reason: Reason, start: int
) -> Damage:
    """Moves to the next member that opens with a record, or to the end."""
    pattern = re.compile(b"|".join(framing.start.pattern for framing in framings))
    while True:
        found = pattern.search(source.chunk, source.at)
        source.at = found.start() if found else max(source.at, len(source.chunk) - _OVERLAP)
        if found:
            framing = _framing_at(source, framings)
            if framing and framing.opens_record(source.view(_TRIAL)):
                break
            source.at += 1
        elif not source.extend():
            source.at = len(source.chunk)
            break
    if reason == _END and source.peek(1):
        reason = "bad_compression"  # the member ran on into its neighbours
    return Damage(start, reason, source.offset - start)


class _Rewindable:
    """A stream that is read once, forwards, and whose last bytes can be read again.

    That is all that is needed of pipes and HTTP bodies, which cannot seek: when a member turns out
    to be broken, the next one is looked for from right behind its beginning. Offsets are those of
    the file, of which the stream begins at `start`; chunks end at the same offsets for any start.
    """

    def __init__(self, stream: BinaryIO, start: int) -> None:
        self._stream = stream
        self._base = start  # where the chunk begins in the file
        self._end = start  # and where it ends
        self._kept: deque[bytes] = deque()  # what comes right before the chunk
        self._kept_size = 0
        self.chunk = b""
        self.at = 0  # where the next byte is in the chunk
        # What a broken member ran over, and others that began in it, and how much text these gave.
        self._overrun = (start, start)
        self._wasted = 0

    @property
    def offset(self) -> int:
        return self._base + self.at

    @property
    def is_as_at_start(self) -> bool:
        """Whether the chunk goes on as that of a stream which begins here, framing looked at."""
        behind_chunk = self.offset - self.offset % _CHUNK + _CHUNK
        whole = self._end <= behind_chunk and len(self.chunk) - self.at >= _FRAMING
        return whole and self.offset >= self._overrun[1]

    def leave_broken(self, member: tuple[int, int], text: int) -> None:
        """Goes on right behind the beginning of a member that gave so much text until it broke.

        A member without its end may run over all that follow, and each of these as well. Where too
        much was read again, what was run over is passed.
        """
        first, end = self._overrun
        start, ran_to = member
        inside = start < end
        first, end = (first, max(end, ran_to)) if inside else (start, ran_to)
        self._overrun, self._wasted = (first, end), inside * (self._wasted + text)
        if self._wasted <= _WASTE_FREE + _WASTE * (end - first):
            self.rewind(start + 1)
        else:
            self.skip(end - self.offset)

    def mark(self) -> int:
        """Here a member begins: nothing before it need be kept."""
        self._kept.clear()
        self._kept_size = 0
        return self.offset

    def read(self) -> Data:
        """The rest of the chunk, or the next one; empty at the end of the stream."""
        if self.at == len(self.chunk):
            self._remember(self.chunk)
            self.chunk, self.at = self._read_chunk(), 0
        rest = memoryview(self.chunk)[self.at : self.at + _CHUNK]
        self.at += len(rest)
        return rest

    def unread(self, size: int) -> None:
        self.at -= size

    def peek(self, size: int) -> bytes:
        return bytes(self.view(size))

    def view(self, size: int) -> Data:
        """The next bytes without passing them."""
        self.extend(size - (len(self.chunk) - self.at))
        return memoryview(self.chunk)[self.at : self.at + size]

    def extend(self, size: int = 1) -> bool:
        """Makes the chunk longer by so much at least; False if the stream was at its end."""
        parts: list[bytes] = []
        while size > 0 and (more := self._read_chunk()):
            parts.append(more)
            size -= len(more)
        if parts:
            at, chunk = self.at, self.chunk
            self._remember(chunk[:at])
            self.chunk, self.at = b"".join([chunk[at:], *parts]), 0
        return bool(parts)

    def skip(self, size: int) -> bool:
        """Whether the stream has as many bytes."""
        while size and (rest := self.read()):
            self.unread(max(len(rest) - size, 0))
            size -= min(len(rest), size)
        return not size

    def since(self, start: int) -> bytes:
        """All that was read since a mark; nothing when that is more than is kept."""
        self.rewind(start)
        return self.chunk[self.at :] if self.offset == start else b""

    def rewind(self, start: int) -> None:
        """Back to an offset, or as far as the kept bytes reach."""
        kept = b"".join(self._kept)
        self.chunk = kept + self.chunk
        self._base -= len(kept)
        self.at = max(start - self._base, 0)
        self.mark()

    def _remember(self, data: bytes) -> None:
        self._base += len(data)
        self._kept.append(data)
        self._kept_size += len(data)
        while self._kept_size - len(self._kept[0]) >= _KEPT:
            self._kept_size -= len(self._kept.popleft())

    def _read_chunk(self) -> bytes:
        """A whole chunk: pipes and sockets give less at a time than they are asked for."""
        parts: list[bytes] = []
        size, wanted = 0, _CHUNK - self._end % _CHUNK
        while size < wanted and (part := self._stream.read(wanted - size)):
            parts.append(part)
            size += len(part)
        self._end += size
        return b"".join(parts)
