"""One round of the scores: nodes send theirs along their links, and add up what they receive.

What a mapper sends to a node begins with a digit: `0 RANK HUB AUTHORITY`, the sum of what others
send it, and the records of the node itself, as `pagekin.stages.link_graph.nodes` has them. The 0
comes first, so that a reducer knows the new scores before it passes on the links, however many.

A graph that is small enough goes to one reducer as a whole, under one key, and gets all its rounds
there.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby, pairwise
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from pagekin.authority.ranks import (
    HOST_GRAPH,
    PAGE_GRAPH,
    Factors,
    Sums,
    Whole,
    factors_of,
    normalised,
    rank_in_memory,
    ranked_by,
)
from pagekin.authority.table import HOST_MARK
from pagekin.config import AuthorityConfig
from pagekin.counters import Counters
from pagekin.kinds import RANKS, Pair
from pagekin.stages.link_graph.nodes import (
    BACK,
    NODE_LENGTH,
    ONWARD,
    SELF,
    Node,
    back_value,
    graph_of,
    node_value,
    onward_value,
    parse_node,
)

__all__ = ["RECEIVED", "WHOLE_GRAPH", "add_up", "rank_whole", "send_scores", "send_whole"]

RECEIVED = b"0"
_GATHERED = 200_000  # nodes that are to be sent something: 60 MB
WHOLE_GRAPH = b"graph"  # the key under which all of it is sent


def send_scores(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The map side of a round."""
    sums: dict[bytes, list[int]] = {}
    for key, value in pairs:
        node = key[-NODE_LENGTH:]
        yield node, value
        if value.startswith(ONWARD):
            _, rank, hub, *nodes = value.split(b" ")
            _add(sums, nodes, int(rank), int(hub), 0)
        elif value.startswith(BACK):
            _, authority, *nodes = value.split(b" ")
            _add(sums, nodes, 0, 0, int(authority))
        if len(sums) > _GATHERED:
            yield from _gathered(sums)
    yield from _gathered(sums)


def _add(
    sums: dict[bytes, list[int]], nodes: Iterable[bytes], rank: int, hub: int, authority: int
) -> None:
    for node in nodes:
        received = sums.get(node)
        if received is None:
            sums[node] = [rank, hub, authority]
        else:
            received[0] += rank
            received[1] += hub
            received[2] += authority


def _gathered(sums: dict[bytes, list[int]]) -> Iterator[Pair]:
    """What was gathered, which is forgotten then."""
    for node, (rank, hub, authority) in sums.items():
        yield node, b"%b %d %d %d" % (RECEIVED, rank, hub, authority)
    sums.clear()


def add_up(
    pairs: Iterable[Pair], before: Mapping[str, int], config: AuthorityConfig, counters: Counters
) -> Iterator[Pair]:
    """The reduce side of a round; `before` is what the one before counted."""
    graphs = (PAGE_GRAPH, HOST_GRAPH)
    factors = {graph: factors_of(Sums.counted(graph, before)) for graph in graphs}
    for key, group in groupby(pairs, key=itemgetter(0)):
        rank = hub = authority = 0
        for _, value in group:
            if value.startswith(SELF):
                break
            added = value.split(b" ")
            rank += int(added[1])
            hub += int(added[2])
            authority += int(added[3])
        old = parse_node(value)
        node = _scored(old, (rank, hub, authority), factors[graph_of(old.name)], config)
        _count(counters, node, old)
        key = RANKS.prefix + key  # noqa: PLW2901
        yield key, node_value(node)
        for _, value in group:  # noqa: B031 - the rest of it: its links
            if value.startswith(ONWARD):
                yield key, onward_value(node, value.split(b" ", 3)[3])
            else:
                yield key, back_value(node, value.split(b" ", 2)[2])


def _scored(
    node: Node, received: tuple[int, int, int], factors: Factors, config: AuthorityConfig
) -> Node:
    """A node with its next scores; hubs make authorities, and authorities hubs."""
    rank, hub, authority = received
    return node._replace(
        rank=ranked_by(rank, config),
        hub=normalised(authority, factors.hub),
        authority=normalised(hub, factors.authority),
    )


def _count(counters: Counters, node: Node, before: Node) -> None:
    """What this round tells of all nodes."""
    sums = Sums(
        node.rank,
        abs(node.rank - before.rank),
        abs(node.hub - before.hub),
        abs(node.authority - before.authority),
        node.hub * node.links,
        node.authority * node.inlinks,
    )
    for name, amount in sums.counts(graph_of(node.name)).items():
        counters.add("ranks", name, amount)


# --- in memory ------------------------------------------------------------------------------------


def send_whole(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The map side: nodes and their links, in the order of the nodes."""
    for key, value in pairs:
        if not value.startswith(BACK):
            yield WHOLE_GRAPH, b"%b %b" % (key[-NODE_LENGTH:], value)


def rank_whole(
    pairs: Iterable[Pair], config: AuthorityConfig, counters: Counters
) -> Iterator[Pair]:
    """The reduce side: all rounds of all nodes, without their links then."""
    nodes, names, targets = bytearray(), bytearray(), bytearray()
    facts, ends = array("q"), array("q", [0])
    for _, value in pairs:
        record = value[NODE_LENGTH + 1 :]
        if record.startswith(SELF):
            node = parse_node(record)
            nodes += value[:NODE_LENGTH]
            facts.extend(node[:3])
            names += node.name
            ends.append(len(names))
        else:
            targets += b"".join(record.split(b" ")[3:])
    if not nodes:
        return
    keys = np.frombuffer(nodes, f"S{NODE_LENGTH}")
    counts = np.frombuffer(facts, np.int64).reshape(-1, 3)
    heads = np.searchsorted(keys, np.frombuffer(targets, keys.dtype))
    tails = np.repeat(np.arange(len(keys)), counts[:, 0])
    starts = np.frombuffer(ends, np.int64)[:-1]
    is_host = np.frombuffer(names, np.uint8)[starts] == ord(HOST_MARK[:1])
    scores = _scores_of(tails, heads, is_host, config, counters)
    columns = (keys.tolist(), counts.tolist(), scores.tolist(), pairwise(ends))
    for key, some, (rank, hub, authority), (low, high) in zip(*columns, strict=True):
        links, inlinks, citing = some
        node = Node(links, inlinks, citing, rank, hub, authority, bytes(names[low:high]))
        yield RANKS.prefix + key, node_value(node)


def _scores_of(
    tails: Whole,
    heads: Whole,
    is_host: NDArray[np.bool_],
    config: AuthorityConfig,
    counters: Counters,
) -> Whole:
    """Rank, hub and authority of all nodes of both graphs."""
    members = {PAGE_GRAPH: ~is_host, HOST_GRAPH: is_host}
    graphs = {}
    for name, chosen in members.items():
        places = np.cumsum(chosen) - 1
        own = chosen[tails]
        graphs[name] = places[tails[own]], places[heads[own]], int(np.count_nonzero(chosen))
    scores = np.zeros((len(is_host), 3), np.int64)
    for name, found in rank_in_memory(graphs, config).items():
        scores[members[name]] = np.column_stack(found[:3])
        for counted, amount in found.sums.counts(name).items():
            counters.add("ranks", counted, amount)
        counters.add("ranks", "rounds_in_memory", found.rounds if name == PAGE_GRAPH else 0)
    return scores
