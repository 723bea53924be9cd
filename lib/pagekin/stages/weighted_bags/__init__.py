"""Raw bags are weighted, cut to their heaviest terms, and get the sum 1."""

from __future__ import annotations

from pagekin.kinds import FINAL_BAGS, RAW_BAGS
from pagekin.stages.declaration import Output, Stage
from pagekin.stages.document_frequency import FREQUENCIES

__all__ = ["WEIGHTED_BAGS"]

WEIGHTED_BAGS = Stage(
    "weighted_bags",
    "weighted_bags:WeightedBags",
    outputs=(
        Output(
            "weighted_bags",
            "raw bags are weighted, cut and normalised",
            makes=(FINAL_BAGS,),
            sections=("weight",),
            version=2,
            part="bags",
            uses=(FREQUENCIES,),
        ),
    ),
    reads=(RAW_BAGS,),
)
