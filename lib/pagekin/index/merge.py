"""Indexes of different pages become one, if they were made with equal parameters.

Documents are taken over as they are, with weights and signatures: the result is the index that one
build would have made of all the bags. What a build derives from its own documents (document
frequencies, mu, sigma) stays what it was for each; `sources` names them all. Neighbours of words
that builds learned of their own documents are left out, unless all learned the same; so is the
standing of pages, which is a matter of all links together. Bags hold topics: indexes whose topics
differ are not merged. Mirrors stay in their groups; pages of different indexes are not compared, so
none of them become mirrors.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from pagekin.bags.bag import Entry
from pagekin.config import BuildConfig, config_of
from pagekin.errors import InputError, UsageError
from pagekin.index.assembling import Mirrors, check_target, index_in_place, write_index
from pagekin.index.folder import ALIASES, LEARNED, TOPICS, IndexFolder
from pagekin.index.mirror_table import Edge, Group, MirrorTable, Spot
from pagekin.index.shard import Shard
from pagekin.index.shard_files import (
    Document,
    Piece,
    in_blocks,
    may_share,
    shard_of,
    shard_pieces,
)
from pagekin.index.verify import verify_files
from pagekin.text.words import Terms

__all__ = ["merge_indexes"]

_EVERY = 1_000  # documents between two reports
_MOST_SHARDS = 100_000  # as for a build

Report = Callable[[int, int], None]
KinPieces = Callable[[Sequence[IndexFolder], int, int, int], Iterable[Piece]]


class _Document(NamedTuple):
    """A document of one of the indexes."""

    url: bytes
    source: int  # the number of the index
    shard: Shard
    id: int

    @property
    def crawled(self) -> bool:
        return self.shard.counts(self.id)[0] == 1

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The greater, the better known."""
        return self.crawled, self.shard.counts(self.id)[1], -self.source


def merge_indexes(
    paths: Sequence[Path],
    target: Path,
    shards: int = 0,
    report: Report = lambda done, total: None,
    kin_pieces: KinPieces = lambda folders, shard, shards, most: (),
) -> dict[str, Any]:
    """Write the merged index; gives what it holds. `kin_pieces` merges the tables of kin."""
    if len(paths) < 2:
        raise UsageError("merge-index takes at least two indexes")
    if not 0 <= shards <= _MOST_SHARDS:
        raise UsageError(f"--shards {shards}: it must be at least 0 and at most {_MOST_SHARDS}")
    check_target(target)
    folders = [IndexFolder(path) for path in paths]
    config = _common_config(folders)
    count = shards or config.index.shards
    config = replace(config, index=replace(config.index, shards=count))
    for folder in folders:  # or the new checksums would call damage sound
        for wrong in verify_files(folder.path, folder.header, folder.files):
            raise InputError(wrong)
    merger = _Merger(folders, count, report, kin_pieces)
    with index_in_place(target) as made:
        header = write_index(
            made,
            config,
            merger.pieces(config),
            [folder.path / ALIASES for folder in folders],
            _frequencies(folders),
            [source for folder in folders for source in folder.header.sources],
            [folders[0].path / name for name in LEARNED if _all_have(folders, name)],
            _mirrors(folders),
        )
        for folder in folders:
            folder.check_heads()
    return {
        "index": str(target),
        "digest": header.digest,
        "documents": header.documents,
        "shards": header.shards,
        "repeated": merger.repeated,
    }


def _all_have(folders: Sequence[IndexFolder], name: str) -> bool:
    """Has every index this file, and do all have the same?"""
    return len({folder.header.files.get(name) for folder in folders}) == 1 and (
        name in folders[0].header.files
    )


def _mirrors(folders: Sequence[IndexFolder]) -> Mirrors | None:
    """The groups of all indexes, if one has some."""
    tables = [(folder, folder.mirrors) for folder in folders if folder.mirrors is not None]
    if not tables:
        return None
    groups = (group for folder, table in tables for group in _groups(folder, table))
    held = (_named(folder, e) for folder, table in tables for e in table.all_contained())
    return Mirrors(groups, held)


def _groups(folder: IndexFolder, table: MirrorTable) -> Iterator[Group]:
    """The groups of an index, with the URLs of their pages."""
    for group in map(table.group, range(len(table))):
        members = [_url_at(folder, spot) for spot in group.members]
        edges = [_named(folder, edge) for edge in group.edges]
        yield group._replace(members=members, edges=edges)


def _named(folder: IndexFolder, edge: Edge) -> Edge:
    return edge._replace(a=_url_at(folder, edge.a), b=_url_at(folder, edge.b))


def _url_at(folder: IndexFolder, spot: Spot) -> bytes:
    return folder.shards[spot.shard].url(spot.document)


def _common_config(folders: Sequence[IndexFolder]) -> BuildConfig:
    """The configuration of all; the number of shards may differ."""
    first = folders[0]
    ours = _parameters(first)
    for other in folders[1:]:
        theirs = _parameters(other)
        for name in [*ours, *theirs]:
            if ours.get(name) != theirs.get(name):
                raise InputError(
                    f"{first.path} and {other.path} cannot be merged: {name} is {ours.get(name)} in"
                    f" the first and {theirs.get(name)} in the other"
                )
    if any(TOPICS in folder.header.files for folder in folders) and not _all_have(folders, TOPICS):
        raise InputError(
            f"{first.path} and the others cannot be merged: each build learned topics of its own,"
            " and a topic of one means nothing in another; build all with --enrich-topics false, or"
            " one index of all snapshots"
        )
    try:
        return config_of(first.header.config)
    except UsageError as error:
        raise InputError(
            f"{first.path} has parameters that this pagekin does not know; build it again"
        ) from error


def _parameters(folder: IndexFolder) -> dict[str, Any]:
    """All parameters but the number of shards, in their order."""
    return {
        f"{section}.{key}": value
        for section, values in folder.header.config.items()
        for key, value in values.items()
        if (section, key) != ("index", "shards")
    }


def _frequencies(folders: Sequence[IndexFolder]) -> dict[str, float]:
    """Bags add up; terms are those of the larger vocabulary at least; moments are means by bags."""
    each = [folder.header.frequencies for folder in folders]
    bags = sum(said["bags"] for said in each)
    means = {
        name: sum(said[name] * said["bags"] for said in each) / bags if bags else 0.0
        for name in ("mu", "sigma")
    }
    return {"bags": bags, "terms": max(said["terms"] for said in each), **means}


class _Merger:
    """Goes through the documents of all indexes, shard by shard of the new one."""

    def __init__(
        self, folders: Sequence[IndexFolder], shards: int, report: Report, kin: KinPieces
    ) -> None:
        self._folders, self._shards, self._report, self._kin = folders, shards, report, kin
        self._total = sum(folder.header.documents for folder in folders)
        self._done = self.repeated = 0

    def pieces(self, config: BuildConfig) -> Iterator[tuple[int, Piece]]:
        """The pieces of the new index."""
        for shard in range(self._shards):
            words: dict[int, Entry] = {}
            documents = in_blocks(self._documents(shard, words))
            for piece in shard_pieces(documents, config, partial(_texts, words)):
                yield shard, piece
            for piece in self._kin(self._folders, shard, self._shards, config.cocitation.kin):
                yield shard, piece

    def _documents(self, shard: int, words: dict[int, Entry]) -> Iterator[Document]:
        """The documents of a new shard; the words of their terms are put to `words`."""
        streams = [
            self._of_shard(source, old, shard)
            for source, folder in enumerate(self._folders)
            for old in folder.shards
            if may_share(len(folder.shards), old.number, self._shards, shard)
        ]
        for _, group in groupby(heapq.merge(*streams, key=_url), key=_url):
            best = self._best(list(group))
            bag, row = best.shard.bag(best.id), best.shard.H[best.id]
            plain = best.shard.bag(best.id, plain=True) if best.shard.is_enriched else None
            for terms in (bag.terms, *([plain.terms] if plain else [])):
                entries = best.shard.words.look_up(terms)
                for term, entry in zip(terms.tolist(), entries, strict=True):
                    words[term] = min(entry, words.get(term, entry))  # of two the first in order
            yield Document(bag, row, plain)

    def _of_shard(self, source: int, old: Shard, shard: int) -> Iterator[_Document]:
        for document in range(len(old)):
            url = old.url(document)
            if shard_of(url, self._shards) == shard:
                self._done += 1
                if not self._done % _EVERY:
                    self._report(self._done, self._total)
                yield _Document(url, source, old, document)

    def _best(self, group: list[_Document]) -> _Document:
        """The best known of the documents of one URL."""
        if sum(one.crawled for one in group) > 1:
            names = " and ".join(str(self._folders[d.source].path) for d in group if d.crawled)
            raise InputError(
                f"{group[0].url.decode()} was read for {names}; indexes of the same pages cannot be"
                " merged"
            )
        self.repeated += len(group) - 1
        return max(group, key=attrgetter("rank"))


_url = attrgetter("url")


def _texts(words: Mapping[int, Entry], terms: Terms) -> list[bytes]:
    return [words[term].text() for term in terms.tolist()]
