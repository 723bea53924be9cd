"""Tasks in several processes: all are done, and errors come out."""

from __future__ import annotations

import os

import pytest

from pagekin.errors import StageError, UsageError
from pagekin.sweep.judging_tasks import run_tasks


def double(number: int) -> tuple[int, int]:
    return 2 * number, os.getpid()


def refuse(number: int) -> int:
    raise UsageError(f"{number} is wrong")


def vanish(number: int) -> int:
    os._exit(9)


def test_one_process():
    """One task, or a width of 1, needs no other process."""
    here = os.getpid()
    assert [(2, here), (4, here)] == list(run_tasks(double, [1, 2], 1))
    assert [(6, here)] == list(run_tasks(double, [3], 8))
    assert [] == list(run_tasks(double, [], 8))


def test_two_processes():
    """The results of all tasks, from other processes, in any order."""
    found = sorted(run_tasks(double, [1, 2, 3], 2))
    assert [2, 4, 6] == [number for number, _ in found]
    assert os.getpid() not in {pid for _, pid in found}


def test_errors():
    """An error of a task is an error here; a process that dies is told in a sentence."""
    with pytest.raises(UsageError, match="is wrong"):
        list(run_tasks(refuse, [1, 2], 2))
    with pytest.raises(StageError, match="a process of the sweep was killed"):
        list(run_tasks(vanish, [1, 2], 2))
