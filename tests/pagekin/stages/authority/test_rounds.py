"""Rounds of a job and all rounds in memory: the same scores, to the last bit."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.config import AuthorityConfig
from pagekin.counters import Counters
from pagekin.kinds import LINKS, Pair
from pagekin.stages.authority import rounds as module
from pagekin.stages.authority.rounds import add_up, rank_whole, send_scores, send_whole
from pagekin.stages.link_graph import nodes
from pagekin.stages.link_graph.nodes import SELF, Node, join_ends, parse_node, send_ends

SITES = [f"http://{host}.example/{path}" for host in "abcde" for path in ("", "x")]
PAGES = st.dictionaries(st.sampled_from(SITES), st.sets(st.sampled_from(SITES)))


def graph_of(pages: dict[str, set[str]]) -> list[Pair]:
    """The records of a graph of these pages, of which the links within a site are none."""
    records = [
        (LINKS.prefix + page.encode(), b"|%b|" % " ".join(sorted(urls - {page})).encode())
        for page, urls in pages.items()
    ]
    return list(join_ends(sorted(send_ends(records, AuthorityConfig())), Counters()))


def in_memory(graph: Sequence[Pair], config: AuthorityConfig) -> tuple[list[Node], Counters]:
    counters = Counters()
    made = rank_whole(sorted(send_whole(graph)), config, counters)
    return [parse_node(value) for _, value in made], counters


def in_rounds(graph: Sequence[Pair], config: AuthorityConfig, number: int, tasks: int):
    """The nodes after so many rounds of so many mappers and reducers."""
    records, before = list(graph), {}
    for _ in range(number):
        sent = [pair for k in range(tasks) for pair in send_scores(records[k::tasks])]
        keys = sorted({key for key, _ in sent})
        counters, records = Counters(), []
        for k in range(tasks):
            mine = {*keys[k::tasks]}
            received = sorted(pair for pair in sent if pair[0] in mine)
            records += add_up(received, before, config, counters)
        before = counters.as_dict().get("ranks", {})
    records.sort()
    return [parse_node(value) for _, value in records if value.startswith(SELF)], before


@settings(deadline=None, max_examples=60)
@given(PAGES, st.integers(1, 6), st.integers(1, 3))
def test_rounds_are_as_in_memory(pages, number, tasks):
    """Nodes and sums are the same for any number of rounds and of tasks."""
    graph = graph_of(pages)
    config = AuthorityConfig(rounds=number)
    expected, counters = in_memory(graph, config)
    counted = counters.as_dict().get("ranks", {})
    number = counted.pop("rounds_in_memory", number)
    assert (expected, counted) == in_rounds(graph, config, number, tasks)


def test_long_lists_are_cut(monkeypatch):
    """Neither the length of records nor what waits to be sent shows."""
    pages = {site: {*SITES} for site in SITES[:7]}
    expected = in_rounds(graph_of(pages), AuthorityConfig(), 3, 1)
    monkeypatch.setattr(nodes, "_TOGETHER", 2)
    monkeypatch.setattr(module, "_GATHERED", 1)
    assert expected == in_rounds(graph_of(pages), AuthorityConfig(), 3, 2)


def test_damping():
    """Without damping all ranks are 1."""
    made, _ = in_memory(graph_of({SITES[0]: {SITES[2]}}), AuthorityConfig(damping=0.0))
    assert {module.ranked_by(0, AuthorityConfig())} == {node.rank for node in made}


def test_no_node():
    """Nothing comes of nothing."""
    assert ([], {}) == in_rounds([], AuthorityConfig(), 2, 1)
    assert [] == in_memory([], AuthorityConfig())[0]


def test_a_record_that_is_none():
    """A damaged node is no node."""
    value = graph_of({SITES[0]: {SITES[2]}})[0][1]
    assert parse_node(value).name
    with pytest.raises(ValueError, match="values to unpack"):
        parse_node(value.replace(b" ", b"", 1))
