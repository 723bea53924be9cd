"""Links folded in the mappers: the same bags and counts as without, in bounded memory."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagekin.config import BagConfig, BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.fragments import hot_targets as folding
from pagekin.stages.fragments import link_records, merge, totals
from pagekin.stages.fragments.extractor import Extractor
from pagekin.stages.fragments.hot_targets import Folding
from pagekin.stages.fragments.merge import BagMerger
from pagekin.stages.fragments.values import host_id, parse_folded
from pagekin.text import tokens as m
from pagekin.web.page import Page
from tests.pages import page_of
from tests.plain import PlainPage
from tests.strategies import URLS, configs, pages, words

HOT = b"http://hot.example/"
TINY = {
    "_SAMPLE": st.integers(1, 2),
    "_HOT": st.sampled_from([0, 0, 30, 100]),
    "_PIECE": st.integers(0, 200),
    "_HELD": st.sampled_from([0, 2000, 1 << 40, 1 << 40]),
    "_RECORD_TERMS": st.integers(1, 5),
    "_KNOWN": st.sampled_from([0, 3, 99, 99]),
    "_LITTLE": st.integers(0, 300),
}


def passed(fold: Folding, extractor: Extractor, page: Page) -> list[Pair]:
    """The records of a page behind the folding, and what is sent with them."""
    return [*fold.fold(extractor.say(page)).records(), *fold.overdue()]


def folded(tasks: list[list[Page]], config: BuildConfig) -> list[Pair]:
    """The records of map tasks, sorted."""
    pairs: list[Pair] = []
    for task in tasks:
        extractor, fold = Extractor(config, Counters()), Folding(config.bag, config.window)
        for page in task:
            pairs += passed(fold, extractor, page)
        pairs += fold.finish()
    return sorted(pairs)


def merged(pairs: list[Pair], config: BuildConfig) -> tuple[list[Pair], object]:
    """The bags of sorted records, and what was counted."""
    counters = Counters()
    merger = BagMerger(config.bag, config.window, counters)
    return list(merger.merge(pairs)), counters.as_dict()


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
    """Whichever links are folded, by whatever tasks and in whatever pieces: the same bags and the
    same counts, also where a bag has too many terms."""
    bag = dataclasses.replace(config.bag, same_host=same_host, max_terms=most)
    config = dataclasses.replace(config, bag=bag)
    made = [(task, page_of(page)) for task, page in dealt]
    tasks = [[page for task, page in made if task == number] for number in range(2)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(link_records, "PER_RECORD", 2)
        whole = folded([[page for _, page in made]], config)
        assert not any(value[:1] == b"f" for _, value in whole)
        expected = merged(whole, config)
        for name, limit in limits.items():
            patch.setattr(folding, name, limit)
        patch.setattr(merge, "_FOLD_TEXT", 40)
        patch.setattr(totals, "_FEW", 1)
        found = merged(folded(tasks, config), config)
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
    monkeypatch.setattr(folding, "_SAMPLE", 1)
    monkeypatch.setattr(folding, "_HOT", 60)


CONFIG = BuildConfig(bag=BagConfig(links=1.0))


@pytest.mark.usefixtures("at_once")
def test_hot_url() -> None:
    """Behind its first page a hot URL gets one value of a task; no page and no host is lost."""
    pairs = folded([[hot_page(k) for k in range(40)]], CONFIG)
    values = [value for key, value in pairs if key == HOT]
    assert [b"f", b"l"] == [value[:1] for value in values]
    links, citing, hosts, terms, sums = parse_folded(values[0])
    assert (39 * 3, 39) == (links, citing)
    expected = {host_id(f"http://h{k}.example/") for k in range(5)}
    assert expected == {hosts[k : k + 8] for k in range(0, len(hosts), 8)}
    assert 8 * 5 == len(hosts)
    assert (39 * 5, 39 * 5) == (len(set(terms.tolist())), len(sums))  # words, and the page's id
    bag = dict(merged(pairs, CONFIG)[0])[HOT]
    assert bag.startswith(b"0 120 40 5 ")


@pytest.mark.usefixtures("at_once")
def test_cold_urls() -> None:
    """Records about all other URLs, and what pages say of themselves, pass unchanged."""
    made = [hot_page(k) for k in range(5)]
    found = folded([made], CONFIG)
    extractor = Extractor(CONFIG, Counters())
    expected = sorted(
        pair for page in made for pair in extractor.say(page).records() if pair[0] != HOT
    )
    assert expected == [pair for pair in found if pair[0] != HOT]


def test_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """Sizes are taken of each eighth page: what is hot shows on the ninth, when enough was seen on
    the first of them and on that one."""
    size = sum(
        len(v) for k, v in Extractor(CONFIG, Counters()).say(hot_page(1)).records() if k == HOT
    )
    monkeypatch.setattr(folding, "_HOT", 2 * size - 1)
    fold, sent = Folding(CONFIG.bag, CONFIG.window), []
    for _ in range(12):
        found = passed(fold, Extractor(CONFIG, Counters()), hot_page(1))
        sent.append(any(key == HOT for key, _ in found))
    assert [True] * 9 + [False] * 3 == sent
    assert 9 == parse_folded(dict(fold.finish())[HOT]).links
    assert [] == list(fold.finish())


@pytest.mark.usefixtures("at_once")
def test_little_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """What waits is sent once it is too much, behind the page that was one too many."""
    monkeypatch.setattr(folding, "_HELD", 10_000)
    fold, most, sent = Folding(CONFIG.bag, CONFIG.window), 0, 0
    for k in range(300):
        found = passed(fold, Extractor(CONFIG, Counters()), hot_page(k))
        sent += sum(value[:1] == b"f" for _, value in found)
        most = max(most, fold._held)
    assert sent > 2
    assert most < 12_000
    assert fold._held == sum(hot.held for hot in fold._hot.values())


@pytest.mark.usefixtures("at_once")
def test_texts_become_sums(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a URL with ever more links in the same words no more is held."""
    monkeypatch.setattr(folding, "_PIECE", 1000)
    fold, held = Folding(BuildConfig().bag, BuildConfig().window), []
    for _ in range(200):
        passed(fold, Extractor(BuildConfig(), Counters()), hot_page(1))
        held.append(fold._hot[HOT.decode()].held)
    assert max(held) < 5_000


@pytest.mark.parametrize("little", [60, 0])
def test_few_sizes(monkeypatch: pytest.MonkeyPatch, little: int) -> None:
    """Of ever new URLs few are remembered, those with much text; or none, if all have much."""
    monkeypatch.setattr(folding, "_SAMPLE", 1)
    monkeypatch.setattr(folding, "_KNOWN", 50)
    monkeypatch.setattr(folding, "_LITTLE", little)
    fold, size = Folding(CONFIG.bag, CONFIG.window), 0
    for k in range(200):
        found = passed(fold, Extractor(CONFIG, Counters()), hot_page(k))
        size += sum(len(value) for key, value in found if key == HOT)
        assert len(fold._sizes) <= 50
    assert (fold._sizes.get(HOT) == size) == bool(little)
