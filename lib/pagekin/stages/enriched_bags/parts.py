"""The parts that a configuration adds to bags, and the tables that they are made with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pagekin.bags.bag import BagColumns, Bags, EnrichedBags
from pagekin.config import EnrichConfig
from pagekin.enrich.links import Contexts
from pagekin.enrich.mixture import (
    CITED,
    CITING,
    COCITED,
    RELATED,
    TOPICS,
    Part,
    enrich,
)
from pagekin.enrich.neighbours import Neighbours
from pagekin.enrich.topics import Topics, topic_shares
from pagekin.errors import UsageError
from pagekin.stages.contexts import CONTEXT_TABLE
from pagekin.stages.declaration import Table
from pagekin.stages.term_neighbours import NEIGHBOUR_TABLE
from pagekin.stages.topics import TOPICS as TOPIC_TABLE

__all__ = ["Enricher"]


class Enricher:
    """Adds to bags what the configuration asks for."""

    def __init__(self, config: EnrichConfig, tables: Mapping[str, Path]) -> None:
        self._config = config
        self._contexts = Contexts(_required(tables, CONTEXT_TABLE)) if config.links else None
        self._neighbours = Neighbours(_required(tables, NEIGHBOUR_TABLE)) if config.words else None
        self._topics = Topics(_required(tables, TOPIC_TABLE)) if config.topics else None

    def enrich(self, plain: Bags) -> EnrichedBags:
        """These bags, enriched."""
        bags = plain.columns()
        words = [*self._words(bags), *self._links(plain.urls)]
        return enrich(plain, words, self._tokens(bags), self._config.terms)

    def _tokens(self, bags: BagColumns) -> Part | None:
        if self._topics is None:
            return None
        shares = topic_shares(bags, self._config.topics_share)
        return Part(TOPICS, shares, self._topics.tokens(bags))

    def _words(self, bags: BagColumns) -> list[Part]:
        if self._neighbours is None:
            return []
        return [Part(RELATED, self._config.words_share, self._neighbours.expand(bags))]

    def _links(self, urls: list[bytes]) -> list[Part]:
        if self._contexts is None:
            return []
        parts = zip((CITING, CITED, COCITED), self._contexts.parts(urls), strict=True)
        return [Part(source, self._config.links_share, bags) for source, bags in parts]


def _required(tables: Mapping[str, Path], table: Table) -> Path:
    if table.option not in tables:
        raise UsageError(f"--{table.option} is needed: {table.about}")
    return tables[table.option]
