"""What a sample of the pages tells: where large hosts are cut."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.stages.fragments.parcels import UrlRanges, host_part
from pagekin.stages.inventory import sample
from pagekin.stages.inventory.sample import (
    HEAD,
    Sampler,
    Sampling,
    find_cuts,
    read_links,
    sample_value,
    sampling_of,
    write_sampled,
)
from pagekin.web.warc import Record
from tests.pages import html_page

URLS = [f"http://{host}.example/{path}" for host in "ab" for path in ("", "1", "2", "3/4")]
SIZES = st.dictionaries(st.sampled_from([url.encode() for url in URLS]), st.integers(1, 9))


@pytest.mark.parametrize(
    ("size", "pages"),
    [(0, 32), (1 << 29, 32), (1 << 32, 64), (1 << 40, 1 << 12), (80 << 40, 1 << 19)],
)
def test_share(size: int, pages: int) -> None:
    """One page in 32, of large snapshots some thousands of pages."""
    assert Sampling(pages, 0, pages) == sampling_of([size], whole=True)


def test_heads() -> None:
    """Where nothing else is to be read of a snapshot, the beginnings of its files are looked at."""
    large, small = [16 * HEAD] * 2, [HEAD // 2] * 2
    assert Sampling(32, HEAD, 32 * 16) == sampling_of(large, whole=False)
    assert Sampling(32, HEAD, 32) == sampling_of(small, whole=False)
    assert Sampling(32, HEAD, 32) == sampling_of([], whole=False)


BODY = '<title>bees</title><p>bees in hives <a href="/x">bees</a> <a href="/x">b</a>'
BODY += ' <a href="http://two.example/">two</a>'
LINKS = {b"http://one.example/": 1000, b"http://one.example/x": 128, b"http://two.example/": 64}


def test_page() -> None:
    """A page tells how much is to be merged where; its words are not read."""
    sampler = Sampler(8)
    assert not sampler.view.text
    key, value = sampler.record(html_page(BODY))
    assert dict(read_links(value)) == LINKS
    assert key.startswith(b"!sample/")


def dated(url: str, date: str) -> Record:
    return Record(0, "response", {"warc-target-uri": url, "warc-date": date}, 0)


def test_which_pages() -> None:
    """About as many as are wanted, and the same ones always; at another time others."""
    sampler, others = Sampler(8), Sampler(8)
    urls = [f"http://one.example/{k}" for k in range(4000)]
    records = [dated(url, "2024-05-06T07:08:09Z") for url in urls]
    wanted = [record.url for record in records if sampler.wants(record)]
    assert wanted == [record.url for record in records if others.wants(record)]
    assert 400 < len(wanted) < 600
    later = [dated(url, "2024-05-06T07:08:10Z") for url in urls]
    assert 30 < len([one for one in later if sampler.wants(one) and one.url in wanted]) < 100


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
    ranges_ = UrlRanges(cuts)
    of_ranges: dict[bytes, list[int]] = {}
    for url, size in sorted(sizes.items()):
        of_ranges.setdefault(ranges_.key_of(url), []).append(size)
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
    told = dict(read_links(sample_value(links)))
    assert 1000 == len(told)
    assert 2002 == min(told.values())
    longest = max(told, key=len)
    assert 250 < len(longest) <= 256
    assert longest.decode().startswith("http://b.example/ü")


def test_stored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All pages of the sample become one file."""
    monkeypatch.setattr(sample, "_FEW", 64)
    value = sample_value({b"http://a.example/x": 70, b"http://a.example/": 64})
    assert b"64 http://a.example/ 70 http://a.example/x" == value
    write_sampled(tmp_path / "packing", iter([value, value]), 8)
    assert [b"http://a.example/x"] == UrlRanges.read(tmp_path / "packing").cuts
    write_sampled(tmp_path / "packing", iter([]), 8)
    assert [] == UrlRanges.read(tmp_path / "packing").cuts
