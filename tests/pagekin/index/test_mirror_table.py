"""The table of mirrors: written, read back, checked, and carried over by a merge."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.errors import InputError
from pagekin.index.assembling import Mirrors
from pagekin.index.folder import MIRRORS, IndexFolder, write_header
from pagekin.index.merge import merge_indexes
from pagekin.index.mirror_table import (
    DTYPES,
    KIND,
    Edge,
    Group,
    MirrorTable,
    Spot,
    table_rules,
    write_mirrors,
)
from pagekin.index.verify import verify_index
from pagekin.tables import ArrayFile, write_arrays
from tests.indexes import config_of, make_bag, make_index

URLS = [f"http://{host}.example/{k}".encode() for host in "abc" for k in range(4)]
EDGES = [
    Edge(URLS[0], URLS[1], 9000, 9500, 9400),
    Edge(URLS[1], URLS[5], 7000, 8000, 8500),
    Edge(URLS[2], URLS[9], 10_000, 10_000, 10_000),
]
GROUPS = [
    Group([URLS[5], URLS[0], URLS[1]], EDGES[:2], 7000, 6000, 2),
    Group([URLS[2], URLS[9]], EDGES[2:], 10_000, 10_000, 1, "too many members"),
]
HELD = [Edge(URLS[3], URLS[0], 3000, 9900, 3100), Edge(URLS[3], URLS[11], 2000, 9100, 2100)]


def index_of(folder: Path, shards: int = 3, urls: list[bytes] = URLS) -> IndexFolder:
    bags = [make_bag(url.decode(), {20: 1.0}) for url in urls]
    return IndexFolder(make_index(folder, bags, config_of(shards), mirrors=Mirrors(GROUPS, HELD)))


@pytest.fixture(params=[1, 3])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> IndexFolder:
    return index_of(tmp_path / "index", request.param)


def table_of(folder: IndexFolder) -> MirrorTable:
    assert folder.mirrors is not None
    return folder.mirrors


def spot(folder: IndexFolder, url: bytes) -> Spot:
    place = folder.find(url.decode())
    assert place
    return Spot(place.shard.number, place.document)


def named(folder: IndexFolder, found: Any) -> Any:
    """The same with URLs in the place of spots."""
    if isinstance(found, Spot):
        return folder.shards[found.shard].url(found.document)
    if isinstance(found, Edge | Group):
        return type(found)(*(named(folder, each) for each in found))
    if isinstance(found, list | tuple):
        return type(found)(named(folder, each) for each in found)
    return found


def test_read_back(folder):
    """Groups, members, facts, edges and contained pairs are what was written."""
    table = table_of(folder)
    assert 2 == len(table)
    assert GROUPS == [named(folder, table.group(number)) for number in range(2)]
    assert [3, 2] == [table.size(number) for number in range(2)]
    assert [URLS[5]] == named(folder, table.members(0, 1))
    heads = [table.representative(number) for number in range(2)]
    assert [URLS[5], URLS[2]] == named(folder, heads)
    assert ([0, 1], [1]) == (table.by_size(), table.cut_groups())
    groups = {url: table.group_of(spot(folder, url)) for url in URLS}
    expected = {url: number for number, group in enumerate(GROUPS) for url in group.members}
    assert {url: expected.get(url, -1) for url in URLS} == groups
    assert (HELD, []) == named(folder, table.contained(spot(folder, URLS[3])))
    assert ([], HELD[:1]) == named(folder, table.contained(spot(folder, URLS[0])))
    assert ([], []) == table.contained(spot(folder, URLS[4]))
    rows = {url: table.row_of(spot(folder, url)) for url in URLS}
    assert [(e.resemblance, rows[e.a], rows[e.b]) for e in EDGES] == list(table.all_edges())
    assert [-1] * 5 == [rows[URLS[k]] for k in (4, 6, 7, 8, 10)]


def test_golden(tmp_path):
    """The bytes of the file do not change unknowingly."""
    path = tmp_path / MIRRORS
    places = {url: divmod(number, 5) for number, url in enumerate(URLS)}
    write_mirrors(path, GROUPS, HELD, places.get, 3)
    assert "9188bf6ba88877e0ec6f7903a1333d75" == ArrayFile(path, KIND).checksum


def test_verified(folder):
    """A sound table is sound to `pagekin verify`, and an index without one stays sound."""
    assert [] == verify_index(folder.path)


def test_no_documents(tmp_path):
    """Pages that are no documents are left out, with their edges; so is a group of which one page
    remains. The first member that is left stands for the group."""
    urls = [url for url in URLS if url not in {URLS[5], URLS[9], URLS[11]}]
    folder = index_of(tmp_path / "index", urls=urls)
    table = table_of(folder)
    assert 1 == len(table)
    group = named(folder, table.group(0))
    assert ([URLS[0], URLS[1]], EDGES[:1]) == (group.members, group.edges)
    assert HELD[:1] == named(folder, table.all_contained())
    assert [] == verify_index(folder.path)


def test_no_groups(tmp_path):
    """An index in which nothing is a mirror has an empty table."""
    bags = [make_bag(url.decode(), {20: 1.0}) for url in URLS]
    path = make_index(tmp_path / "index", bags, config_of(2), mirrors=Mirrors([], []))
    table = table_of(IndexFolder(path))
    assert (0, []) == (len(table), table.by_size())
    assert 0 == len(table.members_among(1, np.array([0, 1], np.uint32)).at)
    assert [] == verify_index(path)


def test_merged(tmp_path):
    """Groups of both indexes stay; the merged one is that of one build of all."""
    ours = index_of(tmp_path / "ours", 2)
    bags = [make_bag(f"http://z.example/{k}", {20: 1.0}) for k in range(3)]
    urls = [bag.url.encode() for bag in bags]
    group = Group(urls[::-1], [Edge(*urls[:2], 8000, 1, 2)], 8000, 7000, 1)
    theirs = make_index(tmp_path / "theirs", bags, config_of(2), mirrors=Mirrors([group], []))
    merge_indexes([ours.path, theirs], tmp_path / "merged", 3)
    merged = IndexFolder(tmp_path / "merged")
    table = table_of(merged)
    group = group._replace(members=[urls[2], urls[0], urls[1]])
    assert [*GROUPS, group] == [named(merged, table.group(number)) for number in range(3)]
    assert HELD == named(merged, table.all_contained())
    assert [] == verify_index(merged.path)
    without = make_index(
        tmp_path / "without", [make_bag("http://y.example/", {20: 1.0})], config_of(2)
    )
    merge_indexes([ours.path, without], tmp_path / "one")
    assert 2 == len(table_of(IndexFolder(tmp_path / "one")))
    other = make_index(tmp_path / "other", [make_bag("http://x.example/", {20: 1.0})], config_of(2))
    merge_indexes([without, other], tmp_path / "none")
    assert IndexFolder(tmp_path / "none").mirrors is None


@given(data=st.data())
def test_twin(tmp_path_factory, data):
    """Look-ups, one by one and in arrays, are those of a dictionary."""
    sizes = data.draw(st.lists(st.integers(0, 6), min_size=1, max_size=4))
    spots = [Spot(s, d) for s, size in enumerate(sizes) for d in range(size)]
    urls = {f"{s}:{d}".encode(): Spot(s, d) for s, d in spots}
    names = data.draw(st.permutations(list(urls)))
    groups, rest = [], list(names)
    for size in data.draw(st.lists(st.integers(2, 4), max_size=4)):
        members, rest = rest[:size], rest[size:]
        if len(members) > 1:
            edges = [Edge(members[0], other, 5000, 1, 2) for other in members[1:]]
            groups.append(Group(members, edges, 5000, 4000, 2))
    path = tmp_path_factory.mktemp("twin") / MIRRORS
    write_mirrors(path, groups, [], urls.get, len(sizes))
    table = MirrorTable(ArrayFile(path, KIND), sizes)
    expected = {urls[url]: number for number, group in enumerate(groups) for url in group.members}
    assert [expected.get(each, -1) for each in spots] == list(map(table.group_of, spots))
    numbers: dict[Spot, int] = {}
    for shard, size in enumerate(sizes):
        for chosen in (range(size), range(0, size, 3)):  # more and fewer than the table has
            documents = [Spot(shard, document) for document in chosen]
            met = table.members_among(shard, np.array(chosen, np.uint32))
            spots = [documents[at] for at in met.at.tolist()]
            assert [each for each in documents if each in expected] == spots
            assert [expected[each] for each in spots] == met.groups.tolist()
            numbers.update(zip(spots, met.places.tolist(), strict=True))
    for number, group in enumerate(groups):
        members = [group.members[0], *sorted(group.members[1:])]
        assert [urls[url] for url in members] == table.members(number)
        assert table.members(number) == sorted(table.members(number), key=numbers.__getitem__)


def spoilt(file: ArrayFile, path: Path, name: str, array: np.ndarray[Any, Any]) -> ArrayFile:
    arrays = {each: file[each] for each in DTYPES} | {name: array}
    write_arrays(path, KIND, {}, {n: np.asarray(arrays[n], d) for n, d in DTYPES.items()})
    return ArrayFile(path, KIND)


@pytest.mark.parametrize("name", list(DTYPES))
def test_damage(folder, tmp_path, name):
    """Whatever array is cut or holds other numbers, the table is refused or answers without a
    fault."""
    file, sizes = folder.files[MIRRORS], [len(shard) for shard in folder.shards]
    array = file[name]
    most = np.iinfo(array.dtype).max
    changed = [array[:-1], array[:0], np.append(array, array[-1:])]
    for at in range(len(array)):
        for value in (0, 1, most, most - 1):
            other = array.copy()
            other[at] = value
            changed.append(other)
    refused = 0
    for other in changed:
        spoilt_file = spoilt(file, tmp_path / "spoilt.arrays", name, other)
        broken = [rule for rule, holds in table_rules_until_wrong(spoilt_file, sizes) if not holds]
        try:
            table = MirrorTable(spoilt_file, sizes)
        except InputError as error:
            assert broken
            assert "is damaged: it contradicts itself" in str(error)
            refused += 1
            continue
        assert not broken
        for number in range(len(table)):
            assert named(folder, table.group(number))
        for one in (spot(folder, url) for url in URLS):
            table.contained(one)
            assert table.group_of(one) < len(table)
            met = table.members_among(one.shard, np.array([one.document], np.uint32))
            assert [table.group_of(one)] == met.groups.tolist() or not len(met.at)
    assert refused > 2


def table_rules_until_wrong(file: ArrayFile, sizes: list[int]) -> list[tuple[str, bool]]:
    """As `pagekin verify` goes through them."""
    told = []
    for rule, holds in table_rules(file, sizes):
        told.append((rule, holds))
        if not holds:
            break
    return told


def test_damage_is_told(folder):
    """`pagekin verify` names the rule that is broken, where somebody made the checksums fit."""
    file, header = folder.files[MIRRORS], folder.header
    other = spoilt(file, file.path, "members", file["members"][::-1])
    write_header(folder.path, replace(header, files={**header.files, MIRRORS: other.checksum}))
    told = [f"{file.path}: members of the groups of their rows"]
    assert told == verify_index(folder.path)
