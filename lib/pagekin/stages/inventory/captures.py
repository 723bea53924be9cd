"""The captures of one URL settled: which one is read, and what the URL stands for.

Values arrive sorted as bytes, captures before redirects:

    c DATE NAME TARGET    a capture of a page; TARGET is its canonical URL, or "-"
    o                     another answer: no page as far as its headers tell (where that is wanted)
    r DATE TARGET         a redirect

The latest capture wins, by WARC date and then by name. A URL with a capture of its own is no alias
of a redirect's target (a login wall today does not unmake yesterday's page); of several redirects
the latest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pagekin.counters import Counters
from pagekin.kinds import Pair

__all__ = ["ALIAS", "CAPTURED", "OTHER", "OVER", "capture_value", "redirect_value", "settle"]

ALIAS = b"alias"
CAPTURED = b"captured"
OTHER = b"o"
OVER = b"over"
_NONE = "-"


def capture_value(date: str, name: bytes, target: str | None) -> bytes:
    """A page was captured under this name; `target` is the URL that it names as its own."""
    return b"c %b %b %b" % (_word(date), name, (target or _NONE).encode())


def redirect_value(date: str, target: str) -> bytes:
    """The URL was redirected to `target`."""
    return b"r %b %b" % (_word(date), target.encode())


def _word(date: str) -> bytes:
    # without the Z, a time comes before the same second with a fraction, as it should
    return "".join(date.split()).rstrip("Zz").encode("ascii", "replace") or b"-"


def settle(
    url: bytes, values: Iterable[bytes], counters: Counters, *, tell_captured: bool = False
) -> Iterator[Pair]:
    """What the inventory says of one URL; where that is wanted also that it was captured, or that
    there was another answer, which may prove to be a page when it is read.
    """
    capture = redirect = b""
    is_other = False
    for value in values:
        if value == OTHER:
            is_other = True
        elif value.startswith(b"c "):
            if capture and _name(capture) != _name(value):  # equal: the same file given twice
                counters.add("inventory", "captures_passed_over")
                yield url, OVER + b" " + _name(capture)
            capture = value
        else:
            redirect = value
    if (capture or is_other) and tell_captured:
        yield url, CAPTURED
    if redirect and capture:
        counters.add("inventory", "redirects_of_captured_urls")
    target = (capture or redirect or url).rsplit(b" ", 1)[-1]
    if target not in {_NONE.encode(), url}:
        counters.add("inventory", "aliases")
        yield url, ALIAS + b" " + target


def _name(capture: bytes) -> bytes:
    # the name itself may hold blanks: it stands between the date and the target
    return capture.split(b" ", 2)[2].rsplit(b" ", 1)[0]
