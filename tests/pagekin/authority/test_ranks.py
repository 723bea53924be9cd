"""PageRank, hubs and authorities: what networkx says, in rounds of whole numbers."""

from __future__ import annotations

import os
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

from pagekin.authority.ranks import RANK_ONE, WHOLE, Scores, rank_in_memory
from pagekin.config import AuthorityConfig
from pagekin.kinds import LINKS
from pagekin.stages.links.extractor import parse_links
from pagekin.storage.part_files import read_merged
from tests.pagekin.authority.graphs import (
    Links,
    random_links,
    reference,
    small_graphs,
    worst_difference,
)
from tests.running import pagekin

CLOSE = 1e-6
CORPORA = os.environ.get("PAGEKIN_CORPORA", "")


def ranked(nodes: int, links: Links, config: AuthorityConfig | None = None) -> Scores:
    ends = np.array(links, np.int64).reshape(-1, 2)
    graph = ends[:, 0], ends[:, 1], nodes
    return rank_in_memory({"graph": graph}, config or AuthorityConfig())["graph"]


@pytest.mark.parametrize("seed", range(3))
def test_as_networkx(seed):
    """All three scores are those of networkx; half of the nodes link nowhere."""
    nodes, links = 400, random_links(400, 3_000, seed)
    scores = ranked(nodes, links)
    assert worst_difference(scores, reference(nodes, links)) < CLOSE
    assert scores.rounds < AuthorityConfig().rounds


@given(small_graphs())
def test_pagerank_of_small_graphs(graph):
    """PageRank is that of networkx, whatever the graph, and its sum is 1."""
    nodes, links = graph
    made = nx.DiGraph(links)
    made.add_nodes_from(range(nodes))
    expected = nx.pagerank(made, tol=1e-13, max_iter=1_000)
    rank = ranked(nodes, links).rank
    shares = rank / rank.sum()
    assert max(abs(shares[k] - expected[k]) for k in range(nodes)) < CLOSE
    linked = {head for _, head in links}
    assert [k not in linked for k in range(nodes)] == [r == RANK_ONE for r in rank.tolist()]


@given(small_graphs())
def test_sums_of_hubs(graph):
    """Hubs and authorities have the sum 1, but for what rounding down takes; those of nodes
    without links, or without inlinks, are 0."""
    nodes, links = graph
    scores = ranked(nodes, links)
    for of_each, ends in (
        (scores.hub, {tail for tail, _ in links}),
        (scores.authority, {head for _, head in links}),
    ):
        total = WHOLE if links else 0
        assert total - 2 * nodes <= of_each.sum() <= total
        assert not of_each[[k for k in range(nodes) if k not in ends]].any()


def test_no_links():
    """Without links all nodes rank alike, and none is a hub or an authority."""
    scores = ranked(3, [])
    assert [RANK_ONE] * 3 == scores.rank.tolist()
    assert [0] * 6 == [*scores.hub.tolist(), *scores.authority.tolist()]


def test_two_graphs_get_equal_rounds():
    """All graphs go on until the slowest is still."""
    both = {name: np.array(random_links(40, 60, seed)).T for name, seed in (("a", 1), ("b", 2))}
    graphs = {name: (ends[0], ends[1], 40) for name, ends in both.items()}
    together = rank_in_memory(graphs, AuthorityConfig())
    apart = {name: rank_in_memory({name: g}, AuthorityConfig())[name] for name, g in graphs.items()}
    slowest = max(apart.values(), key=lambda scores: scores.rounds)
    assert {slowest.rounds} == {scores.rounds for scores in together.values()}


def test_at_most_so_many_rounds():
    """`rounds` is the most."""
    assert 3 == ranked(40, random_links(40, 60, 1), AuthorityConfig(rounds=3)).rounds


@pytest.mark.skipif(not CORPORA, reason="PAGEKIN_CORPORA names no folder with real crawls")
@pytest.mark.parametrize("name", ["wikispeedia", "webkb"])
def test_real_crawls(name, tmp_path):
    """On real links all scores are those of networkx, with and without those within a host."""
    files = sorted(Path(CORPORA, name).glob("*.warc.gz"))
    assert 0 == pagekin("build", "-q", "--until", "links", "--work", tmp_path / "work", *files).code
    found: Links = []
    numbers: dict[bytes, int] = {}
    for key, value in read_merged(tmp_path / "work" / "reading.links"):
        if LINKS.holds(key):
            page = key.removeprefix(LINKS.prefix)
            tail = numbers.setdefault(page, len(numbers))
            urls = parse_links(page, value).urls
            found += [(tail, numbers.setdefault(url, len(numbers))) for url in urls]
    assert len(found) > 10_000
    scores = ranked(len(numbers), found)
    assert worst_difference(scores, reference(len(numbers), found)) < CLOSE
