#!/usr/bin/env python3
"""Pages and edges of components -> groups of mirrors.

    input    pages and edges with their components, which mirror_members made
    map      to their components
    reduce   by component: united by falling resemblance, and cut where a guard says so
    output   !groups/COMPONENT REPRESENTATIVE TAB what is known of the group
             !groups/COMPONENT REPRESENTATIVE URL TAB the edges of a member

Records are described in docs/formats.md.
"""

from collections.abc import Iterable, Iterator

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair
from pagekin.stages.mirror_groups import MIRROR_GROUPS_OF_PAGES
from pagekin.stages.mirror_groups.cutting import cut_components, send_to_components


class MirrorGroups(PagekinJob):
    STAGE = MIRROR_GROUPS_OF_PAGES

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from send_to_components(pairs)

    def reduce_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        yield from cut_components(pairs, self.config.mirrors, self.counters_)


if __name__ == "__main__":
    MirrorGroups.run()
