"""Answers that prefer pages of high standing, by every source."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from pagekin import Index, NotFoundError, UsageError
from pagekin.cocitation.kin_table import RelatedPage
from pagekin.web.urls import host
from tests.indexes import config_of, make_index, random_bags

BAGS = random_bags(60, 3)
K, WEIGHT = 6, 2.0
WAYS = ["bags", "cocitation", "both"]


def scores() -> list[tuple[str, float, int, int]]:
    """Half of the pages, and three of the five hosts, are linked to."""
    chance = random.Random(2)
    pages = [(bag.url, float(chance.choice([1, 2, 5, 40])), 1, 1) for bag in BAGS[::2]]
    hosts = [
        (f"//{name}.example", rank, 1, 1) for name, rank in (("a", 1.0), ("b", 3.0), ("c", 9.0))
    ]
    return [*pages, *hosts]


@pytest.fixture(scope="module", params=[1, 3])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    chance = random.Random(4)
    urls = [bag.url for bag in BAGS]
    kin = {
        url: [
            RelatedPage(other, chance.randrange(1, 9) / 4, 3, chance.choice([1, 2, 5]), ())
            for other in chance.sample(urls, 12)
            if other != url
        ]
        for url in urls
    }
    folder = tmp_path_factory.mktemp("preferring") / "index"
    config = config_of(request.param)
    return Index(make_index(folder, BAGS, config, kin=kin, scores=scores()))


def expected(index: Index, url: str, by: str, per_host: int) -> list[tuple[str, float]]:
    """All answers, put in order and counted by host in the plain way."""
    found = index.related(url, 1_000, by=by, per_host=0, alpha=0)
    told = []
    for kin in found:
        standing = index.authority(kin.url).standing
        score = round(kin.score * (1 + WEIGHT * standing), 12)
        rank = (kin.weak if by == "cocitation" else False, not kin.read)
        told.append((rank, -score, kin.url))
    of_host: dict[str, int] = {}
    kept = []
    for _, score, other in sorted(told):
        name = host(other)
        of_host[name] = of_host.get(name, 0) + 1
        if not per_host or of_host[name] <= per_host:
            kept.append((other, -score))
    return kept[:K]


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("per_host", [0, 2])
def test_order(index, by, per_host):
    """The order is that of scores times 1 + weight x standing; read pages stay before others, and
    weak kin behind them; hosts are counted in this order."""
    met = 0
    for bag in BAGS[:20]:
        how = {"by": by, "alpha": 0, "per_host": per_host}
        found = index.related(bag.url, K, prefer={"authority": WEIGHT}, **how)
        assert expected(index, bag.url, by, per_host) == [(kin.url, kin.score) for kin in found]
        met += [kin.url for kin in found] != [kin.url for kin in index.related(bag.url, K, **how)]
    assert met > 5


@pytest.mark.parametrize("by", WAYS)
def test_none_preferred(index, by):
    """A weight of 0 changes nothing, and needs no table."""
    url = BAGS[0].url
    assert index.related(url, by=by) == index.related(url, by=by, prefer={"authority": 0})


@pytest.mark.parametrize("by", WAYS)
def test_reasons(index, by):
    """Reasons tell the standing and what the score was multiplied by."""
    for kin in index.related(BAGS[1].url, by=by, alpha=0, why=True, prefer={"authority": 0.5}):
        assert kin.why.standing == index.authority(kin.url).standing
        assert 1 + kin.why.standing / 2 == kin.why.preferred_by
    for kin in index.related(BAGS[1].url, by=by, alpha=0, why=True):
        assert (None, 1.0) == (kin.why.standing, kin.why.preferred_by)


def test_many_pages(index):
    """`related_each` gives what `related` gives."""
    urls = [bag.url for bag in BAGS[:5]]
    how = {"alpha": 0, "prefer": {"authority": 1}}
    assert [index.related(url, **how) for url in urls] == list(index.related_each(urls, **how))


@pytest.mark.parametrize("prefer", [{"fame": 1}, {"authority": -1}, {"authority": "much"}])
def test_wrong(index, prefer):
    """Only authority, and a number."""
    with pytest.raises(UsageError, match="it takes authority and a number from 0 to 10"):
        index.related(BAGS[0].url, prefer=prefer)


def test_no_scores(tmp_path: Path):
    """An index without scores says how to make them."""
    index = Index(make_index(tmp_path / "index", BAGS))
    with pytest.raises(NotFoundError, match="--authority-scores true"):
        index.related(BAGS[0].url, prefer={"authority": 0.1})
