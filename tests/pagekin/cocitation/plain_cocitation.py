"""Eq. 5 to 13 of the paper as they stand there, with dictionaries and floating-point numbers."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from pagekin.blocks.filters import KeptLink as Link
from pagekin.cocitation.block_record import blocks_value
from pagekin.cocitation.kin_table import RelatedPage, parse_kin
from pagekin.config import CocitationConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.pairs.reducer import make_edges
from pagekin.stages.pairs.stripes import make_stripes
from pagekin.stages.related.best_kin import select_best
from pagekin.text.tokens import needs_segmenting, tokenise
from pagekin.text.words import stemmer, stop_words
from pagekin.web.urls import top_subdomain

Scores = dict[str, dict[str, float]]


class PlainPage(NamedTuple):
    """A page with its blocks."""

    url: str
    blocks: list[list[Link]]


# --- the formulas ---


@cache
def stopped(language: str) -> frozenset[str]:
    return frozenset(stemmer(language)(sorted(stop_words(language))))


@cache
def words(anchor: str, stop: bool) -> frozenset[str]:
    kept = set()
    for word in tokenise(anchor):
        language = "zh" if needs_segmenting(word) else "en"
        (term,) = stemmer(language)([word])
        if term and not (stop and term in stopped(language)):
            kept.add(term)
    return frozenset(kept)


def proximity(i: int, j: int, near: int) -> float:
    apart = abs(i - j)
    return 1.0 if apart <= near else math.exp(-(apart - near) / 2)  # Eq. 5


def likeness(one: str, other: str, config: CocitationConfig) -> float:
    a, b = words(one, config.stop_words), words(other, config.stop_words)
    return len(a & b) / len(a | b) if a | b else 0.0  # Eq. 6


def joined(page: PlainPage) -> PlainPage:
    first: dict[str, Link] = {}
    for block in page.blocks:
        for link in block:
            first.setdefault(link.url, link)
    return PlainPage(page.url, [list(first.values())])


def page_pairs(page: PlainPage, config: CocitationConfig) -> dict[tuple[str, str], tuple]:
    """(p1, p2) -> S_p and the anchors of both; both orders."""
    found: dict[tuple[str, str], tuple] = {}
    for block in page.blocks:
        places = enumerate(block)
        if config.place == "block" and not config.plain:
            places = ((link.place, link) for link in block)
        placed = list(places)
        for i, one in placed:
            for j, other in placed:
                if top_subdomain(one.url) == top_subdomain(other.url):
                    continue
                if config.plain:
                    if len(block) > config.around + 1 and abs(i - j) > config.around // 2:
                        continue
                    value = 1.0
                else:
                    value = proximity(i, j, config.near)
                    value *= 1 + likeness(one.anchor, other.anchor, config)  # Eq. 7
                found.setdefault((one.url, other.url), (value, one.anchor, other.anchor))
    return found


def total_similarities(
    pages: Iterable[PlainPage],
    config: CocitationConfig,
    weight_of: Callable[[str], float] = lambda url: 1.0,
) -> Scores:
    """p1 -> p2 -> TS(p1 -> p2); `weight_of` a page multiplies S."""
    pages = [joined(page) if config.plain else page for page in pages]
    groups: dict[tuple[str, str], dict[str, dict[tuple[str, float], list[float]]]] = {}
    inlinks: dict[str, int] = defaultdict(int)
    for page in pages:
        for block in page.blocks:
            for url in {link.url for link in block}:
                inlinks[url] += 1
        for pair, (value, _, anchor) in page_pairs(page, config).items():
            weight = weight_of(page.url)
            by_domain = groups.setdefault(pair, {}).setdefault(top_subdomain(page.url), {})
            by_domain.setdefault((anchor, weight), []).append(value * weight)  # Eq. 11
    totals: Scores = {}
    for (one, other), by_domain in groups.items():
        if config.plain:
            total = sum(sum(v) for anchors in by_domain.values() for v in anchors.values())
            divisor = 1.0
        else:
            total = sum(capped(anchors, config) for anchors in by_domain.values())
            divisor = 1 + math.log(inlinks[other])
        totals.setdefault(one, {})[other] = total / divisor  # Eq. 13
    return totals


def capped(anchors: dict[tuple[str, float], list[float]], config: CocitationConfig) -> float:
    best = (sum(sorted(values)[-config.repetition :]) for values in anchors.values())
    return min(config.domain_limit, sum(best))  # Eq. 12


# --- the jobs' functions without the jobs ---


def block_records(pages: Iterable[PlainPage]) -> list[Pair]:
    return [(p.url.encode(), blocks_value(top_subdomain(p.url), p.blocks)) for p in pages]


def stripes_of(
    records: Iterable[Pair],
    config: CocitationConfig,
    weight_of: Callable[[str], int] = lambda url: 100,
) -> list[Pair]:
    return list(make_stripes(records, config, Counters(), weight_of))


def edges_of(stripes: Iterable[Pair], config: CocitationConfig) -> list[Pair]:
    return list(make_edges(sorted(stripes), config, Counters()))


def kin_of(
    pages: Iterable[PlainPage],
    config: CocitationConfig,
    weight_of: Callable[[str], int] = lambda url: 100,
) -> dict[str, list[RelatedPage]]:
    """Each page's kin, by the functions that the jobs call; `weight_of` a page is in hundredths."""
    edges = edges_of(stripes_of(block_records(pages), config, weight_of), config)
    best = select_best(sorted(edges), config.kin, Counters())
    return dict(parse_kin(value) for _, value in best)
