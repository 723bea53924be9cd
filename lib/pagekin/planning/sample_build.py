"""The stages of a build over a sample, with everything counted on the way.

A real build in a workspace of its own: only how a job is run is replaced. Map and reduce are each
one task in a process of its own, as on a cluster; between them lies the sorted map output in a
file, where its bytes and its largest keys are seen. A task without input shows what it costs to
begin one.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import zlib
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, NamedTuple, cast

from pagekin.build.chain import Build
from pagekin.config import BuildConfig
from pagekin.counters import TaskStatistics
from pagekin.engine.run import Engine, job_class
from pagekin.errors import StageError
from pagekin.kinds import STATISTICS
from pagekin.stages.chain import STAGES, maker_of, stage_of
from pagekin.stages.declaration import Stage
from pagekin.storage.part_files import last_line, part_files, read_records
from pagekin.storage.workspace import Workspace
from pagekin.web.sources import Source

__all__ = ["HotKey", "SampleBuild", "StageUse", "TaskUse", "build_sample"]

_HOTTEST = 5  # keys that are remembered
_LOG_LINES = 8  # of a task that failed, in the message
_BAG = re.compile(rb"([01]) \d+ (\d+) \d+ ")  # crawled, anchors, pages, hosts
_WORD = re.compile(rb"[a-z]+(?= )")


@dataclass
class TaskUse:
    """What a task used."""

    cpu: float = 0.0  # seconds
    wall: float = 0.0  # seconds, with those in which Python starts
    start: float = 0.0  # seconds of CPU that one without input uses, where that was measured
    idle_wall: float = 0.0  # seconds, of one without input
    memory: int = 0  # bytes, the most
    idle_memory: int = 0  # bytes, of one without input

    def add(self, other: TaskUse) -> None:
        """Add a task that runs behind this one."""
        for name in ("cpu", "wall", "start", "idle_wall"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.memory = max(self.memory, other.memory)
        self.idle_memory = max(self.idle_memory, other.idle_memory)


class HotKey(NamedTuple):
    """A key whose records go to one reducer together."""

    key: str
    records: int
    bytes: int


@dataclass
class StageUse:
    """What one stage used and made of the sample."""

    name: str
    reads: str
    input_bytes: int
    map: TaskUse
    cuts_files: bool = False  # large files of the snapshot are read by several tasks
    reduce: TaskUse | None = None
    sort_cpu: float = 0.0
    shuffle_records: int = 0
    shuffle_bytes: int = 0
    shuffle_packed: int = 0  # bytes at zlib level 1
    output_records: int = 0
    output_bytes: int = 0
    kinds: dict[str, int] = field(default_factory=dict)  # of records of the output
    hottest: list[HotKey] = field(default_factory=list)
    shards: Callable[[int], int] | None = None  # by documents, where keys are shards
    linked: dict[int, int] = field(default_factory=dict)  # linking pages -> URLs with so many

    def add_round(self, other: StageUse) -> None:
        """Add what the next round of the stage used; of each key its hottest round counts."""
        self.map.add(other.map)
        if self.reduce and other.reduce:
            self.reduce.add(other.reduce)
        self.sort_cpu += other.sort_cpu
        self.shuffle_records += other.shuffle_records
        self.shuffle_bytes += other.shuffle_bytes
        self.shuffle_packed += other.shuffle_packed
        by_bytes = sorted([*self.hottest, *other.hottest], key=lambda hot: hot.bytes)
        hottest = {hot.key: hot for hot in by_bytes}.values()
        self.hottest = nlargest(_HOTTEST, hottest, key=lambda hot: hot.bytes)

    def count_shuffle(self, path: Path) -> None:
        """Count records and bytes, raw and packed, and find the keys with most of them."""
        packer = zlib.compressobj(1)
        groups: list[tuple[int, int, bytes]] = []
        for key, pairs in groupby(read_records(path), key=itemgetter(0)):
            records = size = 0
            for pair in pairs:
                line = b"%b\t%b\n" % pair
                records, size = records + 1, size + len(line)
                self.shuffle_packed += len(packer.compress(line))
            self.shuffle_records += records
            self.shuffle_bytes += size
            groups.append((size, records, key))
            if len(groups) > 1 << 12:
                groups = nlargest(_HOTTEST, groups)
        self.shuffle_packed += len(packer.flush())
        self.hottest = [
            HotKey(key.decode("utf-8", "backslashreplace"), records, size)
            for size, records, key in nlargest(_HOTTEST, groups)
        ]

    def count_output(self, folder: Path) -> None:
        """Count the records and their kinds."""
        for key, value in (pair for path in part_files(folder) for pair in read_records(path)):
            self.output_records += 1
            self.output_bytes += len(key) + len(value) + 2
            kind = _kind(key, value)
            self.kinds[kind] = self.kinds.get(kind, 0) + 1
            if kind in {"linked", "read and linked"} and (bag := _BAG.match(value)):
                pages = int(bag[2])
                self.linked[pages] = self.linked.get(pages, 0) + 1


def _kind(key: bytes, value: bytes) -> str:
    """What people would call a record: stages have others."""
    if key.startswith(b"!"):
        return key[1:].partition(b"/")[0].decode()
    if bag := _BAG.match(value):
        read, linked = bag[1] == b"1", bag[2] != b"0"
        return ("read and linked" if linked else "read") if read else "linked"
    word = _WORD.match(value)
    return word[0].decode() if word else "records"


@dataclass
class SampleBuild:
    """All stages over one part of the sample."""

    stages: list[StageUse]
    pages: int  # that were read
    index_bytes: int
    index_seconds: float  # to put the index together, behind the last stage
    documents: int

    @property
    def busy(self) -> float:
        """How many times the CPU time of its tasks they took: above 1 where others work, too.

        To be asked of a build with measured starts.
        """
        tasks = [task for use in self.stages for task in (use.map, use.reduce) if task]
        cpu = sum(task.cpu - task.start for task in tasks)
        wall = sum(max(task.wall - task.idle_wall, 0.0) for task in tasks)
        return max(1.0, wall / cpu) if cpu > 0 else 1.0


def build_sample(
    config: BuildConfig,
    parts: Collection[str],
    files: list[Source],
    folder: Path,
    report: Callable[[str], None],
    *,
    share: float,
    starts: bool,
) -> SampleBuild:
    """Build the files of a sample that is so large a part of the snapshot; `starts`: also measure
    tasks without input. `report` is told of each stage.
    """
    meter = _Meter(config, report, starts=starts)
    build = Build(
        Workspace.create(folder / "work"),
        config,
        Engine("inline"),
        files,
        max_failed_files=len(files),
        quiet=True,
        index=folder / "index",
        parts=parts,
        share=share,
        runs=meter,
    )
    summary = build.run()
    for name in build.workspace.passes():
        stage = next(stage for stage in meter.stages if stage.name == name.partition(".")[0])
        stage.count_output(build.workspace.stage_path(name))  # type: ignore[union-attr]
    written = {stage.name: stage.output_bytes for stage in meter.stages}
    for stage in meter.stages:  # without the statistics of tasks, of which there are more or fewer
        stage.input_bytes = written.get(stage.reads, stage.input_bytes)
    counters = [stage["counters"] for stage in summary["stages"]]
    pages = max((c.get("records", {}).get("used", 0) for c in counters), default=0)
    index = summary.get("index", {})
    size, seconds = index.get("bytes", 0), index.get("seconds", 0.0)
    return SampleBuild(meter.stages, pages, size, seconds, index.get("documents", 0))


class _Meter:
    """Runs jobs in place of mrjob."""

    def __init__(self, config: BuildConfig, report: Callable[[str], None], *, starts: bool) -> None:
        self._config, self._report, self._starts = config, report, starts
        self.stages: list[StageUse] = []

    def __call__(  # noqa: PLR0917 - as the function whose place it takes
        self,
        job: str,
        engine: Engine,
        options: list[str],
        inputs: Sequence[str],
        made: Path,
        remote: str = "",
    ) -> tuple[float, float]:
        stage = next(stage for stage in STAGES if stage.job == job)
        if "--round=1" in options or not stage.rounds:
            self._report(stage.name)
        began = time.monotonic()
        reduces, output = bool(stage.shuffles), made / "output"
        output.mkdir()
        part = output / "part-00000"
        size = sum(Path(path).stat().st_size for path in inputs)
        mapped = made / "mapped" if reduces else part
        map_use = self._task(stage, options, "--mapper", list(map(Path, inputs)), mapped)
        kinds = stage.reads_in(self._config)
        reads = stage_of(maker_of(kinds[0])).name if kinds else ""
        cuts = stage.cut_by is not None and self._config.reading.resolve
        use = StageUse(stage.name, reads, size, map_use, cuts, shards=self._shards(stage))
        if reduces:
            statistics = _statistics(mapped)
            # the reducer is to report itself alone
            os.truncate(mapped, mapped.stat().st_size - len(last_line(mapped)) - 1)
            use.sort_cpu = _sort(mapped, made / "sorted")
            mapped.unlink()
            use.count_shuffle(made / "sorted")
            use.reduce = self._task(stage, options, "--reducer", [made / "sorted"], part)
            _merge_statistics(statistics, part)
        if stage.rounds and any(before.name == use.name for before in self.stages):
            self.stages[-1].add_round(use)
        else:
            self.stages.append(use)
        return time.monotonic() - began, 0.0

    def _shards(self, stage: Stage) -> Callable[[int], int] | None:
        def shards(documents: int) -> int:
            return stage.settle(self._config, documents, 1.0).index.shards

        return shards if shards(1) != self._config.index.shards else None

    def _task(
        self, stage: Stage, options: list[str], kind: str, inputs: list[Path], output: Path
    ) -> TaskUse:
        idle = TaskUse()
        if self._starts:
            nothing = output.with_name("nothing")
            idle = _run_task(stage, options, kind, [], nothing)
            nothing.unlink()
        task = _run_task(stage, options, kind, inputs, output)
        task.start, task.idle_wall, task.idle_memory = idle.cpu, idle.wall, idle.memory
        return task


def _run_task(
    stage: Stage, options: list[str], kind: str, inputs: list[Path], output: Path
) -> TaskUse:
    """Run a task in a process of its own, as the engines do, and read its statistics."""
    words = [sys.executable, job_class(stage.job).mr_job_script(), kind, "--step-num=0", *options]
    log = output.with_name("log")
    began = time.monotonic()
    with output.open("wb") as out, log.open("wb") as err:
        process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=out, stderr=err)
        with process, contextlib.suppress(BrokenPipeError), cast(IO[bytes], process.stdin) as to:
            for path in inputs:
                with path.open("rb") as source:
                    shutil.copyfileobj(source, to)
    wall = time.monotonic() - began
    if process.returncode:
        last = log.read_text("utf-8", "replace").strip().splitlines()[-_LOG_LINES:]
        raise StageError(f"stage {stage.name} failed on the sample:", *last)
    log.unlink()
    statistics = json.loads(_statistics(output))
    return TaskUse(statistics["cpu"], wall, memory=statistics["memory"])


def _statistics(path: Path) -> bytes:
    """The value of a task's last line."""
    return last_line(path).partition(b"\t")[2]


def _merge_statistics(of_map: bytes, part: Path) -> None:
    """Add the mapper's statistics to the reducer's last line, as a reducer does in a build."""
    total = TaskStatistics()
    total.merge(of_map, output=False)
    total.merge(_statistics(part), output=True)
    with part.open("r+b") as file:
        file.truncate(part.stat().st_size - len(last_line(part)) - 1)
    with part.open("ab") as file:
        file.write(b"%b\t%b\n" % (STATISTICS, total.to_json()))


def _sort(source: Path, target: Path) -> float:
    """As the shuffle does; gives the CPU seconds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    words = ["sort", "-S", "256M", "-T", str(target.parent), "-o", str(target), str(source)]
    subprocess.run(words, check=True, env={**os.environ, "LC_ALL": "C"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
