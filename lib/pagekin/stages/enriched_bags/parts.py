"""The parts that a configuration adds to bags, and the tables that they are made with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pagekin.bags.bag import BagColumns, Bags
from pagekin.config import EnrichConfig
from pagekin.enrich.mixture import RELATED, EnrichedBags, Part, enrich
from pagekin.enrich.neighbours import Neighbours
from pagekin.errors import UsageError
from pagekin.stages.declaration import Table
from pagekin.stages.term_neighbours import NEIGHBOUR_TABLE

__all__ = ["Enricher"]


class Enricher:
    """Adds to bags what the configuration asks for."""

    def __init__(self, config: EnrichConfig, tables: Mapping[str, Path]) -> None:
        self._config = config
        self._neighbours = Neighbours(_required(tables, NEIGHBOUR_TABLE)) if config.words else None

    def enrich(self, plain: Bags) -> EnrichedBags:
        """These bags, enriched."""
        words = list(self._words(plain.columns()))
        return enrich(plain, words, None, self._config.terms)

    def _words(self, bags: BagColumns) -> list[Part]:
        if self._neighbours is None:
            return []
        return [Part(RELATED, self._config.words_share, self._neighbours.expand(bags))]


def _required(tables: Mapping[str, Path], table: Table) -> Path:
    if table.option not in tables:
        raise UsageError(f"--{table.option} is needed: {table.about}")
    return tables[table.option]
