"""PageRank, hubs and authorities of a graph, in rounds, as whole numbers.

A graph has nodes, and links from nodes to others. Each node has three scores, and a round makes the
next ones of those before:

    rank       1, and of the ranks of those that link here damping times the share of each link
    hub        the sum of the authorities of the nodes that it links to
    authority  the sum of the hubs of the nodes that link to it

PageRank is a rank divided by the sum of all ranks. That is the PageRank (Brin and Page 1998) in
which nodes without links spread their rank evenly: what they spread goes to all nodes in equal
shares, as the 1 does, so it changes the sum and not the shares. Thus no round needs to know of all
nodes what a single one gets, and a node that nobody links to has a rank of exactly 1.

Hubs and authorities (Kleinberg 1998) have the sum 1 after each round but the first, which has no
sums before it; what all of them sum up to follows from the round before.

Ranks are whole numbers of 2^-28, hubs and authorities of 2^-40. Sums of them are exact, so that no
order of addition shows: the scores are the same, to the last bit, in the memory of one process
(`rank_in_memory`) and on any number of tasks (`pagekin.stages.authority.rounds`). Both call the
functions of one round here, which take single numbers as well as arrays.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from pagekin.config import AuthorityConfig

__all__ = [
    "FIRST",
    "HOST_GRAPH",
    "PAGE_GRAPH",
    "RANK_ONE",
    "WHOLE",
    "Factors",
    "Scores",
    "Sums",
    "Whole",
    "are_still",
    "factors_of",
    "normalised",
    "rank_in_memory",
    "ranked_by",
    "sent_along",
]

RANK_ONE = 1 << 28  # the rank of a node that nobody links to
WHOLE = 1 << 40  # the sum of all hubs, and of all authorities
FIRST = 1  # the hub and the authority of each node before the first round

PAGE_GRAPH, HOST_GRAPH = "pages", "hosts"
_THOUSANDTHS = 1_000
_STILL_RANKS = 1e-6  # the sum of all changes of PageRank in a round
_STILL_HUBS = 1e-8  # of hubs or authorities: they go on to change ten or twenty times as much

Whole = NDArray[np.int64]
Number = TypeVar("Number", int, NDArray[np.int64])


class Sums(NamedTuple):
    """What is to be known of all nodes of a graph after a round."""

    rank: int = 0
    rank_change: int = 0
    hub_change: int = 0
    authority_change: int = 0
    to_authorities: int = 0  # of the hub of each node once for each of its links
    to_hubs: int = 0  # of the authority of each node once for each link to it

    @classmethod
    def counted(cls, graph: str, counts: Mapping[str, int]) -> Sums:
        """Those of a graph, as they were counted."""
        return cls(*(counts.get(f"{graph}_{name}", 0) for name in cls._fields))

    def counts(self, graph: str) -> dict[str, int]:
        """By the names under which they are counted."""
        return {f"{graph}_{name}": amount for name, amount in self._asdict().items()}


class Factors(NamedTuple):
    """What the sums of hubs, and of authorities, are multiplied by, so that their sum is 1."""

    hub: float
    authority: float


class Scores(NamedTuple):
    """The scores of each node of a graph, how many rounds they took, and the sums of the last."""

    rank: Whole
    hub: Whole
    authority: Whole
    rounds: int
    sums: Sums


def factors_of(before: Sums) -> Factors:
    """The factors of a round, by the sums of the one before; the first has none before it."""
    if not before.rank:
        return Factors(1.0, 1.0)
    return Factors(
        WHOLE / before.to_hubs if before.to_hubs else 0.0,
        WHOLE / before.to_authorities if before.to_authorities else 0.0,
    )


def are_still(number: int, graphs: Iterable[Sums]) -> bool:
    """Did the round of this number hardly change the scores of these graphs?"""
    return number > 1 and all(
        now.rank_change <= _STILL_RANKS * now.rank
        and now.hub_change < _STILL_HUBS * WHOLE
        and now.authority_change < _STILL_HUBS * WHOLE
        for now in graphs
    )


def sent_along(rank: Number, links: Number) -> Number:
    """What a node of so many links sends along each of them."""
    return rank // links


def ranked_by(received: Number, config: AuthorityConfig) -> Number:
    """The rank of a node by what it receives along all links."""
    factor = round(config.damping * _THOUSANDTHS)
    # in two steps, as received * factor may be more than an array of whole numbers holds
    whole, rest = received // _THOUSANDTHS, received % _THOUSANDTHS
    return RANK_ONE + whole * factor + rest * factor // _THOUSANDTHS


def normalised(received: int, factor: float) -> int:
    """The hub or authority of a node by the sum of what it receives; below 2^53, so that a float
    has it exactly.
    """
    return int(received * factor)


def _all_normalised(received: Whole, factor: float) -> Whole:
    return (received * factor).astype(np.int64)


def rank_in_memory(
    graphs: Mapping[Any, tuple[Whole, Whole, int]], config: AuthorityConfig
) -> dict[Any, Scores]:
    """The scores of graphs, which are given by the tail and the head of each link and the number of
    nodes; all get as many rounds as the one that needs most.
    """
    made = {name: _Graph(*graph, config) for name, graph in graphs.items()}
    rounds = 0
    while rounds < config.rounds:
        sums = [graph.go_on() for graph in made.values()]
        rounds += 1
        if are_still(rounds, sums):
            break
    return {name: Scores(g.rank, g.hub, g.authority, rounds, g.sums) for name, g in made.items()}


class _Graph:
    """A graph with its scores."""

    def __init__(self, tails: Whole, heads: Whole, nodes: int, config: AuthorityConfig) -> None:
        self._config = config
        by_head, by_tail = (np.argsort(ends, kind="stable") for ends in (heads, tails))
        self._in, self._out = _Sums(heads[by_head], nodes), _Sums(tails[by_tail], nodes)
        self._tails, self._heads = tails[by_head], heads[by_tail]
        self.rank = np.full(nodes, RANK_ONE)
        self.hub, self.authority = np.full(nodes, FIRST), np.full(nodes, FIRST)
        self.sums = Sums()

    def go_on(self) -> Sums:
        """One round."""
        factors = factors_of(self.sums)
        sent = sent_along(self.rank, np.maximum(self._out.sizes, 1))
        rank = ranked_by(self._in.of(sent[self._tails]), self._config)
        hub = _all_normalised(self._out.of(self.authority[self._heads]), factors.hub)
        authority = _all_normalised(self._in.of(self.hub[self._tails]), factors.authority)
        self.sums = Sums(
            int(rank.sum()),
            int(np.abs(rank - self.rank).sum()),
            int(np.abs(hub - self.hub).sum()),
            int(np.abs(authority - self.authority).sum()),
            _dot(hub, self._out.sizes),
            _dot(authority, self._in.sizes),
        )
        self.rank, self.hub, self.authority = rank, hub, authority
        return self.sums


def _dot(values: Whole, times: Whole) -> int:
    """The sum of the products, which may be more than an array of whole numbers holds."""
    high, low = np.divmod(values, 1 << 20)
    return (int(high @ times) << 20) + int(low @ times)


class _Sums:
    """Adds up what nodes receive; `ends` tells for each link which node, in their order."""

    def __init__(self, ends: Whole, nodes: int) -> None:
        self.sizes = np.bincount(ends, minlength=nodes)
        self._some = np.flatnonzero(self.sizes)
        self._starts = (np.cumsum(self.sizes) - self.sizes)[self._some]

    def of(self, values: Whole) -> Whole:
        sums = np.zeros(len(self.sizes), np.int64)
        if len(values):
            sums[self._some] = np.add.reduceat(values, self._starts)
        return sums
