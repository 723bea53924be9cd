"""The head of each page that was read meets those whose contexts it belongs to."""

from __future__ import annotations

from pagekin.kinds import ASKED, HEADS, JOINED_HEADS, LINKS
from pagekin.stages.declaration import Output, Stage

__all__ = ["JOINED_HEADS_OF_PAGES"]

JOINED_HEADS_OF_PAGES = Stage(
    "joined_heads",
    "joined_heads:JoinedHeads",
    outputs=(
        Output(
            "joined_heads",
            "the heaviest terms of pages meet the URLs that stand around these by links",
            makes=(JOINED_HEADS,),
            part="bags",
        ),
    ),
    reads=(LINKS, HEADS),
    shuffles=(ASKED,),
)
