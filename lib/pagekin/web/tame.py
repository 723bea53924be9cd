"""What is done to the bytes of a page before it is read.

A page may hold the control characters that `pagekin.text.tokens` uses as markers; they become
U+FFFD, so that every marker in a flat text is ours. A page with more tags than any page needs is
cut: in a tree each costs 2 us, and 10 us where it ends nothing below thousands of open elements.

This knows nothing of HTML's grammar: a "<" in a comment counts too. Character references are
looked at where they are read, in `pagekin.web.references`.
"""

from __future__ import annotations

import re

import numpy as np

__all__ = ["MAX_TAGS", "tame", "with_noframes"]

MAX_TAGS = 300_000  # counted by their "<"; of 12,454 pages the one with the most has 19,629

_CONTROL = re.compile(rb"[\x01-\x08\x0e-\x1f]")
_NOFRAMES = re.compile(rb"(</?)noframes(?![a-z])", re.IGNORECASE)


def tame(body: bytes) -> tuple[bytes, list[str]]:
    """The page without foreign markers and within its limit, and a note if that cut it."""
    if _has_controls(body):
        body = _CONTROL.sub("\ufffd".encode(), body)
    if len(body) > MAX_TAGS and body.count(b"<") > MAX_TAGS:
        return body[: -len(body.split(b"<", MAX_TAGS + 1)[-1]) - 1], ["too_many_tags"]
    return body, []


def _has_controls(body: bytes) -> bool:
    """Two passes of numpy over a page take a tenth of the time of a search."""
    points = np.frombuffer(body, dtype=np.uint8)
    low, high = points - np.uint8(0x01), points - np.uint8(0x0E)
    return bool((low < 0x08).any() or (high < 0x12).any())


def with_noframes(body: bytes) -> bytes:
    """The page with <noframes> as plain blocks, which a reader without frames sees."""
    return _NOFRAMES.sub(rb"\1div", body)
