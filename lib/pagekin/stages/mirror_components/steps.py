"""The rounds of the components: a large-star, a small-star, and so on; few edges all at once.

A small-star leaves nodes with one lesser neighbour as they are, and a large-star makes no more of
them. So when a large-star met no others, the next round is a large-star again.

Nodes are called by 16 bytes of a hash of their URLs, in hexadecimal digits.

    sent      key node, value neighbour; where all edges go to one task key `-`, value `NODE NODE`
    output    key `!components/NODE`, value a greater node of its component; in the end NODE is the
              least of it, and has a record for each of the others
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from pagekin.counters import Counters
from pagekin.kinds import COMPONENTS, MIRROR_EDGES, Pair
from pagekin.mirrors.components import connect, large_star, larger_first, small_star, to_both_ends
from pagekin.stages.mirror_edges.verify import parse_edge
from pagekin.tables import url_digest

__all__ = ["MOST_AT_ONCE", "make_stars", "node_of", "send_edges"]

MOST_AT_ONCE = 250_000  # edges that one task connects in memory: 120 MB if no two have a common end

_ALL = b"-"
_SEVERAL = "several_lesser"  # neighbours of a node, besides the least
Counts = Mapping[str, int]


def node_of(url: bytes) -> bytes:
    """What stands for a page in the rounds."""
    return url_digest(url).hex().encode()


def _fit_one_task(edges: int) -> bool:
    return 0 < edges <= MOST_AT_ONCE


def _is_small_star(before: Counts) -> bool:
    return _SEVERAL in before


def send_edges(pairs: Iterable[Pair], before: Counts, edges: int) -> Iterator[Pair]:
    """The map side of a round that reads so many edges, by what the round before counted."""
    own = _edges(pairs)
    if _fit_one_task(edges):
        yield from ((_ALL, b"%b %b" % edge) for edge in own)
    elif _is_small_star(before):
        yield from larger_first(own)
    else:
        yield from to_both_ends(own)


def _edges(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The edges between mirrors, or those that the round before made."""
    for key, value in pairs:
        if COMPONENTS.holds(key):
            yield key.removeprefix(COMPONENTS.prefix), value
        elif (edge := parse_edge(value)).are_mirrors:
            yield node_of(key.removeprefix(MIRROR_EDGES.prefix)), node_of(edge.url)


def make_stars(
    pairs: Iterable[Pair], before: Counts, edges: int, counters: Counters
) -> Iterator[Pair]:
    """The reduce side of the same round. It counts what was no star; of what a small-star makes
    nobody sees there whether it is one.
    """
    made: Iterable[tuple[Pair | None, int]]
    if _fit_one_task(edges):
        both = (value.split(b" ") for _, value in pairs)
        made = ((edge, 0) for edge in connect((one, other) for one, other in both))
    elif _is_small_star(before):
        made = ((edge, 1) for edge in small_star(pairs))
    else:
        made = large_star(pairs)
    moved = several = 0
    for edge, moves in made:
        if edge:
            moved += moves
            yield COMPONENTS.prefix + edge[0], edge[1]
        else:
            several += 1
    counters.add("components", "moved", moved)
    counters.add("components", _SEVERAL, several)
