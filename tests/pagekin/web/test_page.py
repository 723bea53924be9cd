"""Records as pages, or the reasons why they are none; all pages of WARC files, counted."""

from __future__ import annotations

import gzip
import io
import itertools
import random
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.web.page import (
    Page,
    PageReader,
    SnapshotReader,
    View,
    capture_name,
    make_page,
    read_file,
)
from pagekin.web.resolution import Resolution, write_resolution
from pagekin.web.streams import ByteRange
from pagekin.web.warc import Record, read_records
from tests.warcs import gz, http_block, request, response, warc_record, warcinfo, zst

URL = "http://bees.example/hives/"
HTML = "<html lang=en><title>Bees</title><p>Bees make <a href=honey>honey</a>"


def record_of(data: bytes, limit: int = 8 << 20) -> Record:
    """The only record in some WARC bytes."""
    (record,) = read_records(io.BytesIO(data), limit)
    assert isinstance(record, Record)
    return record


def read(
    data: bytes, config: ReadingConfig | None = None, counters: Counters | None = None
) -> Page | str:
    config = config or ReadingConfig()
    record = record_of(data, config.max_page_bytes)
    return PageReader(config, counters or Counters()).read(record)


def page_in(html: str | bytes, url: str = URL) -> Page:
    page = make_page(url, html.encode() if isinstance(html, str) else html)
    assert isinstance(page, Page)
    return page


def typed(name: str, **more: str) -> Mapping[str, str]:
    return {"Content-Type": name, **more}


RUSSIAN = (
    "Пчёлы собирают мёд с весны до осени. Пасечник смотрит, сколько его в улье, и оставляет семье"
    " столько, чтобы она могла пережить зиму. Когда становится холодно, пчёлы собираются вместе и"
    " греют друг друга, а матка остаётся в середине, где теплее всего."
)
LONG_HEADER = b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000 + b"\r\n\r\n<p>text"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (warc_record("warcinfo", "", b"software: none"), "not_response_warcinfo"),
        (warc_record("request", URL, b"GET / HTTP/1.1\r\n\r\n"), "not_response_request"),
        (warc_record("metadata", URL, b"a: b"), "not_response_metadata"),
        (warc_record("resource", URL, b"<p>bees"), "not_response_resource"),
        (warc_record("revisit", URL, http_block(b"")), "not_response_revisit"),
        (warc_record("conversion", URL, b"<p>bees"), "not_response_conversion"),
        (warc_record("continuation", URL, b"<p>bees"), "not_response_continuation"),
        (warc_record("own-kind-1234", URL, b"<p>bees"), "not_response_other"),
        (warc_record("Response", URL, http_block(b"")), "empty"),
        (response("dns:bees.example"), "bad_url"),
        (response("http://"), "bad_url"),
        (response(""), "bad_url"),
        (response(f"http://bees.example/{'x' * 2000}"), "url_too_long"),
        (response(f"http://bees.example/?sid={'1' * 4000}"), "url_too_long"),
        (warc_record("response", URL, b"<p>bees"), "not_http"),
        (warc_record("response", URL, b""), "not_http"),
        (warc_record("response", URL, LONG_HEADER), "http_header_too_long"),
        (response(URL, b"", 301, {"Location": "/"}), "redirect"),
        (response(URL, b"<p>", 302, {"location": "/"}), "redirect"),
        (response(URL, b"", 308, {"Location": ""}), "redirect"),
        (response(URL, b"<p>text", 301), "status_3xx"),
        (response(URL, b"<p>text", 304), "status_3xx"),
        (response(URL, b"<p>text", 204), "status_2xx"),
        (response(URL, b"<p>text", 404), "status_4xx"),
        (response(URL, b"<p>text", 503, {"Location": "/"}), "status_5xx"),
        (response(URL, b"<p>text", 999), "status_9xx"),
        (response(URL, b"<p>text", 200, typed("text/plain")), "not_html"),
        (response(URL, b"<html>", 200, typed("application/pdf")), "not_html"),
        (response(URL, b"<p>no sign of HTML", 200, {}), "not_html"),
        (response(URL, b""), "empty"),
        (response(URL, b" \r\n\t"), "empty"),
        (
            response(
                URL, gzip.compress(b"  "), 200, {**typed("text/html"), "Content-Encoding": "gzip"}
            ),
            "empty",
        ),
        (response(URL, b"%PDF-1.4 <html>"), "binary"),
        (response(URL, b"\x89PNG\r\n"), "binary"),
        (response(URL, b"GIF89a"), "binary"),
        (response(URL, b"\xff\xd8\xff\xe0"), "binary"),
        (response(URL, b"PK\x03\x04"), "binary"),
        (response(URL, gzip.compress(b"<p>never told")), "binary"),
        (response(URL, b"<!-- nothing -->"), "no_markup"),
        (response(URL, b"\xef\xbb\xbf"), "no_markup"),
        (response(URL, b"\0\0\0"), "no_markup"),
    ],
)
def test_reasons(data: bytes, reason: str) -> None:
    """Each record that is no page has one reason, and nothing else is counted of it."""
    counters = Counters()
    assert reason == read(data, counters=counters)
    assert {} == counters.as_dict()


@pytest.mark.parametrize(
    "headers",
    [
        typed("text/html"),
        typed("TEXT/HTML; charset=utf-8"),
        typed("text/html, text/html"),
        typed("application/xhtml+xml"),
        typed("application/vnd.wap.xhtml+xml"),
        typed(""),
        {},
    ],
)
def test_html_types(headers: Mapping[str, str]) -> None:
    """HTML and XHTML are read; without a type, what looks like it."""
    page = read(response(URL, HTML.encode(), 200, headers))
    assert isinstance(page, Page)


@pytest.mark.parametrize("start", ["<!DOCTYPE HTML>", "<HTML>", " " * 900 + "<html>"])
def test_html_without_a_type(start: str) -> None:
    """It has a sign of HTML in its first 1,024 bytes."""
    assert isinstance(read(response(URL, start.encode() + b"<p>bees", 200, {})), Page)
    assert "not_html" == read(response(URL, b"x" * 1024 + start.encode(), 200, {}))


def test_packed_html_without_a_type() -> None:
    """The sign is looked for in the decoded body."""
    packed = gzip.compress(b"<!doctype html><p>bees")
    assert isinstance(read(response(URL, packed, 200, {"Content-Encoding": "gzip"})), Page)


def test_page() -> None:
    """URL, links, language and charset of an ordinary page, and what is counted of it."""
    counters = Counters()
    page = read(response("HTTP://Bees.example:80/hives/#top", HTML.encode()), counters=counters)
    assert isinstance(page, Page)
    assert (URL, "en", "utf-8") == (page.url, page.language, page.charset)
    assert ["http://bees.example/hives/honey"] == page.targets()
    assert {"charsets": {"utf-8": 1}, "languages": {"en": 1}} == counters.as_dict()


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>Bees &amp; <b>honey</b></title>", "Bees & <b>honey</b>"),
        ("<title> A\n\t page </title><title>Another</title>", "A page"),
        ("<body>No title", ""),
        ("<title></title><h1>Heading</h1>", ""),
        ("<svg><title>A picture</title></svg><title>The page</title>", "The page"),
        ("<title>Dir\u202eection\xad and\x01 \ufeffmarks</title>", "Direction and\ufffd marks"),
        ("<title>Überblick\xa0| 東京 – می\u200cخواهم</title>", "Überblick | 東京 – می\u200cخواهم"),
        (f"<title>{'x' * 199} y</title>", "x" * 199),
        (f"<title>{'ü' * 300}</title>", "ü" * 200),
    ],
)
def test_title(html: str, title: str) -> None:
    """The first title as one line of 200 characters at the most, without control characters."""
    assert title == page_in(html).title


@pytest.mark.parametrize(
    ("html", "targets"),
    [
        ("<a href='a'><a href='/b'><a href='//c.example'>", ["hives/a", "b", "//c.example/"]),
        ("<a href='#x'><a href=''><a href='?q=1'>", ["hives/", "hives/", "hives/?q=1"]),
        ("<a href='mailto:a@b.example'><a href='javascript:x()'>", [None, None]),
        ("<base href='/d/'><a href=a>", ["d/a"]),
        ("<base href='http://e.example/f'><a href=a>", ["//e.example/a"]),
        ("<base href='http://['><a href=a>", ["hives/a"]),
        ("<base href='data:,'><a href=a>", ["hives/a"]),
        (f"<base href='/{'x' * 5000}/'><a href=a>", ["hives/a"]),
        ("<base target=_top><a href=a>", ["hives/a"]),
    ],
)
def test_targets(html: str, targets: list[str | None]) -> None:
    """Links lead from the page, or from its base where that is an address."""
    start = {True: "http:", False: "http://bees.example/"}
    expected = [t if t is None else start[t.startswith("//")] + t for t in targets]
    assert expected == page_in(html).targets()


@pytest.mark.parametrize(
    ("href", "expected"),
    [
        ("/bees/index.html", "http://bees.example/bees/"),
        ("honey", "http://bees.example/hives/honey"),
        ("mailto:a@b.example", None),
        ("", None),
    ],
)
def test_canonical(href: str, expected: str | None) -> None:
    """The address that a page names as its own, in its canonical form."""
    assert expected == page_in(f"<link rel=canonical href='{href}'><p>x").canonical


@pytest.mark.parametrize(
    ("content", "noindex", "nofollow"),
    [
        ("", False, False),
        ("index,follow", False, False),
        ("NOINDEX", True, False),
        ("nofollow, noarchive", False, True),
        ("noindex,nofollow", True, True),
        ("none", True, True),
        ("None,noarchive", True, True),
        ("nonesuch", False, False),
    ],
)
def test_robots(content: str, noindex: bool, nofollow: bool) -> None:
    """What the robots meta asks for."""
    page = page_in(f"<meta name=robots content='{content}'><a href=x>y</a>")
    assert (noindex, nofollow) == (page.noindex, page.nofollow)
    assert nofollow == page.nofollow
    assert [False] == page.unfollowed()  # that is what the link's own rel says


@pytest.mark.parametrize(
    ("rel", "expected"),
    [
        ("nofollow", True),
        ("UGC noopener", True),
        ("sponsored", True),
        ("noopener", False),
        ("", False),
    ],
)
def test_nofollow_links(rel: str, expected: bool) -> None:
    """Which links ask not to be counted."""
    assert [expected] == page_in(f"<a href=x rel='{rel}'>y</a>").unfollowed()


def test_obey_robots() -> None:
    """A page that asks for it is left out if that is asked for too, and not counted as used."""
    data = response(URL, b"<meta name=robots content=noindex><p>bees")
    counters = Counters()
    assert "noindex" == read(data, ReadingConfig(obey_robots=True), counters)
    assert {} == counters.as_dict()
    assert isinstance(read(data), Page)


@pytest.mark.parametrize(
    ("excluded", "expected"),
    [
        (("bees.example",), True),
        (("BEES.example", "x.example"), True),
        (("example",), True),
        (("es.example",), False),
        (("www.bees.example",), False),
        ((), False),
    ],
)
@pytest.mark.parametrize("url", [URL, "https://bees.example:8080/", "http://sub.bees.example/"])
def test_excluded_hosts(excluded: tuple[str, ...], expected: bool, url: str) -> None:
    """A host is excluded with all hosts below it, before anything else is looked at."""
    config = ReadingConfig(exclude_host=excluded)
    assert expected == (read(response(url), config) == "excluded_host")
    assert expected == (read(response(url, b"", 404), config) == "excluded_host")


@pytest.mark.parametrize("headers", [{}, {"Content-Encoding": "gzip"}])
def test_max_page_bytes(headers: Mapping[str, str]) -> None:
    """A longer page is cut, whatever packs it, and counted."""
    body = (HTML + " bees" * 1000).encode()
    packed = gzip.compress(body) if headers else body
    counters = Counters()
    config = ReadingConfig(max_page_bytes=1024)
    data = response(URL, packed, 200, {**typed("text/html"), **headers})
    page = PageReader(config, counters).read(record_of(data, (64 << 10) + 1024))
    assert isinstance(page, Page)
    assert body[:1024].count(b"bees") == page.flat.text.count(b"bees")
    assert {"cut_to_limit": 1} == counters.as_dict()["pages"]
    assert isinstance(read(data, counters=(whole := Counters())), Page)
    assert "pages" not in whole.as_dict()


def test_record_longer_than_the_limit() -> None:
    """So is one whose record was not read to its end."""
    counters = Counters()
    body = (HTML + " bees" * 10_000).encode()
    page = read(response(URL, body), ReadingConfig(max_page_bytes=1024), counters)
    assert isinstance(page, Page)
    assert {"cut_to_limit": 1} == counters.as_dict()["pages"]


def test_truncated_by_the_crawler() -> None:
    """A record that says so is used and counted."""
    counters = Counters()
    data = response(URL, HTML.encode(), warc_truncated="length")
    assert isinstance(read(data, counters=counters), Page)
    assert {"truncated_by_crawler": 1} == counters.as_dict()["pages"]


@pytest.mark.parametrize(
    ("coding", "body", "note"),
    [
        ("gzip", HTML.encode(), "not_gzip"),
        ("gzip", gzip.compress(HTML.encode() * 50, mtime=0)[:-20], "short_gzip"),
        ("x-own", HTML.encode(), "unknown_encoding"),
        ("gzip,br,gzip,br,gzip,br", HTML.encode(), "too_many_encodings"),
    ],
)
def test_wrong_codings(coding: str, body: bytes, note: str) -> None:
    """What is wrong with the coding of a page that is used is counted."""
    counters = Counters()
    headers = {**typed("text/html"), "Content-Encoding": coding}
    assert isinstance(read(response(URL, body, 200, headers), counters=counters), Page)
    assert {note: 1} == counters.as_dict()["pages"]


@pytest.mark.parametrize(
    ("body", "counted"),
    [
        ("<p>x" * 300_001, {"too_many_tags": 1}),
        ("<a href=x>y</a>" * 30_001, {"too_many_links": 1}),
    ],
)
def test_oversized_pages(body: str, counted: dict[str, int]) -> None:
    """Pages beyond a limit are used as far as it goes, and counted."""
    counters = Counters()
    assert isinstance(read(response(URL, body.encode()), counters=counters), Page)
    assert counted == counters.as_dict()["pages"]


@pytest.mark.parametrize(("tree", "counted"), [(False, 0), (True, 1)])
def test_deep_pages(tree: bool, counted: int) -> None:
    """What is too deep for a tree is counted where a tree is wanted."""
    counters = Counters()
    body = b"<b>" * 3000 + b"x"
    assert isinstance(make_page(URL, body, counters=counters, view=View(tree=tree)), Page)
    assert counted == counters.get("pages", "too_deep_for_a_tree")


@pytest.mark.parametrize(
    ("type_", "body", "charset", "language"),
    [
        ("text/html; charset=windows-1251", "Пчёлы".encode("cp1251"), "windows-1251", "unknown"),
        ("text/html", b"<meta charset=koi8-r>" + "Пчёлы".encode("koi8-r"), "koi8-r", "unknown"),
        ("text/html", "<html lang=ru>Пчёлы".encode(), "utf-8", "ru"),
        ("text/html", f"<p>{RUSSIAN}".encode(), "utf-8", "ru"),
    ],
)
def test_charsets_and_languages(type_: str, body: bytes, charset: str, language: str) -> None:
    """Both are counted for each page used."""
    counters = Counters()
    page = read(response(URL, body, 200, typed(type_)), counters=counters)
    assert isinstance(page, Page)
    assert "Пчёлы".encode() in page.flat.text
    assert {"charsets": {charset: 1}, "languages": {language: 1}} == counters.as_dict()


def test_links_are_relative_to_the_address_as_found() -> None:
    """A session in the path is not in the canonical URL, and yet a folder for relative links."""
    found = "http://a.example/x/(S(abcdefghijklmnopqrstuvwx))/b.aspx"
    page = make_page("http://a.example/x/b.aspx", b'<a href="../c">c</a>', found_at=found)
    assert not isinstance(page, str)
    assert ["http://a.example/x/c"] == page.targets()


PAGE = b"<html lang=en><p>Bees make honey."


def write(path: Path, *members: bytes) -> str:
    path.write_bytes(b"".join(members))
    return str(path)


def read_pages(
    uri: str, config: ReadingConfig | None = None, resolution: Resolution | None = None
) -> tuple[list[Page], dict[str, dict[str, int]]]:
    counters = Counters()
    pages = list(SnapshotReader(config or ReadingConfig(), counters, resolution).pages(uri))
    return pages, counters.as_dict()


def urls(pages: list[Page]) -> list[str]:
    return [page.url.removeprefix("http://") for page in pages]


def test_nothing(tmp_path: Path) -> None:
    """A file without records is read."""
    assert ([], {"files": {"read": 1}}) == read_pages(write(tmp_path / "a.warc"))


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
    pages, counts = read_pages(write(tmp_path / "a.warc", *map(pack, records)))
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
    pages, counts = read_pages(
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
    pages, counts = read_pages(write(tmp_path / "a.txt", b"bees and honey\n" * 1000))
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
        pages, counts = read_pages(uri, resolution=Resolution(tmp_path / "resolution"))
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
    assert {"read": 1, reason: 1} == read_pages(uri, config)[1]["records"]


def test_cut_pages(tmp_path: Path) -> None:
    """Long pages are cut, plain or packed in a member, also where the record is longer than all."""
    body = b"<p>" + b"bees " * 40_000
    uri = write(tmp_path / "a.warc.gz", gz(response("http://a.example/", body)), gz(warcinfo()))
    pages, counts = read_pages(uri, ReadingConfig(max_page_bytes=1024))
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
    pages, counts = read_pages(uri)
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


# --- parts of a file ------------------------------------------------------------------------------


@pytest.fixture
def damaged_file(tmp_path: Path) -> str:
    """Pages, a WARC among them, a broken member, and what lies behind all that it was read with."""
    pages = [gz(response(f"http://{name}.example/", PAGE)) for name in "abcdefgh"]
    nested = gz(response("http://n.example/a.warc.gz", pages[0] + pages[1], 200, {}))
    broken = pages[3][:-9] + b"damaged!!"
    picture = gz(response("http://p.example/", random.Random(1).randbytes(100 << 10), 200, {}))
    return write(tmp_path / "a.warc.gz", gz(warcinfo()), nested, broken, picture, *pages)


def read_parts(uri: str, bounds: list[int]) -> tuple[list[str], Counters]:
    """The URLs of the pages of all parts, each read by a task of its own, and what is counted."""
    total, found = Counters(), []
    for start, end in itertools.pairwise([0, *bounds, None]):
        counters = Counters()
        reader = SnapshotReader(ReadingConfig(), counters)
        found += [page.url for page in reader.pages(uri, part=ByteRange(start or 0, end))]
        total.merge(counters.as_dict())
        total.note(*counters.notes)
    return found, total


def test_parts(damaged_file: str) -> None:
    """Parts have the pages and the counts of the file: it counts once, and so does its damage."""
    Path(damaged_file).write_bytes(Path(damaged_file).read_bytes()[:-20])
    starts = [r.offset for r in read_file(damaged_file, Counters(), 1 << 20) if r.can_begin]
    assert len(starts) > 4
    whole, counters = read_parts(damaged_file, [])
    assert ({"read": 1}, 1) == (counters.as_dict()["files"], len(counters.notes))
    for bounds in ([starts[1]], starts[2:4], starts[1:]):
        parts, counted = read_parts(damaged_file, bounds)
        assert (whole, counters.as_dict()) == (parts, counted.as_dict())
        first_place = counters.notes[0].partition(" (")[0]  # each part names its own first one
        assert counted.notes[-1].startswith(first_place)


def test_parts_of_a_file_that_is_gone(tmp_path: Path) -> None:
    """It counts once, by its address, however many of its parts are missed."""
    uri = str(tmp_path / "none.warc")
    pages, counters = read_parts(uri, [100, 200])
    assert ([], {"files_failed_in_part": {uri: 3}}) == (pages, counters.as_dict())
    assert [f"{uri}: cannot be read: No such file or directory"] == counters.notes


@pytest.mark.parametrize("bounds", [[7], [1 << 20]])
def test_parts_of_a_file_that_changed(damaged_file: str, bounds: list[int]) -> None:
    """Where no record begins any more nothing is read, and nothing guessed."""
    _, counters = read_parts(damaged_file, bounds)
    assert {"read": 1} == counters.as_dict()["files"]
    assert {damaged_file: 1} == counters.as_dict()["files_failed_in_part"]
    told = f"no record begins at byte {bounds[0]} any more; build again"
    assert 1 == sum(told in note for note in counters.notes)


def test_parts_of_damage_alone(tmp_path: Path) -> None:
    """A first part without a record is no sign that the file is something else."""
    uri = write(tmp_path / "a.warc", b"bees\n" * 100, response("http://a.example/", PAGE))
    pages, counters = read_parts(uri, [500])
    assert (["http://a.example/"], {"read": 1}) == (pages, counters.as_dict()["files"])
    assert {"read": 2, "used": 1, "damaged_foreign_bytes": 1} == counters.as_dict()["records"]


def test_reports_of_a_part(tmp_path: Path) -> None:
    """Places are those in the file."""
    first = request("http://a.example/")
    uri = write(tmp_path / "a.warc", first, response("http://a.example/", PAGE))
    seen: list[tuple[int, int]] = []
    reader = SnapshotReader(ReadingConfig(), Counters())
    part = ByteRange(len(first))
    list(reader.pages(uri, lambda pages, size: seen.append((pages, size)), part))
    assert [(1, len(first))] == seen
