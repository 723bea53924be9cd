"""Who is who in a made-up web: the host, the class and the original of every page, as arrays.

The numbers of pages on hosts follow a power law. A host is about one class of the second level:
85 of 100 of its pages are in a class below it, the others elsewhere in its branch. A mirror's pages
are copies of one other host's. The plan follows from the settings alone, takes 0.4 s for a million
pages, and every process makes it anew.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pagekin.synthetic.chance import Numbers, draws, key_of
from pagekin.synthetic.config import WebConfig
from pagekin.synthetic.hosts import MIRROR, NORMAL, SPAM, Hosts
from pagekin.synthetic.topics import Topics

__all__ = ["Groups", "Plan"]

_AT_HOME = 0.85
_LISTED = 0.5  # of the pages of normal hosts, in the directory
_HOST_SIZES = 0.7  # exponent of the Zipf law


class Groups:
    """Pages by what they have in common: members(group) are their numbers."""

    def __init__(self, labels: NDArray[np.int32], pages: NDArray[np.int32], count: int) -> None:
        self._order = pages[np.argsort(labels[pages], kind="stable")]
        sizes = np.bincount(labels[pages], minlength=count)
        self._bounds = _view(np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64))

    def members(self, group: int) -> NDArray[np.int32]:
        return self._order[self._bounds[group] : self._bounds[group + 1]]


class Plan:
    """The arrays of a web; scalars are read through memory views, which numpy is slow at."""

    def __init__(self, config: WebConfig) -> None:
        self.config = config
        self.topics = Topics(config.topic_count, config.seed)
        self.hosts = Hosts(config, self.topics)
        self._host = self._deal_hosts()
        self._leaf = self._deal_leaves()
        kinds = np.array(self.hosts.kinds, dtype=np.int8)[self._host]
        self._normal = np.flatnonzero(kinds == NORMAL).astype(np.int32)
        self._origin = self._deal_copies(np.flatnonzero(kinds == MIRROR))
        self._leaf = self._leaf[self._origin]
        self.spam = np.flatnonzero(kinds == SPAM).astype(np.int32)
        self.host, self.leaf = _view(self._host), _view(self._leaf)
        self.origin = _view(self._origin)

    @cached_property
    def by_leaf(self) -> Groups:
        """The pages of normal hosts by their class; the first are the most linked."""
        return Groups(self._leaf, self._normal, self.topics.count)

    @cached_property
    def by_host(self) -> Groups:
        everyone = np.arange(self.config.pages, dtype=np.int32)
        return Groups(self._host, everyone, len(self.hosts))

    @cached_property
    def popular(self) -> NDArray[np.int32]:
        """The pages of normal hosts, the most linked first."""
        order = np.argsort(self._chance("popular")[self._normal], kind="stable")
        return self._normal[order]

    @cached_property
    def listed(self) -> NDArray[np.int32]:
        """The pages that stand in the directory."""
        return self._normal[_parts(self._chance("listed")[self._normal]) < _LISTED]

    def _chance(self, purpose: str) -> Numbers:
        return draws(key_of(self.config.seed, purpose), self.config.pages)

    def _deal_hosts(self) -> NDArray[np.int32]:
        """The big domain's hosts come first; the others share the rest by Zipf's law."""
        big, count = self.hosts.big, len(self.hosts)
        weights = (np.arange(count) + 1.0) ** -_HOST_SIZES
        if big:
            share = self.config.big_domain
            weights[:big] = weights[big:].sum() * share / (1 - share) / big
        return _choose(weights, self._chance("host"))

    def _deal_leaves(self) -> NDArray[np.int32]:
        """At home with the host, or anywhere in its branch: a place on a line where the classes of
        one family, and the families of one branch, lie side by side."""
        topics = self.topics
        families = np.array([topics.family(leaf) for leaf in range(topics.count)])
        order = np.lexsort((families[:, 1], families[:, 0]))
        line = np.concatenate([[0.0], np.cumsum(topics.weights()[order])])
        homes = np.array(self.hosts.homes)[self._host]
        at_home = _parts(self._chance("where")) < _AT_HOME
        near, far = _extents(families[order]), _extents(families[order, :1])
        place = np.argsort(order)[homes]
        low = np.where(at_home, near[0][place], far[0][place])
        high = np.where(at_home, near[1][place], far[1][place])
        points = line[low] + _parts(self._chance("leaf")) * (line[high] - line[low])
        found = np.searchsorted(line, points, side="right") - 1
        return np.asarray(order[np.clip(found, low, high - 1)], dtype=np.int32)

    def _deal_copies(self, copies: NDArray[np.intp]) -> NDArray[np.int32]:
        """Each page's original: itself, or for a mirror's page one of the mirrored host's."""
        origin = np.arange(self.config.pages, dtype=np.int32)
        order = np.argsort(self._host, kind="stable")
        bounds = np.searchsorted(self._host[order], np.arange(len(self.hosts) + 1))
        sources = np.array(self.hosts.sources)[self._host[copies]]
        first, sizes = bounds[sources], bounds[sources + 1] - bounds[sources]
        whole = sizes > 0
        chance = (self._chance("copy")[copies] >> np.uint64(33)).astype(np.int64)
        origin[copies[whole]] = order[first[whole] + chance[whole] % sizes[whole]]
        return origin


def _view(array: NDArray[Any]) -> memoryview:
    return memoryview(cast("bytes", array))  # numpy's types name no buffers before Python 3.12


def _parts(numbers: Numbers) -> NDArray[np.float64]:
    """Numbers as shares from 0 to 1."""
    return np.asarray((numbers >> np.uint64(11)) / float(1 << 53))


def _extents(labels: NDArray[np.intp]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Where the run of equal labels begins and ends in which each stands."""
    new = np.any(labels[1:] != labels[:-1], axis=1)
    bounds = np.concatenate([[0], np.flatnonzero(new) + 1, [len(labels)]])
    runs = np.concatenate([[0], np.cumsum(new)])
    return bounds[runs], bounds[runs + 1]


def _choose(weights: NDArray[np.floating[Any]], numbers: Numbers) -> NDArray[np.int32]:
    """An index for each number, by weight."""
    bounds = np.cumsum(weights)
    chosen = np.searchsorted(bounds, _parts(numbers) * bounds[-1], side="right")
    return np.asarray(np.minimum(chosen, int(np.flatnonzero(weights)[-1])), dtype=np.int32)
