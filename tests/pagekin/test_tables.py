"""Array files: whole or not there, and what is wrong with them is said before they are used."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as some

from pagekin import tables
from pagekin.errors import InputError
from pagekin.tables import ArrayFile, ArrayWriter, write_arrays

DTYPES = ("<u1", "<u2", "<u4", "<u8", "<i4", "<i8", "<f4", "<f8", ">u4")

ARRAYS = {
    "terms": np.array([3, 5, 4_294_967_295], dtype=np.uint32),
    "none": np.empty(0, dtype=np.float32),
    "text": np.frombuffer(b"bees", dtype=np.uint8),
}
HEADER = (
    b'{"arrays": [{"dtype": "<u4", "length": 3, "name": "terms"},'
    b' {"dtype": "<f4", "length": 0, "name": "none"},'
    b' {"dtype": "|u1", "length": 4, "name": "text"}],'
    b' "checksum": "64a8786d7499e2af19855be1a8834b65", "kind": "trial", "meta": {"mu": 1.5}}'
)


def arrays() -> st.SearchStrategy[dict[str, np.ndarray]]:
    """A few arrays of any type, empty ones among them."""
    kinds = st.sampled_from(DTYPES).map(np.dtype)
    array = kinds.flatmap(lambda dtype: some.arrays(dtype, st.integers(0, 40)))
    return st.dictionaries(st.sampled_from("abcd"), array, max_size=3)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A small file."""
    path = tmp_path / "trial.arrays"
    write_arrays(path, "trial", {"mu": 1.5}, ARRAYS)
    return path


def complaint(path: Path, kind: str = "trial") -> str:
    with pytest.raises(InputError) as caught:
        ArrayFile(path, kind).verify()
    return str(caught.value)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays(), st.dictionaries(st.text(), st.floats(allow_nan=False) | st.text() | st.integers()))
def test_round_trip(tmp_path, given_arrays, meta):
    """What was written is read, to the last bit, with what was said of it."""
    path = tmp_path / "any.arrays"
    write_arrays(path, "any", meta, given_arrays)
    file = ArrayFile(path, "any")
    file.verify()
    assert meta == file.meta
    for name, array in given_arrays.items():
        assert array.astype(array.dtype.newbyteorder("<")).tobytes() == file[name].tobytes()
        assert array.dtype.newbyteorder("<") == file[name].dtype


def test_golden_bytes(path):
    """The format is pinned: tables of other versions must be refused or read, never misread."""
    head = b"pagekin arrays 1\n969b11bfc71c2297 " + HEADER
    start = head.ljust(-(-(len(head) + 1) // 64) * 64 - 1, b" ") + b"\n"
    numbers = b"\x03\0\0\0\x05\0\0\0\xff\xff\xff\xff"
    assert start + numbers.ljust(64, b"\0") + b"bees" == path.read_bytes()


def test_same_bytes_every_time(path, tmp_path):
    """The same arrays make the same file."""
    again = tmp_path / "again.arrays"
    write_arrays(again, "trial", {"mu": 1.5}, ARRAYS)
    assert path.read_bytes() == again.read_bytes()


def test_aligned(path):
    """Arrays begin at multiples of 64 bytes, so that they can be mapped as they are."""
    file = ArrayFile(path, "trial")
    for name in ("terms", "text"):
        assert 0 == file[name].ctypes.data % 64
        assert not file[name].flags.owndata


def test_read_only(path):
    """Nobody changes a table by accident."""
    with pytest.raises(ValueError, match="read-only"):
        ArrayFile(path, "trial")["terms"][0] = 1


def test_no_arrays(tmp_path):
    """A file may hold nothing but what is said of it."""
    path = tmp_path / "empty.arrays"
    write_arrays(path, "empty", {"bags": 0}, {})
    file = ArrayFile(path, "empty")
    file.verify()
    assert {"bags": 0} == file.meta


def test_views(tmp_path):
    """Arrays that do not lie in one piece are written in order."""
    path = tmp_path / "views.arrays"
    write_arrays(path, "views", {}, {"every_other": np.arange(10, dtype=np.uint32)[::-2]})
    assert [9, 7, 5, 3, 1] == ArrayFile(path, "views")["every_other"].tolist()


# --- damage ---


@pytest.mark.parametrize("size", [0, 5, 16, 17, 30, 100])
def test_cut_in_the_header(path, size):
    """A file that ends in its header is refused."""
    path.write_bytes(path.read_bytes()[:size])
    said = complaint(path)
    assert said.startswith((f"{path} is not an array file", f"{path} is damaged: its header"))


def test_cut_in_the_data(path):
    """A file that ends too early says how long it should be."""
    whole = path.read_bytes()
    path.write_bytes(whole[:-1])
    size = len(whole)
    assert f"{path} is cut short: it should hold {size} bytes and has {size - 1}" == complaint(path)


@pytest.mark.parametrize(
    "data", [b"", b"PK\x03\x04 what is this\n", b"pagekin arrays 0\n{}\n", b"\n" * 100]
)
def test_foreign(path, data):
    """Another program's file, and one of an old version, are refused."""
    path.write_bytes(data)
    assert f"{path} is not an array file of this version of pagekin" == complaint(path)


def test_newer(path):
    """A file of a newer version says that it is newer."""
    path.write_bytes(path.read_bytes().replace(b"arrays 1", b"arrays 2", 1))
    said = "is of format 2; this pagekin reads format 1: a newer one is needed"
    assert f"{path} {said}" == complaint(path)


def test_too_long(path):
    """What is appended to a file does not go unseen."""
    path.write_bytes(path.read_bytes() + b"!")
    assert "goes on behind its end" in complaint(path)


def test_wrong_kind(path):
    """A table of another kind is refused, before anything is looked up in it."""
    assert f"{path} holds trial, not dictionary" == complaint(path, "dictionary")
    assert {"mu": 1.5} == ArrayFile(path).meta


def test_missing(tmp_path):
    """A file that is not there is named."""
    path = tmp_path / "none.arrays"
    assert f"{path} cannot be opened: No such file or directory" == complaint(path)


def test_flipped_bytes(path):
    """Wherever one byte is wrong, also in the padding, it is found."""
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 0x41]) + whole[place + 1 :])
        assert complaint(path), place


def test_damage_in_the_data_is_found_by_verify_only(path):
    """Opening looks at the header alone: tasks do not read what they do not look up."""
    path.write_bytes(path.read_bytes()[:-1] + b"!")
    file = ArrayFile(path, "trial")
    again = "remove the folder that it lies in, and build again"
    with pytest.raises(InputError) as caught:
        file.verify()
    assert f"{path} is damaged: its checksum does not match; {again}" == str(caught.value)


# --- writing ---


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(arrays(), st.integers(1, 9))
def test_piece_by_piece(tmp_path, given_arrays, piece):
    """Arrays that grow in turns give the bytes of those written at once, and leave nothing."""
    once, grown = tmp_path / "once.arrays", tmp_path / "grown.arrays"
    write_arrays(once, "any", {"a": 1}, given_arrays)
    little = {n: a.astype(a.dtype.newbyteorder("<")) for n, a in given_arrays.items()}
    with ArrayWriter(grown, {name: array.dtype.str for name, array in little.items()}) as out:
        for start in range(0, 40 * 8, piece):
            for name, array in little.items():
                out.append(name, array.tobytes()[start : start + piece])
        out.finish("any", {"a": 1})
    assert once.read_bytes() == grown.read_bytes()
    assert {once, grown} == set(tmp_path.iterdir())


def test_unfinished(tmp_path):
    """A writer that is left early leaves nothing behind."""
    with (
        pytest.raises(RuntimeError, match="stop"),
        ArrayWriter(tmp_path / "a.arrays", {"a": "<u4"}) as out,
    ):
        out.append("a", b"1234")
        raise RuntimeError("stop")
    assert [] == list(tmp_path.iterdir())


def test_replaced_in_one_move(path):
    """Whoever has the old file open goes on reading the old one."""
    before = ArrayFile(path, "trial")
    write_arrays(path, "trial", {"mu": 2.5}, {"terms": np.array([9], dtype=np.uint32)})
    assert [3, 5, 4_294_967_295] == before["terms"].tolist()
    assert [9] == ArrayFile(path, "trial")["terms"].tolist()
    assert [path] == list(path.parent.iterdir())


def test_failure_leaves_the_old_file(path, monkeypatch):
    """A disk that is full in the middle of writing does not cost the table that was there."""

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    before = path.read_bytes()
    monkeypatch.setattr(tables.os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write_arrays(path, "trial", {}, {"terms": np.arange(5)})
    assert before == path.read_bytes()


def test_header_is_json_that_can_be_read_by_people(path):
    """The second line says what the file holds."""
    line = path.read_bytes().splitlines()[1]
    assert ["terms", "none", "text"] == [a["name"] for a in json.loads(line[17:])["arrays"]]
