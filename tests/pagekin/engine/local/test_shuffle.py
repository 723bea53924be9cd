"""The shuffle of the local runner: sorted pieces are cut at keys, and merged again."""

from __future__ import annotations

from bisect import bisect_right
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.engine.local import shuffle
from pagekin.engine.local.shuffle import SORT, cut_keys, merged_lines, sorting
from pagekin.storage.part_files import Piece

KEYS = st.sampled_from(
    [b"a", b"ab", b"b", b"!task", b"c\xff", b"", b"\x01", b"a\x02", b"http://a.example/"]
)
LINES = st.tuples(KEYS, st.binary(max_size=9)).map(
    lambda pair: b"%b\t%b\n" % (pair[0], pair[1].replace(b"\n", b""))
)


def key_of(line: bytes) -> bytes:
    return line.partition(b"\t")[0]


def without_end(line: bytes) -> bytes:
    return line[:-1]  # which is how sort compares


def written(folder: Path, files: list[list[bytes]]) -> list[Path]:
    """These lines, each file sorted."""
    paths = [folder / f"made-{k}" for k in range(len(files))]
    for path, lines in zip(paths, files, strict=True):
        path.write_bytes(b"".join(sorted(lines, key=without_end)))
    return paths


@given(st.lists(st.lists(LINES, max_size=30), max_size=4), st.integers(1, 8))
def test_shares(tmp_path_factory, files, most):
    """Merged shares behind one another are all lines sorted, and no key is in two of them."""
    folder = tmp_path_factory.mktemp("shares")
    shares = cut_keys(written(folder, files), most)
    assert 1 <= len(shares) <= most
    found = [list(merged_lines(share)) for share in shares]
    everything = sorted(line[:-1] for lines in files for line in lines)
    assert everything == [line for lines in found for line in lines]
    keys = [set(map(key_of, lines)) for lines in found]
    assert not any(a & b for a, b in pairwise(keys))
    assert all(found) or not any(files)


def test_shares_are_about_equal(tmp_path):
    """Of very many keys each share has its part of the bytes, whatever file they are in."""
    lines = [b"%06d\t%b\n" % (k * k % 99_991, b"v" * (k % 50)) for k in range(20_000)]
    low = [line for line in lines if line < b"02"]
    shares = cut_keys(written(tmp_path, [low, sorted(set(lines) - set(low))]), 4)
    sizes = [sum(s.end - s.start for s in share) for share in shares]
    assert 4 == len(sizes)
    assert max(sizes) < 1.1 * min(sizes)


@pytest.mark.parametrize(
    ("sizes", "most", "expected"),
    [
        ({b"!task": 1, b"bags": 55, b"rows": 44}, 4, [56, 44]),
        ({b"!task": 1, b"bags": 83, b"rows": 16}, 4, [84, 16]),
        ({b"!task": 1, b"bags": 16, b"rows": 83}, 2, [17, 83]),
        ({b"a": 97, b"b": 3}, 4, [100]),
        ({b"a": 3, b"b": 97}, 4, [100]),
        ({b"a": 10, b"b": 80, b"c": 10}, 4, [10, 80, 10]),
        ({b"a": 100}, 8, [100]),
    ],
)
def test_heavy_keys(tmp_path, sizes, most, expected):
    """Keys stay whole: shares end before or behind a heavy one, and none is next to nothing."""
    lines = [b"%b\t%09d\n" % (key, n) for key, size in sizes.items() for n in range(50 * size)]
    shares = cut_keys(written(tmp_path, [lines[::2], lines[1::2]]), most)
    counts = [round(len(list(merged_lines(share))) / 50) for share in shares]
    assert expected == counts


@given(st.lists(st.lists(LINES, max_size=30), max_size=4), st.integers(1, 90))
def test_blocks(tmp_path_factory, files, size):
    """Lines are merged however little of each file is held, also where a line is longer."""
    paths = written(tmp_path_factory.mktemp("blocks"), files)
    shares = [Piece(path, 0, path.stat().st_size) for path in paths]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffle, "_BLOCK", size)
        patch.setattr(shuffle, "_LEAST_BLOCK", 1)
        patch.setattr(shuffle, "_AT_ONCE", 2)  # so groups are merged, too
        found = list(merged_lines(shares))
    assert sorted(line[:-1] for lines in files for line in lines) == found


def test_very_many_pieces(tmp_path):
    """There may be more of them than a process may have files open."""
    path = written(tmp_path, [[b"%06d\t\n" % k for k in range(3_000)]])[0]
    shares = [Piece(path, 8 * k, 8 * k + 8) for k in reversed(range(3_000))]
    assert path.read_bytes().split(b"\n")[:-1] == list(merged_lines(shares))


@pytest.mark.parametrize("text", [b"a\t1\nb\t", b"a\t1\n"])
def test_a_file_that_was_changed(tmp_path, text):
    """A piece that is cut off is no shorter piece."""
    (tmp_path / "made").write_bytes(text)
    with pytest.raises(OSError, match="has changed since it was sorted"):
        list(merged_lines([Piece(tmp_path / "made", 0, 7)]))


def test_sorting(tmp_path):
    """Whole lines are sorted, without their ends, in this order everywhere."""
    lines = [b"k\t5\n", b"k\t\n", b"k\t1\n", b"K\t\xff\n", b"k\t\xff\n", b"k\t\t\n"]
    with sorting(tmp_path / "made", SORT, tmp_path) as out:
        out.writelines(lines)
    expected = sorted(line[:-1] for line in lines)
    assert expected == (tmp_path / "made").read_bytes().split(b"\n")[:-1]
    assert [tmp_path / "made"] == list(tmp_path.iterdir())


@pytest.mark.parametrize("program", ["false", "none-such"])
def test_no_program_that_sorts(tmp_path, program):
    """A program that fails, or is not there, ends the task with its name."""
    with (
        pytest.raises(OSError, match=program),
        sorting(tmp_path / "made", [program], tmp_path) as out,
    ):
        out.write(b"k\t5\n")


def test_merging_is_linear(tmp_path, monkeypatch):
    """However many pieces there are, a line is looked at in as many merges as groups are deep."""
    lines = [b"%06d\t\n" % k for k in range(4096)]
    path = written(tmp_path, [lines])[0]
    looked_at = 0

    def counted(*words: object, **more: object) -> int:
        nonlocal looked_at
        looked_at += 1
        return bisect_right(*words, **more)  # type: ignore[call-overload]

    monkeypatch.setattr(shuffle, "bisect_right", counted)
    costs = {}
    for pieces in (4, 64, 4096):
        size = path.stat().st_size // pieces
        shares = [Piece(path, k * size, (k + 1) * size) for k in range(pieces)]
        looked_at = 0
        assert lines == [line + b"\n" for line in merged_lines(shares)]
        costs[pieces] = looked_at
    assert costs[4096] <= 3 * 64 * len(lines)  # and not 4,096 looks at each line
