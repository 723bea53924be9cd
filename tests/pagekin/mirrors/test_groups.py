"""Groups of mirrors, cut at their weakest edges, against a program that cuts and looks again."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.mirrors.groups import (
    LARGE,
    ONE,
    UNLIKE,
    WHOLE,
    Group,
    GroupEdge,
    Guards,
    Member,
    groups_of,
)

_NONE = Guards(most_members=1000, least_pair=0)
Weights = dict[tuple[int, int], int]  # of pairs: their resemblance


def named(count: int, inlinks: Iterable[int] = ()) -> list[Member]:
    counts = [*inlinks, *[0] * count]
    return [Member(b"http://m%04d.example/" % k, counts[k]) for k in range(count)]


def edges_of(weights: Weights) -> list[GroupEdge]:
    """The edges, falling by resemblance."""
    edges = [GroupEdge(a, b, weight, weight, weight) for (a, b), weight in weights.items()]
    return sorted(edges, key=lambda edge: (-edge.resemblance, edge.a, edge.b))


def made(
    weights: Weights, guards: Guards = _NONE, count: int = 12, pairs: Weights | None = None
) -> list[Group]:
    """The groups, in the order of their first members; pairs that are not said are fully alike."""

    def compare(one: int, other: int) -> int:
        return (pairs or {}).get((one, other), ONE)

    found, _ = groups_of(named(count), edges_of(weights), compare, guards)
    return sorted(found, key=lambda group: min(group.members))


def connected(members: set[int], weights: Weights) -> list[set[int]]:
    """What edges connect, of two members and more."""
    sets = [{member} for member in members]
    for a, b in weights:
        if {a, b} <= members:
            both = [each for each in sets if each & {a, b}]
            sets = [each for each in sets if not each & {a, b}] + [set().union(*both)]
    return [each for each in sets if len(each) > 1]


def plain(weights: Weights, most: int, cut: str = WHOLE) -> list[tuple[list[int], int, str]]:
    """Members, least edge and cut of each group: too large ones lose their weakest edges."""
    found = []
    for members in connected({m for pair in weights for m in pair}, weights):
        own = {pair: weight for pair, weight in weights.items() if set(pair) <= members}
        # the weakest that hold it together: without them, and all below, it falls apart
        strength = max(
            weight
            for weight in own.values()
            if connected(members, {p: w for p, w in own.items() if w >= weight}) == [members]
        )
        if len(members) > most and strength < ONE:
            stronger = {pair: weight for pair, weight in own.items() if weight > strength}
            found += plain(stronger, most, LARGE)
        else:
            found.append((sorted(members), min(own.values()), cut))
    return sorted(found)


_weights = st.dictionaries(
    st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda pair: pair[0] < pair[1]),
    st.sampled_from([5000, 6000, 7000, 8000, ONE]),
    max_size=20,
)


@given(_weights, st.integers(2, 12))
def test_cut_by_size(weights, most):
    """Groups are what is left when too large ones lose their weakest edges, again and again."""
    groups = made(weights, Guards(most, 0))
    expected = plain(weights, most)
    assert expected == [(sorted(g.members), g.least_edge, g.cut) for g in groups]


@given(_weights)
def test_facts(weights):
    """Edges within are told, the diameter is that of the graph, and each member is in one group."""
    groups = made(weights)
    assert len({m for g in groups for m in g.members}) == sum(len(g.members) for g in groups)
    for group in groups:
        own = {pair: w for pair, w in weights.items() if {*pair} <= {*group.members}}
        assert own == {(edge.a, edge.b): edge.resemblance for edge in group.edges}
        assert diameter(group.members, set(own)) == group.diameter


def diameter(members: Iterable[int], pairs: set[tuple[int, int]]) -> int:
    """By all shortest ways (Floyd and Warshall)."""
    far = {(a, b): 0 if a == b else 1 if {(a, b), (b, a)} & pairs else 99
           for a in members for b in members}  # fmt: skip
    for k in members:
        far = {(a, b): min(way, far[a, k] + far[k, b]) for (a, b), way in far.items()}
    return max(far.values())


def test_chain_of_copies_that_drift():
    """Each is like the next, and the ends have nothing in common: cut at the weakest link."""
    weights = {(k, k + 1): 9000 for k in range(9)}
    weights[4, 5] = 8000
    unlike = {(a, b): ONE - 1500 * (b - a) for a, b in combinations(range(10), 2) if b - a < 7}
    unlike = dict.fromkeys(combinations(range(10), 2), 100) | unlike
    one, other = made(weights, Guards(100, 2000), pairs=unlike)
    assert ([0, 1, 2, 3, 4], [5, 6, 7, 8, 9]) == (one.members, other.members)
    assert (UNLIKE, 9000, 4000, 4) == (one.cut, one.least_edge, one.least_pair, one.diameter)


def test_nothing_is_left_of_a_group_that_never_holds():
    """Where even the strongest edges connect what is not alike, there is no group."""
    edges = edges_of({(0, 1): 9000, (1, 2): 9000})
    groups, cuts = groups_of(named(3), edges, lambda one, other: 100, Guards(100, 2000))
    assert ([], {UNLIKE: 1}) == (groups, cuts)


def test_full_copies_are_never_cut():
    """A star of full copies is one group, however large; a weaker edge to more of them is cut."""
    copies = {(0, k): ONE for k in range(1, 300)} | {(300, k): ONE for k in range(301, 305)}
    groups = made(copies | {(5, 301): 9900}, Guards(100, 0), 305)
    assert [(300, LARGE, 2, ONE), (5, LARGE, 2, ONE)] == [
        (len(g.members), g.cut, g.diameter, g.least_pair) for g in groups
    ]
    assert 299 == len(groups[0].edges)


def test_far_ends_of_a_large_group_are_compared():
    """Of a long chain the two ends are compared, whatever members the lot draws."""
    asked: list[tuple[int, int]] = []

    def compare(one: int, other: int) -> int:
        asked.append((one, other))
        return ONE

    chain = edges_of({(k, k + 1): 9000 for k in range(499)})
    (group,), cuts = groups_of(named(500), chain, compare, _NONE)
    assert {} == cuts
    assert (499, True) == (group.diameter, (0, 499) in asked)
    assert len(asked) <= 18 * 17 / 2


def test_heaviest_edges_are_kept():
    """Of a clique of 40 each member keeps its heaviest edges, and those that hold it together."""
    weights = {(a, b): 9000 - (a + b) for a, b in combinations(range(40), 2)}
    (group,) = made(weights, count=40)
    assert 40 == len(group.members)
    assert 9000 - 38 - 39 == group.least_edge  # of all edges, kept or not
    assert 39 <= len(group.edges) < 40 * 8
    assert [edge for edge in edges_of(weights) if edge in group.edges] == group.edges


@pytest.mark.parametrize(
    ("members", "first"),
    [
        ([(b"http://a.example/", 1), (b"http://b.example/", 2)], 1),  # most inlinks
        ([(b"http://a.example/long", 2), (b"http://b.example/", 2)], 1),  # the shortest URL
        ([(b"http://a.example/", 2), (b"http://b.example/", 2)], 0),  # the first
    ],
)
def test_representative(members, first):
    """Most inlinks, then the shortest URL, then the first; the others follow by URL."""
    edge = GroupEdge(0, 1, 9000, 9000, 9000)
    (group,), _ = groups_of([Member(*m) for m in members], [edge], lambda one, other: ONE, _NONE)
    assert [first, 1 - first] == group.members
