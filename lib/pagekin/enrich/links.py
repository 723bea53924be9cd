"""Joined links: what the pages around a page say, as three parts that its bag can take in.

- *Citing* pages link to the URL: the plain mean of their bags.
- *Cited* pages are those that it links to: a mean in which each counts 1/sqrt(its inlinks).
- *Co-cited* pages are linked to just before or behind it, on some page: a mean in which each counts
  once for every page where that is so.

Of a bag only the *head* travels along a link: its few heaviest terms, with weights of one byte. It
is not only cheaper: means of heads are better than those of whole bags, whose long tails are alike
everywhere. For the same reason the weights of a mean are squared: what many neighbours have in
common speaks louder (docs/measurements/enriching.md). Only pages that were read have heads; what
is known of others are the words of the same citing pages.

Of very many neighbours of one kind a URL hears a few only, chosen by lot: by a hash of both URLs.
All sums are of whole numbers, so neither the order of neighbours nor that of tasks shows.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pybase64 import b64decode, b64encode

from pagekin.bags.bag import BagColumns
from pagekin.tables import ArrayFile, ArrayWriter, url_digest
from pagekin.text.words import Terms

__all__ = [
    "CITED",
    "CITING",
    "COCITED",
    "KINDS",
    "MOST_HEARD",
    "Contexts",
    "Heads",
    "cited_weight",
    "contexts_of",
    "heads_of",
    "least_messages",
    "message",
    "message_size",
    "parse_message",
    "read_contexts",
    "sender_of",
    "split_heads",
    "write_contexts",
]

KINDS = ("citing", "cited", "cocited")
CITING, CITED, COCITED = range(len(KINDS))

MOST_HEARD = 255  # the greatest weight of a neighbour, in one byte

_TERM = 4  # bytes
_SENDER = 8  # bytes
_HEAD_AT = 2 + _SENDER  # in a message, behind its kind, its weight and its sender
_WHOLE = 1023  # the weights of one head add up to that: 10 bits
_VALUE_BITS = 18  # of such a weight times that of a neighbour
_TERM_BITS = 32
_MOST_GROUPS = 1 << (64 - _TERM_BITS - _VALUE_BITS)  # of messages that are summed at once
_TOP = 255  # the heaviest term of a part, in one byte
_KIND = "contexts"
_AT_ONCE = 1_000  # URLs that are written together
_KEPT = 50  # terms of a part: with more a mixture is no better
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd: multiplying by it loses nothing

Numbers = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Keys = NDArray[np.uint64]


class Heads(NamedTuple):
    """The heaviest terms of bags, one row each; rows of short bags end with terms of weight 0."""

    terms: NDArray[np.uint32]
    weights: Bytes


# --- heads and messages -------------------------------------------------------------------------


def heads_of(bags: BagColumns, count: int) -> list[bytes]:
    """The heads of bags, of `count` terms each: all terms, then all weights.

    The heaviest term has the weight 255, and none less than 1. Of equal ones the smaller stays.
    """
    # weights are positive, so their bits are ordered as they are
    lighter = ~bags.weights.astype("<f4").view(np.uint32)
    keys = lighter.astype(np.uint64) << np.uint64(_TERM_BITS) | bags.terms
    terms = np.zeros((len(bags.bounds) - 1, count), "<u4")
    heavy = np.zeros(terms.shape, np.float32)
    for bag, (low, high) in enumerate(pairwise(bags.bounds.tolist())):
        head = np.sort(keys[low:high])[:count]
        terms[bag, : len(head)] = head.astype(np.uint32)
        heavy[bag, : len(head)] = (~(head >> np.uint64(_TERM_BITS)).astype(np.uint32)).view("<f4")
    scale = _TOP / np.where(heavy[:, :1] > 0, heavy[:, :1], 1).astype(np.float64)
    weights = np.maximum(heavy > 0, np.rint(heavy * scale)).astype(np.uint8)
    return [a.tobytes() + b.tobytes() for a, b in zip(terms, weights, strict=True)]


def split_heads(heads: Sequence[bytes]) -> Heads:
    """Heads as rows of terms and weights; ValueError for what are none."""
    return _split_heads(_rows_of(heads, len(heads[0])))


def _split_heads(rows: Bytes) -> Heads:
    count, rest = divmod(rows.shape[1], _TERM + 1)
    if rest or not count:
        raise ValueError(f"a head has {rows.shape[1]} bytes")
    terms = np.ascontiguousarray(rows[:, : _TERM * count]).view("<u4")
    return Heads(terms, rows[:, _TERM * count :])


def cited_weight(inlinks: int) -> int:
    """How much a cited page counts to which so many pages link.

    >>> [cited_weight(n) for n in (1, 4, 1000)]
    [255, 128, 8]
    """
    return round(MOST_HEARD / math.sqrt(inlinks))


def sender_of(url: bytes) -> bytes:
    """How messages call the page that they come from: by this it is chosen, or not."""
    return url_digest(url)[:_SENDER]


def message(kind: int, weight: int, sender: bytes, head: bytes) -> bytes:
    """What a URL hears of one neighbour; all are of one length."""
    return bytes((kind, min(weight, MOST_HEARD))) + sender + head


def parse_message(row: bytes) -> tuple[int, int, bytes, bytes]:
    """Kind, weight, sender and head."""
    return row[0], row[1], row[2:_HEAD_AT], row[_HEAD_AT:]


def message_size(terms: int) -> int:
    """The length of a message about a head of so many terms."""
    return _HEAD_AT + (_TERM + 1) * terms


def least_messages(url: bytes, messages: list[bytes], most: int) -> list[bytes]:
    """Of what a URL hears, `most` messages of each kind: those chosen by lot."""
    if len(messages) <= most:
        return messages
    rows = _rows_of(messages, len(messages[0]))
    kept = _chosen(rows, rows[:, 0].astype(np.int64), np.zeros(len(rows), np.int64), [url], most)
    return [messages[k] for k in np.flatnonzero(kept).tolist()]


def _rows_of(rows: Sequence[bytes], size: int) -> Bytes:
    return np.frombuffer(b"".join(rows), np.uint8).reshape(-1, size)


def _chosen(
    rows: Bytes, group: Numbers, receiver: Numbers, urls: Sequence[bytes], most: int
) -> NDArray[np.bool_]:
    """Which messages are among the `most` of their group that were chosen.

    Senders of the least numbers, mixed with that of the receiver: else all would hear the same.
    """
    counts = np.bincount(group)
    chosen = np.ones(len(rows), np.bool_)
    some = np.flatnonzero(counts[group] > most)
    if not len(some):
        return chosen
    numbers = np.ascontiguousarray(rows[some, 2:_HEAD_AT]).view("<u8").ravel()
    of_equals = rows[some].view(f"S{rows.shape[1]}").ravel()
    own = {k: int.from_bytes(sender_of(urls[k])) for k in np.unique(receiver[some]).tolist()}
    mixed = numbers ^ np.array([own[k] for k in receiver[some].tolist()], np.uint64)
    order = np.lexsort((of_equals, mixed * _MIX, group[some]))
    rank = np.arange(len(some)) - np.searchsorted(group[some][order], group[some][order])
    chosen[some[order[rank >= most]]] = False
    return chosen


# --- sums ---------------------------------------------------------------------------------------


def contexts_of(
    urls: Sequence[bytes], heard: Sequence[bytes], size: int, most: int
) -> tuple[list[bytes], list[int]]:
    """What each URL hears, in messages of `size` bytes one behind another, becomes the value of its
    contexts; and how many messages of each kind are in them.

    Of each kind `most` messages count.
    """
    counts = np.array([len(some) // size for some in heard], np.int64)
    if len(KINDS) * len(urls) > _MOST_GROUPS or any(len(some) % size for some in heard):
        raise ValueError("too many URLs, or messages that do not fit")
    rows = _rows_of(heard, size)
    receiver = np.repeat(np.arange(len(urls)), counts)
    if len(rows) and int(rows[:, 0].max()) >= len(KINDS):
        raise ValueError("a message of no kind")
    group = len(KINDS) * receiver + rows[:, 0]
    chosen = _chosen(rows, group, receiver, urls, most)
    rows, group = rows[chosen], group[chosen]
    used = np.bincount(group % len(KINDS), minlength=len(KINDS)).tolist()
    groups, found, weights = _heaviest(*_squares(*_sums(rows, group)))
    bounds = np.searchsorted(groups, np.arange(len(KINDS) * len(urls) + 1))
    return _values(found, weights, bounds), used


def _sums(rows: Bytes, group: Numbers) -> tuple[Numbers, Terms, Numbers]:
    """The sum of each term in each group, ordered by both.

    Group, term and weight are one number each, so that they are sorted without a second array.
    """
    heads = _split_heads(rows[:, _HEAD_AT:])
    shares = heads.weights.astype(np.uint64)
    shares = shares * np.uint64(_WHOLE) // np.maximum(1, shares.sum(axis=1, keepdims=True))
    keys = group.astype(np.uint64)[:, np.newaxis] << np.uint64(_TERM_BITS) | heads.terms
    keys = keys << np.uint64(_VALUE_BITS) | shares * rows[:, 1:2]
    ordered = keys.ravel()
    ordered.sort()
    values = (ordered & np.uint64((1 << _VALUE_BITS) - 1)).view(np.int64)
    ordered >>= np.uint64(_VALUE_BITS)
    lasts = np.flatnonzero(np.append(ordered[1:] != ordered[:-1], True)[: len(ordered)])
    totals = np.cumsum(values)[lasts]
    totals[1:] -= totals[:-1].copy()
    found = ordered[lasts]
    return (found >> np.uint64(_TERM_BITS)).view(np.int64), found.astype(np.uint32), totals


def _squares(group: Numbers, terms: Terms, sums: Numbers) -> tuple[Numbers, Terms, Numbers]:
    """The squares of the sums, the greatest of each group 255; those that round to 0 are gone."""
    tops = np.zeros(int(group[-1]) + 1 if len(group) else 0, np.int64)
    np.maximum.at(tops, group, sums)
    shares = sums / np.maximum(1, tops[group])
    weights = np.rint(_TOP * shares * shares).astype(np.int64)
    some = weights > 0
    return group[some], terms[some], weights[some]


def _heaviest(group: Numbers, terms: Terms, weights: Numbers) -> tuple[Numbers, Terms, Bytes]:
    """The heaviest terms of each group, of equal ones the smaller, ordered by term."""
    lighter = (_TOP - weights).astype(np.uint64)
    keys = (group.astype(np.uint64) << np.uint64(8) | lighter) << np.uint64(32) | terms
    keys.sort()
    of = (keys >> np.uint64(40)).view(np.int64)
    kept = keys[np.arange(len(keys)) - np.searchsorted(of, of) < _KEPT]
    of = (kept >> np.uint64(40)).view(np.int64)
    order = np.lexsort((kept.astype(np.uint32), of))
    kept, of = kept[order], of[order]
    return (
        of,
        kept.astype(np.uint32),
        (_TOP - (kept >> np.uint64(32) & np.uint64(_TOP))).astype(np.uint8),
    )


# --- records ------------------------------------------------------------------------------------


def _values(terms: Terms, weights: Bytes, bounds: Numbers) -> list[bytes]:
    """Values of contexts: how many terms each kind has, in a byte each; all terms; all weights."""
    text, heavy = terms.astype("<u4").tobytes(), weights.tobytes()
    sizes = np.diff(bounds).astype(np.uint8).tobytes()
    step = len(KINDS)
    edges = bounds[::step].tolist()
    return [
        b64encode(sizes[k * step : (k + 1) * step] + text[_TERM * a : _TERM * b] + heavy[a:b])
        for k, (a, b) in enumerate(pairwise(edges))
    ]


def read_contexts(values: Sequence[bytes]) -> tuple[BagColumns, ...]:
    """The parts of each kind, of as many URLs as there are values.

    Terms ascend, and the weights of a part that is not empty add up to 1.
    """
    return _parts([b64decode(value, validate=True) for value in values])


def _parts(packed: Sequence[bytes]) -> tuple[BagColumns, ...]:
    """The same, decoded; b"" stands for no contexts."""
    packed = [data or b"\0" * len(KINDS) for data in packed]
    sizes = np.frombuffer(b"".join([data[: len(KINDS)] for data in packed]), np.uint8)
    sizes = sizes.reshape(len(packed), len(KINDS)).astype(np.int64)
    totals = sizes.sum(axis=1).tolist()
    if [len(data) for data in packed] != [len(KINDS) + (_TERM + 1) * n for n in totals]:
        raise ValueError("contexts that do not fit their sizes")
    ends = [len(KINDS) + _TERM * n for n in totals]
    pairs = list(zip(packed, ends, strict=True))
    terms = np.frombuffer(b"".join([data[len(KINDS) : end] for data, end in pairs]), "<u4")
    weights = np.frombuffer(b"".join([data[end:] for data, end in pairs]), np.uint8)
    kind = np.repeat(np.tile(np.arange(len(KINDS)), len(packed)), sizes.ravel())
    return tuple(
        _part(terms[kind == k], weights[kind == k], sizes[:, k]) for k in range(len(KINDS))
    )


def _part(terms: Terms, weights: NDArray[Any], sizes: NDArray[Any]) -> BagColumns:
    row = np.repeat(np.arange(len(sizes)), sizes)
    sums = np.bincount(row, weights, minlength=len(sizes))
    return BagColumns(
        terms, (weights / sums[row]).astype(np.float32), np.append(0, np.cumsum(sizes))
    )


# --- table --------------------------------------------------------------------------------------


def write_contexts(path: Path, records: Iterable[tuple[bytes, bytes]]) -> None:
    """Store the values of contexts by their URLs, which ascend."""
    dtypes = {"urls": "|u1", "url_bounds": "<u8", "contexts": "|u1", "bounds": "<u8"}
    with ArrayWriter(path, dtypes) as out:
        url_end = end = 0
        rest = iter(records)
        while some := list(islice(rest, _AT_ONCE)):
            urls = [url for url, _ in some]
            packed = [b64decode(value, validate=True) for _, value in some]
            url_ends = url_end + np.cumsum([len(url) for url in urls], dtype=np.uint64)
            ends = end + np.cumsum([len(data) for data in packed], dtype=np.uint64)
            out.append("urls", b"".join(urls))
            out.append("url_bounds", url_ends.tobytes())
            out.append("contexts", b"".join(packed))
            out.append("bounds", ends.tobytes())
            url_end, end = int(url_ends[-1]), int(ends[-1])
        out.finish(_KIND, {})


class Contexts:
    """Looks up the contexts of URLs in such a file, of which little need be in memory."""

    def __init__(self, path: Path) -> None:
        self._file = ArrayFile(path, _KIND)

    def parts(self, urls: Sequence[bytes]) -> tuple[BagColumns, ...]:
        """The parts of each kind, for each of some URLs that stand close together in their order;
        empty where a URL has no contexts.
        """
        count = len(self._file["url_bounds"])
        low = bisect_left(range(count), min(urls, default=b""), key=self._url)
        high = bisect_right(range(count), max(urls, default=b""), lo=low, key=self._url)
        known = self._items("urls", "url_bounds", low, high)
        found = dict(zip(known, self._items("contexts", "bounds", low, high), strict=True))
        self._file.let_go()
        return _parts([found.get(url, b"") for url in urls])

    def _url(self, place: int) -> bytes:
        return self._items("urls", "url_bounds", place, place + 1)[0]

    def _items(self, array: str, ends: str, low: int, high: int) -> list[bytes]:
        """Some items of an array that has them one behind another, each known by its end."""
        bounds = self._file[ends][max(0, low - 1) : high].tolist()
        edges = bounds if low else [0, *bounds]
        text = self._file[array][edges[0] : edges[-1]].tobytes()
        return [text[a - edges[0] : b - edges[0]] for a, b in pairwise(edges)]
