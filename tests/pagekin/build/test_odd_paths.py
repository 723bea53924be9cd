"""Workspaces whose paths mean something else to mrjob, to Hadoop or to a shell."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.running import BAGS, outputs, pagekin
from tests.small import warned

ODD = ["a*", "?b", "[ab]", "a#b", "{a,b}", "$HOME", "a\\b", "a b,ü"]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory, small_snapshot: Path) -> Path:
    """A workspace in a folder of a plain name."""
    work = tmp_path_factory.mktemp("plain") / "work"
    assert 0 == pagekin("build", "-q", "-r", "inline", *BAGS, "--work", work, small_snapshot).code
    return work


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("runner", ["inline", "local"])
def test_workspace(command, tmp_path, small_snapshot, plain, name, runner):  # noqa: PLR0917
    """Workspaces that its name would match as a pattern are not read, and it is built."""
    for beside in ("a", "b", "ab", "a1"):
        shutil.copytree(plain, tmp_path / beside / "work")
    work = tmp_path / name / "work"
    said = command("build", "-q", "-r", runner, *BAGS, "--work", work, small_snapshot)
    assert (0, "", warned(small_snapshot)) == said
    assert outputs(plain) == outputs(work)
    found = command("records", "--work", work, "fragments", "--shuffled", "-n", 1)
    assert (0, "") == (found.code, found.err)
