"""Where the links of a page lead.

Six links that follow each other are of one sort, as in the lists of real pages. Of 100 links of a
normal page 40 stay in its class, 8 go to a class of its branch, 15 to its own host, 14 to what is
popular anywhere, 23 to pages that no crawler fetched. Within a class and
overall the page of rank r is chosen with a share like r^-0.75 and r^-0.8, so the numbers of inlinks
have a power-law tail with an exponent of about 2.3, near the 2.1 that was measured on the web
(Broder et al., "Graph structure in the web", 2000). Pages of link farms link to each other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pagekin.synthetic.chance import draws, key_of
from pagekin.synthetic.hosts import SPAM
from pagekin.synthetic.plan import Plan

__all__ = ["Targets"]

_CLASS, _BRANCH, _HOST, _POPULAR = 40, 48, 63, 77  # bounds, of 100
_FARM = 85  # of 100 links of a spam page
_BRANCHES = 16  # classes so far apart by number are in the same branch
_RUN = 6  # links of one sort
_UNSEEN = 2  # pages that were not fetched, for each that was

Shares = NDArray[np.float64]
Sort = tuple[NDArray[np.int32], int]  # pages, and the power to which chance is raised


class Targets:
    """Draws the targets of pages."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._key = key_of(plan.config.seed, "targets")
        pages = plan.config.pages
        self._unseen = np.arange(pages, (_UNSEEN + 1) * pages, dtype=np.int32)

    def of(self, page: int, count: int) -> list[tuple[int, int]]:
        """So many targets of a page, each with a number for whatever else is to be chosen."""
        chance = draws(key_of(self._key, page), count)
        first = (chance >> np.uint64(32)) / float(1 << 32)
        second = first * first
        powers = {2: second, 4: second * second, 5: second * second * first}
        targets: list[int] = []
        for at, kind in zip(range(0, count, _RUN), (chance[::_RUN] % 100).tolist(), strict=True):
            pages, power = self._sort(page, kind)
            places = (powers[power][at : at + _RUN] * len(pages)).astype(np.int64)
            targets += pages[places].tolist()
        return list(zip(targets, (chance & np.uint64(0xFFFFF)).tolist(), strict=True))

    def _sort(self, page: int, kind: int) -> Sort:
        """Whence a run of links takes its targets."""
        plan = self._plan
        if plan.hosts.kinds[plan.host[page]] == SPAM:
            return (plan.spam, 2) if kind < _FARM else (plan.popular, 5)
        if kind < _BRANCH:
            leaf = plan.leaf[page] + (_BRANCHES if kind >= _CLASS else 0)
            kin = plan.by_leaf.members(leaf % plan.topics.count)
            return (kin, 4) if len(kin) else (plan.popular, 5)
        if kind < _HOST:
            return plan.by_host.members(plan.host[page]), 2
        return (plan.popular, 5) if kind < _POPULAR else (self._unseen, 2)
