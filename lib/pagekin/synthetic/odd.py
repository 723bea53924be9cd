"""What a crawler meets besides pages: redirects, pages found unchanged, errors, and broken pages.

Which page has what beside it is drawn from the page's number, so that the counts of a whole web are
known before anything is written.
"""

from __future__ import annotations

import numpy as np

from pagekin.synthetic.addresses import MOVED
from pagekin.synthetic.chance import key_of, mix, mix_all
from pagekin.synthetic.config import WebConfig

__all__ = ["expected", "oddity"]

# Of 1,000 pages so many have this beside them, or are it: truncated pages are cut themselves.
_SHARES = {"revisit": 15, "missing": 15, "not_html": 8, "server_error": 4, "truncated": 5}
_BOUNDS = tuple(np.cumsum(list(_SHARES.values())).tolist())
_NAMES = tuple(_SHARES)
_AT_ONCE = 1 << 20


def oddity(page: int, seed: int) -> str:
    """The name of what is odd about the page or stands beside it; "" for most."""
    chance = mix(key_of(seed, "odd") ^ page) % 1000
    return next((name for name, bound in zip(_NAMES, _BOUNDS, strict=True) if chance < bound), "")


def expected(config: WebConfig) -> dict[str, int]:
    """How many records of each kind the web has, warcinfo records aside."""
    counts = np.zeros(len(_NAMES) + 1, dtype=np.int64)
    moved = 0
    for first in range(0, config.pages, _AT_ONCE):
        pages = np.arange(first, min(first + _AT_ONCE, config.pages), dtype=np.uint64)
        chance = mix_all(pages ^ np.uint64(key_of(config.seed, "odd"))) % 1000
        kinds = np.searchsorted(_BOUNDS, chance, side="right")
        counts += np.bincount(kinds, minlength=len(counts))
        moved += int(np.count_nonzero(mix_all(pages) % 100 < MOVED))
    odd = dict(zip(_NAMES, counts.tolist(), strict=False))
    return {"pages": config.pages, "redirect": moved, **odd}
