"""Remote files that are read forwards, and asked for again from where the connection broke off.

`Remote` is what HTTP and S3 share: new tries after growing pauses, range requests (RFC 9110,
section 14), and the two ways in which a file falls apart without an error. A body that ends before
its full length looks like the end of the file (http.client gives no sign), so lengths are counted
here; and a file that was replaced meanwhile has two halves that make no file, so its ETag must
stay. A server that knows no ranges is read again up to the place.

Nothing is kept on disk and nothing is read ahead.
"""

from __future__ import annotations

import re
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from http.client import HTTPException, InvalidURL
from socket import gaierror
from typing import Any, ClassVar, Final, Protocol
from urllib.error import HTTPError, URLError
from urllib.parse import quote

from pagekin.errors import InputError

__all__ = [
    "CHANGED",
    "FEW",
    "TIMEOUT",
    "HttpFile",
    "Part",
    "Remote",
    "first_byte",
    "reason_of",
]

TIMEOUT: Final = 60  # seconds without a byte
CHANGED: Final = "it was changed while it was read; start again"

# Seconds before each new try, five minutes in all: a server that is started anew, or that has too
# much to do, is back by then. Bytes that come start them anew.
_PAUSES: Final = (1, 2, 4, 8, 16, 32, 60, 60, 60, 60)
FEW: Final = 5  # of them, where a person waits for an answer, or nobody knows the server's name
_PIECE: Final = 64 << 10  # bytes asked for at a time, and lost when the connection fails in it
_REFUSALS: Final = {
    401: "access denied; the address asks for a login",
    403: "access denied (some servers answer so for a missing file, or after too many requests)",
    404: "there is no such file at this address",
    410: "there is no such file at this address any more",
    416: CHANGED,
}
_PASSING: Final = frozenset({408, 425, 429})  # and all from 500 on


class Body(Protocol):
    def read(self, size: int, /) -> bytes: ...
    def close(self) -> None: ...


@dataclass(slots=True)
class Part:
    """What a server sends for one request."""

    body: Body
    start: int
    """Which byte of the file comes next."""
    size: int
    """Of the whole file; -1 when unknown."""
    version: str
    """Another one when the file was changed; empty when unknown."""


class Remote(ABC):
    """One remote file."""

    errors: ClassVar[tuple[type[Exception], ...]] = (OSError, EOFError)  # what reading may raise

    def __init__(self, uri: str, sleep: Callable[[float], None]) -> None:
        self.uri = uri
        self.size = -1
        self.version = ""
        self.pauses: tuple[int, ...] = _PAUSES
        self._sleep = sleep
        self._at = self._failures = 0
        self._part: Part | None = None

    @abstractmethod
    def ask(self, at: int) -> Part:
        """The file from a byte on, or from any earlier one."""

    @abstractmethod
    def refusal(self, error: Exception) -> str:
        """Why no other try can help; empty when one may."""

    def open(self, at: int = 0) -> None:
        """Reading begins at this byte."""
        self._at = at
        self._try(self._connect)

    def read(self, size: int) -> bytes:
        """At most so many bytes; none at the end only."""
        data: bytes = self._try(lambda: self._next(min(size, _PIECE)))
        self._failures = 0
        self._at += len(data)
        return data

    def close(self) -> None:
        self._drop()

    def _drop(self) -> None:
        if self._part:
            self._part.body.close()
        self._part = None

    def _try(self, action: Callable[[], Any]) -> Any:
        while True:
            try:
                return action()
            except self.errors as error:
                self._drop()
                self._wait(error)

    def _wait(self, error: Exception) -> None:
        refusal = self.refusal(error)
        pauses = self.pauses[:FEW] if isinstance(_cause(error), gaierror) else self.pauses
        if not refusal and self._failures >= len(pauses):
            refusal = f"cannot be read, after {self._failures + 1} tries: {reason_of(error)}"
        if refusal:
            raise InputError(f"{self.uri}: {refusal}") from error
        self._sleep(pauses[self._failures])
        self._failures += 1

    def _next(self, size: int) -> bytes:
        if self._at == self.size:
            return b""
        part = self._part or self._connect()
        return self._take(part, size)

    def _connect(self) -> Part:
        self._part = part = self.ask(self._at)
        if not self._continues(part):
            raise InputError(f"{self.uri}: {CHANGED}")
        self.size, self.version = max(self.size, part.size), self.version or part.version
        while part.start < self._at:
            self._take(part, min(self._at - part.start, _PIECE))
        return part

    def _take(self, part: Part, size: int) -> bytes:
        data = part.body.read(size)
        part.start += len(data)
        if not data and part.start < max(self.size, self._at):
            raise EOFError(f"it ends after {part.start} of {max(self.size, self._at)} bytes")
        return data

    def _continues(self, part: Part) -> bool:
        same_size = -1 in {part.size, self.size} or part.size == self.size
        same_version = "" in {part.version, self.version} or part.version == self.version
        return same_size and same_version and 0 <= part.start <= self._at


class HttpFile(Remote):
    """A file at an http:// or https:// address."""

    errors = (*Remote.errors, HTTPException, ValueError)

    def ask(self, at: int) -> Part:
        try:
            response = urllib.request.urlopen(self._request(at), timeout=TIMEOUT)
        except HTTPError as error:
            error.close()
            raise
        headers = response.headers
        version = headers["ETag"] or headers["Last-Modified"] or ""
        length = _number(headers["Content-Length"] or "")
        if response.status != 206:
            return Part(response, 0, length, version)
        span = headers["Content-Range"] or ""
        return Part(response, first_byte(span), _number(span.rpartition("/")[2]), version)

    def _request(self, at: int) -> urllib.request.Request:
        # lists hold paths as people write them; what is encoded already stays as it is
        address = quote(self.uri, safe="%/:=&?~#+!$,;'@()*[]")
        headers = {"User-Agent": "pagekin"} | ({"Range": f"bytes={at}-"} if at else {})
        if at and self.version and not self.version.startswith("W/"):
            headers["If-Range"] = self.version
        return urllib.request.Request(address, headers=headers)

    def refusal(self, error: Exception) -> str:
        if isinstance(error, HTTPError):
            passing = error.code >= 500 or error.code in _PASSING
            return "" if passing else _REFUSALS.get(error.code, f"the server answers: {error}")
        # no address (also as a mere str), or a wrong certificate (a ValueError)
        final = isinstance(_cause(error), str | ValueError | InvalidURL)
        return f"cannot be read: {reason_of(error)}" if final else ""


def first_byte(content_range: str) -> int:
    """-1 when it does not say.

    >>> first_byte("bytes 100-199/200")
    100
    """
    match = re.match(r"\s*bytes\s+(\d+)-", content_range, re.I)
    return int(match[1]) if match else -1


def reason_of(error: BaseException) -> str:
    """What the system or server said, in its shortest form."""
    cause = _cause(error)
    return getattr(cause, "strerror", None) or str(cause) or type(cause).__name__


def _cause(error: BaseException) -> BaseException | str:
    if isinstance(error, URLError) and not isinstance(error, HTTPError):
        return error.reason
    return error


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d+", text, re.ASCII) else -1
