"""What a page says of itself and of the URLs that it links to, as terms [SIM 3.1, 6.1].

`read_stream` looks up the terms of a page's tokens: a `Stream` has them in order, and where links,
headings and boundaries stand among them. `windows` finds which terms around a link describe its
target: BASIC, SYNTACTIC or TOPICAL. `FragmentMaker` puts both together: the `Fragments` of a page.

Positions are counted in *kept* terms: stop words and dropped words take no place, because windows
do not count them ([SIM] footnote 5). A position p is the gap before the p-th kept term, so a link
that covers [start, end) has start terms before it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pagekin.config import BagConfig, WindowConfig
from pagekin.limits import MOST_ABOVE
from pagekin.text.tokens import (
    BLOCK,
    CODES,
    HEADING,
    HEADING_END,
    LINK,
    LINK_END,
    LIST_END,
    MENU,
    MENU_END,
    SENTENCE,
    TABLE_END,
    TITLE,
    TITLE_END,
)
from pagekin.text.words import Terms, WordTable

__all__ = [
    "FragmentMaker",
    "Fragments",
    "Positions",
    "Stream",
    "distance_weights",
    "has_long_headings",
    "in_menus",
    "reach",
    "read_stream",
    "windows",
]

Positions = NDArray[np.int64]
Codes = NDArray[np.int32]

PAPER_WINDOW = 32  # the constant of the paper's formula, whatever the window's width

_LINK, _LINK_END = CODES[LINK], CODES[LINK_END]
_MENU, _MENU_END = CODES[MENU], CODES[MENU_END]
_TITLE, _TITLE_END = CODES[TITLE], CODES[TITLE_END]
_HEADINGS = tuple(CODES[marker] for marker in HEADING)
_HIGHEST = _HEADINGS[0]  # the codes of lower headings lie below it, and no other code does
_TOPICAL = (*_HEADINGS, CODES[LIST_END], CODES[TABLE_END])
_SYNTACTIC = (*_TOPICAL, CODES[BLOCK], CODES[SENTENCE], CODES[HEADING_END])


@dataclass(slots=True)
class Stream:
    """One page, title apart. `codes` holds word numbers (0: dropped) and negative markers."""

    codes: Codes
    terms: Terms  # the kept terms of the body, in order
    title: Terms  # the kept terms of the title
    before: Positions  # for each place in codes: how many kept terms stand before it
    opens: Positions  # places in codes of the links' starts, in document order
    closes: Positions  # the matching ends

    @property
    def start(self) -> Positions:
        """Position of the first term of each anchor."""
        return self.before[self.opens]

    @property
    def end(self) -> Positions:
        """Position after the last term of each anchor."""
        return self.before[self.closes]


def read_stream(text: bytes, table: WordTable) -> Stream:
    """Look up the words of a text, count them for the display forms, and find the links."""
    codes = table.numbers(text)
    codes, title_codes = _cut_title(codes)
    hashes = table.terms(np.maximum(codes, 0))
    kept = hashes != 0
    title = table.terms(np.maximum(title_codes, 0))
    table.count(codes[kept])
    table.count(title_codes[title != 0])
    before = np.cumsum(kept)
    before -= kept
    opens, closes = _match_links(codes)
    return Stream(codes, hashes[kept], title[title != 0], before, opens, closes)


def _cut_title(codes: Codes) -> tuple[Codes, Codes]:
    """The body and the first title, which nobody reads beside the first words of the page."""
    starts = np.flatnonzero(codes == _TITLE)
    if not len(starts):
        return codes, codes[:0]
    first = int(starts[0])
    ends = np.flatnonzero(codes[first:] == _TITLE_END)
    last = first + int(ends[0]) if len(ends) else len(codes)
    return np.concatenate([codes[:first], codes[last + 1 :]]), codes[first + 1 : last]


def _match_links(codes: Codes) -> tuple[Positions, Positions]:
    """Starts and ends of the links, paired: the k-th of each where no link lies in another."""
    opens = np.flatnonzero(codes == _LINK)
    closes = np.flatnonzero(codes == _LINK_END)
    if len(opens) == len(closes) and (opens < closes).all() and (closes[:-1] < opens[1:]).all():
        return opens, closes
    return opens, _match_nested(codes, opens)


def _match_nested(codes: Codes, opens: Positions) -> Positions:
    """The end of each link in broken pages: that of the last link that is open. A link that never
    ends is empty.
    """
    ends = dict(zip(opens.tolist(), opens.tolist(), strict=True))
    waiting: list[int] = []
    for place in np.flatnonzero((codes == _LINK) | (codes == _LINK_END)).tolist():
        if codes[place] == _LINK:
            waiting.append(place)
        elif waiting:
            ends[waiting.pop()] = place
    return np.array([ends[place] for place in opens.tolist()], dtype=np.int64)


# --- menus ---


def in_menus(stream: Stream) -> NDArray[np.bool_]:
    """Which links stand in an element that is no content by its tag: between its start tag and the
    end tag that belongs to it, paired like brackets. A tag without a partner encloses nothing.
    """
    depth = np.cumsum((stream.codes == _MENU).astype(np.int64) - (stream.codes == _MENU_END))
    lowest_before = np.minimum(np.minimum.accumulate(depth), 0)
    lowest_behind = np.minimum.accumulate(depth[::-1])[::-1]
    inside: NDArray[np.bool_] = depth > np.maximum(lowest_before, lowest_behind)
    return inside[stream.opens]


# --- windows ---


def distance_weights(config: BagConfig, words: int) -> list[float]:
    """The weight of a term at distance 0, 1, ... words (0: in the anchor itself)."""
    if config.distance == "none":
        return [1.0] * (words + 1)
    return [max(0.0, log2(PAPER_WINDOW / (1 + d))) for d in range(words + 1)]


def reach(window: WindowConfig, bag: BagConfig) -> int:
    """The furthest distance at which a term still has a weight: log2(32 / (1 + d)) is 0 at d = 31,
    so that W = 32 is 30 in effect.
    """
    return max((d for d, w in enumerate(distance_weights(bag, window.words)) if w > 0), default=0)


def windows(stream: Stream, kind: str, words: int) -> tuple[Positions, Positions]:
    """Where the window of each link begins, and the position behind its end.

    All three kinds stop `words` terms away from the anchor; SYNTACTIC and TOPICAL stop earlier at
    the nearest boundary.
    """
    low = np.maximum(stream.start - words, 0)
    high = np.minimum(stream.end + words, len(stream.terms))
    if kind == "basic" or not words:
        return low, high
    boundaries = _SYNTACTIC if kind == "syntactic" else _TOPICAL
    return _cut(stream, np.flatnonzero(np.isin(stream.codes, boundaries)), low, high)


def _cut(
    stream: Stream, places: Positions, low: Positions, high: Positions
) -> tuple[Positions, Positions]:
    """Move both ends in to the last boundary before the link and the first one after it."""
    if not len(places):
        return low, high
    positions = stream.before[places]
    left = np.searchsorted(places, stream.opens) - 1
    right = np.searchsorted(places, stream.closes)
    low = np.where(left >= 0, np.maximum(low, positions[left]), low)
    inside = np.minimum(right, len(places) - 1)
    high = np.where(right < len(places), np.minimum(high, positions[inside]), high)
    return low, high


# --- fragments ---


class Fragments(NamedTuple):
    """What a page says: its own words, and of each link the window and what stands above it.

    The window of a link is terms[low:high] and its anchor terms[start:end].
    """

    terms: Terms  # of the page's text, in order
    low: Positions
    start: Positions
    end: Positions
    high: Positions
    headings: Terms  # chains of headings, each the highest heading first
    heading_bounds: Positions  # where each chain begins, and where the last one ends
    above: Positions  # of each link, the number of the chain that it stands under
    title: Terms
    citing_title: Terms  # what every link carries: the beginning of the title, where it is wanted
    citing_page: Terms  # and the page's id, where it is wanted
    content: bool  # do all its terms go into the page's own bag?

    def anchors_alone(self) -> Fragments:
        """The same links, each with its anchor and nothing around or above it."""
        none = self.terms[:0]
        return self._replace(
            low=self.start,
            high=self.end,
            headings=none,
            heading_bounds=np.zeros(2, np.int64),
            above=np.zeros_like(self.above),
            citing_title=none,
            content=False,
        )


@dataclass(frozen=True)
class FragmentMaker:
    """Makes the fragments of pages under one configuration."""

    window: WindowConfig
    bag: BagConfig

    def fragments(self, stream: Stream, page_id: int) -> Fragments:
        """The fragments of a page; `page_id` is the term that stands for it as a citing page."""
        start, end = stream.start, stream.end
        above = np.zeros(len(start), np.int64)
        headings = stream.terms[:0], np.zeros(2, np.int64), above
        if self.bag.anchor:
            low, high = windows(stream, self.window.kind, self._reach)
            if self.bag.headings:
                headings = _headings_above(stream)
        else:
            low = start = end = high = above  # the links count, their words do not
        title = stream.title[: MOST_ABOVE if self.bag.citing_title else 0]
        page = np.array([page_id] if self.bag.links else [], np.uint32)
        places = low, start, end, high
        said = stream.terms, *places, *headings, stream.title, title, page
        return Fragments(*said, content=self.bag.content > 0)

    @cached_property
    def _reach(self) -> int:
        return reach(self.window, self.bag)


def has_long_headings(stream: Stream) -> bool:
    """Has a heading, or the title, more terms than links below it carry?"""
    low, high = _headings(stream)
    return len(stream.title) > MOST_ABOVE or bool((high - low > MOST_ABOVE).any())


def _headings(stream: Stream) -> tuple[Positions, Positions]:
    """Where the terms of each heading begin and end."""
    places = np.flatnonzero(stream.codes <= _HIGHEST)
    ends = np.flatnonzero(stream.codes == CODES[HEADING_END])
    stops = np.append(ends, 0)[np.searchsorted(ends, places)]
    stops = np.maximum(stops, places)  # one that never ends has no terms
    return stream.before[places], stream.before[stops]


def _headings_above(stream: Stream) -> tuple[Terms, Positions, Positions]:
    """The chains of headings that links stand under: of each open level the last heading. Where
    each chain begins, and the number of the chain above each link.
    """
    places = np.flatnonzero(stream.codes <= _HIGHEST)
    levels = (_HIGHEST - stream.codes[places]).tolist()
    low, high = _headings(stream)
    high = np.minimum(high, low + MOST_ABOVE)
    before = np.searchsorted(places, stream.opens)  # how many headings stand before each link
    is_new = np.ones(len(before), np.bool_)
    is_new[1:] = before[1:] > before[:-1]
    wanted = set(before[is_new].tolist())
    pieces: list[int] = []  # the places of the chains' terms
    bounds = [0, 0] if 0 in wanted else [0]
    open_headings: list[tuple[int, int, int]] = []  # level, and where the terms lie
    for number, heading in enumerate(zip(levels, low.tolist(), high.tolist(), strict=True), 1):
        while open_headings and open_headings[-1][0] >= heading[0]:
            open_headings.pop()
        open_headings.append(heading)
        if number in wanted:
            for _, a, b in open_headings:
                pieces += range(a, b)
            bounds.append(len(pieces))
    return stream.terms[np.array(pieces, np.int64)], np.array(bounds), np.cumsum(is_new) - 1
