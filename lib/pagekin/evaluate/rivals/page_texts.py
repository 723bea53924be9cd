"""Texts of pages for rivals, in three forms: the page, its main content, and our bag in words.

Main content is cut by the boundaries that windows of words have (paragraphs, cells, headings): a
part goes if more than half of its letters are in links, as in menus and lists of contents. A page
that nobody read has no text; our bag of it is a text all the same, its heaviest word first.

Of the snapshot only pages that are wanted are kept, as flat text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

import numpy as np

from pagekin.bags.bag import Bag, Dictionary
from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.evaluate.rivals.rival import Text, Texts
from pagekin.text.tokens import (
    BLOCK,
    HEADING,
    HEADING_END,
    LINK,
    LINK_END,
    LIST_END,
    TABLE_END,
    TITLE,
    TITLE_END,
)
from pagekin.web.page import Report, SnapshotReader
from pagekin.web.resolution import Resolution, own_url

__all__ = ["FORMS", "PageText", "bag_text", "main_content", "read_pages", "texts_of", "whole_page"]

_EDGES = re.compile(
    f"[{''.join((BLOCK, LIST_END, TABLE_END, TITLE, TITLE_END, HEADING_END, *HEADING))}]+"
)
_LINKED = re.compile(f"{LINK}([^{LINK_END}]*)")
_MARKERS = re.compile("[\x00-\x1f]+")


class PageText(NamedTuple):
    """A page that was read."""

    flat: bytes  # with its markers
    language: str


def read_pages(
    uri: str,
    reading: ReadingConfig,
    resolution: Resolution | None,
    wanted: frozenset[str],
    report: Report = lambda pages, size: None,
) -> dict[str, PageText]:
    """Those of the wanted pages that are in this file, by the URLs that have their bags."""
    counters, found = Counters(), {}
    reader = SnapshotReader(reading, counters, resolution)
    for page in reader.pages(uri, report):
        url = own_url(page.url, reading, resolution)
        if url in wanted:
            found[url] = PageText(page.flat.text, page.language)
    if counters.get("files", "failed"):
        raise InputError("; ".join(counters.notes))
    return found


def whole_page(flat: bytes) -> str:
    """All that is to be read on a page, a line for each part."""
    return "\n".join(filter(None, map(_one_line, _parts(flat))))


def main_content(flat: bytes) -> str:
    """The parts of a page that are not mostly links."""
    return "\n".join(filter(None, (_one_line(part) for part in _parts(flat) if _is_prose(part))))


def bag_text(bag: Bag, dictionary: Dictionary) -> str:
    """The words of a bag, the heaviest first."""
    order = np.lexsort((bag.terms, -bag.weights))
    return " ".join(entry.display for entry in dictionary.look_up(bag.terms[order]))


def _parts(flat: bytes) -> list[str]:
    return _EDGES.split(flat.decode())


def _one_line(part: str) -> str:
    return " ".join(_MARKERS.sub(" ", part).split())


def _is_prose(part: str) -> bool:
    linked = sum(_letters(text) for text in _LINKED.findall(part))
    return 2 * linked <= _letters(part)


def _letters(text: str) -> int:
    return len("".join(_MARKERS.sub("", text).split()))


# --- in each form ---


def texts_of(
    form: str,
    judged: Sequence[str],
    others: Sequence[str],
    pages: Mapping[str, PageText],
    bags: Mapping[str, str],
) -> Texts:
    """The texts of these URLs in a form; `bags` has our bags as text."""
    make = FORMS[form]

    def text(url: str) -> Text:
        page = pages.get(url)
        if make is None:
            return Text(bags.get(url, ""), page.language if page else "")
        return Text(make(page.flat), page.language) if page else Text("")

    return Texts([text(url) for url in judged], list(_known(map(text, others))))


def _known(texts: Iterable[Text]) -> Iterator[Text]:
    return (text for text in texts if text.words)


FORMS: Final[Mapping[str, Callable[[bytes], str] | None]] = {
    "page": whole_page,
    "main": main_content,
    "bag": None,  # no page is needed
}
