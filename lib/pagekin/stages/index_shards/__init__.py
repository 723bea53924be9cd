"""Bags, enriched or not, get signatures and become shards of an index with H and I [SIM 6.2]."""

from __future__ import annotations

from dataclasses import replace

from pagekin.config import BuildConfig
from pagekin.kinds import DOCUMENTS, ENRICHED_BAGS, FINAL_BAGS, SHARD_PIECES, compared_bags
from pagekin.stages.declaration import Output, Stage
from pagekin.stages.document_frequency import DICTIONARY
from pagekin.stages.topics import TOPICS

__all__ = ["INDEX_SHARDS", "settle_shards"]

_DOCUMENTS_A_SHARD = 500_000  # a minute of a reducer, and some 3 GB to copy


def settle_shards(config: BuildConfig, documents: int, share: float = 1.0) -> BuildConfig:
    """The number of shards, where it follows from the number of documents."""
    shards = config.index.shards or max(1, -(-documents // _DOCUMENTS_A_SHARD))
    return replace(config, index=replace(config.index, shards=shards))


# whether bags are enriched; by what, their records tell
_PARTS = ("enrich.words", "enrich.links", "enrich.topics")

INDEX_SHARDS = Stage(
    "index_shards",
    "index_shards:IndexShards",
    outputs=(
        Output(
            "index_shards",
            "bags get signatures, and lie in shards with H and I",
            makes=(SHARD_PIECES,),
            sections=("weight", *_PARTS, "signatures", "index"),
            version=6,
            part="bags",
            uses=(DICTIONARY, TOPICS),
        ),
    ),
    reads=(FINAL_BAGS, ENRICHED_BAGS),
    chooses=lambda config: (compared_bags(enriched=config.enrich.is_on),),
    shuffles=(DOCUMENTS,),
    settle=settle_shards,
)
