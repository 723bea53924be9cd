"""`pagekin topics`: what a snapshot, or a page of it, is about."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.bags.bag import Entry
from tests.indexes import config_of, make_bag, make_index

WORDS = {20: Entry("moon", "moons"), 30: Entry("lunar", "lunar"), 40: Entry("bee", "bees")}
BAGS = [
    make_bag("http://a.example/", {20: 1.0, 30: 1.0}),
    make_bag("http://b.example/", {20: 1.0}, crawled=False),
    make_bag("http://c.example/", {20: 3.0, 40: 4.0}),
    make_bag("http://d.example/", {20: 4.0, 40: 1.0}),
    make_bag("http://e.example/", {}),
]
TOPICS = [[20], [40], [20, 30], [30]]


@pytest.fixture(params=[1, 3])
def index(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    entries = lambda terms: [WORDS[term] for term in terms.tolist()]  # noqa: E731
    config = config_of(request.param)
    return make_index(tmp_path / "index", BAGS, config, words=entries, topics=TOPICS)


def test_topics(command, index):
    """Each topic with the number of its documents, those that were read and are nearest first."""
    said = command("topics", "--index", index)
    assert 0 == said.code
    assert [
        "        2  moons",
        "           http://d.example/",
        "           http://b.example/",
        "        1  bees",
        "           http://c.example/",
        "        1  moons, lunar",
        "           http://a.example/",
        "        0  lunar",
    ] == said.out.splitlines()


def test_of_a_page(command, index):
    """The nearest topics of a page, by the squares of the cosines."""
    said = command("topics", "--index", index, "c.example")
    assert (0, "") == (said.code, said.err)
    assert ["  0.6400  bees", "  0.3600  moons"] == said.out.splitlines()
    assert "" == command("topics", "--index", index, "http://e.example/").out


def test_json(command, index):
    """JSON is what Python has."""
    said = json.loads(command("topics", "--index", index, "--json", "-n", 2).out)
    assert [topic._asdict() for topic in Index(index).topics()[:2]] == said
    assert ["name", "words", "documents", "examples"] == list(said[0])
    assert ["topic:0.0", "topic:0.1"] == [topic["name"] for topic in said]
    said = json.loads(command("topics", "--index", index, "--json", "c.example").out)
    assert [topic._asdict() for topic in Index(index).topics("c.example")] == said
    assert ["name", "words", "share"] == list(said[0])


def test_never_learned(command, demo_index):
    """An index without the table says how to make one."""
    said = command("topics", "--index", demo_index)
    assert (4, "") == (said.code, said.out)
    assert "has no topics; `pagekin build --enrich-topics true` learns them" in said.err


def test_not_there(command, index):
    """A page that is not there ends with 4."""
    said = command("topics", "--index", index, "f.example")
    assert (4, "") == (said.code, said.out)
    assert said.err.startswith("pagekin: http://f.example/ is not in the index")


def test_usage(command, index):
    """A wrong number ends with 2 and one sentence."""
    said = command("topics", "--index", index, "-n", "-1")
    assert (2, "", "pagekin: -n takes a number from 0\n") == said
