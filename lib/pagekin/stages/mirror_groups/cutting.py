"""Each component is cut into groups, in one reducer.

    sent      key component; value a part of it, as mirror_members made it
    output    key `!groups/COMPONENT REPRESENTATIVE`; value `MEMBERS LEAST_EDGE LEAST_PAIR DIAMETER
              CUT`, CUT a place in CUTS
              key `!groups/COMPONENT REPRESENTATIVE URL`, of each member; value the edges to lesser
              members that are kept, `URL R C1 C2`, with a bar between two: C1 is how much of the
              lesser one is on this one

Shares are in 1/10,000. The record of a group comes before those of its members, which are in order.
"""

from __future__ import annotations

import tempfile
from array import array
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, groupby
from operator import itemgetter
from typing import NamedTuple

from pagekin.config import MirrorConfig
from pagekin.counters import Counters
from pagekin.index import mirror_table
from pagekin.kinds import MIRROR_EDGES, MIRROR_GROUPS, Pair
from pagekin.mirrors.groups import (
    CUTS,
    LARGE,
    ONE,
    UNLIKE,
    Group,
    GroupEdge,
    Guards,
    Member,
    groups_of,
)
from pagekin.mirrors.shingles import Sketch, compare, unpack
from pagekin.stages.mirror_edges.verify import parse_edge
from pagekin.stages.mirror_members.join import EDGE, parse_edge_part, parse_page_part

__all__ = [
    "GroupFacts",
    "contained_pairs",
    "cut_components",
    "parse_edges",
    "parse_facts",
    "parse_key",
    "read_groups",
    "send_to_components",
]

_IN_MEMORY = 16 << 20  # bytes of the sketches of a component: those of 12,000 pages
_UNPACKED = 64  # more than are compared at once
_COUNTED = {LARGE: "cut_too_large", UNLIKE: "cut_too_little_alike"}


def send_to_components(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The map side: pages and edges to their components."""
    for _, value in pairs:
        component, _, part = value.partition(b" ")
        yield component, part


def cut_components(
    pairs: Iterable[Pair], config: MirrorConfig, counters: Counters
) -> Iterator[Pair]:
    """The reduce side: the groups of each component, and their members."""
    guards = Guards(config.most_members, round(ONE * config.least_pair))
    for component, group in groupby(pairs, key=itemgetter(0)):
        with _Sketches() as sketches:
            members, edges = _read_parts((value for _, value in group), sketches)
            groups, cuts = groups_of(members, edges, sketches.resemblance, guards)
        counters.add("mirror_groups", "components")
        counters.add("mirror_groups", "groups", len(groups))
        for why, times in cuts.items():
            counters.add("mirror_groups", _COUNTED[why], times)
        for each in groups:
            counters.add("mirror_groups", "members", len(each.members))
            yield from _records(component, each, members)


def _read_parts(
    values: Iterator[bytes], sketches: _Sketches
) -> tuple[list[Member], Iterator[GroupEdge]]:
    """The members of a component, and its edges, which are yet to be read."""
    members: list[Member] = []
    for value in values:
        if value.startswith(EDGE):
            places = {member.url: place for place, member in enumerate(members)}
            parts = map(parse_edge_part, chain([value], values))
            edges = (GroupEdge(places[edge.a], places[edge.b], *edge[2:]) for edge in parts)
            return members, edges
        page = parse_page_part(value)
        members.append(Member(page.url, page.inlinks))
        sketches.add(page.sketch)
    raise ValueError("a component without an edge")


class _Sketches:
    """The sketches of the members of a component, of many on disk; to be used in a `with`."""

    def __init__(self) -> None:
        self._ends = array("q", [0])
        self._of = lru_cache(_UNPACKED)(self._unpacked)

    def __enter__(self) -> _Sketches:
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def add(self, sketch: bytes) -> None:
        """That of one more member."""
        self._ends.append(self._ends[-1] + self._file.write(sketch))

    def resemblance(self, one: int, other: int) -> int:
        """Of two members, in 1/10,000."""
        return compare(self._of(one), self._of(other)).in_parts(ONE)[0]

    def _unpacked(self, member: int) -> Sketch:
        self._file.seek(self._ends[member])
        return unpack(self._file.read(self._ends[member + 1] - self._ends[member]))


def _records(component: bytes, group: Group, members: list[Member]) -> Iterator[Pair]:
    key = b"%b%b %b" % (MIRROR_GROUPS.prefix, component, members[group.members[0]].url)
    facts = group.least_edge, group.least_pair, group.diameter, CUTS.index(group.cut)
    yield key, b"%d %d %d %d %d" % (len(group.members), *facts)
    edges: dict[int, list[bytes]] = {}
    for edge in group.edges:
        told = b"%b %d %d %d" % (members[edge.a].url, *edge[2:])
        edges.setdefault(edge.b, []).append(told)
    for member in sorted(group.members):
        yield b"%b %b" % (key, members[member].url), b"|".join(edges.get(member, []))


# --- reading groups ---


class GroupFacts(NamedTuple):
    """What the record of a group says, besides its representative."""

    members: int
    least_edge: int
    least_pair: int
    diameter: int
    cut: str


def parse_key(key: bytes) -> tuple[bytes, bytes]:
    """The representative, and the member; that is empty in the key of a group itself."""
    _, representative, *member = key.removeprefix(MIRROR_GROUPS.prefix).split(b" ")
    return representative, member[0] if member else b""


def parse_facts(value: bytes) -> GroupFacts:
    """The facts of a group; ValueError if these are none.

    >>> parse_facts(b"3 9000 8100 2 0")
    GroupFacts(members=3, least_edge=9000, least_pair=8100, diameter=2, cut='')
    """
    members, least_edge, least_pair, diameter, cut = map(int, value.split(b" "))
    if cut not in range(len(CUTS)):
        raise ValueError("no reason to cut a group")
    return GroupFacts(members, least_edge, least_pair, diameter, CUTS[cut])


def parse_edges(member: bytes, value: bytes) -> list[mirror_table.Edge]:
    """The edges of a member to lesser ones; ValueError if these are none."""
    edges = []
    for word in filter(None, value.split(b"|")):
        other, *shares = word.split(b" ")
        resemblance, other_in_it, it_in_other = map(int, shares)
        edges.append(mirror_table.Edge(other, member, resemblance, other_in_it, it_in_other))
    return edges


def read_groups(pairs: Iterable[Pair]) -> Iterator[mirror_table.Group]:
    """The groups of sorted records, as an index holds them."""
    parsed = ((*parse_key(key), value) for key, value in pairs)
    for representative, group in groupby(parsed, key=itemgetter(0)):
        (_, _, told), *records = group
        facts, edges = parse_facts(told), []
        urls = [representative, *(url for _, url, _ in records if url != representative)]
        for _, url, value in records:
            edges += parse_edges(url, value)
        if len(urls) != facts.members:
            raise ValueError("a group of which members are missing")
        edges.sort(key=lambda edge: (-edge.resemblance, edge.a, edge.b))
        yield mirror_table.Group(urls, edges, *facts[1:])


def contained_pairs(pairs: Iterable[Pair]) -> Iterator[mirror_table.Edge]:
    """Of the pairs that were compared those of which one page holds most of the other: a is the one
    that is held.
    """
    for key, value in pairs:
        one, edge = key.removeprefix(MIRROR_EDGES.prefix), parse_edge(value)
        _, resemblance, share, other_share, are_mirrors = edge
        if are_mirrors:
            continue
        if share >= other_share:
            yield mirror_table.Edge(one, edge.url, resemblance, share, other_share)
        else:
            yield mirror_table.Edge(edge.url, one, resemblance, other_share, share)
