"""What the values of some URLs say, read all at once, in columns.

All is done in a few passes over many values: what each begins with, whose it is, and one sort of
packed (URL, term, place) numbers. `_columns.c` does the same URL by URL, and is taken where it was
built.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.bag import Weights, bag_value
from pagekin.bags.fragments import KIND_SHIFT, LINK, WIDTH, decode
from pagekin.native import load
from pagekin.stages.fragments.gathering import Column, Columns
from pagekin.stages.fragments.term_positions import LEAST, Sums, sum_terms
from pagekin.stages.fragments.values import (
    FIRST,
    FLAG,
    HOST,
    LINK_TEXT,
    OF_FOLDED,
    OF_LINKS,
    OF_PAGE,
    OWN_TEXT,
)

__all__ = ["Read", "bag_values", "plain_bag_values", "plain_columns", "read_columns"]

_native = load("pagekin.stages.fragments._columns")


class Read(NamedTuple):
    """Columns, and what they leave to others."""

    columns: Columns
    folded: list[int]  # places of the values that are folded links
    dropped: int  # contents of other pages


def read_columns(
    values: list[bytes], starts: list[int], weights: Sums, taken: bytes, own_hosts: bytes | None
) -> Read:
    """The values of URLs, each with the place of its first; as fast as there is a way.

    `taken` says of each whether its own content was read before, and `own_hosts` names its host,
    where links within it weigh less.
    """
    if _native is None:
        return plain_columns(values, starts, weights, taken, own_hosts)
    crawled, links, pages, hosts, host_of, host_url, bounds, terms, sums, folded, dropped = (
        _native.columns(values, starts, weights.tobytes(), LEAST.tobytes(), taken, own_hosts)
    )
    columns = Columns(
        crawled=np.frombuffer(crawled, np.int64),
        links=np.frombuffer(links, np.int64),
        pages=np.frombuffer(pages, np.int64),
        hosts=np.frombuffer(hosts, np.int64),
        host_of=np.frombuffer(host_of, np.uint64),
        host_url=np.frombuffer(host_url, np.int64),
        bounds=np.frombuffer(bounds, np.int64),
        terms=np.frombuffer(terms, np.uint32),
        sums=np.frombuffer(sums, np.int64),
    )
    return Read(columns, folded, dropped)


def plain_columns(
    values: list[bytes], starts: list[int], weights: Sums, taken: bytes, own_hosts: bytes | None
) -> Read:
    """The same, in numpy."""
    heads = np.frombuffer(b"".join([value[:LINK_TEXT] for value in values]), np.uint8)
    heads = heads.reshape(-1, LINK_TEXT)
    counts = np.diff([*starts, len(values)])
    url_of = np.repeat(np.arange(len(counts)), counts)
    kinds = heads[:, 0]
    links, pages = kinds == OF_LINKS, kinds == OF_PAGE
    hosts = np.ascontiguousarray(heads[:, HOST]).view("<u8").ravel()
    own = _own_texts(pages, url_of, taken)
    texts = [
        value[LINK_TEXT:] if link else value[OWN_TEXT:] if mine else b""
        for value, link, mine in zip(values, links.tolist(), own.tolist(), strict=True)
    ]
    sizes = np.fromiter(map(len, texts), np.int64, len(texts)) // WIDTH
    within = None
    if own_hosts is not None:
        within = np.repeat(links & (hosts == np.frombuffer(own_hosts, "<u8")[url_of]), sizes)
    number_of = np.repeat(url_of.astype(np.uint64), sizes)
    numbers = decode(b"".join(texts))
    urls, terms, sums = sum_terms(numbers, number_of, weights, within)
    marks = np.flatnonzero(numbers >> np.uint64(KIND_SHIFT))
    of_links = marks[numbers[marks] >> np.uint64(KIND_SHIFT) == LINK]
    first = links & (heads[:, FLAG] == FIRST)
    new_host = links.copy()
    new_host[1:] &= ~links[:-1] | (hosts[1:] != hosts[:-1]) | (url_of[1:] != url_of[:-1])
    columns = Columns(
        crawled=np.bincount(url_of[own], minlength=len(counts)),
        links=np.bincount(number_of[of_links].astype(np.int64), minlength=len(counts)),
        pages=np.bincount(url_of[first], minlength=len(counts)),
        hosts=np.bincount(url_of[new_host], minlength=len(counts)),
        host_of=hosts[new_host],
        host_url=url_of[new_host],
        bounds=np.searchsorted(urls, np.arange(len(counts) + 1, dtype=np.uint64)),
        terms=terms,
        sums=sums,
    )
    dropped = int(np.count_nonzero(pages) - np.count_nonzero(own))
    return Read(columns, np.flatnonzero(kinds == OF_FOLDED).tolist(), dropped)


def bag_values(columns: Columns, weights: Weights) -> list[bytes]:
    """The value of each bag."""
    if _native is None:
        return plain_bag_values(columns, weights)
    counts = columns.counts()
    values: list[bytes] = _native.bag_values(*counts, columns.bounds, columns.terms, weights)
    return values


def plain_bag_values(columns: Columns, weights: Weights) -> list[bytes]:
    """The same, one by one."""
    edges = (4 * columns.bounds).tolist()
    terms, text = columns.terms.tobytes(), weights.tobytes()
    crawled, links, pages, hosts = (column.tolist() for column in columns.counts())
    packed = [(terms[a:b], text[a:b]) for a, b in pairwise(edges)]
    return list(map(bag_value, crawled, links, pages, hosts, *zip(*packed, strict=True)))


def _own_texts(pages: NDArray[np.bool_], url_of: Column, taken: bytes) -> NDArray[np.bool_]:
    """Which values are the content of their URL: of several pages' the first."""
    own = pages.copy()
    own[1:] &= ~(pages[:-1] & (url_of[1:] == url_of[:-1]))
    own &= np.frombuffer(taken, np.uint8)[url_of] == 0
    return own
