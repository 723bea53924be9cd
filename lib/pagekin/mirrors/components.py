"""Which pages are connected by edges: by alternating large-star and small-star, in rounds.

An edge is a pair of nodes, which are bytes of one length; a component is named after its least
node. Each round works on the neighbourhood of every node by itself, and leaves connected what was:

    large-star   a node tells its larger neighbours the least of itself and its neighbours
    small-star   a node tells itself and its smaller neighbours the least of these

In the end every component is a star: its least node, and an edge to each of the others. Edges that
are made have their lesser node first. The
number of edges never grows, and nothing but the least neighbour is kept of a neighbourhood, which
comes sorted: a node may have any number of neighbours. When all edges fit into one task, that
finishes them at once (`connect`).

Kiveris, Lattanzi, Mirrokni, Rastogi, Vassilvitskii: *Connected Components in MapReduce and Beyond*,
2014.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

__all__ = ["Forest", "connect", "large_star", "larger_first", "small_star", "to_both_ends"]

Edge = tuple[bytes, bytes]


def to_both_ends(edges: Iterable[Edge]) -> Iterator[Edge]:
    """What a large-star needs: each edge from either end."""
    for one, other in edges:
        yield one, other
        yield other, one


def larger_first(edges: Iterable[Edge]) -> Iterator[Edge]:
    """What a small-star needs: each edge from its larger end."""
    for one, other in edges:
        yield (one, other) if one > other else (other, one)


def _neighbourhoods(edges: Iterable[Edge]) -> Iterator[tuple[bytes, Iterator[bytes]]]:
    """Each node of sorted edges with its neighbours, each once and in order, and not itself."""
    for node, group in groupby(edges, key=itemgetter(0)):
        neighbours = (neighbour for neighbour, _ in groupby(other for _, other in group))
        yield node, (neighbour for neighbour in neighbours if neighbour != node)


def large_star(edges: Iterable[Edge]) -> Iterator[tuple[Edge | None, int]]:
    """The edges that a large-star makes of edges that came from both ends and are sorted.

    With each edge goes whether the graph was no star there, as a count; an edge that is None has
    only that to tell. Where all counts are 0 the edges are stars, the same as before, and in order.
    """
    for node, neighbours in _neighbourhoods(edges):
        least = next(neighbours, node)
        if least > node:  # a centre
            yield (node, least), 0
            yield from (((node, neighbour), 0) for neighbour in neighbours)
        else:  # of a star this is a leaf: it has no other neighbour
            for neighbour in neighbours:
                yield ((least, neighbour) if neighbour > node else None), 1


def small_star(edges: Iterable[Edge]) -> Iterator[Edge]:
    """The edges that a small-star makes of sorted edges from their larger ends."""
    for node, neighbours in _neighbourhoods(edges):
        least = next(neighbours, node)
        if least != node:
            yield least, node
        for neighbour in neighbours:
            yield least, neighbour


class Forest:
    """Numbers from 0 in sets that are united; each set is known by one of its numbers."""

    def __init__(self, size: int = 0) -> None:
        self._parents = array("q", range(size))

    def __len__(self) -> int:
        return len(self._parents)

    def add(self) -> int:
        """One more number, in a set of its own."""
        self._parents.append(len(self._parents))
        return len(self._parents) - 1

    def find(self, number: int) -> int:
        """The number that the set of this one is known by."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]  # halves the way for those that come later
            number = parents[number]
        return number

    def unite(self, one: int, other: int) -> bool:
        """Make one set of both, known by the lesser of their two; no if it was one before."""
        one, other = sorted((self.find(one), self.find(other)))
        self._parents[other] = one
        return one != other


def connect(edges: Iterable[Edge]) -> list[Edge]:
    """The stars of all these edges, in memory: the least node of each component, with each of the
    others, in order.
    """
    numbers: dict[bytes, int] = {}
    forest = Forest()
    for edge in edges:
        ends = []
        for node in edge:
            if (number := numbers.get(node, -1)) < 0:
                number = numbers[node] = forest.add()
            ends.append(number)
        forest.unite(*ends)
    least: dict[int, bytes] = {}
    stars = ((least.setdefault(forest.find(numbers[node]), node), node) for node in sorted(numbers))
    return sorted(star for star in stars if star[0] != star[1])
