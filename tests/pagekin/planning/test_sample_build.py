"""What is measured of a sample while it is built."""

from __future__ import annotations

import pytest

from pagekin.planning.sample_build import SampleBuild, StageUse, TaskUse


def build(*tasks: TaskUse) -> SampleBuild:
    uses = [StageUse("one", "", 0, task) for task in tasks]
    return SampleBuild(uses, 1, 0, 0.0, 0)


def test_busy():
    """A task that waits for others takes longer than its CPU time; the start of Python, which is
    not in that, is left out."""
    waited = TaskUse(cpu=2.0, wall=7.0, start=0.5, idle_wall=1.0)
    assert 4 == build(waited).busy
    assert pytest.approx((6 + 1) / (1.5 + 1)) == build(waited, TaskUse(cpu=1.0, wall=1.0)).busy


def test_busy_of_nothing():
    """Tasks without work say nothing, and none is faster than its CPU time."""
    assert 1 == build(TaskUse(cpu=0.1, wall=0.5, start=0.1, idle_wall=0.5)).busy
    assert 1 == build(TaskUse(cpu=1.0, wall=0.5)).busy
