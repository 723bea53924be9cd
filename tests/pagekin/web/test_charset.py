"""Charsets: what is believed of what a page, a server and the bytes say."""

from __future__ import annotations

import codecs
import doctest
import encodings.aliases

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pagekin.web import charset
from pagekin.web.charset import python_codec, to_utf8

GERMAN = "<p>Die Bäume stehen grün über der Straße, und der Fluß trägt Blätter ins Tal."
RUSSIAN = "<p>Пчёлы собирают мёд, а пасечник смотрит на ульи и слушает, как они гудят вечером."
CHINESE = "<p>望远镜让人们看见了月亮上的山，也看见了木星的四颗卫星，这改变了一切。"
JAPANESE = "<p>手織りの部屋では、朝から晩まで糸の音がしています。どうぞお入りください。"
POLISH = "<p>Żółw idzie wśród łąk, a gęś patrzy na świt i czeka na ciepłe dni."
LABELS = sorted({*encodings.aliases.aliases, *encodings.aliases.aliases.values()})


def decoded(body: bytes, header: str = "") -> tuple[str, str]:
    utf8, name = to_utf8(body, header)
    return utf8.decode(), name


def declaring(name: str, text: str) -> str:
    return f'<meta http-equiv=Content-Type content="text/html; charset={name}">{text}'


def test_examples() -> None:
    """The examples in the module hold."""
    assert doctest.testmod(charset).failed == 0


@pytest.mark.parametrize(
    ("bom", "codec", "name"),
    [
        (codecs.BOM_UTF8, "utf-8", "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le", "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be", "utf-16-be"),
    ],
)
@pytest.mark.parametrize("header", ["", "windows-1251", "utf-8", "utf-16"])
def test_byte_order_marks(bom: bytes, codec: str, name: str, header: str) -> None:
    """A byte order mark wins over whatever header and page say, and goes."""
    text = declaring("iso-8859-2", RUSSIAN)
    assert (text, name) == decoded(bom + text.encode(codec), header)


@pytest.mark.parametrize(
    ("label", "text", "name"),
    [
        ("utf-8", CHINESE, "utf-8"),
        ("UTF8", RUSSIAN, "utf-8"),
        ("utf-8-sig", RUSSIAN, "utf-8"),
        ("iso-8859-1", GERMAN + "–€", "windows-1252"),
        ("latin1", GERMAN, "windows-1252"),
        ("us-ascii", GERMAN, "windows-1252"),
        ("csISOLatin1", GERMAN, "windows-1252"),
        ("iso-8859-2", POLISH, "iso-8859-2"),
        ("windows-1250", POLISH, "windows-1250"),
        ("windows-1251", RUSSIAN, "windows-1251"),
        ("x-cp1251", RUSSIAN, "windows-1251"),
        ("koi8-r", RUSSIAN, "koi8-r"),
        ("ibm866", RUSSIAN, "ibm866"),
        ("x-mac-cyrillic", RUSSIAN, "x-mac-cyrillic"),
        ("gb2312", CHINESE + "镕", "gb18030"),
        ("GB18030", CHINESE, "gb18030"),
        ("gb_2312-80", CHINESE, "gb18030"),
        ("big5", "<p>望遠鏡", "big5"),
        ("shift_jis", JAPANESE + "①", "shift_jis"),
        ("x-sjis", JAPANESE, "shift_jis"),
        ("euc-jp", JAPANESE, "euc-jp"),
        ("x-euc-jp", JAPANESE, "euc-jp"),
        ("iso-2022-jp", JAPANESE, "iso-2022-jp"),
        ("euc-kr", "<p>벌은 꿀을 모은다 똠", "euc-kr"),
        ("ks_c_5601-1987", "<p>벌은 꿀을", "euc-kr"),
        ("iso-8859-8-i", "<p>שלום עולם", "iso-8859-8"),
        ("iso-8859-9", "<p>güneş ışığı", "windows-1254"),
        ("tis-620", "<p>สวัสดี", "windows-874"),
    ],
)
def test_declared_charsets(label: str, text: str, name: str) -> None:
    """A label of the web is understood in the header and in the page, as the superset it means."""
    codec = python_codec(label)
    assert (text, name) == decoded(text.encode(codec), label)
    assert (text, name) == decoded(text.encode(codec), f' "{label.upper()}" ')
    meta = declaring(label, text)
    assert (meta, name) == decoded(meta.encode(codec))
    short = f"<meta charset='{label}'/>{text}"
    assert (short, name) == decoded(short.encode(codec))


def test_header_before_meta() -> None:
    """Where both fit the header is believed."""
    text = declaring("windows-1251", GERMAN)
    assert (text, "iso-8859-15") == decoded(text.encode("iso-8859-15"), "iso-8859-15")


@pytest.mark.parametrize("header", ["utf-8", "shift_jis", "no-such", ""])
def test_meta_where_the_header_is_wrong(header: str) -> None:
    """A header in which the page is no valid text is passed over."""
    text = declaring("windows-1251", RUSSIAN + "—№")
    assert (text, "windows-1251") == decoded(text.encode("cp1251"), header)


def test_both_wrong() -> None:
    """Where neither can be, the bytes are looked at."""
    text = declaring("shift_jis", RUSSIAN)
    assert (text, "windows-1251") == decoded(text.encode("cp1251"), "utf-8")
    text = declaring("us-ascii", CHINESE)
    assert (text, "utf-8") == decoded(text.encode(), "iso-2022-jp")


def test_first_declaration_counts() -> None:
    """Of two metas the first is read; XML's declaration is one too, and it may stand late."""
    text = declaring("windows-1251", declaring("koi8-r", RUSSIAN))
    assert (text, "windows-1251") == decoded(text.encode("cp1251"))
    xml = f"<?xml version='1.0' encoding='koi8-r'?>{RUSSIAN}"
    assert (xml, "koi8-r") == decoded(xml.encode("koi8-r"))
    late = "<script>" + "x" * 3000 + "</script>" + declaring("koi8-r", RUSSIAN)
    assert (late, "koi8-r") == decoded(late.encode("koi8-r"))


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, CHINESE, JAPANESE, "<p>only ascii"])
def test_undeclared_utf8(text: str) -> None:
    """Valid UTF-8 without a label is UTF-8."""
    assert (text, "utf-8") == decoded(text.encode())


@pytest.mark.parametrize(
    ("text", "codec", "name"),
    [
        (GERMAN, "cp1252", "windows-1252"),
        (RUSSIAN, "cp1251", "windows-1251"),
        (CHINESE, "gb18030", "gb18030"),
        (JAPANESE, "cp932", "shift_jis"),
        (JAPANESE, "iso2022_jp", "iso-2022-jp"),
    ],
)
def test_undeclared_others(text: str, codec: str, name: str) -> None:
    """Without a label the charset is detected."""
    assert (text * 5, name) == decoded((text * 5).encode(codec))


@pytest.mark.parametrize("label", ["utf-16", "utf-16le", "UTF-16BE", "utf-32"])
def test_utf16_that_is_none(label: str) -> None:
    """A page without NULs is not in UTF-16, whoever says so: header, meta or both."""
    text = declaring(label, GERMAN + "!")
    assert (text, "utf-8") == decoded(text.encode())
    assert (text, "utf-8") == decoded(text.encode(), label)


@pytest.mark.parametrize("label", ["utf-16", "utf-16le"])
def test_utf16_that_is_one(label: str) -> None:
    """Without a byte order mark, UTF-16 in the header is little-endian."""
    assert (RUSSIAN, "utf-16-le") == decoded(RUSSIAN.encode("utf-16-le"), label)


@pytest.mark.parametrize("text", [GERMAN, RUSSIAN, CHINESE])
@pytest.mark.parametrize("header", ["utf-8", ""])
@pytest.mark.parametrize("lost", [1, 2])
def test_cut_within_a_character(text: str, header: str, lost: int) -> None:
    """A character that the end of the page cuts makes no other charset of it, and goes."""
    for end in ("ü", "ж", "中", "𝄞"):
        body = (text + end).encode()
        whole, name = decoded(body[:-lost], header)
        expected = body[:-lost].decode("utf-8", "ignore")
        assert (expected, "utf-8") == (whole, name)


@pytest.mark.parametrize("codec", ["gb18030", "cp932", "utf-16-le"])
def test_cut_within_a_character_of_others(codec: str) -> None:
    """The same in the declared charset."""
    body = JAPANESE.encode(codec)
    assert python_codec(codec) == codec
    whole, _ = decoded(body[:-1], codec)
    assert JAPANESE[:-1] == whole.rstrip("\ufffd")


def test_mostly_utf8() -> None:
    """Some broken bytes do not unmake declared UTF-8; many do."""
    text = declaring("utf-8", RUSSIAN * 3)
    broken = text.encode().replace("мёд".encode(), b"\xfc\xff\xe4")
    assert (text.replace("мёд", "\ufffd" * 3), "utf-8") == decoded(broken, "utf-8")
    other = declaring("utf-8", RUSSIAN * 3)
    assert (other, "windows-1251") == decoded(other.encode("cp1251"), "utf-8")


def test_lone_surrogates_and_nuls() -> None:
    """Half a pair becomes a replacement, NULs go: the result is text for any parser."""
    assert ("a\ufffd<p>b", "utf-16-le") == decoded(b"\xff\xfea\0\0\xd8<\0p\0>\0b\0")
    assert ("ab", "utf-8") == decoded(b"a\0b\0")
    assert ("ab", "windows-1251") == decoded(b"a\0b\0", "windows-1251")


@pytest.mark.parametrize("label", ["", "utf-8", "utf-16", "windows-1251", "no-such"])
def test_empty(label: str) -> None:
    """Nothing is valid in every charset."""
    assert "" == decoded(b"", label)[0]


@pytest.mark.parametrize(
    "label",
    [
        "",
        " ",
        "none",
        "x" * 100_000,
        "utf\0-8",
        "utf-8\0",
        "ütf-8",
        "../utf-8.py",
        "aliases",
        "hex",
        "base64",
        "rot13",
        "zlib",
        "bz2",
        "idna",
        "punycode",
        "unicode_escape",
        "raw-unicode-escape",
        "undefined",
        "utf-7",
        "hz-gb-2312",
        "charmap",
        "cp037",
        "ibm1140",
        "mbcs",
    ],
)
def test_labels_of_no_charset(label: str) -> None:
    """What names no charset of the web is no declaration."""
    assert "" == python_codec(label)
    assert (RUSSIAN, "utf-8") == decoded(RUSSIAN.encode(), label)


@pytest.mark.parametrize("junk", ["{}", '"{}"', "'{}", " {} ", "\t{}\n", "\"{}'"])
def test_labels_with_junk(junk: str) -> None:
    """Quotes and blanks around a label are no part of it."""
    assert "cp1251" == python_codec(junk.format("Windows-1251"))


@pytest.mark.parametrize("label", LABELS)
def test_any_codec_of_python(label: str) -> None:
    """Under whatever label Python knows, any bytes become text, and markup stays markup."""
    every = bytes(range(256)) * 2 + b"\xff\xfe\x1b$B~{+/v8-"
    for body in (every, every[:-1], b"<p>" + every):
        assert to_utf8(body, label)[0].decode() is not None
    assert "<p>text</p>" == decoded(b"<p>text</p>", label)[0]


@given(st.binary(max_size=300), st.one_of(st.sampled_from(LABELS), st.text(max_size=10)))
@example(b"\xff\xfe\x00\xd8", "utf-16")
@example(b"<meta charset=utf-16>\xff", "")
def test_any_bytes_become_valid_utf8(body: bytes, label: str) -> None:
    """Whatever comes in: valid UTF-8 without NULs comes out, and a name."""
    text, name = decoded(body, label)
    assert "\0" not in text
    assert name


@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=200))
def test_valid_utf8_stays(text: str) -> None:
    """Text in declared UTF-8 comes out as it went in."""
    assert (text.removeprefix("\ufeff"), "utf-8") == decoded(text.encode(), "utf-8")
