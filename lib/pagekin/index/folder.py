"""An index, open for reading: its header, its shards, and where a URL is in them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, islice
from pathlib import Path
from typing import Any, NamedTuple

from pagekin.bags.dictionary import Dictionary
from pagekin.errors import NotFoundError, UsageError
from pagekin.index.header import read_header
from pagekin.index.layout import ALIASES, SHARD_FILES, shard_of
from pagekin.index.shard import Shard
from pagekin.tables import allow_open
from pagekin.web.resolution import Resolution
from pagekin.web.urls import address_of, spellings

__all__ = ["IndexFolder", "Place"]

_SUGGESTED = 5
_HANDLES = 2 * len(SHARD_FILES)  # of a shard: each file is open to be read, and is mapped
_OTHER_HANDLES = 64  # that a process has besides: logs, sockets, libraries


class Place(NamedTuple):
    """A document: its shard, and its id there."""

    shard: Shard
    document: int

    @property
    def url(self) -> str:
        return self.shard.spelt(self.document)


class IndexFolder:
    """The files of an index; nothing but the header is read at the opening."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = read_header(path)
        self.count: int = self.header.config["signatures"]["count"]
        allow_open(self.header.shards * _HANDLES + _OTHER_HANDLES)
        self.shards = tuple(Shard(path, k, self.count) for k in range(self.header.shards))

    @cached_property
    def aliases(self) -> Resolution:
        """URLs that stand for others."""
        return Resolution(self.path / ALIASES)

    def find(self, url: str) -> Place | None:
        """Where a canonical URL is."""
        key = url.encode()
        shard = self.shards[shard_of(key, len(self.shards))]
        document = shard.find(key)
        return Place(shard, document) if document >= 0 else None

    def words_for(self, url: str) -> Dictionary:
        """The words of the shard that a canonical URL belongs to."""
        return self.shard_of(url).words

    def shard_of(self, url: str) -> Shard:
        """The shard that a canonical URL belongs to."""
        return self.shards[shard_of(url.encode("utf-8", "replace"), len(self.shards))]

    def locate(self, url: str) -> Place:
        """Where a URL in any spelling is; NotFoundError names what is near."""
        key = self.address_of(url)
        place = self.find(key) or self.find(self.aliases.end_of(key))
        if place is None:
            raise self.not_found(key)
        return place

    def address_of(self, url: str) -> str:
        """The canonical form of a URL in any spelling; UsageError for what is none."""
        key = address_of(url)
        if key is None:
            raise UsageError(f"{url} is no web address")
        return key

    def not_found(self, key: str, known: Sequence[str] = ()) -> NotFoundError:
        """The error that names what is near: those known to be there, and documents."""
        near = list(dict.fromkeys([*known, *self.near(key)]))[:_SUGGESTED]
        hint = f"; near it are {', '.join(near)}" if near else ""
        return NotFoundError(f"{key} is not in the index{hint}")

    def info(self) -> dict[str, Any]:
        """What the index is, as plain values; the files' sizes are looked up."""
        header = self.header
        dropped = list(accumulate(header.inlinks[:-1]))
        return {
            "path": str(self.path),
            "digest": header.digest,
            "documents": header.documents,
            "crawled": header.crawled,
            "known_by_anchors": header.documents - header.crawled,
            "without_terms": header.empty,
            "listed": header.listed,
            "with_cocited_kin": header.kin,
            "shards": header.shards,
            "signatures": header.config["signatures"],
            "min_inlinks": header.config["index"]["min_inlinks"],
            "min_inlinks_would_drop": {str(k + 1): n for k, n in enumerate(dropped)},
            "frequencies": header.frequencies,
            "bytes": self.sizes(),
            "sources": header.sources,
            "config": header.config,
        }

    def sizes(self) -> dict[str, int]:
        """Bytes of each kind of file, over all shards."""
        sizes: dict[str, int] = {}
        for path in sorted(self.path.rglob("*.arrays")):
            sizes[path.name] = sizes.get(path.name, 0) + path.stat().st_size
        return sizes

    def near(self, key: str) -> list[str]:
        """Other spellings that are in the index, and what else there is on the host."""
        others = spellings(key)
        known = [u for u in others if self.find(u)]
        for start in dict.fromkeys(map(_origin, [key, *known, *others])):
            known += sorted(url for shard in self.shards for url in _beside(shard, start.encode()))
        return list(dict.fromkeys(known))[:_SUGGESTED]


def _origin(url: str) -> str:
    """Scheme, host and port, with the slash behind them."""
    return url[: url.index("/", url.index("//") + 2) + 1]


def _beside(shard: Shard, start: bytes) -> list[str]:
    first = shard.at(start)
    some = islice(range(first, len(shard)), _SUGGESTED)
    return [shard.spelt(k) for k in some if shard.url(k).startswith(start)]
