"""Links of one block are pairs; each pair's similarity is added up over all pages [BLOCK]."""

from __future__ import annotations

from pagekin.kinds import BLOCKS, EDGES, STRIPES
from pagekin.stages.declaration import Output, Stage

__all__ = ["PAIRS"]

PAIRS = Stage(
    "pairs",
    "pairs:Pairs",
    outputs=(
        Output(
            "pairs",
            "links of one block are pairs, merged over all pages",
            makes=(EDGES,),
            sections=("cocitation",),
            part="cocitation",
            version=2,
        ),
    ),
    reads=(BLOCKS,),
    shuffles=(STRIPES,),
)
