"""Candidates: the documents that agree with a page in the most signatures [SIM 6.2, Figure 11].

PROCESSQUERY of the paper reads all m lists and counts. So does this, with two ways to read less:

- Above a threshold. Who agrees in `need` of F lists stands in any F - need + 1 of them at least
  once. So the need - 1 longest lists are not read: their part is looked up in H, for those met in
  the shorter ones. The result is that of the plain algorithm.
- Hot signatures. Lists are read from the shortest on until `budget` ids are read (at least one
  list); the best of those met are then counted exactly, in H. Who stands in long lists alone is not
  found. `Counted.capped` says in how many lists that happened; it is 0 where nothing was left out.

Which lists are read depends on their lengths over all shards, so shards do not show in the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.index.shard import ListBounds, Shard
from pagekin.index.shard_files import Ids
from pagekin.minhash.signatures import Signatures
from pagekin.query.answer import Folding

__all__ = ["Candidates", "Counted", "Limits", "Scores", "count_equal", "least_count"]

_VERIFIED = 1000  # documents that are counted exactly where lists are left out
_LOOK_UP = 8  # looking a document up in H costs as much as reading so many ids

Scores = NDArray[np.int64] | NDArray[np.float64]  # counts, or what is made of them


class Limits(NamedTuple):
    """What candidates have to be."""

    alpha: float  # more similar than this, by signatures
    budget: int  # ids that are read for them
    wanted: int = 0  # so many at least, where ids are left out
    crawled: bool | None = None  # pages that were read, or such that were not; None: both
    folding: Folding | None = None  # of mirrors


@dataclass(frozen=True)
class Candidates:
    """Documents of one shard, ascending, and in how many signatures they agree."""

    shard: Shard
    ids: Ids
    scores: Scores

    def where(self, kept: NDArray[np.bool_]) -> Candidates:
        """Some of them."""
        return Candidates(self.shard, self.ids[kept], self.scores[kept])


@dataclass(frozen=True)
class Counted:
    """The candidates of a query, shard by shard."""

    found: list[Candidates]
    capped: int = 0  # lists that were too long to be read

    def __len__(self) -> int:
        return sum(len(one.ids) for one in self.found)


def least_count(alpha: float, count: int) -> int:
    """The least number of equal signatures whose share exceeds alpha.

    >>> least_count(0.15, 80), least_count(0.0, 80)
    (13, 1)
    """
    near = max(int(max(alpha, 0.0) * count), 1)
    return next(k for k in range(near, count + 2) if k / count > alpha)


def count_equal(
    shards: Sequence[Shard],
    signatures: Signatures,
    limits: Limits,
    lists: Sequence[ListBounds] = (),
) -> Counted:
    """All documents that share more than alpha of these signatures, with their counts.

    If more than `budget` ids had to be read, only the best: at least `wanted`, if there are so
    many. `lists` tells where they are, if that is known.
    """
    alpha, budget, wanted, crawled, folding = limits
    lists = lists or [shard.lists(signatures) for shard in shards]
    lengths = sum((one.ends - one.starts for one in lists), np.zeros(len(signatures), np.int64))
    order = lengths.argsort(kind="stable")[np.count_nonzero(lengths == 0) :]
    need = least_count(alpha, len(signatures))
    if need > len(order):
        return Counted([])
    sums = lengths[order].cumsum()
    enough = len(order) - need + 1  # lists that everyone of interest stands in one of
    read = min(enough, max(1, int(sums.searchsorted(budget, side="right"))))
    capped = enough - read
    left_out = int(sums[-1] - sums[read - 1])
    if not capped and left_out <= _LOOK_UP * int(sums[read - 1]):
        read = len(order)  # reading on is cheaper than looking up
    found = [_collect(s, one, order[:read]) for s, one in zip(shards, lists, strict=True)]
    if crawled is not None:  # before the best are taken, or those that were read would be too few
        found = [one.where(one.shard.crawled(one.ids) == crawled) for one in found]
    if capped and folding:  # likewise, or copies would be all that is verified
        found = folding.candidates(found)
    if read < len(order):
        least = _least_worth(found, max(_VERIFIED, 4 * wanted)) if capped else 1
        found = [_verify(one, signatures, least) for one in found]
    if need > 1:
        found = [one.where(one.scores >= need) for one in found]
    return Counted(found, capped)


def _collect(shard: Shard, lists: ListBounds, positions: NDArray[np.int64]) -> Candidates:
    """Count how often each document stands in these lists."""
    edges = zip(lists.starts[positions].tolist(), lists.ends[positions].tolist(), strict=True)
    ids = shard.ids.data  # slices of it are joined in half the time that those of an array take
    met = np.frombuffer(bytearray().join([ids[a:b] for a, b in edges]), np.uint32)
    met.sort()
    if len(met) and int(met[-1]) >= len(shard):
        raise shard.damaged("I")
    is_first = np.ones(len(met) + 1, np.bool_)
    np.not_equal(met[1:], met[:-1], out=is_first[1:-1])
    bounds = is_first.nonzero()[0]
    return Candidates(shard, met[bounds[:-1]], bounds[1:] - bounds[:-1])


def _least_worth(found: list[Candidates], limit: int) -> int:
    """The least count that is worth verifying: few enough have it, or it is the highest of all."""
    histogram = np.bincount(np.concatenate([one.scores for one in found]).astype(np.int64))
    above = histogram[::-1].cumsum()[::-1]  # so many have this count or a higher one
    fits = (above <= limit).nonzero()[0]
    return int(min(fits[0] if len(fits) else len(histogram), len(histogram) - 1))


def _verify(found: Candidates, signatures: Signatures, least: int) -> Candidates:
    """The true counts of those that were met at least so often."""
    ids = found.ids[found.scores >= least]
    return Candidates(found.shard, ids, (found.shard.H[ids] == signatures).sum(axis=1))
