"""Seeded choices that depend on nothing but names.

Every choice is drawn from a hash of the seed and the names of what is being decided, so there is no
generator whose state passes from page to page: a new page leaves the draws of all others alone,
and no version of Python changes the result (random.shuffle and random.sample have changed before).
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import TypeVar

__all__ = ["SEED", "draw", "one", "shuffled", "some"]

SEED = 20160501  # the pretended day of the crawl; any other number makes another web
Item = TypeVar("Item")


def draw(*names: object) -> float:
    """A number in [0, 1) that belongs to these names for ever."""
    text = "\0".join(str(name) for name in (SEED, *names))
    return int.from_bytes(blake2b(text.encode(), digest_size=6).digest(), "big") / 2**48


def shuffled(items: Sequence[Item], *names: object) -> list[Item]:
    """All items in an order of their own."""
    return [items[i] for i in sorted(range(len(items)), key=lambda i: draw(*names, i))]


def some(items: Sequence[Item], count: int, *names: object) -> list[Item]:
    """`count` items (or all, if there are fewer), in the order in which they stood."""
    kept = sorted(shuffled(range(len(items)), *names)[:count])
    return [items[i] for i in kept]


def one(items: Sequence[Item], *names: object) -> Item:
    return items[int(draw(*names) * len(items))]
