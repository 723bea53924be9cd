"""Memory of a task that works in batches: what it asks of the C library.

glibc gives each block above 128 KB back to the system as soon as it is freed, and every array of
numpy in a batch then costs a page fault for each of its pages: 0.3 of the CPU of merging bags.
Tasks keep what they have freed; what they hold at most stays what it was. Other C libraries are
left alone.
"""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache

__all__ = ["keep_freed"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of glibc's parameters (malloc.h)
_KEPT = 256 << 20  # bytes at the end of the heap
_BLOCK = 32 << 20  # bytes of one array; above, the system is asked as before


@cache
def keep_freed() -> None:
    """From now on freed memory waits in this process for the next array."""
    with suppress(AttributeError, OSError):
        library = ctypes.CDLL(None)
        library.mallopt(_MMAP_THRESHOLD, _BLOCK)
        library.mallopt(_TRIM_THRESHOLD, _KEPT)
