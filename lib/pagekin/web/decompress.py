"""One face over the decompressors that crawl data need: gzip, zlib, raw deflate, Brotli, Zstandard.

Each `open_...` gives an object with the part of zlib's decompressor that is used here, so that
WARC members and HTTP bodies share one way of reading. Every step of output is bounded: a bomb
never expands in memory. It rests on RFC 1950-1952, 7932 and 8878; isal takes 0.24 s of CPU for
1,208 pages (190 MB), zlib 0.55 s. Nothing is compressed here, and errors pass through: which
bytes to give up is the caller's decision.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias, cast

import brotli  # type: ignore[import-untyped]
import zstandard
from isal import isal_zlib

__all__ = [
    "ERRORS",
    "Data",
    "Decompressor",
    "fine_steps",
    "open_brotli",
    "open_deflate",
    "open_gzip",
    "open_zlib",
    "open_zstd",
    "steps",
    "zstd_opener",
]

# What a decompressor raises when its input is not what it should be.
ERRORS = cast("tuple[type[Exception], ...]", (isal_zlib.error, zstandard.ZstdError, brotli.error))

# Four bytes of Zstandard make up to 128 KiB (a block of one repeated byte) and the library puts no
# bound on its output: 512 bytes of input make 16 MiB at most. Smaller slices cost more CPU.
_ZSTD_SLICE = 512

# A decompressor that fails gives back nothing of that step. A second pass in steps of this size
# loses no more than this in front of the bad place.
_FINE_OUTPUT = 256
_FINE_INPUT = 4096

Data: TypeAlias = bytes | memoryview


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


def open_zlib() -> Decompressor:
    return _inflater(wbits=15)


def open_deflate() -> Decompressor:
    return _inflater(wbits=-15)


def open_brotli() -> Decompressor:
    return _Brotli()


def open_zstd() -> Decompressor:
    return _Zstd(zstandard.ZstdDecompressor())


def zstd_opener(dictionary: bytes = b"") -> Callable[[], Decompressor]:
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
