"""The pairs and their merging against the formulas written down plainly, on random blocks."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from itertools import chain

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.blocks.filters import KeptLink as Link
from pagekin.cocitation import similarity
from pagekin.config import CocitationConfig
from pagekin.stages.pairs import reducer, spilled_page, stripes
from tests.pagekin.cocitation.plain_cocitation import (
    PlainPage,
    block_records,
    edges_of,
    kin_of,
    stripes_of,
    total_similarities,
)

HOSTS = [
    *("a.example", "b.example", "www.b.example", "c.co.uk", "d.co.uk", "e.github.io"),
    *("f.github.io", "localhost", "10.0.0.1", "g.example:8080"),
]
URLS = [f"http://{host}/{path}" for host in HOSTS for path in ("", "x")]
ANCHORS = ["bees", "Bees and honey", "honey", "bee hives", "the", "2", "蜜蜂", "蜜蜂 honey"]
PAGES = ["http://p.example/", "http://q.example/1", "http://q.example/2", "http://r.co.uk/"]
CLOSE = 1e-5  # TS is told in 2^-20


@st.composite
def blocks(draw: st.DrawFn) -> list[Link]:
    """A block of links, with gaps where filters took some out."""
    urls = draw(st.lists(st.sampled_from(URLS), max_size=14, unique=True))
    place, links = 0, []
    for url in urls:
        place += draw(st.sampled_from([0, 0, 1, 7, 60]))
        links.append(Link(url, " ".join(draw(st.sampled_from(ANCHORS)).split()), place))
        place += 1
    return links


def pages() -> st.SearchStrategy[list[PlainPage]]:
    """Pages of a few sites, some of them more than once."""
    page = st.builds(PlainPage, st.sampled_from(PAGES), st.lists(blocks(), max_size=3))
    return st.lists(page, max_size=6)


def configs() -> st.SearchStrategy[CocitationConfig]:
    return st.builds(
        CocitationConfig,
        near=st.sampled_from([0, 2, 8]),
        place=st.sampled_from(["filtered", "block"]),
        stop_words=st.booleans(),
        repetition=st.sampled_from([1, 2, 9]),
        domain_limit=st.sampled_from([0.5, 3.0, 10.0]),
        kin=st.sampled_from([1, 3, 15]),
        threshold=st.sampled_from([0.0, 0.7, 1.0, 2.5, 4.0]),
        reasons=st.sampled_from([0, 1, 3]),
        plain=st.booleans(),
        around=st.sampled_from([2, 4, 8]),
    )


def whole(blocks_: list[PlainPage]) -> list[PlainPage]:
    """Only pages with links: a block without one is no block."""
    return [PlainPage(p.url, [b for b in p.blocks if b]) for p in blocks_]


@given(pages(), configs())
@settings(max_examples=100, deadline=None)
def test_same_as_the_formulas(pages_, config):
    """Every kin has the TS of the formulas, none is missing, and the first M are kept."""
    expected = total_similarities(whole(pages_), config)
    found = kin_of(pages_, replace(config, kin=10_000))
    for url, others in expected.items():
        listed = {kin.url: kin.score for kin in found.get(url, [])}
        for other, score in listed.items():
            assert others[other] == pytest.approx(score, abs=CLOSE)
            assert score >= config.threshold - CLOSE
        clear = {o for o, score in others.items() if score >= config.threshold + CLOSE}
        assert clear <= listed.keys()
    assert found.keys() <= expected.keys()
    best = {url: kin[: config.kin] for url, kin in found.items()}
    assert best == kin_of(pages_, config)


@given(pages(), configs())
@settings(deadline=None)
def test_order(pages_, config):
    """What several domains cite comes first, then the highest TS, then the first URL."""
    for kin in kin_of(pages_, config).values():
        order = [(each.domains == 1, -each.score, each.url.encode()) for each in kin]
        assert order == sorted(order)


@given(pages(), configs(), st.randoms(use_true_random=False))
@settings(deadline=None)
def test_order_and_tasks(pages_, config, chance):
    """Any order of the records and any split into tasks give the same records."""
    records = block_records(pages_)
    one = edges_of(stripes_of(records, config), config)
    chance.shuffle(records)
    cut = chance.randint(0, len(records))
    shuffled = stripes_of(records[:cut], config) + stripes_of(records[cut:], config)
    parts = [[pair for pair in shuffled if len(pair[0]) % 3 == part] for part in range(3)]
    assert sorted(one) == sorted(e for part in parts for e in edges_of(part, config))


@given(pages(), configs())
@settings(deadline=None)
def test_reasons(pages_, config):
    """Reasons are the heaviest domains; if all are kept they add up to TS."""
    for kin in chain.from_iterable(kin_of(pages_, config).values()):
        values = [reason.value for reason in kin.reasons]
        assert min(config.reasons, kin.domains) == len(values)
        assert values == sorted(values, reverse=True)
        divisor = 1.0 if config.plain else 1 + math.log(kin.blocks)
        if kin.domains == len(values):
            assert sum(values) / divisor == pytest.approx(kin.score, abs=CLOSE)
        else:
            assert sum(values) / divisor <= kin.score + CLOSE


@given(pages(), configs())
@settings(deadline=None, max_examples=40)
def test_small_pieces(pages_, config):
    """The same records come out where next to nothing fits into a batch, a piece or a slice."""
    records = block_records(pages_)
    expected = edges_of(stripes_of(records, config), config)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stripes, "_LINKS_AT_ONCE", 3)
        patch.setattr(similarity, "_PAIRS_AT_ONCE", 2)
        patch.setattr(similarity, "_BITS", 2)
        patch.setattr(reducer, "_BATCH_BYTES", 40)
        patch.setattr(reducer, "_PAGE_BYTES", 40)
        patch.setattr(reducer, "_STRIPES_AT_ONCE", 2)
        patch.setattr(spilled_page, "_PARTS", 4)
        patch.setattr(spilled_page, "_PART_BITS", 2)
        patch.setattr(spilled_page, "_ROWS_IN_MEMORY", 5)
        found = edges_of(stripes_of(records, config), config)
    # a page that goes through the disk always tells its URL
    assert sorted(expected) == sorted(set(found) & set(expected))
    assert all(value.startswith(b"!") for _, value in set(found) - set(expected))


def test_many_pages():
    """Hundreds of pages of few sites, where caps and repeated anchors matter."""
    chance = random.Random(1)
    many = [
        PlainPage(
            f"http://site{chance.randrange(4)}.example/{k}",
            [
                [
                    Link(url, chance.choice(ANCHORS).strip(), place)
                    for place, url in enumerate(chance.sample(URLS, 8))
                ]
                for _ in range(2)
            ],
        )
        for k in range(150)
    ]
    config = CocitationConfig(domain_limit=30.0, threshold=4.0)
    expected = total_similarities(many, config)
    found = kin_of(many, config)
    assert len(URLS) == len(found)
    for url, kin in found.items():
        assert 15 == len(kin)
        for each in kin:
            assert expected[url][each.url] == pytest.approx(each.score, abs=CLOSE)
