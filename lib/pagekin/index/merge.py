"""Indexes of different pages become one, if they were made with equal parameters.

Documents are taken over as they are, with weights and signatures: the result is the index that one
build would have made of all the bags. What a build derives from its own documents (document
frequencies, mu, sigma) stays what it was for each; `sources` names them all.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple

from pagekin.bags.dictionary import Entry
from pagekin.config import BuildConfig, from_dict
from pagekin.errors import InputError, UsageError
from pagekin.index.assembling import check_target, index_in_place, write_index
from pagekin.index.building import Document, Piece, in_blocks, shard_pieces
from pagekin.index.folder import IndexFolder
from pagekin.index.inversion import Numbers
from pagekin.index.layout import ALIASES, may_share, shard_of
from pagekin.index.shard import Shard
from pagekin.index.verify import wrong_files

__all__ = ["merge_indexes"]

_EVERY = 1_000  # documents between two reports
_MOST_SHARDS = 100_000  # as for a build

Report = Callable[[int, int], None]
KinPieces = Callable[[Sequence[IndexFolder], int, int, int], Iterable[Piece]]


class _Held(NamedTuple):
    """A document of one of the indexes."""

    url: bytes
    source: int
    shard: Shard
    document: int

    @property
    def crawled(self) -> bool:
        return bool(self.shard.urls["crawled"][self.document])

    @property
    def rank(self) -> tuple[bool, int, int]:
        """The greater, the better known."""
        return self.crawled, int(self.shard.urls["anchors"][self.document]), -self.source


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
    for wrong in (sentence for f in folders for sentence in wrong_files(f.path, f.header)):
        raise InputError(wrong)  # or the new checksums would call damage sound
    merger = _Merger(folders, count, report, kin_pieces)
    with index_in_place(target) as made:
        header = write_index(
            made,
            config,
            merger.pieces(config),
            [folder.path / ALIASES for folder in folders],
            _frequencies(folders),
            [source for folder in folders for source in folder.header.sources],
        )
    return {
        "index": str(target),
        "digest": header.digest,
        "documents": header.documents,
        "shards": header.shards,
        "repeated": merger.repeated,
    }


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
    try:
        return from_dict(first.header.config)
    except (KeyError, TypeError) as error:
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
        count, least = config.signatures.count, config.index.min_inlinks
        for shard in range(self._shards):
            words = _Words()
            documents = self._documents(shard, words)
            for piece in shard_pieces(in_blocks(documents), count, least, words.texts):
                yield shard, piece
            for piece in self._kin(self._folders, shard, self._shards, config.cocitation.kin):
                yield shard, piece

    def _documents(self, shard: int, words: _Words) -> Iterator[Document]:
        streams = [
            self._of_shard(source, old, shard)
            for source, folder in enumerate(self._folders)
            for old in folder.shards
            if may_share(len(folder.shards), old.number, self._shards, shard)
        ]
        for _, group in groupby(heapq.merge(*streams, key=_url), key=_url):
            held = self._best(list(group))
            bag = held.shard.bag(held.document)
            words.learn(held.shard, bag.terms)
            yield Document(bag, held.shard.H[held.document])

    def _of_shard(self, source: int, old: Shard, shard: int) -> Iterator[_Held]:
        for document in range(len(old)):
            url = old.url(document)
            if shard_of(url, self._shards) == shard:
                self._done += 1
                if not self._done % _EVERY:
                    self._report(self._done, self._total)
                yield _Held(url, source, old, document)

    def _best(self, group: list[_Held]) -> _Held:
        """The best known of the documents of one URL."""
        if sum(held.crawled for held in group) > 1:
            names = " and ".join(str(self._folders[h.source].path) for h in group if h.crawled)
            raise InputError(
                f"{group[0].url.decode()} was read for {names}; indexes of the same pages cannot be"
                " merged"
            )
        self.repeated += len(group) - 1
        return max(group, key=attrgetter("rank"))


_url = attrgetter("url")


class _Words:
    """The words of the terms of one new shard, taken over from the old ones."""

    def __init__(self) -> None:
        self._known: dict[int, Entry] = {}

    def learn(self, shard: Shard, terms: Numbers) -> None:
        """Take over the words of these terms; of two words for one the first in order stays."""
        entries = shard.words.look_up(terms)
        for hash_, entry in zip(terms.tolist(), entries, strict=True):
            known = self._known.get(hash_)
            if known is None or entry < known:
                self._known[hash_] = entry

    def texts(self, terms: Numbers) -> list[bytes]:
        return [self._known[hash_].text() for hash_ in terms.tolist()]
