"""What the twins of the bags do not show: limits of memory, and pages that claim the same URL."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.bags.bag import parse_bag
from pagekin.config import BagConfig, BuildConfig, WindowConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.fragments import merge
from pagekin.stages.fragments.merge import BagMerger
from pagekin.stages.fragments.parcels import PageFragments, UrlRanges, pack
from tests.pagekin.stages.fragments.test_parcels import a_page, ranges, said, terms

KEY = b"http://a.example/"
LIMITS = {
    "_TOGETHER": st.sampled_from([0, 100, 1 << 20]),
    "_SUMMED": st.sampled_from([1, 10, 1 << 20]),
    "_HELD": st.sampled_from([0, 100, 500, 1 << 20]),
    "_MOST_URLS": st.sampled_from([1, 2, 0xFFFF]),
    "_RECORD_TERMS": st.sampled_from([1, 3, 1 << 20]),
    "_OPEN_FILES": st.integers(1, 4),
}
BAGS = st.sampled_from(
    [
        BagConfig(),
        BagConfig(headings=0.5, citing_title=0.5, links=2.0, same_host="weigh"),
        BagConfig(urls="crawled"),
        dataclasses.replace(BagConfig(), max_terms=2),
    ]
)


def merged(pairs: list[Pair], bag: BagConfig) -> tuple[list[Pair], object]:
    """The bags of sorted records, and what was counted."""
    counters = Counters()
    merger = BagMerger(bag, WindowConfig(), counters)
    return list(merger.merge(sorted(pairs))), counters.as_dict()


@given(st.lists(said(), max_size=8), ranges(), BAGS, st.fixed_dictionaries(LIMITS))
@settings(max_examples=300, deadline=None)
def test_any_pieces(
    pages: list[PageFragments], some: UrlRanges, bag: BagConfig, limits: dict[str, int]
) -> None:
    """However much is opened, summed or held together: the same bags, in order, and the same
    counts; so it is of links that are summed before.
    """
    sent = list(pack(pages, some))
    expected = merged(sent, bag)
    with pytest.MonkeyPatch.context() as patch:
        for name, limit in limits.items():
            patch.setattr(merge, name, limit)
        assert expected == merged(sent, bag)
        half = len(pages) // 2
        folded = [
            (some.key_of(url), value)
            for part in (pages[:half], pages[half:])
            for url, value in merge.BagMerger(bag, WindowConfig(), Counters()).fold(
                sorted(pack(part, some))
            )
        ]
        assert expected == merged(folded, bag)
    assert sorted(expected[0]) == expected[0]


def test_large_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is too much for a reducer lies on disk, in few files, and is gone behind it."""
    page = a_page([f"http://a.example/{k}" for k in range(10)], range(50))
    parcels = [pair for pair in pack([page], UrlRanges()) if b"//a." in pair[0]] * 300
    expected = merged(parcels, BagConfig())
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(merge, "_HELD", 5000)
    monkeypatch.setattr(merge, "_TOGETHER", 0)
    monkeypatch.setattr(merge, "_OPEN_FILES", 8)
    bags = BagMerger(BagConfig(), WindowConfig(), Counters()).merge(parcels)
    first = next(bags)
    (folder,) = tmp_path.iterdir()
    assert 1 <= len(list(folder.iterdir())) <= 9
    assert expected[0] == [first, *bags]
    assert [] == list(tmp_path.iterdir())


def test_little_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges are opened as they come, not all at the end."""
    monkeypatch.setattr(merge, "_TOGETHER", 1000)
    taken = 0

    def parcels() -> Iterator[Pair]:
        nonlocal taken
        for k in range(1000):
            taken += 1
            yield from list(pack([a_page([f"http://h{k:04}.example/"])], UrlRanges()))[:1]

    next(BagMerger(BagConfig(), WindowConfig(), Counters()).merge(parcels()))
    assert taken < 50


def test_ever_more_links_to_one_url(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a URL with ever more links in the same words no more is held than of a few."""
    monkeypatch.setattr(merge, "_HELD", 20_000)
    most = 0

    def parcels() -> Iterator[Pair]:
        for _ in range(2000):
            yield from list(pack([a_page(["http://a.example/"], range(60))], UrlRanges()))[:1]

    merger = BagMerger(BagConfig(), WindowConfig(), Counters())
    fold = merger.fold

    def watched(pairs: list[Pair]) -> list[Pair]:
        nonlocal most
        most = max(most, sum(len(value) for _, value in pairs))
        return fold(pairs)

    monkeypatch.setattr(merger, "fold", watched)
    [(_, value)] = merger.merge(parcels())
    assert value.startswith(b"0 2000 2000 1 ")
    assert 20_000 < most < 25_000


@pytest.mark.parametrize("held", [1 << 20, 100, 0])
def test_too_many_terms(monkeypatch: pytest.MonkeyPatch, held: int) -> None:
    """The heaviest terms of all links stay, of equal ones the smaller hashes; what looks light in
    each piece of the links may be heavy in the end."""
    monkeypatch.setattr(merge, "_HELD", held)
    sent = []
    for k, text in enumerate([[50, 60, 50, 60, 99], [20, 30, 20, 30, 99], [40, 99], [99]]):
        page = a_page(["http://a.example/"], text)
        whole = page.fragments._replace(start=page.fragments.low, end=page.fragments.high)
        page = page._replace(fragments=whole, host=b"host%04d" % k)
        sent += [pair for pair in pack([page], UrlRanges()) if pair[0] == KEY]
    [(key, value)], counts = merged(sent, BagConfig(max_terms=3))
    bag = parse_bag(key, value)
    assert ([20, 30, 99], [10.0, 10.0, 20.0]) == (bag.terms.tolist(), bag.weights.tolist())
    assert counts == {"bags": {"urls": 1, "anchors": 4, "terms": 3, "terms_over_limit": 3}}


FEW_TERMS = st.lists(st.integers(16, 18), max_size=3)
TITLED = st.tuples(st.booleans(), FEW_TERMS, FEW_TERMS, st.sampled_from(["", "A", "a | b"]))


@given(st.lists(TITLED, min_size=2, max_size=4), st.sampled_from([0, 1 << 20]))
@settings(deadline=None)
def test_pages_that_claim_one_url(
    pages: list[tuple[bool, list[int], list[int], str]], held: int
) -> None:
    """The page at the URL counts, else the one with the smallest terms, whatever the order; a title
    that ends is behind one that goes on. The title that is shown is that of the same page."""
    sent = []
    for is_own, title, text, shown in pages:
        page = a_page([], text)._replace(is_own=is_own, title=shown)
        page = page._replace(fragments=page.fragments._replace(title=terms(title)))
        sent += pack([page], UrlRanges())
    order = [(not own, [*title, 1 << 32], text, shown) for own, title, text, shown in pages]
    _, title, text, shown = min(order)
    config = BuildConfig()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(merge, "_HELD", held)
        [(key, value)], counts = merged(sent, config.bag)
    bag = parse_bag(key, value)
    weights = {
        term: title[:-1].count(term) * 6.0 + text.count(term) for term in (*title[:-1], *text)
    }
    assert dict(sorted(weights.items())) == dict(
        zip(bag.terms.tolist(), bag.weights.tolist(), strict=True)
    )
    assert shown == bag.title
    assert isinstance(counts, dict)
    assert len(pages) - 1 == counts["bags"]["other_content_dropped"]
    assert np.all(np.diff(bag.terms.astype(np.int64)) > 0)
