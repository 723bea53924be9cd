"""The tables of related pages of several indexes become one, where indexes are merged.

TS is a sum over citing domains, and the tables keep its best terms only, so TS over all crawls
together cannot be had from them. Of a pair that several tables hold the highest TS stays; of all
pairs of a page the best M.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter

from pagekin.cocitation.table import KinTable, shard_of_key, table_pieces
from pagekin.index.folder import IndexFolder
from pagekin.index.shard_files import may_share
from pagekin.kinds import Pair

__all__ = ["kin_pieces"]

_KIN = b"\x02"

Piece = tuple[str, bytes]


def kin_pieces(
    folders: Sequence[IndexFolder], shard: int, shards: int, most: int
) -> Iterator[Piece]:
    """The pieces of the table of one new shard; `most` kin of a page stay."""
    streams = [_records(folder, shard, shards) for folder in folders]
    merged = groupby(heapq.merge(*streams, key=itemgetter(0)), key=itemgetter(0))
    return table_pieces(
        (key, _united([value for _, value in group], most)) for key, group in merged
    )


def _records(folder: IndexFolder, shard: int, shards: int) -> Iterator[Pair]:
    for old in folder.shards:
        if may_share(len(folder.shards), old.number, shards, shard):
            for pair in KinTable(old.kin).records():
                if shard_of_key(pair[0], shards) == shard:
                    yield pair


def _united(values: list[bytes], most: int) -> bytes:
    if len(values) == 1:
        return values[0]
    best: dict[bytes, tuple[int, bytes]] = {}
    for value in values:
        for text in value.split(_KIN)[1:]:
            score, url, _ = text.split(b" ", 2)
            best[url] = max(best.get(url, (-1, b"")), (int(score), text))
    order = sorted(best, key=lambda url: (-best[url][0], url))
    return _KIN.join([values[0].split(_KIN)[0], *(best[url][1] for url in order[:most])])
