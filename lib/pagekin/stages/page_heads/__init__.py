"""The heads of final bags: what pages that were read tell those around them."""

from __future__ import annotations

from pagekin.kinds import FINAL_BAGS, HEADS
from pagekin.stages.declaration import Output, Stage

__all__ = ["PAGE_HEADS"]

PAGE_HEADS = Stage(
    "page_heads",
    "page_heads:PageHeads",
    outputs=(
        Output(
            "page_heads",
            "the heaviest terms of each page that was read",
            makes=(HEADS,),
            sections=("enrich.links_terms",),
            part="bags",
        ),
    ),
    reads=(FINAL_BAGS,),
)
