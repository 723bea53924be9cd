"""Character references of HTML: `&amp;`, `&#233;`, `&eacute`, in text and in attributes.

It rests on the HTML standard (13.2.5.72 and what follows), whose table is Python's. In an attribute
a name without its semicolon is none where a letter, a digit or "=" follows: `?a=1&copy=2` says
"copy". What a reference may not name is U+FFFD: what is no character, and the control characters
that `pagekin.text.tokens` uses as markers.
"""

from __future__ import annotations

import html
import re
from html.entities import html5

__all__ = ["attribute_value", "resolve_references"]

_REFERENCE = re.compile(rb"&(?:#(?:[xX][0-9a-fA-F]++|[0-9]++)|[a-zA-Z][a-zA-Z0-9]*+);?+")
_IN_ATTRIBUTE = re.compile(
    rb"&(?:#(?:[xX][0-9a-fA-F]++|[0-9]++);?+|[a-zA-Z][a-zA-Z0-9]*+(?:;|(?!=)))"
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x1f\ud800-\udfff]")
_REMEMBERED = 4096  # references: a few hundred are in use
_LONGEST = 12  # bytes of one that is remembered
_LONGEST_NUMBER = 100  # bytes; Python reads no number of thousands of digits


def resolve_references(text: bytes) -> bytes:
    """The text with the characters that its references stand for.

    >>> resolve_references(b"caf&eacute; &notit; &#8211;").decode()
    'café ¬it; –'
    """
    return _REFERENCE.sub(_in_text, text) if b"&" in text else text


def attribute_value(raw: bytes) -> str:
    """An attribute's value as it is meant.

    >>> attribute_value(b"?a=1&amp;b=2&copy=3&lt")
    '?a=1&b=2&copy=3<'
    """
    return (_IN_ATTRIBUTE.sub(_in_value, raw) if b"&" in raw else raw).decode()


class _Known(dict[bytes, bytes]):
    """Reference -> what it stands for, in UTF-8."""

    def __missing__(self, reference: bytes) -> bytes:
        if len(reference) > _LONGEST_NUMBER and reference[1] == ord("#"):
            return "\ufffd".encode()
        # nothing stands for what is no character
        found = _CONTROL.sub("\ufffd", html.unescape(reference.decode()) or "\ufffd")
        value = found.encode()
        if len(reference) <= _LONGEST and len(self) < _REMEMBERED:
            self[reference] = value
        return value


_KNOWN = _Known()


def _in_text(match: re.Match[bytes]) -> bytes:
    return _KNOWN[match[0]]


def _in_value(match: re.Match[bytes]) -> bytes:
    reference = match[0]
    if reference[1] != ord("#") and reference[-1] != ord(";"):
        # the next character is no letter and no digit: only the whole name counts
        return _KNOWN[reference] if reference[1:].decode() in html5 else reference
    return _KNOWN[reference]
