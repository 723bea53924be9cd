"""Links to hot URLs summed in map tasks: the same bags and counts as without, in bounded memory."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.config import BagConfig, BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.fragments import extractor as module
from pagekin.stages.fragments import merge
from pagekin.stages.fragments.extractor import FragmentExtractor
from pagekin.stages.fragments.merge import LINK_SUMS, BagMerger
from pagekin.stages.fragments.parcels import open_parcels
from pagekin.stages.fragments.term_sums import LinkSums
from pagekin.text import tokens as m
from pagekin.web.page import Page, make_page
from tests.pages import page_of
from tests.plain import PlainPage
from tests.strategies import URLS, configs, pages, words

HOT = b"http://hot.example/"
TINY = {
    "_SAMPLE": st.integers(1, 2),
    "_HOT": st.sampled_from([0, 0, 1, 3]),
    "_KEPT": st.sampled_from([0, 500, 1 << 40, 1 << 40]),
    "_KNOWN": st.sampled_from([0, 3, 99, 99]),
    "_FEW": st.integers(0, 3),
    "_PAGES": st.integers(1, 4),
    "_TERMS": st.sampled_from([0, 20, 1 << 40]),
}


def sent(tasks: list[list[Page]], config: BuildConfig) -> list[Pair]:
    """The records of map tasks but for words, sorted."""
    pairs: list[Pair] = []
    for task in tasks:
        extractor = FragmentExtractor(config, Counters())
        for page in task:
            pairs += extractor.records(page)
        pairs += extractor.finish()
    return sorted(pair for pair in pairs if not pair[0].startswith(b"!"))


def merged(pairs: list[Pair], config: BuildConfig) -> tuple[list[Pair], object]:
    """The bags of sorted records, and what was counted."""
    counters = Counters()
    merger = BagMerger(config.bag, config.window, counters)
    return list(merger.merge(pairs)), counters.as_dict()


def sums_of(pairs: list[Pair]) -> list[LinkSums]:
    """Those of the records that have links to the hot URL summed."""
    values = [value for key, value in pairs if key == HOT and value.startswith(LINK_SUMS)]
    return [LinkSums.from_bytes(value.partition(b" ")[2]) for value in values]


@st.composite
def citing(draw: st.DrawFn) -> PlainPage:
    """A page of one of three hosts, of which two have a URL that such pages link to."""
    number, name = draw(st.integers(0, 3)), draw(st.sampled_from(["one", "two", "three"]))
    links = draw(st.lists(st.tuples(st.sampled_from(URLS[:3]), words), min_size=1, max_size=4))
    tokens = [token for _, text in links for token in (m.LINK, *text, m.LINK_END)]
    return PlainPage(f"http://{name}.example/{number}", tokens, [url for url, _ in links])


@given(
    st.lists(st.tuples(st.integers(0, 1), citing() | pages()), min_size=6, max_size=12),
    configs(),
    st.sampled_from(["keep", "weigh"]),
    st.sampled_from([1, 2, 5, 1 << 16]),
    st.fixed_dictionaries(TINY),
)
@settings(max_examples=100, deadline=None)
def test_as_without(
    dealt: list[tuple[int, PlainPage]],
    config: BuildConfig,
    same_host: str,
    most: int,
    limits: dict[str, int],
) -> None:
    """Whichever links are summed, by whatever tasks and in whatever pieces: the same bags and the
    same counts, also where a bag has too many terms."""
    bag = dataclasses.replace(config.bag, same_host=same_host, max_terms=most)
    config = dataclasses.replace(config, bag=bag)
    made = [(task, page_of(page)) for task, page in dealt]
    tasks = [[page for task, page in made if task == number] for number in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        whole = sent([[page for _, page in made]], config)
        assert not any(value.startswith(LINK_SUMS) for _, value in whole)
        expected = merged(whole, config)
        for name, limit in limits.items():
            patch.setattr(module, name, limit)
        patch.setattr(merge, "_RECORD_TERMS", 2)
        found = merged(sent(tasks, config), config)
    assert expected == found


LETTERS = str.maketrans("0123456789", "abcdefghij")


def hot_page(number: int) -> Page:
    """A page with three links to the hot URL, and one to a URL that no other page links to."""
    words = [f"w{number}x{k}".translate(LETTERS) for k in range(4)]
    tokens = [token for word in words for token in (m.LINK, word, m.LINK_END)]
    targets: list[str | None] = [HOT.decode()] * 3
    targets.append(f"http://cold.example/{number}")
    return page_of(PlainPage(f"http://h{number % 5}.example/{number}", tokens, targets))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A URL is hot behind its first three links."""
    monkeypatch.setattr(module, "_SAMPLE", 1)
    monkeypatch.setattr(module, "_HOT", 2)


CONFIG = BuildConfig(bag=BagConfig(links=1.0))


@pytest.mark.usefixtures("at_once")
def test_hot_url() -> None:
    """Behind its first page a hot URL gets one value of a task; no page and no host is lost."""
    pairs = sent([[hot_page(k) for k in range(40)]], CONFIG)
    assert 2 == len([key for key, _ in pairs if key == HOT])
    ((links, citing, hosts, terms, sums),) = sums_of(pairs)
    assert (39 * 3, 39) == (links, citing)
    assert [b"h%d.example" % k for k in range(5)] == hosts
    assert (39 * 5, 39 * 5) == (len(set(terms.tolist())), len(sums))  # words, and the page's id
    bag = dict(merged(pairs, CONFIG)[0])[HOT]
    assert bag.startswith(b"0 120 40 5 ")


@pytest.mark.usefixtures("at_once")
def test_cold_urls(monkeypatch: pytest.MonkeyPatch) -> None:
    """Parcels about all other URLs, and what pages say of themselves, pass unchanged."""
    made = [hot_page(k) for k in range(5)]
    found = [pair for pair in sent([made], CONFIG) if pair[0] != HOT]
    monkeypatch.setattr(module, "_HOT", 1 << 40)
    assert found == [pair for pair in sent([made], CONFIG) if pair[0] != HOT]


def test_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Links of each eighth page are counted: what is hot shows on the ninth page, if there were
    enough on the first and on that one."""
    monkeypatch.setattr(module, "_HOT", 5)
    pairs = sent([[hot_page(1)] * 12], CONFIG)
    parcels = [pair for pair in pairs if pair[0] == HOT and not pair[1].startswith(LINK_SUMS)]
    assert 9 * 3 == open_parcels(parcels).links.sum()
    assert [3 * 3] == [sums.links for sums in sums_of(pairs)]


@pytest.mark.usefixtures("at_once")
def test_little_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits is sent once it is too much, behind the pages that were too many."""
    monkeypatch.setattr(module, "_KEPT", 10_000)
    extractor, most, made = FragmentExtractor(CONFIG, Counters()), 0, 0
    for k in range(600):
        records = list(extractor.records(hot_page(k)))
        made += sum(value.startswith(LINK_SUMS) for _, value in records)
        most = max(most, extractor._hot._size)
        assert len(extractor._hot._waiting) < module._PAGES
    assert made > 2
    assert 0 < most <= 10_000


@pytest.mark.parametrize("few", [2, 1 << 40])
def test_few_counts(monkeypatch: pytest.MonkeyPatch, few: int) -> None:
    """Of ever new URLs few are counted, those with many links; or none, if all have few."""
    monkeypatch.setattr(module, "_SAMPLE", 1)
    monkeypatch.setattr(module, "_KNOWN", 50)
    monkeypatch.setattr(module, "_FEW", few)
    monkeypatch.setattr(module, "_HOT", 1 << 40)
    extractor = FragmentExtractor(CONFIG, Counters())
    for k in range(30):
        list(extractor.records(hot_page(k)))
        assert len(extractor._hot._links) <= 50
    assert 30 * 3 == extractor._hot._links[HOT.decode()]
    for k in range(30, 90):
        list(extractor.records(hot_page(k)))
        assert len(extractor._hot._links) <= 50
    assert (extractor._hot._links[HOT.decode()] == 90 * 3) == (few == 2)


@pytest.mark.parametrize("page", ["<h1>{words}{links}", "<title>{words}</title>{links}"])
def test_what_links_carry_is_bounded(page: str) -> None:
    """A heading that never ends, or an endless title, is not sent with each of the links below."""
    words = " ".join(f"w{chr(97 + k % 26)}{chr(97 + k // 26 % 26)}x" for k in range(5000))
    links = "".join(f"<a href=http://h{k}.example/>bee</a>" for k in range(2000))
    made = make_page("http://a.example/", page.format(words=words, links=links).encode())
    assert isinstance(made, Page)
    pairs = sent([[made]], BuildConfig())
    assert 2001 == len(pairs)
    assert sum(len(value) for _, value in pairs) < 1_200_000
    opened = open_parcels(pairs)
    assert (opened.above_end - opened.above).max() <= 64
    assert {64, 5000} >= {*(opened.text - opened.title).tolist()} - {0}


@pytest.mark.parametrize(
    ("page", "counted"),
    [
        ("<title>{long}</title><p>bee", {"titles_cut": 1, "headings_cut": 1}),
        ("<title>{wide}</title><p>bee", {"titles_cut": 1}),
        ("<h1>{long}</h1><p><a href=x>bee</a>", {"headings_cut": 1}),
        ("<title>{short}</title><h1>{short}</h1><p>bee", None),
    ],
)
def test_limits_are_counted(page: str, counted: dict[str, int] | None) -> None:
    """Titles that are not shown whole, and those and headings of which links carry a part."""
    words = {"long": "bees hum " * 40, "wide": "x" * 201, "short": "x" * 30}
    made = make_page("http://a.example/", f"<html>{page.format(**words)}".encode())
    assert isinstance(made, Page)
    counters = Counters()
    list(FragmentExtractor(BuildConfig(), counters).records(made))
    assert counted == counters.as_dict().get("pages")
