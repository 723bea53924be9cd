"""What a page says becomes records: one of itself, and one for each URL that its links lead to.

A record is a value (`values.py`) of the fragments of its links: of each its mark, the
terms of its window, which are a piece of the page as it stands, the headings above it, and what all
links of the page carry. `_fragments.c` does the same, and is taken where it was built.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import NamedTuple

from pagekin.bags.fragments import WIDTH, LinkParts
from pagekin.kinds import Pair
from pagekin.native import load
from pagekin.stages.fragments.values import link_value

__all__ = ["PER_RECORD", "Said", "link_records", "plain_link_records"]

PER_RECORD = 256  # links in one record: longer ones would only make tasks uneven
_native = load("pagekin.stages.fragments._fragments")


class Said(NamedTuple):
    """What a page says: of itself, and of each URL that it links to."""

    url: bytes  # the one that it stands for
    value: bytes  # its own fragment
    targets: list[str | None]  # of its links, in their order; None: it is left out
    parts: LinkParts
    host: bytes  # the citing one, by its id

    def records(self) -> Iterator[Pair]:
        """Its own record, and those of the URLs that it links to."""
        yield self.url, self.value
        yield from link_records(self.targets, self.parts, self.host)


def plain_link_records(
    targets: list[str | None], parts: LinkParts, source: bytes, most: int
) -> list[Pair]:
    """The records of the links to `targets`, in their order; None is a link that is left out."""
    groups: dict[str, list[bytes]] = {}
    edges = zip((WIDTH * parts.low).tolist(), (WIDTH * parts.high).tolist(), strict=True)
    marks, terms, tail = parts.marks, parts.terms, parts.tail
    places = range(0, len(marks), WIDTH)
    above = repeat(b"", len(targets)) if parts.above is None else parts.above
    for target, k, (a, b), heading in zip(targets, places, edges, above, strict=True):
        if target is not None:
            fragment = marks[k : k + WIDTH] + terms[a:b] + heading + tail
            groups.setdefault(target, []).append(fragment)
    return [
        (target.encode(), link_value(source, b"".join(fragments[k : k + most]), first=not k))
        for target, fragments in groups.items()
        for k in range(0, len(fragments), most)
    ]


def link_records(targets: list[str | None], parts: LinkParts, source: bytes) -> list[Pair]:
    """The same, as fast as there is a way."""
    if _native is None:
        return plain_link_records(targets, parts, source, PER_RECORD)
    records: list[Pair] = _native.link_records(targets, *parts, source, PER_RECORD)
    return records
