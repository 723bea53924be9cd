"""Why two pages are kin: the heaviest terms that they share, and where their bags are from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pagekin.index.folder import Place
from pagekin.query.kin import Asked, SharedTerm, Why

__all__ = ["asked_page", "reasons"]

_SHOWN = 10


def asked_page(place: Place) -> Asked:
    """What the index knows of a page that is asked for."""
    shard, document = place
    crawled, anchors, _, hosts = shard.counts(document)
    return Asked(place.url, crawled == 1, anchors, hosts, len(shard.terms(document)[0]))


def reasons(asked: Sequence[Place], found: Place) -> Why:
    """The terms that a page shares with those asked for; of several the means."""
    theirs = found.shard.bag(found.document)
    mine, shared = np.zeros(len(theirs.terms)), np.zeros(len(theirs.terms))
    for place in asked:
        terms, weights = place.shard.terms(place.document)
        _, at, of = np.intersect1d(theirs.terms, terms, assume_unique=True, return_indices=True)
        mine[at] += weights[of]
        shared[at] += np.minimum(weights[of], theirs.weights[at])
    mine, shared = mine / len(asked), shared / len(asked)
    order = np.lexsort((theirs.terms, -shared))[: min(_SHOWN, np.count_nonzero(shared))]
    words = found.shard.words.look_up(theirs.terms[order])
    columns = zip(words, mine[order], theirs.weights[order], shared[order], strict=True)
    of_asked = [asked_page(place) for place in asked]
    return Why(
        [SharedTerm(w.term, w.display, *(_short(x) for x in row)) for w, *row in columns],
        int(np.count_nonzero(shared)),
        _short(shared.sum()),
        theirs.anchors,
        theirs.hosts,
        theirs.crawled,
        sum(page.inlinks for page in of_asked),
        sum(page.linking_hosts for page in of_asked),
    )


def _short(weight: float) -> float:
    """As many digits as 32 bits have."""
    return float(f"{weight:.7g}")
