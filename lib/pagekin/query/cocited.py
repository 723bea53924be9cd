"""Kin by co-citation, from the tables in the index; and the merge of both orders by their ranks.

Several pages are asked for together: a page's score is its mean TS to them, less its mean TS to the
pages that it should be unlike. Nothing is computed here but that: each page is one look-up.

Two orders are merged by reciprocal ranks (Cormack, Clarke, Büttcher: Reciprocal Rank Fusion
Outperforms Condorcet and Individual Rank Learning Methods, 2009): a similarity and a TS have no
common scale, and ranks need none.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pagekin.cocitation.kin_table import KinTable, RelatedPage
from pagekin.index.folder import IndexFolder
from pagekin.index.shard import Shard
from pagekin.query.answer import Citing
from pagekin.tables import UNREADABLE

__all__ = ["RANKS", "Cited", "KinTables", "citing", "fuse", "rank_cited"]

RANKS = 60  # the constant of the paper: how little the first ranks differ


class KinTables:
    """The tables of all shards, opened as they are asked."""

    def __init__(self, folder: IndexFolder) -> None:
        self._folder = folder
        self._tables: dict[int, KinTable] = {}

    def edges(self, url: str) -> list[RelatedPage]:
        """The pages related to a canonical URL, the best first."""
        shard = self._folder.shard_of(url)
        try:
            return self._table(shard).related(url)
        except UNREADABLE as error:
            raise shard.damaged("kin") from error

    def urls(self, shard: Shard) -> list[str]:
        """The pages of a shard that have kin, in no order of use."""
        try:
            return [url for url, _ in self._table(shard).all()]
        except UNREADABLE as error:
            raise shard.damaged("kin") from error

    def _table(self, shard: Shard) -> KinTable:
        if shard.number not in self._tables:
            self._tables[shard.number] = KinTable(shard.kin)
        return self._tables[shard.number]


class Cited(NamedTuple):
    """A page that is cited with those asked for, and the edges that say so."""

    url: str
    score: float
    edges: tuple[RelatedPage, ...]

    @property
    def weak(self) -> bool:
        """Does a single domain vouch for it, beside whichever of the pages?"""
        return all(edge.weak for edge in self.edges)


def rank_cited(
    like: Sequence[list[RelatedPage]], unlike: Sequence[list[RelatedPage]], own: Iterable[str]
) -> list[Cited]:
    """All pages cited with those asked for, the best first and weak ones behind all others; `own`
    are no answers.
    """
    scores: dict[str, float] = {}
    edges: dict[str, list[RelatedPage]] = {}
    for sign, pages in ((1, like), (-1, unlike)):
        for edge in (edge for page in pages for edge in page):
            scores[edge.url] = scores.get(edge.url, 0.0) + sign * edge.score / len(pages)
            if sign > 0:
                edges.setdefault(edge.url, []).append(edge)
    asked = set(own)
    found = [Cited(url, round(scores[url], 12), tuple(e)) for url, e in edges.items()]
    found.sort(key=lambda one: (one.weak, -one.score, one.url.encode()))
    return [one for one in found if one.score > 0 and one.url not in asked]


def citing(cited: Cited) -> list[Citing]:
    """The domains that cite both, heaviest first, with what each adds to the total."""
    told = [
        Citing(
            reason.domain,
            reason.anchor,
            reason.value,
            _share(reason.value, edge.blocks),
            reason.weight,
        )
        for edge in cited.edges
        for reason in edge.reasons
    ]
    return sorted(told, key=lambda one: (-one.contribution, one.domain, one.anchor))


def _share(value: float, blocks: int) -> float:
    """Eq. 13: what remains of a domain's capped sum."""
    return round(value / (1 + math.log(blocks)), 6) if blocks > 0 else 0.0


def fuse(orders: Iterable[Sequence[str]]) -> list[tuple[str, float]]:
    """URLs by the sum of their reciprocal ranks, the best first."""
    scores: dict[str, float] = {}
    for order in orders:
        for rank, url in enumerate(order, 1):
            scores[url] = scores.get(url, 0.0) + 1 / (RANKS + rank)
    rounded = ((url, round(score, 12)) for url, score in scores.items())
    return sorted(rounded, key=lambda one: (-one[1], one[0].encode()))
