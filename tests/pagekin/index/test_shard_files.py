"""Records and pieces; the inversion of H against dictionaries, look-ups against linear search."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace
from itertools import chain, groupby, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import BagColumns, Bags, EnrichedBags
from pagekin.config import EnrichConfig
from pagekin.counters import Counters
from pagekin.enrich.mixture import Part, enrich
from pagekin.index import shard_files
from pagekin.index.folder import IndexFolder
from pagekin.index.shard import Shard
from pagekin.index.shard_files import (
    Document,
    Lists,
    Piece,
    Signed,
    _Columns,
    directory_bits,
    in_blocks,
    invert,
    map_documents,
    parse_piece,
    reduce_documents,
    shard_of,
    shard_pieces,
    sign_bags,
)
from pagekin.minhash.signatures import EMPTY
from tests.indexes import any_bags, bag_record, config_of, make_bag, make_index, word_of

# --- records and pieces ---


def words_in(terms: np.ndarray) -> list[bytes]:
    return [word_of(term).text() for term in terms.tolist()]


def arrays_of(pieces: Iterable[Piece]) -> dict[str, bytes]:
    """The arrays that the pieces are made of."""
    arrays: dict[str, bytes] = defaultdict(bytes)
    for name, data in pieces:
        arrays[name] += data
    return dict(arrays)


@given(
    any_bags(),
    st.integers(1, 3),
    st.integers(1, 4),
    st.integers(0, 3),
    st.sampled_from([1, 2, 512]),
    st.booleans(),
)
def test_documents_as_records(bags, shards, count, least, block, enriches):  # noqa: PLR0917
    """The pieces of reducers, put together, are those that one reading of the documents makes."""
    config = config_of(shards, count, least)
    if enriches:
        config = replace(config, enrich=EnrichConfig())
    stored = enriched(Bags.of(bags)) if enriches else EnrichedBags(Bags.of(bags))
    records = [*(stored.records() if enriches else ()), *map(bag_record, bags)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shard_files, "_BLOCK", block)
        sent = list(map_documents(records, config, Counters()))
        made = list(reduce_documents(sorted(sent), config, words_in))
        by_key = [[pair[0] for pair in some] for _, some in groupby(made, lambda p: p[0][:10])]
        assert by_key == [sorted(keys) for keys in by_key]
        signed = sign_bags([stored], config, Counters()) if bags else []
        documents = sorted(chain(*map(documents_of, signed)), key=lambda d: d.bag.url.encode())
        for shard in range(shards):
            own = [d for d in documents if shard_of(d.bag.url.encode(), shards) == shard]
            found = arrays_of(piece for k, piece in map(parse_piece, made) if k == shard)
            if own:
                assert arrays_of(shard_pieces(in_blocks(own), config, words_in)) == found
            else:
                assert {} == found


def enriched(plain: Bags) -> EnrichedBags:
    """These bags with one word more each, and of some most of the weight."""
    count = len(plain)
    more = BagColumns(
        np.full(count, 99, np.uint32), np.ones(count, np.float32), np.arange(count + 1)
    )
    return enrich(plain, [Part(1, np.arange(count) % 3 + 0.5, more)], None, 4)


def documents_of(signed: Signed) -> list[Document]:
    """They, one by one."""
    bags, sources, plain = signed.bags
    if plain is None:
        return [Document(bag, row) for bag, row in zip(bags, signed.signatures, strict=True)]
    edges = pairwise(bags.bounds.tolist())
    stored = [bag._replace(sources=sources[a:b]) for bag, (a, b) in zip(bags, edges, strict=True)]
    before = replace(bags, terms=plain.terms, weights=plain.weights, bounds=plain.bounds)
    return list(map(Document, stored, signed.signatures, before))


def test_golden_records():
    """A document is two records, one for each of the shard's keys; a piece is one."""
    bag = make_bag("http://a.example/", {20: 1.0, 30: 3.0}, 2, title="A b")
    sent = list(map_documents([bag_record(bag)], config_of(count=2), Counters()))
    assert [
        (b"00000 bags", b"http://a.example/ 1 2 2 2 A b FAAAAB4AAAAAAIA+AABAPw=="),
        (b"00000 rows", b"http://a.example/ 1 2 2 2 A b lbBA8gs6r/o="),
    ] == sent
    made = list(reduce_documents(sent, config_of(count=2), words_in))
    assert (b"00000 bags 000000003", b"bags/terms FAAAAB4AAAA=") == made[3]
    assert (0, ("bags/terms", bytes([20, 0, 0, 0, 30, 0, 0, 0]))) == parse_piece(made[3])


# --- H by columns ---


@given(st.lists(st.integers(0, 9), max_size=8), st.integers(1, 5), st.integers(0, 200))
def test_columns(sizes: list[int], count: int, held: int) -> None:
    """However the rows come, and however many may wait in memory, the columns are theirs."""
    blocks = np.arange(sum(sizes) * count, dtype=np.uint32).reshape(-1, count)
    with pytest.MonkeyPatch.context() as patch, _Columns(count) as columns:
        patch.setattr(shard_files, "_SPILLED", held)
        for rows in np.split(blocks, np.cumsum(sizes)[:-1]) if sizes else []:
            columns.add(rows)
        found = [column.tolist() for column in columns]
        assert bool(columns._spilled) == (blocks.nbytes > held and max(sizes, default=0) > 0)
    assert blocks.T.tolist() == found


def test_file_is_gone() -> None:
    """Nothing is left of what lay on disk."""
    with _Columns(2) as columns:
        file = columns._file
    assert file.closed


# --- inversion ---

LIMIT = 1 << 32


def signatures() -> st.SearchStrategy[int]:
    """Any signature; often equal ones, and those at the edges of the directory."""
    edges = [0, 1, (1 << 31) - 1, 1 << 31, 3 << 30, EMPTY - 1]
    return st.one_of(st.sampled_from(edges), st.integers(0, 5), st.integers(0, EMPTY - 1))


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    """H of up to 40 documents, and those that are listed."""
    count, documents = draw(st.integers(1, 5)), draw(st.integers(0, 40))
    drawn = st.lists(signatures(), min_size=count, max_size=count)
    rows = draw(st.lists(drawn, min_size=documents, max_size=documents))
    listed = draw(st.lists(st.booleans(), min_size=documents, max_size=documents))
    table = np.array(rows, dtype=np.uint32).reshape(documents, count)
    return table, [k for k in range(documents) if listed[k]]


def plain_inversion(rows: np.ndarray, listed: list[int]) -> list[dict[int, list[int]]]:
    """For each position the documents of each signature."""
    lists: list[dict[int, list[int]]] = [defaultdict(list) for _ in range(rows.shape[1])]
    for document in listed:
        for j, signature in enumerate(rows[document].tolist()):
            lists[j][signature].append(document)
    return lists


def as_dict(position: Lists) -> dict[int, list[int]]:
    ends = [*position.starts.tolist(), len(position.ids)][1:]
    edges = zip(position.keys.tolist(), position.starts.tolist(), ends, strict=True)
    return {key: position.ids[a:b].tolist() for key, a, b in edges}


@given(tables(), st.integers(1, 7))
def test_lists(table, blocks):
    """Every list holds what a dictionary would, keys and ids ascending, however H is cut."""
    rows, listed = table
    with _Columns(rows.shape[1]) as columns:
        for part in np.array_split(rows, blocks):
            columns.add(part)
        found = list(invert(columns, np.array(listed, dtype=np.uint32)))
    assert plain_inversion(rows, listed) == list(map(as_dict, found))
    for position in found:
        assert sorted(position.keys.tolist()) == position.keys.tolist()
        assert {np.dtype("<u4")} == {array.dtype for array in position}


@given(tables())
def test_directory(table):
    """Between two places of the directory lie the keys with these first bits, and no others."""
    rows, listed = table
    bits = directory_bits(len(listed))
    for position in invert(rows.T, np.array(listed, dtype=np.uint32)):
        assert (1 << bits) + 1 == len(position.directory)
        for first in range(1 << bits):
            low, high = position.directory[first : first + 2].tolist()
            expected = [k for k in position.keys.tolist() if k >> (32 - bits) == first]
            assert expected == position.keys[low:high].tolist()


@pytest.mark.parametrize(
    ("documents", "bits"),
    [(0, 0), (1, 0), (7, 0), (8, 1), (1_000, 7), (1 << 26, 24), (1 << 32, 24)],
)
def test_bits(documents, bits):
    """About four keys a bucket, and no directory that is larger than 64 MB a position."""
    assert bits == directory_bits(documents)


# --- look-ups ---


def shard_with(folder, rows: np.ndarray) -> Shard:
    """An index of one shard with these signatures."""
    bags = [make_bag(f"http://a.example/{k:05d}", {20: 1.0}) for k in range(len(rows))]
    by_url = {bag.url: row for bag, row in zip(bags, rows, strict=True)}
    make_index(folder, bags, config_of(count=rows.shape[1]), by_url)
    return IndexFolder(folder).shards[0]


def agree(shard: Shard, wanted: np.ndarray) -> list[list[int]]:
    starts, ends = shard.lists(wanted)
    return [shard.ids[a:b].tolist() for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]


@pytest.mark.parametrize("documents", [0, 1, 2, 9, 300])
@pytest.mark.parametrize("spread", [1, 3, 50, LIMIT - 1])
def test_look_up(tmp_path, documents, spread):
    """What is asked for is found where a linear search finds it; what is not there is not found."""
    chance = np.random.default_rng(documents * 7 + spread)
    rows = chance.integers(0, spread, (documents, 4)).astype(np.uint32)
    if documents > 100:  # one hot signature, and many close together at the end
        rows[:100, 1] = 7
        rows[:, 2] = EMPTY - 1 - rows[:, 2] % 100
    shard = shard_with(tmp_path / "index", rows)
    asked = [*rows[:20], *chance.integers(0, LIMIT - 1, (20, 4)).astype(np.uint32)]
    asked += [
        np.zeros(4, np.uint32),
        np.full(4, EMPTY - 1, np.uint32),
        np.full(4, EMPTY, np.uint32),
    ]
    asked += [row + np.uint32(1) for row in rows[:20]] + [row - np.uint32(1) for row in rows[:20]]
    for wanted in asked:
        expected = [np.flatnonzero(rows[:, j] == wanted[j]).tolist() for j in range(4)]
        assert expected == agree(shard, wanted)


def test_bags_without_a_term_are_in_no_list(tmp_path):
    """EMPTY is no signature: nobody has it in common with anybody."""
    full, empty = make_bag("http://a.example/1", {20: 1.0}), make_bag("http://a.example/0", {})
    shard = IndexFolder(make_index(tmp_path / "index", [empty, full])).shards[0]
    assert [[]] * 8 == agree(shard, np.full(8, EMPTY, np.uint32))
    assert [[1]] * 8 == agree(shard, shard.H[1])
    assert [False, True] == [shard.has_terms(0), shard.has_terms(1)]


@pytest.mark.parametrize(("least", "listed"), [(0, [0, 1, 2]), (1, [1, 2]), (3, [2]), (4, [])])
def test_few_inlinks(tmp_path, least, listed):
    """Documents with fewer inlinks than are needed stand in no list, and keep their row of H."""
    bags = [make_bag(f"http://a.example/{n}", {20: 1.0}, n) for n in (0, 1, 3)]
    folder = make_index(tmp_path / "index", bags, config_of(min_inlinks=least))
    shard = IndexFolder(folder).shards[0]
    assert [listed] * 8 == agree(shard, shard.H[0])
    assert 3 == len(np.unique(shard.H, axis=1)) == len(shard)
