"""Neighbours of terms: a sample of final bags, and what is learned from it.

    map -> reduce    key `sample`, value the heaviest terms of a bag: 32 bits each, in base64
    output           key a term, 8 hexadecimal digits,
                     value `DF TERM FORM NEIGHBOURS`: in so many bags of the sample it stands, its
                     words, and its neighbours, the nearest first

NEIGHBOURS are n terms and behind them n shares, 32 bits each, in base64. One reducer learns all:
the sample is as large for a thousand million pages as for ten thousand. 20,000 bags of 100 terms
take it 2 s and 160 MB, and 40,000 twice as long and 270 MB.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path

import numpy as np
from pybase64 import b64decode, b64encode

from pagekin.bags.bag import Dictionary, halves, read_bags
from pagekin.bags.weigh import BATCH, heaviest
from pagekin.config import EnrichConfig
from pagekin.counters import Counters
from pagekin.enrich.neighbours import (
    TERMS,
    Nearest,
    in_sample,
    learn_neighbours,
    write_neighbours,
)
from pagekin.kinds import Pair
from pagekin.tables import url_number

__all__ = ["learn", "parse_neighbours", "sample_bags", "write_table"]

_SAMPLE = b"sample"
_ITEM = 4  # bytes of a term


def sample_bags(
    pairs: Iterable[Pair], bags: int, config: EnrichConfig, counters: Counters
) -> Iterator[Pair]:
    """The mapper: the heaviest terms of those bags that are in the sample of so many."""
    sampled = (pair for pair in pairs if in_sample(url_number(pair[0]), bags, config))
    for some in read_bags(sampled, BATCH):
        counters.add("neighbours", "sampled_bags", len(some))
        kept = heaviest(some.weights, some.bounds, TERMS)
        terms = some.terms[kept].tobytes()
        edges = np.append(0, np.cumsum(kept))[some.bounds] * _ITEM
        for low, high in pairwise(edges.tolist()):
            yield _SAMPLE, b64encode(terms[low:high])


def learn(
    pairs: Iterable[Pair], words: Dictionary, config: EnrichConfig, counters: Counters
) -> Iterator[Pair]:
    """The reducer: each term that is known, with its neighbours."""
    bags = [b64decode(value, validate=True) for _, value in pairs]
    bounds = np.cumsum([0, *(len(bag) // _ITEM for bag in bags)], dtype=np.int64)
    nearest = learn_neighbours(np.frombuffer(b"".join(bags), "<u4"), bounds, config)
    sizes = np.diff(nearest.bounds)
    counters.add("neighbours", "terms", len(nearest.terms))
    counters.add("neighbours", "terms_with_neighbours", int(np.count_nonzero(sizes)))
    counters.add("neighbours", "neighbours", int(sizes.sum()))
    others = nearest.terms[nearest.neighbours].tobytes()
    shares = nearest.shares.astype("<u4").tobytes()
    columns = (nearest.terms.tolist(), nearest.df.tolist(), words.texts(nearest.terms))
    edges = pairwise((nearest.bounds * _ITEM).tolist())
    for term, df, text, (low, high) in zip(*columns, edges, strict=True):
        packed = b64encode(others[low:high] + shares[low:high])
        yield b"%08x" % term, b"%d %b %b" % (df, text, packed)


def parse_neighbours(value: bytes) -> tuple[int, bytes, bytes]:
    """Of a record: the df of its term, its words, and its neighbours with their shares."""
    df, term, form, packed = value.split(b" ")
    return int(df), b"%b %b" % (term, form), b64decode(packed, validate=True)


def write_table(path: Path, pairs: Iterable[Pair], bags: int) -> None:
    """Make the table of all records, which were learned from so many bags."""
    records = [(int(key, 16), *parse_neighbours(value)) for key, value in pairs]
    terms = np.array([term for term, *_ in records], np.uint32)
    packed = [data for *_, data in records]
    others, shares = (np.frombuffer(half, "<u4") for half in halves(packed))
    nearest = Nearest(
        terms,
        np.array([df for _, df, *_ in records], np.uint32),
        np.cumsum([0, *(len(data) // (2 * _ITEM) for data in packed)], dtype=np.int64),
        np.searchsorted(terms, others).astype(np.uint32),
        shares.astype(np.uint16),
    )
    write_neighbours(path, nearest, [text for _, _, text, _ in records], {"bags": bags})
