"""Final bags get what their own words leave unsaid: related words, neighbours, topics."""

from __future__ import annotations

from pagekin.config import BuildConfig
from pagekin.kinds import ENRICHED_BAGS, FINAL_BAGS
from pagekin.stages.contexts import CONTEXT_TABLE
from pagekin.stages.declaration import Output, Stage
from pagekin.stages.term_neighbours import NEIGHBOUR_TABLE
from pagekin.stages.topics import TOPICS

__all__ = ["ENRICHED", "ENRICHED_STAGE"]


def _is_wanted(config: BuildConfig) -> bool:
    return config.enrich.is_on


ENRICHED = Output(
    "enriched_bags",
    "bags get the words and topics that their own words leave unsaid",
    makes=(ENRICHED_BAGS,),
    sections=("enrich",),
    version=4,
    part="bags",
    uses=(NEIGHBOUR_TABLE, CONTEXT_TABLE, TOPICS),
    is_possible=_is_wanted,
)
ENRICHED_STAGE = Stage(
    "enriched_bags", "enriched_bags:EnrichedBags", outputs=(ENRICHED,), reads=(FINAL_BAGS,)
)
