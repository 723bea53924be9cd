"""The bags of a snapshot that say most, and the topics that they teach.

    map -> reduce    key `sample`, value `RANK LOT BAG`: a bag that may be among the sample. RANK is
                     by how many terms it is short of 200, LOT the number of its URL, both of fixed
                     length: values in their order bring the sample first
    output           key `SET.NUMBER`, value `WORD|WORD... TOPIC`: the words of the heaviest terms,
                     and in base64 n terms and behind them n values of 16 bits

The sample is the bags of the most terms: pages that were read, and those that many links tell of.
Bags of a few words around a link teach little. Those of equally many terms are drawn by their URL.
Of a large snapshot only some bags are looked at, by their URL as well, so that no task sends more
than it would of a small one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

import numpy as np
from pybase64 import b64decode, b64encode

from pagekin.bags.bag import Dictionary, is_bag, parse_bag, read_columns
from pagekin.config import EnrichConfig
from pagekin.counters import Counters
from pagekin.enrich.topics import FULL, Centroid, Topic, fit
from pagekin.kinds import Pair
from pagekin.tables import url_number

__all__ = ["choose_sample", "learn", "parse_topic"]

_KEY = b"sample"
_LOOKED_AT = 100  # bags for each of the sample
_RANK = 3  # digits
_ITEM = 8  # bytes: a term and its weight
_TOPIC_ITEM = 6  # and with 16 bits for its value
_WORDS = 8  # of a topic


def choose_sample(
    pairs: Iterable[Pair], bags: int, config: EnrichConfig, counters: Counters
) -> Iterator[Pair]:
    """The mapper: of the bags that it reads those that may be among the sample; there are `bags`
    in all.
    """
    most = config.topics_sample
    end = (1 << 64) * most * _LOOKED_AT // max(bags, most * _LOOKED_AT)  # of lots
    chosen: list[bytes] = []
    worst = b"~"  # rank among as many as are wanted
    for key, value in filter(is_bag, pairs):
        packed = value.rpartition(b" ")[2]
        size = len(packed) * 3 // 4 // _ITEM  # as long as base64 makes it
        rank = b"%0*d" % (_RANK, max(FULL - size, 0))
        if size and rank <= worst and (lot := url_number(key)) < end:
            chosen.append(b"%b %016x %b" % (rank, lot, _cut(key, value) if size > FULL else packed))
            if len(chosen) > 2 * most:
                chosen = sorted(chosen)[:most]
                worst = chosen[-1][:_RANK]
    counters.add("topics", "bags_offered", len(chosen))
    yield from ((_KEY, value) for value in sorted(chosen)[:most])


def _cut(key: bytes, value: bytes) -> bytes:
    """The heaviest terms of a bag, of equal ones the smaller hashes."""
    bag = parse_bag(key, value)
    kept = np.sort(np.lexsort((bag.terms, -bag.weights))[:FULL])
    return b64encode(bag.terms[kept].tobytes() + bag.weights[kept].tobytes())


def learn(
    pairs: Iterable[Pair], config: EnrichConfig, words: Dictionary, counters: Counters
) -> Iterator[Pair]:
    """The reducer: the topics that the first bags teach."""
    values = [value.split(b" ") for _, value in islice(pairs, config.topics_sample)]
    for _ in pairs:
        pass  # all that was sent is to be read
    counters.add("topics", "bags_learned_from", len(values))
    bags = read_columns([b64decode(text) for _, _, text in values])
    lots = np.array([int(lot, 16) for _, lot, _ in values], np.uint64)
    centroids = fit(bags, lots, config)
    counters.add("topics", "learned", len(centroids))
    size = len(centroids) // config.topics_sets
    for number, centroid in enumerate(centroids):
        named = words.look_up(centroid.heaviest(_WORDS))
        text = "|".join(entry.display for entry in named)
        vector = b64encode(centroid.terms.tobytes() + centroid.values.tobytes())
        yield b"%02d.%04d" % divmod(number, size), b"%b %b" % (text.encode(), vector)


def parse_topic(value: bytes) -> Topic:
    """What a record of the output says."""
    words, _, packed = value.partition(b" ")
    vector = b64decode(packed, validate=True)
    count = len(vector) // _TOPIC_ITEM
    terms = np.frombuffer(vector, "<u4", count)
    values = np.frombuffer(vector, "<u2", count, offset=terms.nbytes)
    return Topic(words.decode().split("|"), Centroid(terms, values))
