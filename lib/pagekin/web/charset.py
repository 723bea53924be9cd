"""From bytes to text: which charset a page is in, and the page as valid UTF-8.

The order is that of browsers (WHATWG Encoding and HTML standards): byte order mark, HTTP header,
`<meta>`, then detection. Unlike a browser a crawler cannot ask anybody to reload: a declared
charset in which the bytes are no valid text is not believed when a later hint fits them whole.
UTF-8 with a few broken bytes stays UTF-8 when its whole sequences outnumber the broken ones.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from functools import lru_cache

from resiliparse.parse.encoding import detect_encoding

__all__ = ["to_utf8"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_PRESCAN = 4096  # bytes; browsers look at 1,024, and a good number of pages declare later
_DECLARED = re.compile(
    rb"""<(?:meta|\?xml)[^>]*?(?:charset|encoding)\s*=\s*["']?\s*([\w:.+-]+)""", re.IGNORECASE
)

_LONGEST_LABEL = 40  # characters; Python keeps every label that it was ever asked for

# Labels of the web that Python does not know (WHATWG Encoding, 4.2).
_LABELS = {
    **{f"x-cp125{k}": f"cp125{k}" for k in range(9)},
    "cn-big5": "big5",
    "csgb2312": "gbk",
    "dos-874": "cp874",
    "gb_2312": "gbk",
    "gb_2312-80": "gbk",
    "iso-8859-8-i": "iso-8859-8",
    "koi8-ru": "koi8-u",
    "unicode-1-1-utf-8": "utf-8",
    "windows-31j": "cp932",
    "windows-874": "cp874",
    "windows-949": "cp949",
    "x-euc-jp": "euc-jp",
    "x-gbk": "gbk",
    "x-mac-cyrillic": "mac-cyrillic",
    "x-mac-roman": "mac-roman",
    "x-sjis": "cp932",
    "x-x-big5": "big5",
}
# Python's names for what means a superset on the web.
_SUPERSETS = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "utf-16": "utf-16-le",  # Python's own insists on a byte order mark
    "utf-8-sig": "utf-8",
}
# What Python calls text encodings and no page is in; UTF-7 and HZ hide markup, so browsers refuse.
_NO_CHARSETS = frozenset(
    {
        "charmap",
        "hz",
        "idna",
        "punycode",
        "raw-unicode-escape",
        "undefined",
        "unicode-escape",
        "utf-7",
    }
)
_CUT_CHARACTER = re.compile(rb"(?:[\xc2-\xdf]|[\xe0-\xef].?|[\xf0-\xf4].{0,2})\Z", re.DOTALL)
_WIDE = ("utf-16", "utf-32")


def to_utf8(body: bytes, header_charset: str = "") -> tuple[bytes, str]:
    """The page as valid UTF-8 without NUL bytes, and the name of the charset that it was in."""
    for bom, name in _BOMS:
        if body.startswith(bom):
            return _clean(_recoded(body[len(bom) :], name)[0]), web_name(name)
    charset, text = _choose(body, header_charset)
    return _clean(text), web_name(charset)


def _clean(body: bytes) -> bytes:
    return body.replace(b"\0", b"") if b"\0" in body else body


def _without_cut_character(body: bytes) -> bytes:
    cut = _CUT_CHARACTER.search(body, max(len(body) - 3, 0))
    return body[: cut.start()] if cut else body


def _recoded(body: bytes, charset: str) -> tuple[bytes, bool]:
    """The page as UTF-8, and whether all of it is valid, but for a character that its end cuts."""
    if charset == "utf-8" and _is_utf8(body):
        return _without_cut_character(body), True
    try:
        text = codecs.getincrementaldecoder(charset)("strict").decode(body, final=False)
    except (UnicodeError, ValueError):
        # surrogatepass decoders (utf-16 with lone surrogates) would not encode: replace there too
        return body.decode(charset, "replace").encode("utf-8", "replace"), False
    return text.encode("utf-8", "replace"), True


def _is_utf8(body: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")("strict").decode(body, final=False)
    except UnicodeError:
        return False
    return True


def _choose(body: bytes, header_charset: str) -> tuple[str, bytes]:
    """The charset, and the page as UTF-8."""
    hints: list[str] = []
    for charset in _hints(body, header_charset):
        text, is_whole = _recoded(body, charset)
        if is_whole:
            return charset, text
        hints.append(charset)
    if not hints and not _has_escapes(body) and _is_utf8(body):
        return "utf-8", _without_cut_character(body)
    if "utf-8" in hints and _mostly_utf8(body):
        return "utf-8", _recoded(body, "utf-8")[0]
    detected = python_codec(detect_encoding(body)) or "cp1252"
    text, is_whole = _recoded(body, detected)
    if not hints or is_whole:
        return detected, text
    return hints[0], _recoded(body, hints[0])[0]


def _has_escapes(body: bytes) -> bool:
    """ISO-2022 is valid ASCII, and yet not the text that it seems."""
    return b"\x1b" in body and (b"\x1b$" in body or b"\x1b(" in body)


def _hints(body: bytes, header_charset: str) -> Iterator[str]:
    header = python_codec(header_charset)
    if header and not (header.startswith(_WIDE) and b"\0" not in body[:_PRESCAN]):
        yield header  # tags in UTF-16 have NULs; read as UTF-16 any page without would be Chinese
    match = _DECLARED.search(body[:_PRESCAN])
    declared = python_codec(match.group(1).decode("ascii", "replace")) if match else ""
    if declared:
        # a meta that can be read as ASCII is not in UTF-16, whatever it says
        yield "utf-8" if declared.startswith(_WIDE) else declared


@lru_cache(maxsize=1024)
def python_codec(label: str | None) -> str:
    """Python's name for a charset label of the web; "" for one that means no text encoding."""
    name = (label or "").strip().strip("\"'").lower()
    if not name or len(name) > _LONGEST_LABEL:
        return ""
    try:
        info = codecs.lookup(_LABELS.get(name, name))
    except (LookupError, ValueError):  # ValueError: a label with a NUL
        return ""
    if not getattr(info, "_is_text_encoding", True) or info.name in _NO_CHARSETS:
        return ""
    return _SUPERSETS.get(info.name, info.name) if _can_be_a_page(info.name) else ""


def _can_be_a_page(codec: str) -> bool:
    """Not EBCDIC, in which every page of the web is valid and none makes sense."""
    return codec.startswith(_WIDE) or b"<a>".decode(codec, "replace") == "<a>"


def web_name(codec: str) -> str:
    """The name that the web has for one of Python's codecs.

    >>> web_name("cp1252"), web_name("iso8859-2")
    ('windows-1252', 'iso-8859-2')
    """
    if codec in _WEB_NAMES:
        return _WEB_NAMES[codec]
    name = codec.replace("iso8859", "iso-8859").replace("iso2022", "iso-2022")
    return name.replace("cp125", "windows-125").replace("_", "-")


_WEB_NAMES = {
    "big5hkscs": "big5",
    "cp866": "ibm866",
    "cp874": "windows-874",
    "cp932": "shift_jis",
    "cp949": "euc-kr",
    "mac-cyrillic": "x-mac-cyrillic",
    "mac-roman": "macintosh",
}


def _mostly_utf8(body: bytes) -> bool:
    text = body.decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return len(text.encode("utf-8")) - len(text) - 2 * broken >= broken
