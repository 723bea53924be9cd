"""Names for what a sweep keeps: equal ones for what would come out equal, and else different ones.

A key is the hash of everything that a result depends on, so whatever changed (a strategy, a file of
the snapshot, a label, a version) asks for another name, and what is there under a name is right.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import xxhash

import pagekin
from pagekin.config import BuildConfig, to_dict
from pagekin.evaluate.directory import Directory
from pagekin.sweep.fragments import FragmentKey, fragment_key
from pagekin.sweep.strategies import Strategy
from pagekin.web.sources import Source

__all__ = ["fragments_name", "hash_of", "labels_hash", "parts_of", "shelf_name", "snapshot_hash"]

_VERSION = 1  # raised when something comes out different for the same key
_BAGS = ("reading", "text", "window", "bag", "weight")
_PARTS = {  # beyond the bags: what a representation depends on
    "signatures": ("signatures",),
    "reranked": ("signatures",),
    "cocitation": ("blocks", "cocitation"),
    "both": ("blocks", "cocitation"),
}


def hash_of(*parts: Any) -> str:
    """Sixteen hexadecimal digits for plain values."""
    said = json.dumps([_VERSION, pagekin.__version__, *parts], sort_keys=True, default=str)
    return xxhash.xxh3_64_hexdigest(said.encode())


def snapshot_hash(snapshot: Sequence[Source]) -> str:
    """Of the files, by name, size and time."""
    return hash_of(sorted(map(list, snapshot)))


def labels_hash(directory: Directory) -> str:
    """Of the pages with their classes."""
    state = xxhash.xxh3_64(json.dumps(directory.classes).encode())
    for array in (directory.keys, directory.bounds, directory.members):
        state.update(array.tobytes())
    return state.hexdigest()


def fragments_name(key: FragmentKey, snapshot: str) -> str:
    """The folder of a set of fragments."""
    return f"fragments-{hash_of(asdict(key), snapshot)}"


def shelf_name(config: BuildConfig, snapshot: str, labels: str) -> str:
    """The folder of raw bags: what weights do not change."""
    parts = to_dict(config, ("window", "bag"))
    return f"bags-{hash_of(fragments_name(fragment_key(config), snapshot), parts, labels)}"


def parts_of(strategy: Strategy) -> dict[str, Any]:
    """All of a strategy that its result depends on: not its name, nor where it is plotted."""
    sections = (*_BAGS, *_PARTS.get(strategy.by, ()))
    names = ("by", "alpha", "candidates")
    own = {name: getattr(strategy, name) for name in names}
    return {**own, **to_dict(strategy.config, sections)}
