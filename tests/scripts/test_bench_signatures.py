"""The benchmark of signatures runs on any workspace and never shows speed without error."""

from __future__ import annotations

import json

from tests.running import ROOT, python

SCRIPT = ROOT / "scripts" / "bench-signatures"
WITHOUT = "import sys, runpy; sys.modules['datasketch'] = None; sys.argv = sys.argv[1:];"


def test_table(demo_work):
    """A line for each method; without the library to compare with, it says what to install."""
    run = f"{WITHOUT} runpy.run_path(sys.argv[0], run_name='__main__')"
    said = python("-c", run, SCRIPT, "--work", demo_work, "--pairs", 50, "--count", 20)
    assert (0, "bench-signatures: for a comparison: pip install datasketch\n") == (
        said.code,
        said.err,
    )
    rows = [line.split(" | ") for line in said.out.splitlines() if line.startswith("| ")]
    assert ["| method", "| darts", "| icws", "| linear"] == [row[0] for row in rows]
    assert {4} == {len(row) for row in rows}


def test_json(demo_work):
    """The same as an object; darts err less than independent samples on near pairs."""
    said = python(SCRIPT, "--work", demo_work, "--pairs", 50, "--crawled", "--json")
    assert 0 == said.code, said.err
    told = json.loads(said.out)
    darts = next(row for row in told["methods"] if row["method"] == "darts")
    assert 80 == told["signatures"]
    assert 0 < darts["near_rmse"] < darts["near_ideal"]
    assert darts["bags_per_cpu_second"] > 0


def test_no_workspace(tmp_path):
    """A folder that is no workspace ends with one sentence."""
    said = python(SCRIPT, "--work", tmp_path / "none")
    assert said.code > 0
    assert 1 == said.err.count("\n")
    assert said.err.startswith("bench-signatures: ")
