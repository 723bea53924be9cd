"""From a byte stream to the text of a WARC, whatever compression frames it.

A WARC is plain, or gzip members, or Zstandard frames (with the dictionary of the warc-zstd 1.0
specification); which, the first bytes tell, not the file name, and it stays the same to the end.
Where a member is broken the next one that opens with a WARC record is looked for, in what was
read of the broken member (it may have run into its neighbours) and after it.

What the text says is read in `pagekin.web.warc`; from here come pieces of it, and damage.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import BinaryIO, Final, Literal, TypeAlias

from pagekin.web.decompress import (
    ERRORS,
    Data,
    Decompressor,
    fine_steps,
    open_gzip,
    open_zstd,
    steps,
    zstd_opener,
)
from pagekin.web.replay import Replay

__all__ = ["Damage", "Piece", "Reason", "pieces"]

Reason: TypeAlias = Literal[
    "bad_compression",  # a member cannot be decompressed, or fails its checksum
    "bad_length",  # Content-Length is no number, or not the length of the block
    "bad_record_header",
    "foreign_bytes",  # something that is no record and no member stands between them
    "unexpected_end",  # the stream ends within a record or a member
]

_STEP = 1 << 20  # text of one member at a time; smaller steps cost CPU on bombs
_END: Final[Reason] = "unexpected_end"
_OVERLAP = 7  # the longest mark, less one
_SALVAGED = 8 << 20  # a member that gave more text than this in front of an error is not read again
_TRIAL = 160 << 10  # Zstandard gives nothing before a whole block, at most 128 KiB, was read
_MAX_DICTIONARY = 32 << 20  # four times what the specification asks for

_WARC = b"WARC/"
_ZSTD = b"\x28\xb5\x2f\xfd"
_DICTIONARY = b"\x5d\x2a\x4d\x18"
_SKIPPABLE = re.compile(rb"[\x50-\x5f]\x2a\x4d\x18")


@dataclass(slots=True)
class Damage:
    """One region of the stream that gave no record, or a record that is not what it says."""

    offset: int
    """Where it begins, or where the member or record begins that it lies in."""
    reason: Reason
    skipped: int
    """Bytes passed over: of the stream, or of the text of a member that could be decompressed."""


@dataclass(slots=True)
class Piece:
    """Some text of the WARC."""

    data: bytes
    offset: int
    """Where its first byte is in a plain stream; where its member begins in a compressed one."""
    fresh: bool
    """A record begins here for sure: it opens the stream or a member."""
    last: bool
    """Its member ends here, checksum and all."""
    packed: bool


def pieces(stream: BinaryIO) -> Iterator[Piece | Damage]:
    """All text that can be had from the stream, in its order."""
    source = Replay(stream)
    forms = (
        _Form("plain", re.compile(rb"WARC/[01]\.\d")),
        _Form("gzip", re.compile(rb"\x1f\x8b\x08"), open_gzip),
        _Form("zstd", re.compile(re.escape(_ZSTD) + b"|" + re.escape(_DICTIONARY)), zstd_opener()),
    )
    form = _form_at(source, forms)
    if form is None and source.peek(1):
        yield _resync(source, forms, "foreign_bytes", source.offset)
        form = _form_at(source, forms)
    if form is not None:
        yield from _plain(source) if form.name == "plain" else _packed(source, form)


@dataclass(slots=True)
class _Form:
    """How a member begins and is opened; a plain WARC is one member without an end."""

    name: str
    start: re.Pattern[bytes]
    opener: Callable[[], Decompressor] = open_gzip

    def opens_record(self, data: Data) -> bool:
        """Whether a member with a record begins here, and not merely the marks of one."""
        if self.name == "plain":
            return True
        try:
            return next(steps(self.opener(), data, len(_WARC)), b"").startswith(_WARC)
        except ERRORS:
            return False


def _form_at(source: Replay, forms: tuple[_Form, ...]) -> _Form | None:
    head = source.peek(8)
    return next((form for form in forms if form.start.match(head)), None)


def _plain(source: Replay) -> Iterator[Piece]:
    offset = start = source.mark()
    while data := bytes(source.take()):
        yield Piece(data, offset, fresh=offset == start, last=False, packed=False)
        offset = source.mark()


def _packed(source: Replay, form: _Form) -> Iterator[Piece | Damage]:
    while head := source.peek(4):
        if form.start.match(head) and not head.startswith(_DICTIONARY):
            yield from _member(source, form)
        elif form.name == "zstd" and _SKIPPABLE.match(head):
            yield from _skippable(source, form)
        else:
            yield _resync(source, (form,), "foreign_bytes", source.offset)


def _member(source: Replay, form: _Form) -> Iterator[Piece | Damage]:
    """One member's text; a broken one gives what comes before the bad place, then its damage."""
    start, sent = source.mark(), 0
    member, reason = form.opener(), _END
    try:
        for data in _texts(member, source):
            yield Piece(data, start, not sent and data.startswith(_WARC), member.eof, packed=True)
            sent += len(data)
    except ERRORS:
        reason = "bad_compression"
        if data := _salvage(form.opener(), source.since(start), sent):
            yield Piece(data, start, not sent and data.startswith(_WARC), last=False, packed=True)
    if reason != _END or not member.eof:
        source.rewind(start + 1)
        yield _resync(source, (form,), reason, start)


def _texts(member: Decompressor, source: Replay) -> Iterator[bytes]:
    """What a member holds, in pieces long enough to tell whether a record begins."""
    text = b""
    while not member.eof:
        feed = member.unconsumed_tail or source.take()
        more = member.decompress(feed, _STEP)
        text += more
        if member.eof:
            source.give_back(len(member.unused_data))
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


def _skippable(source: Replay, form: _Form) -> Iterator[Damage]:
    """A Zstandard frame without text: the dictionary of the frames that follow, or padding."""
    start, head = source.mark(), source.peek(8)
    size = int.from_bytes(head[4:], "little")
    if head.startswith(_DICTIONARY) and size <= _MAX_DICTIONARY:
        content = source.peek(8 + size)[8:]
        try:
            form.opener = zstd_opener(_dictionary(content))
        except ERRORS:
            yield Damage(start, "bad_compression", 8 + len(content))
    if not source.skip(8 + size):
        source.rewind(start + 1)
        yield _resync(source, (form,), _END, start)


def _dictionary(content: bytes) -> bytes:
    """As it is, or out of the frame it is compressed in."""
    if not content.startswith(_ZSTD):
        return content
    parts = steps(open_zstd(), content, _MAX_DICTIONARY)
    return next(parts, b"")


def _resync(source: Replay, forms: tuple[_Form, ...], reason: Reason, start: int) -> Damage:
    """Moves to the next member that opens with a record, or to the end."""
    pattern = re.compile(b"|".join(form.start.pattern for form in forms))
    while True:
        found = pattern.search(source.chunk, source.at)
        source.at = found.start() if found else max(source.at, len(source.chunk) - _OVERLAP)
        if found:
            form = _form_at(source, forms)
            if form and form.opens_record(source.view(_TRIAL)):
                break
            source.at += 1
        elif not source.extend():
            source.at = len(source.chunk)
            break
    if reason == _END and source.peek(1):
        reason = "bad_compression"  # the member ran on into its neighbours
    return Damage(start, reason, source.offset - start)
