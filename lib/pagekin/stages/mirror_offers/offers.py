"""The sketches of paired pages are sent to one of the two, where both will be compared.

sent      key URL; value `0SKETCH`, its own; `1`: others will come here; `2URL` a lesser URL of
          a pair
output    key `!offers/URL`; value `SKETCH URL URL ...`: a sketch, and the lesser URLs that it
          is compared with; of pages without a pair nothing
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter

from pagekin.counters import Counters
from pagekin.kinds import MIRROR_OFFERS, MIRROR_PAIRS, Pair
from pagekin.stages.shingles.extractor import read_sketches

__all__ = ["ASKED", "OTHER", "OWN", "offer", "send_asks"]

OWN, ASKED, OTHER = b"0", b"1", b"2"
_REMEMBERED = 100_000  # pairs, many of which come once by each key: 30 MB


def send_asks(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The map side: sketches, and pairs to both of their ends."""
    sent: set[bytes] = set()
    for key, value in pairs:
        if MIRROR_PAIRS.holds(key):
            if value not in sent:
                lesser, greater = value.split(b" ")
                yield lesser, ASKED
                yield greater, OTHER + lesser
                sent.add(value)
                if len(sent) > _REMEMBERED:
                    sent.clear()
        else:
            for url, sketch in read_sketches(((key, value),)):
                yield url, OWN + sketch


def offer(pairs: Iterable[Pair], counters: Counters) -> Iterator[Pair]:
    """The reduce side: the sketch of each page that has a pair, and whom it is compared with."""
    for url, group in groupby(pairs, key=itemgetter(0)):
        _, own = next(group)
        asks = dict.fromkeys(value for _, value in group)  # noqa: B031 - the rest, each once
        if not asks:
            continue
        lesser = [value.removeprefix(OTHER) for value in asks if value != ASKED]
        counters.add("mirrors", "pages_compared")
        counters.add("mirrors", "pairs_compared", len(lesser))
        yield MIRROR_OFFERS.prefix + url, b" ".join([own.removeprefix(OWN), *lesser])
