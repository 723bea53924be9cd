"""An index, open for reading: what it says of itself, its shards, and where a URL is in them.

    INDEX/index.json        what it is, its parameters, where it came from; under a checksum
    INDEX/aliases.arrays    URLs that stand for others
    INDEX/shard-00000/      the documents of a shard (`pagekin.index.shard_files`)

index.json holds no time, no address and no name of a machine: the same snapshot and configuration
give the same bytes wherever they are built.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from functools import cached_property
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import xxhash

from pagekin.errors import InputError, NotFoundError, UsageError
from pagekin.index.near import near_urls
from pagekin.index.shard import Shard
from pagekin.index.shard_files import SHARD_FILES, shard_of
from pagekin.tables import UNREADABLE, allow_open, damaged
from pagekin.web.resolution import Resolution
from pagekin.web.urls import address_of, spellings

__all__ = [
    "ALIASES",
    "HEADER",
    "IndexFolder",
    "IndexHeader",
    "Place",
    "is_header",
    "read_header",
    "write_header",
]

HEADER = "index.json"
ALIASES = "aliases.arrays"

_FORMAT = 2  # 1 had no titles
_KIND = "pagekin index"
_OPENING = 16  # bytes before and around it, however the JSON is laid out
_SUGGESTED = 5
_HANDLES = len(SHARD_FILES)  # of a shard: mapped files
_OTHER_HANDLES = 64  # that a process has besides: logs, sockets, libraries


@dataclass(frozen=True)
class IndexHeader:
    """What an index says of itself."""

    config: dict[str, dict[str, Any]]  # the whole configuration of the build
    shards: int
    documents: int
    listed: int  # documents that stand in I
    crawled: int
    empty: int  # documents without a term
    inlinks: list[int]  # documents with 0, 1, 2 ... inlinks; the last counts all above
    frequencies: dict[str, float]  # bags, terms, mu, sigma
    files: dict[str, str]  # file -> checksum of its data
    sources: list[dict[str, Any]] = field(default_factory=list)  # snapshots: pagekin, files, bytes
    kin: int = 0  # pages with related pages by co-citation
    titled: int = 0  # documents with a title

    @property
    def digest(self) -> str:
        """One number for all that is stored."""
        text = json.dumps([self.config, self.files], sort_keys=True)
        value: str = xxhash.xxh3_128_hexdigest(text.encode())
        return value


def write_header(folder: Path, header: IndexHeader) -> None:
    """Write index.json."""
    (folder / HEADER).write_bytes(_rendered(asdict(header)))


def read_header(folder: Path) -> IndexHeader:
    """The header of an index; InputError says why a folder is none."""
    path = folder / HEADER
    if not folder.is_dir():
        raise InputError(f"{folder}: there is no such folder; `pagekin build --index` makes one")
    if not path.is_file():
        within = f"; the one in {folder}/index is" if (folder / "index" / HEADER).is_file() else ""
        raise InputError(f"{folder} is no index (it has no {HEADER}){within}")
    try:
        text = path.read_bytes()
        said = json.loads(text)
        number = said.pop(_KIND)
        checksum = said.pop("checksum") if number == _FORMAT else ""
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it cannot be read; build the index again") from error
    if number != _FORMAT:
        raise InputError(
            f"{folder} is an index of format {number}; this pagekin reads format {_FORMAT}:"
            " build it again"
        )
    if checksum != _checksum(said) or text != _rendered(said):
        raise InputError(f"{path} is damaged: its checksum does not match; build the index again")
    if set(said) != {f.name for f in fields(IndexHeader)}:
        raise InputError(f"{path} says other things than this pagekin reads; build the index again")
    return IndexHeader(**said)


def is_header(path: Path) -> bool:
    """Is this file the header of an index, if perhaps a damaged one or of another format?"""
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return _KIND.encode() in file.read(len(_KIND) + _OPENING)


def _rendered(said: dict[str, Any]) -> bytes:
    return json.dumps({_KIND: _FORMAT, "checksum": _checksum(said), **said}, indent=1).encode()


def _checksum(said: dict[str, Any]) -> str:
    value: str = xxhash.xxh3_128_hexdigest(json.dumps(said, sort_keys=True).encode())
    return value


class Place(NamedTuple):
    """A document: its shard, and its id there."""

    shard: Shard
    document: int

    @property
    def url(self) -> str:
        return self.shard.spelt(self.document)

    @property
    def title(self) -> str:
        return self.shard.title(self.document)


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
        key = _encoded(url)
        shard = self.shards[shard_of(key, len(self.shards))]
        document = shard.find(key)
        return Place(shard, document) if document >= 0 else None

    def shard_of(self, url: str) -> Shard:
        """The shard that a canonical URL belongs to."""
        return self.shards[shard_of(_encoded(url), len(self.shards))]

    def locate(self, url: str) -> Place:
        """Where a URL in any spelling is; NotFoundError names what is near."""
        for form in self.forms(url):
            if place := self.find(form):
                return place
        raise self.not_found(url)

    def forms(self, url: str) -> Iterator[str]:
        """The canonical URLs that a URL in any spelling may mean: itself, if it is one; what it
        is canonically; what that stands for; its other spellings. UsageError for what is no web
        address.
        """
        yield url
        key = _canonical(url)
        if key != url:
            yield key
        try:
            end = self.aliases.end_of(key)
        except UNREADABLE as error:
            raise damaged(self.path / ALIASES) from error
        if end != key:
            yield end
        yield from spellings(key)

    def not_found(self, url: str) -> NotFoundError:
        """The error that names documents that are near."""
        key = _canonical(url)
        near = near_urls(self.shards, key, _SUGGESTED)
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
            "with_title": header.titled,
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


def _encoded(url: str) -> bytes:
    return url.encode("utf-8", "surrogatepass")  # what is no text is in no index


def _canonical(url: str) -> str:
    key = address_of(url)
    if key is None:
        raise UsageError(f"{url} is no web address")
    return key
