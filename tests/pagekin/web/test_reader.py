"""Whole files: every record is accounted for, damage and failures too."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.web.page import Page
from pagekin.web.reader import SnapshotReader, capture_name, read_file
from pagekin.web.resolution import Resolution, write_resolution
from pagekin.web.warc import Record
from tests.warcs import gz, request, response, warc_record, warcinfo, zst

PAGE = b"<html lang=en><p>Bees make honey."


def write(path: Path, *members: bytes) -> str:
    path.write_bytes(b"".join(members))
    return str(path)


def read(
    uri: str, config: ReadingConfig | None = None, resolution: Resolution | None = None
) -> tuple[list[Page], dict[str, dict[str, int]]]:
    counters = Counters()
    pages = list(SnapshotReader(config or ReadingConfig(), counters, resolution).pages(uri))
    return pages, counters.as_dict()


def urls(pages: list[Page]) -> list[str]:
    return [page.url.removeprefix("http://") for page in pages]


def test_nothing(tmp_path: Path) -> None:
    """A file without records is read."""
    assert ([], {"files": {"read": 1}}) == read(write(tmp_path / "a.warc"))


@pytest.mark.parametrize("pack", [bytes, gz, zst])
def test_every_kind_of_record(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    """What is read is what is used and what is left out, reason by reason, however it is packed."""
    records = [
        warcinfo(),
        request("http://a.example/"),
        response("http://a.example/", PAGE),
        warc_record("metadata", "http://a.example/", b"x: y"),
        warc_record("odd", "http://a.example/", b"x"),
        response("ftp://a.example/", PAGE),
        warc_record("response", "http://a.example/", b"not http"),
        response("http://a.example/moved", b"", 301, {"Location": "/"}),
        response("http://a.example/gone", PAGE, 404),
        response("http://a.example/a.png", b"\x89PNG", 200, {"Content-Type": "image/png"}),
        response("http://a.example/b", b""),
        response("http://a.example/c", b"%PDF-1.3"),
        response("http://a.example/d", b"<!---->"),
        response("http://b.example/", PAGE),
    ]
    pages, counts = read(write(tmp_path / "a.warc", *map(pack, records)))
    assert ["a.example/", "b.example/"] == urls(pages)
    assert {
        "read": 14,
        "used": 2,
        "not_response_warcinfo": 1,
        "not_response_request": 1,
        "not_response_metadata": 1,
        "not_response_other": 1,
        "bad_url": 1,
        "not_http": 1,
        "redirect": 1,
        "status_4xx": 1,
        "not_html": 1,
        "empty": 1,
        "binary": 1,
        "no_markup": 1,
    } == counts["records"]
    assert {"read": 1} == counts["files"]


def test_damage(tmp_path: Path) -> None:
    """Damaged regions are records of their own kind, and cost their neighbours nothing."""
    good = [gz(response(f"http://{c}.example/", PAGE)) for c in "abcde"]
    broken = bytearray(gz(response("http://x.example/", PAGE * 50)))
    broken[-9] ^= 0xFF  # within the checksum
    pages, counts = read(
        write(
            tmp_path / "a.warc.gz",
            good[0],
            bytes(broken),
            good[1],
            gz(response("http://y.example/", PAGE, content_length="many")),
            good[2],
            b"something else",
            good[3],
            good[4][:-12],
        )
    )
    assert ["a.example/", "b.example/", "c.example/", "d.example/"] == urls(pages)[:4]
    assert {
        "read": sum(counts["records"].values()) - counts["records"]["read"],
        "used": len(pages),
        "damaged_bad_compression": 1,
        "damaged_bad_length": 1,
        "damaged_foreign_bytes": 1,
        "damaged_unexpected_end": 1,
    } == counts["records"]


@pytest.mark.parametrize("name", ["missing.warc", ".", "closed.warc"])
def test_files_that_cannot_be_read(tmp_path: Path, name: str) -> None:
    """A file that is missing, a folder or closed to us is counted, named, and raises nothing."""
    (tmp_path / "closed.warc").symlink_to(tmp_path / "closed.warc")  # nobody can open a loop
    counters = Counters()
    pages = SnapshotReader(ReadingConfig(), counters).pages(str(tmp_path / name))
    assert [] == list(pages)
    assert {"files": {"failed": 1}} == counters.as_dict()
    [note] = counters.notes
    assert note.startswith(str(tmp_path))


def test_file_that_is_no_warc(tmp_path: Path) -> None:
    """It is one damaged region."""
    pages, counts = read(write(tmp_path / "a.txt", b"bees and honey\n" * 1000))
    assert ([], {"read": 1, "damaged_foreign_bytes": 1}) == (pages, counts["records"])


def test_two_files_with_one_reader(tmp_path: Path) -> None:
    """Counts add up over files; a file that fails in between changes nothing."""
    counters = Counters()
    snapshot = SnapshotReader(ReadingConfig(), counters)
    one = write(tmp_path / "1.warc", response("http://a.example/", PAGE))
    two = write(
        tmp_path / "2.warc", response("http://b.example/", PAGE), request("http://b.example/")
    )
    pages = [page for uri in (one, str(tmp_path / "no"), two) for page in snapshot.pages(uri)]
    assert ["a.example/", "b.example/"] == urls(pages)
    assert {"read": 2, "failed": 1} == counters.as_dict()["files"]
    assert {"read": 3, "used": 2, "not_response_request": 1} == counters.as_dict()["records"]


def test_reports(tmp_path: Path) -> None:
    """Each record is reported with its place, and whether it is a page."""
    first = request("http://a.example/")
    uri = write(tmp_path / "a.warc", first, response("http://a.example/", PAGE))
    seen: list[tuple[int, int]] = []
    snapshot = SnapshotReader(ReadingConfig(), Counters())
    list(snapshot.pages(uri, lambda pages, size: seen.append((pages, size))))
    assert [(0, 0), (1, len(first))] == seen


def test_other_captures(tmp_path: Path) -> None:
    """Captures that the inventory passes over are not read; members may hold several."""
    both = gz(response("http://a.example/", PAGE), response("http://a.example/", PAGE + b" Old."))
    uri = write(tmp_path / "a.warc.gz", both)
    names = [capture_name(uri, item) for item in read_file(uri, Counters(), 1 << 20)]
    assert 2 == len(set(names))
    for passed, word in ((names[0], True), (names[1], False)):
        write_resolution(tmp_path / "resolution", [], [passed])
        pages, counts = read(uri, resolution=Resolution(tmp_path / "resolution"))
        assert [word] == [b"Old." in page.flat.text for page in pages]
        assert {"read": 2, "used": 1, "other_capture": 1} == counts["records"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"obey_robots": True}, "noindex"),
        ({"exclude_host": ("a.example",)}, "excluded_host"),
        ({}, "used"),
        ({"drop_nofollow": True, "follow_canonical": True}, "used"),
    ],
)
def test_options(tmp_path: Path, options: dict[str, object], reason: str) -> None:
    """What is left out by an option has its reason."""
    body = b"<meta name=robots content=noindex><p>bees"
    uri = write(tmp_path / "a.warc", response("http://www.a.example/", body))
    config = ReadingConfig(**options)  # type: ignore[arg-type]
    assert {"read": 1, reason: 1} == read(uri, config)[1]["records"]


def test_cut_pages(tmp_path: Path) -> None:
    """Long pages are cut, plain or packed in a member, also where the record is longer than all."""
    body = b"<p>" + b"bees " * 40_000
    uri = write(tmp_path / "a.warc.gz", gz(response("http://a.example/", body)), gz(warcinfo()))
    pages, counts = read(uri, ReadingConfig(max_page_bytes=1024))
    assert body[:1024].count(b"bee") == pages[0].flat.text.count(b"bee")
    assert ({"cut_to_limit": 1}, 2) == (counts["pages"], counts["records"]["read"])


def test_unaccounted_records_raise(tmp_path: Path) -> None:
    """A count that does not add up is an error of the program."""
    uri = write(tmp_path / "a.warc", response("http://a.example/", PAGE))
    counters = Counters()
    counters.add("records", "read")
    with pytest.raises(AssertionError, match="of 2 records 1"):
        list(SnapshotReader(ReadingConfig(), counters).pages(uri))


@settings(max_examples=150)
@given(st.data())
def test_any_bytes_are_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    """Whatever stands in a file, nothing is raised and the sum of reasons holds."""
    members = [gz(warcinfo()), *(gz(response(f"http://{c}.example/", PAGE)) for c in "abc")]
    packed = b"".join(members if data.draw(st.booleans()) else map(_unpacked, "abc"))
    body = bytearray(packed)
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(body) - 1))
        body[at : at + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=20))
    uri = write(tmp_path_factory.getbasetemp() / "any.warc", bytes(body))
    pages, counts = read(uri)
    records = counts.get("records", {})
    assert records.get("used", 0) == len(pages)
    assert records.pop("read", 0) == sum(records.values())


def _unpacked(name: str) -> bytes:
    return response(f"http://{name}.example/", PAGE)


def test_names_of_captures() -> None:
    """File and place; the second record of a member has another name than the first."""
    record = Record(12, "response", {}, 0)
    assert b"s3://b/a.warc:12" == capture_name("s3://b/a.warc", record)
    record.index = 1
    assert b"s3://b/a.warc:12.1" == capture_name("s3://b/a.warc", record)
