"""`pagekin authority`: scores of links."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin import Index
from tests.indexes import make_bag, make_index
from tests.pagekin.authority.test_table import HOSTS, PAGES


@pytest.fixture
def index(tmp_path: Path) -> Path:
    bag = make_bag("http://z.example/", {16: 1.0})
    return make_index(tmp_path / "index", [bag], scores=[*PAGES, *HOSTS])


def test_page(command, index):
    """Three lines for the page, three for its host, and its standing."""
    said = command("authority", "--index", index, "d.example")
    assert (0, "") == (said.code, said.err)
    assert [
        "http://d.example/",
        "  pagerank   0.11111111  place 3 of 4",
        "  hub        0.00000000  place 3 of 4",
        "  authority  0.00000000  place 3 of 4",
        "d.example",
        "  pagerank   0.20000000  place 2 of 4",
        "  hub        0.00000000  place 2 of 4",
        "  authority  0.00000000  place 2 of 4",
        "standing 0.387 of 1, by the better PageRank of both",
    ] == said.out.splitlines()


def test_page_without_links(command, index):
    """A page that no link tells of is said to be one."""
    said = command("authority", "--index", index, "z.example")
    none = "  no link that counts leads here, or from here"
    last = "standing 0.000 of 1, by the better PageRank of both"
    expected = ["http://z.example/", none, "z.example", none, last]
    assert (0, expected) == (said.code, said.out.splitlines())


def test_best(command, index):
    """Without URL the best pages and hosts."""
    said = command("authority", "--index", index, "--by", "authority", "-n", 1)
    assert [
        "pages by authority",
        "  0.80000000  http://c.example/x",
        "hosts by authority",
        "  1.00000000  c.example",
    ] == said.out.splitlines()


def test_json(command, index):
    """JSON is what Python has."""
    said = json.loads(command("authority", "--index", index, "--json", "a.example").out)
    found = Index(index).authority("a.example")
    assert {
        **found._asdict(),
        "of_page": found.of_page._asdict(),
        "of_host": found.of_host._asdict(),
    } == said
    best = json.loads(command("authority", "--index", index, "--json").out)
    assert ["by", "pages", "hosts"] == list(best)
    expected = {"name": "http://a.example/", **found.of_page._asdict()}
    assert expected == best["pages"][0]


def test_preferred(command, tmp_path):
    """--prefer multiplies scores, and --why tells it."""
    bags = [make_bag(f"http://{name}.example/", {16: 1.0, 17: 1.0}) for name in "abd"]
    index = make_index(tmp_path / "index", bags, scores=[*PAGES, *HOSTS])
    ask = ("related", "--index", index, "b.example", "--alpha", 0)
    plain = [kin["url"] for kin in json.loads(command(*ask, "--json").out)]
    assert ["http://a.example/", "http://d.example/"] == plain
    said = command(*ask, "--prefer", "authority=0.5", "--why").out.splitlines()
    assert said[1].startswith("  1.5000  http://a.example/")
    assert "          standing 1.000 of 1 by its links: score x 1.5000" == said[2]
    best, other = json.loads(command(*ask, "--prefer", "authority=0.5", "--why", "--json").out)
    assert (1.5, 1.0, 1.5) == (best["score"], best["why"]["standing"], best["why"]["preferred_by"])
    assert "http://d.example/" == other["url"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("authority", "argument --prefer: takes authority=NUMBER, not 'authority'"),
        ("fame=1", "prefer is fame=1.0; it takes authority and a number from 0 to 10"),
    ],
)
def test_wrong_preference(command, index, words, expected):
    """What cannot be preferred ends with 2 and one sentence."""
    said = command("related", "--index", index, "z.example", "--prefer", words)
    assert (2, "") == (said.code, said.out)
    assert said.err.startswith(f"pagekin: {expected}")


def test_never_made(command, demo_index):
    """An index without scores says how to make them, with code 4."""
    said = command("authority", "--index", demo_index)
    assert (4, "") == (said.code, said.out)
    assert "has no scores of links; `pagekin build --authority-scores true`" in said.err


def test_usage(command, index):
    """Wrong words end with 2 and one sentence."""
    expected = (2, "", "pagekin: -n takes a number from 1\n")
    assert expected == command("authority", "--index", index, "-n", "0")
