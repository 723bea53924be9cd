"""The captures of one page settled: which one is read, and what its URL stands for.

The key of a page is its URL or, where spellings are joined, the plain spelling of its URL: then
captures and redirects of all spellings come together. Values arrive sorted as bytes, captures
before redirects:

    c DATE URL NAME TARGET    a capture of a page; TARGET is its canonical URL, or "-"
    o URL                     another answer: no page as far as its headers tell (where that is
                              wanted)
    r DATE URL TARGET         a redirect

The latest capture wins, by WARC date, then by URL (https after http), then by name. A page with a
capture is no alias of a redirect's target (a login wall today does not unmake yesterday's page); of
several redirects the latest counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.web.urls import plain_spelling

__all__ = [
    "ALIAS",
    "CAPTURED",
    "OVER",
    "SPELT",
    "capture_value",
    "key_of",
    "other_value",
    "redirect_value",
    "settle",
]

ALIAS = b"alias"
CAPTURED = b"captured"
OVER = b"over"
SPELT = b"spelt"
_NONE = b"-"


def key_of(url: str, *, join: bool) -> bytes:
    """The key of a canonical URL; `join`: the same for all its spellings."""
    return (plain_spelling(url) if join else url).encode()


def capture_value(date: str, url: str, name: bytes, target: str | None) -> bytes:
    """A page was captured under this name; `target` is the URL that it names as its own."""
    own = target.encode() if target else _NONE
    return b"c %b %b %b %b" % (_word(date), url.encode(), name, own)


def other_value(url: str) -> bytes:
    """Another answer than a page or a redirect."""
    return b"o " + url.encode()


def redirect_value(date: str, url: str, target: str) -> bytes:
    """The URL was redirected to `target`."""
    return b"r %b %b %b" % (_word(date), url.encode(), target.encode())


def _word(date: str) -> bytes:
    # without the Z, a time comes before the same second with a fraction, as it should
    return "".join(date.split()).rstrip("Zz").encode("ascii", "replace") or b"-"


def settle(
    key: bytes,
    values: Iterable[bytes],
    counters: Counters,
    *,
    join: bool = False,
    tell_captured: bool = False,
) -> Iterator[Pair]:
    """What the inventory says of one page. `join`: also how its URL is spelt, if another spelling
    may stand somewhere. `tell_captured`: also which URLs were captured, or had another answer,
    which may prove to be a page when it is read.
    """
    capture = redirect = b""
    seen: dict[bytes, set[bytes]] = {b"c": set(), b"o": set(), b"r": set()}  # URLs
    for value in values:
        what, _, rest = value.partition(b" ")
        seen[what].add(rest.split(b" ")[0 if what == b"o" else 1])
        if what == b"c":
            if capture and _name(capture) != _name(value):  # equal: the same file given twice
                counters.add("inventory", "captures_passed_over")
                yield key, OVER + b" " + _name(capture)
            capture = value
        elif what == b"r":
            redirect = value
    if tell_captured:
        yield from ((key, CAPTURED + b" " + url) for url in sorted(seen[b"c"] | seen[b"o"]))
    counters.add("inventory", "redirects_of_captured_urls", len(seen[b"c"] & seen[b"r"]))
    if capture or redirect:
        urls = seen[b"c"] | seen[b"r"]
        yield from _what_it_stands_for(key, capture or redirect, urls, counters, join=join)


def _what_it_stands_for(
    key: bytes, value: bytes, urls: set[bytes], counters: Counters, *, join: bool
) -> Iterator[Pair]:
    """By the capture or the redirect that counts; `urls` are those that were seen."""
    _, _, url, rest = value.split(b" ", 3)
    target = rest.rsplit(b" ", 1)[-1]
    if target == _NONE:
        target = url
    if key != key_of(target.decode(), join=join):
        counters.add("inventory", "aliases", len(urls))
        yield key, ALIAS + b" " + target
    elif join:
        counters.add("inventory", "other_spellings", len(urls - {target}))
        yield key, SPELT + b" " + target


def _name(capture: bytes) -> bytes:
    # the name itself may hold blanks: it stands between the URL and the target
    return capture.split(b" ", 3)[3].rsplit(b" ", 1)[0]
