#!/usr/bin/env python3
"""Final bags -> the shards of an index: signatures, H, and its inversion I.

    input    what weighted_bags made
    map      sign many bags at once; each to the shard of its URL
    reduce   by shard: documents in the order of their URLs; H as it comes, I at the end
    output   SHARD NUMBER TAB ARRAY piece

Records are described in docs/formats.md. Rests on [SIM] section 6.2.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from pagekin.bags.batch import read_batches
from pagekin.bags.dictionary import Dictionary
from pagekin.index.building import shard_pieces
from pagekin.index.records import document_records, piece_records, read_documents
from pagekin.index.signing import BATCH, sign_batches
from pagekin.pipeline.job import PagekinJob, Pair


class IndexShards(PagekinJob):
    SECTIONS = ("weight", "signatures", "index")

    def configure_args(self) -> None:
        super().configure_args()
        self.add_file_arg("--dictionary", help="the table of words that document_frequency made")

    def make_runner(self) -> Any:
        if not self.options.dictionary:
            self.arg_parser.error("--dictionary is needed: document_frequency makes the table")
        if not self.config.index.shards:
            self.arg_parser.error("--index-shards is needed: a task does not know all documents")
        return super().make_runner()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        batches = read_batches(pairs, BATCH)
        for signed in sign_batches(batches, self.config, self.counters_):
            yield from document_records(signed, self.config.index.shards)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        words = Dictionary(Path(self.options.dictionary)).texts
        count, least = self.config.signatures.count, self.config.index.min_inlinks
        for key, group in groupby(pairs, key=itemgetter(0)):
            blocks = read_documents((value for _, value in group), count)
            yield from piece_records(int(key), shard_pieces(blocks, count, least, words))


if __name__ == "__main__":
    IndexShards.run()
