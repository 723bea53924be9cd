"""What the pages of a sample are: records by kind, domains, and the pages with the most links."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import nlargest
from typing import NamedTuple

from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.web.domains import top_subdomain
from pagekin.web.reader import SnapshotReader
from pagekin.web.sources import Source

__all__ = ["Survey", "WidePage", "survey"]

_SHOWN = 5


class WidePage(NamedTuple):
    """A page, and how many links lead away from it."""

    links: int
    url: str


@dataclass
class Survey:
    """What was seen."""

    pages: int = 0
    records: dict[str, int] = field(default_factory=dict)  # by what became of them
    domains: dict[str, int] = field(default_factory=dict)  # pages of those with the most
    widest: list[WidePage] = field(default_factory=list)


def survey(files: Iterable[Source], config: ReadingConfig) -> Survey:
    """Read all pages once."""
    counters, domains, seen = Counters(), Counter[str](), Survey()
    reader = SnapshotReader(config, counters)
    for page in (page for source in files for page in reader.pages(source.uri)):
        seen.pages += 1
        domains[top_subdomain(page.url)] += 1
        seen.widest = nlargest(_SHOWN, [*seen.widest, WidePage(len(page.flat.hrefs), page.url)])
    seen.records = dict(counters.as_dict().get("records", {}))
    seen.domains = dict(domains.most_common(_SHOWN))
    return seen
