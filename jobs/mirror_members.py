#!/usr/bin/env python3
"""Components, edges, sketches and bags -> the pages and edges of each component.

    input    mirror edges, components, sketches (shingles), raw bags
    map      everything to the pages that it is about
    reduce   by page: its component, and what is known of it, or an edge
    output   !members/PAGE TAB component and page, or component and edge

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.mirror_members import MIRROR_MEMBERS_OF_COMPONENTS
from pagekin.stages.mirror_members.join import join_components, send_to_pages


class MirrorMembers(PagekinJob):
    STAGE = MIRROR_MEMBERS_OF_COMPONENTS

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_to_pages(pairs)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from join_components(pairs)


if __name__ == "__main__":
    MirrorMembers.run()
