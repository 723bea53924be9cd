"""How far a stage is: tasks note it in small files, the build reads them and prints a line.

mrjob tells nothing while tasks run on this machine, so each task keeps a file of its own in a
folder that the build names. On a cluster there is no such folder and the runner's own messages show
the progress.
"""

from __future__ import annotations

import json
import math
import os
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread
from typing import Self, TextIO

from pagekin.printing import refresh, tell

__all__ = ["ShownLine", "StageProgress", "TaskProgress", "counted", "duration"]

_EVERY = 0.5  # seconds between notes, and between lines
_PID = "build.pid"  # beside the tasks' notes: who reads them
_QUIET = 5.0  # seconds between lines where they cannot be overwritten


class TaskProgress:
    """Counts of one task, noted twice a second; does nothing without a folder."""

    def __init__(self, folder: str) -> None:
        self._path = Path(folder) / f"{os.getpid()}-{uuid.uuid4().hex[:8]}" if folder else None
        self._build = _pid_of_build(Path(folder)) if folder else 0
        self._counts: dict[str, int] = {}
        self._next = 0.0

    def add(self, **amounts: int) -> None:
        """Note that so many more files, pages, bytes or records are done."""
        if self._path is None:
            return
        counts = self._counts
        for name, amount in amounts.items():
            counts[name] = counts.get(name, 0) + amount
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _EVERY
            self._end_with_build()
            self._write()

    def reporter(self, start: int = 0) -> Callable[[int, int], None]:
        """For one file, read from `start` on: a function that is told of pages, and of how far into
        the file we are.
        """
        last = start

        def report(pages: int, offset: int) -> None:
            nonlocal last
            self.add(pages=pages, bytes=offset - last)
            last = offset

        return report

    def _end_with_build(self) -> None:
        """A task outlives a build that is killed, and would only keep the cores from the next."""
        try:
            os.kill(self._build, 0)
        except ProcessLookupError:
            raise SystemExit("the build that this task worked for is gone") from None

    def _write(self) -> None:
        if self._path is not None and self._path.parent.is_dir():
            beside = self._path.with_suffix(".new")
            beside.write_text(json.dumps(self._counts))
            beside.replace(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._write()


def _pid_of_build(folder: Path) -> int:
    """Process 0, which is always there, stands for a build that does not say."""
    path = folder / _PID
    return int(path.read_text()) if path.exists() else 0


def duration(seconds: float) -> str:
    """A time as people say it.

    >>> duration(75)
    '1m15s'
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    return f"{whole // 3600}h{whole % 3600 // 60:02d}m"


def counted(count: int, noun: str) -> str:
    """So many of something.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{count:,} {noun}{'s' if count != 1 else ''}"


class ShownLine:
    """A line on stderr while something goes on, refreshed again and again."""

    def __init__(self, line: Callable[[], str], out: TextIO | None = None) -> None:
        self._say = line
        self._out = out or sys.stderr
        self._stop = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()
        refresh("", self._out)

    def _run(self) -> None:
        overwrite = self._out.isatty()
        while not self._stop.wait(_EVERY if overwrite else _QUIET):
            line = self._say()
            if overwrite:
                refresh(line, self._out)
            elif line:
                tell(line, out=self._out)


class StageProgress(ShownLine):
    """How far a stage is, from its tasks' notes.

    `total` is in bytes for stages that read the snapshot and in records for others.
    """

    def __init__(
        self,
        label: str,
        folder: Path,
        out: TextIO | None = None,
        *,
        files: int = 0,
        total: int = 0,
        unit: str = "records",
    ) -> None:
        super().__init__(self._line_now, out)
        self._label, self._folder, self._files, self._total = label, folder, files, total
        self._unit = unit
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        (self._folder / _PID).write_text(str(os.getpid()))
        return super().__enter__()

    def _line_now(self) -> str:
        return self.line(read_notes(self._folder), time.monotonic() - self._began)

    def line(self, done: dict[str, int], seconds: float) -> str:
        """What is shown after so many seconds with so much done."""
        parts = [self._label, duration(seconds)]
        amount = done.get(self._unit, 0)
        share = min(amount / self._total, 1.0) if self._total else 0.0
        if "files" in done or self._unit == "bytes":
            parts.append(f"{done.get('files', 0)}/{self._files} files")
        pages = done.get("pages", 0)
        if pages:
            parts.append(f"{pages:,} pages, {pages / seconds:,.0f}/s")
        if 0 < share < 1:
            # rounded so that what is not done never looks done
            left = math.ceil(seconds / share - seconds)
            parts.append(f"{amount * 100 // self._total}%, {duration(left)} left")
        elif share:
            parts.append("sorting and merging" if self._unit == "bytes" else "finishing")
        return "  ".join(parts)


def read_notes(folder: Path) -> dict[str, int]:
    """The sum of all tasks' notes."""
    total: dict[str, int] = {}
    for path in sorted(folder.iterdir()):
        if path.suffix:  # no note, or not yet in its place
            continue
        try:
            counts: dict[str, int] = json.loads(path.read_text())
        except (OSError, ValueError):  # being replaced just now
            continue
        for name, amount in counts.items():
            total[name] = total.get(name, 0) + amount
    return total
