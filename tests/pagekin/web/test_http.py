"""HTTP messages as servers and crawlers really leave them, and bodies without their codings."""

from __future__ import annotations

import doctest
import gzip
import random
import tracemalloc
import zlib
from functools import partial
from itertools import pairwise

import brotli
import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.web import http
from pagekin.web.http import (
    HEADER_TOO_LONG,
    NOT_HTTP,
    HttpResponse,
    content_type,
    decode_body,
    parse_http,
)
from tests.warcs import http_block

WORDS = random.Random(1).choices(["kin", "page", "link", "crawl", "index"], k=100_000)
LONG_HTML = "<html><title>ü</title><p>".encode() + b" ".join(
    f"{word}{place}".encode() for place, word in enumerate(WORDS)
)
HTML = LONG_HTML[:30_000]


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(wbits=-15)
    return packer.compress(data) + packer.flush()


def chunked(data: bytes, size: int = 1000, newline: bytes = b"\r\n") -> bytes:
    cuts = [*range(0, len(data), size), len(data)]
    chunks = [
        b"%X" % (end - start) + newline + data[start:end] + newline for start, end in pairwise(cuts)
    ]
    return b"".join(chunks) + b"0" + newline + newline


PACKERS = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": partial(brotli.compress, quality=5),
    "zstd": zstandard.compress,
    "chunked": chunked,
}
HEADER = {
    name: "transfer-encoding" if name == "chunked" else "content-encoding" for name in PACKERS
}
each_coding = pytest.mark.parametrize("coding", PACKERS)


def decode(body: bytes, limit: int = 1 << 20, **headers: str) -> tuple[bytes, tuple[str, ...]]:
    fields = {name.replace("_", "-"): value for name, value in headers.items()}
    return decode_body(HttpResponse(200, fields, body), limit)


def decode_as(coding: str, body: bytes, limit: int = 1 << 20) -> tuple[bytes, tuple[str, ...]]:
    return decode_body(HttpResponse(200, {HEADER[coding]: coding}, body), limit)


def parsed(block: bytes) -> HttpResponse:
    response = parse_http(block)
    assert isinstance(response, HttpResponse)
    return response


def test_examples() -> None:
    """The examples in the module hold."""
    assert doctest.testmod(http).failed == 0


# --- the message ---------------------------------------------------------------------------------


def test_usual_response() -> None:
    """Status, lower-case fields and the body's bytes."""
    expected = HttpResponse(404, {"server": "x", "content-type": "text/html"}, b"\r\n<p>\0")
    block = http_block(b"\r\n<p>\0", 404, {"Server": "x", "Content-Type": "text/html"})
    assert expected == parse_http(block)


@pytest.mark.parametrize(
    ("line", "status"),
    [
        (b"HTTP/1.1 200 OK", 200),
        (b"HTTP/1.0 301", 301),
        (b"HTTP/1.1 200 ", 200),
        (b"HTTP/2 204 No Content", 204),
        (b"http/1.1\t500 \xfc", 500),
        (b"HTTP 200 OK", 200),
        (b"ICY 200 OK", 200),
        (b"\r\nHTTP/1.1 200 OK", 200),
    ],
)
def test_status_lines(line: bytes, status: int) -> None:
    """Old, new and sloppy status lines are read."""
    assert status == parsed(line + b"\r\nA: b\r\n\r\n").status


@pytest.mark.parametrize(
    "block",
    [
        b"",
        b"\r\n\r\n",
        b"<html>",
        b"HTTP/1.1",
        b"HTTP/1.1 OK",
        b"HTTP/1.1 2000 x\r\n\r\n",
        b"220 ftp",
    ],
)
def test_not_http(block: bytes) -> None:
    """A block without a status line has a named reason."""
    assert parse_http(block) == NOT_HTTP


def test_line_feeds_only() -> None:
    """Line feeds end lines as well as CR LF does, even mixed."""
    expected = HttpResponse(200, {"a": "1", "b": "2"}, b"<p>\n\n</p>")
    assert expected == parse_http(b"HTTP/1.1 200 OK\nA: 1\r\nB: 2\n\n<p>\n\n</p>")


def test_first_field_wins_and_odd_lines_are_skipped() -> None:
    """Repeated fields, lines without a colon, without a name and with a blank before the colon."""
    block = b"HTTP/1.1 200 OK\r\nA : 1\r\nnonsense\r\n: x\r\nB:\r\na: 2\r\n  folded\r\n\r\n"
    assert parsed(block).headers == {"a": "1", "b": ""}


def test_folded_fields() -> None:
    """A line that begins with a blank goes on with the field before it."""
    block = b"HTTP/1.1 200 OK\r\n lost\r\nContent-Type: text/html;\r\n\tcharset=koi8-r\r\n\r\n"
    assert parsed(block).headers == {"content-type": "text/html; charset=koi8-r"}


def test_fields_are_latin_1() -> None:
    """Every byte of a field has a character, so nothing is lost or raised."""
    assert parsed(b"HTTP/1.1 200 OK\r\nX: \xfc\x85\xa0y\r\n\r\n").headers == {
        "x": "\xfc\x85\u00a0y"
    }


def test_no_fields() -> None:
    """A status line, a blank line and the body."""
    assert HttpResponse(200, {}, b"body") == parse_http(b"HTTP/1.0 200 OK\r\n\r\nbody")


def test_block_cut_within_the_fields() -> None:
    """What is there of the fields is read; there is no body."""
    assert HttpResponse(200, {"a": "1", "b": ""}, b"") == parse_http(
        b"HTTP/1.1 200 OK\r\nA: 1\r\nB:"
    )


def test_too_long_header() -> None:
    """Fields without an end are not searched for one beyond 64 KiB."""
    line = b"X: " + b"y" * 1000 + b"\r\n"
    assert parse_http(b"HTTP/1.1 200 OK\r\n" + line * 66 + b"\r\n<p>") == HEADER_TOO_LONG
    assert parsed(b"HTTP/1.1 200 OK\r\n" + line * 64 + b"\r\n<p>").body == b"<p>"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, ("", "")),
        ("", ("", "")),
        ("text/html", ("text/html", "")),
        ("Text/HTML; Charset=UTF-8", ("text/html", "utf-8")),
        ("text/html;charset='Shift_JIS'; x=y", ("text/html", "shift_jis")),
        ('text/html ; version=1; charset = "koi8-r"', ("text/html", "koi8-r")),
        ("text/html; charset=", ("text/html", "")),
        ("text/html; xcharset=a", ("text/html", "")),
        ("text/html, text/html; charset=big5", ("text/html", "big5")),
        ("; charset=utf-8", ("", "utf-8")),
    ],
)
def test_content_type(value: str | None, expected: tuple[str, str]) -> None:
    """Media type and charset in lower case, without quotes."""
    assert expected == content_type({} if value is None else {"content-type": value})


# --- codings -------------------------------------------------------------------------------------


@each_coding
def test_coding_is_undone(coding: str) -> None:
    """Each coding gives the body back, without a note."""
    assert decode_as(coding, PACKERS[coding](HTML)) == (HTML, ())


@pytest.mark.parametrize("name", ["GZIP", "x-gzip", ' "gzip" ', "identity, gzip", "gzip,"])
def test_names_of_codings(name: str) -> None:
    """Names are compared without case and decoration; identity and nothing are no codings."""
    assert decode(gzip.compress(HTML), content_encoding=name) == (HTML, ())


def test_raw_deflate() -> None:
    """What some servers call deflate has no zlib header."""
    assert decode(raw_deflate(HTML), content_encoding="deflate") == (HTML, ())


def test_raw_deflate_that_looks_like_zlib() -> None:
    """A raw stream whose first two bytes would do as a zlib header is read as what it is."""
    # A stored block, not the last: the bits above the first three mean nothing, so 0x78 may stand
    # there, and 0x01 is the low byte of a length that makes the pair divisible by 31.
    stored = b"\x78\x01\x00\xfe\xff" + b"k" + b"\x01\x02\x00\xfd\xff" + b"in"
    assert decode(stored, content_encoding="deflate") == (b"kin", ())


@pytest.mark.parametrize("coding", ["gzip", "zstd"])
def test_several_streams_in_a_row(coding: str) -> None:
    """gzip members and Zstandard frames that follow each other are one body."""
    body = PACKERS[coding](HTML[:500]) + PACKERS[coding](HTML[500:])
    assert decode_as(coding, body) == (HTML, ())


def test_list_of_codings() -> None:
    """The coding that was applied last is undone first, the transfer coding before all."""
    body = chunked(brotli.compress(gzip.compress(HTML)))
    fields = {"content_encoding": "gzip, br", "transfer_encoding": "chunked"}
    assert decode(body, **fields) == (HTML, ())


@each_coding
def test_body_that_is_not_coded(coding: str) -> None:
    """A body that was decoded before it was stored is taken as it is, with a note."""
    assert (HTML, (f"not_{coding}",)) == decode_as(coding, HTML)


@each_coding
def test_body_cut_short(coding: str) -> None:
    """Of a body that ends too early all that can be decoded is given, with a note."""
    packed = PACKERS[coding](LONG_HTML)
    out, notes = decode_as(coding, packed[: len(packed) * 9 // 10])
    assert (f"short_{coding}",) == notes
    assert len(LONG_HTML) * 7 // 10 < len(out)
    assert LONG_HTML.startswith(out)


@pytest.mark.parametrize("coding", ["gzip", "deflate"])
def test_body_broken_in_the_middle(coding: str) -> None:
    """What comes before the bad place is given, with a note."""
    packed = PACKERS[coding](HTML)
    half = len(packed) // 2
    # The first bits of a block of the third, invalid kind
    broken = packed[: half - 4] + b"\xff\xff\xff\xff" * 8 + packed[half:]
    out, notes = decode_as(coding, broken)
    assert (f"bad_{coding}",) == notes
    assert HTML[: len(HTML) // 3] == out[: len(HTML) // 3]


def test_checksum_that_fails() -> None:
    """The text is given but for at most its last 256 bytes, with a note."""
    packed = bytearray(gzip.compress(HTML))
    packed[-8] ^= 1
    out, notes = decode_as("gzip", bytes(packed))
    assert notes == ("bad_gzip",)
    assert HTML[:-256] == out[: len(HTML) - 256]


def test_binary_that_is_no_deflate() -> None:
    """Bytes that are neither the coding nor text are no page."""
    assert decode(b"\x00\x11" * 99, content_encoding="br") == (b"", ("bad_br",))


@each_coding
def test_empty_body(coding: str) -> None:
    """An empty body is empty in every coding."""
    assert decode_as(coding, b"") == (b"", ())


@pytest.mark.parametrize("name", ["compress", "utf-8", "dcz", "gzip;q=1"])
def test_unknown_coding(name: str) -> None:
    """A coding that nobody knows leaves the body as it is, with a note."""
    assert decode(HTML, content_encoding=name) == (HTML, ("unknown_encoding",))


def test_too_many_codings() -> None:
    """A long list is not worked through."""
    body = HTML
    for _ in range(6):
        body = gzip.compress(body)
    assert (body, ("too_many_encodings",)) == decode(body, content_encoding="gzip," * 6)


# --- chunks --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "body",
    [
        chunked(HTML, newline=b"\n"),
        chunked(HTML).replace(b"3E8\r\n", b'0003e8 ; name="value"\r\n'),
        chunked(HTML, size=1),
        chunked(HTML)[:-2] + b"Trailer: x\r\n\r\n",
    ],
    ids=["line feeds", "extensions", "single bytes", "trailer"],
)
def test_kinds_of_chunks(body: bytes) -> None:
    """Line feeds, extensions, leading zeros, tiny chunks and trailers are all read."""
    assert decode_as("chunked", body) == (HTML, ())


@pytest.mark.parametrize(
    "body", [b"2024\nwas a year", b"beef\n", b"a\r\nvery long line", b"zz\r\n"]
)
def test_text_that_begins_like_a_chunk(body: bytes) -> None:
    """A first line of hex digits alone makes no chunk."""
    assert (body, ("not_chunked",)) == decode_as("chunked", body)


def test_bad_chunk() -> None:
    """The chunks before a bad one are given."""
    body = chunked(HTML)
    out, notes = decode_as("chunked", body[:5000] + b"oops" + body[5000:])
    assert (("bad_chunked",), HTML[:4000]) == (notes, out[:4000])


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("coding", [*PACKERS, "identity"])
def test_limit(coding: str) -> None:
    """No more than `limit` bytes come out, with a note; exactly `limit` is no cut."""
    packed = PACKERS.get(coding, bytes)(HTML)
    fields = {HEADER.get(coding, "content-encoding"): coding}
    response = HttpResponse(200, fields, packed)
    assert (HTML[:1000], ("cut",)) == decode_body(response, 1000)
    assert decode_body(response, len(HTML)) == (HTML, ())
    assert (HTML[:-1], ("cut",)) == decode_body(response, len(HTML) - 1)


def test_limit_over_several_streams() -> None:
    """The limit holds for all members together."""
    assert decode_as("gzip", gzip.compress(b"k" * 300) * 50, 1000) == (b"k" * 1000, ("cut",))


def test_very_many_streams() -> None:
    """Nobody sends a body in thousands of members but to burn CPU."""
    assert decode_as("gzip", gzip.compress(b"k") * 5000) == (b"k" * 256, ("bad_gzip",))


@pytest.mark.parametrize("coding", ["gzip", "deflate", "br", "zstd"])
def test_bomb(coding: str) -> None:
    """Sixty-four megabytes of zeros do not expand in memory."""
    packed = PACKERS[coding](bytes(64 << 20))
    tracemalloc.start()
    out, notes = decode_as(coding, packed, 1 << 20)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (len(out), notes) == ((1 << 20), ("cut",))
    # Zstandard's steps can be bounded by their input only: 16 MiB at most.
    assert peak < 40 << 20


# --- whatever comes ------------------------------------------------------------------------------


@given(
    st.binary(max_size=300), st.sampled_from([*PACKERS, "deflate, gzip", "x"]), st.integers(0, 99)
)
def test_any_bytes(data: bytes, coding: str, limit: int) -> None:
    """No bytes make anything raise, and the limit holds."""
    parse_http(data)
    parse_http(b"HTTP/1.1 200 OK\r\n" + data)
    body, _ = decode(data, limit, content_encoding=coding, transfer_encoding=coding)
    assert len(body) <= limit


@settings(max_examples=200)
@given(st.data(), st.sampled_from(list(PACKERS)))
def test_any_damage(data: st.DataObject, coding: str) -> None:
    """A coded body with changed bytes never raises, and a cut one gives a beginning of the text."""
    packed = bytearray(PACKERS[coding](HTML))
    place = data.draw(st.integers(0, len(packed) - 1))
    out, notes = decode_as(coding, bytes(packed[:place]))
    assert HTML.startswith(out) or notes == (f"not_{coding}",)
    packed[place] ^= data.draw(st.integers(1, 255))
    decode_as(coding, bytes(packed))
