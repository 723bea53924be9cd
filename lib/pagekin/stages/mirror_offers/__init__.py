"""Sketches of pages are offered to those that they are to be compared with."""

from __future__ import annotations

from pagekin.kinds import MIRROR_ASKS, MIRROR_OFFERS, MIRROR_PAIRS, SHINGLES
from pagekin.stages.declaration import Output, Stage

__all__ = ["MIRROR_OFFERS_OF_PAGES"]

MIRROR_OFFERS_OF_PAGES = Stage(
    "mirror_offers",
    "mirror_offers:MirrorOffers",
    outputs=(
        Output(
            "mirror_offers",
            "sketches of pages that may be mirrors, and with which pages each is compared",
            makes=(MIRROR_OFFERS,),
            part="mirrors",
        ),
    ),
    reads=(SHINGLES, MIRROR_PAIRS),
    shuffles=(MIRROR_ASKS,),
)
