"""From the HTTP block of a WARC record to the bytes of the page, and bounded decompression.

The message rests on RFC 9110 (fields) and RFC 9112 (message), and is read as browsers do: what
servers get wrong is taken for what it is. Fields that a crawler renamed because it stored the body
decoded (`X-Crawl-Content-Encoding` of Common Crawl) mean nothing here, which is what they should
mean. Charsets, ranges and the frames of HTTP/2 are not read; the body is as long as the block is.

`decode_codings` takes off what HTTP puts around a body (RFC 9110 8.4, RFC 9112 7): chunked, gzip,
deflate, br and zstd. Crawlers often keep the headers and store bodies decoded all the same, and
servers say gzip of what is none: a coding is believed only when the bytes have it. Each coding
gives a note where something is wrong, X being its name:

    not_X    the bytes are no X; they are taken as they are
    short_X  X ends too early; what there is is given
    bad_X    X is broken; what comes before that is given

`unknown_encoding` and `too_many_encodings` leave the body as it is. Old LZW (`compress`) and shared
dictionaries (`dcb`, `dcz`) are not read: no crawler asks for them.

Members of WARC files are decompressed in the same way (`pagekin.web.warc`). Each `open_...` gives
an object with the part of zlib's decompressor that is used here, for gzip, zlib, raw deflate,
Brotli and Zstandard. Every step of output is bounded: a bomb never expands in memory. It rests on
RFC 1950-1952, 7932 and 8878; isal takes 0.24 s of CPU for 1,208 pages (190 MB), zlib 0.55 s. Errors
pass through: which bytes to give up is the caller's decision.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol, TypeAlias, cast

import brotli  # type: ignore[import-untyped]
import zstandard
from isal import isal_zlib

from pagekin.limits import MAX_CODINGS, MAX_HTTP_HEADER, MAX_RECORD, MAX_STREAMS

__all__ = [
    "ERRORS",
    "HEADER_TOO_LONG",
    "NOT_HTTP",
    "Data",
    "Decompressor",
    "HttpResponse",
    "Opener",
    "content_type",
    "decode_body",
    "decode_codings",
    "fine_steps",
    "first_text",
    "header_fields",
    "open_gzip",
    "open_zstd",
    "parse_http",
    "steps",
    "zstd_opener",
]

NOT_HTTP: Final = "not_http"
HEADER_TOO_LONG: Final = "http_header_too_long"

_STATUS_LINE = re.compile(
    rb"[\r\n]{0,4}(?:HTTP(?:/\d(?:\.\d)?)?|ICY)[ \t]+(\d{3})(?!\d)[^\n]*", re.I
)
_BLANK_LINE = re.compile(rb"\n\r?\n")
_CHARSET = re.compile(r""";\s*charset\s*=\s*["']?\s*([^\s"';,]+)""", re.I)


@dataclass(slots=True)
class HttpResponse:
    """A response as it was sent, codings and all."""

    status: int
    headers: dict[str, str]
    """By lower-case name; of fields sent twice the first counts."""
    body: bytes


def parse_http(block: bytes) -> HttpResponse | str:
    """The response in a record's block, or the reason why it holds none.

    >>> parse_http(b"HTTP/1.1 200\\nServer: x\\n\\n<p>").headers
    {'server': 'x'}
    """
    first = _STATUS_LINE.match(block)
    if first is None:
        return NOT_HTTP
    # The search starts on the newline of the status line: there may be no fields at all.
    blank = _BLANK_LINE.search(block, first.end(), MAX_HTTP_HEADER)
    if blank is None and len(block) > MAX_HTTP_HEADER:
        return HEADER_TOO_LONG
    end, start = blank.span() if blank else (len(block), len(block))
    fields = header_fields(block[first.end() : end].decode("latin-1"))
    return HttpResponse(int(first[1]), fields, block[start:])


def header_fields(text: str) -> dict[str, str]:
    """Fields by lower-case name: the first value wins, folded lines are joined, odd lines skipped.

    >>> header_fields("A: 1\\r\\n  2\\r\\nnonsense\\r\\na: 3")
    {'a': '1 2'}
    """
    fields: dict[str, str] = {}
    name = ""
    for line in text.split("\n"):
        if line[:1] in {" ", "\t"}:
            if name:
                fields[name] = f"{fields[name]} {line.strip()}".strip()
            continue
        key, colon, value = line.partition(":")
        key = key.strip().lower()
        name = key if colon and key and key not in fields else ""
        if name:
            fields[name] = value.strip()
    return fields


def content_type(headers: Mapping[str, str]) -> tuple[str, str]:
    """Media type and charset, both lower-case and empty where not said.

    >>> content_type({"content-type": 'Text/HTML; Charset="UTF-8"'})
    ('text/html', 'utf-8')
    """
    value = headers.get("content-type", "")
    charset = _CHARSET.search(value)
    return re.split("[;,]", value, maxsplit=1)[0].strip().lower(), charset[
        1
    ].lower() if charset else ""


def decode_body(response: HttpResponse, limit: int = MAX_RECORD) -> tuple[bytes, tuple[str, ...]]:
    """The body without its codings, at most `limit` bytes, and notes on what was wrong with it.

    Notes are those of `decode_codings`, and `cut`.
    """
    fields = response.headers
    # In the order in which they were applied: the transfer codings come last.
    listed = f"{fields.get('content-encoding', '')},{fields.get('transfer-encoding', '')}"
    body, notes = decode_codings(listed.split(","), response.body, limit)
    if len(body) > limit:
        return body[:limit], (*notes, "cut")
    return body, notes


# --- decompression --------------------------------------------------------------------------------

# What a decompressor raises when its input is not what it should be.
ERRORS = cast("tuple[type[Exception], ...]", (isal_zlib.error, zstandard.ZstdError, brotli.error))

# Four bytes of Zstandard make up to 128 KiB (a block of one repeated byte) and the library puts no
# bound on its output: 512 bytes of input make 16 MiB at most. Smaller slices cost more CPU.
_ZSTD_SLICE = 512

# A decompressor that fails gives back nothing of that step. A second pass in steps of this size
# loses no more than this in front of the bad place.
_FINE_OUTPUT = 256
_FINE_INPUT = 4096

# A gzip header and the beginning of its first block; names and extra fields are short.
_FIRST_INPUT = 2048

Data: TypeAlias = bytes | memoryview
Opener: TypeAlias = Callable[[], "Decompressor"]


class Decompressor(Protocol):
    """What is used of zlib's decompressor objects."""

    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> Data: ...
    @property
    def unconsumed_tail(self) -> Data: ...
    def decompress(self, data: Data, max_length: int, /) -> bytes: ...


def open_gzip() -> Decompressor:
    return _inflater(wbits=31)


def _open_zlib() -> Decompressor:
    return _inflater(wbits=15)


def _open_deflate() -> Decompressor:
    return _inflater(wbits=-15)


def _open_brotli() -> Decompressor:
    return _Brotli()


def open_zstd() -> Decompressor:
    return _Zstd(zstandard.ZstdDecompressor())


def zstd_opener(dictionary: bytes = b"") -> Opener:
    """Opens many frames with one dictionary, read once; only the frame opened last may be read."""
    known = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    shared = zstandard.ZstdDecompressor(dict_data=known)
    return lambda: _Zstd(shared)


def steps(decompressor: Decompressor, data: Data, size: int) -> Iterator[bytes]:
    """All that `data` gives, in pieces of about `size` bytes at most (Brotli, Zstandard: more)."""
    while not decompressor.eof:
        out = decompressor.decompress(data, size)
        data = decompressor.unconsumed_tail
        if out:
            yield out
        elif not data:
            return


def first_text(opener: Opener, data: Data) -> bytes:
    """How the text of a member begins, at little cost: many that are tried are none."""
    member = opener()
    if isinstance(member, _Zstd):
        return member.first_block(data)
    return next(steps(member, data[:_FIRST_INPUT], 16), b"")


def fine_steps(decompressor: Decompressor, data: bytes) -> Iterator[bytes]:
    """The same in steps so small that nearly all in front of an error comes out."""
    view = memoryview(data)
    for start in range(0, len(data), _FINE_INPUT):
        yield from steps(decompressor, view[start : start + _FINE_INPUT], _FINE_OUTPUT)


def _inflater(wbits: int) -> Decompressor:
    return cast("Decompressor", isal_zlib.decompressobj(wbits))


class _Zstd:
    """One Zstandard frame; the library's own object has no `unconsumed_tail`."""

    def __init__(self, decompressor: zstandard.ZstdDecompressor) -> None:
        self._frame = decompressor.decompressobj()
        self.unused_data: Data = b""
        self.unconsumed_tail: Data = b""

    @property
    def eof(self) -> bool:
        return self._frame.eof

    def decompress(self, data: Data, max_length: int, /) -> bytes:
        out: list[bytes] = []
        made = at = 0
        while made < max_length and at < len(data) and not self._frame.eof:
            out.append(self._frame.decompress(data[at : at + _ZSTD_SLICE]))
            made += len(out[-1])
            at += _ZSTD_SLICE
        self._sort_rest(data, at)
        return b"".join(out)

    def first_block(self, data: Data) -> bytes:
        """The text of the first block, 128 KiB at most; nothing if the data do not hold it all."""
        at = zstandard.frame_header_size(data)
        block = int.from_bytes(data[at : at + 3], "little")
        is_repeated = block >> 1 & 3 == 1  # one byte, to be repeated
        return self._frame.decompress(data[: at + 3 + (1 if is_repeated else block >> 3)])

    def _sort_rest(self, data: Data, at: int) -> None:
        self.unconsumed_tail = b"" if self._frame.eof else data[at:]
        if self._frame.eof:
            unread = max(len(data) - at, 0) + len(self._frame.unused_data)
            self.unused_data = data[len(data) - unread :]


class _Brotli:
    """One Brotli stream; the library keeps what it has not read yet, and refuses what follows."""

    unused_data = unconsumed_tail = b""

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    @property
    def eof(self) -> bool:
        return bool(self._stream.is_finished())

    def decompress(self, data: Data, max_length: int, /) -> bytes:
        return bytes(self._stream.process(data, output_buffer_limit=max_length))


# --- codings of HTTP bodies -----------------------------------------------------------------------

_CHUNK_SIZE = re.compile(rb"[ \t]*([0-9A-Fa-f]{1,8})[ \t]*(?:;[^\r\n]{0,1024})?\r?\n")
_NEWLINE = re.compile(rb"\r?\n")
_LOOKS = 64  # first bytes: 1 in 1,600 compressed streams has no control character in them
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


def decode_codings(listed: Iterable[str], body: bytes, limit: int) -> tuple[bytes, tuple[str, ...]]:
    """The body without the codings, which are listed as they were applied, and the notes.

    As soon as a coding gives more than `limit` bytes no more is decoded.
    """
    names = [name.strip(" \t\"'").lower() for name in listed]
    codings = [name for name in names if name not in {"", "identity", "none"}]
    if len(codings) > MAX_CODINGS:
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


def _undo_deflate(packed: bytes, limit: int) -> tuple[bytes, str]:
    """Zlib as RFC 9110 says, or the raw deflate that some servers send."""
    if packed[0] & 0x0F != 8 or int.from_bytes(packed[:2], "big") % 31:
        return _undo_unmarked("deflate", _open_deflate, packed, limit)
    body, note = _undo_unmarked("deflate", _open_zlib, packed, limit)
    if note:  # one raw stream in 500 looks like zlib
        out, state, _ = _expand(_open_deflate, packed, limit)
        return (body, note) if state else (out, "")
    return body, note


def _undo_framed(
    name: str, magic: bytes, opener: Opener, body: bytes, limit: int
) -> tuple[bytes, str]:
    """A coding that one knows by its first bytes; several streams in a row are one body."""
    if not body.startswith(magic):
        return body, f"not_{name}"
    out, rest = b"", body
    for _ in range(MAX_STREAMS):
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


_undo_gzip = partial(_undo_framed, "gzip", b"\x1f\x8b", open_gzip)
_UNDO: Final[dict[str, Callable[[bytes, int], tuple[bytes, str]]]] = {
    "chunked": _undo_chunked,
    "gzip": _undo_gzip,
    "x-gzip": _undo_gzip,
    "deflate": _undo_deflate,
    "br": partial(_undo_unmarked, "br", _open_brotli),
    "zstd": partial(_undo_framed, "zstd", b"\x28\xb5\x2f\xfd", open_zstd),
}
