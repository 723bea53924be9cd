"""What HTTP wraps a body in, undone: chunked, gzip, deflate, br and zstd.

It rests on RFC 9110 8.4 and RFC 9112 7. Crawlers often keep the headers and store bodies decoded
all the same, and servers say gzip of what is none: a coding is believed only when the bytes have
it. Each coding gives a note where something is wrong, X being its name:

    not_X    the bytes are no X; they are taken as they are
    short_X  X ends too early; what there is is given
    bad_X    X is broken; what comes before that is given

`unknown_encoding` and `too_many_encodings` leave the body as it is. Old LZW (`compress`) and shared
dictionaries (`dcb`, `dcz`) are not read: no crawler asks for them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from pagekin.web.decompress import (
    ERRORS,
    Decompressor,
    fine_steps,
    open_brotli,
    open_deflate,
    open_gzip,
    open_zlib,
    open_zstd,
    steps,
)

__all__ = ["undo_all"]

# A body of 8 MiB in the smallest blocks that are in use (bgzip's, 64 KiB of text) has 128. Each one
# costs a copy of what follows it: 8 MiB of empty members took two minutes without this bound.
_MAX_STREAMS = 256
_MAX_CODINGS = 5  # more than two were never met; a long list is a way to burn CPU

_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1024})?\r?\n")
_NEWLINE = re.compile(rb"\r?\n")
_LOOKS = 64  # first bytes: 1 in 1,600 compressed streams has no control character in them
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")

Opener = Callable[[], Decompressor]


def undo_all(listed: Iterable[str], body: bytes, limit: int) -> tuple[bytes, tuple[str, ...]]:
    """The body without the codings, which are listed as they were applied, and the notes.

    As soon as a coding gives more than `limit` bytes no more is decoded.
    """
    names = [name.strip(" \t\"'").lower() for name in listed]
    codings = [name for name in names if name not in {"", "identity", "none"}]
    if len(codings) > _MAX_CODINGS:
        return body, ("too_many_encodings",)
    notes: list[str] = []
    for coding in reversed(codings):
        if body:
            body, note = _undo(coding, body, limit)
            notes.append(note)
    return body, tuple(filter(None, notes))


def _undo(coding: str, body: bytes, limit: int) -> tuple[bytes, str]:
    undo = _UNDO.get(coding)
    return undo(body, limit) if undo else (body, "unknown_encoding")


def _undo_gzip(body: bytes, limit: int) -> tuple[bytes, str]:
    return _undo_framed("gzip", b"\x1f\x8b", open_gzip, body, limit)


def _undo_zstd(body: bytes, limit: int) -> tuple[bytes, str]:
    return _undo_framed("zstd", b"\x28\xb5\x2f\xfd", open_zstd, body, limit)


def _undo_brotli(body: bytes, limit: int) -> tuple[bytes, str]:
    return _undo_unmarked("br", open_brotli, body, limit)


def _undo_deflate(packed: bytes, limit: int) -> tuple[bytes, str]:
    """Zlib as RFC 9110 says, or the raw deflate that some servers send."""
    if packed[0] & 0x0F != 8 or int.from_bytes(packed[:2], "big") % 31:
        return _undo_unmarked("deflate", open_deflate, packed, limit)
    body, note = _undo_unmarked("deflate", open_zlib, packed, limit)
    if note:  # one raw stream in 500 looks like zlib
        out, state, _ = _expand(open_deflate, packed, limit)
        return (body, note) if state else (out, "")
    return body, note


def _undo_framed(
    name: str, magic: bytes, opener: Opener, body: bytes, limit: int
) -> tuple[bytes, str]:
    """A coding that one knows by its first bytes; several streams in a row are one body."""
    if not body.startswith(magic):
        return body, f"not_{name}"
    out, rest = b"", body
    for _ in range(_MAX_STREAMS):
        more, state, rest = _expand(opener, rest, limit - len(out))
        out += more
        if state or len(out) > limit or not rest.startswith(magic):
            return out, state and f"{state}_{name}"
    return out, f"bad_{name}"


def _undo_unmarked(name: str, opener: Opener, body: bytes, limit: int) -> tuple[bytes, str]:
    """A coding without a mark: where it fails on what looks like text, it was never applied."""
    out, state, _ = _expand(opener, body, limit)
    if state and not _CONTROL.search(body[:_LOOKS]):
        return body, f"not_{name}"
    return out, state and f"{state}_{name}"


def _expand(opener: Opener, data: bytes, limit: int) -> tuple[bytes, str, bytes]:
    """What one stream gives, as soon as that is over `limit`; how it ended; and what follows it."""
    decompressor = opener()
    out, broken = _collect(steps(decompressor, data, limit + 1), limit)
    if broken:
        out, _ = _collect(fine_steps(opener(), data), limit)
        return out, "bad", b""
    if len(out) > limit or decompressor.eof:
        return out, "", bytes(decompressor.unused_data)
    return out, "short", b""


def _collect(parts: Iterator[bytes], limit: int) -> tuple[bytes, bool]:
    kept: list[bytes] = []
    size = 0
    try:
        for part in parts:
            kept.append(part)
            size += len(part)
            if size > limit:
                break
    except ERRORS:
        return b"".join(kept), True
    return b"".join(kept), False


def _undo_chunked(body: bytes, _limit: int) -> tuple[bytes, str]:
    """The chunks of RFC 9112 7.1; a body that does not begin with one is taken as it is."""
    parts, state = _chunks(body)
    # One doubtful chunk is no evidence: a text may well begin with a line of hex digits.
    if state and (not parts or (len(parts) == 1 and (state == "bad" or b"\r\n" not in body[:99]))):
        return body, "not_chunked"
    return b"".join(parts), state and f"{state}_chunked"


def _chunks(body: bytes) -> tuple[list[bytes], str]:
    parts: list[bytes] = []
    at = 0
    while size := _CHUNK_SIZE.match(body, at):
        start, at = size.end(), size.end() + int(size[1], 16)
        if at == start:
            return parts, ""
        parts.append(body[start:at])
        newline = _NEWLINE.match(body, at)
        if newline is None:
            break
        at = newline.end()
    return parts, "short" if at >= len(body) else "bad"


_UNDO: Final[dict[str, Callable[[bytes, int], tuple[bytes, str]]]] = {
    "chunked": _undo_chunked,
    "gzip": _undo_gzip,
    "x-gzip": _undo_gzip,
    "deflate": _undo_deflate,
    "br": _undo_brotli,
    "zstd": _undo_zstd,
}
