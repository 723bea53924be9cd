"""Components are joined with their pages, and with the edges between these.

What a mapper sends to a page, which is called as in the components, begins with a digit:

    0 the least page of its component; nothing where it is that itself
    1 the number of pages that link to it
    2 its sketch, cut to 126 fingerprints: 1 KB
    3 its URL: it has an edge
    4 an edge to a greater URL

    output    key `!members/PAGE`, value its component, a blank, and a part of that: `0URL INLINKS
              SKETCH`, the page; or `1WEAKNESS URL URL C1 C2`, an edge, with 10,000 - resemblance in
              5 digits, and both containments

So the parts of a component, which a reducer gets sorted, are its pages by URL, and then its edges,
the heaviest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from pagekin.kinds import COMPONENTS, MEMBERS, MIRROR_EDGES, SHINGLES, Pair
from pagekin.mirrors.groups import ONE
from pagekin.mirrors.shingles import Sketch, pack, unpack
from pagekin.stages.mirror_components.steps import node_of
from pagekin.stages.mirror_edges.verify import parse_edge
from pagekin.stages.shingles.extractor import read_sketches

__all__ = [
    "EDGE",
    "FACTS",
    "OWN_EDGE",
    "PAGE",
    "SKETCH",
    "EdgePart",
    "PagePart",
    "join_components",
    "parse_edge_part",
    "parse_page_part",
    "send_to_pages",
]

PAGE, EDGE = b"0", b"1"  # parts of a component

_CENTRE, _INLINKS, SKETCH, _URL, OWN_EDGE = b"0", b"1", b"2", b"3", b"4"  # sent to a page
FACTS = {_CENTRE: "component", _INLINKS: "inlinks", _URL: "url"}
_FINGERPRINTS = 126  # of .5 that two texts share they know with a standard error of .045
_PAGES = 2  # place of the number of linking pages in the value of a bag


class PagePart(NamedTuple):
    """A page of a component."""

    url: bytes
    inlinks: int
    sketch: bytes  # packed


class EdgePart(NamedTuple):
    """An edge of a component; shares are in 1/10,000."""

    a: bytes
    b: bytes
    resemblance: int
    a_in_b: int
    b_in_a: int


def parse_page_part(value: bytes) -> PagePart:
    """A page; ValueError if it is none."""
    url, inlinks, sketch = value.removeprefix(PAGE).split(b" ")
    return PagePart(url, int(inlinks), sketch)


def parse_edge_part(value: bytes) -> EdgePart:
    """An edge; ValueError if it is none.

    >>> parse_edge_part(b"100400 http://a.example/ http://b.example/ 9700 9800").resemblance
    9600
    """
    weakness, a, b, *shares = value.removeprefix(EDGE).split(b" ")
    a_in_b, b_in_a = map(int, shares)
    return EdgePart(a, b, ONE - int(weakness), a_in_b, b_in_a)


def send_to_pages(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The map side: everything to the pages that it is about."""
    last = b""
    for key, value in pairs:
        if COMPONENTS.holds(key):
            yield value, _CENTRE + key.removeprefix(COMPONENTS.prefix)
        elif SHINGLES.holds(key):
            ((url, sketch),) = read_sketches([(key, value)])
            yield node_of(url), SKETCH + pack(_cut(unpack(sketch)))
        elif MIRROR_EDGES.holds(key):
            url, edge = key.removeprefix(MIRROR_EDGES.prefix), parse_edge(value)
            if edge.are_mirrors:
                if url != last:
                    yield node_of(url), _URL + url
                    last = url
                yield node_of(edge.url), _URL + edge.url
                told = ONE - edge.resemblance, url, *edge[:1], *edge[2:4]
                yield node_of(url), OWN_EDGE + b"%05d %b %b %d %d" % told
        elif (pages := value.split(b" ", _PAGES + 1)[_PAGES]) != b"0":
            yield node_of(key), _INLINKS + pages


def _cut(sketch: Sketch) -> Sketch:
    """The sketch with fewer fingerprints."""
    kept = sketch.fingerprints[:_FINGERPRINTS]
    reach = sketch.reach if len(kept) == len(sketch.fingerprints) else int(kept[-1])
    return Sketch(sketch.shingles, reach, kept)


def join_components(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The reduce side: each page that has an edge, and its edges, with its component."""
    for node, group in groupby(pairs, key=itemgetter(0)):
        known = {_CENTRE: node, _INLINKS: b"0", SKETCH: b"", _URL: b""}
        for _, value in group:
            digit, told = value[:1], value[1:]
            if digit == OWN_EDGE:
                yield MEMBERS.prefix + node, b"%b %b%b" % (known[_CENTRE], EDGE, told)
            elif told != known[digit]:
                known[digit] = told
                if digit == _URL:
                    part = known[_CENTRE], PAGE, told, known[_INLINKS], known[SKETCH]
                    yield MEMBERS.prefix + node, b"%b %b%b %b %b" % part
