"""A file at any address, opened as a stream of bytes that is read forwards once.

Addresses are local paths (also as `file://`), `hdfs://` through the `hadoop` command, `s3://`,
`https://` and `http://`. Whatever goes wrong is an InputError in one sentence, also in the middle:
a stream never just ends early. Nothing is decompressed here, and there is no seeking, but reading
may begin behind the start. Every command imports this module, so what opens remote files is
imported where the first such address is met.
"""

from __future__ import annotations

import io
import re
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple
from urllib.parse import unquote

from pagekin.errors import InputError

if TYPE_CHECKING:
    from pagekin.web.remote import HttpFile, Remote

__all__ = [
    "SCHEMES",
    "WHOLE",
    "ByteRange",
    "http_facts",
    "local_errors",
    "local_path",
    "open_source",
    "parse_range",
    "reading",
    "scheme_of",
]

SCHEMES: Final = ("hdfs", "s3", "https", "http")  # beside local files

_BUFFER: Final = 64 << 10  # bytes; the readers take as much at a time

_Read = Callable[[int], bytes]
_Sleep = Callable[[float], None]


def scheme_of(uri: str) -> str:
    """The scheme of an address, empty for a local path.

    >>> scheme_of("S3://bucket/key"), scheme_of("crawl/a.warc"), scheme_of("file:///a.warc")
    ('s3', '', '')
    """
    match = re.match(r"([a-z][a-z\d+.-]*)://", uri, re.I)
    scheme = match[1].lower() if match else ""
    return "" if scheme == "file" else scheme


class ByteRange(NamedTuple):
    """A part of a WARC file: the records that begin from one byte on, and before another."""

    start: int = 0
    """0, or where a record is at which a reader can begin."""
    end: int | None = None
    """Where another such record is; None for the end of the file."""


WHOLE: Final = ByteRange()


def parse_range(text: bytes) -> ByteRange:
    """As a manifest names it; empty for a whole file.

    >>> parse_range(b"4096-8192"), parse_range(b"8192-")
    (ByteRange(start=4096, end=8192), ByteRange(start=8192, end=None))
    """
    start, _, end = text.partition(b"-")
    return ByteRange(int(start or 0), int(end) if end else None)


@contextmanager
def open_source(uri: str, sleep: _Sleep = time.sleep, start: int = 0) -> Iterator[BinaryIO]:
    """The bytes of a file; InputError when it cannot be opened, or when reading breaks off."""
    with _open(uri, sleep, start) as read, reading(read) as stream:
        yield stream


def reading(read: _Read) -> io.BufferedReader:
    """A stream of what a function gives, that takes a number of bytes and is empty at the end."""
    return io.BufferedReader(_Raw(read), _BUFFER)


def http_facts(uri: str) -> tuple[int, str]:
    """Size (-1 when unknown) and ETag, or else date, of a file; its bytes are not waited for."""
    # GET and not HEAD, because signed addresses are good for one method only
    from pagekin.web.remote import FEW  # noqa: PLC0415 - as below

    with closing(_http_file(uri, time.sleep)) as file:
        file.pauses = file.pauses[:FEW]
        file.open()
        return file.size, file.version


def local_path(uri: str) -> Path:
    """
    >>> local_path("file:///crawl/a%20b.warc").as_posix()
    '/crawl/a b.warc'
    """
    address = uri.lower().startswith("file://")
    return Path(unquote(uri[len("file://") :]) if address else uri).expanduser()


@contextmanager
def local_errors(uri: str) -> Iterator[None]:
    """What the system refuses as an InputError about `uri`."""
    try:
        yield
    # a path with a NUL is a ValueError, the home of an unknown user a RuntimeError
    except (OSError, ValueError, RuntimeError) as error:
        from pagekin.web.remote import reason_of  # noqa: PLC0415 - as below

        raise InputError(f"{uri}: cannot be read: {reason_of(error)}") from error


class _Raw(io.RawIOBase):
    """The least that a buffered stream asks for."""

    def __init__(self, read: _Read) -> None:
        self._read = read

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _open(uri: str, sleep: _Sleep, start: int) -> AbstractContextManager[_Read]:
    match scheme_of(uri):
        case "":
            return _open_local(uri, start)
        case "hdfs":
            return _open_behind(uri, start)
        case "s3":
            from pagekin.web.s3 import S3File  # noqa: PLC0415 - 0.2 s that others need not pay

            return _open_remote(S3File(uri, sleep), start)
        case "http" | "https":
            return _open_remote(_http_file(uri, sleep), start)
        case scheme:
            raise InputError(f"{uri}: cannot be read: {scheme}:// is unknown")


def _http_file(uri: str, sleep: _Sleep) -> HttpFile:
    from pagekin.web.remote import HttpFile  # noqa: PLC0415 - HTTP and TLS: 10 ms of each task

    return HttpFile(uri, sleep)


@contextmanager
def _open_remote(file: Remote, start: int) -> Iterator[_Read]:
    with closing(file):
        file.open(start)
        yield file.read


@contextmanager
def _open_behind(uri: str, start: int) -> Iterator[_Read]:
    """A file that can be read from its first byte only."""
    from pagekin.web import hdfs  # noqa: PLC0415 - processes and temporary files, seldom needed

    with hdfs.open_file(uri) as read:
        while start > 0 and (skipped := read(min(start, _BUFFER))):
            start -= len(skipped)
        yield read


@contextmanager
def _open_local(uri: str, start: int) -> Iterator[_Read]:
    with local_errors(uri):
        file = local_path(uri).open("rb", buffering=0)
        if start:  # else also a pipe will do
            file.seek(start)
    with file:
        yield partial(_read_local, uri, file)


def _read_local(uri: str, file: io.FileIO, size: int) -> bytes:
    with local_errors(uri):
        return file.read(size)
