"""Ways to spoil a page, its HTTP, its record or the member that packs it, for `tests.fuzz`.

Each kind is a function from a chance and a case to bytes: HTML, an HTTP block, a record or what
stands in the file for one; `mutate` adds what is missing. Kinds of little weight are heavy: they
fill megabytes, to find what is slow or takes memory. At scale 1 they have the size at which pages
are cut, and one attribute has 50 MB.
"""

from __future__ import annotations

import codecs
import gzip
import random
import re
import zlib
from collections.abc import Callable
from typing import NamedTuple

from tests.soups import MARKERS
from tests.warcs import gz, http_block, response, warc_record

__all__ = ["KINDS", "Case", "mutate"]

_TAG = re.compile(rb"(<[^>]*>)")
_HEAVY, _LIGHT = 1, 40  # weights
_FULL = 5 << 20  # bytes of a page at scale 1
_ATTRIBUTE = 50 << 20

_LABELS = [
    *("utf-8", "utf-16", "utf-16be", "utf-32", "utf-7", "iso-8859-1", "windows-1251", "gb18030"),
    *("shift_jis", "iso-2022-jp", "euc-kr", "big5", "cp037", "unicode_escape", "idna", "punycode"),
    *("undefined", "hex", "x" * 500, '"', "utf-8\\0", "\u00e9"),
]
_CHARACTERS = [
    *(c.encode() for c in MARKERS),
    *(f"&#x{ord(c):x};".encode() for c in MARKERS),
    *(f"&#{ord(c)}".encode() for c in MARKERS),
    *(bytes([b]) for b in (0, 1, 8, 11, 12, 27, 31, 127, 128, 255)),
    *(c.encode() for c in "\u00ad\u0301\u200d\u2028\u202e\ufeff\ufffe\U0010ffff\u3000\u0345"),
    *(b"\xed\xa0\x80", b"\xc0\x80", b"\xf5\x80\x80\x80", b"\xe2\x82", b"&#0;", b"&#xD800;", b"&#x"),
    *(b"<", b">", b"</", b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"<!", b"&", b'"', b"'"),
]
_ADDRESSES = [
    *("", "#", "?", "/", "//", "///", ".", "..", "../" * 200, "http:", "http://", "http://[", ":"),
    *("http://[::1]/", "http://1.2.3/", "http://\u00e9.example/", "http://xn--a/", "http://a..b/"),
    *(
        "http://a.example:99999/",
        "http://a@b@c/",
        "%",
        "%zz",
        "%00",
        "\\\\a\\b",
        "http://a.example/\t",
    ),
    *("javascript:x()", "mailto:a@b.example", "data:,x", "http://" + "a." * 500 + "example/"),
    *(
        "http://a.example/" + "x" * 5000,
        "http://a.example/?" + "a&" * 1000,
        "http://a.example/" + "%5b" * 600,
    ),
]
_NESTED = [
    b"<b>",
    b"<div>",
    b"<font>",
    b"<h1>",
    b"<ul><li>",
    b"<table><tr><td>",
    b"<a href=x><i>",
    b"<dl>",
]


class Case(NamedTuple):
    """A page to be spoilt."""

    kind: str
    url: str
    block: bytes  # its HTTP response
    packed: bool  # is its file compressed
    scale: float


class Kind(NamedTuple):
    """A way to spoil, what it changes, and how often it is taken."""

    spoil: Callable[[random.Random, Case], bytes]
    level: str  # html, http, record or member: what `spoil` gives
    weight: int


KINDS: dict[str, Kind] = {}


def mutate(case: Case, chance: random.Random) -> bytes:
    """The bytes of the file for one spoilt page."""
    kind = KINDS[case.kind]
    spoilt = kind.spoil(chance, case)
    if kind.level == "html":
        headers = {"Content-Type": chance.choice(["text/html", "text/html; charset=utf-8"])}
        spoilt = http_block(spoilt, 200, headers)
    if kind.level in {"html", "http"}:
        spoilt = warc_record("response", case.url, spoilt)
    return gz(spoilt) if case.packed and kind.level != "member" else spoilt


def _kind(level: str, weight: int = _LIGHT) -> Callable[[_Spoil], _Spoil]:
    def add(spoil: _Spoil) -> _Spoil:
        KINDS[spoil.__name__.strip("_").replace("_", " ")] = Kind(spoil, level, weight)
        return spoil

    return add


_Spoil = Callable[[random.Random, Case], bytes]


def _body(case: Case) -> bytes:
    return case.block.partition(b"\r\n\r\n")[2]


def _record(case: Case) -> bytes:
    return warc_record("response", case.url, case.block)


def _flip(chance: random.Random, data: bytes, most: int = 50) -> bytes:
    flipped = bytearray(data)
    for _ in range(chance.randint(1, most) if data else 0):
        flipped[chance.randrange(len(flipped))] ^= 1 << chance.randrange(8)
    return bytes(flipped)


def _cut(chance: random.Random, data: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _insert(chance: random.Random, data: bytes, pieces: list[bytes], most: int = 40) -> bytes:
    for _ in range(chance.randint(1, most)):
        at = chance.randrange(len(data) + 1)
        data = data[:at] + chance.choice(pieces) + data[at:]
    return data


def _fill(pattern: bytes, case: Case, size: int = _FULL) -> bytes:
    size = int(size * case.scale)
    return (pattern * (size // len(pattern) + 1))[:size]


def _letters(number: int) -> str:
    """A word for a number."""
    word = ""
    while number:
        number, letter = divmod(number, 26)
        word += chr(97 + letter)
    return word or "a"


# --- HTML -----------------------------------------------------------------------------------------


@_kind("html")
def bits_of_the_page(chance: random.Random, case: Case) -> bytes:
    return _flip(chance, _body(case))


@_kind("html")
def cut_page(chance: random.Random, case: Case) -> bytes:
    return _cut(chance, _body(case))


@_kind("html")
def random_bytes_in_the_page(chance: random.Random, case: Case) -> bytes:
    return _insert(chance, _body(case), [chance.randbytes(n) for n in (1, 5, 50)])


@_kind("html")
def only_random_bytes(chance: random.Random, case: Case) -> bytes:
    return b"<p>" * chance.randrange(2) + chance.randbytes(chance.randrange(20_000))


@_kind("html")
def odd_characters(chance: random.Random, case: Case) -> bytes:
    return _insert(chance, _body(case), _CHARACTERS)


@_kind("html")
def broken_utf8(chance: random.Random, case: Case) -> bytes:
    text = _body(case).decode("utf-8", "replace").translate({ord("e"): "é", ord("n"): "中"})
    return re.sub(rb"[\x80-\xbf]", lambda m: m[0] * chance.randrange(3), text.encode())


@_kind("html")
def tags_shuffled(chance: random.Random, case: Case) -> bytes:
    parts = _TAG.split(_body(case))
    tags = parts[1::2]
    chance.shuffle(tags)
    parts[1::2] = tags
    return b"".join(parts)


@_kind("html")
def tags_dropped(chance: random.Random, case: Case) -> bytes:
    return _TAG.sub(lambda tag: tag[0] if chance.random() < 0.7 else b"", _body(case))


@_kind("html")
def tags_repeated(chance: random.Random, case: Case) -> bytes:
    return _TAG.sub(lambda tag: tag[0] * chance.choice([1, 1, 1, 2, 30]), _body(case))


@_kind("html")
def pieces_of_the_page_moved(chance: random.Random, case: Case) -> bytes:
    body = _body(case)
    cuts = sorted(chance.randrange(len(body) + 1) for _ in range(6))
    pieces = [body[a:b] for a, b in zip([0, *cuts], [*cuts, None], strict=True)]
    return b"".join(chance.choices(pieces, k=9))


@_kind("html")
def odd_addresses(chance: random.Random, case: Case) -> bytes:
    def address(match: re.Match[bytes]) -> bytes:
        return b'href="' + chance.choice(_ADDRESSES).encode() + b'"'

    base = f'<base href="{chance.choice(_ADDRESSES)}">' if chance.random() < 0.5 else ""
    return base.encode() + re.sub(rb'href="[^"]*"', address, _body(case))


@_kind("html")
def some_thousand_nested_tags(chance: random.Random, case: Case) -> bytes:
    return chance.choice(_NESTED) * chance.randrange(1500, 6000) + _body(case)


# --- HTML in megabytes ----------------------------------------------------------------------------


@_kind("html", _HEAVY)
def nested_100_000_tags(chance: random.Random, case: Case) -> bytes:
    count = int(100_000 * max(case.scale, 0.1))
    return chance.choice(_NESTED) * count + _body(case) + b"</div>" * count


@_kind("html", _HEAVY)
def nested_tags_to_the_limit(chance: random.Random, case: Case) -> bytes:
    return _fill(chance.choice(_NESTED), case)


@_kind("html", _HEAVY)
def ends_that_end_nothing(chance: random.Random, case: Case) -> bytes:
    deep = chance.choice([100, 1990, 2100, 3990, 50_000, 140_000])
    return b"<b>" * int(deep * case.scale) + _fill(b"</i>", case, 800_000)


@_kind("html", _HEAVY)
def attribute_of_50_megabytes(chance: random.Random, case: Case) -> bytes:
    name = chance.choice([b"a href", b"img alt", b"p title", b"base href", b"html lang"])
    return b"<" + name + b"='" + _fill(chance.choice([b"x", b"bee "]), case, _ATTRIBUTE)


@_kind("html", _HEAVY)
def giant_words(chance: random.Random, case: Case) -> bytes:
    word = chance.choice(["x", "é", "中", "\u0301\u0323", "e\u0301", "ß", "\u00adx"])
    return b"<p>" + _fill(word.encode(), case)


@_kind("html", _HEAVY)
def short_words(chance: random.Random, case: Case) -> bytes:
    word = chance.choice(["x ", "ж ", "中 ", "e\u0301 ", ". <br>"])
    return b"<p>" + _fill(word.encode(), case)


@_kind("html", _HEAVY)
def rare_han(chance: random.Random, case: Case) -> bytes:
    text = "".join(chr(0x4E00 + k * 7919 % 20_000) for k in range(int(_FULL * case.scale) // 2))
    return codecs.encode(text, "gb18030") if chance.random() < 0.5 else text.encode()


@_kind("html", _HEAVY)
def distinct_words(chance: random.Random, case: Case) -> bytes:
    start = chance.randrange(10**6)
    return " ".join(_letters(start + k) for k in range(int(10**6 * case.scale))).encode()


@_kind("html", _HEAVY)
def many_links(chance: random.Random, case: Case) -> bytes:
    form = chance.choice(
        [
            "<a href=/{0}>{1}</a> {1}",
            "<a href=//h{0}.example/>{1}",
            "<area href={0}>",
            "<a href=x>{1}<p>",
        ]
    )
    links = (form.format(k, _letters(k)) for k in range(int(200_000 * case.scale)))
    return "".join(links).encode()


@_kind("html", _HEAVY)
def links_below_a_long_base(chance: random.Random, case: Case) -> bytes:
    path = chance.choice(["%5B" * 640, "x/" * 970, "\u00e9" * 300])
    links = (f"<a href='{k}?b=%5b&a=\u00e9'>x</a>" for k in range(int(20_000 * case.scale)))
    return f"<base href='http://a.example/{path}/'>{''.join(links)}".encode()


@_kind("html", _HEAVY)
def many_tags(chance: random.Random, case: Case) -> bytes:
    tags = [
        b"<p>x",
        b"<br>",
        b"<li>",
        b"<td>",
        b"<title>",
        b"<select>",
        b"<meta name=robots content=x>",
    ]
    return _fill(chance.choice(tags), case)


@_kind("html", _HEAVY)
def many_headings(chance: random.Random, case: Case) -> bytes:
    return _fill(chance.choice([b"<h1>x</h1>", b"<h2>x", b"<h3>x</h3><a href=/>y</a>"]), case)


@_kind("html", _HEAVY)
def many_attributes(chance: random.Random, case: Case) -> bytes:
    names = [bytes([a, b]) for a in range(97, 123) for b in range(97, 123)]
    return _fill(b"<p " + b" ".join(name + b"=1" for name in names) + b">", case)


@_kind("html", _HEAVY)
def openings_without_ends(chance: random.Random, case: Case) -> bytes:
    return b"<p>" + _fill(
        chance.choice([b"<", b"<!--", b"<a ", b"&", b"&#", b"<![CDATA[", b"</"]), case
    )


# --- HTTP -----------------------------------------------------------------------------------------


@_kind("http")
def bits_of_the_response(chance: random.Random, case: Case) -> bytes:
    return _flip(chance, case.block)


@_kind("http")
def cut_response(chance: random.Random, case: Case) -> bytes:
    return _cut(chance, case.block)


@_kind("http")
def wrong_charsets(chance: random.Random, case: Case) -> bytes:
    declared = f"<meta charset={chance.choice(_LABELS)}>".encode() * chance.randrange(2)
    headers = {"Content-Type": f"text/html; charset={chance.choice(_LABELS)}"}
    return http_block(declared + _insert(chance, _body(case), _CHARACTERS), 200, headers)


@_kind("http")
def wrong_codings(chance: random.Random, case: Case) -> bytes:
    names = ["gzip", "deflate", "br", "zstd", "compress", "gzip, gzip", "\u00e9", "x" * 200]
    headers = {"Content-Type": "text/html", "Content-Encoding": chance.choice(names)}
    return http_block(_body(case), 200, headers)


@_kind("http")
def broken_gzip_bodies(chance: random.Random, case: Case) -> bytes:
    headers = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
    spoil = chance.choice([_cut, _flip])
    return http_block(spoil(chance, gzip.compress(_body(case))), 200, headers)


@_kind("http")
def broken_chunks(chance: random.Random, case: Case) -> bytes:
    body = _body(case)
    at = chance.randrange(len(body) + 1)
    sizes = [at + chance.choice([0, 0, -1, 7, 2**31]), chance.choice([0, len(body) - at])]
    packed = b"%x\r\n%b\r\n%x\r\n%b\r\n0\r\n\r\n" % (
        max(sizes[0], 0),
        body[:at],
        sizes[1],
        body[at:],
    )
    headers = {"Content-Type": "text/html", "Transfer-Encoding": "chunked"}
    return http_block(packed, 200, headers)


@_kind("http", _HEAVY)
def gzip_bombs(chance: random.Random, case: Case) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    pattern = chance.choice([b"<p>x", b"\0\0\0\0", b"x   "]) * (1 << 18)
    parts = [packer.compress(pattern) for _ in range(int(500 * case.scale) + 1)]
    headers = {"Content-Type": "text/html", "Content-Encoding": "gzip"}
    return http_block(b"".join(parts) + packer.flush(), 200, headers)


# --- records and members --------------------------------------------------------------------------


@_kind("record")
def bits_of_the_record(chance: random.Random, case: Case) -> bytes:
    return _flip(chance, _record(case))


@_kind("record")
def bits_of_the_record_header(chance: random.Random, case: Case) -> bytes:
    head, gap, block = _record(case).partition(b"\r\n\r\n")
    return _flip(chance, head, 4) + gap + block


@_kind("record")
def cut_record(chance: random.Random, case: Case) -> bytes:
    return _cut(chance, _record(case))


@_kind("record")
def wrong_lengths(chance: random.Random, case: Case) -> bytes:
    length = len(case.block)
    wrong = [
        str(length)[::-1],
        length + chance.randint(-99, 99),
        length * 9,
        0,
        -1,
        "",
        "1e3",
    ]
    if case.packed:  # else all that follows would lie in this record
        wrong.append(10**12)
    return response(case.url, _body(case), content_length=chance.choice(wrong))


@_kind("record")
def odd_record_headers(chance: random.Random, case: Case) -> bytes:
    values = ["", "x" * 9000, "response", "\u00e9", "\x00", "warcinfo", "dns:x", "http://[", "1999"]
    names = ["warc_type", "warc_target_uri", "warc_date", "warc_truncated", "warc_record_id", "odd"]
    fields = {chance.choice(names): chance.choice(values) for _ in range(3)}
    return warc_record("response", case.url, case.block, **fields)


@_kind("member")
def bits_of_the_member(chance: random.Random, case: Case) -> bytes:
    record = _record(case)
    return _flip(chance, gz(record) if case.packed else record)


@_kind("member")
def cut_member(chance: random.Random, case: Case) -> bytes:
    record = _record(case)
    return _cut(chance, gz(record) if case.packed else record)


@_kind("member")
def foreign_bytes(chance: random.Random, case: Case) -> bytes:
    marks = [b"\x1f\x8b", b"\x1f\x8b\x08\0", b"WARC/1.0\r\n", b"\r\n\r\n", b"\x28\xb5\x2f\xfd", b""]
    return chance.choice(marks) + chance.randbytes(chance.randrange(2000))
