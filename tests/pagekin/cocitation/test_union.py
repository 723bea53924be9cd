"""Tables of related pages of several indexes become one, as merge-index does it."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin import Index
from pagekin.cocitation.kin import Kin, Reason
from pagekin.cocitation.table import KinTable
from pagekin.cocitation.union import kin_pieces
from pagekin.config import BuildConfig, CocitationConfig
from pagekin.index.folder import IndexFolder, read_header
from pagekin.index.merge import merge_indexes
from pagekin.index.shard_files import may_share, shard_of_hash
from pagekin.index.verify import verify_index
from tests.indexes import KinLists, config_of, files_of, make_bag, make_index

A, B, C, D, E = (f"http://{name}.example/" for name in "abcde")


def kin(url: str, score: float, *reasons: Reason) -> Kin:
    return Kin(url, score, 3, 2, reasons)


def table_of(folder: Path) -> dict[str, list[Kin]]:
    """All lists of an index, by URL."""
    shards = IndexFolder(folder).shards
    return {url: found for shard in shards for url, found in KinTable(shard.kin).all()}


def config(shards: int, most: int = 15) -> BuildConfig:
    return replace(config_of(shards), cocitation=CocitationConfig(kin=most))


def merged(
    folder: Path, lists: list[KinLists], shards: list[int], target: int = 0, most: int = 15
) -> Path:
    """The union of indexes with these lists and no documents."""
    folder.mkdir(exist_ok=True)
    parts = [
        make_index(folder / f"part{k}", [], config(count, most), kin=one)
        for k, (one, count) in enumerate(zip(lists, shards, strict=True))
    ]
    merge_indexes(parts, folder / "merged", target, kin_pieces=kin_pieces)
    assert [] == verify_index(folder / "merged")
    return folder / "merged"


LISTS: list[KinLists] = [
    {A: [kin(B, 5.0, Reason("x.example", "five", 2.0)), kin(C, 4.0)], B: [kin(A, 4.5)]},
    {A: [kin(D, 4.5), kin(B, 4.25, Reason("y.example", "four", 1.0))], C: [kin(E, 9.0)]},
]


def test_by_hand(tmp_path):
    """Of a pair of both the highest TS stays, with its reasons; lists of one stay as they are."""
    assert {
        A: [kin(B, 5.0, Reason("x.example", "five", 2.0)), kin(D, 4.5), kin(C, 4.0)],
        B: [kin(A, 4.5)],
        C: [kin(E, 9.0)],
    } == table_of(merged(tmp_path, LISTS, [1, 1]))


def test_best_of_all(tmp_path):
    """The best M of all stay, of equal ones the first by their URL."""
    lists = [{A: [kin(B, 5.0), kin(E, 4.0)]}, {A: [kin(D, 6.0), kin(C, 4.0)]}]
    found = table_of(merged(tmp_path, lists, [1, 1], most=3))
    assert [kin(D, 6.0), kin(B, 5.0), kin(C, 4.0)] == found[A]


@pytest.mark.parametrize(
    ("shards", "target"), [([1, 1], 4), ([4, 1], 1), ([2, 3], 5), ([3, 3], 3), ([5, 2], 2)]
)
def test_numbers_of_shards(tmp_path, shards, target):
    """Whatever the numbers of shards, the table is the same, and each list in its shard."""
    many = [
        {f"http://h{k}.example/": [kin(B, 4.0 + k), kin(C, 4.5)] for k in range(n, 60 + n)}
        for n in (0, 30)
    ]
    folder = merged(tmp_path, [*many], shards, target)
    assert target == read_header(folder).shards
    assert table_of(merged(tmp_path / "once", [*many], [1, 1])) == table_of(folder)
    assert (90, 90) == (read_header(folder).kin, len(table_of(folder)))


def test_order_of_indexes(tmp_path):
    """Which index comes first is irrelevant for every byte of the tables."""
    lists = [*LISTS, {A: [kin(B, 5.0, Reason("z.example", "also five", 2.0)), kin(E, 1.0)]}]
    tables = set()
    for k, some in enumerate(permutations(lists)):
        files = files_of(merged(tmp_path / str(k), list(some), [1, 2, 1], 2))
        tables.add(tuple(data for name, data in files.items() if name.endswith("kin.arrays")))
    assert 1 == len(tables)


def test_documents_and_kin(tmp_path):
    """An index of bags and one of co-citation become one that answers both ways."""
    bags = [make_bag(url, {20: 1, 30: 1}) for url in (A, C)]
    parts = [
        make_index(tmp_path / "bags", bags, config(2)),
        make_index(tmp_path / "kin", [], config(3), kin=LISTS[0]),
    ]
    merge_indexes(parts, tmp_path / "both", 4, kin_pieces=kin_pieces)
    index = Index.open(tmp_path / "both")
    assert [C] == [one.url for one in index.related(A)]
    assert [B, C] == [one.url for one in index.related(A, by="cocitation")]
    assert [C, B] == [one.url for one in index.related(A, by="both")]
    assert ([], 2) == (index.verify(), index.info()["with_cocited_kin"])


def test_as_a_command(command, tmp_path):
    """`pagekin merge-index` merges the tables, too."""
    parts = [make_index(tmp_path / f"{k}", [], config_of(k + 1), kin=LISTS[k]) for k in range(2)]
    said = command("merge-index", *parts, "--index", tmp_path / "both")
    assert (0, "") == (said.code, said.err)
    assert [B, D, C] == [one.url for one in table_of(tmp_path / "both")[A]]


@given(st.integers(0, (1 << 64) - 1), st.integers(1, 70), st.integers(1, 70))
def test_shards_that_share_a_hash(hash_, shards, others):
    """No shard that may hold a page is passed over."""
    assert may_share(shards, shard_of_hash(hash_, shards), others, shard_of_hash(hash_, others))
