"""`pagekin neighbours`: related words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.bags.bag import Entry
from tests.indexes import make_bag, make_index

WORDS = {1: Entry("moon", "moons"), 2: Entry("lunar", "lunar"), 3: Entry("apollo", "apollo")}
NEIGHBOURS = {1: {2: 40_000, 3: 20_000}, 2: {1: 65_535}, 3: {}}


@pytest.fixture
def index(tmp_path: Path) -> Path:
    bag = make_bag("http://a.example/", dict.fromkeys(WORDS, 1.0))
    entries = lambda terms: [WORDS[term] for term in terms.tolist()]  # noqa: E731
    return make_index(tmp_path / "index", [bag], words=entries, neighbours=NEIGHBOURS)


def test_neighbours(command, index):
    """A line for each neighbour, the nearest first, with its weight."""
    said = command("neighbours", "--index", index, "Moon")
    assert (0, "") == (said.code, said.err)
    assert [
        "moons  in 5 of 90 bags",
        f"  0.6104  {'lunar':24} {'#' * 30}",
        f"  0.3052  {'apollo':24} {'#' * 15}",
    ] == said.out.splitlines()
    assert ["apollo  in 7 of 90 bags"] == command(
        "neighbours", "--index", index, "apollo"
    ).out.splitlines()


def test_json(command, index):
    """JSON is what Python has."""
    said = json.loads(command("neighbours", "--index", index, "--json", "-n", 1, "moon").out)
    found = Index(index).neighbours("moon", 1)
    assert {**found._asdict(), "neighbours": [found.neighbours[0]._asdict()]} == said
    assert ["word", "term", "bags", "sample", "neighbours"] == list(said)
    assert ["word", "term", "weight", "bags"] == list(said["neighbours"][0])


def test_not_there(command, index):
    """A word that is not there ends with 4, and proposes those that are near."""
    said = command("neighbours", "--index", index, "lunra")
    expected = "pagekin: the index knows no neighbours of lunra; near it are lunar\n"
    assert (4, "", expected) == said


def test_never_learned(command, demo_index):
    """An index without the table says how to make one."""
    said = command("neighbours", "--index", demo_index, "knot")
    assert (4, "") == (said.code, said.out)
    assert "has no neighbours of words; `pagekin build --enrich-neighbours true`" in said.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["-n", "0", "moon"], "-n takes a number from 1"),
        (["two words"], "'two words' is not one word; words have neighbours one by one"),
    ],
)
def test_usage(command, index, words, expected):
    """Wrong words end with 2 and one sentence."""
    assert (2, "", f"pagekin: {expected}\n") == command("neighbours", "--index", index, *words)
