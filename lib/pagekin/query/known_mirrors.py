"""The groups of mirrors of an index in words: of a page, and the largest of all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from pagekin.index.folder import IndexFolder, Place
from pagekin.index.mirror_table import ONE, Edge, MirrorTable, Spot

__all__ = [
    "KnownGroups",
    "MirrorEdge",
    "MirrorGroup",
    "PageMirrors",
    "known_groups",
    "page_mirrors",
]

_SHORTEST = "its URL is the shortest of the {} that most pages link to ({:,})"
_FIRST = "its URL is the first of the {} shortest that most pages link to ({:,})"


class MirrorEdge(NamedTuple):
    """Two pages, and what they share: shares of their shingles."""

    a: str
    b: str
    resemblance: float
    a_in_b: float  # how much of a is on b
    b_in_a: float


class MirrorGroup(NamedTuple):
    """Pages that are copies of one another."""

    representative: str
    size: int
    least_edge: float  # the resemblance of the weakest edge
    least_pair: float  # of the two members that are least alike, of those that were compared
    diameter: int  # the longest of the shortest ways from member to member, in edges
    cut: str  # why it was cut out of a larger group, or ""


class PageMirrors(NamedTuple):
    """The mirrors of a page."""

    url: str
    group: MirrorGroup | None
    why: str  # the representative is the one that it is
    members: list[str]  # the representative first
    edges: list[MirrorEdge]  # the strongest first
    held_by: list[MirrorEdge]  # pages b that hold most of this one, a, and are no mirrors
    holds: list[MirrorEdge]  # pages a of which this one, b, holds most


class KnownGroups(NamedTuple):
    """The groups of an index."""

    groups: int
    pages: int  # in groups
    largest: list[MirrorGroup]
    cut_groups: int  # that were cut out of larger ones
    cut: list[MirrorGroup]  # the first of them


def known_groups(folder: IndexFolder, table: MirrorTable, count: int) -> KnownGroups:
    """The `count` largest groups, and as many of those that were cut out of larger ones; 0: all."""
    by_size, cut = table.by_size(), table.cut_groups()
    return KnownGroups(
        len(table),
        sum(map(table.size, by_size)),
        list(_groups(folder, table, by_size, count)),
        len(cut),
        list(_groups(folder, table, cut, count)),
    )


def _groups(
    folder: IndexFolder, table: MirrorTable, numbers: Iterable[int], count: int
) -> Iterator[MirrorGroup]:
    return (_group(folder, table, number) for number in islice(numbers, count or None))


def _group(folder: IndexFolder, table: MirrorTable, number: int) -> MirrorGroup:
    facts = table.group(number)
    url = _place(folder, facts.members[0]).url
    shares = facts.least_edge / ONE, facts.least_pair / ONE
    return MirrorGroup(url, len(facts.members), *shares, facts.diameter, facts.cut)


def page_mirrors(folder: IndexFolder, table: MirrorTable, place: Place, count: int) -> PageMirrors:
    """The group of a page, with `count` members and edges (0: all), and what holds it or is held.

    Members come as the group has them, the representative first; of edges those of the page
    itself, then the strongest.
    """
    held_by, holds = (
        [_named(folder, edge) for edge in edges] for edges in table.contained(place.spot)
    )
    number = table.group_of(place.spot)
    if number < 0:
        return PageMirrors(place.url, None, "", [], [], held_by, holds)
    facts = table.group(number)
    members = [_place(folder, spot) for spot in facts.members]
    edges = sorted(facts.edges, key=lambda e: (place.spot not in e[:2], -e.resemblance, e))
    return PageMirrors(
        place.url,
        _group(folder, table, number),
        _why_representative(members),
        [member.url for member in members[: count or None]],
        [_named(folder, edge) for edge in edges[: count or None]],
        held_by,
        holds,
    )


def _why_representative(members: Sequence[Place]) -> str:
    """Most pages link to it; of equal ones it has the shortest URL, of these the first."""
    first, *others = members
    links = _linking(first)
    most = max(map(_linking, others))
    if links > most:
        return f"most pages link to it: {links:,}, and {most:,} to the next"
    if links < most:
        return "most pages linked to it when the groups were made"
    equal = [other for other in others if _linking(other) == links]
    as_short = [other for other in equal if _length(other) == _length(first)]
    rivals, why = (as_short, _FIRST) if as_short else (equal, _SHORTEST)
    return why.format(f"{len(rivals) + 1:,}", links)


def _length(place: Place) -> int:
    return len(place.url.encode())


def _linking(place: Place) -> int:
    return place.shard.counts(place.document)[2]


def _named(folder: IndexFolder, edge: Edge) -> MirrorEdge:
    shares = edge.resemblance / ONE, edge.a_in_b / ONE, edge.b_in_a / ONE
    return MirrorEdge(_place(folder, edge.a).url, _place(folder, edge.b).url, *shares)


def _place(folder: IndexFolder, spot: Spot) -> Place:
    return Place(folder.shards[spot.shard], spot.document)
