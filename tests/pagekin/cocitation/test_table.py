"""The table of related pages: written in pieces, looked up by binary search."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.cocitation.kin import Kin, Reason, edge_value, name_value, parse_kin, select_best
from pagekin.cocitation.records import url_hash, url_key
from pagekin.cocitation.table import DTYPES, KIND, KinTable, shard_of_key, table_pieces
from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.index.shard_files import shard_of
from pagekin.tables import ArrayFile, ArrayWriter

GOLDEN = "5e82732094484a457f41c25435cb7926"
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
    with ArrayWriter(path, DTYPES) as writer:
        for name, data in table_pieces(sorted(records)):
            writer.append(name.removeprefix("kin/"), data)
        writer.finish(KIND, {})
    return KinTable(path)


def records_of(urls: list[str]) -> list[tuple[bytes, bytes]]:
    return [(url_key(url.encode()), value_of(url)) for url in urls]


KIN = [
    Kin(f"http://kin{k}.example/", 3.0, 7, 4, (Reason("d.example", "the anchor", 0.5),))
    for k in range(2)
]


def test_golden_records():
    """The bytes of edges and kin are fixed."""
    edge = edge_value(
        3 << 20, b"http://b.example/", 7, 4, [(5, b"d.example x y"), (4, b"e.example ")]
    )
    assert b"ffffffcfffff http://b.example/ 7 4\x015 d.example x y\x014 e.example " == edge
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
    assert GOLDEN == ArrayFile(tmp_path / "kin.arrays", KIND).checksum


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
    assert sorted(urls, key=lambda url: url_hash(url.encode())) == [url for url, _ in table.all()]
    assert [KIN] * 3 == [table.related(urls[k]) for k in (0, 700, 1499)]


def test_same_hash_of_another_url(tmp_path):
    """A page whose hash is that of another URL is not taken for it."""
    record = (url_key(b"http://a.example/"), value_of("http://b.example/"))
    assert [] == write(tmp_path / "kin.arrays", [record]).related("http://a.example/")


def test_shards():
    """A page lies in the shard where its document lies."""
    for k in range(50):
        url = b"http://h%d.example/" % k
        assert shard_of(url, 7) == shard_of_key(url_key(url), 7)


def test_two_urls_of_one_hash():
    """Of two URLs with one hash the first has the kin, and it is counted."""
    counters = Counters()
    pairs = [(b"k", b"!http://a/"), (b"k", b"!http://b/"), (b"k", edge_value(1, b"c", 1, 1, []))]
    ((_, value),) = select_best(pairs, 15, counters)
    assert "http://a/" == parse_kin(value)[0]
    assert 1 == counters.get("cocitation", "hash_collisions")


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
    with ArrayWriter(path, DTYPES) as writer:
        for name, piece in arrays.items():
            writer.append(name.removeprefix("kin/"), piece)
        writer.finish(KIND, {})
    with pytest.raises(InputError, match=r"kin\.arrays is damaged: it contradicts itself"):
        KinTable(path).related("http://a.example/")
