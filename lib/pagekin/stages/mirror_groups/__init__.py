"""Components become groups of mirrors, cut where they hold together too weakly."""

from __future__ import annotations

from pagekin.config import BuildConfig
from pagekin.kinds import COMPONENT_PARTS, MEMBERS, MIRROR_GROUPS
from pagekin.stages.declaration import Counts, Output, Stage

__all__ = ["MIRROR_GROUPS_OF_PAGES"]


def _tells(config: BuildConfig, counts: Counts) -> str:
    told = counts.get("mirror_groups", {})
    if not told.get("groups"):
        return "no page has a mirror"
    sentence = f"{told['members']:,} pages are mirrors of others, in {told['groups']:,} groups"
    cut = told.get("cut_too_large", 0) + told.get("cut_too_little_alike", 0)
    return f"{sentence}; {cut:,} times weak edges were cut" if cut else sentence


MIRROR_GROUPS_OF_PAGES = Stage(
    "mirror_groups",
    "mirror_groups:MirrorGroups",
    outputs=(
        Output(
            "mirror_groups",
            "groups of mirrors, each with its representative",
            makes=(MIRROR_GROUPS,),
            sections=("mirrors.most_members", "mirrors.least_pair"),
            part="mirrors",
            tells=_tells,
        ),
    ),
    reads=(MEMBERS,),
    shuffles=(COMPONENT_PARTS,),
)
