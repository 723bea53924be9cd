"""Links of one block are pairs; each pair's similarity is added up over all pages [BLOCK]."""

from __future__ import annotations

import math
from dataclasses import replace

from pagekin.config import BuildConfig
from pagekin.kinds import BLOCKS, EDGES, STRIPES
from pagekin.stages.authority import AUTHORITY_TABLE
from pagekin.stages.declaration import Counts, Output, Stage

__all__ = ["PAIRS", "settle_threshold"]

# T = log10(pages) - 3.5 within these bounds: the least for 10,000 pages, the most, which is the
# paper's for its 37 million, for 32 million (docs/decisions/cocitation.md)
_LEAST, _MOST = 0.5, 4.0
_START = 3.5


def settle_threshold(config: BuildConfig, pages: int, share: float) -> BuildConfig:
    """T, where it follows from the number of pages that have blocks; in steps of 0.1.

    >>> [settle_threshold(BuildConfig(), n, 1.0).cocitation.threshold for n in (9, 10**6, 10**8)]
    [0.5, 2.5, 4.0]
    """
    if config.cocitation.threshold:
        return config
    by_size = math.log10(max(pages / share, 1)) - _START
    threshold = round(min(max(by_size, _LEAST), _MOST), 1)
    return replace(config, cocitation=replace(config.cocitation, threshold=threshold))


def _tells(config: BuildConfig, counts: Counts) -> str:
    numbers = counts.get("cocitation", {})
    cited, pages = numbers.get("pages_cited", 0), numbers.get("pages", 0)
    told = ""
    if config.cocitation.regulate != "none":
        less = numbers.get("pages_of_less_weight", 0)
        told = f"; the links of {less:,} of {pages:,} pages count less than 1"
    return (
        f"of {cited:,} pages in blocks of links those are related whose total similarity is"
        f" {config.cocitation.threshold:g} or more (--cocitation-threshold){told}"
    )


PAIRS = Stage(
    "pairs",
    "pairs:Pairs",
    outputs=(
        Output(
            "pairs",
            "links of one block are pairs, merged over all pages",
            makes=(EDGES,),
            sections=("cocitation",),
            uses=(AUTHORITY_TABLE,),
            part="cocitation",
            version=4,
            tells=_tells,
        ),
    ),
    reads=(BLOCKS,),
    shuffles=(STRIPES,),
    settle=settle_threshold,
)
