"""The text of a WARC as a window that moves along it: headers, blocks, and where they end.

It rests on WARC/1.0 and 1.1, read with patience: any line ends, any number of blank lines between
records. A record ends at the latest where a member opens with the next one: the framing of the
compression is worth more than a Content-Length. A record may go on in the members that follow
(warc-zstd allows it); they then do not open with a header.

The search for headers is linear in the text, whatever it looks like. What to do about damage is
decided in `pagekin.web.warc`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pagekin.web.http import header_fields
from pagekin.web.members import Damage, Piece, Reason

__all__ = ["SEPARATOR", "Head", "RecordText"]

SEPARATOR = b"\r\n\r\n"

_WARC = b"WARC/"
_MAX_HEAD = 64 << 10
_MAX_LENGTH_DIGITS = 18
_LOOK_AHEAD = 64  # how much of the text behind a block is looked at; a separator has 4 bytes

_VERSION = re.compile(rb"WARC/[01]\.\d+[ \t]*\r?\n(?=[!-9;-~])")
_BLANK_LINE = re.compile(rb"\n\r?\n")
_LINE_ENDS = re.compile(rb"[\r\n]*")
_BEHIND = re.compile(rb"[\r\n]*(WARC/|\Z)")


@dataclass(slots=True)
class Head:
    """A record's header."""

    fields: dict[str, str]
    length: int
    """Of the block."""
    size: int
    """Of the header itself, blank line and all."""


class RecordText:
    """A window that ends where the next member opens with a record.

    `ahead` is what comes behind the end once it was looked at: a piece or damage; None at the end.
    """

    def __init__(self, source: Iterator[Piece | Damage]) -> None:
        self._source = source
        self._last = Piece(b"", 0, fresh=False, last=True, packed=False)
        self._buffer = b""
        self._pos = 0
        self.ahead: Piece | Damage | None = None

    @property
    def have(self) -> int:
        return len(self._buffer) - self._pos

    @property
    def inside(self) -> bool:
        """Whether a member is open, which a plain stream always is."""
        return not self._last.last

    @property
    def spoilt(self) -> bool:
        """Whether the member that is open turned out to be bad."""
        ahead = self.ahead
        return self.inside and isinstance(ahead, Damage) and ahead.reason == "bad_compression"

    @property
    def offset(self) -> int:
        """Where the window begins in a plain stream, or its last member in a compressed one."""
        last = self._last
        return last.offset if last.packed else last.offset + len(last.data) - self.have

    def begin(self) -> bool:
        """Moves to the next text that is no line end; False at damage and at the end."""
        while True:
            line_ends = _LINE_ENDS.match(self._buffer, self._pos)
            self._pos = line_ends.end() if line_ends else self._pos
            if self.have:
                return True
            if not isinstance(self._look(), Piece):
                return False
            self._buffer, self._pos = self._accept().data, 0

    def head(self) -> Head | Reason:
        """The header that should be here, or what is wrong with it."""
        if self.need(len(_WARC)) and not self._buffer.startswith(_WARC, self._pos):
            return "foreign_bytes"
        head = _parse_head(self._buffer, self._pos)
        if head is None and self.need(_MAX_HEAD):
            head = _parse_head(self._buffer, self._pos)
        if head is None:
            ended = self.inside and self.have < _MAX_HEAD and self.ahead is None
            return "unexpected_end" if ended else "bad_record_header"
        return head

    def need(self, size: int) -> int:
        """Widens the window to `size` bytes, if there are so many; returns its size."""
        have = self.have
        if have >= size:
            return have
        parts = [self._buffer[self._pos :]] if have else []
        while have < size and self._goes_on():
            parts.append(self._accept().data)
            have += len(parts[-1])
        self._buffer, self._pos = b"".join(parts), 0
        return have

    def take(self, size: int, keep: int) -> bytes:
        """Passes `size` bytes of the window, and gives the first `keep` of them."""
        start = self._pos
        self._pos += size
        return self._buffer[start : start + min(size, keep)]

    def skip(self, size: int) -> int:
        """Passes so many bytes without keeping them; returns how many there were."""
        passed = min(size, self.have)
        self._pos += passed
        while passed < size and self._goes_on():
            self._buffer = self._accept().data
            self._pos = min(len(self._buffer), size - passed)
            passed += self._pos
        return passed

    def clear(self) -> None:
        self._pos = len(self._buffer)

    def ends(self, size: int) -> bool:
        """Whether a block of this size is here whole, and behind it a record or nothing."""
        if self.need(size) < size:
            return False
        behind = self._behind(size)
        if self.inside or behind is None:
            self.need(size + _LOOK_AHEAD)
            behind = self._behind(size)
        return behind is not None and (bool(behind[1]) or not self.spoilt)

    def separated(self, size: int) -> bool:
        """Whether exactly what belongs between two records stands behind a block of this size."""
        return self._buffer.startswith(SEPARATOR, self._pos + size)

    def inner_head(self, size: int) -> int:
        """Where in a block of this size another record begins; -1: nowhere, or its end is right."""
        have = self.need(size + _MAX_HEAD)
        if have >= size and self.separated(size):
            return -1
        return self._find_head(1, min(size, have))

    def seek(self) -> int:
        """Moves on to a header, or past all that is in the window's reach; returns the bytes."""
        passed = self.skip(1)
        while True:
            have = self.need(2 * _MAX_HEAD)
            found = self._find_head(0, have)
            # Without a header in sight one may still begin in the last bytes.
            step = found if found >= 0 else max(have - _MAX_HEAD, 0)
            if found < 0 and have < 2 * _MAX_HEAD:
                step = have
            passed += self.skip(step)
            if found >= 0 or not self.have:
                return passed

    def pass_damage(self) -> None:
        self._last = Piece(b"", 0, fresh=False, last=True, packed=False)
        self.ahead = None

    def _look(self) -> Piece | Damage | None:
        if self.ahead is None:
            self.ahead = next(self._source, None)
        return self.ahead

    def _goes_on(self) -> bool:
        ahead = self._look()
        return isinstance(ahead, Piece) and not ahead.fresh

    def _accept(self) -> Piece:
        piece = self.ahead
        assert isinstance(piece, Piece)
        self._last, self.ahead = piece, None
        return piece

    def _behind(self, size: int) -> re.Match[bytes] | None:
        start = self._pos + size
        return _BEHIND.match(self._buffer, start, start + _LOOK_AHEAD)

    def _find_head(self, start: int, end: int) -> int:
        found = _find_head(self._buffer, self._pos + start, self._pos + end)
        return found if found < 0 else found - self._pos


def _parse_head(data: bytes, at: int) -> Head | Reason | None:
    """A record's header; None when it does not end, or not soon enough."""
    blank = _BLANK_LINE.search(data, at, at + _MAX_HEAD)
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
    return Head(fields, int(length), blank.end() - at)


def _find_head(data: bytes, start: int, end: int) -> int:
    """Where the first whole header begins in data[start:end], or -1."""
    while (found := _VERSION.search(data, start)) and found.start() < end:
        if isinstance(_parse_head(data, found.start()), Head):
            return found.start()
        start = _next_try(data, found)
    return -1


def _next_try(data: bytes, failed: re.Match[bytes]) -> int:
    """Where to go on behind a header that is none, so that the search stays linear.

    Every header before the last one within its reach has that one inside, and is no header.
    """
    reach = failed.start() + _MAX_HEAD
    blank = _BLANK_LINE.search(data, failed.start(), reach)
    start = failed.end()
    for later in _VERSION.finditer(data, start, blank.start() if blank else reach):
        start = later.start()
    return start
