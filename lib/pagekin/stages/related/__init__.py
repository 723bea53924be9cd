"""The best related pages of each page [BLOCK]."""

from __future__ import annotations

from pagekin.config import BuildConfig
from pagekin.kinds import EDGES, KIN
from pagekin.stages.declaration import Counts, Output, Stage

__all__ = ["RELATED"]


def _tells(config: BuildConfig, counts: Counts) -> str:
    numbers = counts.get("cocitation", {})
    with_kin, weak = numbers.get("pages_with_kin", 0), numbers.get("pages_with_weak_kin_alone", 0)
    if not with_kin:
        return (
            "no page has kin by co-citation: links make a pair where they stand in one block and"
            " lead to two domains, and no pair reached that total"
        )
    return f"{with_kin:,} pages have kin by co-citation, {weak:,} of them weak kin alone"


RELATED = Stage(
    "related",
    "related:Related",
    outputs=(
        Output(
            "related",
            "the best pairs of each page",
            makes=(KIN,),
            sections=("cocitation.kin",),
            part="cocitation",
            version=3,
            tells=_tells,
        ),
    ),
    reads=(EDGES,),
    shuffles=(EDGES,),
)
