"""Which pages are connected by edges between mirrors, in rounds."""

from __future__ import annotations

from pagekin.kinds import COMPONENTS, MIRROR_EDGES, NODE_EDGES
from pagekin.stages.declaration import Output, Rounds, Stage

__all__ = ["MIRROR_COMPONENTS"]

MIRROR_COMPONENTS = Stage(
    "mirror_components",
    "mirror_components:MirrorComponents",
    outputs=(
        Output(
            "mirror_components",
            "pages that edges between mirrors connect",
            makes=(COMPONENTS,),
            part="mirrors",
        ),
    ),
    reads=(MIRROR_EDGES,),
    shuffles=(NODE_EDGES,),
    rounds=Rounds(
        most=lambda config: 60,  # a path of 100,000 pages takes 27, of ten times as many 6 more
        counts="components",
        is_still=lambda config, number, counted: not counted,  # nothing moved
        must_be_still=True,
    ),
)
