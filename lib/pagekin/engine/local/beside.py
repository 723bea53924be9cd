"""Two chains of stages side by side on this machine: the second one in a process of its own.

Stages of small builds do not fill the cores: a task begins, another is the last to end, and in
between this process cuts files. Where two chains do not need each other, one fills such gaps of the
other: it always has a task that may run, at a lower priority. Together they run one task more at
once than one would, and the first chain never waits for the other.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import wait
from typing import Any, NoReturn, Self

from pagekin.errors import StageError

__all__ = ["SIGNALS", "Beside", "Slots", "ending", "hear", "signals_waiting"]

_DIES_WITH_PARENT = 1  # PR_SET_PDEATHSIG, <linux/prctl.h>
_PATIENCE = 10.0  # seconds for a process to end its tasks
_STOPPED = 130  # how a process ends that was told to stop
_NICE = 5  # by so much the first chain goes before it; the higher, the later this one is done
_MOST = 4_096  # tasks at once: a pipe holds so many bytes on every system
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
_waiting: list[int] = []  # signals that came and are to be heard


class Slots:
    """Leave for the other chain to run tasks: one always, and more when the first chain is done.

    That is a byte for each in a pipe, as in GNU make's job server; who takes leave gives it back.
    """

    own = 1  # tasks for which no leave is taken

    def __init__(self) -> None:
        self._read, self._write = os.pipe()
        os.set_blocking(self._read, False)

    def fileno(self) -> int:
        """Can be read when there may be leave to take."""
        return self._read

    def take(self) -> bool:
        """Leave for one task more; False if there is none now."""
        try:
            return bool(os.read(self._read, 1))
        except BlockingIOError:
            return False

    def put(self, tasks: int = 1) -> None:
        """There is leave for so many tasks more."""
        os.write(self._write, bytes(min(max(tasks, 0), _MOST)))

    def close(self) -> None:
        """Nobody will ask any more."""
        os.close(self._read)
        os.close(self._write)


class Beside:
    """Work in a process of its own, for as long as the context lasts; its error comes back."""

    def __init__(self, what: str, work: Callable[[], None]) -> None:
        """`what` names the work to people."""
        self._what, self._work = what, work
        self._pid, self._code = 0, 0
        self._ends: list[int] = []  # can be read when the process has said all, or has ended
        self._said = b""

    def __enter__(self) -> Self:
        for stream in (sys.stdout, sys.stderr):
            stream.flush()  # or both would write what waits there
        read, write = os.pipe()
        self._ends.append(read)
        parent = os.getpid()
        try:
            with signals_waiting():
                self._pid = os.fork()
                if not self._pid:
                    _be(self._work, write, parent)
                self._ends += _pidfd(self._pid)
        except BaseException:
            self.__exit__()
            raise
        finally:
            os.close(write)
        return self

    def __exit__(self, *_: object) -> None:
        try:
            if self._pid:
                os.kill(self._pid, signal.SIGTERM)
                self._reap(_PATIENCE)
        finally:
            if self._pid:  # it did not hear, or we were told once more to stop
                os.kill(self._pid, signal.SIGKILL)
                self._reap(None)
            for end in self._ends:
                os.close(end)
            self._ends = []

    def check(self) -> None:
        """Raises the error of the work, where there is one by now."""
        if self._is_over(0):
            self.join()

    def join(self) -> None:
        """Wait for the end of the work, and raise what it raised."""
        self._is_over(None)
        self._reap(None)
        if self._code or not self._said:
            raise StageError(f"{self._what}: their process {ending(self._code)}")
        if error := pickle.loads(self._said):
            raise error

    def _is_over(self, seconds: float | None) -> bool:
        """Is all said, or will nothing be? Waits for that; None: as long as it takes."""
        read = self._ends[0]
        while ready := wait(self._ends, seconds):
            piece = os.read(read, 1 << 16) if read in ready else b""
            if not piece:
                return True
            self._said += piece
        return False

    def _reap(self, seconds: float | None) -> None:
        """Take note of how the process ended, if it ends in time."""
        until = None if seconds is None else time.monotonic() + seconds
        while self._pid:
            pid, status = os.waitpid(self._pid, 0 if until is None else os.WNOHANG)
            if pid:
                self._pid, self._code = 0, os.waitstatus_to_exitcode(status)
            elif until is not None and time.monotonic() > until:
                return
            else:
                time.sleep(0.001)


@contextmanager
def signals_waiting() -> Iterator[None]:
    """No signal is heard before the end, or a process might begin of which nobody knows.

    A mask would not do: another thread of this process would take the signal.
    """
    if threading.current_thread() is not threading.main_thread():  # which hears them
        yield
        return
    before = {number: signal.getsignal(number) for number in SIGNALS}
    _waiting.clear()
    for number, handler in before.items():
        if callable(handler):  # else the system sees to it
            signal.signal(number, _wait_with)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        _hear_now()


def _wait_with(number: int, frame: object) -> None:
    _waiting.append(number)


def _hear_now() -> None:
    while _waiting:
        signal.raise_signal(_waiting.pop())


def hear(handler: Callable[[int, Any], Any] | signal.Handlers) -> None:
    """In a child: from now on signals are heard, but for those that are ignored (nohup, `&`)."""
    for number in SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, handler)
    _hear_now()


def _be(work: Callable[[], None], write: int, parent: int) -> NoReturn:
    """In the child: work, say what came of it, and end. Nothing else of this program runs on."""
    code = _STOPPED
    try:
        try:
            _end_with(parent)
            os.nice(_NICE)
            hear(_stop)
            said = _outcome(work)
            with os.fdopen(write, "wb") as out:
                out.write(said)
            code = 0
        finally:
            sys.stderr.flush()
    finally:
        os._exit(code)


def _outcome(work: Callable[[], None]) -> bytes:
    try:
        work()
    except Exception as error:  # told by the process that waits
        try:
            said = pickle.dumps(error)
            pickle.loads(said)
        except Exception:
            said = pickle.dumps(StageError(f"{type(error).__name__}: {error}"))
        return said
    return pickle.dumps(None)


def _pidfd(process: int) -> list[int]:
    """Can be read when the process has ended, whoever still holds its pipe (Linux since 5.3)."""
    try:
        return [os.pidfd_open(process)]
    except (AttributeError, OSError):
        return []


def _end_with(parent: int) -> None:
    """Let the system kill this process when the one that waits for it is gone."""
    ctypes.CDLL(None).prctl(_DIES_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != parent:
        raise SystemExit(_STOPPED)


def _stop(number: int, frame: object) -> NoReturn:
    """Once: what is tidied up on the way out is not to be stopped again."""
    for each in SIGNALS:
        signal.signal(each, _wait_with)  # Python complains of one that came and is then ignored
    raise SystemExit(_STOPPED)


def ending(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended with code {code}"
    hint = " (is there too little memory?)" if code == -signal.SIGKILL else ""
    return f"was killed by {signal.Signals(-code).name}{hint}"
