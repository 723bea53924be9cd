"""Samples of snapshots: what is copied, and how sure it is."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from pagekin.errors import InputError, UsageError
from pagekin.planning.snapshot_sample import (
    Sample,
    SampleSize,
    Span,
    parse_sample_size,
    take_sample,
)
from pagekin.web.sources import Source, list_snapshot
from pagekin.web.streams import open_source
from pagekin.web.warc import Record, read_records
from tests.warcs import gz, response

PAGES = 1500


def source(path):
    return Source(str(path), path.stat().st_size)


def page(number):
    """Pages of very different lengths, which gzip cannot shorten much."""
    words = " ".join(f"{number * 7919 * k % 1_000_003:x}" for k in range(30 + number % 400))
    return response(f"http://a.example/{number}", f"<p>{words}".encode())


@pytest.fixture(name="snapshot", scope="module")
def _snapshot(tmp_path_factory):
    folder = tmp_path_factory.mktemp("snapshot")
    for file in range(3):
        (folder / f"{file}.warc.gz").write_bytes(
            b"".join(gz(page(k)) for k in range(file, PAGES, 3))
        )
    return list_snapshot([str(folder)])


def urls(sample):
    found = []
    for file in sample.files:
        with open_source(file.uri) as stream:
            for item in read_records(stream):
                assert isinstance(item, Record), f"damaged: {item}"
                found.append(item.url)
    return found


def take(snapshot, size, tmp_path, seed=1):
    folder = Path(tmp_path, f"{size}-{seed}")
    folder.mkdir()
    return take_sample(snapshot, size, seed, folder)


def test_spans(snapshot, tmp_path):
    """Whole records from all files, no record twice, and about as many as were size."""
    sample = take(snapshot, SampleSize(share=0.2), tmp_path)
    found = urls(sample)
    assert "spans" == sample.method
    assert len(found) == len(set(found)) == sum(span.pages for span in sample.spans)
    assert 0.1 < sample.share < 0.3
    files = {int(url.rpartition("/")[2]) % 3 for url in found}
    assert {0, 1, 2} == files
    assert len(found) / sample.share == pytest.approx(PAGES, rel=4 * sample.error)


def test_seed(snapshot, tmp_path):
    """The same seed takes the same records, another one others."""
    some, again = (
        urls(take(snapshot, SampleSize(0.1), tmp_path / d)) for d in made(tmp_path, "a", "b")
    )
    other = urls(take(snapshot, SampleSize(0.1), tmp_path, seed=2))
    assert some == again
    assert some != other


def made(folder, *names):
    for name in names:
        (folder / name).mkdir()
    return names


def test_number_of_pages(snapshot, tmp_path):
    """A number of pages is met on average, though the length of pages is not known before."""
    counts = [
        len(urls(take(snapshot, SampleSize(pages=200), tmp_path, seed))) for seed in range(1, 9)
    ]
    assert all(count == pytest.approx(200, rel=0.25) for count in counts)
    assert sum(counts) / len(counts) == pytest.approx(200, rel=0.08)


@pytest.mark.parametrize(
    ("size", "pages"),
    [
        (SampleSize(share=0.01, least=300), 350),  # some more, so that it is rarely too small
        (SampleSize(pages=20, least=300), 350),
        (SampleSize(share=0.3, least=300), 450),
        (SampleSize(share=0.4, least=100, most=200), 200),
    ],
)
def test_bounds_on_the_number_of_pages(snapshot, tmp_path, size, pages):
    """A sample has no fewer pages than the least, for any seed, and about the most at most."""
    counts = [take(snapshot, size, tmp_path, seed).pages for seed in range(1, 9)]
    assert min(counts) >= size.least
    assert sum(counts) / len(counts) == pytest.approx(pages, rel=0.12)


@pytest.mark.parametrize("size", [SampleSize(share=0.5), SampleSize(share=0.01, least=800)])
def test_more_than_half_is_all(snapshot, tmp_path, size):
    """Half of a snapshot, a quarter of it and an eighth cost as much as all."""
    sample = take(snapshot, size, tmp_path)
    assert ("all", PAGES) == (sample.method, sample.pages)


def test_all(snapshot, tmp_path):
    """All of a snapshot is all of its records, without an error."""
    sample = take(snapshot, SampleSize(share=1.0), tmp_path)
    assert ("all", 1.0, 0.0) == (sample.method, sample.share, sample.error)
    assert {f"http://a.example/{k}" for k in range(PAGES)} == set(urls(sample))


def test_plain_text(tmp_path):
    """A WARC without compression can be entered anywhere too."""
    path = tmp_path / "a.warc"
    path.write_bytes(b"".join(page(k) for k in range(300)))
    found = urls(take([source(path)], SampleSize(share=0.3), tmp_path))
    assert 30 < len(found) == len(set(found)) < 200


def test_one_member(tmp_path):
    """A file that is one gzip member cannot be entered: whole files are taken, and it is said."""
    paths = [tmp_path / f"{k}.warc.gz" for k in range(4)]
    for k, path in enumerate(paths):
        path.write_bytes(gzip.compress(page(2 * k) + page(2 * k + 1)))
    sample = take(list(map(source, paths)), SampleSize(share=0.25), tmp_path)
    assert "files" == sample.method
    assert len(urls(sample)) in {2, 4}
    assert "whole files are read" in sample.notes[0]


def test_unknown_sizes(snapshot, tmp_path):
    """Files of unknown size are asked for it, and the note says how many were."""
    sample = take([s._replace(size=-1) for s in snapshot], SampleSize(share=0.1), tmp_path)
    assert sum(s.size for s in snapshot) == pytest.approx(sample.total_bytes, abs=3)
    assert ["sizes are not known; those of 3 of 3 files stand for all"] == sample.notes


def test_empty(tmp_path):
    """A snapshot without a page is refused in one sentence."""
    path = tmp_path / "a.warc.gz"
    path.touch()
    with pytest.raises(InputError, match="the snapshot is empty"):
        take([source(path)], SampleSize(share=0.1), tmp_path)
    with pytest.raises(InputError, match="there is no file"):
        take([], SampleSize(share=0.2), tmp_path)


def test_error_by_hand():
    """Two spans of 100 bytes, one with 3 pages and one with 1: 1 / 2 of the number of pages."""
    sample = Sample([], "spans", [Span(3, 100), Span(1, 100)], 10**9, 1, 10**9)
    assert sample.error == pytest.approx(0.5)
    assert sample.share == pytest.approx(2e-7)


@pytest.mark.parametrize("word", ["0", "0%", "101%", "x", "-1", "1.5", "%"])
def test_wrong_words(word):
    """What is neither a share nor a number is refused."""
    with pytest.raises(UsageError, match="takes a share such as 10%"):
        parse_sample_size(word)


def test_start(tmp_path):
    """A file is read from a byte on."""
    path = tmp_path / "file"
    path.write_bytes(b"0123456789")
    with open_source(str(path), start=4) as stream:
        assert b"456789" == stream.read()
