"""Groups of mirrors: what is connected by edges, cut where it holds together too weakly.

Pages that are connected are united by falling resemblance of their edges, so that every way to cut
them at their weakest edges is a set of nodes of one tree: a node holds the pages that edges of a
resemblance and above connect. From the top of the tree down, a node is a group if it

    has at most so many members, or is held together by full copies alone, which nothing can cut;
    and of some pairs of its members, compared by their sketches, the least alike are still alike.

Else its weakest edges are cut: the nodes below it are looked at. The pairs compared are all those
of some members by lot, and of the two that are farthest apart by edges: what drifts from copy to
copy has drifted most between these.

The representative of a group is the member that most pages link to, of these the one with the
shortest URL, of these the first in the order of the URLs.
"""

from __future__ import annotations

from array import array
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, groupby
from operator import attrgetter
from typing import NamedTuple

from pagekin.mirrors.components import Forest
from pagekin.tables import url_number

__all__ = [
    "CUTS",
    "LARGE",
    "ONE",
    "UNLIKE",
    "WHOLE",
    "Group",
    "GroupEdge",
    "Guards",
    "Member",
    "groups_of",
]

ONE = 10_000  # resemblance and containment are in parts of this
CUTS = ("", "too many members", "a pair too little alike")  # why a group was cut out of another
WHOLE, LARGE, UNLIKE = CUTS

_HEAVIEST = 8  # edges that are kept of each member, besides those that hold its group together
_BY_LOT = 16  # members of which all pairs are compared
_ALL_WAYS = 64  # members: of larger groups the diameter is a lower bound


class Member(NamedTuple):
    """A page of a component."""

    url: bytes
    inlinks: int  # pages that link to it


class GroupEdge(NamedTuple):
    """An edge between two members, by their places; shares are in 1/10,000."""

    a: int
    b: int
    resemblance: int
    a_in_b: int
    b_in_a: int


@dataclass(frozen=True)
class Guards:
    """What a group must keep to."""

    most_members: int
    least_pair: int  # resemblance


@dataclass(frozen=True)
class Group:
    """Pages that are mirrors of one another, as places among the members of their component."""

    members: list[int]  # the representative first, then by URL
    edges: list[GroupEdge]  # the heaviest, and those that hold it together
    least_edge: int  # the least resemblance of all its edges
    least_pair: int  # of the pairs that were compared
    diameter: int  # the longest of the shortest ways from member to member, in edges
    cut: str  # why it was cut out of a larger one, or WHOLE


@dataclass(slots=True)
class _Node:
    """Members that edges from some resemblance on connect."""

    size: int
    strength: int  # the resemblance at which it was united
    least_edge: int  # of the edges within it, so far
    below: Sequence[int] = ()  # nodes; of a single member none


def groups_of(
    members: Sequence[Member],
    edges: Iterable[GroupEdge],
    compare: Callable[[int, int], int],
    guards: Guards,
) -> tuple[list[Group], Counter[str]]:
    """The groups of a component, in the order of their representatives; and how often its weakest
    edges were cut, by the reason.

    Members are sorted by URL, edges fall by resemblance; `compare` gives the resemblance of two
    members, in 1/10,000.
    """
    tree = _Tree(len(members), guards.most_members)
    for strength, some in groupby(edges, key=attrgetter("resemblance")):
        tree.unite(strength, some)
    groups, cuts = [], Counter[str]()
    waiting = [(root, WHOLE) for root in tree.roots()]
    while waiting:
        number, cut = waiting.pop()
        group, why = _as_group(tree, number, members, compare, guards)
        if group:
            groups.append(replace(group, cut=cut))
        else:
            cuts[why] += 1
            below = tree.nodes[number].below
            waiting += [(each, why) for each in below if tree.nodes[each].below]
    return sorted(groups, key=lambda group: group.members[0]), cuts


class _Tree:
    """Unites members by falling resemblance, and remembers how.

    Of a node of more than `large` members no edges are kept but those that hold it together.
    """

    def __init__(self, size: int, large: int) -> None:
        self.nodes = [_Node(1, ONE, ONE) for _ in range(size)]
        self._size, self._large = size, large
        self._forest = Forest(size)
        self._top = list(range(size))  # of the number that a set is known by: its node
        self._kept = array("q")  # edges, one number behind another
        self._first = array("q", [-1]) * size  # of each member the last kept edge that it is b of
        self._next = array("q")  # of each kept edge the one before it; -1: none
        self._known = array("q", [0]) * size  # edges of each member that are kept

    def unite(self, strength: int, edges: Iterable[GroupEdge]) -> None:
        """Unite what edges of one resemblance connect."""
        below: dict[int, list[int]] = {}  # of a set, by its number: the nodes that become one
        within = []
        for edge in edges:
            ends = self._forest.find(edge.a), self._forest.find(edge.b)
            joins = self._forest.unite(*ends)
            if joins:
                least, other = sorted(ends)
                nodes = [below.pop(end, []) or [self._top[end]] for end in (least, other)]
                below[least] = nodes[0] + nodes[1]
            else:
                within.append(edge.a)
            few = min(self._known[edge.a], self._known[edge.b]) < _HEAVIEST
            if joins or (few and self.nodes[self._top[ends[0]]].size <= self._large):
                self._keep(edge)
        for number, parts in below.items():
            size = sum(self.nodes[part].size for part in parts)
            self._top[number] = len(self.nodes)
            self.nodes.append(_Node(size, strength, strength, parts))
        for member in within:
            self.nodes[self._top[self._forest.find(member)]].least_edge = strength

    def _keep(self, edge: GroupEdge) -> None:
        self._next.append(self._first[edge.b])
        self._first[edge.b] = len(self._next) - 1
        self._kept.extend(edge)
        for member in edge[:2]:
            self._known[member] += 1

    def _kept_of(self, member: int) -> Iterator[GroupEdge]:
        """The kept edges of a member to those before it."""
        place, width = self._first[member], len(GroupEdge._fields)
        while place >= 0:
            yield GroupEdge(*self._kept[width * place : width * (place + 1)])
            place = self._next[place]

    def roots(self) -> list[int]:
        """The nodes that are not below another one, but for single members."""
        numbers = {self._top[self._forest.find(member)] for member in range(self._size)}
        return sorted(number for number in numbers if self.nodes[number].below)

    def members(self, number: int) -> list[int]:
        """The members of a node, in order."""
        found, waiting = [], [number]
        while waiting:
            node = waiting.pop()
            if node < self._size:
                found.append(node)
            waiting += self.nodes[node].below
        return sorted(found)

    def edges(self, number: int, members: Iterable[int]) -> list[GroupEdge]:
        """The edges of a node that are kept, the heaviest first."""
        own, least = {*members}, self.nodes[number].least_edge
        kept = (edge for member in own for edge in self._kept_of(member))
        found = [edge for edge in kept if edge.a in own and edge.resemblance >= least]
        return sorted(found, key=lambda edge: (-edge.resemblance, edge.a, edge.b))


def _as_group(
    tree: _Tree,
    number: int,
    members: Sequence[Member],
    compare: Callable[[int, int], int],
    guards: Guards,
) -> tuple[Group | None, str]:
    """The node as a group, or None and why it is none."""
    node = tree.nodes[number]
    if node.size > guards.most_members and node.strength < ONE:
        return None, LARGE
    own = tree.members(number)
    edges = tree.edges(number, own)
    representative = min(own, key=lambda m: (-members[m].inlinks, len(members[m].url), m))
    diameter, *ends = _diameter(representative, edges, node.size)
    by_lot = sorted(own, key=lambda member: url_number(members[member].url))[:_BY_LOT]
    compared = sorted({*by_lot, *ends})
    least_pair = min(compare(one, other) for one, other in combinations(compared, 2))
    if least_pair < guards.least_pair:
        return None, UNLIKE
    ordered = [representative, *(member for member in own if member != representative)]
    return Group(ordered, edges, node.least_edge, least_pair, diameter, WHOLE), WHOLE


def _diameter(start: int, edges: Iterable[GroupEdge], size: int) -> tuple[int, int, int]:
    """The longest of the shortest ways, and its ends: of a large group the longest of those from
    the member that is farthest from `start`.
    """
    beside: dict[int, list[int]] = {}
    for edge in edges:
        beside.setdefault(edge.a, []).append(edge.b)
        beside.setdefault(edge.b, []).append(edge.a)
    _, far = _farthest(start, beside)
    starts = sorted(beside) if size <= _ALL_WAYS else [far]
    ways = ((*_farthest(one, beside), one) for one in starts)
    return max(ways, key=lambda way: (way[0], -way[1], -way[2]))


def _farthest(start: int, beside: Mapping[int, Sequence[int]]) -> tuple[int, int]:
    """The greatest distance from here in edges, and the first member that is so far."""
    distance = {start: 0}
    waiting = deque([start])
    while waiting:
        member = waiting.popleft()
        for other in beside[member]:
            if other not in distance:
                distance[other] = distance[member] + 1
                waiting.append(other)
    return max(((far, member) for member, far in distance.items()), key=lambda it: (it[0], -it[1]))
