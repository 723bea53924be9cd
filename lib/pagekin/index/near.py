"""URLs near by letters: what to propose for a URL that is not there.

A typing error is a letter too much, too few, another one, or two exchanged. Where the host of the
URL is known, its documents are looked through; else all, for the error may be in the host. A
million URLs take 0.3 to 0.4 s.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np

from pagekin.index.shard import Shard
from pagekin.web.urls import origin, plain_spelling, spelt

__all__ = ["folders_of", "letters_apart", "near_urls"]

_LETTERS = 8  # one error more in so many letters is still a typing error
_MOST_ERRORS = 3
_LOOKED_AT = 100  # URLs that go on where the one asked for ends
_STARTS = 4  # of spellings: http and https, with and without "www."


class _Near(NamedTuple):
    """A document; the least is the nearest."""

    errors: int
    unread: bool
    length: int
    url: str


def near_urls(shards: Sequence[Shard], url: str, count: int) -> list[str]:
    """The documents whose URLs differ from this one in few letters, the nearest first, of equally
    near ones those that were read; then those whose URLs go on where this one ends, and at last the
    folders that it would lie in.
    """
    plain = plain_spelling(url)
    forms = [spelt(plain, number) for number in range(_STARTS)]
    on_host = [form for form in forms if any(_starting(shard, origin(form)) for shard in shards)]
    found: list[_Near] = []
    going_on: list[_Near] = []
    for shard in shards:
        for form in on_host or forms:
            start = origin(form) if on_host else f"{form.partition('//')[0]}//"
            found += _few_errors(shard, _starting(shard, start), form)
            begun = _starting(shard, form)[:_LOOKED_AT]
            going_on += (_near(shard, document, 0) for document in begun)
    near = [one.url for one in (*sorted(found), *sorted(going_on))]
    near += [
        folder
        for form in on_host
        for folder in folders_of(form)
        if any(shard.find(folder.encode()) >= 0 for shard in shards)
    ]
    return list(islice(dict.fromkeys(near), count))


def letters_apart(url: str, others: Sequence[str]) -> list[tuple[int, int]]:
    """Which of the others differ from `url` by few errors: how many, and the place of each."""
    # imported here: only an error needs it
    from rapidfuzz.distance import OSA  # noqa: PLC0415
    from rapidfuzz.process import extract  # noqa: PLC0415

    most = most_errors(url)
    found = extract(url, others, scorer=OSA.distance, score_cutoff=most, limit=None)
    return [(errors, place) for _, errors, place in found]


def most_errors(url: str) -> int:
    """So many errors make another URL of this one."""
    letters = len(url) - url.index("//") - 2
    return min(1 + letters // _LETTERS, _MOST_ERRORS)


def folders_of(url: str) -> list[str]:
    """The folders that a URL lies in, the innermost first.

    >>> folders_of("http://example.org/a/b?c=/d")
    ['http://example.org/a/', 'http://example.org/']
    """
    path = url.partition("?")[0]
    ends = [k for k in range(len(origin(url)) - 1, len(path)) if path[k] == "/"]
    return [path[: end + 1] for end in reversed(ends) if end + 1 < len(url)]


def _few_errors(shard: Shard, among: range, url: str) -> list[_Near]:
    """Those of a range of documents whose URLs differ in few letters."""
    bounds = shard.urls["bounds"][among.start : among.stop + 1].astype(np.int64)
    like = np.flatnonzero(np.abs(np.diff(bounds) - len(url)) <= most_errors(url))
    text = shard.urls["text"].data
    lows, highs = bounds[like].tolist(), bounds[like + 1].tolist()
    urls = [str(text[a:b], "utf-8", "replace") for a, b in zip(lows, highs, strict=True)]
    near = letters_apart(url, urls)
    return [_near(shard, among.start + int(like[place]), errors) for errors, place in near]


def _near(shard: Shard, document: int, errors: int) -> _Near:
    url = shard.spelt(document)
    return _Near(errors, not shard.counts(document)[0], len(url), url)


def _starting(shard: Shard, start: str) -> range:
    """The documents whose URLs start so."""
    behind = start[:-1] + chr(ord(start[-1]) + 1)
    return range(shard.at(start.encode()), shard.at(behind.encode()))
