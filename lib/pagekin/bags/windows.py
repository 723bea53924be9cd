"""Which terms around a link describe its target: BASIC, SYNTACTIC and TOPICAL [SIM 3.1].

Each gives, for every link, the positions [low, high) of its window; the anchor itself lies inside.
All three stop `words` terms away; SYNTACTIC and TOPICAL stop earlier at the nearest boundary. The
lists of boundaries are in `pagekin.bags.stream`. Where weights fall with the distance the window
need not reach further than the last positive weight: log2(32 / (1 + d)) is 0 at d = 31, so
W = 32 is 30 in effect.
"""

from __future__ import annotations

from math import log2

import numpy as np
from numpy.typing import NDArray

from pagekin.bags.stream import Places, Stream
from pagekin.config import BagConfig, WindowConfig

__all__ = ["distance_weights", "reach", "windows"]

PAPER_WINDOW = 32  # the constant of the paper's formula, whatever the window's width


def distance_weights(config: BagConfig, words: int) -> list[float]:
    """The weight of a term at distance 0, 1, ... words (0: in the anchor itself)."""
    if config.distance == "none":
        return [1.0] * (words + 1)
    return [max(0.0, log2(PAPER_WINDOW / (1 + d))) for d in range(words + 1)]


def reach(window: WindowConfig, bag: BagConfig) -> int:
    """The furthest distance at which a term still has a weight."""
    return max((d for d, w in enumerate(distance_weights(bag, window.words)) if w > 0), default=0)


def windows(stream: Stream, kind: str, words: int) -> tuple[Places, Places]:
    """First and last-but-one position of each link's window."""
    low = np.maximum(stream.start - words, 0)
    high = np.minimum(stream.end + words, len(stream.terms))
    if kind == "basic" or not words:
        return low, high
    places = stream.syntactic() if kind == "syntactic" else stream.topical()
    return _cut(stream, places, low, high)


def _cut(
    stream: Stream, places: NDArray[np.int64], low: Places, high: Places
) -> tuple[Places, Places]:
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
