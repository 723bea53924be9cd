"""The graph of pages that link to others, and that of their hosts."""

from __future__ import annotations

from dataclasses import replace

from pagekin.config import BuildConfig
from pagekin.kinds import GRAPH, LINK_ENDS, LINKS
from pagekin.stages.declaration import Counts, Output, Stage

__all__ = ["LINK_GRAPH", "settle_sites"]

_FEW = 100  # where fewer than one link in so many leads to another site, the snapshot is one site


def settle_sites(config: BuildConfig, counts: Counts) -> BuildConfig:
    """Whether links within a site count, where that follows from the links of the snapshot."""
    if config.authority.within_sites != "auto":
        return config
    found = counts.get("joined_links", {})
    is_one_site = found.get("to_other_sites", 0) * _FEW < found.get("found", 0)
    within = "count" if is_one_site else "leave"
    return replace(config, authority=replace(config.authority, within_sites=within))


def _tells(config: BuildConfig, counts: Counts) -> str:
    numbers = counts.get("link_graph", {})
    pages, links = numbers.get("pages", 0), numbers.get("links_of_pages", 0)
    within = {"count": "all links count", "leave": "links within a site are left out"}
    said = within.get(config.authority.within_sites, within["leave"])
    return f"{pages:,} pages have {links:,} links that tell of their standing; {said}"


LINK_GRAPH = Stage(
    "link_graph",
    "link_graph:LinkGraph",
    outputs=(
        Output(
            "link_graph",
            "links of pages become a graph of pages, and one of hosts",
            makes=(GRAPH,),
            sections=("authority.within_sites",),
            tells=_tells,
        ),
    ),
    reads=(LINKS,),
    shuffles=(LINK_ENDS,),
    heeds=settle_sites,
)
