"""The traced walk: what it counts, and what it says of that."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from pagekin import native
from tests.running import ROOT, python

sys.path.insert(0, str(ROOT / "scripts"))

from walking import command
from walking.command import BOUNDS, Walk

SHORT, LONG = ({f"web/{k}.py": {"read", "_cut"} for k in range(n)} for n in (2, 40))


@pytest.fixture
def traced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two walks, the second of which is too long, in place of those that are traced."""

    def walks() -> Iterator[Walk]:
        for name, functions in zip(BOUNDS, (SHORT, LONG), strict=False):
            yield Walk(name, functions)

    monkeypatch.setattr(command, "walks", walks)
    monkeypatch.setattr(native, "missing", list)


@pytest.mark.usefixtures("traced")
def test_table(capsys: pytest.CaptureFixture[str]) -> None:
    """A line for each walk; with -v the functions of each module."""
    assert 0 == command.main([])
    table = capsys.readouterr().out.splitlines()
    first, second, *_ = BOUNDS
    assert [f"| {first} | 2 | 30 | met |", f"| {second} | 40 | 15 | too long |"] == table[2:]
    assert 0 == command.main(["-v"])
    lines = capsys.readouterr().out.splitlines()
    assert table == lines[:4]
    assert ["", f"{first}:", "  web/0.py: _cut, read", "  web/1.py: _cut, read"] == lines[4:8]


@pytest.mark.usefixtures("traced")
def test_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """A walk that is too long is a failure; a walk of as many modules as it may have is none."""
    assert 1 == command.main(["--check"])
    monkeypatch.setitem(BOUNDS, [*BOUNDS][1], 40)
    assert 0 == command.main(["--check"])


def test_parts_in_c_are_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without them the walk is another one."""
    monkeypatch.setattr(native, "missing", lambda: ["pagekin.web._flat"])
    with pytest.raises(SystemExit, match=r"pagekin\.web\._flat; run make setup"):
        command.main([])


def test_over_the_demo() -> None:
    """Tasks and questions are traced with all that they call, and what runs them is not."""
    if native.missing():
        pytest.skip("the parts in C were not built")
    said = python(ROOT / "scripts" / "walk", "--json")
    assert (0, "") == (said.code, said.err)
    to_bags, to_shard, bags, cocitation = json.loads(said.out)
    assert [*BOUNDS] == [walk["walk"] for walk in (to_bags, to_shard, bags, cocitation)]
    for walk in (to_bags, to_shard, bags, cocitation):
        assert walk["modules"] == len(walk["functions"])
        for module in walk["functions"]:
            path = ROOT if module.startswith("jobs/") else ROOT / "lib" / "pagekin"
            assert (path / module).is_file(), module
    for parts, walk in (("web bags", to_bags), ("minhash index", to_shard), ("query index", bags)):
        folders = {module.partition("/")[0] for module in walk["functions"]}
        assert {"jobs", "engine"} & folders == ({"jobs", "engine"} if walk is not bags else set())
        assert {*parts.split()} <= folders
    tasks = [*to_bags["functions"], *to_shard["functions"]]
    assert not [m for m in tasks if m.startswith(("commands/", "storage/", "engine/local/"))]
    called = to_bags["functions"]["engine/job.py"]
    assert {"map_pairs", "reduce_pairs"} <= {*called}


def test_a_process_that_is_no_task_is_left_alone(tmp_path: Path) -> None:
    """Only tasks and questions leave a note."""
    traced = {"PYTHONPATH": str(command.TRACED), "PAGEKIN_WALK": str(tmp_path)}
    assert "1\n" == command._run("-c", "print(1)", **traced)
    assert [] == list(tmp_path.iterdir())
    with pytest.raises(SystemExit, match="nothing was traced"):
        command._traced("a walk", tmp_path, "-c", "pass")
