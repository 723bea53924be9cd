"""The stages of a build over a sample, with everything counted on the way.

A real build in a workspace of its own: only how a job is run is replaced. Map and reduce are each
one task in a process of its own, as on a cluster; between them lies the sorted map output in a
file, where its bytes and its largest keys are seen. A task without input tells what it costs to
begin one.
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from pagekin.build.chain import Build
from pagekin.config import BuildConfig
from pagekin.engine.run import Engine, job_class
from pagekin.engine.statistics import TaskStatistics
from pagekin.errors import StageError
from pagekin.names import TASK_KEY
from pagekin.planning.taken import Taken, Task, look_at_output, look_at_shuffle
from pagekin.stages.chain import Stage
from pagekin.storage.part_files import last_line
from pagekin.storage.workspace import Workspace
from pagekin.web.sources import Source

__all__ = ["Measured", "measure"]

_LAST_WORDS = 8  # lines of a task that failed


@dataclass
class Measured:
    """All stages over one part of the sample."""

    stages: list[Taken]
    counters: dict[str, dict[str, dict[str, int]]]  # by stage
    index_bytes: int = 0
    documents: int = 0

    @property
    def pages(self) -> int:
        """Pages that were read."""
        used = [c.get("records", {}).get("used", 0) for c in self.counters.values()]
        return max(used, default=0)


def measure(
    config: BuildConfig,
    parts: Collection[str],
    files: list[Source],
    folder: Path,
    say: Callable[[str], None],
    *,
    share: float,
    starts: bool,
) -> Measured:
    """Build the files of a sample that is so large a part of the snapshot; `starts`: also measure
    tasks without input.
    """
    meter = _Meter(config, say, starts=starts)
    index = folder / "index"
    build = Build(
        Workspace.create(folder / "work"),
        config,
        Engine("inline"),
        files,
        max_failed_files=len(files),
        quiet=True,
        index=index,
        parts=parts,
        share=share,
        travels=True,
        runs=meter,
    )
    summary = build.run()
    for taken in meter.stages:
        look_at_output(taken, build.workspace.stage_path(taken.name))  # type: ignore[union-attr]
    written = {taken.name: taken.output_bytes for taken in meter.stages}
    for taken in meter.stages:  # without the statistics of tasks, of which there are more or fewer
        taken.input_bytes = written.get(taken.reads, taken.input_bytes)
    made = summary.get("index", {})
    counters = {stage["name"]: stage["counters"] for stage in summary["stages"]}
    return Measured(meter.stages, counters, made.get("bytes", 0), made.get("documents", 0))


class _Meter:
    """Runs jobs in place of mrjob."""

    def __init__(self, config: BuildConfig, say: Callable[[str], None], *, starts: bool) -> None:
        self._config, self._say, self._starts = config, say, starts
        self.stages: list[Taken] = []

    def __call__(  # noqa: PLR0917 - as the function whose place it takes
        self,
        stage: Stage,
        engine: Engine,
        options: list[str],
        inputs: Sequence[str],
        made: Path,
        remote: str = "",
    ) -> tuple[float, float]:
        self._say(stage.name)
        began = time.monotonic()
        job, output = job_class(stage), made / "output"
        output.mkdir()
        part = output / "part-00000"
        size = sum(Path(path).stat().st_size for path in inputs)
        mapped = made / "mapped" if job.REDUCES else part
        taken = Taken(stage.name, stage.reads, size, Task(), shards=self._shards(stage))
        taken.map = self._task(stage, options, "--mapper", list(map(Path, inputs)), mapped)
        if job.REDUCES:
            said = _said(mapped)
            # the reducer is to speak of itself alone
            os.truncate(mapped, mapped.stat().st_size - len(last_line(mapped)) - 1)
            taken.sort_cpu = _sort(mapped, made / "sorted")
            mapped.unlink()
            look_at_shuffle(taken, made / "sorted")
            taken.reduce = self._task(stage, options, "--reducer", [made / "sorted"], part)
            _merge_statistics(said, part)
        self.stages.append(taken)
        return time.monotonic() - began, 0.0

    def _shards(self, stage: Stage) -> Callable[[int], int] | None:
        def shards(documents: int) -> int:
            return stage.settle(self._config, documents).index.shards

        return shards if stage.settle(self._config, 1) != self._config else None

    def _task(
        self, stage: Stage, options: list[str], kind: str, inputs: list[Path], output: Path
    ) -> Task:
        idle = Task()
        if self._starts:
            nothing = output.with_name("nothing")
            idle = _run_task(stage, options, kind, [], nothing)
            nothing.unlink()
        task = _run_task(stage, options, kind, inputs, output)
        task.start, task.idle_memory = idle.cpu, idle.memory
        return task


def _run_task(
    stage: Stage, options: list[str], kind: str, inputs: list[Path], output: Path
) -> Task:
    """Run a task in a process of its own, as the engines do, and read what it says of itself."""
    words = [sys.executable, job_class(stage).mr_job_script(), kind, "--step-num=0", *options]
    log = output.with_name("log")
    with output.open("wb") as out, log.open("wb") as err:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=out, stderr=err)
        with process, contextlib.suppress(BrokenPipeError), cast(IO[bytes], process.stdin) as to:
            for path in inputs:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, to)
    if process.returncode:
        last = log.read_text("utf-8", "replace").strip().splitlines()[-_LAST_WORDS:]
        raise StageError(f"stage {stage.name} failed on the sample:\n  " + "\n  ".join(last))
    log.unlink()
    said = json.loads(_said(output))
    return Task(said["cpu"], memory=said["memory"])


def _said(path: Path) -> bytes:
    return last_line(path).partition(b"\t")[2]


def _merge_statistics(mapped: bytes, part: Path) -> None:
    """Add what the mapper said to the reducer's last line, as a reducer does itself in a build."""
    total = TaskStatistics()
    total.merge(mapped, output=False)
    total.merge(_said(part), output=True)
    with part.open("r+b") as file:
        file.truncate(part.stat().st_size - len(last_line(part)) - 1)
    with part.open("ab") as file:
        file.write(b"%b\t%b\n" % (TASK_KEY, total.said()))


def _sort(source: Path, target: Path) -> float:
    """As the shuffle does; gives the CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["sort", "-S", "256M", "-T", str(target.parent), "-o", str(target), str(source)]
    subprocess.run(words, check=True, env={**os.environ, "LC_ALL": "C"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
