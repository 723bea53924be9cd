"""Manifests: every byte is read by one task, and tasks get equal shares."""

from __future__ import annotations

from itertools import chain, pairwise
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from pagekin.build.manifests import write_manifests
from pagekin.web.sources import Source
from pagekin.web.streams import ByteRange, parse_range


def lines_of(paths: list[Path]) -> list[list[tuple[str, ByteRange]]]:
    """What each manifest names."""
    shares = [path.read_bytes().splitlines() for path in paths]
    return [[_parsed(*line.partition(b"\t")) for line in share] for share in shares]


def _parsed(address: bytes, _: bytes, bounds: bytes) -> tuple[str, ByteRange]:
    return address.decode(), parse_range(bounds)


@given(st.lists(st.integers(-1, 1 << 40), min_size=1, max_size=60), st.integers(1, 8))
def test_whole_files(tmp_path_factory, sizes, width):
    """Every file is named in one manifest, every task has work, and the loads are even."""
    snapshot = [Source(f"/{number:03d}.warc", size) for number, size in enumerate(sizes)]
    folder = tmp_path_factory.mktemp("manifests") / "m"
    paths = write_manifests(folder, snapshot, width)
    shares = [path.read_text().splitlines() for path in paths]
    assert sorted(source.uri for source in snapshot) == sorted(chain(*shares))
    assert all(shares)
    assert min(width, len(sizes)) <= len(paths) <= len(sizes)
    sizes_of = {source.uri: max(source.size, 1) for source in snapshot}
    loads = [sum(sizes_of[uri] for uri in share) for share in shares]
    assert max(loads) - min(loads) <= max(sizes_of.values())


def test_files_of_unknown_size(tmp_path):
    """The files of a list are not asked for their size: each is a task, as large as they are."""
    snapshot = [Source(f"s3://bucket/{number}.warc.gz") for number in range(5)]
    assert 5 == len(write_manifests(tmp_path / "m", snapshot, 2))


CUTS = st.sets(st.integers(1, 5_000), max_size=20).map(sorted)


@given(st.lists(st.tuples(CUTS, st.integers(1, 900)), min_size=1, max_size=9), st.integers(1, 9))
def test_parts(tmp_path_factory, files, width):
    """However files may be cut, each of their bytes is in one part, parts begin and end where they
    may, and no file is cut more often than there are tasks."""
    cuts = {f"/{n}.warc": places for n, (places, _) in enumerate(files) if places}
    snapshot = [
        Source(f"/{n}.warc", (places[-1] if places else 0) + rest)
        for n, (places, rest) in enumerate(files)
    ]
    folder = tmp_path_factory.mktemp("manifests") / "m"
    shares = lines_of(write_manifests(folder, snapshot, width, cuts))
    assert all(shares)
    assert len(shares) <= width
    parts = sorted(chain(*shares))
    assert len(parts) < len(files) + width
    for source in snapshot:
        mine = [part for uri, part in parts if uri == source.uri]
        assert (0, None) == (mine[0].start, mine[-1].end)
        assert all(before.end == after.start for before, after in pairwise(mine))
        assert {part.start for part in mine} <= {0, *cuts.get(source.uri, ())}


@given(st.lists(st.integers(1, 400), min_size=1, max_size=6), st.integers(1, 12))
def test_shares_are_equal(tmp_path_factory, sizes, width):
    """Files that can be cut anywhere give shares that differ by what lies between two places."""
    snapshot = [Source(f"/{n}.warc", 1000 * size) for n, size in enumerate(sizes)]
    cuts = {s.uri: list(range(1000, s.size, 1000)) for s in snapshot if s.size > 1000}
    folder = tmp_path_factory.mktemp("manifests") / "m"
    sizes_of = {source.uri: source.size for source in snapshot}
    shares = lines_of(write_manifests(folder, snapshot, width, cuts))
    loads = [
        sum((sizes_of[uri] if part.end is None else part.end) - part.start for uri, part in share)
        for share in shares
    ]
    assert min(width, sum(sizes)) == len(loads)
    largest_whole = max((s.size for s in snapshot if s.uri not in cuts), default=0)
    assert max(loads) - min(loads) <= 2000 + largest_whole


def test_files_beside_a_large_one(tmp_path):
    """Files that cannot be cut come first, the large one fills up."""
    snapshot = [Source("/large", 10_000), Source("/small", 2000), Source("/tiny", 1000)]
    paths = write_manifests(tmp_path / "m", snapshot, 2, {"/large": list(range(500, 10_000, 500))})
    assert ["/large\t0-4500\n/small\n", "/large\t4500-\n/tiny\n"] == [
        path.read_text() for path in paths
    ]


def test_cuts_of_another_file(tmp_path):
    """A file that is shorter than where it was cut is read whole."""
    (path,) = write_manifests(tmp_path / "m", [Source("/a", 900)], 2, {"/a": [500, 1000]})
    assert "/a\n" == path.read_text()


def test_large_file_of_unknown_size(tmp_path):
    """The places tell about how large it is."""
    snapshot = [Source("s3://bucket/a.warc.gz")]
    paths = write_manifests(tmp_path / "m", snapshot, 2, {snapshot[0].uri: [1000, 2000, 3000]})
    assert ["0-2000", "2000-"] == [path.read_text().split()[1] for path in paths]
