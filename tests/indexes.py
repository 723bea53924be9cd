"""Indexes for tests: from bags that a test makes up, without a build."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from hypothesis import strategies as st

from pagekin.bags.bag import Bag, Bags, EnrichedBags, Entry
from pagekin.cocitation.kin_table import SCORE, RelatedPage, shard_of_key, table_pieces, url_key
from pagekin.config import BuildConfig, EnrichConfig, IndexConfig, SignatureConfig
from pagekin.counters import Counters
from pagekin.enrich.neighbours import Nearest, write_neighbours
from pagekin.enrich.topics import Centroid, Topic, Topics
from pagekin.index.assembling import Mirrors, index_in_place, write_index
from pagekin.index.folder import NEIGHBOURS, TOPICS
from pagekin.index.shard_files import Document, Piece, in_blocks, shard_of, shard_pieces, sign_bags
from pagekin.kinds import Pair
from pagekin.limits import MAX_TITLE
from pagekin.minhash.signatures import Signatures
from pagekin.query.exact import jaccards
from pagekin.stages.related.best_kin import edge_value, name_value, select_best
from pagekin.text.tokens import one_line
from pagekin.text.words import Terms
from pagekin.web.resolution import write_resolution
from tests.pagekin.authority.scores import MadeUp, write_table

__all__ = [
    "NOT_ENRICHED",
    "SOURCE",
    "TITLES",
    "KinLists",
    "any_bags",
    "bag_record",
    "config_of",
    "files_of",
    "jaccard",
    "make_bag",
    "make_index",
    "random_bags",
    "word_of",
    "words_of",
]

# bags as they are; NOT_ENRICHED_FLAGS of tests.running says the same
NOT_ENRICHED = EnrichConfig(words=False, links=False, topics=False)

FREQUENCIES = {"bags": 4.0, "terms": 3.0, "mu": 0.5, "sigma": 0.25}
SOURCE = {"pagekin": "0", "files": 1, "bytes": 2, "names": ["a.warc"], "built_from": {}}

Words = Callable[[Terms], list[Entry]]
KinLists = Mapping[str, Sequence[RelatedPage]]


def config_of(shards: int = 1, count: int = 8, min_inlinks: int = 0, **others: str) -> BuildConfig:
    """A configuration with so many shards, signatures, and inlinks that are needed."""
    return BuildConfig(
        signatures=SignatureConfig(count=count, **others),
        index=IndexConfig(shards=shards, min_inlinks=min_inlinks),
        enrich=NOT_ENRICHED,
    )


def make_bag(
    url: str,
    weights: dict[int, float],
    anchors: int = 0,
    *,
    crawled: bool = True,
    title: str = "",
) -> Bag:
    """A bag of these terms; the weights are scaled to the sum 1."""
    terms = np.array(sorted(weights), dtype="<u4")
    heavy = np.array([weights[term] for term in sorted(weights)], dtype=np.float64)
    scaled = (heavy / heavy.sum() if len(heavy) else heavy).astype("<f4")
    return Bag(url, crawled, anchors, min(anchors, 3), min(anchors, 2), terms, scaled, title)


def bag_record(bag: Bag) -> Pair:
    """The record of a bag."""
    [record] = Bags.of([bag]).records()
    return record


def jaccard(a: Bag, b: Bag) -> float:
    """The similarity of two bags, as a question ranks them."""
    return float(jaccards(a.terms, a.weights, Bags.of([b]).columns())[0])


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
        crawled = chance.random() < 0.7
        title = f"Page {k} of {size}" if crawled and k % 5 else ""
        bags.append(make_bag(url, chosen, chance.randrange(6), crawled=crawled, title=title))
    return bags


TITLES = st.one_of(
    st.sampled_from(["", "A title", "1 2 3 4", "a|b", "Überblick - 東京"]),
    st.text(max_size=300).map(lambda text: one_line(text, MAX_TITLE)),
)
_COUNTS = st.one_of(st.integers(0, 5), st.sampled_from([(1 << 32) - 1, 1 << 32, 1 << 70]))


@st.composite
def any_bags(draw: st.DrawFn) -> list[Bag]:
    """Bags of any URLs, also such that no canonical URL would be."""
    urls = st.one_of(
        st.text(st.characters(codec="utf-8", min_codepoint=0x21), min_size=1, max_size=12),
        st.sampled_from(["http://a.example/", "http://a.example/!", "http://a.example", "é", "😀"]),
    )
    found = []
    for url in draw(st.lists(urls, max_size=12, unique=True)):
        terms = sorted(draw(st.sets(st.integers(16, (1 << 32) - 1), max_size=5)))
        heavy = draw(st.lists(st.floats(0.125, 8, width=32), min_size=5, max_size=5))
        weights = make_bag(url, dict(zip(terms, heavy, strict=False)))
        numbers = draw(st.tuples(st.booleans(), _COUNTS, _COUNTS, _COUNTS))
        title = draw(TITLES) if numbers[0] else ""
        found.append(Bag(url, *numbers, weights.terms, weights.weights, title))
    return found


def word_of(term: int) -> Entry:
    """A made-up word."""
    return Entry(f"stem{term}", f"word{term}")


def words_of(terms: Terms) -> list[Entry]:
    """Made-up words."""
    return [word_of(term) for term in terms.tolist()]


def make_index(  # noqa: PLR0917
    folder: Path,
    bags: Sequence[Bag],
    config: BuildConfig | None = None,
    rows: dict[str, Signatures] | None = None,
    aliases: Iterable[tuple[bytes, bytes]] = (),
    words: Words = words_of,
    kin: KinLists | None = None,
    neighbours: Mapping[int, Mapping[int, int]] | None = None,
    plain: Mapping[str, Bag] | None = None,
    topics: Sequence[Sequence[int]] | None = None,
    mirrors: Mirrors | None = None,
    scores: Iterable[MadeUp] | None = None,
) -> Path:
    """Write an index; `rows` gives signatures by URL where they are not those of the bags.

    `kin` gives related pages by co-citation, by URL; `neighbours` gives those of each term with
    their shares; `plain`, where bags were enriched (they have sources), what they were before;
    `topics` gives the terms of each, of one set; `mirrors` the groups of mirrors; `scores` the
    nodes of the table of scores.
    """
    config = config or config_of()
    resolution = folder.with_name(f"{folder.name}.aliases")
    write_resolution(resolution, aliases, [])
    documents = _documents(bags, config, rows, plain or {})
    pieces = _pieces(documents, config, words, _kin_records(kin or {}))
    learned = [] if neighbours is None else [_write_neighbours(folder, neighbours, words)]
    learned += [] if topics is None else [_write_topics(folder, topics, words)]
    learned += [] if scores is None else [write_table(folder.parent, scores)]
    with index_in_place(folder) as made:
        write_index(made, config, pieces, [resolution], FREQUENCIES, [SOURCE], learned, mirrors)
    for path in (resolution, *learned):
        path.unlink()
    return folder


def _write_neighbours(
    folder: Path, neighbours: Mapping[int, Mapping[int, int]], words: Words
) -> Path:
    path = folder.parent / NEIGHBOURS
    terms = np.array(sorted(neighbours), np.uint32)
    lists = [neighbours[term] for term in terms.tolist()]
    nearest = Nearest(
        terms,
        np.arange(5, 5 + len(terms), dtype=np.uint32),
        np.cumsum([0, *map(len, lists)], dtype=np.int64),
        np.searchsorted(terms, [other for each in lists for other in each]).astype(np.uint32),
        np.array([share for each in lists for share in each.values()], np.uint16),
    )
    write_neighbours(path, nearest, [entry.text() for entry in words(terms)], {"bags": 90})
    return path


def _write_topics(folder: Path, topics: Sequence[Sequence[int]], words: Words) -> Path:
    path = folder.parent / TOPICS
    made = []
    for each in topics:
        terms = np.array(sorted(each), np.uint32)
        named = [entry.display for entry in words(terms)]
        made.append(Topic(named, Centroid(terms, np.full(len(terms), 100, np.uint16))))
    Topics.write(path, made, EnrichConfig(topics_sets=1, topics_nearest=2))
    return path


def _documents(
    bags: Sequence[Bag],
    config: BuildConfig,
    rows: Mapping[str, Signatures] | None,
    plain: Mapping[str, Bag],
) -> list[Document]:
    if rows is None:
        [signed] = sign_bags([EnrichedBags(Bags.of(bags))], config, Counters())
        rows = {bag.url: row for bag, row in zip(bags, signed.signatures, strict=True)}
    return [Document(bag, rows[bag.url], plain.get(bag.url)) for bag in bags]


def _pieces(
    documents: list[Document], config: BuildConfig, words: Words, kin: list[Pair]
) -> Iterator[tuple[int, Piece]]:
    def texts(terms: Terms) -> list[bytes]:
        return [entry.text() for entry in words(terms)]

    shards = config.index.shards
    ordered = sorted(documents, key=lambda document: document.bag.url.encode())
    for shard in range(shards):
        own = [d for d in ordered if shard_of(d.bag.url.encode(), shards) == shard]
        for piece in shard_pieces(in_blocks(own), config, texts):
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


def _edge(kin: RelatedPage) -> bytes:
    told = [
        (round(reason.value * SCORE), f"{reason.domain} {reason.anchor}".encode())
        for reason in kin.reasons
    ]
    return edge_value(round(kin.score * SCORE), kin.url.encode(), kin.blocks, kin.domains, told)


def files_of(folder: Path) -> dict[str, bytes]:
    """All files of an index by their names."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}
