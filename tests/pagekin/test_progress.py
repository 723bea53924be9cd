"""How far a stage is: notes of tasks, and the line that is made of them."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys

import pytest

from pagekin import progress
from pagekin.progress import (
    ShownLine,
    StageProgress,
    TaskProgress,
    duration,
    read_notes,
)
from tests.running import wait_until


@pytest.fixture(autouse=True)
def _at_once(monkeypatch):
    """Notes are written at each step."""
    monkeypatch.setattr(progress, "_EVERY", 0.0)


def stage(folder, **options) -> StageProgress:
    return StageProgress("reading", folder, io.StringIO(), **options)


def test_notes_add_up(tmp_path):
    """The notes of all tasks are added."""
    for number in (1, 2):
        with TaskProgress(str(tmp_path)) as task:
            task.add(files=number, pages=10)
            task.add(pages=1)
    assert {"files": 3, "pages": 22} == read_notes(tmp_path)


def test_last_steps_are_noted(tmp_path, monkeypatch):
    """What was done since the last note is noted at the end of the task."""
    monkeypatch.setattr(progress, "_EVERY", 3600.0)
    with TaskProgress(str(tmp_path)) as task:
        task.add(records=1)
        task.add(records=5)
        assert {"records": 1} == read_notes(tmp_path)
    assert {"records": 6} == read_notes(tmp_path)


def test_without_a_folder(tmp_path, monkeypatch):
    """On a cluster there is no folder, and nothing is written anywhere."""
    monkeypatch.chdir(tmp_path)
    with TaskProgress("") as task:
        task.add(files=1)
        task.reporter()(1, 100)
    assert [] == list(tmp_path.iterdir())


def test_reporter_counts_what_came_since(tmp_path):
    """A reader tells places in its file; the note has the bytes between them."""
    with TaskProgress(str(tmp_path)) as task:
        for _ in range(2):
            report = task.reporter()
            report(1, 100)
            report(0, 250)
    assert {"pages": 2, "bytes": 500} == read_notes(tmp_path)


def test_notes_that_are_being_written(tmp_path):
    """What is no note, or not whole yet, is passed by."""
    (tmp_path / "1-a").write_text('{"pages": 3}')
    (tmp_path / "1-b").write_text('{"pa')
    (tmp_path / "1-c.new").write_text('{"pages": 50}')
    (tmp_path / "build.pid").write_text("1")
    assert {"pages": 3} == read_notes(tmp_path)


def test_folder_that_was_swept(tmp_path):
    """A note that has no place any more is no error."""
    folder = tmp_path / "progress"
    folder.mkdir()
    with TaskProgress(str(folder)) as task:
        task.add(files=1)
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
        task.add(files=1)


def test_task_ends_with_its_build(tmp_path):
    """A task whose build is gone ends itself at the next step."""
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    (tmp_path / "build.pid").write_text(str(done.pid))
    with pytest.raises(SystemExit, match="the build that this task worked for is gone"):
        TaskProgress(str(tmp_path)).add(files=1)


def test_task_of_a_living_build(tmp_path):
    """A build says which process it is before its tasks begin."""
    with stage(tmp_path):
        assert str(os.getpid()) == (tmp_path / "build.pid").read_text()
        TaskProgress(str(tmp_path)).add(files=1)


@pytest.mark.parametrize(
    ("done", "seconds", "expected"),
    [
        ({}, 2.0, "reading  2s  0/4 files"),
        (
            {"files": 1, "pages": 3000, "bytes": 500},
            20.0,
            "reading  20s  1/4 files  3,000 pages, 150/s  25%, 1m00s left",
        ),
        ({"files": 4, "bytes": 2100}, 75.0, "reading  1m15s  4/4 files  sorting and merging"),
    ],
)
def test_line_of_a_snapshot(tmp_path, done, seconds, expected):
    """Files, pages with their speed, the share of the bytes, and the time that is left."""
    assert expected == stage(tmp_path, files=4, total=2000, unit="bytes").line(done, seconds)


@pytest.mark.parametrize(
    ("done", "expected"),
    [
        ({"records": 10}, "reading  1s  10%, 9s left"),
        ({"records": 100}, "reading  1s  finishing"),
        ({"records": 101}, "reading  1s  finishing"),
        ({}, "reading  1s"),
    ],
)
def test_line_of_records(tmp_path, done, expected):
    """A stage that reads records of another one has no files and pages."""
    assert expected == stage(tmp_path, files=4, total=100, unit="records").line(done, 1.0)


@pytest.mark.parametrize(
    ("done", "expected"), [(999_999, "99%, 1s left"), (996_000, "99%, 1s left"), (1, "0%, 277h46m")]
)
def test_what_is_not_done_does_not_look_done(tmp_path, done, expected):
    """Shares are rounded down and times up."""
    line = stage(tmp_path, total=1_000_000).line({"records": done}, 1.0)
    assert line.startswith(f"reading  1s  {expected}")


def test_nothing_to_do(tmp_path):
    """A stage without input has no share to speak of."""
    assert "reading  1s  0/0 files" == stage(tmp_path, unit="bytes").line({"bytes": 0}, 1.0)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_terminal(tmp_path):
    """On a terminal one line is written over again and again, and taken away at the end."""
    (tmp_path / "1-a").write_text(json.dumps({"records": 1}))
    out = Terminal()
    with StageProgress("stage", tmp_path, out, total=2):
        wait_until(lambda: "left" in out.getvalue())
    assert "\n" not in out.getvalue()
    assert out.getvalue().startswith("\r\033[Kstage  0s  50%")
    assert out.getvalue().endswith("\r\033[K")


def test_nothing_to_show(monkeypatch):
    """Where lines stay, none is empty."""
    monkeypatch.setattr(progress, "_QUIET", 0.001)
    out, lines = io.StringIO(), iter(["", "", "pairs  9s"])
    with ShownLine(lambda: next(lines, ""), out):
        wait_until(lambda: next(lines, None) is None and out.getvalue())
    assert "pairs  9s\n" == out.getvalue()


def test_narrow_terminal(monkeypatch):
    """A line that would not fit is cut, or it would stay where it is wrapped."""
    monkeypatch.setattr(os, "get_terminal_size", lambda descriptor: os.terminal_size((9, 3)))
    monkeypatch.setattr(Terminal, "fileno", lambda self: 2)
    out = Terminal()
    with ShownLine(lambda: "pairs  9s  50%", out):
        wait_until(lambda: "pairs" in out.getvalue())
    assert "\r\033[Kpairs  9\r" in out.getvalue()


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0, "0s"), (59.4, "59s"), (59.6, "1m00s"), (3599, "59m59s"), (3600, "1h00m"), (7320, "2h02m")],
)
def test_duration(seconds, said):
    """Times as people say them."""
    assert said == duration(seconds)
