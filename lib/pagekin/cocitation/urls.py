"""URLs of links as numbers: their hashes, and which of one block have the same top sub-domain.

To look a new host up in the suffix list costs 6 microseconds, more than all else of a link. But
hosts of one top sub-domain have their last two labels in common, or are equal; so only links of one
block that have these in common are looked up.
"""

from __future__ import annotations

import re

import numpy as np
from numpy.typing import NDArray

from pagekin.cocitation.records import url_hash
from pagekin.web.domains import top_subdomain
from pagekin.web.urls import host

__all__ = ["Urls"]

# The last two labels of the host of each line, or the only one; not of a host in brackets.
_LABELS = re.compile(
    rb"^[a-z]+://(?:(?:[^/:\n]*\.)?([^./:\n]+\.[^./:\n]+)|[^./:\n]+)(?::[0-9]+)?/", re.MULTILINE
)
_SHORT = np.uint64(33)  # labels are told apart by 31 bits; those that are not are looked up
_EXACT = 1 << 31  # numbers from here on are of top sub-domains

Numbers = NDArray[np.int64]
Marks = NDArray[np.uint64]


class Urls:
    """URLs of links to their hashes and to numbers of their top sub-domains."""

    def __init__(self) -> None:
        self._domains: dict[str, int] = {}

    def look_up(self, urls: list[bytes], blocks: Numbers) -> tuple[Marks, Numbers]:
        """The hash of each URL, and numbers equal for equal top sub-domains within a block."""
        hashes = np.fromiter(map(url_hash, urls), dtype=np.uint64, count=len(urls))
        labels = _LABELS.findall(b"\n".join(urls))
        if len(labels) != len(urls) or b"" in labels:
            labels = list(map(_last_labels, urls))
        short = np.fromiter(map(url_hash, labels), dtype=np.uint64, count=len(urls)) >> _SHORT
        numbers = short.astype(np.int64)
        for link in _repeated(blocks << 31 | numbers).tolist():
            numbers[link] = self._exact(urls[link])
        return hashes, numbers

    def _exact(self, url: bytes) -> int:
        name = top_subdomain(url.decode("utf-8", "replace"))
        return _EXACT + self._domains.setdefault(name, len(self._domains))


def _last_labels(url: bytes) -> bytes:
    name = host(url.decode("utf-8", "replace")).encode()
    return b".".join(name.rsplit(b".", 2)[-2:])


def _repeated(keys: Numbers) -> Numbers:
    """The places of keys that stand more than once."""
    order = np.argsort(keys, kind="stable")
    same = np.zeros(len(keys) + 1, dtype=bool)
    same[1:-1] = keys[order][1:] == keys[order][:-1]
    return order[same[1:] | same[:-1]]
