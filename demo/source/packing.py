"""Compressed bytes that are the same on every day and every system.

gzip.compress writes the time and, by version of Python, differing marks of the system; here the
ten bytes of the header are fixed (RFC 1952). The deflate stream is that of zlib at level 9.
"""

from __future__ import annotations

import struct
import zlib

__all__ = ["PACKED", "chunked", "gzipped"]

_HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff"  # deflate, no time, best, unknown system
CHUNK = 700  # bytes of a chunk of a chunked body


def gzipped(data: bytes) -> bytes:
    """One gzip member."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    stream = packer.compress(data) + packer.flush()
    return _HEADER + stream + struct.pack("<II", zlib.crc32(data), len(data))


def chunked(data: bytes) -> bytes:
    """A body in the chunked transfer coding (RFC 9112, 7.1)."""
    pieces = [data[i : i + CHUNK] for i in range(0, len(data), CHUNK)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])


def _deflated(data: bytes) -> bytes:
    return zlib.compress(data, 9)


PACKED = {"gzip": gzipped, "deflate": _deflated}  # by the name of the Content-Encoding
