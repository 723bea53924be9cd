"""The pages that an index knows: documents, and those that stand in its tables of kin alone."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from operator import itemgetter
from typing import NamedTuple

from pagekin.errors import InputError
from pagekin.index.folder import Place
from pagekin.index.shard import Shard
from pagekin.query.cocited import KinTables
from pagekin.web.urls import among_hosts, host, host_named

__all__ = ["KnownPage", "known_page", "known_pages"]


class KnownPage(NamedTuple):
    """A page, as the index knows it."""

    url: str
    title: str  # of a page that was read
    read: bool
    inlinks: int
    has_bag: bool  # else only co-citation knows it


def known_page(place: Place) -> KnownPage:
    """A document as it is listed."""
    crawled, inlinks, *_ = place.shard.counts(place.document)
    return KnownPage(place.url, place.title, crawled == 1, inlinks, has_bag=True)


def known_pages(
    shards: Sequence[Shard], tables: KinTables, of_host: str, *, read: bool
) -> Iterator[KnownPage]:
    """All pages in the order of their URLs; of one host and those below it, and read, if asked."""
    is_wanted = among_hosts([host_named(of_host)] if of_host else [])
    streams = [_of_shard(shard, tables) for shard in shards]
    for url, place in heapq.merge(*streams, key=itemgetter(0)):
        if of_host and not is_wanted(_host(url)):
            continue
        page = known_page(place) if place else KnownPage(url.decode(), "", False, 0, has_bag=False)
        if page.read or not read:
            yield page


def _of_shard(shard: Shard, tables: KinTables) -> Iterator[tuple[bytes, Place | None]]:
    """Documents, one by one; the other pages of the table of kin are sorted first."""
    documents = ((shard.url(k), Place(shard, k)) for k in range(len(shard)))
    encoded = (url.encode() for url in tables.urls(shard))
    others = sorted((url, None) for url in encoded if shard.find(url) < 0)
    return heapq.merge(documents, others, key=itemgetter(0))


def _host(url: bytes) -> str:
    try:
        return host(url.decode())
    except ValueError as error:  # none was indexed
        raise InputError(f"the index is damaged: {url!r} is no URL") from error
