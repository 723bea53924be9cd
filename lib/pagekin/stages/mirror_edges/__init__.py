"""Pairs of pages are compared: mirrors, and pages that are contained in others."""

from __future__ import annotations

from pagekin.kinds import COPIES, MIRROR_EDGES, MIRROR_OFFERS, MIRROR_SIDES
from pagekin.stages.declaration import Output, Stage

__all__ = ["MIRROR_EDGES_OF_PAGES"]

MIRROR_EDGES_OF_PAGES = Stage(
    "mirror_edges",
    "mirror_edges:MirrorEdges",
    outputs=(
        Output(
            "mirror_edges",
            "pairs of mirrors, each verified, and of pages that are contained in others",
            makes=(MIRROR_EDGES,),
            sections=("mirrors.resemblance", "mirrors.containment"),
            part="mirrors",
        ),
    ),
    reads=(COPIES, MIRROR_OFFERS),
    shuffles=(MIRROR_SIDES,),
)
