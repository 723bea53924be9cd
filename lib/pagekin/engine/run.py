"""Runs a job on one of mrjob's runners, and reads what its tasks say of themselves."""

from __future__ import annotations

import errno
import logging
import os
import resource
import time
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from mrjob.step import StepFailedException
from mrjob.util import to_lines

from pagekin.counters import TaskStatistics
from pagekin.engine import ON_THIS_MACHINE
from pagekin.engine.job import PagekinJob
from pagekin.engine.local.shuffle import SORT, sorting
from pagekin.engine.plain_paths import plain_paths
from pagekin.errors import NO_ROOM, PagekinError, StageError, full_disk
from pagekin.kinds import STATISTICS
from pagekin.printing import PrintableLog
from pagekin.stages.declaration import load_named
from pagekin.storage.part_files import last_line, part_files
from pagekin.storage.stores import is_remote

if TYPE_CHECKING:
    from pagekin.engine.emr.runner import Cluster

__all__ = [
    "Engine",
    "JobResult",
    "collect_result",
    "job_class",
    "listening",
    "one_cluster",
    "run_job",
]

_LAST_WORDS = 30  # lines of the runner's log that a failure shows
# Bytes of input for which another core is worth what its tasks load and learn anew: 0.2 s of CPU
# where pages are read. A compressed snapshot of so much takes a second to read.
_PER_CORE = 1 << 20


@dataclass(frozen=True)
class Engine:
    """Where and how wide to run."""

    runner: str = "local"
    conf: Path | None = None
    tasks: int = 0  # tasks at once; 0: one for each core
    verbose: bool = False
    package: Path | None = None  # the dependencies, for nodes that have none
    cluster: Cluster | None = None  # on EMR: that of the chain

    @property
    def width(self) -> int:
        return self.tasks or os.cpu_count() or 1

    def fitting(self, size: int) -> Engine:
        """For an input of so many bytes; where --tasks is given it is obeyed."""
        if self.runner != "local" or self.tasks:
            return self
        return replace(self, tasks=min(self.width, 1 + size // _PER_CORE))

    def arguments(self, made: str, output: str) -> list[str]:
        """mrjob's arguments for a job that writes to `output`."""
        words = ["-r", self.runner, "--no-cat-output"]
        words += ["-c", str(self.conf)] if self.conf else []
        if self.runner in ON_THIS_MACHINE:
            words += ["--output-dir", output, "--local-tmp-dir", made]
            words += [] if self.conf else ["--no-conf"]
        elif is_remote(output):
            words += ["--output-dir", output]
        if self.runner == "local":
            # mrjob is installed here; shipping it would cost each task 0.1 s and a lock file
            words += ["--num-cores", str(self.width), "--no-bootstrap-mrjob"]
        if self.package:
            from pagekin.engine.package import package_words  # noqa: PLC0415 - few jobs have one

            words += package_words(self.package)
        if self.runner == "emr":
            # mrjob would wait ten minutes for logs after each step, and needs nothing out of them
            words += ["--no-read-logs"]
            words += ["--cluster-id", self.cluster.identity] if self.cluster else []
        return words


@dataclass
class JobResult:
    """What came out of a job."""

    counters: dict[str, dict[str, int]]
    digest: str
    records: int
    bytes: int
    kinds: dict[str, dict[str, int | str]]  # the last three, of each kind of record
    tasks: int
    task_cpu_seconds: float
    peak_memory: int
    notes: list[str]
    read: int  # records, by mappers
    sent: int  # records, by mappers to reducers
    received: int  # records, by reducers
    versions: dict[str, list[str]]  # of libraries, where tasks did not run on this machine
    seconds: float = 0.0
    cpu_seconds: float = 0.0


def run_job(  # noqa: PLR0917 - a job, and where it is to run
    job: str,
    engine: Engine,
    options: list[str],
    inputs: Sequence[Path | str],
    made: Path,
    remote: str = "",
) -> tuple[float, float]:
    """Run a job, `module:Class` below pagekin.jobs; gives wall and CPU seconds.

    Its part files are in `made`/output, or stay at a remote address where one is named.
    """
    output = made / "output"
    began, cpu = time.monotonic(), _cpu_seconds()
    with (
        one_cluster(engine) as on,
        listening(engine.verbose) as last_words,
        plain_paths() as plain,
    ):
        try:
            told = replace(on, package=on.package and Path(plain(on.package)))
            words = told.arguments(plain(made), remote or f"{plain(made)}/{output.name}")
            words += map(plain, [*options, *inputs])
            with job_class(job)(words).make_runner() as runner:
                runner.run()
                if engine.runner not in ON_THIS_MACHINE and not remote:
                    _fetch(runner, output)
        except Exception as error:
            if engine.runner == "inline" and not isinstance(error, PagekinError):
                last_words.extend("".join(traceback.format_exception(error)).splitlines())
            shown = on.cluster.why_failed() if on.cluster else []
            sentence, *more = _failure(error, shown or last_words, made)
            stage = job.partition(":")[0]
            raise StageError(f"stage {stage} failed: {sentence}", *more) from error
    return time.monotonic() - began, _cpu_seconds() - cpu


@contextmanager
def one_cluster(engine: Engine, say: Callable[[str], None] = lambda said: None) -> Iterator[Engine]:
    """On EMR an engine with a cluster for all jobs within, made for the first; else as it is."""
    if engine.runner != "emr" or engine.cluster:
        yield engine
        return
    from pagekin.engine.emr.runner import Cluster, telling_states  # noqa: PLC0415 - boto3 takes 0.3 s

    with telling_states(say), closing(Cluster(engine.conf, say)) as cluster:
        yield replace(engine, cluster=cluster)


def job_class(job: str) -> type[PagekinJob]:
    """The class of a job, `module:Class` below pagekin.jobs."""
    return cast(type[PagekinJob], load_named(f"jobs.{job}"))


def _fetch(runner: Any, output: Path) -> None:
    """Bring the output of a cluster here, sorted as the part files of this machine are."""
    output.mkdir()
    total = TaskStatistics()
    with sorting(output / "part-00000", SORT, output) as lines:
        for line in to_lines(runner.cat_output()):
            key, _, value = line.partition(b"\t")
            if key == STATISTICS:
                total.merge(value, output=True)
            else:
                lines.write(line)
    if total.tasks:
        with (output / "part-00000").open("ab") as out:
            out.write(b"%b\t%b\n" % (STATISTICS, total.to_json()))


def _cpu_seconds() -> float:
    """Of this process and of all its children that have ended."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


class _LastWords(logging.Handler):
    """Keeps the end of mrjob's log, which says why a task failed."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: deque[str] = deque(maxlen=_LAST_WORDS)

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR:
            self.lines.extend(record.getMessage().rstrip().splitlines())


@contextmanager
def listening(verbose: bool) -> Iterator[deque[str]]:
    """Keep what mrjob says to ourselves: gives the last of its errors."""
    log, handler = logging.getLogger("mrjob"), _LastWords()
    shown = logging.StreamHandler()
    shown.setFormatter(PrintableLog())
    handlers: list[logging.Handler] = [handler, *([shown] if verbose else [])]
    level, log.level = log.level, logging.INFO
    propagate, log.propagate = log.propagate, False
    for each in handlers:
        log.addHandler(each)
    try:
        yield handler.lines
    finally:
        for each in handlers:
            log.removeHandler(each)
        log.level, log.propagate = level, propagate


def _failure(error: Exception, last_words: Iterable[str], made: Path) -> list[str]:
    """A sentence, and the last words."""
    if isinstance(error, OSError) and error.errno in NO_ROOM:
        return [full_disk(made)]
    shown = list(last_words)
    # the words of the command that mrjob ran say less than what the task said
    told = isinstance(error, StepFailedException) and shown
    cause = "a task failed" if told else f"{type(error).__name__}: {error}"
    if any(os.strerror(errno.ENOSPC) in line for line in shown):
        cause = f"{cause}, and a disk where it ran is full"
    return [cause, *shown]


def collect_result(folder: Path) -> JobResult:
    """Add up what the tasks wrote at the end of their part files."""
    total = TaskStatistics()
    for path in part_files(folder):
        if statistics := _statistics_of(path):
            total.merge(statistics, output=True)
    all_kinds = total.total()
    return JobResult(
        total.counters.as_dict(),
        str(all_kinds.as_dict()["digest"]),
        all_kinds.records,
        all_kinds.bytes,
        {name: count.as_dict() for name, count in sorted(total.written.items())},
        total.tasks,
        round(total.cpu, 3),
        total.memory,
        total.counters.notes,
        total.read,
        total.sent,
        total.received,
        total.versions,
    )


def _statistics_of(path: Path) -> bytes:
    """The statistics at the end of a part file; none in an empty one."""
    key, _, value = last_line(path).partition(b"\t")
    if not (key == STATISTICS and value) and path.stat().st_size:
        raise StageError(f"{path.name} ends without its task's statistics: it is not whole")
    return value
