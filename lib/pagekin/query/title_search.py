"""Pages found by words: all of them must occur in the title or the URL of a page.

Case and accents make no difference. A word occurs in a title where a word of it begins so, and in a
URL anywhere. Best are pages with more of the words in their title, then those with more of them as
whole words there, then those with more inlinks.

All titles and URLs are read for each question, some thousands at once. There is no index of words.
"""

from __future__ import annotations

import heapq
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple
from urllib.parse import unquote

from pagekin.index.folder import Place
from pagekin.index.shard import Shard
from pagekin.tables import ArrayFile

__all__ = ["FoundPage", "find_by_words", "words_of"]

_TOGETHER = 2_048  # documents that are looked at at once: their texts take some 200 KB
_END = "\n"  # of a line; folding makes none
_NOT_ASCII = re.compile(r"[^\0-\x7f]+")
_WORD = re.compile(r"\w+")


class FoundPage(NamedTuple):
    """A page that was found by words; the greater, the better."""

    in_title: int  # words
    whole: int  # of these, as whole words
    inlinks: int
    place: Place


def words_of(text: str) -> list[str]:
    """The words that are searched for.

    >>> words_of("Rope-knots, É!")
    ['rope', 'knots', 'e']
    """
    return list(dict.fromkeys(_WORD.findall(_fold(text))))


def find_by_words(shards: Sequence[Shard], text: str, count: int) -> list[FoundPage]:
    """The best pages that all words of the text occur in, best first; ties go by URL."""
    words = words_of(text)
    if not words:
        return []
    found = chain.from_iterable(_found_in(shard, words) for shard in shards)
    return heapq.nsmallest(count, found, key=_order)


def _order(page: FoundPage) -> tuple[int, int, int, bytes]:
    shard, document = page.place
    return -page.in_title, -page.whole, -page.inlinks, shard.url(document)


def _found_in(shard: Shard, words: Sequence[str]) -> Iterator[FoundPage]:
    for first in range(0, len(shard), _TOGETHER):
        last = min(first + _TOGETHER, len(shard))
        titles = _fold(_lines(_texts(shard.titles, first, last)))
        urls = _fold(_lines(map(unquote, _texts(shard.urls, first, last))))
        if not all(word in titles or word in urls for word in words):
            continue
        lines = zip(titles.split(_END), urls.split(_END), strict=True)
        for document, (title, url) in enumerate(lines, first):
            if all(word in title or word in url for word in words):
                yield from _matched(Place(shard, document), title, url, words)


def _matched(place: Place, title: str, url: str, words: Sequence[str]) -> Iterator[FoundPage]:
    """The page, if all words occur where they count."""
    own = _WORD.findall(title)
    begun = {word for word in words if any(each.startswith(word) for each in own)}
    if all(word in begun or word in url for word in words):
        whole = len(begun.intersection(own))
        yield FoundPage(len(begun), whole, place.shard.inlinks(place.document), place)


def _texts(file: ArrayFile, first: int, last: int) -> Iterator[str]:
    """The texts of these documents."""
    edges = file["bounds"][first : last + 1].tolist()
    text = file["text"][edges[0] : edges[-1]].tobytes()
    starts = (edge - edges[0] for edge in edges)
    return (text[low:high].decode("utf-8", "replace") for low, high in pairwise(starts))


def _lines(texts: Iterable[str]) -> str:
    """One text a line."""
    return _END.join(text.replace(_END, " ") for text in texts)


def _fold(text: str) -> str:
    """The text without case and accents."""
    return _NOT_ASCII.sub(_plain, text.casefold())


def _plain(match: re.Match[str]) -> str:
    decomposed = unicodedata.normalize("NFKD", match[0])
    return "".join(c for c in decomposed if not unicodedata.combining(c)).casefold()
