"""Components by rounds of large-star and small-star, and all at once, against each other."""

from __future__ import annotations

import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.mirrors.components import (
    Forest,
    connect,
    large_star,
    larger_first,
    small_star,
    to_both_ends,
)

Edges = Iterable[tuple[bytes, bytes]]

_nodes = st.integers(0, 30).map(b"%02d".__mod__)


def by_rounds(edges: Edges) -> tuple[list[tuple[bytes, bytes]], int]:
    """The stars that rounds end with, and how many there were, of one step each."""
    rounds = 0
    while True:
        rounds += 1
        made = list(large_star(sorted(to_both_ends(edges))))
        edges = [edge for edge, _ in made if edge]
        if not sum(moves for _, moves in made):
            return edges, rounds
        rounds += 1
        edges = list(small_star(sorted(larger_first(edges))))


def plain(edges: Edges) -> set[tuple[bytes, bytes]]:
    """The least node of each component with each of the others: sets that are put together."""
    sets: dict[bytes, set[bytes]] = {}
    for one, other in edges:
        both = sets.get(one, {one}) | sets.get(other, {other})
        sets |= dict.fromkeys(both, both)
    return {(min(its), node) for node, its in sets.items() if node != min(its)}


@given(st.lists(st.tuples(_nodes, _nodes), max_size=60))
def test_random_graphs(edges):
    """Rounds, and a task that does it at once, make the stars of a slow and obvious program."""
    stars, _ = by_rounds(edges)
    assert sorted(plain(edges)) == stars == connect(edges)


@pytest.mark.parametrize(
    ("edges", "most"),
    [
        ([(k, k + 1) for k in range(4_000)], 21),  # a path
        ([(0, k) for k in range(4_000)], 3),  # a star
        ([(k, j) for k in range(200) for j in range(k)], 3),  # a clique
        ([(k, k // 2) for k in range(1, 4_000)], 15),  # a tree
        ([], 1),
    ],
)
def test_rounds(edges, most):
    """So many rounds at the most, with names by lot."""
    names = [b"%04d" % k for k in range(4_001)]
    random.Random(5).shuffle(names)
    named = [(names[one], names[other]) for one, other in edges]
    stars, rounds = by_rounds(named)
    assert connect(named) == stars
    assert rounds <= most


def test_edges_never_grow():
    """A round makes no more edges than it got."""
    chance = random.Random(7)
    edges = [(b"%03d" % chance.randrange(400), b"%03d" % chance.randrange(400)) for _ in range(900)]
    edges = sorted({edge for edge in edges if edge[0] != edge[1]})
    for _ in range(4):
        larger = [edge for edge, _ in large_star(sorted(to_both_ends(edges))) if edge]
        edges, before = list(small_star(sorted(larger_first(larger)))), len(edges)
        assert len(edges) <= len(larger) <= before


def test_forest():
    """A set is known by its least number; uniting what is one says so."""
    forest = Forest(3)
    assert (3, 4) == (forest.add(), len(forest))
    assert [True, True, False] == [forest.unite(*two) for two in ((3, 1), (2, 3), (1, 2))]
    assert [0, 1, 1, 1] == list(map(forest.find, range(4)))
