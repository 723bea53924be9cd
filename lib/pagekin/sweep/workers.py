"""Work of a sweep that is done by several processes, or by this one.

A worker that is stopped, or whose sweep is gone, ends. What a task makes it writes into the
workspace itself, so nothing large travels between processes.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from threading import Thread
from typing import TypeVar

from pagekin.errors import StageError

__all__ = ["run_tasks"]

_STOPPED = 130
_EVERY = 1.0  # seconds between two looks at the parent

Task = TypeVar("Task")
Done = TypeVar("Done")


def run_tasks(work: Callable[[Task], Done], tasks: Sequence[Task], width: int) -> Iterator[Done]:
    """What `work` gives for each task, as they are done; `width` at once."""
    if width == 1 or len(tasks) < 2:
        yield from map(work, tasks)
        return
    # spawned, as a fork of a process with threads (numpy has some) may hang
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(
        min(width, len(tasks)), mp_context=context, initializer=_begin, initargs=(os.getpid(),)
    )
    try:
        for future in as_completed([pool.submit(work, task) for task in tasks]):
            yield future.result()
    except BrokenProcessPool as error:
        raise StageError(
            "a process of the sweep was killed, perhaps for want of memory; --tasks 1 takes least"
        ) from error
    except BaseException:
        for child in multiprocessing.active_children():
            child.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


def _begin(parent: int) -> None:
    """The keyboard's signal is the parent's business; without a parent there is no work."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_EVERY)
    os._exit(_STOPPED)
