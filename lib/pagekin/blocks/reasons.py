"""Why the filters took or changed the links of a block, in words, for people.

The sieve keeps the names of the filters alone: no other reader of a block asks for more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from pagekin.blocks.filters import FILTERS, Sieve, extension_of
from pagekin.blocks.model import Block, Link, Removed, Sifted
from pagekin.web.domains import top_subdomain

__all__ = ["explained"]


def explained(sieve: Sieve, sifted: Sifted) -> Block:
    """The block with what the filters of its page left, took and changed."""
    return Block(
        tuple(_left(sieve, sifted)),
        sifted.segment,
        tuple(_removed(sieve, sifted)),
        tuple(_changed(sieve, sifted)),
    )


def _left(sieve: Sieve, sifted: Sifted) -> Iterator[Link]:
    for url, anchor, place in sifted.links:
        number = sifted.segment.links[place]
        yield Link(number, place, sieve.href(number), url, anchor, top_subdomain(url))


def _changed(sieve: Sieve, sifted: Sifted) -> Iterator[Removed]:
    """In the order of the filters."""
    for name in ("dynamic", "normalisation"):
        for number, change in sifted.changed:
            if change == name:
                yield Removed(number, sieve.href(number), name, f"stands for {sieve.url(number)}")


def _removed(sieve: Sieve, sifted: Sifted) -> Iterator[Removed]:
    """In the order of the filters."""
    order = {name: max(rank, 1) for rank, name in enumerate(FILTERS)}  # the first two are one pass
    if sieve.config.anchors_first:
        order["singleton"], order["empty_anchor"] = order["empty_anchor"], order["singleton"]
    size = sifted.taken.count("large_block")
    found = zip(sifted.taken, sifted.segment.links, strict=True)
    for name, number in sorted((pair for pair in found if pair[0]), key=lambda p: order[p[0]]):
        reason = _REASONS[name](sieve, sifted.first, size, number)
        yield Removed(number, sieve.href(number), name, reason)


# Of the sieve, the first link to each URL of the block, the size of a large block, and the number.
_Reason = Callable[[Sieve, dict[str, int], int, int], str]
_REASONS: Final[dict[str, _Reason]] = {
    "nofollow": lambda *_: "asks not to be followed",
    "invalid": lambda s, _, size, n: f"leads to no web page: {s.page.resolver.refusal(s.href(n))}",
    "large_block": lambda s, _, size, n: f"the block has {size} links, more than {s.config.large}",
    "file": lambda s, _, size, n: f"leads to a .{extension_of(s.url(n))} file",
    "dynamic": lambda *_: "has a query, or is a program",
    "singleton": lambda s, first, size, n: f"leads where link {first[s.url(n)]} leads",
    "empty_anchor": lambda *_: "has no anchor text",
    "common_domain": lambda s, *_: f"within {s.tsd}, as the page",
}
