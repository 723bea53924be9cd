"""The one reading of the pages: each is parsed once, and given to all wanted extractors."""

from __future__ import annotations

from pagekin.kinds import BLOCKS, CUTS, LINKS, PARCELS, RAW_BAGS, SHINGLES, SITE_SKETCHES, WORDS
from pagekin.stages.declaration import Extractor, Stage
from pagekin.stages.inventory import DERIVED_STOPS, PACKING, RESOLUTION

__all__ = ["READING"]

FRAGMENTS = Extractor(
    "fragments",
    "pages become fragments, fragments are merged to raw bags",
    makes=(RAW_BAGS, WORDS),
    sections=("text", "window", "bag"),
    version=9,
    part="bags",
    uses=(PACKING, DERIVED_STOPS),
    runs="stages.fragments.extractor:FragmentExtractor",
    merges="stages.fragments.merge:merge_fragments",
)
BLOCKS_OF_LINKS = Extractor(
    "blocks",
    "pages become blocks of links",
    makes=(BLOCKS,),
    sections=("blocks",),
    version=6,
    part="cocitation",
    runs="stages.blocks.extractor:BlockExtractor",
)
LINKS_OF_PAGES = Extractor(
    "links",
    "pages become lists of their links",
    makes=(LINKS,),
    sections=("bag.same_host", "bag.urls", "enrich.links_near"),
    version=2,
    runs="stages.links.extractor:LinkExtractor",
)

SHINGLES_OF_PAGES = Extractor(
    "shingles",
    "pages become sketches of their shingles, without what their sites repeat",
    makes=(SHINGLES,),
    sections=("mirrors.length", "mirrors.templates"),
    part="mirrors",
    runs="stages.shingles.extractor:ShingleExtractor",
    merges="stages.shingles.extractor:leave_templates_out",
)

READING = Stage(
    "reading",
    "reading:Reading",
    outputs=(FRAGMENTS, BLOCKS_OF_LINKS, LINKS_OF_PAGES, SHINGLES_OF_PAGES),
    shuffles=(PARCELS, WORDS, BLOCKS, LINKS, SITE_SKETCHES),
    sections=("reading",),
    looks_up=(RESOLUTION,),
    cut_by=CUTS,
)
