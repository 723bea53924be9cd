"""The local runner of mrjob, with tasks that are forked.

mrjob starts a Python for every task: 0.35 s of CPU until numpy, mrjob and the job are loaded, and
with four tasks for each core and stage that is most of a small build. Here a task is a child of the
process that runs the job, with all of that loaded, and with what the job has made ready for it. It
is a process of its own all the same: its memory, its working directory, its environment and its
standard streams are its own, and one that is killed fails alone.

What only a new Python can give (setup commands, py_files, another interpreter) is left to mrjob, as
is all on systems where libraries do not bear a fork.
"""

from __future__ import annotations

import gc
import inspect
import io
import logging
import multiprocessing
import os
import signal
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import IO, Any

from mrjob.local import LocalMRJobRunner, _TaskFailedException

from pagekin.pipeline import cutting
from pagekin.pipeline.allocator import give_back_freed
from pagekin.pipeline.cutting import CutsInput
from pagekin.pipeline.job import PagekinJob, load
from pagekin.pipeline.shuffling import SORT, Share, cut_keys, merged_lines, sort_lines

__all__ = ["LocalRunner"]

_BUFFER = 1 << 20  # bytes
_log = logging.getLogger("mrjob.local")  # where a build listens


class LocalRunner(CutsInput, LocalMRJobRunner):  # type: ignore[misc]
    """Behaves as mrjob's own."""

    def __init__(self, mrjob_cls: type[PagekinJob], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.deal_for(mrjob_cls)
        self._job = mrjob_cls
        self._tasks: dict[str, tuple[PagekinJob, list[str]]] = {}  # by kind: ready to be forked
        self._made = ("", 0, 0)  # kind, step and number of the task that was made last
        self._shares: list[list[Share]] = []  # what each reduce task reads
        self.meanwhile: list[str] = []  # what to load while the last tasks run

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
        if task_type not in self._tasks:  # a job of ours is one step
            words = self._args_for_task(step_num, task_type)
            task = self._job(words)
            if not self._opts["cmdenv"]:  # it may say what is to be loaded, and acts in the task
                task.make_ready()
            self._tasks[task_type] = task, words
        shares = self._shares[task_num] if task_type == "reducer" else None
        return partial(_be_task, *self._tasks[task_type], shares)

    # --- what lies between map and reduce ---

    def _run_mapper_and_combiner_func(self, step_num: int, task_num: int, split: Any) -> Any:
        run = super()._run_mapper_and_combiner_func(step_num, task_num, split)
        if not self._forks() or "reducer" not in self._get_step(step_num):
            return run
        made = Path(self._task_output_path("mapper", step_num, task_num)).absolute()
        program, folder = self._opts["sort_bin"] or SORT, Path(self._get_local_tmp_dir())
        return partial(_run_and_sort, run, made, program, folder.absolute())

    def _sort_reducer_input(self, step_num: int, num_map_tasks: int) -> None:
        if not self._forks():
            super()._sort_reducer_input(step_num, num_map_tasks)
            return
        numbers = range(num_map_tasks)
        made = [Path(self._task_output_path("mapper", step_num, number)) for number in numbers]
        paths = [path.absolute() for path in made]  # tasks are elsewhere
        most = 1 + sum(path.stat().st_size for path in paths) // cutting.LEAST
        self._shares = cut_keys(paths, min(2 * self._num_reducers(step_num), most))

    def _split_reducer_input(self, step_num: int) -> int:
        if not self._forks():
            return super()._split_reducer_input(step_num)
        for number in range(len(self._shares)):
            path = Path(self._task_input_path("reducer", step_num, number))
            path.parent.mkdir(parents=True)
            path.touch()  # mrjob opens it
        return len(self._shares)

    # --- processes ---

    def _run_multiple(
        self, funcs: Iterable[Callable[[], None]], num_processes: int | None = None
    ) -> None:
        if not self._forks():
            super()._run_multiple(funcs, num_processes)
            return
        running: dict[Any, tuple[BaseProcess, tuple[str, int, int]]] = {}
        give_back_freed()
        gc.freeze()  # or the collector of each child would touch, and so copy, what all share
        try:
            for func in funcs:
                if len(running) >= self._num_cores():
                    self._wait(running)
                process = _fork(func)
                running[process.sentinel] = process, self._made
            task_type, step_num, _ = self._made
            is_last = task_type == self._last_task_type_in_step(step_num)
            while running and is_last and self.meanwhile:  # or tasks that follow would have it, too
                with suppress(Exception):  # who needs it will say what is wrong with it
                    load(self.meanwhile.pop(0))
            while running:
                self._wait(running)
        finally:
            gc.unfreeze()
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


def _fork(func: Callable[[], None]) -> BaseProcess:
    process = multiprocessing.get_context("fork").Process(target=func)
    process.start()
    return process


def _be_task(  # noqa: PLR0917 - in mrjob's order
    job: PagekinJob,
    words: list[str],
    shares: Sequence[Share] | None,
    stdin: IO[bytes],
    stdout: IO[bytes],
    stderr: IO[bytes],
    wd: str,
    env: dict[str, str],
) -> None:
    """In the child: all that a program of its own would find, and then the task.

    A reducer reads its shares, and nothing from its standard input.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(wd)
    os.environ.clear()
    os.environ.update(env)
    sys.argv = [inspect.getfile(type(job)), *words]
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
    if shares is not None:
        job.lines = merged_lines(shares)
    job.execute()
    out.flush()


def _run_and_sort(
    run: Callable[[], None], made: Path, program: Sequence[str], folder: Path
) -> None:
    """In the child: a map task, and then its output is sorted, by a program that ends with it."""
    run()
    signal.signal(signal.SIGTERM, _end)
    sort_lines(made, program, folder)


def _end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)


def _ending(code: int) -> str:
    """How a child ended, in words."""
    return f"ended with code {code}" if code > 0 else f"was killed by {signal.Signals(-code).name}"
