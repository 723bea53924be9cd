"""A page's tokens as arrays: its terms in order, and where links and boundaries stand among them.

Positions are counted in *kept* terms: stop words and dropped words take no place, because windows
do not count them ([SIM] footnote 5). A position p is the gap before the p-th kept term, so a link
that covers [start, end) has start terms before it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pagekin.native import load
from pagekin.text.tokens import (
    BLOCK,
    CODES,
    HEADING,
    HEADING_END,
    LINK,
    LINK_END,
    LIST_END,
    SENTENCE,
    TABLE_END,
    TITLE,
    TITLE_END,
)
from pagekin.text.words import Terms, WordTable

__all__ = ["HIGHEST", "MOST_ABOVE", "Stream", "plain_stream", "read_stream"]

Places = NDArray[np.int64]

_native = load("pagekin.bags._stream")

MOST_ABOVE = 64
"""Terms of a heading or a title that links below it carry: as many as a window. Else a heading that
never ends, with many links below it, would be sent with each of them.
"""

_LINK, _LINK_END = CODES[LINK], CODES[LINK_END]
_TITLE, _TITLE_END = CODES[TITLE], CODES[TITLE_END]
_HEADINGS = tuple(CODES[marker] for marker in HEADING)
HIGHEST = _HEADINGS[0]
"""The code of the highest heading; those of the others lie below, and no other code does."""
_TOPICAL = (*_HEADINGS, CODES[LIST_END], CODES[TABLE_END])
_SYNTACTIC = (*_TOPICAL, CODES[BLOCK], CODES[SENTENCE], CODES[HEADING_END])


@dataclass(slots=True)
class Stream:
    """One page, title apart. `codes` holds word numbers (0: dropped) and negative markers."""

    codes: NDArray[np.int32]
    terms: Terms  # the kept terms of the body, in order
    title: Terms  # the kept terms of the title
    before: Places  # for each place in codes: how many kept terms stand before it
    opens: Places  # places in codes of the links' starts, in document order
    closes: Places  # the matching ends

    @property
    def start(self) -> Places:
        """Position of the first term of each anchor."""
        return self.before[self.opens]

    @property
    def end(self) -> Places:
        """Position after the last term of each anchor."""
        return self.before[self.closes]

    def syntactic(self) -> Places:
        """Places in codes of the boundaries of SYNTACTIC windows."""
        return np.flatnonzero(np.isin(self.codes, _SYNTACTIC))

    def topical(self) -> Places:
        """Places in codes of the boundaries of TOPICAL windows."""
        return np.flatnonzero(np.isin(self.codes, _TOPICAL))

    def headings(self) -> tuple[Places, list[int], Places, Places]:
        """Of each heading its place in codes, its level, and the positions of its terms."""
        places = np.flatnonzero(self.codes <= HIGHEST)
        levels = (1 + HIGHEST - self.codes[places]).tolist()
        ends = np.flatnonzero(self.codes == CODES[HEADING_END])
        stops = np.append(ends, 0)[np.searchsorted(ends, places)]
        stops = np.maximum(stops, places)  # one that never ends has no terms
        low = self.before[places]
        return places, levels, low, np.minimum(self.before[stops], low + MOST_ABOVE)


def read_stream(text: bytes, table: WordTable) -> Stream:
    """Number the words, count them for the display forms, and find the links."""
    codes = table.numbers(text)
    if _native is None:
        return plain_stream(codes, table)
    markers = (_LINK, _LINK_END, _TITLE, _TITLE_END)
    body, terms, title, before, opens, closes = _native.read_stream(
        codes, table.hashes, table.counts, *markers
    )
    return Stream(
        np.frombuffer(body, np.int32),
        np.frombuffer(terms, np.uint32),
        np.frombuffer(title, np.uint32),
        np.frombuffer(before, np.int64),
        np.frombuffer(opens, np.int64),
        np.frombuffer(closes, np.int64),
    )


def plain_stream(codes: NDArray[np.int32], table: WordTable) -> Stream:
    """The same, in numpy."""
    codes, title_codes = _take_title(codes)
    hashes = table.terms(np.maximum(codes, 0))
    kept = hashes != 0
    title = table.terms(np.maximum(title_codes, 0))
    table.count(codes[kept])
    table.count(title_codes[title != 0])
    before = np.cumsum(kept) - kept
    opens, closes = _match_links(codes)
    return Stream(codes, hashes[kept], title[title != 0], before, opens, closes)


def _take_title(codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Cut the first title out: nobody reads it beside the first words of the page."""
    starts = np.flatnonzero(codes == _TITLE)
    if not len(starts):
        return codes, codes[:0]
    first = int(starts[0])
    ends = np.flatnonzero(codes[first:] == _TITLE_END)
    last = first + int(ends[0]) if len(ends) else len(codes)
    return np.concatenate([codes[:first], codes[last + 1 :]]), codes[first + 1 : last]


def _match_links(codes: NDArray[np.int32]) -> tuple[Places, Places]:
    """Starts and ends of the links, paired: the k-th of each where no link lies in another."""
    opens = np.flatnonzero(codes == _LINK)
    closes = np.flatnonzero(codes == _LINK_END)
    if len(opens) == len(closes) and (opens < closes).all() and (closes[:-1] < opens[1:]).all():
        return opens, closes
    return opens, _match_nested(codes, opens)


def _match_nested(codes: NDArray[np.int32], opens: Places) -> Places:
    """The end of each link in broken pages; one that never ends is empty."""
    ends = dict(zip(opens.tolist(), opens.tolist(), strict=True))
    waiting: list[int] = []
    for place in np.flatnonzero((codes == _LINK) | (codes == _LINK_END)).tolist():
        if codes[place] == _LINK:
            waiting.append(place)
        elif waiting:
            ends[waiting.pop()] = place
    return np.array([ends[place] for place in opens.tolist()], dtype=np.int64)
