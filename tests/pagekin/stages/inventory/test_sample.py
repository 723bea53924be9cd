"""What a sample of the pages tells: which terms are short, and where hosts are cut."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.config import TextConfig
from pagekin.stages.fragments.packing import Packing, host_part
from pagekin.stages.inventory import sample
from pagekin.stages.inventory.sample import (
    HEAD,
    Sampling,
    find_codes,
    find_cuts,
    read_links,
    read_terms,
    sample_value,
    sampling_of,
    write_sampled,
)
from pagekin.stages.inventory.sampler import Sampler
from pagekin.text.words import term_hash
from tests.pages import html_page

URLS = [f"http://{host}.example/{path}" for host in "ab" for path in ("", "1", "2", "3/4")]
SIZES = st.dictionaries(st.sampled_from([url.encode() for url in URLS]), st.integers(1, 9))


@pytest.mark.parametrize(
    ("size", "pages"),
    [(0, 8), (1 << 27, 8), (1 << 30, 32), (1 << 40, 1 << 12), (80 << 40, 1 << 19)],
)
def test_share(size: int, pages: int) -> None:
    """One page in eight, of large snapshots some thousands of pages."""
    assert Sampling(pages, 0, pages) == sampling_of([size], whole=True, words=True)
    links = max(pages, 32)
    assert Sampling(links, 0, links, False) == sampling_of([size], whole=True, words=False)


def test_heads() -> None:
    """Where nothing else is to be read of a snapshot, the beginnings of its files are looked at."""
    large, small = [16 * HEAD] * 2, [HEAD // 2] * 2
    assert Sampling(8, HEAD, 8 * 16) == sampling_of(large, whole=False, words=True)
    assert Sampling(32, HEAD, 32, words=False) == sampling_of(small, whole=False, words=False)
    assert Sampling(8, HEAD, 8) == sampling_of([], whole=False, words=True)


BODY = '<title>bees</title><p>bees in hives <a href="/x">bees</a> <a href="/x">b</a>'
BODY += ' <a href="http://two.example/">two</a>'
LINKS = {b"http://one.example/": 1000, b"http://one.example/x": 128, b"http://two.example/": 64}


def test_page() -> None:
    """A page tells its terms with their counts, and how much is to be merged where."""
    key, value = Sampler(TextConfig(), 8).record(html_page(BODY))
    told = dict(zip(*(column.tolist() for column in read_terms(value)), strict=True))
    assert {term_hash("bee"): 3, term_hash("hive"): 1}.items() <= told.items()
    assert dict(read_links(value)) == LINKS
    assert key.startswith(b"!sample/")


def test_page_without_words() -> None:
    """Or links alone."""
    sampler = Sampler(TextConfig(), 8, words=False)
    assert not sampler.view.text
    _, value = sampler.record(html_page(BODY))
    assert 0 == len(read_terms(value)[0])
    assert dict(read_links(value)) == LINKS


def test_which_pages() -> None:
    """By their URL, about as many as are wanted, and the same ones always."""
    sampler, others = Sampler(TextConfig(), 8), Sampler(TextConfig(), 8)
    urls = [f"http://one.example/{k}" for k in range(4000)]
    wanted = list(map(sampler.wants, urls))
    assert wanted == list(map(others.wants, urls))
    assert 400 < sum(wanted) < 600


@given(st.lists(st.dictionaries(st.integers(16, 40), st.integers(1, 9))))
def test_codes(pages: list[dict[int, int]]) -> None:
    """All terms of the sample, the most frequent first, of equal ones the smaller hash."""
    columns = [
        (np.array([*page], np.uint32), np.array([*page.values()], np.uint32)) for page in pages
    ]
    totals: Counter[int] = Counter()
    for page in pages:
        totals.update(page)
    expected = sorted(totals, key=lambda term: (-totals[term], term))
    assert expected == find_codes(columns).tolist()


@given(st.lists(SIZES), st.sampled_from([1, 5, 20]), st.sampled_from([1, 4]))
def test_cuts(pages: list[dict[bytes, int]], few: int, ranges: int) -> None:
    """No range has more than its share, but for a single URL; and no more are cut than needed."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sample, "_FEW", few)
        patch.setattr(sample, "_RANGES", ranges)
        cuts = find_cuts([item for page in pages for item in page.items()], 1)
    assert sorted(set(cuts)) == cuts
    sizes: Counter[bytes] = Counter()
    for page in pages:
        sizes.update(page)
    most = max(few, sizes.total() // ranges)
    packing = Packing(cuts=cuts)
    of_ranges: dict[bytes, list[int]] = {}
    for url, size in sorted(sizes.items()):
        of_ranges.setdefault(packing.key_of(url), []).append(size)
    for key, held in of_ranges.items():
        assert sum(held) <= most or len(held) == 1
        following = next((c for c in cuts if c > key and c.startswith(host_part(key))), b"")
        assert not following or sum(held) + sizes[following] > most


def test_large_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a page of the sample stands for many, less of it makes a range."""
    monkeypatch.setattr(sample, "_FEW", 1)
    links = [(f"http://a.example/{k:03}".encode(), 1000) for k in range(100)]
    assert 33 == len(find_cuts(links, 1))
    monkeypatch.setattr(sample, "_LARGE", 40_000)
    assert 49 == len(find_cuts(links, 20))


def test_much_is_not_told() -> None:
    """Of very many links the largest, and of a long URL its beginning."""
    links = {b"http://a.example/%d" % k: 1 + k for k in range(3000)}
    links[b"http://b.example/" + "ü".encode() * 1000] = 5000
    nothing = np.empty(0, np.uint32)
    told = dict(read_links(sample_value(nothing, nothing, links)))
    assert 1000 == len(told)
    assert 2002 == min(told.values())
    longest = max(told, key=len)
    assert 250 < len(longest) <= 256
    assert longest.decode().startswith("http://b.example/ü")


def test_stored(tmp_path: Path) -> None:
    """All pages of the sample become one file."""
    terms, counts = np.array([7, 9], np.uint32), np.array([1, 2], np.uint32)
    value = sample_value(terms, counts, {b"http://b.example/": 5, b"http://a.example/": 64})
    assert b"BwAAAAkAAAABAAAAAgAAAA== 64 http://a.example/ 5 http://b.example/" == value
    write_sampled(tmp_path / "packing", iter([value, value]), 8)
    packing = Packing.read(tmp_path / "packing")
    assert ([9, 7], []) == (packing.terms.tolist(), packing.cuts)
    write_sampled(tmp_path / "packing", iter([]), 8)
    assert ([], []) == (Packing.read(tmp_path / "packing").terms.tolist(), [])
