"""The local runner of mrjob, with tasks that are forked and input that is not copied line by line.

mrjob starts a Python for every task: 0.35 s of CPU until numpy, mrjob and the job are loaded, and
with four tasks for each core and stage that is most of a small build. Here a task is a child of the
process that runs the job, with all of that loaded. It is a process of its own all the same: its
memory, its working directory, its environment and its standard streams are its own, and one that is
killed fails alone.

What only a new Python can give (setup commands, py_files, another interpreter) is left to mrjob, as
is all on systems where libraries do not bear a fork. Which lines a task gets is decided here, and
the result of a job does not depend on it.
"""

from __future__ import annotations

import inspect
import io
import logging
import mmap
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import IO, Any

from mrjob.job import MRJob
from mrjob.local import LocalMRJobRunner, _TaskFailedException

from pagekin.pipeline.allocator import give_back_freed

__all__ = ["LocalRunner", "cut_lines"]

_BUFFER = 1 << 20  # bytes
_log = logging.getLogger("mrjob.local")  # where a build listens
_COMPRESSED = {".gz", ".bz2"}  # left to mrjob


class LocalRunner(LocalMRJobRunner):  # type: ignore[misc]
    """Behaves as mrjob's own."""

    def __init__(self, mrjob_cls: type[MRJob], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self._job = mrjob_cls
        self._made = ("", 0, 0)  # kind, step and number of the task that was made ready last

    def _forks(self) -> bool:
        needs_python = ("setup", "py_files", "python_bin", "task_python_bin")
        return sys.platform == "linux" and not any(self._opts.get(name) for name in needs_python)

    def _bootstrap_mrjob(self) -> bool:
        return not self._forks() and bool(super()._bootstrap_mrjob())

    # --- tasks ---

    def _run_task_func(self, task_type: str, step_num: int, task_num: int, *split: Any) -> Any:
        self._made = (task_type, step_num, task_num)
        return super()._run_task_func(task_type, step_num, task_num, *split)

    def _invoke_task_func(self, task_type: str, step_num: int, task_num: int) -> Any:
        if not self._forks():
            return super()._invoke_task_func(task_type, step_num, task_num)
        return partial(_be_task, self._job, self._args_for_task(step_num, task_type))

    def _run_multiple(
        self, funcs: Iterable[Callable[[], None]], num_processes: int | None = None
    ) -> None:
        if not self._forks():
            super()._run_multiple(funcs, num_processes)
            return
        running: dict[Any, tuple[BaseProcess, tuple[str, int, int]]] = {}
        give_back_freed()
        try:
            for func in funcs:
                if len(running) >= self._num_cores():
                    self._wait(running)
                process = _fork(func)
                running[process.sentinel] = process, self._made
            while running:
                self._wait(running)
        finally:
            for process, _ in running.values():
                process.terminate()
                process.join()

    def _wait(self, running: dict[Any, tuple[BaseProcess, tuple[str, int, int]]]) -> None:
        """Until a task has ended; raises if it did not end well."""
        for sentinel in wait(list(running)):
            process, (task_type, step_num, task_num) = running.pop(sentinel)
            process.join()
            if process.exitcode:
                how = _ending(process.exitcode)
                _log.error("%s %d %s", task_type, task_num, how)
                raise _TaskFailedException(
                    reason=how,
                    step_num=step_num,
                    num_steps=self._num_steps(),
                    task_type=task_type,
                    task_num=task_num,
                )

    # --- input ---

    def _split_mapper_input(
        self, input_paths: Iterable[str], step_num: int
    ) -> list[dict[str, Any]]:
        paths = list(map(Path, input_paths))
        if any(path.suffix in _COMPRESSED for path in paths):
            return list(super()._split_mapper_input(map(str, paths), step_num))
        size = self._pick_mapper_split_size(list(map(str, paths)), step_num)
        if getattr(self._job, "READS_FILES", False) and len(paths) >= self._num_cores():
            size = sys.maxsize  # each task learns the words anew: no more of them than need be
        splits: list[dict[str, Any]] = []
        for path in paths:
            for start, piece in cut_lines(path, size):
                self._write_input("mapper", step_num, len(splits), path, piece)
                splits.append({"file": str(path), "start": start, "length": len(piece)})
        return splits

    def _split_reducer_input(self, step_num: int) -> int:
        path = Path(self._sorted_reducer_input_path(step_num))
        size = path.stat().st_size // (self._num_reducers(step_num) * 2)
        number = 0
        for number, (_, piece) in enumerate(cut_lines(path, size, by_key=True), 1):
            self._write_input("reducer", step_num, number - 1, path, piece)
        return number

    def _write_input(
        self, task_type: str, step_num: int, task_num: int, source: Path, piece: memoryview
    ) -> None:
        path = Path(self._task_input_path(task_type, step_num, task_num))
        path.parent.mkdir(parents=True, exist_ok=True)
        if task_type == "reducer" and len(piece) == source.stat().st_size > 0:
            path.hardlink_to(source)  # all of it, and both lie in the job's own folder
        else:
            path.write_bytes(piece)


def cut_lines(path: Path, size: int, *, by_key: bool = False) -> Iterator[tuple[int, memoryview]]:
    """Pieces of a file, and where each begins: whole lines, `size` bytes or a line more.

    `by_key`: lines of the same key, which are neighbours, stay together. An empty file is one
    piece. A piece is to be used before the next is asked for.
    """
    if not path.stat().st_size:
        yield 0, memoryview(b"")
        return
    with (
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as text,
        memoryview(text) as view,
    ):
        start = 0
        while start < len(text):
            end = _line_end(text, min(start + max(size, 1), len(text)) - 1)
            while by_key and end < len(text) and _same_key(text, end):
                end = _line_end(text, end)
            with view[start:end] as piece:
                yield start, piece
            start = end


def _line_end(text: mmap.mmap, place: int) -> int:
    return text.find(b"\n", place) + 1 or len(text)


def _same_key(text: mmap.mmap, start: int) -> bool:
    """Has the line that begins at `start` the key of the line before it?"""
    before = text.rfind(b"\n", 0, start - 1) + 1
    return _key(text, before) == _key(text, start)


def _key(text: mmap.mmap, start: int) -> bytes:
    end = _line_end(text, start)
    return text[start:end].split(b"\t", 1)[0].rstrip(b"\n")


def _fork(func: Callable[[], None]) -> BaseProcess:
    process = multiprocessing.get_context("fork").Process(target=func)
    process.start()
    return process


def _be_task(  # noqa: PLR0917 - in mrjob's order
    job: type[MRJob],
    words: list[str],
    stdin: IO[bytes],
    stdout: IO[bytes],
    stderr: IO[bytes],
    wd: str,
    env: dict[str, str],
) -> None:
    """In the child: all that a program of its own would find, and then the task."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(wd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [inspect.getfile(job), *words]
    sys.path.insert(0, wd)
    for descriptor, stream in enumerate((stdin, stdout, stderr)):
        os.dup2(stream.fileno(), descriptor)
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False), _BUFFER))
    sys.stdout = out = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(1, "w", closefd=False), _BUFFER)
    )
    sys.stderr = io.TextIOWrapper(
        io.BufferedWriter(io.FileIO(2, "w", closefd=False)),
        errors="backslashreplace",
        line_buffering=True,
    )
    job(words).execute()
    out.flush()


def _ending(code: int) -> str:
    """How a child ended, in words."""
    return f"ended with code {code}" if code > 0 else f"was killed by {signal.Signals(-code).name}"
