"""The best related pages of each page [BLOCK]."""

from __future__ import annotations

from pagekin.kinds import EDGES, KIN
from pagekin.stages.declaration import Output, Stage

__all__ = ["RELATED"]

RELATED = Stage(
    "related",
    "related:Related",
    outputs=(
        Output(
            "related",
            "the best pairs of each page",
            makes=(KIN,),
            sections=("cocitation",),
            part="cocitation",
        ),
    ),
    reads=(EDGES,),
    shuffles=(EDGES,),
)
