"""The benchmark of co-citation runs on few blocks and shows what it compares with."""

from __future__ import annotations

import json

from tests.running import ROOT, python

SCRIPT = ROOT / "scripts" / "bench-cocitation"
WITHOUT = "import sys, runpy; sys.modules['scipy.sparse'] = None; sys.argv = sys.argv[1:];"


def test_table():
    """A line for each way; without the library to compare with, it says what to install."""
    run = f"{WITHOUT} runpy.run_path(sys.argv[0], run_name='__main__')"
    said = python("-c", run, SCRIPT, "--blocks", 300, "--runs", 1)
    assert (0, "bench-cocitation: for a comparison: pip install scipy\n") == (said.code, said.err)
    rows = [line.split(" | ") for line in said.out.splitlines() if line.startswith("| ")]
    assert ["| way", "| stripes", "| text pairs"] == [row[0] for row in rows]
    assert {5} == {len(row) for row in rows}


def test_json():
    """The same as an object, with every phase and the bytes of the shuffle."""
    said = python(SCRIPT, "--blocks", 300, "--runs", 1, "--no-text", "--threshold", 0.5, "--json")
    assert 0 == said.code, said.err
    told = json.loads(said.out)
    assert (300, 0.5) == (told["blocks"], told["threshold"])
    stripes = told["ways"][0]
    assert ["map", "sort", "reduce", "sort of edges", "best"] == list(stripes["phases"])
    assert 9 * 2 * told["pairs"] < stripes["shuffled_bytes"] < 40 * told["pairs"]
    assert stripes["edge_bytes"] > 0
