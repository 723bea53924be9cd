"""The table of scores: what was written is read back, and what follows from it."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from pagekin.authority.table import BEST, ScoreTable, host_name
from pagekin.tables import ArrayFile
from tests.pagekin.authority.scores import JUDGED, write_table

# names, ranks in units of a node that nobody links to, hubs and authorities in percent
PAGES = [
    ("http://a.example/", 4.0, 50, 0),
    ("http://b.example/", 1.0, 50, 20),
    ("http://c.example/x", 3.0, 0, 80),
    ("http://d.example/", 1.0, 0, 0),
]
HOSTS = [
    ("//a.example", 1.0, 0, 0),
    ("//b.example", 1.0, 100, 0),
    ("//c.example", 6.0, 0, 100),
    ("//d.example", 2.0, 0, 0),
]


def make_table(folder: Path, nodes=(*PAGES, *HOSTS), meta=JUDGED) -> ScoreTable:
    return ScoreTable(write_table(folder, nodes, meta))


@pytest.fixture
def table(tmp_path: Path) -> ScoreTable:
    return make_table(tmp_path)


def test_scores(table):
    """Each node has its scores as shares, and its places; equal ones have the same place."""
    found = table.scores(b"http://c.example/x")
    assert found is not None
    assert (3 / 9, 2) == (found.pagerank, found.pagerank_place)
    assert (0.0, 3, 4) == (found.hub, found.hub_place, found.nodes)
    assert (0.8, 1) == (pytest.approx(found.authority), found.authority_place)
    assert [1, 1] == [table.scores(name.encode()).hub_place for name, *_ in PAGES[:2]]
    assert 0.6 == table.scores(b"//c.example").pagerank
    assert table.scores(b"http://c.example/") is None
    assert table.scores(b"//e.example") is None
    assert [True, False] == [table.knows(name) for name in (b"//a.example", b"//e.example")]


def test_best(table):
    """The best by each score, the best first, of equal ones the first by name; 0 is no score."""
    assert [b"http://a.example/", b"http://b.example/"] == list(table.best("pages", "hub"))
    assert (
        b"http://a.example/ http://c.example/x".split() == list(table.best("pages", "pagerank"))[:2]
    )
    assert [b"//c.example"] == list(table.best("hosts", "authority"))


def test_at_most_so_many_names(tmp_path):
    """Names are kept of the best alone."""
    pages = [(f"http://{k:04}.example/", 1.0 + k, 0, 0) for k in range(2_000)]
    best = list(make_table(tmp_path, pages).best("pages", "pagerank"))
    assert [name.encode() for name, *_ in reversed(pages[-BEST:])] == best


def test_standing(table):
    """By the logarithm of the rank, 0 where nobody links to page or host, 1 for the best; of page
    and host the higher counts."""
    standings = {
        "http://a.example/": 1.0,
        "http://b.example/": 0.0,
        "http://c.example/x": 1.0,  # its host is the best
        "http://c.example/other": 1.0,
        "http://d.example/": math.log(2) / math.log(6),
        "http://e.example/": 0.0,
    }
    assert standings == pytest.approx({url: table.standing(url) for url in standings})


def test_weights(table):
    """1 + ln(1 + rank / mean) of page or host, a hundredth where no other site links to the host;
    for hubs likewise."""

    def weight(to_mean: float) -> int:
        return round(100 * (1 + math.log(1 + to_mean)))

    urls = [
        "http://a.example/",
        "http://c.example/x",
        "http://d.example/",
        "http://e.example/",
    ]
    expected = [1, weight(6 / 2.5), weight(2 / 2.5), 1]
    assert expected == [table.weight(url, "pagerank") for url in urls]
    assert [weight(2), 1, 1, 1] == [table.weight(url, "hubs") for url in urls]


def test_weights_have_a_most(tmp_path):
    """4 at the most."""
    hosts = [(f"//{k}.example", 1.0, 0, 0) for k in range(1_000)]
    table = make_table(tmp_path, [*hosts, ("//best.example", 200.0, 0, 0)])
    assert 400 == table.weight("http://best.example/", "pagerank")


def test_too_few_to_tell(tmp_path):
    """Where hardly a page with links lies on a host that others link to, all count 1."""
    few = make_table(tmp_path, meta={"linking_pages": 10, "vouched_pages": 1})
    assert [100, 100] == [few.weight(f"http://{host}.example/", "pagerank") for host in "ac"]
    assert 1 == few.weight("http://c.example/x", "hubs")


def test_no_nodes(tmp_path):
    """A snapshot without links has an empty table."""
    table = make_table(tmp_path, [], {"linking_pages": 0, "vouched_pages": 0})
    assert (0.0, 100) == (
        table.standing("http://a.example/"),
        table.weight("http://a.example/", "pagerank"),
    )
    assert ([], None) == (list(table.best("pages", "hub")), table.scores(b"//a.example"))


def test_stored_bytes(tmp_path):
    """The file is what it was: a change needs another format."""
    make_table(tmp_path)
    assert "64b8c681ff248e01e826b4ece08084f8" == ArrayFile(tmp_path / "authority.arrays").checksum


def test_host_name():
    """Hosts have names of their own, without ports."""
    assert b"//a.example" == host_name("https://a.example:8443/x")
