"""The pages of an index as a list: documents, and pages that co-citation alone knows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.cocitation.kin_table import RelatedPage
from pagekin.index.shard import Shard
from pagekin.web.urls import host
from tests.indexes import config_of, make_index, random_bags

BAGS = random_bags(60, seed=3)
ONLY = ["http://aa.example/only", "http://c.example/0000", "http://z.example/é"]
KIN = {url: [RelatedPage(BAGS[0].url, 5.0, 1, 1, ())] for url in (*ONLY, BAGS[1].url)}


@pytest.fixture(scope="module", params=[1, 4])
def index(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Index:
    path: Path = tmp_path_factory.mktemp("listed") / "index"
    return Index(make_index(path, BAGS, config_of(request.param), kin=KIN))


def expected() -> Iterator[tuple[str, str, bool, int, bool]]:
    """Every page, in the order of the URLs."""
    known = {bag.url: (bag.url, bag.title, bag.crawled, bag.anchors, True) for bag in BAGS}
    known |= {url: (url, "", False, 0, False) for url in ONLY}
    for url in sorted(known, key=str.encode):
        yield known[url]


def test_all(index: Index) -> None:
    """Every document and every page with kin, once, whatever the shards."""
    assert list(expected()) == list(index.pages())


@pytest.mark.parametrize("read", [True, False])
@pytest.mark.parametrize("of_host", ["a.example", "A.EXAMPLE", "example", "ample", "none.example"])
def test_some(index: Index, of_host: str, read: bool) -> None:
    """Of a host and those below it alone; pages that were read alone."""
    found = list(index.pages(of_host, read=read))
    name = of_host.lower()
    assert found == [
        page
        for page in expected()
        if f".{host(page[0])}".endswith(f".{name}") and (page[2] or not read)
    ]


def test_streaming(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first pages are there before the others are looked at."""
    looked = 0
    counts = Shard.counts

    def counted(shard: Shard, document: int) -> list[int]:
        nonlocal looked
        looked += 1
        return counts(shard, document)

    monkeypatch.setattr(Shard, "counts", counted)
    assert 3 == len(list(islice(index.pages(), 3)))
    assert looked <= 3


def test_empty_index(tmp_path: Path) -> None:
    """No pages."""
    assert [] == list(Index(make_index(tmp_path / "index", [])).pages())
