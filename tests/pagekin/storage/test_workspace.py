"""The workspace: one build at a time, and stages that are there whole or not at all."""

from __future__ import annotations

import errno
import itertools
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from xxhash import xxh3_128_hexdigest

from pagekin.errors import WorkspaceError
from pagekin.storage.workspace import Workspace, write_json
from tests.running import another_build


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


def complaint(path: Path) -> str:
    with pytest.raises(WorkspaceError) as caught:
        Workspace.create(path)
    return str(caught.value)


def finish(workspace: Workspace, name: str, text: str) -> None:
    """Build a stage of one part file."""
    made = workspace.new_folder(name) / "output"
    made.mkdir()
    (made / "part-00000").write_text(text)
    workspace.complete(name, made, {"stage": name, "result": text})


@contextmanager
def stopped_before_call(moment: int) -> Iterator[list[str]]:
    """Ends the process, as far as Python can, before the nth call that changes the disk."""
    calls: list[str] = []

    def stopping(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def stop(*arguments: Any, **options: Any) -> Any:
            calls.append(name)
            if len(calls) >= moment:
                raise KeyboardInterrupt
            return call(*arguments, **options)

        return stop

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (os, "fsync"),
            (os, "unlink"),
            (os, "rmdir"),
            (Path, "rename"),
            (Path, "replace"),
            (Path, "touch"),
            (Path, "mkdir"),
        ):
            patch.setattr(owner, name, stopping(name, getattr(owner, name)))
        yield calls


# --- making and opening ---


def test_create(work):
    """A folder that is not there becomes a workspace, with those above it."""
    Workspace.create(work / "deep" / "er")
    found = json.loads((work / "deep" / "er" / "workspace.json").read_text())
    assert {"pagekin workspace": 3} == found


def test_create_in_an_empty_folder(work):
    """An empty folder becomes one, and what is one stays one."""
    work.mkdir()
    finish(Workspace.create(work), "stage", "text")
    assert work / "stage" == Workspace.create(work).require("stage")


def test_foreign_folder(work):
    """A folder of other things is not built into."""
    work.mkdir()
    (work / "thesis.txt").write_text("years of work")
    assert f"{work} holds other files and is no workspace; name a new folder" == complaint(work)
    assert ["thesis.txt"] == [path.name for path in work.iterdir()]


def test_killed_while_the_mark_was_made(work):
    """What a build leaves that is killed in its first moment does not lock the next one out."""
    work.mkdir()
    (work / ".workspace.json.4711").write_text("{")
    Workspace.create(work)
    assert Workspace.open(work).path == work


def test_a_file(work):
    """A file is no workspace."""
    work.write_text("")
    assert f"{work} is a file; a workspace is a folder" == complaint(work)


def test_other_format(work):
    """A workspace of another version is neither read nor built into."""
    work.mkdir()
    (work / "workspace.json").write_text('{"pagekin workspace": 99}')
    expected = (
        f"{work} is a workspace of format 99, and this pagekin makes format 3;"
        " build into a new folder"
    )
    assert expected == complaint(work)
    with pytest.raises(WorkspaceError, match="of format 99"):
        Workspace.open(work)


@pytest.mark.parametrize("mark", ["", "[]", "{}", '"x"', "\x00"])
def test_strange_mark(work, mark):
    """A workspace.json of somebody else makes no workspace."""
    work.mkdir()
    (work / "workspace.json").write_text(mark)
    assert f"{work} is no workspace: workspace.json cannot be read" == complaint(work)


def test_open_what_is_none(work):
    """Reading makes nothing."""
    with pytest.raises(WorkspaceError) as caught:
        Workspace.open(work)
    assert f"{work} is not a workspace; `pagekin build --work` makes one" == str(caught.value)
    assert not work.exists()


# --- the lock ---


def test_second_build(work):
    """While one build runs, a second one is refused; it disturbs nothing."""
    with another_build(work) as process:
        workspace = Workspace.create(work)
        mine = workspace.new_folder("stage")
        with pytest.raises(WorkspaceError) as caught, workspace.locked():
            raise AssertionError("two builds at once")
        assert f"{work} is in use by another build" == str(caught.value)
        assert mine.is_dir()
        process.communicate()
    with workspace.locked():
        assert not mine.exists()


def test_reading_while_a_build_runs(work):
    """Readers need no lock."""
    finish(Workspace.create(work), "stage", "text")
    with another_build(work) as process:
        assert "text" == (Workspace.open(work).stage_record("stage") or {})["result"]
        process.communicate()


def test_killed_build_leaves_no_lock(work):
    """However hard a build is killed, the next one finds the workspace free and swept."""
    with another_build(work) as process:
        left = Workspace(work).new_folder("stage")
        (left / "half").write_text("...")
        (work / f".summary.json.{process.pid}").write_text("{")
        process.kill()
        process.wait()
    with Workspace.create(work).locked():
        assert {"workspace.json", ".lock"} == {path.name for path in work.iterdir()}


def test_lock_is_given_back(work):
    """A build that fails leaves the workspace free, and nothing half done."""
    workspace = Workspace.create(work)
    with pytest.raises(ValueError, match="in the middle"), workspace.locked():
        workspace.new_folder("stage")
        raise ValueError("in the middle")
    assert {"workspace.json", ".lock"} == {path.name for path in work.iterdir()}
    with another_build(work) as process:
        process.communicate()


# --- stages ---


def test_new_folders_are_new(work):
    """Two attempts at a stage share nothing: tasks of a killed one may still be writing."""
    workspace = Workspace.create(work)
    first, second = workspace.new_folder("stage"), workspace.new_folder("stage")
    assert first != second
    assert [] == [*first.iterdir(), *second.iterdir()]


def test_complete(work):
    """A finished stage stands in its place with its record."""
    workspace = Workspace.create(work)
    assert workspace.stage_record("stage") is None
    finish(workspace, "stage", "one")
    files = {"part-00000": {"bytes": 3, "digest": xxh3_128_hexdigest(b"one")}}
    record = {"stage": "stage", "result": "one", "files": files}
    assert record == workspace.stage_record("stage")
    assert ["part-00000"] == [path.name for path in workspace.parts("stage")]
    assert work / "stage" == workspace.require("stage")


def test_complete_again(work):
    """A stage that is built again leaves nothing of the old one: no part file too many."""
    workspace = Workspace.create(work)
    finish(workspace, "stage", "one")
    (work / "stage" / "part-00001").write_text("old")
    finish(workspace, "stage", "two")
    assert ["two"] == [path.read_text() for path in workspace.parts("stage")]


def test_complete_is_atomic(work):
    """Stopped before any of its system calls, a stage is the old one, the new one, or not there."""
    workspace = Workspace.create(work)
    seen = []
    for moment in itertools.count(1):
        finish(workspace, "stage", "old")
        with stopped_before_call(moment) as calls, suppress(KeyboardInterrupt):
            finish(workspace, "stage", "new")
        record = workspace.stage_record("stage")
        parts = [path.read_text() for path in workspace.parts("stage")] if record else []
        seen.append((record and record["result"], parts, (work / "stage").exists()))
        if len(calls) < moment:
            break
    old, gone, new = ("old", ["old"], True), (None, [], False), ("new", ["new"], True)
    assert [old, gone, new] == [state for state, _ in itertools.groupby(seen)]
    assert len(seen) > 8


def test_a_disk_that_is_full(work, monkeypatch):
    """A pass that the disk does not take is not there."""

    def full(handle: int) -> None:
        raise OSError(errno.ENOSPC, "the disk is full")

    workspace = Workspace.create(work)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="the disk is full"):
        finish(workspace, "stage", "one")
    assert workspace.stage_record("stage") is None
    assert {} == workspace.passes()


def test_passes(work):
    """Complete passes are told by their names, and no other folder is."""
    workspace = Workspace.create(work)
    for name in ("b", "a"):
        finish(workspace, name, "text")
    (work / "c").mkdir()
    assert ["a", "b"] == list(workspace.passes())
    assert "text" == workspace.passes()["a"]["result"]


@pytest.mark.parametrize("name", ["_SUCCESS", "stage.json"])
def test_incomplete_stage(work, name):
    """A stage without its mark or its record is none."""
    workspace = Workspace.create(work)
    finish(workspace, "stage", "text")
    (work / "stage" / name).unlink()
    assert workspace.stage_record("stage") is None
    with pytest.raises(WorkspaceError) as caught:
        workspace.parts("stage")
    assert f"{work}: stage stage is not built; run pagekin build" == str(caught.value)


def test_broken_record(work):
    """So is one whose record cannot be read."""
    workspace = Workspace.create(work)
    finish(workspace, "stage", "text")
    (work / "stage" / "stage.json").write_text('{"stage": ')
    assert workspace.stage_record("stage") is None


@pytest.mark.parametrize(
    ("change", "what"),
    [
        (lambda path: path.unlink(), "part-00000 is gone"),
        (lambda path: path.write_text("on"), "part-00000 has 2 bytes and had 3"),
        (lambda path: path.write_text("onE"), "part-00000 is not what was written"),
        (lambda path: path.with_name("part-00001").touch(), "part-00001 was not made by it"),
        (lambda path: path.with_name("t.arrays").touch(), "t.arrays was not made by it"),
        (lambda path: path.with_name(".crc").touch(), ""),
    ],
)
def test_damage(work, change, what):
    """Files that are gone, longer or shorter, changed, or too many are named."""
    workspace = Workspace.create(work)
    finish(workspace, "stage", "one")
    assert "" == workspace.damage("stage", thorough=True)
    change(work / "stage" / "part-00000")
    assert what == workspace.damage("stage", thorough=True)
    assert ("" if "written" in what else what) == workspace.damage("stage")


def test_a_part_that_cannot_be_read(work):
    """What the system says of it is told."""
    workspace = Workspace.create(work)
    finish(workspace, "stage", "one")
    (work / "stage" / "part-00000").rename(work / "stage" / "other")
    (work / "stage" / "part-00000").symlink_to("part-00000")
    said = "part-00000 cannot be read: Too many levels of symbolic links"
    assert said == workspace.damage("stage")


def test_changed_record(work):
    """A stage whose record says something else than was written down is not there."""
    workspace = Workspace.create(work)
    finish(workspace, "stage", "one")
    path = work / "stage" / "stage.json"
    path.write_text(path.read_text().replace('"one"', '"two"'))
    assert workspace.stage_record("stage") is None


def test_broken_summary(work):
    """A sentence, and no traceback."""
    workspace = Workspace.create(work)
    (work / "summary.json").write_text("{")
    with pytest.raises(WorkspaceError, match=r"summary.json is damaged; pagekin build writes it"):
        workspace.summary()


def test_remove(work):
    """A stage that is removed leaves nothing; one that is not there can be removed."""
    workspace = Workspace.create(work)
    finish(workspace, "stage", "text")
    workspace.remove("stage")
    workspace.remove("stage")
    assert [] == [path for path in work.rglob("*") if path.name.startswith("part-")]


def test_write_json(work):
    """JSON is written whole, for people, in any script."""
    work.mkdir()
    write_json(work / "x.json", {"word": "蜂"})
    assert '{\n  "word": "蜂"\n}\n' == (work / "x.json").read_text(encoding="utf-8")
    with pytest.raises(TypeError):
        write_json(work / "x.json", {"word": object()})
    assert {"word": "蜂"} == json.loads((work / "x.json").read_text(encoding="utf-8"))
