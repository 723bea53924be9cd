"""The benchmark of judging runs on any workspace."""

from __future__ import annotations

from tests.running import ROOT, python

SCRIPT = ROOT / "scripts" / "bench-gamma"


def test_table(demo_work):
    """A line for each representation and number of pages."""
    said = python(SCRIPT, "--work", demo_work, "--pages", 20, 40, "--sources", 5)
    assert (0, "") == (said.code, said.err)
    rows = [line.strip("| ").split(" | ") for line in said.out.splitlines()[2:]]
    expected = [[by, n] for by in ("bags", "signatures") for n in ("20", "40")]
    assert expected == [row[:2] for row in rows]
    assert {7} == {len(row) for row in rows}


def test_no_workspace(tmp_path):
    """A folder that is no workspace ends with one sentence."""
    said = python(SCRIPT, "--work", tmp_path / "none")
    assert said.code > 0
    assert "is not a workspace" in said.err
    assert "Traceback" not in said.err
