"""The files of an index, by name: what a shard holds, and how documents are dealt to shards.

    INDEX/index.json              what it is, its parameters, where it came from; checksummed
    INDEX/aliases.arrays          URLs that stand for others
    INDEX/shard-00000/            the documents whose URL hashes to it, ids in the order of the URLs
        urls.arrays               URL, and where its bag came from
        H.arrays                  m signatures a document, fixed stride [SIM 6.2]
        I.arrays                  for each position and signature the documents that have it
        bags.arrays               terms and weights, for exact similarity and for reasons
        words.arrays              the words of the terms
        kin.arrays                the related pages by co-citation, and their reasons

docs/formats.md describes each array.
"""

from __future__ import annotations

from typing import NamedTuple

import xxhash

__all__ = [
    "ALIASES",
    "FORMAT",
    "HEADER",
    "SHARD_FILES",
    "ShardFile",
    "may_share",
    "shard_name",
    "shard_of",
    "shard_of_hash",
]

FORMAT = 1
HEADER = "index.json"
ALIASES = "aliases.arrays"


class ShardFile(NamedTuple):
    """One array file of a shard."""

    name: str
    kind: str
    dtypes: dict[str, str]


SHARD_FILES: dict[str, ShardFile] = {
    file.name.partition(".")[0]: file
    for file in (
        ShardFile(
            "urls.arrays",
            "index urls",
            {
                "bounds": "<u8",
                "text": "|u1",
                "crawled": "|u1",
                "anchors": "<u4",
                "pages": "<u4",
                "hosts": "<u4",
            },
        ),
        ShardFile("H.arrays", "index H", {"signatures": "<u4"}),
        ShardFile(
            "I.arrays",
            "index I",
            {"directory": "<u4", "keys": "<u4", "starts": "<u4", "ids": "<u4"},
        ),
        ShardFile("bags.arrays", "index bags", {"bounds": "<u8", "terms": "<u4", "weights": "<f4"}),
        ShardFile("words.arrays", "dictionary", {"hashes": "<u4", "bounds": "<u8", "text": "|u1"}),
        ShardFile("kin.arrays", "index kin", {"hashes": "<u8", "bounds": "<u8", "text": "|u1"}),
    )
}


def shard_name(shard: int) -> str:
    """The folder of a shard.

    >>> shard_name(7)
    'shard-00007'
    """
    return f"shard-{shard:05d}"


def shard_of(url: bytes, shards: int) -> int:
    """The shard of a canonical URL."""
    return shard_of_hash(xxhash.xxh3_64_intdigest(url), shards)


def shard_of_hash(hash_: int, shards: int) -> int:
    """The shard of a URL's XXH3-64: equal ranges, so that what is sorted by hash is by shard too.

    >>> shard_of_hash(0, 3), shard_of_hash(1 << 63, 3), shard_of_hash((1 << 64) - 1, 3)
    (0, 1, 2)
    """
    return hash_ * shards >> 64


def may_share(shards: int, shard: int, others: int, other: int) -> bool:
    """Can a document lie in both, one of so many shards each? Shards are ranges of hashes.

    >>> may_share(2, 0, 3, 1), may_share(2, 0, 3, 2)
    (True, False)
    """
    return shard * others < (other + 1) * shards and other * shards < (shard + 1) * others
