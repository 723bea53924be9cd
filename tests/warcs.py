"""WARC files for tests, made by hand because tests need records that no library would write.

    stream = pipe(gz(response("http://a.example/", b"<p>text")))

`warc_record` is the base of the others; a keyword is a header (`content_length=5`), and None leaves
a header out that would be there by default.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterable, Mapping
from typing import BinaryIO, cast

import zstandard

__all__ = [
    "bomb",
    "gz",
    "http_block",
    "pipe",
    "request",
    "response",
    "warc_record",
    "warcinfo",
    "zst",
    "zst_dictionary",
    "zst_padding",
]

DATE = "2024-05-06T07:08:09Z"


def warc_record(
    kind: str, url: str, block: bytes, version: str = "WARC/1.0", **headers: object
) -> bytes:
    """One record with its separator; `WARC-Type` is `warc_type=` and so on."""
    fields: dict[str, object] = {
        "warc_type": kind,
        "warc_target_uri": url or None,
        "warc_date": DATE,
        "warc_record_id": "<urn:uuid:00000000-0000-4000-8000-000000000000>",
        "content_length": len(block),
    }
    fields.update(headers)
    lines = [f"{_name(key)}: {value}" for key, value in fields.items() if value is not None]
    head = "\r\n".join([version, *lines])
    return head.encode() + b"\r\n\r\n" + block + b"\r\n\r\n"


def http_block(body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> bytes:
    """An HTTP/1.1 response; HTML unless the headers say otherwise."""
    fields = {"Content-Type": "text/html; charset=utf-8"} if headers is None else headers
    lines = "".join(f"{name}: {value}\r\n" for name, value in fields.items())
    return f"HTTP/1.1 {status} Some Reason\r\n{lines}\r\n".encode("latin-1") + body


def response(
    url: str,
    body: bytes = b"<p>page",
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    **record_headers: object,
) -> bytes:
    """A response record."""
    return warc_record("response", url, http_block(body, status, headers), **record_headers)


def request(url: str) -> bytes:
    """The request record that crawlers store beside a response."""
    return warc_record("request", url, b"GET / HTTP/1.1\r\nHost: a.example\r\n\r\n")


def warcinfo() -> bytes:
    """The first record of most files."""
    return warc_record("warcinfo", "", b"software: none\r\nformat: WARC File Format 1.0\r\n")


def gz(*records: bytes) -> bytes:
    """One gzip member with all of them; the same bytes at every run."""
    return gzip.compress(b"".join(records), mtime=0)


def zst(*records: bytes, dictionary: bytes = b"", **options: int) -> bytes:
    """One Zstandard frame with all of them, checksum and content size included."""
    known = zstandard.ZstdCompressionDict(dictionary) if dictionary else None
    compressor = zstandard.ZstdCompressor(write_checksum=True, dict_data=known, **options)
    return compressor.compress(b"".join(records))


def zst_dictionary(dictionary: bytes, packed: bool = False) -> bytes:
    """The frame that hands a dictionary to all that follow (warc-zstd 1.0)."""
    return _skippable(0x184D2A5D, zst(dictionary) if packed else dictionary)


def zst_padding(size: int) -> bytes:
    """A frame that says nothing."""
    return _skippable(0x184D2A50, bytes(size))


def bomb(url: str, megabytes: int) -> bytes:
    """A gzip member of about a thousandth of the size of the response it holds."""
    head = response(url, b"", content_length=len(http_block(b"")) + (megabytes << 20))[:-4]
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    parts: Iterable[bytes] = (packer.compress(bytes(1 << 20)) for _ in range(megabytes))
    return b"".join([packer.compress(head), *parts, packer.compress(b"\r\n\r\n"), packer.flush()])


def pipe(data: bytes, at_once: int = 1 << 30) -> BinaryIO:
    """A stream that can only be read, and gives at most so many bytes at once."""
    return cast("BinaryIO", _Pipe(data, at_once))


class _Pipe:
    def __init__(self, data: bytes, at_once: int) -> None:
        self._stream = io.BytesIO(data)
        self._at_once = at_once

    def read(self, size: int) -> bytes:
        return self._stream.read(min(size, self._at_once))


def _skippable(magic: int, content: bytes) -> bytes:
    return magic.to_bytes(4, "little") + len(content).to_bytes(4, "little") + content


def _name(key: str) -> str:
    """`warc_target_uri` as it is written: WARC-Target-URI."""
    words = [{"warc": "WARC", "uri": "URI", "id": "ID"}.get(w, w.title()) for w in key.split("_")]
    return "-".join(words)
