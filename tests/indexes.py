"""Indexes for tests: from bags that a test makes up, without a build."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from pagekin.bags.bag import Bag
from pagekin.bags.batch import Batch
from pagekin.bags.dictionary import Entry
from pagekin.cocitation.kin import Kin, edge_value, name_value, select_best
from pagekin.cocitation.records import SCORE, url_key
from pagekin.cocitation.table import shard_of_key, table_pieces
from pagekin.config import BuildConfig, IndexConfig, SignatureConfig
from pagekin.counters import Counters
from pagekin.index.assembling import index_in_place, write_index
from pagekin.index.building import Document, Piece, in_blocks, shard_pieces
from pagekin.index.inversion import Numbers
from pagekin.index.layout import shard_of
from pagekin.kinds import Pair
from pagekin.stages.index_shards.signing import sign_batches
from pagekin.web.resolution import write_resolution

__all__ = [
    "SOURCE",
    "KinLists",
    "config_of",
    "files_of",
    "make_bag",
    "make_index",
    "random_bags",
    "word_of",
    "words_of",
]

FREQUENCIES = {"bags": 4.0, "terms": 3.0, "mu": 0.5, "sigma": 0.25}
SOURCE = {"pagekin": "0", "files": 1, "bytes": 2, "names": ["a.warc"], "built_from": {}}

Words = Callable[[Numbers], list[Entry]]
KinLists = Mapping[str, Sequence[Kin]]


def config_of(shards: int = 1, count: int = 8, min_inlinks: int = 0, **others: str) -> BuildConfig:
    """A configuration with so many shards, signatures, and inlinks that are needed."""
    return BuildConfig(
        signatures=SignatureConfig(count=count, **others),
        index=IndexConfig(shards=shards, min_inlinks=min_inlinks),
    )


def make_bag(url: str, weights: dict[int, float], anchors: int = 0, *, crawled: bool = True) -> Bag:
    """A bag of these terms; the weights are scaled to the sum 1."""
    terms = np.array(sorted(weights), dtype="<u4")
    heavy = np.array([weights[term] for term in sorted(weights)], dtype=np.float64)
    scaled = (heavy / heavy.sum() if len(heavy) else heavy).astype("<f4")
    return Bag(url, crawled, anchors, min(anchors, 3), min(anchors, 2), terms, scaled)


def random_bags(count: int, seed: int = 1, *, hosts: int = 5, terms: int = 40) -> list[Bag]:
    """Bags over few terms, some common and some rare, some equal, some empty."""
    chance = random.Random(seed)
    bags = []
    for k in range(count):
        url = f"http://{chance.choice('abcdefgh'[:hosts])}.example/{k:03d}"
        size = chance.choice([0, 1, 3, 6, 12, 12, 12])
        chosen = {
            int(terms * chance.random() ** 2) + 16: chance.choice([1, 1, 2, 5]) for _ in range(size)
        }
        bags.append(make_bag(url, chosen, chance.randrange(6), crawled=chance.random() < 0.7))
    return bags


def word_of(term: int) -> Entry:
    """A made-up word."""
    return Entry(f"stem{term}", f"word{term}")


def words_of(terms: Numbers) -> list[Entry]:
    """Made-up words."""
    return [word_of(term) for term in terms.tolist()]


def make_index(  # noqa: PLR0917
    folder: Path,
    bags: Sequence[Bag],
    config: BuildConfig | None = None,
    rows: dict[str, Numbers] | None = None,
    aliases: Iterable[tuple[bytes, bytes]] = (),
    words: Words = words_of,
    kin: KinLists | None = None,
) -> Path:
    """Write an index; `rows` gives signatures by URL where they are not those of the bags.

    `kin` gives related pages by co-citation, by URL.
    """
    config = config or config_of()
    resolution = folder.with_name(f"{folder.name}.aliases")
    write_resolution(resolution, aliases, [])
    pieces = _pieces(_documents(bags, config, rows), config, words, _kin_records(kin or {}))
    with index_in_place(folder) as made:
        write_index(made, config, pieces, [resolution], FREQUENCIES, [SOURCE])
    resolution.unlink()
    return folder


def _documents(
    bags: Sequence[Bag], config: BuildConfig, rows: dict[str, Numbers] | None
) -> list[Document]:
    if rows is not None:
        return [Document(bag, rows[bag.url]) for bag in bags]
    [signed] = sign_batches([Batch.of(bags)], config, Counters())
    return list(map(Document, bags, signed.rows))


def _pieces(
    documents: list[Document], config: BuildConfig, words: Words, kin: list[Pair]
) -> Iterator[tuple[int, Piece]]:
    def texts(terms: Numbers) -> list[bytes]:
        return [entry.text() for entry in words(terms)]

    shards, count, least = config.index.shards, config.signatures.count, config.index.min_inlinks
    ordered = sorted(documents, key=lambda document: document.bag.url.encode())
    for shard in range(shards):
        own = [d for d in ordered if shard_of(d.bag.url.encode(), shards) == shard]
        for piece in shard_pieces(in_blocks(own), count, least, texts):
            yield shard, piece
        related = [pair for pair in kin if shard_of_key(pair[0], shards) == shard]
        for piece in table_pieces(related):
            yield shard, piece


def _kin_records(lists: KinLists) -> list[Pair]:
    """What the related stage would give."""
    records = []
    for url, kin in lists.items():
        key = url_key(url.encode())
        values = [name_value(url.encode()), *sorted(map(_edge, kin))]
        records += select_best(((key, value) for value in values), len(values), Counters())
    return sorted(records)


def _edge(kin: Kin) -> bytes:
    told = [
        (round(reason.value * SCORE), f"{reason.domain} {reason.anchor}".encode())
        for reason in kin.reasons
    ]
    return edge_value(round(kin.score * SCORE), kin.url.encode(), kin.blocks, kin.domains, told)


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of an index by their names."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
