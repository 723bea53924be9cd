"""Graphs for tests, and their scores as networkx reckons them."""

from __future__ import annotations

import random

import networkx as nx
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from pagekin.authority.ranks import WHOLE, Scores

__all__ = ["Links", "random_links", "reference", "small_graphs", "worst_difference"]

Links = list[tuple[int, int]]


def random_links(nodes: int, links: int, seed: int) -> Links:
    """Links between nodes of which few have many, half of the nodes have none to others."""
    chance = random.Random(seed)
    found = set()
    while len(found) < links:
        tail, head = chance.randrange(nodes // 2), int(nodes * chance.random() ** 3)
        if tail != head:
            found.add((tail, head))
    return sorted(found)


@st.composite
def small_graphs(draw: st.DrawFn) -> tuple[int, Links]:
    """Up to nine nodes, and links between some of them."""
    nodes = draw(st.integers(1, 9))
    ends = st.integers(0, nodes - 1)
    links = draw(st.sets(st.tuples(ends, ends).filter(lambda link: link[0] != link[1])))
    return nodes, sorted(links)


def reference(nodes: int, links: Links) -> dict[str, NDArray[np.float64]]:
    """PageRank, hubs and authorities of networkx."""
    graph = nx.DiGraph()
    graph.add_nodes_from(range(nodes))
    graph.add_edges_from(links)
    rank = nx.pagerank(graph, tol=1e-13, max_iter=1_000)
    hubs, authorities = nx.hits(graph, max_iter=100_000, tol=1e-11)
    told = {"rank": rank, "hub": hubs, "authority": authorities}
    return {name: np.array([of[k] for k in range(nodes)]) for name, of in told.items()}


def worst_difference(scores: Scores, expected: dict[str, NDArray[np.float64]]) -> float:
    """Between our scores, as shares, and those expected."""
    ours = {
        "rank": scores.rank / scores.rank.sum(),
        "hub": scores.hub / WHOLE,
        "authority": scores.authority / WHOLE,
    }
    return max(float(np.abs(ours[name] - value).max()) for name, value in expected.items())
