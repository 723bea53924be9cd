"""What Hadoop streaming does with a step, by itself: real processes over real files, no cluster.

The arguments are those that mrjob submits. Mappers and reducers run as their commands say, each in
a folder of its own with the files and unpacked archives that the step names; between them records
are partitioned by a hash of the key, sorted as bytes, and get the tab that streaming puts behind a
key of two fields. Where a user meets a difference between engines, this does as Hadoop does:

- the last `-D` of a name counts, and a step with reducers but no reduce command sorts all the same;
- every reducer runs, also one that gets no records; a large input is cut for two mappers;
- a task that fails is tried again in a fresh folder, and what it wrote before is gone.
"""

from __future__ import annotations

import os
import shlex
import subprocess
import tarfile
import threading
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["Streaming", "TaskFailedError", "parse_step", "run_streaming"]

_SPLIT = 128 << 10  # bytes: a larger file has two mappers
_AT_ONCE = 2
_TRIES = 2  # Hadoop's own default is 4

# Options with a value; others are not known, so that a test fails and not guesses.
_IGNORED = {"-partitioner"}
_LISTS = {"-files", "-archives"}


class TaskFailedError(Exception):
    """A task failed as often as it may."""

    def __init__(self, attempt: str, stderr: str) -> None:
        super().__init__(attempt)
        self.attempt, self.stderr = attempt, stderr


@dataclass
class Streaming:
    """A step, read from its arguments."""

    inputs: list[str] = field(default_factory=list)
    output: str = ""
    mapper: str = ""
    reducer: str = ""
    combiner: str = ""
    files: dict[str, str] = field(default_factory=dict)  # name in a task's folder -> address
    archives: dict[str, str] = field(default_factory=dict)
    conf: dict[str, str] = field(default_factory=dict)

    def number(self, name: str, default: int) -> int:
        return int(self.conf.get(name, default))


def parse_step(arguments: Sequence[str]) -> Streaming:
    """The step that `hadoop-streaming` and these arguments mean."""
    words = iter(arguments)
    assert "hadoop-streaming" == next(words)
    step = Streaming()
    for word in words:
        value = next(words)
        if word == "-input":
            step.inputs.append(value)
        elif word == "-D":
            name, _, setting = value.partition("=")
            step.conf[name] = setting
        elif word in _LISTS:
            named = dict(reversed(uri.rsplit("#", 1)) for uri in value.split(","))  # type: ignore[misc]
            getattr(step, word[1:]).update(named)
        elif word not in _IGNORED:
            assert word in {"-output", "-mapper", "-reducer", "-combiner"}, f"{word} is not known"
            setattr(step, word[1:], value)
    assert not step.combiner, "no job of ours has a combiner"
    return step


def run_streaming(  # noqa: PLR0917
    step: Streaming,
    inputs: Iterable[Path],
    fetched: dict[str, Path],
    folder: Path,
    environment: dict[str, str],
    stopped: Callable[[], bool] = lambda: False,
) -> list[Path]:
    """Run all tasks; gives the part files. `fetched` are files and archives by their names."""
    tasks = _Tasks(step, fetched, folder, environment, stopped)
    splits = [split for path in inputs for split in _splits(path, folder)]
    reducers = step.number("mapreduce.job.reduces", 1)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        mapped = list(pool.map(tasks.map, range(len(splits)), splits))
        if not reducers:
            return mapped
        shuffled = _shuffle(
            mapped, reducers, folder, step.number("stream.num.map.output.key.fields", 1)
        )
        return list(pool.map(tasks.reduce, range(reducers), shuffled))


def _splits(path: Path, folder: Path) -> Iterator[Path]:
    size = path.stat().st_size
    if size <= _SPLIT:
        yield path
        return
    data = path.read_bytes()
    middle = data.find(b"\n", size // 2) + 1
    for number, piece in enumerate((data[:middle], data[middle:])):
        half = folder / f"{path.parent.name}-{path.name}-{number}"
        half.write_bytes(piece)
        yield half


def _shuffle(mapped: list[Path], reducers: int, folder: Path, fields: int) -> list[Path]:
    """Each record to the reducer of its key, in the order of bytes."""
    parts: list[list[bytes]] = [[] for _ in range(reducers)]
    for path in mapped:
        for line in path.read_bytes().removesuffix(b"\n").split(b"\n"):
            if not line:  # of a mapper that wrote nothing
                continue
            parts[zlib.crc32(line.partition(b"\t")[0]) % reducers].append(line)
    return [_sorted(part, folder / f"shuffled-{k}", fields) for k, part in enumerate(parts)]


def _sorted(lines: list[bytes], path: Path, fields: int) -> Path:
    behind = b"\t\n" if fields > 1 else b"\n"  # key, tab, and a value of nothing
    unsorted = path.with_suffix(".unsorted")
    unsorted.write_bytes(b"".join(line + b"\n" for line in lines))
    command = ["sort", "-o", str(path), str(unsorted)]
    subprocess.run(command, env={**os.environ, "LC_ALL": "C"}, check=True)
    path.write_bytes(path.read_bytes().replace(b"\n", behind))
    return path


@dataclass
class _Tasks:
    step: Streaming
    fetched: dict[str, Path]
    folder: Path
    environment: dict[str, str]
    stopped: Callable[[], bool]
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def map(self, number: int, split: Path) -> Path:
        return self._run("m", number, self.step.mapper, split)

    def reduce(self, number: int, records: Path) -> Path:
        return self._run("r", number, self.step.reducer or "cat", records)

    def _run(self, kind: str, number: int, command: str, stdin: Path) -> Path:
        for again in range(_TRIES):
            attempt = f"attempt_1_0001_{kind}_{number:06d}_{again}"
            code = self._attempt(attempt, command, stdin, kind)
            out = self.folder / attempt / "stdout"
            if not code:
                return out
        raise TaskFailedError(
            attempt, (self.folder / attempt / "stderr").read_text("utf-8", "replace")
        )

    def _attempt(self, attempt: str, command: str, stdin: Path, kind: str) -> int:
        logs = self.folder / attempt
        work = logs / "work"
        work.mkdir(parents=True)
        self._furnish(work)
        environment = {
            **self.environment,
            "PWD": str(work),
            "mapreduce_task_attempt_id": attempt,
            "mapreduce_task_is_map": str(kind == "m").lower(),
            **({"mapreduce_map_input_file": str(stdin)} if kind == "m" else {}),
        }
        with (
            stdin.open("rb") as given,
            (logs / "stdout").open("wb") as out,
            (logs / "stderr").open("wb") as err,
            subprocess.Popen(
                shlex.split(command), cwd=work, env=environment, stdin=given, stdout=out, stderr=err
            ) as process,
        ):
            while True:
                try:
                    return process.wait(0.2)
                except subprocess.TimeoutExpired:
                    if self.stopped():
                        process.kill()

    def _furnish(self, work: Path) -> None:
        """Files and archives as the distributed cache shows them: links to what a node has once."""
        for name in self.step.files:
            (work / name).symlink_to(self.fetched[name])
        for name in self.step.archives:
            (work / name).symlink_to(self._unpacked(name))

    def _unpacked(self, name: str) -> Path:
        with self._lock:
            place = self.folder / "cache" / name
            if not place.exists():
                with tarfile.open(self.fetched[name]) as tar:
                    tar.extractall(place, filter="data")
            return place
