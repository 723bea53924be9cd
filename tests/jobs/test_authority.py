"""Scores of links through their jobs: links become a graph, and the graph scores."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.jobs.authority import Authority
from pagekin.jobs.link_graph import LinkGraph
from pagekin.kinds import GRAPH, RANKS
from pagekin.stages.link_graph.nodes import SELF, Node, parse_node
from tests.jobs.running import run_job, run_script, split_output

PAGES = {
    "a": ["b", "c", "d"],
    "b": ["c"],
    "c": ["a", "d"],
    "e": ["c"],
}
LINES = [
    b"!links/http://%b.example/\t|%b|"
    % (page.encode(), b" ".join(b"http://%b.example/" % other.encode() for other in others))
    for page, others in PAGES.items()
]
OTHER_LINES = [b"!blocks/http://a.example/\tx", b'!task\t{"counters": {}}']
GRAPH_COUNTS = {"pages": 5, "links_of_pages": 7, "hosts": 5, "links_of_hosts": 7}


@pytest.fixture(scope="module")
def graph() -> list[bytes]:
    records, counters = run_job(LinkGraph, [], [*LINES, *OTHER_LINES])
    assert {"link_graph": GRAPH_COUNTS} == counters
    assert all(GRAPH.holds(key) for key, _ in records)
    return [b"%b\t%b" % record for record in records]


def nodes_of(records) -> list[Node]:
    assert all(RANKS.holds(key) for key, _ in records)
    return [parse_node(value) for _, value in records if value.startswith(SELF)]


def test_empty():
    """Nothing comes of nothing."""
    for job in (LinkGraph, Authority):
        assert ([], {}) == run_job(job)


def test_rounds_are_as_in_memory(graph):
    """Rounds of the job, each reading what the one before made, give the scores of memory."""
    lines, before, rounds = graph, "", 4
    for number in range(1, rounds + 1):
        told = [f"--round={number}", "--authority-memory-links=0", f"--before={before}"]
        records, counters = run_job(Authority, told, [*lines, *OTHER_LINES])
        lines = [b"%b\t%b" % record for record in records]
        before = ",".join(f"{name}={n}" for name, n in counters["ranks"].items())
    memory, counted = run_job(Authority, [f"--authority-rounds={rounds}"], graph)
    assert nodes_of(records) == nodes_of(memory)
    assert rounds == counted["ranks"].pop("rounds_in_memory")
    assert counters == counted


def test_best(graph):
    """The page that most link to has the highest rank; its host, too."""
    records, counters = run_job(Authority, [], graph)
    nodes = sorted(nodes_of(records), key=lambda node: -node.rank)
    assert {b"//c.example", b"http://c.example/"} == {node.name for node in nodes[:2]}
    assert [1 << 28] == sorted({node.rank for node in nodes if not node.inlinks})
    assert counters["ranks"]["rounds_in_memory"] < 250


def test_as_programs(tmp_path: Path):
    """Both run as programs on the local runner."""
    source, made = tmp_path / "links", tmp_path / "graph"
    source.write_bytes(b"\n".join([*LINES, *OTHER_LINES, b""]))
    said = run_script("link_graph", "-r", "local", "--no-conf", source)
    assert (0, run_job(LinkGraph, [], LINES)) == (said.code, split_output(said.out.encode()))
    made.write_text(said.out)
    said = run_script("authority", "-r", "local", "--no-conf", made)
    expected = run_job(Authority, [], made.read_bytes().splitlines())
    assert (0, expected) == (said.code, split_output(said.out.encode()))
