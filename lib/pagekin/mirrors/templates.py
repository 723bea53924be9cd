"""What the pages of a site repeat: menus, headers, footers, by their shingles.

Pages of one site look alike by their templates, the known failure of shingling [Henzinger]. A
shingle of at least a third of a site's pages, and of three, says nothing of any one of them. This
is seen on some pages of the site. Copies among them bear witness once, or the text of many copies
of one page would pass for a template.

A long page is known by a sample of its shingles, up to its reach: a shingle is looked for on the
pages that could show it.

- Henzinger: *Finding near-duplicate web pages*, SIGIR 2006
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pagekin.mirrors.shingles import Fingerprints, Sketch

__all__ = ["WITNESSES", "site_templates"]

WITNESSES = 64  # pages of a site that are looked at

_LEAST_PAGES, _PART = 3, 3  # on so many pages, and on one in so many of them
_COPY = 0.9  # resemblance of copies, by their least shingles
_LEAST_SHINGLES = 64


def site_templates(pages: Sequence[Sketch]) -> Fingerprints:
    """The shingles that the pages of a site repeat, sorted; of the first of them by lot."""
    pages = pages[:WITNESSES]
    if len(pages) < _LEAST_PAGES:
        return np.zeros(0, np.uint64)
    witnesses = [pages[k] for k in _without_copies([page.fingerprints for page in pages])]
    on_pages = np.concatenate([page.fingerprints for page in witnesses])
    shingles, times = np.unique(on_pages, return_counts=True)
    reaches = np.sort(np.array([page.reach for page in witnesses], np.uint64))
    could_show = len(witnesses) - np.searchsorted(reaches, shingles)
    repeated: Fingerprints = shingles[(times >= _LEAST_PAGES) & (times * _PART >= could_show)]
    return repeated


def _without_copies(pages: Sequence[Fingerprints]) -> list[int]:
    """The places of pages that are no copies of one before them."""
    least = [page[:_LEAST_SHINGLES] for page in pages]
    sizes = np.array([len(page) for page in least])
    bits = _as_bits(least)
    shared = np.bitwise_count(bits[:, None] & bits).sum(axis=2)
    alike = shared >= _COPY * (sizes[:, None] + sizes - shared)
    kept: list[int] = []
    for place, like in enumerate(alike):
        if not like[kept].any():
            kept.append(place)
    return kept


def _as_bits(sets: Sequence[Fingerprints]) -> NDArray[np.uint64]:
    """A row for each set, with a bit for each member of any."""
    members, places = np.unique(np.concatenate(sets), return_inverse=True)
    has = np.zeros((len(sets), -(-len(members) // 64) * 64), np.bool_)
    has[np.repeat(np.arange(len(sets)), [len(each) for each in sets]), places] = True
    return np.packbits(has, axis=1).view(np.uint64)
