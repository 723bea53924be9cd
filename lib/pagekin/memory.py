"""Memory of a process that works in batches: what it asks of the C library, and of the collector.

glibc gives each block above 128 KB back to the system as soon as it is freed, and every array of
numpy in a batch then costs a page fault for each of its pages: 0.3 of the CPU of merging bags.
Tasks keep what they have freed; what they hold at most stays what it was. Other C libraries are
left alone.

Python looks for circles among its objects whenever there are 700 more. Ours make hardly any, and a
tenth of a short command was that search.
"""

from __future__ import annotations

import atexit
import gc
from contextlib import suppress
from functools import cache
from typing import Any

__all__ = ["collect_seldom", "give_back_freed", "keep_freed", "settle"]

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3  # names of glibc's parameters (malloc.h)
_KEPT = 256 << 20  # bytes at the end of the heap
_BLOCK = 32 << 20  # bytes of one array; above, the system is asked as before
_MORE = 20_000  # objects: a few MB at the most


@cache
def settle() -> None:
    """Both for a task: freed memory is kept, and circles are looked for less often."""
    keep_freed()
    collect_seldom()


def keep_freed() -> None:
    """From now on freed memory waits in this process for the next array."""
    with suppress(AttributeError, OSError):
        library = _c_library()
        library.mallopt(_MMAP_THRESHOLD, _BLOCK)
        library.mallopt(_TRIM_THRESHOLD, _KEPT)


def give_back_freed() -> None:
    """What this process has freed goes back to the system: its forks would count it as theirs."""
    with suppress(AttributeError, OSError):
        _c_library().malloc_trim(0)


def collect_seldom() -> None:
    """Search for circles less often, and not among all that there is when the process ends."""
    gc.set_threshold(_MORE)
    atexit.unregister(gc.freeze)  # once is enough
    atexit.register(gc.freeze)


def _c_library() -> Any:
    import ctypes  # noqa: PLC0415 - commands that run no task need not wait for it

    return ctypes.CDLL(None)
