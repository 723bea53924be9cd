"""A stream that is read once, forwards, and whose last bytes can be read again.

That is all a WARC reader needs of pipes and HTTP bodies, which cannot seek: when a member turns out
to be broken, the next one is looked for from right behind its beginning. Offsets count from where
the stream stood when it was handed over.
"""

from __future__ import annotations

from collections import deque
from typing import BinaryIO

from pagekin.web.decompress import Data

__all__ = ["Replay"]

CHUNK_BYTES = 64 << 10
# A broken member shows within 64 KiB of the bad place (the longest stored block) nearly always, and
# members of 1,208 real pages have 30 KB on the average.
LOOK_BACK_BYTES = 1 << 20


class Replay:
    """A stream in chunks, of which the last ones can be taken again."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._base = 0  # where the chunk begins in the stream
        self._kept: deque[bytes] = deque()  # what comes right before the chunk
        self._kept_size = 0
        self.chunk = b""
        self.at = 0  # what comes next, in the chunk

    @property
    def offset(self) -> int:
        return self._base + self.at

    def mark(self) -> int:
        """Here a member begins: nothing before it need be kept."""
        self._kept.clear()
        self._kept_size = 0
        return self.offset

    def take(self) -> Data:
        """The rest of the chunk, or the next one; empty at the end of the stream."""
        if self.at == len(self.chunk):
            self._keep(self.chunk)
            self.chunk, self.at = self._read(), 0
        rest = memoryview(self.chunk)[self.at : self.at + CHUNK_BYTES]
        self.at += len(rest)
        return rest

    def give_back(self, size: int) -> None:
        self.at -= size

    def peek(self, size: int) -> bytes:
        return bytes(self.view(size))

    def view(self, size: int) -> Data:
        """The next bytes without taking them."""
        while len(self.chunk) - self.at < size and self.extend():
            pass
        return memoryview(self.chunk)[self.at : self.at + size]

    def extend(self) -> bool:
        """Makes the chunk longer; False at the end of the stream."""
        more = self._read()
        if more:
            at, chunk = self.at, self.chunk
            self._keep(chunk[:at])
            self.chunk, self.at = chunk[at:] + more, 0
        return bool(more)

    def skip(self, size: int) -> bool:
        """Whether the stream has as many bytes."""
        while size and (rest := self.take()):
            self.give_back(max(len(rest) - size, 0))
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

    def _keep(self, data: bytes) -> None:
        self._base += len(data)
        self._kept.append(data)
        self._kept_size += len(data)
        while self._kept_size - len(self._kept[0]) >= LOOK_BACK_BYTES:
            self._kept_size -= len(self._kept.popleft())

    def _read(self) -> bytes:
        """A whole chunk: pipes and sockets give less at a time than they are asked for."""
        parts: list[bytes] = []
        size = 0
        while size < CHUNK_BYTES and (part := self._stream.read(CHUNK_BYTES - size)):
            parts.append(part)
            size += len(part)
        return b"".join(parts)
