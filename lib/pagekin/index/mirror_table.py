"""The groups of mirrors of an index: one array file, looked up by document.

A document is told by its shard and its number there, so no URL is read for a look-up. Documents in
the table are its rows, in the order of shards and numbers. A row belongs to one group, or to none:
then the page holds another one, or is held by one.

Resemblance and containment are in 1/10,000. The file may come from strangers: what look-ups rest on
is checked in one pass when it is opened.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.index.shard import bounds_hold
from pagekin.mirrors.groups import CUTS, ONE
from pagekin.tables import ArrayFile, damaged, write_arrays

__all__ = [
    "CUTS",
    "DTYPES",
    "KIND",
    "ONE",
    "Edge",
    "Group",
    "MembersMet",
    "MirrorTable",
    "Spot",
    "table_rules",
    "write_mirrors",
]

KIND = "mirrors"
DTYPES = {
    "shard_bounds": "<u8",  # the i-th shard has the rows from shard_bounds[i] to [i + 1]
    "documents": "<u4",  # of each row, ascending in a shard
    "groups": "<u4",  # of each row; _NO_GROUP
    "member_bounds": "<u8",
    "members": "<u4",  # rows, group after group, as in Group
    "least_edges": "<u2",  # of each group
    "least_pairs": "<u2",
    "diameters": "<u4",
    "cuts": "|u1",  # why the group was cut out of a larger one: a place in CUTS
    "edge_bounds": "<u8",
    "edges_a": "<u4",  # rows, group after group
    "edges_b": "<u4",
    "edges_resemblance": "<u2",
    "edges_a_in_b": "<u2",
    "edges_b_in_a": "<u2",
    "contained_a": "<u4",  # rows of pages of which another one, b, holds most
    "contained_b": "<u4",
    "contained_resemblance": "<u2",
    "contained_a_in_b": "<u2",
    "contained_b_in_a": "<u2",
}

_NO_GROUP = (1 << 32) - 1
_COLUMNS = ("a", "b", "resemblance", "a_in_b", "b_in_a")
_FACTS = ("least_edges", "least_pairs", "diameters", "cuts")

Numbers = NDArray[np.int64]
Rule = tuple[str, bool]  # what must hold, and does it?


class Spot(NamedTuple):
    """Where a document is."""

    shard: int
    document: int


class Edge(NamedTuple):
    """Two pages, and what they share. Pages are URLs where an edge is written, and spots where it
    is read.
    """

    a: Any
    b: Any
    resemblance: int
    a_in_b: int  # how much of a is on b
    b_in_a: int


class Group(NamedTuple):
    """Pages that are mirrors: URLs where a group is written, spots where it is read."""

    members: Sequence[Any]  # the representative first, and the others in the order of their URLs
    edges: Sequence[Edge]
    least_edge: int  # the resemblance of the weakest edge
    least_pair: int  # of the two members that are least alike, of those that were compared
    diameter: int  # the longest of the shortest ways from member to member, in edges
    cut: str = ""  # one of CUTS


class MembersMet(NamedTuple):
    """Those of some documents that have mirrors."""

    at: Numbers  # where they stand among the documents
    groups: Numbers
    places: Numbers  # the order of the members of a group, as a number


def write_mirrors(
    path: Path,
    groups: Iterable[Group],
    contained: Iterable[Edge],
    place_of: Callable[[bytes], tuple[int, int] | None],
    shards: int,
) -> None:
    """Store groups, and contained pairs, of which a is the page that is held.

    `place_of` tells the shard of a URL, and its number there. Pages that are no documents are left
    out, and groups of which no two pages remain.
    """
    numbers: dict[bytes, int] = {}  # of URLs: shard and document in one; -1: no document

    def number_of(url: bytes) -> int:
        if url not in numbers:
            place = place_of(url)
            numbers[url] = -1 if place is None else place[0] << 32 | place[1]
        return numbers[url]

    def add_edges(some: Iterable[Edge], columns: list[array[int]]) -> None:
        for edge in some:
            row = number_of(edge.a), number_of(edge.b), *edge[2:]
            if min(row) >= 0:
                for column, number in zip(columns, row, strict=True):
                    column.append(number)

    members, edges, held = array("q"), _empty_columns(), _empty_columns()
    bounds, edge_bounds = [0], [0]
    facts: list[tuple[int, ...]] = []
    for group in groups:
        urls = [*group.members[:1], *sorted(group.members[1:])]
        own = [number for url in urls if (number := number_of(url)) >= 0]
        if len(own) > 1:
            members.extend(own)
            bounds.append(len(members))
            add_edges(group.edges, edges)
            edge_bounds.append(len(edges[0]))
            facts.append((*group[2:5], CUTS.index(group.cut)))
    add_edges(contained, held)

    each = [np.array(column, np.int64) for column in (members, *edges[:2], *held[:2])]
    documents = np.unique(np.concatenate(each))
    of_members, *rows = (np.searchsorted(documents, some) for some in each)
    of_row = np.full(len(documents), _NO_GROUP, np.int64)
    of_row[of_members] = np.repeat(np.arange(len(facts)), np.diff(bounds))
    columns = (*rows[:2], *edges[2:], *rows[2:], *held[2:])
    names = (f"{name}_{column}" for name in ("edges", "contained") for column in _COLUMNS)
    arrays: dict[str, Any] = {
        "shard_bounds": np.searchsorted(documents, np.arange(shards + 1) << 32),
        "documents": documents & ((1 << 32) - 1),
        "groups": of_row,
        "member_bounds": bounds,
        "members": of_members,
        "edge_bounds": edge_bounds,
        **dict(zip(_FACTS, np.array(facts, np.int64).reshape(-1, len(_FACTS)).T, strict=True)),
        **dict(zip(names, columns, strict=True)),
    }
    write_arrays(path, KIND, {}, {n: np.asarray(arrays[n], dtype) for n, dtype in DTYPES.items()})


def _empty_columns() -> list[array[int]]:
    return [array("q") for _ in _COLUMNS]


class MirrorTable:
    """The groups of an index; `sizes` are the numbers of documents of its shards.

    InputError where the file contradicts itself or them.
    """

    def __init__(self, file: ArrayFile, sizes: Sequence[int]) -> None:
        if not all(holds for _, holds in table_rules(file, sizes)):
            raise damaged(file.path)
        self._file = file
        self._starts = file["shard_bounds"].tolist()
        self._bounds, members = file["member_bounds"], file["members"]
        # single numbers of memory are read in a third of the time that those of an array take
        self._documents, self._groups = file["documents"].data, file["groups"].data
        self._places = np.empty(len(file["groups"]), np.int64)  # of rows, among the members
        self._places[members] = np.arange(len(members))

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self._bounds) - 1

    def members_among(self, shard: int, documents: NDArray[Any]) -> MembersMet:
        """Which of these documents of a shard, ascending, have mirrors?"""
        low, high = self._starts[shard : shard + 2]
        own = self._file["documents"][low:high]
        if len(own) < len(documents):  # the fewer are looked up among the more
            rows, met = _shared(own, documents)
        else:
            met, rows = _shared(documents, own)
        groups = self._file["groups"][low:high][rows]
        is_member = groups != _NO_GROUP
        places = self._places[low:high][rows][is_member]
        return MembersMet(met[is_member], groups[is_member].astype(np.int64), places)

    def group_of(self, spot: Spot) -> int:
        """The group of a document, or -1."""
        row = self.row_of(spot)
        group = _NO_GROUP if row < 0 else self._groups[row]
        return -1 if group == _NO_GROUP else group

    def row_of(self, spot: Spot) -> int:
        """The row of a document, or -1 where it has none."""
        low, high = self._starts[spot.shard : spot.shard + 2]
        row = bisect_left(self._documents, spot.document, low, high)
        return row if row < high and self._documents[row] == spot.document else -1

    def size(self, group: int) -> int:
        """How many members a group has."""
        return int(self._bounds[group + 1]) - int(self._bounds[group])

    def representative(self, group: int) -> Spot:
        """The member that stands for a group."""
        row = int(self._file["members"][int(self._bounds[group])])
        return Spot(bisect_right(self._starts, row) - 1, self._documents[row])

    def members(self, group: int, most: int | None = None) -> list[Spot]:
        """The members of a group, the representative first; the first `most` of them."""
        low, high = self._bounds[group : group + 2].tolist()
        return self._spots(self._file["members"][low:high][:most])

    def group(self, number: int) -> Group:
        """All that is known of a group."""
        low, high = self._file["edge_bounds"][number : number + 2].tolist()
        least_edge, least_pair, diameter, cut = (int(self._file[name][number]) for name in _FACTS)
        edges = self._edges("edges", slice(low, high))
        return Group(self.members(number), edges, least_edge, least_pair, diameter, CUTS[cut])

    def by_size(self) -> list[int]:
        """All groups, that of most members first, of equal ones as they are numbered."""
        order: list[int] = np.argsort(
            -np.diff(self._bounds.astype(np.int64)), kind="stable"
        ).tolist()
        return order

    def cut_groups(self) -> list[int]:
        """The groups that were cut out of larger ones."""
        groups: list[int] = self._file["cuts"].nonzero()[0].tolist()
        return groups

    def all_edges(self) -> Iterator[tuple[int, int, int]]:
        """The resemblance and both rows of every edge of every group."""
        columns = (self._file[f"edges_{name}"].tolist() for name in ("resemblance", "a", "b"))
        return zip(*columns, strict=True)

    def contained(self, spot: Spot) -> tuple[list[Edge], list[Edge]]:
        """The pages that hold most of a document, and those of which it holds most; a is the page
        that is held.
        """
        row = self.row_of(spot)
        if row < 0:
            return [], []
        holders, held = (self._file[f"contained_{side}"] == row for side in "ab")
        return self._edges("contained", holders), self._edges("contained", held)

    def all_contained(self) -> list[Edge]:
        """All pairs of which b holds most of a."""
        return self._edges("contained", slice(None))

    def _edges(self, name: str, chosen: slice | NDArray[np.bool_]) -> list[Edge]:
        a, b, *numbers = (self._file[f"{name}_{column}"][chosen] for column in _COLUMNS)
        columns = (self._spots(a), self._spots(b), *(each.tolist() for each in numbers))
        return [Edge(*row) for row in zip(*columns, strict=True)]

    def _spots(self, rows: NDArray[Any]) -> list[Spot]:
        shards = np.searchsorted(self._starts, rows, side="right") - 1
        return list(map(Spot, shards.tolist(), self._file["documents"][rows].tolist()))


def _shared(fewer: NDArray[Any], more: NDArray[Any]) -> tuple[Numbers, Numbers]:
    """Where both have the same numbers, which ascend in both."""
    if not len(fewer):
        return np.empty(0, np.int64), np.empty(0, np.int64)
    places = more.searchsorted(fewer)
    places[places == len(more)] = 0
    met = (more[places] == fewer).nonzero()[0]
    return met, places[met]


def table_rules(file: ArrayFile, sizes: Sequence[int]) -> Iterator[Rule]:
    """What every look-up rests on, in an order in which each may rest on those before."""
    bounds, documents, groups = (file[name] for name in ("shard_bounds", "documents", "groups"))
    rows, count = len(documents), len(file["least_edges"])
    yield "rows of every shard", len(bounds) == len(sizes) + 1 and bounds_hold(bounds, rows)
    shards = zip(bounds[:-1].tolist(), bounds[1:].tolist(), sizes, strict=True)
    ascend = all(_ascend(documents[low:high], size) for low, high, size in shards)
    yield "documents of each shard, ascending", ascend
    yield "a group, or none, of every row", len(groups) == rows
    is_known = {len(file[name]) for name in _FACTS} == {count}
    yield "facts of every group", is_known and bool((file["cuts"] < len(CUTS)).all())
    members, edges = file["members"], file["member_bounds"]
    yield "members of every group", len(edges) == count + 1 and bounds_hold(edges, len(members))
    sizes_of = edges[1:].astype(np.int64) - edges[:-1].astype(np.int64)
    yield "two members at least", bool((sizes_of > 1).all())
    yield "members that are rows", bool((members < rows).all())
    of_row = np.full(rows, _NO_GROUP, np.int64)
    of_row[members] = np.repeat(np.arange(count), sizes_of)
    yield "members of the groups of their rows", bool((of_row == groups).all())
    yield "members that differ", np.count_nonzero(groups != _NO_GROUP) == len(members)
    edges = file["edge_bounds"]
    whole = len(edges) == count + 1 and bounds_hold(edges, len(file["edges_a"]))
    yield "edges of every group", whole
    for name in ("edges", "contained"):
        pages, shares = (
            [file[f"{name}_{column}"] for column in some] for some in (_COLUMNS[:2], _COLUMNS[2:])
        )
        lengths = {len(column) for column in (*pages, *shares)}
        yield f"{name}: five numbers each", len(lengths) == 1
        yield f"{name}: of rows", all(bool((column < rows).all()) for column in pages)
        yield f"{name}: shares", all(bool((column <= ONE).all()) for column in shares)


def _ascend(documents: NDArray[np.uint32], size: int) -> bool:
    """Are they documents of a shard of this size, each once and in order?"""
    return not len(documents) or (
        int(documents[-1]) < size and bool((documents[1:] > documents[:-1]).all())
    )
