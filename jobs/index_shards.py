#!/usr/bin/env python3
"""Final bags -> the shards of an index: signatures, H, and its inversion I.

    input    what weighted_bags made
    map      sign many bags at once; each bag, and each row of signatures, to the shard of its URL
    reduce   by shard, bags apart from rows: documents in the order of their URLs; I at the end
    output   SHARD KIND NUMBER TAB ARRAY piece

Records are described in docs/formats.md. Rests on [SIM] section 6.2.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby, islice, tee
from operator import itemgetter
from typing import Any

from pagekin.bags.batch import read_batches
from pagekin.bags.dictionary import Dictionary
from pagekin.engine.job import PagekinJob
from pagekin.index.building import bag_pieces, row_pieces, rows_of
from pagekin.kinds import Pair
from pagekin.stages.index_shards import INDEX_SHARDS
from pagekin.stages.index_shards.records import (
    BAGS,
    document_records,
    piece_records,
    read_bags,
    read_rows,
)
from pagekin.stages.index_shards.signing import BATCH, sign_batches


class IndexShards(PagekinJob):
    STAGE = INDEX_SHARDS

    def make_runner(self) -> Any:
        if not self.config.index.shards:
            self.arg_parser.error("--index-shards is needed: a task does not know all documents")
        return super().make_runner()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        shards, least = self.config.index.shards, self.config.index.min_inlinks
        some, batches = tee(pairs)
        for signed in sign_batches(read_batches(batches, BATCH), self.config, self.counters_):
            documents = islice(some, len(signed.rows))
            yield from document_records(documents, rows_of(signed, least), shards)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        words = Dictionary(self.tables()["dictionary"]).texts
        count = self.config.signatures.count
        for key, group in groupby(pairs, key=itemgetter(0)):
            values = (value for _, value in group)
            if key.endswith(BAGS):
                yield from piece_records(key, bag_pieces(read_bags(values), words))
            else:
                yield from piece_records(key, row_pieces(read_rows(values, count), count))


if __name__ == "__main__":
    IndexShards.run()
