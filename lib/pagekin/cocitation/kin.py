"""Related pages as records: from the reducer of the pairs to the best M of each page [BLOCK].

    pairs      key HASH; value `!URL` (the page's own URL, first of all its values)
               or `INVERTED URL BLOCKS DOMAINS REASON ...`: URL is related to the page
    related    key HASH; value `URL KIN KIN ...`, each KIN `SCORE URL BLOCKS DOMAINS REASON ...`

HASH is the number of the page's URL as 16 hexadecimal digits. INVERTED is 2^48 - 1 less TS in
2^-20, in 12 hexadecimal digits: so byte order is the highest TS first, and of equal ones the first
URL. BLOCKS is in_p of the related page, DOMAINS the number of citing domains. Each REASON is
`VALUE DOMAIN ANCHOR`, heaviest first: what a domain adds before it is divided by 1 + ln(BLOCKS), in
2^-20, and the anchor text that adds most of it. Fields before the reasons are parted by blanks,
reasons begin with the byte 1, kin with the byte 2.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from operator import itemgetter
from typing import NamedTuple

from pagekin.cocitation.records import SCORE
from pagekin.counters import Counters
from pagekin.kinds import Pair

__all__ = ["Kin", "Reason", "edge_value", "name_value", "parse_kin", "select_best"]

_NAME, _REASON, _KIN = b"!", b"\x01", b"\x02"
_HIGHEST = (1 << 48) - 1


class Reason(NamedTuple):
    """What one citing domain adds, capped at N, and the anchor text that adds most of it."""

    domain: str
    anchor: str
    value: float


class Kin(NamedTuple):
    """A related page: TS, in how many blocks it stands, how many domains cite both, and reasons."""

    url: str
    score: float
    blocks: int
    domains: int
    reasons: tuple[Reason, ...]


def name_value(url: bytes) -> bytes:
    """The value that tells a page's URL."""
    return _NAME + url


def edge_value(
    score: int, url: bytes, blocks: int, domains: int, reasons: Iterable[tuple[int, bytes]]
) -> bytes:
    """The value that tells a related page; a reason is a value and its group, `DOMAIN ANCHOR`."""
    told = b"%012x %b %d %d" % (_HIGHEST - min(score, _HIGHEST), url, blocks, domains)
    return b"".join([told, *(b"\x01%d %b" % reason for reason in reasons)])


def select_best(pairs: Iterable[Pair], most: int, counters: Counters) -> Iterator[Pair]:
    """The best `most` kin of each page; values come sorted, so they are the first."""
    for key, group in groupby(pairs, key=itemgetter(0)):
        names, edges = _split(value for _, value in group)
        counters.add("cocitation", "hash_collisions", max(len(names) - 1, 0))
        kin = [_shown(edge) for edge in islice(edges, most)]
        if kin and names:
            counters.add("cocitation", "pages_with_kin")
            counters.add("cocitation", "kin", len(kin))
            yield key, _KIN.join([names[0], *kin])
        elif kin:
            counters.add("cocitation", "pages_without_a_url")


def _split(values: Iterator[bytes]) -> tuple[list[bytes], Iterator[bytes]]:
    """The URLs that stand before the edges, and the edges."""
    names: list[bytes] = []
    for value in values:
        if not value.startswith(_NAME):
            return names, chain([value], values)
        names.append(value.removeprefix(_NAME))
    return names, iter(())


def _shown(value: bytes) -> bytes:
    return b"%d%b" % (_HIGHEST - int(value[:12], 16), value[12:])


def parse_kin(value: bytes) -> tuple[str, list[Kin]]:
    """The URL of a page, and its kin, the best first."""
    url, *kin = value.split(_KIN)
    return url.decode("utf-8", "replace"), [_parsed(each) for each in kin]


def _parsed(text: bytes) -> Kin:
    told, *reasons = text.split(_REASON)
    score, url, blocks, domains = told.decode("utf-8", "replace").split(" ")
    shown = tuple(_reason(reason.decode("utf-8", "replace")) for reason in reasons)
    return Kin(url, int(score) / SCORE, int(blocks), int(domains), shown)


def _reason(text: str) -> Reason:
    value, domain, anchor = text.split(" ", 2)
    return Reason(domain, anchor, int(value) / SCORE)
