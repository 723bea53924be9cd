"""Pages that may be mirrors: those whose sketches share a key, and those whose are the same."""

from __future__ import annotations

from pagekin.kinds import COPIES, MIRROR_KEYS, MIRROR_PAIRS, SHINGLES
from pagekin.stages.declaration import Output, Stage

__all__ = ["MIRROR_PAIRS_OF_PAGES"]

MIRROR_PAIRS_OF_PAGES = Stage(
    "mirror_pairs",
    "mirror_pairs:MirrorPairs",
    outputs=(
        Output(
            "mirror_pairs",
            "pairs of pages that may be mirrors, by bands of their MIPs, and exact copies",
            makes=(COPIES, MIRROR_PAIRS),
            sections=(
                "mirrors.candidates",
                "mirrors.permutations",
                "mirrors.rows",
                "mirrors.super_shingles",
                "mirrors.least",
                "mirrors.most_pages",
                "mirrors.sampled",
            ),
            part="mirrors",
        ),
    ),
    reads=(SHINGLES,),
    shuffles=(MIRROR_KEYS,),
)
