"""Components meet their pages: what is known of each, and the edges between them."""

from __future__ import annotations

from pagekin.kinds import COMPONENTS, MEMBERS, MIRROR_EDGES, PAGE_FACTS, RAW_BAGS, SHINGLES
from pagekin.stages.declaration import Output, Stage

__all__ = ["MIRROR_MEMBERS_OF_COMPONENTS"]

MIRROR_MEMBERS_OF_COMPONENTS = Stage(
    "mirror_members",
    "mirror_members:MirrorMembers",
    outputs=(
        Output(
            "mirror_members",
            "the pages and edges of each component, with inlinks and sketches of the pages",
            makes=(MEMBERS,),
            part="mirrors",
        ),
    ),
    reads=(MIRROR_EDGES, COMPONENTS, SHINGLES, RAW_BAGS),
    shuffles=(PAGE_FACTS,),
)
