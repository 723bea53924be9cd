"""A scheduler and a shuffle for one machine: mrjob's runners inline and local, with our own tasks.

mrjob starts a Python for every task: 0.35 s of CPU until numpy, mrjob and the job are loaded, and
with four tasks for each core and stage that is most of a small build. It also copies the input of
each task, sorts all that mappers made in one go while the other cores wait, and cuts and copies it
again. Here a task is a child of the process that runs the job, forked with all of that loaded; it
reads its share where it lies; a map task sorts what it makes, and a reduce task merges its share of
that as it reads. A task is a process of its own all the same: one that is killed fails alone.

The runner inline does the same one task after the other in this process: for debugging, and for
tests, which are to see whether tasks share state that they must not share.

What only a new Python can give (setup commands, py_files, another interpreter, files in the working
directory) is left to mrjob, as is compressed input, and all on systems where libraries do not bear
a fork.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import inspect
import io
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

import mrjob.local
from mrjob.inline import InlineMRJobRunner
from mrjob.local import LocalMRJobRunner, _TaskFailedException
from mrjob.sim import SimMRJobRunner

from pagekin.engine.local.cutting import map_shares, tasks_for
from pagekin.engine.local.shuffle import BUFFER, SORT, cut_keys, merged_lines, sorting
from pagekin.errors import NO_ROOM
from pagekin.storage.part_files import Piece, lines_of

if TYPE_CHECKING:  # the job makes its runner, and a runner runs the job
    from pagekin.engine.job import PagekinJob

__all__ = ["InlineRunner", "LocalRunner"]

# Where a step is left to mrjob its pool of tasks forks, too: since 3.14 Python would not by itself.
mrjob.local.Pool = multiprocessing.get_context("fork").Pool

_COMPRESSED = {".gz", ".bz2"}  # left to mrjob
_LEFT_TO_MRJOB = (
    *("setup", "py_files", "python_bin", "task_python_bin"),
    *("upload_files", "upload_archives", "upload_dirs"),
)
_NO_ROOM = os.EX_CANTCREAT  # the code of a task whose disk is full: no message has room there
_log = logging.getLogger("mrjob.local")  # where a build listens


class _OwnTasks(SimMRJobRunner):  # type: ignore[misc]
    """The part that both runners share: a step is cut into tasks of ours."""

    job: PagekinJob  # with its options read
    cores = 1

    def _run_streaming_step(self, step: dict[str, Any], step_num: int) -> None:
        paths = [Path(path) for path in self._input_paths_for_step(step_num)]
        if not self._is_ours(paths):
            super()._run_streaming_step(step, step_num)
            return
        Path(self._output_dir_for_step(step_num)).mkdir(parents=True, exist_ok=True)
        job, reduces = self.job, "reducer" in step
        shares = map_shares(
            paths,
            self.cores,
            kinds=job.reads,
            lines_are_work=job.LINES_ARE_WORK,
            keep_order=not reduces,
        )
        job.make_ready()
        mapped = [self._path("mapper", step_num, number) for number in range(len(shares))]
        self._run_tasks(
            step_num,
            "mapper",
            [
                partial(self._map, lines_of(share), path, sort=reduces)
                for share, path in zip(shares, mapped, strict=True)
            ],
        )
        if not reduces:
            return
        size = sum(path.stat().st_size for path in mapped)
        parts = cut_keys(mapped, tasks_for(size, self.cores))
        made = [self._path("reducer", step_num, number) for number in range(len(parts))]
        self._run_tasks(
            step_num,
            "reducer",
            [partial(self._reduce, part, path) for part, path in zip(parts, made, strict=True)],
        )

    def _is_ours(self, paths: Sequence[Path]) -> bool:
        return not any(path.suffix in _COMPRESSED for path in paths)

    def _path(self, kind: str, step_num: int, number: int) -> Path:
        """Where a task writes."""
        path = Path(self._task_output_path(kind, step_num, number)).absolute()
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _messages_path(self, kind: str, step_num: int, number: int) -> Path:
        """Where a task writes what it says on stderr."""
        path = Path(self._task_stderr_path(kind, step_num, number)).absolute()
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _map(self, lines: Iterator[bytes], path: Path, *, sort: bool) -> None:
        if not sort:
            with path.open("wb", BUFFER) as out:
                self._do_task(lines, out, "mapper")
            return
        program, scratch = self._opts.get("sort_bin") or SORT, Path(self._get_local_tmp_dir())
        with sorting(path, program, scratch.absolute()) as out:
            self._do_task(lines, out, "mapper")

    def _reduce(self, part: Sequence[Piece], path: Path) -> None:
        with path.open("wb", BUFFER) as out:
            self._do_task(merged_lines(part), out, "reducer")

    def _do_task(self, lines: Iterator[bytes], out: BinaryIO, kind: str) -> None:
        """One task in this process; what it prints goes to stderr and not among the records."""
        job = self.job
        job._begin()
        before = dict(os.environ)
        os.environ.update(self._opts["cmdenv"])
        try:
            with redirect_stdout(sys.stderr):
                job.run_task(kind, lines, out)
        finally:
            os.environ.clear()
            os.environ.update(before)

    def _run_tasks(self, step_num: int, kind: str, tasks: Sequence[Callable[[], None]]) -> None:
        raise NotImplementedError


class InlineRunner(_OwnTasks, InlineMRJobRunner):  # type: ignore[misc]
    """All tasks in this process; an error in one of them comes out as it is."""

    cores = 2  # so many tasks at least: what they share by mistake is seen

    def _run_tasks(self, step_num: int, kind: str, tasks: Sequence[Callable[[], None]]) -> None:
        for number, task in enumerate(tasks):
            messages = self._messages_path(kind, step_num, number)
            with messages.open("w", encoding="utf-8") as err, redirect_stderr(err):
                task()


class LocalRunner(_OwnTasks, LocalMRJobRunner):  # type: ignore[misc]
    """Tasks are forked, as many at once as there are cores."""

    @property
    def cores(self) -> int:  # type: ignore[override]
        return int(self._num_cores())

    def _is_ours(self, paths: Sequence[Path]) -> bool:
        wanted = any(self._opts.get(name) for name in _LEFT_TO_MRJOB)
        return super()._is_ours(paths) and sys.platform == "linux" and not wanted

    def _run_tasks(self, step_num: int, kind: str, tasks: Sequence[Callable[[], None]]) -> None:
        running: dict[int, tuple[int, BaseProcess]] = {}  # by what can be waited for
        _give_back()
        gc.freeze()  # or the collector of each child would touch, and so copy, what all share
        try:
            for number, task in enumerate(tasks):
                while len(running) >= self.cores:
                    self._wait(running, step_num, kind)
                messages = self._messages_path(kind, step_num, number)
                process: BaseProcess = multiprocessing.get_context("fork").Process(
                    target=_be_task, args=(task, messages, self._words(kind))
                )
                process.start()
                running[process.sentinel] = number, process
            while running:
                self._wait(running, step_num, kind)
        finally:
            gc.unfreeze()
            for _, process in running.values():
                process.terminate()
                process.join()

    def _words(self, kind: str) -> list[str]:
        return [inspect.getfile(type(self.job)), f"--{kind}"]

    def _wait(self, running: dict[int, tuple[int, BaseProcess]], step_num: int, kind: str) -> None:
        """Until a task has ended; raises if it failed."""
        for sentinel in wait(list(running)):
            number, process = running.pop(cast(int, sentinel))
            process.join()
            code = process.exitcode or 0
            process.close()
            if code == _NO_ROOM:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            if code:
                reason = _ending(code)
                messages = self._messages_path(kind, step_num, number)
                _log.error("%s %d %s", kind, number, reason)
                _log.error(messages.read_text("utf-8", "backslashreplace"))
                raise _TaskFailedException(
                    reason=reason,
                    step_num=step_num,
                    num_steps=self._num_steps(),
                    task_type=kind,
                    task_num=number,
                )


def _be_task(task: Callable[[], None], messages: Path, words: list[str]) -> None:
    """In the child: a signal ends it without a word, and what it says goes to a file.

    Its words are those that a program of its own would have been started with, for tools that ask.
    """
    sys.argv = words
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        if signal.getsignal(number) != signal.SIG_IGN:  # nohup, or `&` in a script
            signal.signal(number, signal.SIG_DFL)
    descriptor = os.open(messages, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(descriptor, 2)
    sys.stderr = io.TextIOWrapper(
        io.FileIO(2, "w", closefd=False), errors="backslashreplace", write_through=True
    )
    try:
        task()
    except OSError as error:
        if error.errno in NO_ROOM:
            raise SystemExit(_NO_ROOM) from error
        raise


def _give_back() -> None:
    """What this process needs no more, such as that of a table it made, goes back to the system:
    it would count in each task that is forked.
    """
    if trim := getattr(ctypes.CDLL(None), "malloc_trim", None):  # of glibc
        trim(0)


def _ending(code: int) -> str:
    """How a process ended, in words."""
    if code >= 0:
        return f"ended with code {code}"
    hint = " (is there too little memory?)" if code == -signal.SIGKILL else ""
    return f"was killed by {signal.Signals(-code).name}{hint}"
