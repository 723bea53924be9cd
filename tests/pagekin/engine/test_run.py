"""What is fetched from a cluster, and what tasks say at the end of their part files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pagekin.counters import TaskStatistics
from pagekin.engine import run as module
from pagekin.engine.run import collect_result
from pagekin.errors import StageError
from pagekin.kinds import STATISTICS, Pair


def output_of(*pairs: Pair, name: str = "mapped") -> bytes:
    """What a task writes."""
    statistics = TaskStatistics()
    statistics.counters.add("lines", name, len(pairs))
    lines = [*statistics.noted(pairs), (STATISTICS, statistics.finish())]
    return b"".join(b"%b\t%b\n" % line for line in lines)


TASKS = [output_of((b"b", b"1"), (b"d", b"2")), output_of((b"a", b"3")), output_of()]


class Cluster:
    """A runner whose tasks are done."""

    def __init__(self, *parts: bytes) -> None:
        self._parts = parts

    def cat_output(self) -> Any:
        yield from self._parts


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The part files of tasks that ran on this machine."""
    folder = tmp_path / "here"
    folder.mkdir()
    for number, part in enumerate(TASKS):
        (folder / f"part-{number:05d}").write_bytes(part)
    return folder


def fetched(folder: Path, *parts: bytes) -> Path:
    module._fetch(Cluster(*parts), folder / "fetched")
    return folder / "fetched"


def test_fetched_output(tmp_path):
    """Records of all tasks are sorted into one file, behind them one line of statistics."""
    lines = (fetched(tmp_path, *TASKS) / "part-00000").read_bytes().splitlines()
    *records, last = lines
    assert [b"a\t3", b"b\t1", b"d\t2"] == records
    said = json.loads(last.removeprefix(STATISTICS + b"\t"))
    assert (3, 3, {"lines": {"mapped": 3}}) == (
        said["written"]["records"]["records"],
        said["tasks"],
        said["counters"],
    )


def test_fetched_result(tmp_path, here):
    """Fetched from a cluster or made here, a stage has the same result, CPU time included."""
    assert collect_result(here) == collect_result(fetched(tmp_path, *TASKS))


def test_empty_parts(tmp_path, here):
    """A part file of no bytes is that of a task that had nothing to say."""
    before = collect_result(here)
    (here / "part-00007").touch()
    assert before == collect_result(here) == collect_result(fetched(tmp_path, b"", *TASKS, b""))


def test_nothing_fetched(tmp_path):
    """A cluster that ran no task gives an empty result, and not that of a task."""
    folder = fetched(tmp_path)
    assert b"" == (folder / "part-00000").read_bytes()
    assert (0, 0) == (collect_result(folder).tasks, collect_result(folder).records)


@pytest.mark.parametrize("text", [b"a\t1\n", b"!tas", b"!task"])
def test_part_that_is_not_whole(here, text):
    """A part file without statistics is not whole."""
    (here / "part-00001").write_bytes(text)
    with pytest.raises(StageError, match="part-00001 ends without its task's statistics"):
        collect_result(here)


def test_records_without_statistics(tmp_path):
    """Nor is what was fetched."""
    with pytest.raises(StageError, match="part-00000 ends without its task's statistics"):
        collect_result(fetched(tmp_path, b"a\t1\n"))


def test_long_statistics(tmp_path):
    """Statistics with many notes are read whole."""
    statistics = TaskStatistics()
    statistics.counters.note(*(f"file {number} cannot be read" for number in range(5000)))
    (tmp_path / "part-00000").write_bytes(b"!task\t%b\n" % statistics.finish())
    assert statistics.counters.notes == collect_result(tmp_path).notes


def test_cpu_of_this_process():
    """What is merged says nothing of the process that merged it."""
    task, total = TaskStatistics(), TaskStatistics(began=-1000.0)
    task.cpu = 1.5
    said = task.to_json()
    total.merge(said, output=True)
    assert said == total.to_json()
    assert json.loads(total.finish())["cpu"] > 1000
