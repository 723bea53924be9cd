"""The table of related pages: written in pieces, looked up by binary search, and merged."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin import Index
from pagekin.cocitation import kin_table
from pagekin.cocitation.kin_table import (
    KinTable,
    Reason,
    RelatedPage,
    merged_table_pieces,
    parse_kin,
    shard_of_key,
    table_pieces,
    url_key,
)
from pagekin.config import BuildConfig, CocitationConfig
from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.index import verify
from pagekin.index.folder import IndexFolder, read_header
from pagekin.index.merge import merge_indexes
from pagekin.index.shard_files import SHARD_FILES, may_share, shard_of, shard_of_number
from pagekin.index.verify import verify_index
from pagekin.stages.related.best_kin import edge_value, name_value, parse_edge, select_best
from pagekin.tables import ArrayFile, ArrayWriter
from tests.indexes import KinLists, config_of, files_of, make_bag, make_index

FILE = SHARD_FILES["kin"]
GOLDEN = "d689cac7f417523f0aee963ce3b538bd"
REASON = b"d.example the anchor"
SMALL_URLS = st.integers(0, 5000).map(lambda k: f"http://h{k}.example/é")


def value_of(url: str, kin: int = 2) -> bytes:
    """A record of the related stage."""
    edges = [
        edge_value(3 << 20, b"http://kin%d.example/" % k, 7, 4, [(1 << 19, REASON)])
        for k in range(kin)
    ]
    pairs = [(b"0", name_value(url.encode())), *((b"0", edge) for edge in edges)]
    ((_, value),) = select_best(pairs, 15, Counters())
    return value


def write(path: Path, records: list[tuple[bytes, bytes]]) -> KinTable:
    with ArrayWriter(path, FILE.dtypes) as writer:
        for name, data in table_pieces(sorted(records)):
            writer.append(name.removeprefix("kin/"), data)
        writer.finish(FILE.kind, {})
    return KinTable(path)


def records_of(urls: list[str]) -> list[tuple[bytes, bytes]]:
    return [(url_key(url.encode()), value_of(url)) for url in urls]


KIN = [
    RelatedPage(f"http://kin{k}.example/", 3.0, 7, 4, (Reason("d.example", "the anchor", 0.5),))
    for k in range(2)
]


def test_golden_records():
    """The bytes of edges and kin are fixed."""
    edge = edge_value(
        3 << 20, b"http://b.example/", 7, 4, [(5, b"d.example x y"), (4, b"e.example ")]
    )
    assert b"7fffffcfffff http://b.example/ 7 4\x015 d.example x y\x014 e.example " == edge
    weak = edge_value(3 << 20, b"http://b.example/", 7, 1, [])
    assert b"ffffffcfffff http://b.example/ 7 1" == weak
    assert RelatedPage("http://b.example/", 3.0, 7, 1, ()) == parse_edge(weak)
    pairs = [(b"k", b"!http://a.example/"), (b"k", edge), (b"k", edge.replace(b"/b.", b"/c."))]
    assert [
        (
            b"k",
            b"http://a.example/\x023145728 http://b.example/ 7 4\x015 d.example x y\x014 e.example "
            b"\x023145728 http://c.example/ 7 4\x015 d.example x y\x014 e.example ",
        )
    ] == list(select_best(pairs, 15, Counters()))


def test_golden_table(tmp_path):
    """The bytes of a table are fixed."""
    write(tmp_path / "kin.arrays", records_of(["http://a.example/", "http://b.example/"]))
    assert GOLDEN == ArrayFile(tmp_path / "kin.arrays", FILE.kind).checksum


@given(st.sets(SMALL_URLS, max_size=30), SMALL_URLS)
@settings(deadline=None)
def test_look_up(tmp_path_factory, urls, other):
    """Every URL has its kin, any other has none."""
    table = write(tmp_path_factory.mktemp("table") / "kin.arrays", records_of(sorted(urls)))
    assert len(urls) == len(table)
    for url in urls:
        assert KIN == table.related(url)
    assert (KIN if other in urls else []) == table.related(other)
    assert dict.fromkeys(urls, KIN) == dict(table.all())


def test_many_pieces(tmp_path):
    """More pages than a piece holds."""
    urls = [f"http://h{k}.example/" for k in range(1500)]
    table = write(tmp_path / "kin.arrays", records_of(urls))
    assert sorted(urls, key=lambda url: url_key(url.encode())) == [url for url, _ in table.all()]
    assert [KIN] * 3 == [table.related(urls[k]) for k in (0, 700, 1499)]


def test_number_of_another_url(tmp_path):
    """A page whose number is that of another URL is not taken for it."""
    record = (url_key(b"http://a.example/"), value_of("http://b.example/"))
    assert [] == write(tmp_path / "kin.arrays", [record]).related("http://a.example/")


def test_shards():
    """A page lies in the shard where its document lies."""
    for k in range(50):
        url = b"http://h%d.example/" % k
        assert shard_of(url, 7) == shard_of_key(url_key(url), 7)


def test_two_urls_of_one_number():
    """Of two URLs with one number both have the kin but themselves, as many as any page may have,
    and it is counted.
    """
    counters = Counters()
    edges = [edge_value(9 - k, b"http://%c/" % c, 1, 1, []) for k, c in enumerate(b"acbde")]
    pairs = [(b"k", b"!http://a/"), (b"k", b"!http://b/"), *((b"k", edge) for edge in edges)]
    found = dict(parse_kin(value) for _, value in select_best(pairs, 3, counters))
    assert {"http://a/": "cbd", "http://b/": "acd"} == {
        url: "".join(one.url[-2] for one in kin) for url, kin in found.items()
    }
    assert {"hash_collisions": 1, "pages_with_kin": 2} == {
        name: counters.get("cocitation", name) for name in ("hash_collisions", "pages_with_kin")
    }


@given(st.sets(SMALL_URLS, min_size=1, max_size=12))
@settings(deadline=None)
def test_shared_numbers_in_a_table(tmp_path_factory, urls):
    """Many URLs of one number lie side by side, each with its own kin."""
    folder = tmp_path_factory.mktemp("tables")
    kin = {url: [KIN[0]._replace(url=f"{url}kin")] for url in urls}
    with patch.object(kin_table, "url_number", lambda url: len(url) % 2):
        records = [
            (key, value.replace(b"http://kin0.example/", f"{url}kin".encode()))
            for url in urls
            for key, value in [(url_key(url.encode()), value_of(url, 1))]
        ]
        table = write(folder / "kin.arrays", records)
        assert kin == {url: table.related(url) for url in urls}
        assert [] == table.related("http://no.example/")


@pytest.mark.parametrize(
    ("array", "data"), [("bounds", bytes(7) + b"\x01"), ("bounds", b"\xff" * 8), ("text", b"")]
)
def test_damaged(tmp_path, array, data):
    """A table that contradicts itself is one sentence."""
    path = tmp_path / "kin.arrays"
    arrays: dict[str, bytes] = {}
    for name, piece in table_pieces(records_of(["http://a.example/"])):
        arrays[name] = arrays.get(name, b"") + piece
    arrays[f"kin/{array}"] = arrays[f"kin/{array}"][:-8] + data if data else data
    with ArrayWriter(path, FILE.dtypes) as writer:
        for name, piece in arrays.items():
            writer.append(name.removeprefix("kin/"), piece)
        writer.finish(FILE.kind, {})
    with pytest.raises(InputError, match=r"kin\.arrays is damaged: it contradicts itself"):
        KinTable(path).related("http://a.example/")


A, B, C, D, E = (f"http://{name}.example/" for name in "abcde")


def kin(url: str, score: float, *reasons: Reason) -> RelatedPage:
    return RelatedPage(url, score, 3, 2, reasons)


def table_of(folder: Path) -> dict[str, list[RelatedPage]]:
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
    merge_indexes(parts, folder / "merged", target, kin_pieces=merged_table_pieces)
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


def test_shared_numbers_merged(tmp_path):
    """Of indexes whose pages have one number no list is taken for that of another page."""
    with (
        patch.object(kin_table, "url_number", lambda url: 7),
        patch.object(verify, "url_number", lambda url: 7),
    ):
        parts = [make_index(tmp_path / url[7:8], [], kin={url: [kin(E, 4.0)]}) for url in (A, B)]
        merge_indexes(parts, tmp_path / "both", kin_pieces=merged_table_pieces)
    assert {A: [kin(E, 4.0)], B: [kin(E, 4.0)]} == table_of(tmp_path / "both")


def test_weak_kin(tmp_path):
    """Of a pair that is weak in one of them the other counts; weak kin come last."""
    weak_b, weak_c = (RelatedPage(url, 9.0, 3, 1, ()) for url in (B, C))
    lists: list[KinLists] = [{A: [kin(D, 6.0), weak_b, weak_c]}, {A: [kin(B, 4.0)]}]
    found = table_of(merged(tmp_path, lists, [1, 1]))
    assert [kin(D, 6.0), kin(B, 4.0), weak_c] == found[A]
    assert [False, False, True] == [each.weak for each in found[A]]


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
    merge_indexes(parts, tmp_path / "both", 4, kin_pieces=merged_table_pieces)
    index = Index.open(tmp_path / "both")
    assert [C] == [one.url for one in index.related(A)]
    assert [B, C] == [one.url for one in index.related(A, by="cocitation", read="any")]
    assert [C, B] == [one.url for one in index.related(A, by="both")]
    assert ([], 2) == (index.verify(), index.info()["with_cocited_kin"])


def test_as_a_command(command, tmp_path):
    """`pagekin merge-index` merges the tables, too."""
    parts = [make_index(tmp_path / f"{k}", [], config_of(k + 1), kin=LISTS[k]) for k in range(2)]
    said = command("merge-index", *parts, "--index", tmp_path / "both")
    assert (0, "") == (said.code, said.err)
    assert [B, D, C] == [one.url for one in table_of(tmp_path / "both")[A]]


@given(st.integers(0, (1 << 64) - 1), st.integers(1, 70), st.integers(1, 70))
def test_shards_that_share_a_number(number, shards, others):
    """No shard that may hold a page is passed over."""
    assert may_share(
        shards, shard_of_number(number, shards), others, shard_of_number(number, others)
    )
