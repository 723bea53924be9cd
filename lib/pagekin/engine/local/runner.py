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
import shutil
import signal
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from typing import IO, Any, BinaryIO

from mrjob.local import LocalMRJobRunner, _TaskFailedException

from pagekin.engine.job import PagekinJob, load
from pagekin.engine.local import cutting
from pagekin.engine.local.beside import Slots, ending, hear, signals_waiting
from pagekin.engine.local.cutting import CutsInput
from pagekin.engine.local.shuffle import SORT, cut_keys, merged_lines, sort_lines, write_sorted
from pagekin.memory import give_back_freed
from pagekin.storage.part_files import Piece, lines_of

__all__ = ["LocalRunner"]

_BUFFER = 1 << 20  # bytes
_BESIDE = 8  # times as much is worth a task beside another chain
_DONE = b"."  # what a task says when all that it makes is written
Running = dict[int, tuple[BaseProcess, tuple[str, int, int]]]  # by where they say so
_log = logging.getLogger("mrjob.local")  # where a build listens


class LocalRunner(CutsInput, LocalMRJobRunner):  # type: ignore[misc]
    """Behaves as mrjob's own."""

    _local_tmp_dir: str | None  # mrjob's

    def __init__(self, mrjob_cls: type[PagekinJob], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.deal_for(mrjob_cls)
        self._job = mrjob_cls
        self._tasks: dict[str, tuple[PagekinJob, list[str]]] = {}  # by kind: ready to be forked
        self._made = ("", 0, 0)  # kind, step and number of the task that was made last
        self._shares: dict[tuple[str, int], list[Piece]] = {}  # what a task of a kind reads
        self._cut: list[list[Piece]] = []  # between map and reduce: shares of what was sorted
        self.meanwhile: Iterator[str] = iter(())  # what to load while the last tasks run
        self.slots: Slots | None = None  # where another chain goes first
        self._ending: list[BaseProcess] = []  # have done their work, and give their memory back

    def _forks(self) -> bool:
        needs_python = ("setup", "py_files", "python_bin", "task_python_bin")
        return sys.platform == "linux" and not any(self._opts.get(name) for name in needs_python)

    def _bootstrap_mrjob(self) -> bool:
        return not self._forks() and bool(super()._bootstrap_mrjob())

    def _least(self) -> int:
        # where another chain has use for the cores, tasks are no gain, and cost what they cost
        return cutting.LEAST * (_BESIDE if self.slots else 1)

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
        lines = None
        if (share := self._shares.get((task_type, task_num))) is not None:
            lines = partial(merged_lines if task_type == "reducer" else lines_of, share)
        return partial(_be_task, *self._tasks[task_type], lines)

    def _write_input(
        self, task_type: str, step_num: int, task_num: int, pieces: Sequence[Piece]
    ) -> None:
        """Nothing is copied: a task reads its pieces where they are."""
        if not self._forks():
            super()._write_input(task_type, step_num, task_num, pieces)
            return
        path = Path(self._task_input_path(task_type, step_num, task_num))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()  # mrjob opens it
        # tasks are elsewhere
        absolute = [piece._replace(path=piece.path.absolute()) for piece in pieces]
        self._shares[task_type, task_num] = absolute

    # --- what lies between map and reduce ---

    def _run_mapper_and_combiner_func(self, step_num: int, task_num: int, split: Any) -> Any:
        run = super()._run_mapper_and_combiner_func(step_num, task_num, split)
        if not self._forks() or "reducer" not in self._get_step(step_num):
            return run
        made = Path(self._task_output_path("mapper", step_num, task_num)).absolute()
        program, folder = self._opts["sort_bin"] or SORT, Path(self._get_local_tmp_dir())
        sort = partial(sort_lines, made, program, folder.absolute())
        return partial(_run_and_sort, run, self._tasks["mapper"][0], sort)

    def _sort_reducer_input(self, step_num: int, num_map_tasks: int) -> None:
        if not self._forks():
            super()._sort_reducer_input(step_num, num_map_tasks)
            return
        numbers = range(num_map_tasks)
        made = [Path(self._task_output_path("mapper", step_num, number)) for number in numbers]
        total = sum(path.stat().st_size for path in made)
        most = min(cutting.pieces_of(total, self._num_cores()), 1 + total // self._least())
        self._cut = cut_keys(made, most, self._job.WORTH)

    def _split_reducer_input(self, step_num: int) -> int:
        if not self._forks():
            return super()._split_reducer_input(step_num)
        for number, share in enumerate(self._cut):
            self._write_input("reducer", step_num, number, share)
        return len(self._cut)

    # --- processes ---

    def _run_multiple(
        self, funcs: Iterable[Callable[[], None]], num_processes: int | None = None
    ) -> None:
        if not self._forks():
            super()._run_multiple(funcs, num_processes)
            return
        running: Running = {}
        give_back_freed()
        gc.freeze()  # or the collector of each child would touch, and so copy, what all share
        try:
            for func in funcs:
                while not self._may_start(running):
                    self._wait(running, or_leave=len(running) < self._num_cores())
                with signals_waiting():
                    process, said = _fork(func)
                    running[said] = process, self._made
            task_type, step_num, _ = self._made
            is_last = task_type == self._last_task_type_in_step(step_num)
            # Reduce tasks have in memory what is loaded before them: so it is loaded while the last
            # ones run, or where the snapshot is read, which takes long, and they need less by far.
            # Meanwhile nobody looks whether a task has ended.
            if is_last or self._job.READS_FILES:
                self._load_meanwhile()
            while running:
                self._wait(running)
        finally:
            gc.unfreeze()
            for said, (process, _) in running.items():
                process.terminate()
                process.join()
                os.close(said)
            self._give_back(running, len(running))

    def _load_meanwhile(self) -> None:
        """Whoever needs what cannot be loaded will say what is wrong with it."""
        with suppress(Exception):
            for name in self.meanwhile:
                with suppress(Exception):
                    load(name)

    def _may_start(self, running: Running) -> bool:
        """Is there room for one task more, and leave, where it needs leave?"""
        if len(running) >= self._num_cores():
            return False
        return self.slots is None or len(running) < self.slots.own or self.slots.take()

    def _wait(self, running: Running, *, or_leave: bool = False) -> None:
        """Until a task is done, or there may be leave; raises if one ended before it was done."""
        others = [self.slots.fileno()] if self.slots and or_leave else []
        ready = wait([*running, *others])
        for said in [each for each in running if each in ready]:
            self._give_back(running, 1)
            process, (task_type, step_num, task_num) = running.pop(said)
            is_done = os.read(said, 1) == _DONE
            os.close(said)
            self._take_leave(process)
            if not is_done:
                process.join()
                how = ending(process.exitcode or 0)
                _log.error("%s %d %s", task_type, task_num, how)
                raise _TaskFailedException(
                    reason=how,
                    step_num=step_num,
                    num_steps=self._num_steps(),
                    task_type=task_type,
                    task_num=task_num,
                )

    def _give_back(self, running: Running, ended: int) -> None:
        """The leave of tasks that have ended, as far as they had one."""
        if self.slots:
            self.slots.put(min(ended, len(running) - self.slots.own))

    # --- behind the last task ---

    def _take_leave(self, process: BaseProcess) -> None:
        """It is waited for later; each that has ended by now lets go of its descriptors."""
        for other in [each for each in self._ending if not each.is_alive()]:
            self._ending.remove(other)
            other.close()
        self._ending.append(process)

    def cleanup(self, mode: Any = None) -> None:
        """As mrjob does; and wait for processes that are done, or their CPU would not be known."""
        super().cleanup(mode)
        while self._ending:
            process = self._ending.pop()
            process.join()
            process.close()

    def _cleanup_local_tmp(self) -> None:
        """Remove the files between map and reduce while other work goes on: it takes as long as to
        fork two tasks.
        """
        if self._local_tmp_dir:
            folder, self._local_tmp_dir = self._local_tmp_dir, None
            Thread(target=shutil.rmtree, args=(folder,), kwargs={"ignore_errors": True}).start()


def _fork(func: Callable[[], None]) -> tuple[BaseProcess, int]:
    """A process that does it, and a pipe on which it says that it is done.

    To give its memory back takes a process some milliseconds more: meanwhile the next one begins.
    """
    said, say = os.pipe()
    process = multiprocessing.get_context("fork").Process(target=_begin, args=(func, say))
    try:
        process.start()
    except BaseException:
        os.close(said)
        raise
    finally:
        os.close(say)
    return process, said


def _begin(func: Callable[[], None], say: int) -> None:
    """In the child: a signal ends it, without a word."""
    hear(signal.SIG_DFL)
    func()
    os.write(say, _DONE)


def _be_task(  # noqa: PLR0917 - in mrjob's order
    job: PagekinJob,
    words: list[str],
    lines: Callable[[], Iterator[bytes]] | None,
    stdin: IO[bytes],
    stdout: IO[bytes],
    stderr: IO[bytes],
    wd: str,
    env: dict[str, str],
) -> None:
    """In the child: all that a program of its own would find, and then the task.

    With `lines` it reads those, and not its standard input.
    """
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
    if lines is not None:
        job.lines = lines()
    job.execute()
    out.flush()


def _run_and_sort(run: Callable[[], None], job: PagekinJob, sort: Callable[[], None]) -> None:
    """In the child: a map task, and then its output is sorted, by a program that ends with it."""
    few = False

    def write(lines: Iterable[bytes], out: BinaryIO) -> None:
        nonlocal few
        few = write_sorted(lines, job.HELD, out)

    job.write_lines = write
    run()
    if not few:
        signal.signal(signal.SIGTERM, _end)
        sort()


def _end(number: int, frame: object) -> None:
    raise SystemExit(128 + number)
