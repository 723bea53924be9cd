#!/usr/bin/env python3
"""Final bags -> the shards of an index: signatures, H, and its inversion I.

    input    what weighted_bags made
    map      sign many bags at once; each bag, and each row of signatures, to the shard of its URL
    reduce   by shard, bags apart from rows: documents in the order of their URLs; I at the end
    output   SHARD KIND NUMBER TAB ARRAY piece

Records are described in docs/formats.md. Rests on [SIM] section 6.2.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from pagekin.bags.bag import Dictionary
from pagekin.engine.job import PagekinJob
from pagekin.enrich.topics import Topics
from pagekin.index.shard_files import map_documents, reduce_documents
from pagekin.kinds import Pair
from pagekin.stages.index_shards import INDEX_SHARDS


class IndexShards(PagekinJob):
    STAGE = INDEX_SHARDS

    def make_runner(self) -> Any:
        if not self.config.index.shards:
            self.arg_parser.error("--index-shards is needed: a task does not know all documents")
        return super().make_runner()

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from map_documents(pairs, self.config, self.counters_)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        tables = self.tables()
        tokens = Topics(tables["topics"]).entries if "topics" in tables else {}
        words = Dictionary(tables["dictionary"], tokens).texts
        yield from reduce_documents(pairs, self.config, words)


if __name__ == "__main__":
    IndexShards.run()
