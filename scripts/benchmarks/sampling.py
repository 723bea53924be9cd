"""A sampler of lines: which line of our code was at work, weighed by the CPU time that went by.

A timer of the process's CPU time asks again and again where the main thread is. C code (lxml,
numpy, sort) cannot be interrupted, so the answer comes when it returns, at the line that called
it; and because each sample weighs as much as went by since the last one, long calls count in
full. The line is the innermost of our own code: what a library does belongs to the line that
asked for it.
"""

from __future__ import annotations

import linecache
import signal
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

__all__ = ["Place", "Sampler"]

_EVERY = 0.002  # seconds of CPU
_PHASES = {"map_task": "map", "reduce_task": "reduce", "finish": "tables"}


class Place(NamedTuple):
    """A line of our code, in a phase of a task."""

    phase: str
    file: str
    line: int
    function: str

    def text(self) -> str:
        """What stands there."""
        return linecache.getline(self.file, self.line).strip()


class Sampler:
    """Seconds by place. Where a job runs, what lies outside of its own work is the engine's."""

    def __init__(self, ours: list[Path], otherwise: str = "engine") -> None:
        self._ours = tuple(f"{path}/" for path in ours)
        self._otherwise = otherwise  # the phase of what no job does
        self.seconds: Counter[Place] = Counter()
        self._last = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        """Sample what is done inside, in the main thread."""
        before = signal.signal(signal.SIGPROF, self._look)
        self._last = time.process_time()
        signal.setitimer(signal.ITIMER_PROF, _EVERY, _EVERY)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.signal(signal.SIGPROF, before)

    def _look(self, number: int, frame: FrameType | None) -> Any:
        now = time.process_time()
        self.seconds[self._place(frame)] += now - self._last  # type: ignore[assignment]
        self._last = now

    def _place(self, frame: FrameType | None) -> Place:
        phase, at = self._otherwise, ("", 0, "")
        while frame is not None:
            code = frame.f_code
            if not at[0] and code.co_filename.startswith(self._ours):
                at = (code.co_filename, frame.f_lineno or 0, code.co_qualname)
            if code.co_name in _PHASES:
                phase = _PHASES[code.co_name]
                break
            frame = frame.f_back
        return Place(phase, *(at if phase != "engine" else ("", 0, "")))
