"""WARC files that mean harm, made on the spot, and how long it takes to read them.

Each case makes a file of about so many bytes: of the file, or of the page in it where that is
compressed. It is read as a mapper of a build reads it, for bags and for blocks. What must hold is
that nothing raises, that every record has its reason (the reader checks the sum), that no page
takes longer than 10 s, and that twice the bytes take about twice the time.

`tests/pagekin/web/test_hostile.py` reads all of them, small; PAGEKIN_HOSTILE=1 has them as large as
pages and records may be, and more. `tests.mutations` spoils real pages at random.
"""

from __future__ import annotations

import gzip
import random
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import brotli

from pagekin.config import BlockConfig, BuildConfig
from pagekin.counters import Counters
from pagekin.stages.blocks.extractor import BlockExtractor
from pagekin.stages.extractor import view_for
from pagekin.stages.fragments.extractor import FragmentExtractor
from pagekin.web.page import SnapshotReader
from tests.warcs import (
    bomb,
    gz,
    response,
    warc_record,
    zst,
    zst_dictionary,
    zst_padding,
)

__all__ = ["CASES", "SECONDS", "Case", "Told", "read"]

SECONDS = 10.0  # CPU time that a page may take

URL = "http://a.example/"
_SHOWN = b"<p>bees make <a href=/honey>honey</a>"
_GOOD = response(URL, _SHOWN)
_KB, _MB = 1 << 10, 1 << 20
_TO_PAGE = 5 * _MB


class Told(NamedTuple):
    """What became of a file."""

    counters: Counters
    seconds: float
    slowest: float  # seconds of the slowest record, with the damage beside it


@dataclass(frozen=True)
class Case:
    """A way to do harm."""

    make: Callable[[int], bytes]
    size: int  # of the smaller of the two files that are compared
    largest: int  # when time does not matter
    counted: tuple[str, ...]  # counters that must tell of it, as group.name
    rules: str  # for blocks


CASES: dict[str, Case] = {}


def read(path: Path, rules: str = "structural") -> Told:
    """Read a file for bags and blocks."""
    config, counters = BuildConfig(blocks=BlockConfig(rules=rules)), Counters()
    extractors = [FragmentExtractor(config, counters), BlockExtractor(config, counters)]
    reader = SnapshotReader(config.reading, counters, None, view_for(extractors))
    watch = _Watch()
    for page in reader.pages(str(path), watch.stop):
        for extractor in extractors:
            for _ in extractor.records(page):
                pass
    for extractor in extractors:
        for _ in extractor.finish():
            pass
    watch.stop()
    return Told(counters, watch.before - watch.began, watch.slowest)


class _Watch:
    """Is stopped behind each record."""

    def __init__(self) -> None:
        self.began = self.before = time.process_time()
        self.slowest = 0.0

    def stop(self, _pages: int = 0, _size: int = 0) -> None:
        now = time.process_time()
        self.slowest, self.before = max(self.slowest, now - self.before), now


_Make = Callable[[int], bytes]


def _add(
    name: str,
    make: _Make,
    *counted: str,
    size: int = 512 * _KB,
    largest: int = 64 * _MB,
    rules: str = "structural",
) -> None:
    assert name not in CASES
    CASES[name] = Case(make, size, largest, counted, rules)


def _fill(pattern: bytes, size: int) -> bytes:
    return pattern * max(1, size // len(pattern))


def _numbered(form: str, size: int) -> str:
    """A text many times, each time with another number."""
    return "".join(form.format(k) for k in range(max(1, size // len(form.format(12_345)))))


# --- plain files: headers, lengths, what stands between records -----------------------------------

_LENGTH = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: %d\r\n\r\n"
_UNENDED = b"WARC/1.0\r\nWARC-Type: response\r\nContent-Length: 5\r\n"
_HEADER, _BYTES = "records.damaged_bad_record_header", "records.damaged_foreign_bytes"
_PLAIN = {
    "lines of a version": (b"WARC/1.0\r\n", _HEADER),
    "lines of a version with a newline alone": (b"WARC/1.0\n", _HEADER),
    "marks without a version": (b"WARC/", _HEADER),
    "versions without an end": (b"WARC/1.", _HEADER),
    "versions in lines": (b"x WARC/1.0\r\nx\r\n", _BYTES),
    "headers without a blank line": (_UNENDED, _HEADER),
    "headers of 60 KB without a blank line": (b"WARC/1.0\r\n" + b"a: b\r\n" * 10_000, _HEADER),
    "headers of 70 KB": (_UNENDED + b"a\n" * 35_000 + b"\n", _HEADER),
    "headers without a type": (b"WARC/1.0\nA: b\n\n", _HEADER),
    "headers without a type, of many lines": (b"WARC/1.0\n" + b"a\n" * 30_000 + b"\n", _HEADER),
    "two versions in a header": (b"WARC/1.0\nWARC-Type: x\nWARC/1.0\nA: b\n\n", _HEADER),
    "types without a version": (b"WARC-Type: response\nContent-Length: 5\n\n", _BYTES),
    "types far from their version": (b"WARC/1.0\n" + b"a\n" * 99 + b"\nWARC-Type: x\n", _HEADER),
    "lengths that are no numbers": (_LENGTH.replace(b"%d", b"1e3"), "records.damaged_bad_length"),
    "lengths below nothing": (_LENGTH % -1, "records.damaged_bad_length"),
    "lengths of many digits": (_LENGTH % 10**40, "records.damaged_bad_length"),
    "lengths of 8 MiB": (_LENGTH % (8 << 20), "records.damaged_bad_length"),
    "lengths of 8 MiB before a KB": (
        _LENGTH % (8 << 20) + b"x" * 999,
        "records.damaged_bad_length",
    ),
    "lengths of nothing": (
        _LENGTH % 0 + b"<p>text" * 9 + b"\r\n\r\n",
        "records.damaged_bad_length",
    ),
    "tiny records": (b"WARC/1.0\nWARC-Type:x\nContent-Length:0\n\n", "records.not_response_other"),
    "tiny responses": (_LENGTH % 0 + b"\r\n\r\n", "records.bad_url"),
    "records of many lines": (
        b"WARC/1.0\nWARC-Type:x\nContent-Length:0\n" + b"a\n" * 30_000 + b"\n",
        "records.not_response_other",
    ),
    "records of a folded line": (
        b"WARC/1.0\nWARC-Type:x\nContent-Length:0\na:\n" + b" b\n" * 20_000 + b"\n",
        "records.not_response_other",
    ),
    "blank lines": (b"\n", "records.used"),
    "pieces between blank lines": (b"x\n\n", _BYTES),
    "zeros": (b"\0", _BYTES),
    "carriage returns before text": (b"\r" * 999 + b"x", _BYTES),
    "records that are cut": (_GOOD[:-40], "records.damaged_bad_length"),
}
for _name, (_pattern, _counter) in _PLAIN.items():
    _add(
        f"plain: {_name}",
        lambda size, pattern=_pattern: _GOOD + _fill(pattern, size),
        _counter,
        largest=(512 if "version" in _name or "headers" in _name else 100) * _MB,
    )


_add(
    "plain: a header without an end",
    lambda size: _GOOD + b"WARC/1.0\r\nWARC-Type: response\r\n" + _fill(b"a: b\r\n", size),
    _HEADER,
    largest=512 * _MB,
)
_add(
    "plain: a length over the end",
    lambda size: _GOOD + _LENGTH % 10**15 + _fill(_GOOD, size),
    "records.damaged_unexpected_end",
)
_add("plain: random bytes", lambda size: _GOOD + random.Random(1).randbytes(size), _BYTES)


# --- compressed files -----------------------------------------------------------------------------

_PACKED, _BOMB = "records.damaged_bad_compression", "records.damaged_bomb"
_END = "records.damaged_unexpected_end"
_RAW, _REPEATED, _COMPRESSED = 0, 1, 2  # blocks of Zstandard


def _frame(kind: int, size: int, window: int = 0x58) -> bytes:
    """The beginning of a Zstandard frame whose first block claims to have a size."""
    return b"\x28\xb5\x2f\xfd\0" + bytes([window]) + (size << 3 | kind << 1).to_bytes(3, "little")


_GZIP = {
    "marks": (b"\x1f\x8b\x08", _END),
    "marks with a name": (b"\x1f\x8b\x08\x08", _END),
    "marks with extra fields": (b"\x1f\x8b\x08\x04\1\1\1\1\1\1\xff\xff", _PACKED),
    "members of empty blocks": (b"\x1f\x8b\x08" + b"\0" * 7 + b"\0\0\0\xff\xff" * 10, _PACKED),
    "members that hold nothing": (gz(b""), "records.used"),
    "members that hold no record": (gz(b"xxxxxx"), _BYTES),
    "members that hold a mark": (gz(b"WARC/"), _HEADER),
    "tiny records": (gz(_PLAIN["tiny records"][0]), "records.not_response_other"),
    "wrong checksums": (gz(_GOOD)[:-8] + b"12345678", _PACKED),
    "wrong sizes": (gz(_GOOD)[:-4] + b"1234", _PACKED),
    "members that are cut": (gz(_GOOD)[:-20], _PACKED),
    "bombs of 7 MB with a wrong checksum": (bomb(URL, 7)[:-8] + b"12345678", _PACKED),
}
for _name, (_pattern, _counter) in _GZIP.items():
    _add(
        f"gzip: {_name}",
        lambda size, pattern=_pattern: gz(_GOOD) + _fill(pattern, size),
        _counter,
        size=(64 if "bombs" in _name else 256) * _KB,
        largest=4 * _MB,
    )
_ZSTD = {
    "marks": (b"\x28\xb5\x2f\xfd", _PACKED),
    "raw blocks that are cut": (_frame(_RAW, 131_071) + b"x", _PACKED),
    "blocks of one byte": (_frame(_REPEATED, 131_072) + b"x", _PACKED),
    "blocks of noise": (_frame(_COMPRESSED, 131_071) + b"x", _PACKED),
    "windows of 128 MB": (_frame(_COMPRESSED, 131_071, 0x88) + b"x", _PACKED),
    "windows of terabytes": (_frame(_COMPRESSED, 131_071, 0xFF) + b"x", _PACKED),
    "frames that hold nothing": (zst(b""), "records.used"),
    "frames that hold no record": (zst(b"xxxxxx"), _BYTES),
    "tiny records": (zst(_PLAIN["tiny records"][0]), "records.not_response_other"),
    "padding": (zst_padding(0), "records.used"),
    "padding over the end": (zst_padding(0)[:4] + b"\xff\xff\xff\x7f", _END),
    "frames that are cut": (zst(_GOOD)[:-20], _PACKED),
    "wrong checksums": (zst(_GOOD)[:-4] + b"1234", _PACKED),
    "dictionaries that are bombs": (zst_dictionary(bytes(30 << 20), packed=True), "records.used"),
    "dictionaries over the end": (zst_dictionary(b"")[:4] + b"\0\0\0\x01" + zst(_GOOD)[:-4], _END),
}
for _name, (_pattern, _counter) in _ZSTD.items():
    _add(
        f"zstd: {_name}",
        lambda size, pattern=_pattern: zst(_GOOD) + _fill(pattern, size),
        _counter,
        size=256 * _KB,
        largest=4 * _MB,
    )


def _gzip_of(head: bytes, text: bytes, size: int) -> bytes:
    """A member of this size that begins with one text and repeats another, and is never closed."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    start = packer.compress(head) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(text * (_MB // len(text))) + packer.flush(zlib.Z_FULL_FLUSH)
    return start + _fill(again, size)


def _zstd_of(head: bytes, byte: bytes, size: int) -> bytes:
    """A frame of this size that begins with a text and repeats a byte, and is never closed."""
    again = (131_072 << 3 | _REPEATED << 1).to_bytes(3, "little") + byte
    return _frame(_RAW, len(head)) + head + _fill(again, size)


_ENDLESS = _LENGTH % 10**15 + b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
for _name, _head, _text in (
    ("a bomb", _ENDLESS.replace(b"\r\n", b"\r\nWARC-Target-URI: http://a.example/\r\n", 1), b"\0"),
    ("a record without an address", _ENDLESS, b"<p>"),
    ("lines of a version", b"WARC/1.0\r\n", b"WARC/1.0\r\n"),
    ("a header without an end", _UNENDED, b"a: b\r\n"),
    ("headers without a blank line", _UNENDED, _UNENDED),
    ("blank lines", b"\r\n", b"\r\n"),
    ("headers without a type", b"WARC/1.0\nA: b\n\n", b"WARC/1.0\nA: b\n\n"),
):
    _add(
        f"gzip: a member of {_name}",
        lambda size, head=_head, text=_text: _gzip_of(head, text, size),
        _BOMB,
        size=256 * _KB,
        largest=20 * _MB,
    )
    _add(
        f"zstd: a frame of {_name}",
        lambda size, head=_head, text=_text: _zstd_of(head, text[-1:], size),
        _BOMB,
        size=128 * _KB,
        largest=20 * _MB,
    )


# --- HTTP: headers and codings --------------------------------------------------------------------

_USED, _CUT = "records.used", "pages.cut_to_limit"


def _answer(fields: bytes, body: bytes, start: bytes = b"HTTP/1.1 200 OK\r\n") -> bytes:
    block = start + b"Content-Type: text/html\r\n" + fields + b"\r\n" + body
    return gz(warc_record("response", URL, block))


def _coded(*codings: str, body: bytes) -> bytes:
    return _answer(b"Content-Encoding: " + ", ".join(codings).encode() + b"\r\n", body)


def _brotli(size: int) -> bytes:
    return brotli.compress(_fill(b"<p>x", size), quality=1)


_CODINGS: dict[str, tuple[_Make, str]] = {
    "a header without an end": (
        lambda size: _answer(_fill(b"a: b\r\n", size), b""),
        "records.http_header_too_long",
    ),
    "a header of one line": (
        lambda size: _answer(b"a: " + b"b" * size + b"\r\n", b""),
        "records.http_header_too_long",
    ),
    "lines of a status": (
        lambda size: _answer(b"", b"", _fill(b"HTTP/1.1 200\n", size)),
        "records.http_header_too_long",
    ),
    "a gzip bomb": (lambda size: _coded("gzip", body=_gzip_of(b"<p>", b"<p>x", size)), _CUT),
    "a zstd bomb": (lambda size: _coded("zstd", body=_zstd_of(b"<p>", b"x", size)), _CUT),
    "a deflate bomb": (
        lambda size: _coded("deflate", body=zlib.compress(_fill(b"<p>x", size * 200), 1)),
        _CUT,
    ),
    "a brotli bomb": (lambda size: _coded("br", body=_brotli(size * 200)), _CUT),
    "a gzip bomb in four others": (
        lambda size: _coded(
            *["gzip"] * 5,
            body=gz(gz(gz(gz(gzip.compress(_fill(b"<p>x", size * 200), 1, mtime=0))))),
        ),
        _CUT,
    ),
    "six codings": (
        lambda size: _coded(*["gzip"] * 6, body=_fill(_SHOWN, size)),
        "pages.too_many_encodings",
    ),
    "thousands of codings": (
        lambda size: _answer(
            b"Content-Encoding: " + b"br," * 20_000 + b"br\r\n", _fill(_SHOWN, size)
        ),
        "pages.too_many_encodings",
    ),
    "codings of no name": (
        lambda size: _answer(b"Content-Encoding: " + b"," * 60_000 + b"\r\n", _fill(_SHOWN, size)),
        _USED,
    ),
    "empty gzip streams": (
        lambda size: _coded("gzip", body=_fill(gz(b""), size)),
        "records.empty",
    ),
    "gzip streams of a page": (
        lambda size: _coded("gzip", body=_fill(gz(_SHOWN), size)),
        "pages.bad_gzip",
    ),
    "zstd frames of a page": (
        lambda size: _coded("zstd", body=_fill(zst(_SHOWN), size)),
        "pages.bad_zstd",
    ),
    "gzip that breaks at its end": (
        lambda size: _coded(
            "gzip", body=gzip.compress(_fill(b"<p>x", size // 2), 1)[:-8] + bytes(8)
        ),
        "pages.bad_gzip",
    ),
    "brotli of noise": (
        lambda size: _coded("br", body=random.Random(2).randbytes(size)),
        "records.empty",
    ),
    "chunks of a byte": (
        lambda size: _answer(b"Transfer-Encoding: chunked\r\n", _fill(b"1\r\nx\r\n", size)),
        "pages.short_chunked",
    ),
    "chunks longer than the page": (
        lambda size: _answer(b"Transfer-Encoding: chunked\r\n", _fill(b"7fffffff\r\n<p>", size)),
        _USED,
    ),
    "chunks with long extensions": (
        lambda size: _answer(
            b"Transfer-Encoding: chunked\r\n", _fill(b"1;" + b"x" * 1000 + b"\r\nx\r\n", size)
        ),
        "pages.short_chunked",
    ),
}
for _name, (_make, _counter) in _CODINGS.items():
    _add(f"HTTP: {_name}", _make, _counter, size=128 * _KB, largest=_TO_PAGE)


# --- pages: addresses -----------------------------------------------------------------------------

_LINKS = 700_000  # bytes in which 30,000 links fit


def _found_at(url: str, *links: str) -> _Make:
    """A page found at an address, with links that have a number each."""
    return lambda size: gz(
        response(
            url,
            "".join(_numbered(f"<a href='{x}'>x</a>", size // len(links)) for x in links).encode(),
        )
    )


def _with_base(base: str, *links: str) -> _Make:
    return lambda size: gz(
        response(
            URL,
            f"<base href='{base}'>".encode()
            + "".join(
                _numbered(f"<a href='{x}'>x</a>", size // len(links)) for x in links
            ).encode(),
        )
    )


_ODD = "\u00e9\u4e2d\u0436" * 20
_ADDRESSES: dict[str, tuple[_Make, str]] = {
    "queries below a session": (_found_at(f"{URL};jsessionid={'[' * 3900}", "?{}[&b"), _USED),
    "queries below a session of 60 KB": (
        _found_at(f"{URL};jsessionid={'[' * 60_000}", "?{}[&b"),
        "records.url_too_long",
    ),
    "paths below brackets": (
        _found_at(f"{URL}{'[' * 600}/x", "{}[/x?%5b", "{}/..;jsessionid=["),
        _USED,
    ),
    "paths below brackets and a session": (
        _found_at(f"{URL}{'[' * 600}/x;jsessionid={'[' * 3000}", "{}[/x?%5b", ";jsessionid=[{}"),
        _USED,
    ),
    "sessions below sessions": (
        _found_at(f"{URL}{'x;jsessionid=[/' * 250}y", "{};jsessionid=[", "../{};jsessionid=]"),
        _USED,
    ),
    "sessions of ASP": (
        _found_at(f"{URL}{'(S(' + 'a' * 24 + '))/'}" * 1 + "(A(b)" * 90, "{}[", "../{}["),
        _USED,
    ),
    "sessions in the query": (
        _found_at(f"{URL}?{'PHPSESSID=1&' * 300}a", "?{}[&PHPSESSID=1&sid=%5b"),
        _USED,
    ),
    "dots below sessions": (
        _found_at(f"{URL}{'a/' * 900}{'..;jsessionid=1/' * 130}", "{}[", "../{}"),
        _USED,
    ),
    "a long base": (_with_base(f"{URL}{'[' * 640}/", "{}[?b=[", "../{}"), _USED),
    "a base of sessions": (_with_base(f"{URL};jsessionid={'[' * 3000}?a[", "?{}[&b", "{}"), _USED),
    "a base of escapes": (_with_base(f"{URL}{'%41%5b' * 300}/", "{}%5b", "{}[?%"), _USED),
    "a base of 100 KB": (_with_base(f"{URL}{'a/' * 50_000}", "{}[", "../{}"), _USED),
    "a base that is none": (_with_base("[" * 50_000, "{}[", "../{}"), _USED),
    "a base of many labels": (_with_base(f"http://{'a.' * 900}example/", "{}[", "../{}"), _USED),
    "a base of foreign letters": (
        _with_base(f"http://{_ODD}.{_ODD}.example/", "{}[", "../{}"),
        _USED,
    ),
    "a base of punycode": (_with_base(f"http://{'xn--4ca.' * 200}example/", "{}[", "../{}"), _USED),
    "many bases": (
        lambda size: gz(response(URL, _numbered("<base href='/{}/'>", size).encode() + _SHOWN)),
        _USED,
    ),
}
for _name, (_make, _counter) in _ADDRESSES.items():
    _add(f"addresses: {_name}", _make, _counter, size=_LINKS // 8, largest=_LINKS)
_HREFS: dict[str, tuple[_Make, str]] = {
    "hosts of foreign letters": (_found_at(URL, f"http://{{}}{_ODD}.example/"), _USED),
    "hosts of many labels": (_found_at(URL, "http://{}." + "a." * 900 + "example/"), _USED),
    "hosts of many dots": (_found_at(URL, "http://{}" + "." * 900 + "/"), _USED),
    "hosts of one label of foreign letters": (
        _found_at(URL, "http://{}" + "".join(chr(0x4E00 + k) for k in range(1200)) + ".example/"),
        _USED,
    ),
    "names before the host": (_found_at(URL, "http://{}" + "[@" * 900 + "a.example/"), _USED),
    "addresses of numbers": (_found_at(URL, "http://{}." + "0x1." * 900 + "1/"), _USED),
    "folders up and down": (_found_at(URL, "{}/" + "a/../" * 700), _USED),
    "folders up": (_found_at(f"{URL}{'a/' * 900}", "{}/" + "../" * 900), _USED),
    "escapes": (_found_at(URL, "{}" + "%5b%41%" * 500), "links.too_long"),
    "brackets": (_found_at(URL, "{}" + "[" * 1900), "links.too_long"),
    "parameters": (_found_at(URL, "?{}" + "&b=[&a" * 300), _USED),
    "parameters of one name": (_found_at(URL, "?a={}" + "&a=1" * 490), _USED),
    "parameters of sessions": (_found_at(URL, "?{}" + "&sid=" + "a" * 1900), _USED),
    "parameters without a name": (_found_at(URL, "?{}" + "&" * 3900), _USED),
    "fragments": (_found_at(URL, "#{}" + "[" * 3900), _USED),
    "other schemes": (_found_at(URL, "x{}" + "x" * 1900 + ":y"), _USED),
    "addresses of 100 KB": (_found_at(URL, "{}" + "x" * 100_000), "links.too_long"),
    "halves of surrogates": (_found_at(URL, "{}" + "&#xd800;&#xdfff;" * 90), _USED),
}
for _name, (_make, _counter) in _HREFS.items():
    _add(f"addresses: {_name}", _make, _counter, size=256 * _KB, largest=_TO_PAGE)


# --- pages: markup, text, styles ------------------------------------------------------------------


def _page(head: bytes, pattern: bytes, tail: bytes = b"") -> _Make:
    return lambda size: gz(response(URL, head + _fill(pattern, size) + tail))


def _numbered_page(head: str, form: str) -> _Make:
    return lambda size: gz(response(URL, (head + _numbered(form, size)).encode()))


_MARKUP: dict[str, tuple[_Make, str]] = {
    "nested blocks": (_page(b"", b"<div>"), _USED),
    "nested inline elements": (_page(b"", b"<b><i>"), _USED),
    "nested lists": (_page(b"", b"<ul><li>x"), _USED),
    "nested tables": (_page(b"", b"<table><tr><td>x"), _USED),
    "nested links": (_page(b"", b"<a href=x>x"), "pages.too_many_links"),
    "nested links in blocks": (_page(b"", b"<div><a href=x>x"), _USED),
    "nested forms and selects": (_page(b"", b"<form><select><option>x"), _USED),
    "nested frames": (_page(b"", b"<noframes><iframe><noscript>x"), _USED),
    "ends that end nothing": (_page(b"<b>" * 3000, b"</i>"), _USED),
    "ends that cross": (_page(b"", b"<b><p></b></p>"), _USED),
    "one attribute": (_page(b"<p>x<p title='", b"x"), _USED),
    "one class": (_page(b"<p>x<div class='", b"x "), _USED),
    "one text of a picture": (_page(b"<p>x<img alt='", b"bees "), _USED),
    "one address": (_page(b"<p>x<a href='", b"x"), _USED),
    "attributes of one element": (_numbered_page("<p>x<p ", "a{}=1 "), _USED),
    "one attribute again and again": (_page(b"<p>x<a ", b"href=x "), _USED),
    "classes of many elements": (
        lambda size: gz(
            response(URL, _fill(b"<div class='" + b"c " * 2000 + b"'><a href=x>x</a>", size))
        ),
        _USED,
    ),
    "different classes": (_numbered_page("", "<ul class=c{0}><li><a href=/{0}>x</a></ul>"), _USED),
    "comments": (_page(b"<p>x", b"<!--"), _USED),
    "comments without an end": (_page(b"<p>x<!--", b"-"), _USED),
    "declarations": (_page(b"<p>x", b"<!x "), _USED),
    "sections of CDATA": (_page(b"<p>x", b"<![CDATA["), _USED),
    "openings": (_page(b"<p>x", b"<"), "pages.too_many_tags"),
    "openings of ends": (_page(b"<p>x", b"</"), _USED),
    "tags without an end": (_page(b"<p>x", b"<a href=x "), _USED),
    "names of 1,000 letters": (_page(b"", b"<" + b"x" * 1000 + b">"), _USED),
    "references": (_page(b"<p>", b"&amp;"), _USED),
    "references to nothing": (_page(b"<p>", b"&x;&#;&#x;&"), _USED),
    "one reference of digits": (_page(b"<p>&#", b"1"), _USED),
    "references of digits": (_page(b"<p>", b"&#" + b"1" * 99 + b";"), _USED),
    "a script without an end": (_page(b"<p>x<script>", b"</scrip"), _USED),
    "scripts": (_page(b"<p>x", b"<script>x</script>"), _USED),
    "a title without an end": (_page(b"<title>", b"bees <b>"), _USED),
    "a long title": (_page(b"<title>", b"bees ", b"</title><p>x"), "pages.titles_cut"),
    "a long heading": (_page(b"<h1>", b"bees ", b"</h1><p>x"), "pages.headings_cut"),
    "titles": (_page(b"", b"<title>x</title>"), _USED),
    "a heading without an end": (_page(b"<h1>", b"bees <a href=x>y</a>"), _USED),
    "headings": (_page(b"", b"<h1>x</h1><h2>y<a href=x>z</a>"), _USED),
    "metas of robots": (_page(b"<p>x", b"<meta name=robots content=x>"), _USED),
    "links to itself": (_page(b"<p>x", b"<link rel=canonical href=x>"), _USED),
    "languages": (_page(b"<p>x", b"<html lang=xx>"), _USED),
    "options": (_page(b"<select>", b"<option>x"), _USED),
    "rules": (_page(b"<p>x", b"<hr><br>"), _USED),
    "links in links in lists": (_numbered_page("", "<li><a href=/{0}><b>{0}</b></a>"), _USED),
    "links with a long text": (
        lambda size: gz(response(URL, _fill(b"<a href=x>" + b"bees " * 5000 + b"</a>", size))),
        _USED,
    ),
    "one long word": (_page(b"<p>", b"x"), _USED),
    "one long word of accents": (_page(b"<p>e", "\u0301\u0323".encode()), _USED),
    "one long word of joiners": (_page(b"<p>e", "\u200d".encode()), _USED),
    "one long word of Thai": (_page(b"<p>", "\u0e01\u0e33".encode()), _USED),
    "one long run of Chinese": (_page(b"<p>", "\u871c\u8702".encode()), _USED),
    "one long run of Kana": (_page(b"<p>", "\u307f\u30df".encode()), _USED),
    "different words": (_numbered_page("<p>", "b{}x "), _USED),
    "sentences": (_page(b"<p>", b"x.<br>"), _USED),
    "controls": (_page(b"<p>", b"\x01\x1b\x02x "), _USED),
    "invalid UTF-8": (_page(b"<p>", b"\xff\xc0x "), _USED),
    "escapes of ISO-2022": (_page(b"<meta charset=iso-2022-jp><p>", b"\x1b$B\x1b(B"), _USED),
    "letters of EUC": (_page(b"<meta charset=euc-kr><p>", b"\xb0\xa1\x8e"), _USED),
    "charsets": (_page(b"<p>x", b"<meta charset=x-user>"), _USED),
}
for _name, (_make, _counter) in _MARKUP.items():
    _add(f"markup: {_name}", _make, _counter, size=256 * _KB, largest=_TO_PAGE)

# by the rules of the paper, which need a tree and look at styles
_TREES: dict[str, _Make] = {
    name: _MARKUP[name][0]
    for name in (
        "nested blocks",
        "nested links",
        "nested tables",
        "ends that end nothing",
        "ends that cross",
    )
}
_TREES |= {
    name: _MARKUP[name][0]
    for name in ("one class", "classes of many elements", "different classes")
}
_TREES |= {
    name: _MARKUP[name][0]
    for name in ("links with a long text", "links in links in lists", "openings")
}
_TREES |= {
    "rules of one style": _page(b"<p class=a><style>", b".a{color:red}"),
    "rules of many styles": lambda size: gz(
        response(
            URL,
            (
                "<p>x<style>"
                + _numbered(".c{}{{color:red}}", size)
                + "</style>"
                + _numbered("<p class=c{}>x", size // 9)
            ).encode(),
        )
    ),
    "selectors of a style": _page(b"<p class=a><style>.a", b",.b", b"{color:red}</style>"),
    "pairs of classes": lambda size: gz(
        response(
            URL,
            b"<p>x<style>"
            + _fill(b".a.b{color:red}", 9000)
            + b"</style>"
            + "".join(
                f"<p class='{' '.join(f'x{k}y{n}' for n in range(12))}'><a href=x>x</a>"
                for k in range(size // 100)
            ).encode(),
        )
    ),
    "comments of a style": _page(b"<p class=a><style>", b"/*"),
    "braces of a style": _page(b"<p class=a><style>", b"@media screen{"),
    "one style of an element": _page(b"<p>x<p style='", b"color:red;"),
    "styles of elements": _page(b"", b"<p style='color:red;font-size:120%'><a href=x>x</a>"),
    "fonts within each other": _page(b"", b"<font size=+1 color=red><a href=x>x</a>"),
}
for _name, _make in _TREES.items():
    _counter = "pages.too_deep_for_a_tree" if _name == "nested blocks" else _USED
    _add(f"trees: {_name}", _make, _counter, size=96 * _KB, largest=_TO_PAGE, rules="paper")
