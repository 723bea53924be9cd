"""The shuffle of the local runner: sorted pieces are cut at keys, and merged again."""

from __future__ import annotations

from io import BytesIO
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagekin.bags.bag import bag_record
from pagekin.bags.dictionary import BAR, write_dictionary
from pagekin.engine.local import cutting
from pagekin.engine.local import shuffle as shuffling
from pagekin.engine.local.shuffle import cut_keys, merged_lines, sort_lines, write_sorted
from pagekin.engine.run import listening
from pagekin.jobs.index_shards import IndexShards
from pagekin.names import TASK_KEY
from pagekin.storage.part_files import Piece
from tests.indexes import random_bags, word_of
from tests.jobs.running import run_job, split_output

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


def test_what_bytes_are_worth(tmp_path):
    """Where those of some keys cost their tasks less, a share has the more of them."""
    keys = [b"%b%04d" % (start, n) for start in (b"!light/", b"heavy/") for n in range(1_000)]
    lines = [b"%b\t%b\n" % (key, b"v" * 50) for key in keys]
    paths = written(tmp_path, [lines[::2], lines[1::2]])
    plain, weighed = (
        [[line[:6] for line in merged_lines(share)] for share in cut_keys(paths, 2, worth)]
        for worth in ((), [(b"!none/", 9.0), (b"!light/", 0.25)])
    )
    assert [1000, 1000] == pytest.approx([len(share) for share in plain], rel=0.1)
    assert [1375, 625] == pytest.approx([len(share) for share in weighed], rel=0.1)
    assert 1000 == weighed[0].count(b"!light")


@given(st.lists(LINES, max_size=30), st.integers(0, 400))
@example([b"h\tv\n", b"h\tv\x01w\n"], 400)
def test_few_lines_are_sorted(lines, most):
    """Where they are made, if all together have no more bytes than that; else they are as made.

    Their order is that of all programs that sort: the ends of lines do not count.
    """
    out = BytesIO()
    few = write_sorted(iter(lines), most, out)
    assert (sum(map(len, lines)) <= most) == few
    inner = [line[:-1] for line in lines]
    assert (sorted(inner) if few else inner) == out.getvalue().split(b"\n")[:-1]


@given(st.lists(st.lists(LINES, max_size=30), max_size=4), st.integers(1, 90))
def test_blocks(tmp_path_factory, files, size):
    """Lines are merged however little of each file is held, also where a line is longer."""
    paths = written(tmp_path_factory.mktemp("blocks"), files)
    shares = [Piece(path, 0, path.stat().st_size) for path in paths]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shuffling, "_BLOCK", size)
        patch.setattr(shuffling, "_LEAST_BLOCK", 1)
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


@pytest.mark.parametrize(
    ("program", "held"), [("sort", 0), ("false", 0), ("none-such", 0), ("sort", 1 << 20)]
)
def test_whatever_sorts(monkeypatch, tmp_path, program, held):
    """A program that sorts is asked for, and where it fails or there is none lines are sorted. Few
    lines are sorted by the task that makes them.

    Wherever the job's folder is: tasks are in others.
    """
    monkeypatch.setattr(cutting, "LEAST", 500)
    monkeypatch.setattr(cutting, "LARGE", 500)
    monkeypatch.setattr(IndexShards, "HELD", held)
    monkeypatch.chdir(tmp_path)
    bags = random_bags(60)
    terms = sorted({term for bag in bags for term in bag.terms.tolist()})
    entries = [word_of(term).text() for term in terms]
    write_dictionary(tmp_path / "words", [(np.array(terms, np.uint32), BAR.join([*entries, b""]))])
    lines = [b"%b\t%b" % bag_record(bag) for bag in bags]
    flags = ["--dictionary", str(tmp_path / "words"), "--index-shards", "3"]
    words = ["-r", "local", "--no-conf", "--num-cores", "2", "--sort-bin", program, *flags]
    words += ["--local-tmp-dir", "scratch"]
    job = IndexShards(words)
    job.sandbox(stdin=BytesIO(b"".join(line + b"\n" for line in lines)))
    with listening(verbose=False), job.make_runner() as runner:
        runner.run()
        output = b"".join(runner.cat_output())
    assert 2 < output.count(TASK_KEY)  # parts, and so reduce tasks
    assert run_job(IndexShards, flags, lines) == split_output(output)


def test_sorting(tmp_path, capsys):
    """Whole lines are sorted, without their ends, in this order everywhere; by one thread."""
    lines = [b"k\t5\n", b"k\t\n", b"k\t1\n", b"K\t\xff\n", b"k\t\xff\n", b"k\t\t\n"]
    said = []
    for program in (["sort"], ["false"], ["none-such"], ["sort", "--no-such-option"]):
        (tmp_path / "made").write_bytes(b"".join(lines))
        sort_lines(tmp_path / "made", program, tmp_path)
        assert (
            sorted(line[:-1] for line in lines)
            == (tmp_path / "made").read_bytes().split(b"\n")[:-1]
        )
        assert [tmp_path / "made"] == list(tmp_path.iterdir())
        said.append(capsys.readouterr().err)
    assert not said[0]
    assert all("lines are sorted in memory" in one for one in said[1:])
