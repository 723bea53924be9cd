"""The table of scores that an index has: authority.arrays.

For the graph of pages, `pages`, and for that of hosts, `hosts`:

    pages              the digest of each URL, or of `//HOST`, ascending
    pages_pagerank     the scores of each, in this order; the sum of each score is 1
    pages_hub
    pages_authority

    bounds, text       the names of the best nodes by each score, one list of both graphs

The table knows standings of two kinds. A page that is to be preferred among answers: 0 where nobody
links to it, 1 for the page of the highest PageRank, by the logarithm of the rank between; or that
of its host among hosts, whichever is higher. And what a page's own links count where co-citation is
regulated, in hundredths:

    by pagerank  1 + ln(1 + PageRank / mean PageRank), 4 at the most, of the page or of its host,
                 whichever has more; 1/100 where no other site links to the host
    by hubs      the same of the page as a hub; 1/100 where it is none

Where no more than one page in ten with links lies on a host that another site links to, the
snapshot is too small a part of the web to tell by PageRank: all count 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pagekin.authority.ranks import HOST_GRAPH, PAGE_GRAPH, RANK_ONE, WHOLE
from pagekin.tables import ArrayFile, ArrayWriter, url_digest
from pagekin.web.urls import host

__all__ = [
    "BEST",
    "DTYPES",
    "FULL_WEIGHT",
    "GRAPHS",
    "HOST_MARK",
    "KIND",
    "META",
    "MOST_WEIGHT",
    "SCORES",
    "NodeScores",
    "RankedNode",
    "ScoreTable",
    "host_name",
    "write_scores",
]

KIND = "authority"
SCORES = ("pagerank", "hub", "authority")
GRAPHS = (PAGE_GRAPH, HOST_GRAPH)
DTYPES = {
    **dict.fromkeys(GRAPHS, "|S16"),
    **{f"{graph}_{score}": "<f8" for graph in GRAPHS for score in SCORES},
    "bounds": "<u8",
    "text": "|u1",
}
META = (*(f"{graph}_rank" for graph in GRAPHS), "linking_pages", "vouched_pages")  # whole numbers
BEST = 100  # nodes of each graph and score whose names are kept
HOST_MARK = b"//"  # with which the names of hosts begin
FULL_WEIGHT = 100  # of links that count 1

MOST_WEIGHT = 4
_LEAST_WEIGHT = 1  # hundredths
_VOUCHED = 10  # one in so many pages, or all count 1
_WAITING = 1_000  # more names than are kept


class RankedNode(NamedTuple):
    """A node as the last round left it."""

    name: bytes
    rank: int
    hub: int
    authority: int


class NodeScores(NamedTuple):
    """The scores of a node, and its place by each among all nodes of its graph, from 1 on."""

    pagerank: float
    pagerank_place: int
    hub: float
    hub_place: int
    authority: float
    authority_place: int
    nodes: int


def host_name(url: str) -> bytes:
    """The name of the node of the host of a canonical URL."""
    return HOST_MARK + host(url).encode()


# --- writing --------------------------------------------------------------------------------------


def write_scores(
    path: Path, nodes: Iterable[RankedNode], rank_sums: Mapping[str, int], meta: Mapping[str, Any]
) -> None:
    """Write the table of nodes, which come in the order of the digests of their names."""
    best = {(graph, score): _Best() for graph in GRAPHS for score in SCORES}
    with ArrayWriter(path, DTYPES) as writer:
        for node in nodes:
            graph = HOST_GRAPH if node.name.startswith(HOST_MARK) else PAGE_GRAPH
            scores = node.rank / rank_sums[graph], node.hub / WHOLE, node.authority / WHOLE
            writer.append(graph, url_digest(node.name))
            for score, value in zip(SCORES, scores, strict=True):
                writer.append(f"{graph}_{score}", np.array(value, "<f8").tobytes())
                best[graph, score].add(value, node.name)
        names = sorted({name for some in best.values() for name in some.names()})
        ends = np.cumsum([0, *map(len, names)], dtype="<u8")
        writer.append("bounds", ends.tobytes())
        writer.append("text", b"".join(names))
        writer.finish(KIND, {**meta, **{f"{g}_rank": rank_sums.get(g, 0) for g in GRAPHS}})


class _Best:
    """Keeps the names of the highest values, of equal ones the first in order."""

    def __init__(self) -> None:
        self._found: list[tuple[float, bytes]] = []

    def add(self, value: float, name: bytes) -> None:
        if value > 0:
            self._found.append((-value, name))
            if len(self._found) > _WAITING:
                self._found = sorted(self._found)[:BEST]

    def names(self) -> list[bytes]:
        return [name for _, name in sorted(self._found)[:BEST]]


# --- reading --------------------------------------------------------------------------------------


class ScoreTable:
    """The table, open for reading."""

    def __init__(self, file: ArrayFile | Path) -> None:
        self.file = ArrayFile(file, KIND) if isinstance(file, Path) else file
        self._least = {}  # the PageRank of nodes that nobody links to
        for graph in GRAPHS:
            rank_sum = self.file.meta[f"{graph}_rank"]
            self._least[graph] = RANK_ONE / rank_sum if rank_sum else 1.0

    def size(self, graph: str) -> int:
        """How many nodes a graph has."""
        return len(self.file[graph])

    def knows(self, name: bytes) -> bool:
        """Is this a node, a URL or `//HOST`?"""
        graph = HOST_GRAPH if name.startswith(HOST_MARK) else PAGE_GRAPH
        return self._place(graph, name) is not None

    def scores(self, name: bytes) -> NodeScores | None:
        """The scores of a URL, or of `//HOST`; None where no link tells of it."""
        graph = HOST_GRAPH if name.startswith(HOST_MARK) else PAGE_GRAPH
        at = self._place(graph, name)
        if at is None:
            return None
        columns = [self.file[f"{graph}_{score}"] for score in SCORES]
        values = [float(column[at]) for column in columns]
        pairs = zip(columns, values, strict=True)
        above = [1 + int(np.count_nonzero(column > value)) for column, value in pairs]
        pagerank, hub, authority = zip(values, above, strict=True)
        return NodeScores(*pagerank, *hub, *authority, self.size(graph))

    def best(self, graph: str, score: str) -> Iterator[bytes]:
        """The names of the best nodes, at most 100, the best first."""
        text, edges = self.file["text"].tobytes(), self.file["bounds"].tolist()
        names = (text[low:high] for low, high in pairwise(edges))
        own = [name for name in names if name.startswith(HOST_MARK) == (graph == HOST_GRAPH)]
        order = sorted((-self._value(graph, score, name), name) for name in own)
        return (name for value, name in order[:BEST] if value < 0)

    def standing(self, url: str) -> float:
        """How much a page is to be preferred to others: from 0 to 1."""
        of_page = self._standing(PAGE_GRAPH, url.encode("utf-8", "surrogatepass"))
        return max(of_page, self._standing(HOST_GRAPH, host_name(url)))

    @cached_property
    def _most(self) -> dict[str, float]:
        """The highest PageRank of each graph."""
        return {
            graph: float(self.file[f"{graph}_pagerank"].max(initial=least))
            for graph, least in self._least.items()
        }

    def _standing(self, graph: str, name: bytes) -> float:
        least, most = self._least[graph], self._most[graph]
        value = max(self._value(graph, "pagerank", name), least)
        return math.log(value / least) / math.log(most / least) if most > least else 0.0

    def weight(self, url: str, by: str) -> int:
        """What the links of a page count, in hundredths; `by`: pagerank or hubs."""
        name = url.encode("utf-8", "surrogatepass")
        if by == "hubs":
            return self._weight(self._value(PAGE_GRAPH, "hub", name) * self.size(PAGE_GRAPH))
        meta = self.file.meta
        if meta["vouched_pages"] * _VOUCHED <= meta["linking_pages"]:
            return FULL_WEIGHT
        of_host = self._value(HOST_GRAPH, "pagerank", host_name(url))
        if of_host <= self._least[HOST_GRAPH]:
            return _LEAST_WEIGHT
        of_page = self._value(PAGE_GRAPH, "pagerank", name)
        return self._weight(max(of_host * self.size(HOST_GRAPH), of_page * self.size(PAGE_GRAPH)))

    def _weight(self, to_mean: float) -> int:
        if to_mean <= 0:
            return _LEAST_WEIGHT
        return round(FULL_WEIGHT * min(1 + math.log(1 + to_mean), MOST_WEIGHT))

    def _value(self, graph: str, score: str, name: bytes) -> float:
        at = self._place(graph, name)
        return 0.0 if at is None else float(self.file[f"{graph}_{score}"][at])

    def _place(self, graph: str, name: bytes) -> int | None:
        digests, wanted = self.file[graph], np.array(url_digest(name), "|S16")
        at = int(np.searchsorted(digests, wanted))
        return at if at < len(digests) and digests[at] == wanted else None
