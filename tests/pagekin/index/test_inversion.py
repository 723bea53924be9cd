"""The inversion of H against dictionaries, and look-ups in it against linear search."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.index.columns import Columns
from pagekin.index.inversion import Position, directory_bits, invert
from pagekin.index.shard import Shard
from pagekin.minhash.hashing import EMPTY
from tests.indexes import config_of, make_bag, make_index

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


def as_dict(position: Position) -> dict[int, list[int]]:
    ends = [*position.starts.tolist(), len(position.ids)][1:]
    edges = zip(position.keys.tolist(), position.starts.tolist(), ends, strict=True)
    return {key: position.ids[a:b].tolist() for key, a, b in edges}


@given(tables(), st.integers(1, 7))
def test_lists(table, blocks):
    """Every list holds what a dictionary would, keys and ids ascending, however H is cut."""
    rows, listed = table
    with Columns(rows.shape[1]) as columns:
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
    return Shard(folder, 0, rows.shape[1])


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
    shard = Shard(make_index(tmp_path / "index", [empty, full]), 0, 8)
    assert [[]] * 8 == agree(shard, np.full(8, EMPTY, np.uint32))
    assert [[1]] * 8 == agree(shard, shard.H[1])
    assert [False, True] == [shard.has_terms(0), shard.has_terms(1)]


@pytest.mark.parametrize(("least", "listed"), [(0, [0, 1, 2]), (1, [1, 2]), (3, [2]), (4, [])])
def test_few_inlinks(tmp_path, least, listed):
    """Documents with fewer inlinks than are needed stand in no list, and keep their row of H."""
    bags = [make_bag(f"http://a.example/{n}", {20: 1.0}, n) for n in (0, 1, 3)]
    shard = Shard(make_index(tmp_path / "index", bags, config_of(min_inlinks=least)), 0, 8)
    assert [listed] * 8 == agree(shard, shard.H[0])
    assert 3 == len(np.unique(shard.H, axis=1)) == len(shard)
