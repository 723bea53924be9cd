"""Questions about the bytes of a page, in C and in Python: the same answers."""

from __future__ import annotations

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.web import charset, tame
from pagekin.web.charset import to_utf8
from tests.natives import native

BYTES = st.binary(max_size=40) | st.text(max_size=20).map(
    lambda text: text.encode("utf-8", "replace")
)
CHARSETS = ["cp1252", "cp1251", "koi8-r", "iso8859-2", "cp1255", "cp874", "mac-roman", "cp1250"]


def is_utf8(body: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(body, final=False)
    except UnicodeError:
        return False
    return True


@given(BYTES, st.integers(0, 40), BYTES)
@settings(max_examples=2000)
def test_utf8(first: bytes, cut: int, second: bytes) -> None:
    """Also where a character is cut, at any place, before others or at the end."""
    body = b"plain ascii " + first[:cut] + second
    module = native("pagekin.web._bytes")
    for k in range(len(body) - 3, len(body) + 1):
        assert is_utf8(body[:k]) == module.is_utf8(body[:k])


def test_every_two_bytes() -> None:
    """And three behind the leads that have rules of their own."""
    module = native("pagekin.web._bytes")
    pairs = [bytes((a, b)) for a in range(128, 256) for b in range(256)]
    more = [bytes((a, b, c, 0x80)) for a in (0xE0, 0xED, 0xEF, 0xF0, 0xF4) for b in range(128, 192)
            for c in (0x7F, 0x80, 0xBF, 0xC0)]  # fmt: skip
    for body in (*pairs, *more):
        assert is_utf8(body) == module.is_utf8(body), body


@given(BYTES, st.integers(0, 9000))
def test_controls(body: bytes, before: int) -> None:
    """Wherever they stand."""
    body = b"x" * before + body
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tame, "_native", None)
        assert tame._has_controls(body) == native("pagekin.web._bytes").has_controls(body)


@pytest.mark.parametrize("name", CHARSETS)
@given(st.binary(min_size=1, max_size=60).map(lambda body: b"a" + body.replace(b"\0", b"")))
@settings(max_examples=50)
def test_one_byte_a_character(name: str, body: bytes) -> None:
    """Every byte of such charsets, and those that are none of them."""
    native("pagekin.web._bytes")
    with pytest.MonkeyPatch.context() as patch:
        found = to_utf8(body, name)
        patch.setattr(charset, "_native", None)
        assert to_utf8(body, name) == found


def test_wrong_tables() -> None:
    """A table of another size, or of longer characters, is refused."""
    module = native("pagekin.web._bytes")
    for table in (b"", b"\4xxx" * 256):
        with pytest.raises(ValueError, match="character"):
            module.recode(b"a", table)
    for ask in (module.is_utf8, module.has_controls):
        with pytest.raises(TypeError):
            ask("text")
