"""A bag in words, for people and as JSON."""

from __future__ import annotations

from typing import Any

import numpy as np

from pagekin.bags.bag import Bag
from pagekin.bags.dictionary import Dictionary

__all__ = ["describe_bag"]


def describe_bag(bag: Bag, dictionary: Dictionary, count: int) -> dict[str, Any]:
    """The bag in words, heaviest term first; `count` of them, 0: all."""
    order = np.lexsort((bag.terms, -bag.weights))[: count or None]
    entries = dictionary.look_up(bag.terms[order])
    weights = map(_short, bag.weights[order])
    terms = [
        {"term": entry.term, "display": entry.display, "weight": weight}
        for entry, weight in zip(entries, weights, strict=True)
    ]
    return {
        "url": bag.url,
        "inlinks": bag.anchors,
        "linking_pages": bag.pages,
        "linking_hosts": bag.hosts,
        "crawled": bag.crawled,
        "size": len(bag.terms),
        "terms": terms,
    }


def _short(weight: np.float32) -> float:
    """The shortest decimal that is this 32-bit number: no digits that mean nothing."""
    return float(str(weight))
