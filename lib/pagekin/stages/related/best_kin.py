"""Which pages are related to which, and of each page the best M: Reducer2 of [BLOCK], Figure 5.

    input     key NUMBER; value `!URL` (the page's own URL, first of all its values) or
              `INVERTED URL BLOCKS DOMAINS REASON ...`: URL is related to the page
    output    key NUMBER; value as the table of related pages has it, `pagekin.cocitation.kin_table`

INVERTED is 2^47 - 1 less TS in 2^-20, and 2^47 more where a single domain cites both, in 12
hexadecimal digits. So byte order is what several domains cite before weak kin, then the highest TS,
and of equal ones the first URL. All else is as in the table.

Partners are known by the numbers of their URLs alone. Where two pages share a number, by chance,
each keeps its kin and gets those of the other, as if whoever linked to one of them had linked to
both.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from operator import itemgetter

from pagekin.cocitation.kin_table import (
    KIN_MARK,
    REASON_MARK,
    RelatedPage,
    is_weak,
    parse_page,
)
from pagekin.counters import Counters
from pagekin.kinds import Pair

__all__ = ["edge_value", "name_value", "named_page", "parse_edge", "select_best"]

_NAME = b"!"
_WEAK = 1 << 47
_HIGHEST = _WEAK - 1
_DIGITS = 12  # of INVERTED
_URL = _DIGITS + 1  # where the URL begins


def name_value(url: bytes) -> bytes:
    """The value that tells a page's own URL."""
    return _NAME + url


def edge_value(
    score: int, url: bytes, blocks: int, domains: int, reasons: Iterable[tuple[int, bytes]]
) -> bytes:
    """The value that tells a related page; a reason is a value, and `DOMAIN ANCHOR`."""
    inverted = _HIGHEST - min(score, _HIGHEST) + (_WEAK if is_weak(domains) else 0)
    facts = b"%012x %b %d %d" % (inverted, url, blocks, domains)
    return REASON_MARK.join([facts, *(b"%d %b" % reason for reason in reasons)])


def named_page(value: bytes) -> bytes | None:
    """The URL of the page itself, if that is what a value tells."""
    return value.removeprefix(_NAME) if value.startswith(_NAME) else None


def parse_edge(value: bytes) -> RelatedPage:
    """The related page that a value tells."""
    return parse_page(_with_score(value))


def select_best(pairs: Iterable[Pair], most: int, counters: Counters) -> Iterator[Pair]:
    """The best `most` kin of each page; values come sorted, so they are the first."""
    for key, group in groupby(pairs, key=itemgetter(0)):
        urls, edges = _split((value for _, value in group))
        counters.add("cocitation", "hash_collisions", max(len(urls) - 1, 0))
        best = list(islice(edges, most + 1))  # one of them may be the page itself
        if best and not urls:
            counters.add("cocitation", "pages_without_a_url")
        for url in urls:
            kin = [edge for edge in best if not edge.startswith(url + b" ", _URL)][:most]
            if kin:
                counters.add("cocitation", "pages_with_kin")
                counters.add("cocitation", "kin", len(kin))
                # the weak ones come last: where the first is one, all are
                weak_alone = int(kin[0][:_DIGITS], 16) >= _WEAK
                counters.add("cocitation", "pages_with_weak_kin_alone", int(weak_alone))
                yield key, KIN_MARK.join([url, *map(_with_score, kin)])


def _split(values: Iterator[bytes]) -> tuple[list[bytes], Iterator[bytes]]:
    """The URLs that stand before the edges, and the edges."""
    urls: list[bytes] = []
    for value in values:
        if not value.startswith(_NAME):
            return urls, chain([value], values)
        urls.append(value.removeprefix(_NAME))
    return urls, iter(())


def _with_score(edge: bytes) -> bytes:
    return b"%d%b" % (_HIGHEST - int(edge[:_DIGITS], 16) % _WEAK, edge[_DIGITS:])
