"""Each pair of pages that may be mirrors is compared by what their sketches share.

    sent      key URL; value `0SKETCH`, its own; `1URL SKETCH`, a greater URL and its sketch; `1URL`
              an exact copy
    output    key `!edges/URL`; value `URL R C1 C2`, or `URL R C1 C2 contained`

R is the resemblance of both, C1 the containment of the first page in the second, and C2 of the
second in the first, all in 1/10,000, rounded down. Without the last word they are mirrors; with it
their resemblance is below the threshold, but most of one stands on the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from pagekin.config import MirrorConfig
from pagekin.counters import Counters
from pagekin.kinds import COPIES, MIRROR_EDGES, MIRROR_OFFERS, Pair
from pagekin.mirrors.shingles import compare, unpack

__all__ = ["OTHER", "OWN", "WHOLE_SHARE", "MirrorEdge", "parse_edge", "send_sides", "verify"]

OWN, OTHER = b"0", b"1"
WHOLE_SHARE = 10_000  # of resemblance and containment, 1

_CONTAINED = b" contained"


class MirrorEdge(NamedTuple):
    """What the record of a pair says, besides its first URL, the lesser one."""

    url: bytes  # the second
    resemblance: int  # in 1/10,000
    containment: int  # of the first in the second
    other_containment: int  # of the second in the first
    are_mirrors: bool  # or is one contained in the other?


def parse_edge(value: bytes) -> MirrorEdge:
    """What stands in the value of a pair; ValueError if it is none.

    >>> parse_edge(b"http://b.example/ 3300 9900 3310 contained").are_mirrors
    False
    """
    numbers = value.removesuffix(_CONTAINED)
    url, resemblance, first, second = numbers.split(b" ")
    shares = int(resemblance), int(first), int(second)
    if not 0 <= min(shares) <= max(shares) <= WHOLE_SHARE:
        raise ValueError("shares are beyond 0 and 1")
    return MirrorEdge(url, *shares, are_mirrors=numbers == value)


def send_sides(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The map side: both sides of each pair to its lesser URL."""
    for key, value in pairs:
        if COPIES.holds(key):
            least, copy = value.split(b" ")
            yield least, OTHER + copy
        else:
            url = key.removeprefix(MIRROR_OFFERS.prefix)
            sketch, *lesser = value.split(b" ")
            yield url, OWN + sketch
            for other in lesser:
                yield other, b"%b%b %b" % (OTHER, url, sketch)


def verify(pairs: Iterable[Pair], config: MirrorConfig, counters: Counters) -> Iterator[Pair]:
    """The reduce side: the pairs that are more than candidates."""
    least, most = (round(WHOLE_SHARE * x) for x in (config.resemblance, config.containment))
    for url, group in groupby(pairs, key=itemgetter(0)):
        own = None
        for _, value in group:
            if value.startswith(OWN):
                own = unpack(value.removeprefix(OWN))
                continue
            other, _, word = value.removeprefix(OTHER).partition(b" ")
            if not word:
                shares = WHOLE_SHARE, WHOLE_SHARE, WHOLE_SHARE
            elif own is None:
                raise ValueError(f"no sketch of {url.decode()}")
            else:
                shares = compare(own, unpack(word)).in_parts(WHOLE_SHARE)
            if shares[0] >= least:
                kind, mark = "edges", b""
            elif max(shares[1:]) >= most:
                kind, mark = "contained", _CONTAINED
            else:
                counters.add("mirrors", "refuted")
                continue
            counters.add("mirrors", kind)
            yield MIRROR_EDGES.prefix + url, b"%b %d %d %d%b" % (other, *shares, mark)
