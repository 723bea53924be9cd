"""Co-citation regulated by the standing of the citing pages: the formulas, and an attack."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import given, settings

from pagekin.authority.table import ScoreTable
from pagekin.blocks.filters import KeptLink as Link
from pagekin.cocitation.kin_table import RelatedPage
from pagekin.config import AuthorityConfig, CocitationConfig
from pagekin.counters import Counters
from pagekin.kinds import LINKS
from pagekin.stages.authority.rounds import rank_whole, send_whole
from pagekin.stages.authority.table import write_table
from pagekin.stages.link_graph.nodes import join_ends, send_ends
from pagekin.stages.pairs import reducer, spilled_page
from tests.pagekin.cocitation.plain_cocitation import PlainPage, kin_of, total_similarities
from tests.pagekin.cocitation.test_twin import CLOSE, pages

WEIGHTS = {"http://p.example/": 1, "http://q.example/1": 400, "http://q.example/2": 169}


def weight_of(url: str) -> int:
    """Of pages of a test, one of which counts as without regulation."""
    return WEIGHTS.get(url, 100)


def totals_of(kin: dict[str, list[RelatedPage]]) -> dict[str, dict[str, float]]:
    return {url: {page.url: page.score for page in found} for url, found in kin.items()}


CONFIG = CocitationConfig(regulate="pagerank", threshold=0.001, kin=1_000, repetition=2)


@settings(deadline=None, max_examples=40)
@given(pages())
def test_formulas(made):
    """TS is that of the formulas with S times the weight of the page; reasons tell the weights."""
    kin = kin_of(made, CONFIG, weight_of)
    expected = total_similarities(made, CONFIG, lambda url: weight_of(url) / 100)
    for one, others in expected.items():
        for other, total in others.items():
            found = totals_of(kin).get(one, {}).get(other, 0.0)
            assert total == pytest.approx(found, abs=CLOSE) or total < 0.001 + CLOSE
    known = {weight_of(page.url) / 100 for page in made}
    told = {reason.weight for found in kin.values() for page in found for reason in page.reasons}
    assert told <= known


def test_in_pieces(monkeypatch):
    """A page that is merged in pieces has the kin of one that is merged at once."""
    chance = random.Random(1)
    urls = [f"http://{host}.example/" for host in "abcdefgh"]
    made = [_page(url, chance.sample(urls, 5), chance) for url in [*WEIGHTS, *urls] * 3]
    expected = kin_of(made, CONFIG, weight_of)
    monkeypatch.setattr(reducer, "_PAGE_BYTES", 1_000)
    monkeypatch.setattr(reducer, "_BATCH_BYTES", 500)
    monkeypatch.setattr(spilled_page, "_PARTS", 4)
    monkeypatch.setattr(spilled_page, "_PART_BITS", 2)
    assert expected == kin_of(made, CONFIG, weight_of)
    assert expected != kin_of(made, CONFIG)


# --- the attack ---

SITES, TOPICS, PAGES = 1_000, 50, 5_000
SPAM_SITES, SPAM_PAGES = 500, 1_000


def site(number: int) -> str:
    return f"http://site{number}.example/"


@cache
def attacked_web() -> list[PlainPage]:
    """5,000 pages on 1,000 sites of 50 topics, each with a list of ten links, eight of them to
    sites of its topic; and 1,000 pages on 500 other sites, which nobody links to, with a list of
    the same two sites of different topics.
    """
    chance = random.Random(1)
    made = []
    for number in range(PAGES):
        own = number % SITES
        of_topic = [k for k in range(own % TOPICS, SITES, TOPICS) if k != own]
        cited = [*chance.sample(of_topic, 8), *chance.sample(range(SITES), 2)]
        links = [site(k) for k in dict.fromkeys(cited) if k != own]
        made.append(_page(f"{site(own)}{number}", links, chance))
    for number in range(SPAM_PAGES):
        url = f"http://spam{number % SPAM_SITES}.example/{number}"
        made.append(_page(url, [site(0), site(1)], chance))
    return made


def _page(url: str, links: list[str], chance: random.Random) -> PlainPage:
    anchors = [f"{chance.choice('abcdefgh')} shop" for _ in links]
    block = [
        Link(link, anchor, k) for k, (link, anchor) in enumerate(zip(links, anchors, strict=True))
    ]
    return PlainPage(url, [block])


def scores_of(web: list[PlainPage], path: Path) -> ScoreTable:
    """The table of scores that a build makes of these pages."""
    config, counters = AuthorityConfig(), Counters()
    records = []
    for page in web:
        urls = " ".join(link.url for block in page.blocks for link in block)
        records.append((LINKS.prefix + page.url.encode(), b"|%b|" % urls.encode()))
    graph = join_ends(sorted(send_ends(records, config)), Counters())
    ranks = list(rank_whole(sorted(send_whole(graph)), config, counters))
    write_table(path, ranks, counters.as_dict()["ranks"])
    return ScoreTable(path)


def kin_of_victim(weight: Callable[[str], int] | None = None) -> list[RelatedPage]:
    config = CocitationConfig(threshold=0.5, kin=1_000, regulate="pagerank" if weight else "none")
    kin = kin_of(attacked_web(), config, weight) if weight else kin_of(attacked_web(), config)
    return kin[site(0)]


def test_attack(tmp_path):
    """Pages that nobody links to make two unrelated sites kin, the first of all; regulated by
    PageRank their total falls by more than nine tenths, and both leave the first ten."""
    table = scores_of(attacked_web(), tmp_path / "authority.arrays")
    free = kin_of_victim()
    regulated = kin_of_victim(partial(table.weight, by="pagerank"))
    assert site(1) == free[0].url
    totals = {page.url: page.score for page in regulated}
    assert totals.get(site(1), 0.0) < free[0].score / 10
    first = [page.url for page in regulated[:10]]
    assert site(1) not in first
    topic = {site(k) for k in range(0, SITES, TOPICS)}
    assert topic.issuperset(first)


def test_hubs_do_not_resist(tmp_path):
    """By hubs they stay kin: the pages of the attack are good hubs of each other's targets."""
    table = scores_of(attacked_web(), tmp_path / "authority.arrays")
    assert 100 < table.weight("http://spam1.example/1", "hubs")
    assert 1 == table.weight("http://spam1.example/1", "pagerank")
