"""Stop lists of languages that none is shipped for, derived from pages of the snapshot.

Of each such language the pages with the least lots are taken, so many at the most; a word that
stands on most of them is a stop word. Which pages these are follows from the set of all pages: each
task keeps the least that it sees, and the least of all tasks are among them. A task reads only
pages that it may keep, so the work does not grow with the snapshot. Of several captures of a page
the one with the least lot counts.

What a page is written in shows in the `lang` attribute near its beginning; pages that do not say
are not looked at. [SIM 3.1] takes a list of stop words for given.

    sent      key !stops/LANGUAGE; value `LOT URL WORD WORD ...`, the distinct words of a page;
              URL is its number, both have 16 hexadecimal digits
    output    key !stops/LANGUAGE; value `PAGES WORD WORD ...`, the most frequent word first
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.kinds import STOP_WORDS, Pair
from pagekin.stages.inventory.sample import lot_of
from pagekin.tables import url_number
from pagekin.text.languages import language_of
from pagekin.text.tokens import CODES, tokenise
from pagekin.text.words import STOP_LISTS
from pagekin.web.http import HttpResponse, decode_body
from pagekin.web.page import TEXT, Page, PageReader
from pagekin.web.warc import Record

__all__ = ["LONGEST", "StopWordSampler", "derive_stop_words", "parse_stop_words"]

# docs/decisions/bags.md has what these were chosen by
_MOST_PAGES = 50  # of a language
_LOOKED_AT = 1 << 14  # bytes of the text of each: bounds the memory, whatever pages there are
_LEAST_PAGES = 10
_SHARE = 0.6  # of the pages: a word on so many is a stop word
_MOST_WORDS = 150

_HEAD = 2048  # bytes of a page: its language stands near the beginning
LONGEST = 512 << 10  # bytes of a record that are looked at
_LANGUAGE = re.compile(rb"<html\b[^>]*?\blang\s*=\s*[\"']?\s*([a-z]{2,3})(?![a-z])", re.IGNORECASE)


class StopWordSampler:
    """Keeps the words of some pages of each language without a list, for one task."""

    def __init__(self, reading: ReadingConfig) -> None:
        self._pages = PageReader(reading, Counters(), TEXT)  # readers count the pages
        # language -> number of the URL -> lot and words
        self._kept: dict[str, dict[int, tuple[int, bytes]]] = {}

    def look(self, record: Record, response: HttpResponse) -> None:
        """Keep the words of a page, if its language has no list and its lot is low enough."""
        language = _named_language(response)
        if not language or language in STOP_LISTS:
            return
        kept = self._kept.setdefault(language, {})
        lot, url = lot_of(record), url_number(record.url.encode("utf-8", "replace"))
        worst = kept.get(url) or (max(kept.values()) if len(kept) >= _MOST_PAGES else None)
        if worst and lot > worst[0]:
            return
        page = self._pages.read(replace(record, block=record.block[:LONGEST]))
        if not isinstance(page, Page) or page.language != language:
            return
        found = lot, _distinct_words(page)
        kept[url] = min(kept.get(url, found), found)
        if len(kept) > _MOST_PAGES:
            del kept[max(kept, key=kept.__getitem__)]

    def records(self) -> Iterator[Pair]:
        """The pages that were kept."""
        for language, pages in self._kept.items():
            key = STOP_WORDS.prefix + language.encode()
            for url, (lot, words) in pages.items():
                yield key, b"%016x %016x %b" % (lot, url, words)


def _named_language(response: HttpResponse) -> str:
    head, _ = decode_body(response, _HEAD)
    named = _LANGUAGE.search(head)
    return language_of(named[1].decode(), b"") if named else ""


def _distinct_words(page: Page) -> bytes:
    start = page.flat.text[:_LOOKED_AT].decode("utf-8", "ignore")
    words = {word for word in tokenise(start) if word not in CODES}
    return " ".join(sorted(words)).encode("utf-8", "replace")


def derive_stop_words(key: bytes, values: Iterable[bytes], counters: Counters) -> Iterator[Pair]:
    """The stop list of a language, if there are enough pages of it; values come sorted."""
    found: dict[bytes, list[bytes]] = {}  # number of the URL -> words
    for value in values:
        _, url, *words = value.split(b" ")
        found.setdefault(url, words)
        if len(found) == _MOST_PAGES:
            break
    pages = list(found.values())
    if len(pages) < _LEAST_PAGES:
        counters.add("inventory", "languages_of_too_few_pages")
        return
    frequency = Counter(word for words in pages for word in words if word)
    often = [word for word, number in frequency.items() if number >= _SHARE * len(pages)]
    often.sort(key=lambda word: (-frequency[word], word))
    del often[_MOST_WORDS:]
    counters.add("stop_words_derived", key.removeprefix(STOP_WORDS.prefix).decode(), len(often))
    yield key, b" ".join([b"%d" % len(pages), *often])


def parse_stop_words(value: bytes) -> tuple[int, list[str]]:
    """The number of pages, and the words, of a derived list."""
    pages, *words = value.decode().split(" ")
    return int(pages), words
