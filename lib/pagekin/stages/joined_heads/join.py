"""Heads of pages are joined with links: whom each page tells of itself.

A page tells those that it links to (they are cited by it), those that link to it (they cite it),
and those that stand beside it on some page. What a mapper sends to a URL begins with a digit:

    0 the URL's own head: it was read
    1 where its links lead
    2 pages that link to it
    3 URLs that stand beside it, each as often as on different pages

The value of a head is `HEAD|cited URLs|citing URLs|URL TIMES URL TIMES ...`, where HEAD is in
base64. A page tells at most 1,000 of those that link to it, and as many of those that stand beside
it, chosen by lot: a link to it says little about a page if all pages have it. In all lists URLs of
the host of the key begin with their paths.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

from pybase64 import b64decode

from pagekin.counters import Counters
from pagekin.kinds import HEADS, JOINED_HEADS, LINKS, Pair
from pagekin.stages.links.extractor import parse_links, shortened, whole
from pagekin.tables import url_number

__all__ = [
    "BESIDE",
    "CITED",
    "CITING",
    "MOST_TOLD",
    "OWN",
    "ToldHead",
    "join_heads",
    "parse_head",
    "send_links",
]

MOST_TOLD = 1_000  # of those that link to a page, and of those that stand beside it

OWN, CITED, CITING, BESIDE = b"0", b"1", b"2", b"3"
_GATHERED = 200_000  # URLs that wait to be sent: 30 MB


class ToldHead(NamedTuple):
    """A head, and who hears it."""

    head: bytes
    cited: list[bytes]
    citing: list[bytes]
    beside: dict[bytes, int]  # on so many pages


def parse_head(page: bytes, value: bytes) -> ToldHead:
    """What stands in the value of a page; ValueError if it is none."""
    head, cited, citing, beside = value.split(b"|")
    words = beside.split()
    times = dict(zip(whole(words[::2], page), map(int, words[1::2]), strict=True))
    lists = whole(cited.split(), page), whole(citing.split(), page)
    return ToldHead(b64decode(head, validate=True), *lists, times)


def send_links(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """The map side: heads, and the links of pages to both of their ends.

    Links to one URL are gathered, so that few records are sent to it. The many links to a hot one
    are cut already here, as they will be once all are together.
    """
    links: dict[bytes, defaultdict[bytes, list[bytes]]]
    links = {CITING: defaultdict(list), BESIDE: defaultdict(list)}
    gathered = 0
    for key, value in pairs:
        if LINKS.holds(key):
            page = key.removeprefix(LINKS.prefix)
            urls, readable, beside = parse_links(page, value)
            yield page, CITED + b" ".join(shortened(urls, page))
            for url in urls[:readable]:
                links[CITING][url].append(page)
            for place, other in beside:
                links[BESIDE][urls[place]].append(urls[other])
                if other < readable:
                    links[BESIDE][urls[other]].append(urls[place])
            gathered += readable + 2 * len(beside)
            if gathered > _GATHERED:
                yield from _gathered(links)
                gathered = 0
        else:
            yield key.removeprefix(HEADS.prefix), OWN + value
    yield from _gathered(links)


def _gathered(links: dict[bytes, defaultdict[bytes, list[bytes]]]) -> Iterator[Pair]:
    """What was gathered, which is forgotten then."""
    for mark, of_urls in links.items():
        for url, others in of_urls.items():
            if len(others) > MOST_TOLD:
                chosen = _chosen(url, {*others})
                others = [other for other in others if other in chosen]  # noqa: PLW2901
            yield url, mark + b" ".join(shortened(others, url))
        of_urls.clear()


def _chosen(url: bytes, others: set[bytes]) -> set[bytes]:
    """Those that a page tells of itself, if these are many."""
    if len(others) <= MOST_TOLD:
        return others
    lots = sorted((url_number(b"%b %b" % (url, other)), other) for other in others)
    return {other for _, other in lots[:MOST_TOLD]}


def join_heads(pairs: Iterable[Pair], counters: Counters) -> Iterator[Pair]:
    """The reduce side: each page that was read, with those that hear of it."""
    for url, group in groupby(pairs, key=itemgetter(0)):
        _, first = next(group)
        if first[:1] != OWN:
            continue  # it was not read, and has nothing to tell
        told: dict[bytes, list[bytes]] = {CITED: [], CITING: [], BESIDE: []}
        for _, value in group:  # noqa: B031 - the rest of it
            told[value[:1]] += whole(value[1:].split(), url)
        citing, beside = {*told[CITING]}, Counter(told[BESIDE])
        hot = max(len(citing), len(beside)) >= MOST_TOLD
        citing, chosen = _chosen(url, citing), _chosen(url, {*beside})
        counters.add("joined_links", "pages", 1)
        counters.add("joined_links", "hot_pages", int(hot))
        stood = sorted(chosen)
        times = [beside[other] for other in stood]
        lists = [
            first[1:],
            b" ".join(shortened(sorted({*told[CITED]}), url)),
            b" ".join(shortened(sorted(citing), url)),
            b" ".join(map(b"%b %d".__mod__, zip(shortened(stood, url), times, strict=True))),
        ]
        yield JOINED_HEADS.prefix + url, b"|".join(lists)
