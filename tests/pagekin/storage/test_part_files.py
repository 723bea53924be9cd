"""Finding records in part files: bisection against a plain scan."""

from __future__ import annotations

import itertools
import os
import resource
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagekin.kinds import Pair
from pagekin.storage import part_files as module
from pagekin.storage.part_files import (
    find,
    last_line,
    neighbours,
    part_files,
    read_merged,
    read_records,
)

STATISTICS = b'!task\t{"records": 3}\n'

# Short keys that begin one another, and characters before and behind the tab's and the "!"'s.
KEYS = st.one_of(
    st.sampled_from([b"!words/000", b"!words/0ff", b"!words/fff"]),
    st.binary(min_size=1, max_size=4).map(lambda k: b"h" + k.translate(None, b"\t\n")),
    st.sampled_from([b"http://a.example/", b"http://a.example/%C3%A9", b"http://b.example/?a=1"]),
)
VALUES = st.one_of(st.just(b""), st.just(b"x" * 300), st.binary(max_size=9)).map(
    lambda value: value.translate(None, b"\n")
)
ABSENT = st.one_of(
    KEYS, st.sampled_from([b"", b"!", b"!words/", b"http://a.example", b"zzz", b"\xff\xff"])
)


@st.composite
def parts(draw: st.DrawFn) -> list[list[Pair]]:
    """The records of a stage: each key once, dealt to sorted parts, some of them empty."""
    records = draw(st.dictionaries(KEYS, VALUES, max_size=25))
    count = draw(st.integers(1, 4))
    place = {key: draw(st.integers(0, count - 1)) for key in sorted(records)}
    return [[(k, records[k]) for k in sorted(records) if place[k] == n] for n in range(count)]


def write(folder: Path, number: int, records: list[Pair], end: bytes = STATISTICS) -> None:
    lines = b"".join(b"%b\t%b\n" % pair for pair in records)
    (folder / f"part-{number:05d}").write_bytes(lines + end)


class Folder:
    """A folder of part files for the length of a `with`; Hypothesis wants a new one each time."""

    def __init__(self, dealt: list[list[Pair]], ends: Iterator[bytes] | None = None) -> None:
        self._dealt, self._ends = dealt, ends or itertools.repeat(STATISTICS)

    def __enter__(self) -> Path:
        self.path = Path(tempfile.mkdtemp())
        for number, (records, end) in enumerate(zip(self._dealt, self._ends, strict=False)):
            write(self.path, number, records, end)
        return self.path

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self.path)


@given(parts(), st.lists(ABSENT))
@example([[(b"h", b"1")]], [b"g", b"h", b"i"])
@example([[], [(b"!words/000", b"w"), (b"h", b"")]], [b"!"])
def test_find(dealt, absent):
    """Every key is found with its value, and no other key is found."""
    records = dict(itertools.chain.from_iterable(dealt))
    with Folder(dealt) as folder:
        for key in [*records, *absent]:
            assert records.get(key) == find(folder, key), key


@given(parts(), ABSENT, st.integers(0, 5))
def test_neighbours(dealt, key, count):
    """From each part the first keys that are not below; words and statistics are no URLs."""
    expected = []
    for records in dealt:
        behind = [k for k, _ in records if k >= key][:count]
        expected += [k for k in behind if not k.startswith(b"!")]
    with Folder(dealt) as folder:
        assert sorted(expected) == neighbours(folder, key, count)


@given(parts())
def test_read(dealt):
    """One part in its order, and all parts merged; statistics are left out."""
    with Folder(dealt) as folder:
        for path, records in zip(part_files(folder), dealt, strict=True):
            assert records == list(read_records(path))
        assert sorted(itertools.chain.from_iterable(dealt)) == list(read_merged(folder))


@given(parts(), st.data())
def test_ends_of_files(dealt, data):
    """Files may be empty, end without statistics, or with a line without its end."""
    ends = st.sampled_from([b"", STATISTICS, STATISTICS.rstrip(), STATISTICS * 2])
    with Folder(dealt, iter([data.draw(ends) for _ in dealt])) as folder:
        for key, value in itertools.chain.from_iterable(dealt):
            assert value == find(folder, key)
        assert find(folder, b"h\x00never") is None
        assert sorted(itertools.chain.from_iterable(dealt)) == list(read_merged(folder))


@pytest.mark.parametrize("key", [b"a", b"b", b"c"])
def test_last_line_without_its_end(tmp_path, key):
    """A record in the last line is found also when the line end is missing."""
    (tmp_path / "part-00000").write_bytes(b"a\t1\nb\t2\nc\t3")
    assert {b"a": b"1", b"b": b"2", b"c": b"3"}[key] == find(tmp_path, key)


def test_tabs_in_values(tmp_path):
    """The first tab parts key and value; others belong to the value."""
    write(tmp_path, 0, [(b"a", b"1\t2\t")])
    assert b"1\t2\t" == find(tmp_path, b"a")
    assert [(b"a", b"1\t2\t")] == list(read_merged(tmp_path))


def test_nothing_there(tmp_path):
    """A folder without part files holds nothing."""
    assert find(tmp_path, b"a") is None
    assert [] == neighbours(tmp_path, b"a", 5)
    assert [] == list(read_merged(tmp_path))


def test_only_part_files_are_read(tmp_path):
    """What else lies in a stage's folder is no part."""
    write(tmp_path, 1, [(b"b", b"2")])
    write(tmp_path, 0, [(b"a", b"1")])
    for name in ("_SUCCESS", "stage.json", ".part-00000.crc"):
        (tmp_path / name).write_bytes(b"x\ty\n")
    assert ["part-00000", "part-00001"] == [path.name for path in part_files(tmp_path)]


def test_long_values(tmp_path):
    """A line of a megabyte beside short ones costs no key its neighbour."""
    records = [(b"k%03d" % k, b"v" * (1 << 20 if k == 50 else 3)) for k in range(100)]
    write(tmp_path, 0, records)
    for key, value in records:
        assert value == find(tmp_path, key)


# --- the last line ---


@given(
    st.lists(st.binary(min_size=1, max_size=90).map(lambda b: b.replace(b"\n", b" ")), max_size=6),
    st.sampled_from([b"", b"\n"]),
)
@example([b"x" * 5000, b"y"], b"\n")
@example([b"y", b"x" * 5000], b"")
def test_last_line(tmp_path_factory, lines, end):
    """Whatever stands before it and however long it is, with and without an end."""
    path = tmp_path_factory.mktemp("lines") / "part-00000"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 16)
        path.write_bytes(b"\n".join(lines) + end)
        assert (lines or [b""])[-1] == last_line(path)


def test_end_of_a_large_file(tmp_path):
    """Only the end of a file is read: 1 GB of nothing before it costs no time."""
    path = tmp_path / "part-00000"
    with path.open("wb") as file:
        file.seek(1 << 30)
        file.write(b"\n!task\t{}\n")
    assert b"!task\t{}" == last_line(path)


def test_more_parts_than_files_may_be_open(tmp_path):
    """The soft limit on open files is no limit on part files whose keys lie among one another."""
    for number in range(40):
        write(tmp_path, number, [(b"%03d" % number, b""), (b"%03d" % (100 + number), b"")])
    free = [os.dup(0) for _ in range(16)]  # the lowest numbers that no open file has
    for number in free:
        os.close(number)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(free) + 1, before[1]))
    try:
        assert 80 == sum(1 for _ in read_merged(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)
