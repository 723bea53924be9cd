"""Fragments: what one page says about one URL, on its way from a mapper to a reducer [SIM 6.1].

A fragment is a little stream of 32-bit numbers: term hashes in the order of the page, and between
them section marks (numbers below 16). Weights are not written: they follow from the order.

    of a link    left terms, ANCHOR, anchor terms, RIGHT, right terms, [HEADINGS, terms,]
                 [CITING_TITLE, terms,] [CITING_PAGE, id,] END     ... once per link
    of a page    TITLE, title terms, CONTENT, body terms, GAP

`GAP` ends what is no link, and fills up to a multiple of 12 bytes, so that base64 has no `=` and
the texts of many fragments can be joined and decoded in one go.
"""

from __future__ import annotations

import binascii
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from pagekin.bags.stream import Stream
from pagekin.bags.windows import reach, windows
from pagekin.config import BagConfig, WindowConfig
from pagekin.text.words import Terms

__all__ = [
    "ANCHOR",
    "CITING_PAGE",
    "CITING_TITLE",
    "CONTENT",
    "END",
    "GAP",
    "HEADINGS",
    "RIGHT",
    "TITLE",
    "FragmentMaker",
    "decode",
    "encode",
]

END, ANCHOR, RIGHT, HEADINGS, CITING_TITLE, CITING_PAGE, TITLE, CONTENT, GAP = range(9)

_MARKS = [number.to_bytes(4, "little") for number in range(9)]
_END, _ANCHOR, _RIGHT, _HEADINGS, _CITING_TITLE, _CITING_PAGE, _TITLE, _CONTENT, _GAP = _MARKS
_UNIT = 12  # bytes: the least common multiple of a number's 4 and base64's 3


def encode(payload: bytes) -> bytes:
    """A fragment as base64 text that can be joined with others."""
    missing = -len(payload) % _UNIT
    return binascii.b2a_base64(payload + _GAP * (missing // 4), newline=False)


def decode(text: bytes) -> Terms:
    """The numbers of one fragment, or of several joined ones."""
    return np.frombuffer(binascii.a2b_base64(text), dtype="<u4")


@dataclass(frozen=True)
class FragmentMaker:
    """Makes the fragments of pages under one configuration."""

    window: WindowConfig
    bag: BagConfig

    def of_page(self, stream: Stream) -> bytes:
        """The page's own fragment: its title, and its words if the bag takes content."""
        content = stream.terms.tobytes() if self.bag.content else b""
        return b"".join((_TITLE, stream.title.tobytes(), _CONTENT, content, _GAP))

    def of_links(
        self, stream: Stream, targets: list[str | None], page_id: int
    ) -> Mapping[str, list[bytes]]:
        """For each target URL the fragments of the links to it; None is a link that is left out."""
        tail = self._tail(stream, page_id)
        if not self.bag.anchor:
            return _grouped(targets, (tail + _END for _ in targets))
        words = reach(self.window, self.bag)
        low, high = windows(stream, self.window.kind, words)
        edges = zip(
            (4 * low).tolist(),
            (4 * stream.start).tolist(),
            (4 * stream.end).tolist(),
            (4 * high).tolist(),
            strict=True,
        )
        terms = stream.terms.tobytes()
        slices = (
            b"".join((terms[a:b], _ANCHOR, terms[b:c], _RIGHT, terms[c:d])) for a, b, c, d in edges
        )
        if not self.bag.headings:
            return _grouped(targets, (s + tail + _END for s in slices))
        above = _headings_above(stream)
        return _grouped(
            targets, (s + _HEADINGS + h + tail + _END for s, h in zip(slices, above, strict=True))
        )

    def _tail(self, stream: Stream, page_id: int) -> bytes:
        """What every link of the page carries: the page's title and id, where they are wanted."""
        title = _CITING_TITLE + stream.title.tobytes() if self.bag.citing_title else b""
        page = _CITING_PAGE + page_id.to_bytes(4, "little") if self.bag.links else b""
        return title + page


def _grouped(targets: list[str | None], payloads: Iterator[bytes]) -> dict[str, list[bytes]]:
    groups: dict[str, list[bytes]] = {}
    for target, payload in zip(targets, payloads, strict=True):
        if target is not None:
            group = groups.get(target)
            if group is None:
                groups[target] = [payload]
            else:
                group.append(payload)
    return groups


def _headings_above(stream: Stream) -> list[bytes]:
    """For each link the terms of the headings it stands under: one of each open level."""
    headings = stream.headings()
    places = [place for place, _, _ in headings]
    chains: list[bytes] = [b""]
    open_levels: dict[int, bytes] = {}
    for _, level, terms in headings:
        open_levels = {k: v for k, v in open_levels.items() if k < level}
        open_levels[level] = terms.tobytes()
        chains.append(b"".join(open_levels[k] for k in sorted(open_levels)))
    return [chains[k] for k in np.searchsorted(places, stream.opens).tolist()]
