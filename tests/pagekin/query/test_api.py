"""Asking an index, against a ranking of all its documents one by one."""

from __future__ import annotations

import dataclasses
import multiprocessing
import pickle
import shutil
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.bags.bag import Bag
from pagekin.errors import InputError, NotFoundError, UsageError
from pagekin.index import folder as folder_module
from pagekin.query import ranking
from pagekin.query.answer import Answer, Kin
from pagekin.query.ranking import FLOOR
from pagekin.web.urls import host
from tests.indexes import config_of, make_bag, make_index, random_bags
from tests.pagekin.query.plain_answers import plain_jaccard, plain_query, plain_ranking
from tests.running import python

M = 24
ALL = 1 << 40
PLAIN = {"read": "any", "per_host": 0, "alpha": 0.0}  # all documents in one order
EVERYTHING = {**PLAIN, "candidates": 10_000, "budget": ALL}

BAGS = random_bags(150, seed=5)
FULL = [bag for bag in BAGS if len(bag.terms)]


@pytest.fixture(scope="module")
def indexes(tmp_path_factory: pytest.TempPathFactory) -> list[Index]:
    """One set of documents in 1, 4 and 64 shards."""
    base = tmp_path_factory.mktemp("indexes")
    return [Index.open(make_index(base / f"shards{n}", BAGS, config_of(n, M))) for n in (1, 4, 64)]


@pytest.fixture(scope="module")
def index(indexes: list[Index]) -> Index:
    return indexes[1]


def scored(answer: Answer) -> list[tuple[str, float]]:
    return [(kin.url, kin.score) for kin in answer]


def rows_of(index: Index) -> dict[str, list[int]]:
    """H by URL."""
    shards = index._folder.shards
    return {s.spelt(k): s.H[k].tolist() for s in shards for k in range(len(s))}


def counts(index: Index, asked: str) -> dict[str, int]:
    rows = rows_of(index)
    return plain_query(rows, rows[asked], 0.0)


def exact_scores(index: Index, like: list[Bag], unlike: list[Bag]) -> dict[str, float]:
    """The score of every document that shares a signature with one of those asked for."""
    asked = {bag.url for bag in [*like, *unlike]}
    met = {url for bag in like if len(bag.terms) for url in counts(index, bag.url)}

    def mean(pages: list[Bag], other: Bag) -> float:
        return sum(plain_jaccard(page, other) for page in pages) / max(len(pages), 1)

    return {
        bag.url: round(float(mean(like, bag) - mean(unlike, bag)), 12)
        for bag in BAGS
        if bag.url in met and bag.url not in asked
    }


def estimates(index: Index, like: list[Bag], unlike: list[Bag]) -> dict[str, float]:
    """The same by counted signatures."""
    asked = {bag.url for bag in [*like, *unlike]}
    rows = rows_of(index)

    def mean(pages: list[Bag], url: str) -> float:
        equal = [sum(a == b for a, b in zip(rows[p.url], rows[url], strict=True)) for p in pages]
        return sum(equal) / max(len(pages), 1) / M

    met = {url for bag in like if len(bag.terms) for url in counts(index, bag.url)}
    return {u: round(mean(like, u) - mean(unlike, u), 12) for u in met - asked}


QUESTIONS = {
    "one": ([FULL[0]], []),
    "another": ([FULL[7]], []),
    "several": (FULL[3:6], []),
    "unlike one": ([FULL[0]], [FULL[9]]),
    "several unlike several": (FULL[10:13], FULL[20:22]),
    "the same twice": ([FULL[4], FULL[4]], []),
    "like and unlike itself": ([FULL[4]], [FULL[4]]),
    "with an empty one": ([FULL[4], next(b for b in BAGS if not len(b.terms))], []),
}


def best_first(pair: tuple[str, float]) -> tuple[float, str]:
    return -pair[1], pair[0]


def rounded(pairs: list[tuple[str, float]]) -> list[tuple[str, float]]:
    """Without the last digits, in which means of rounded numbers differ."""
    return sorted(((url, round(score, 10)) for url, score in pairs), key=best_first)


@pytest.mark.parametrize("name", list(QUESTIONS))
@pytest.mark.parametrize("k", [1, 10])
@pytest.mark.parametrize("alpha", [0.0, 0.15])
def test_exact_twin(indexes, name, k, alpha):
    """With all candidates the answer is the ranking of all documents, for any number of shards."""
    like, unlike = QUESTIONS[name]
    urls, others = [bag.url for bag in like], [bag.url for bag in unlike]
    expected = plain_ranking(exact_scores(indexes[0], like, unlike), 1000, alpha=alpha)
    guessed = estimates(indexes[0], like, unlike)
    for index in indexes:
        how = {**EVERYTHING, "alpha": alpha, "unlike": others}
        answer = index.related(urls, 1000, **how)
        found = scored(answer)
        assert sorted(found, key=best_first) == found
        assert rounded(expected) == rounded(found)
        assert found[:k] == scored(index.related(urls, k, **how))
        assert [kin.exact for kin in answer] == [kin.score for kin in answer]
        assert [guessed[kin.url] for kin in answer] == [kin.estimate for kin in answer]
        assert 0 == answer.capped


@pytest.mark.parametrize("name", list(QUESTIONS))
@pytest.mark.parametrize("k", [1, 10, 1000])
@pytest.mark.parametrize("alpha", [0.0, 0.15])
def test_counted_twin(indexes, name, k, alpha):
    """Without exactness the order is that of counted signatures, ties by URL."""
    like, unlike = QUESTIONS[name]
    urls, others = [bag.url for bag in like], [bag.url for bag in unlike]
    expected = plain_ranking(estimates(indexes[0], like, unlike), k, alpha=alpha)
    for index in indexes:
        how = {**PLAIN, "alpha": alpha, "unlike": others}
        answer = index.related(urls, k, exact=False, budget=ALL, **how)
        assert expected == scored(answer)
        assert {None} >= {kin.exact for kin in answer}
        assert [kin.estimate for kin in answer] == [kin.score for kin in answer]


@pytest.mark.parametrize("candidates", [1, 7, 30])
@pytest.mark.parametrize("k", [5, 12])
def test_best_candidates(indexes, candidates, k):
    """The best candidates by signatures are ranked exactly, k of them at least, and no others."""
    for bag in FULL[:10]:
        guessed = plain_ranking(estimates(indexes[0], [bag], []), max(k, candidates))
        exact = exact_scores(indexes[0], [bag], [])
        expected = plain_ranking({url: exact[url] for url, _ in guessed}, k)
        for index in indexes:
            answer = index.related(bag.url, k, candidates=candidates, budget=ALL, **PLAIN)
            assert rounded(expected) == rounded(scored(answer))
            assert len(counts(indexes[0], bag.url)) == answer.candidates


@pytest.mark.parametrize("how", [{}, PLAIN, {"exact": False}, {"budget": 40}, {"per_host": 2}])
def test_shards_do_not_show(indexes, how):
    """The answers are the same for 1, 4 and 64 shards, whatever the way; reasons, too."""
    for bag in BAGS[:60]:
        one, *others = (
            [kin.as_dict() for kin in index.related(bag.url, 8, why=True, **how)]
            for index in indexes
        )
        assert [one] * 2 == others


def test_never_itself(index):
    """A page is not among its own kin, nor is one that was asked for beside it."""
    for bag in FULL:
        assert bag.url not in {kin.url for kin in index.related(bag.url, 1000)}
    asked = [FULL[0].url, FULL[1].url]
    found = index.related(asked[0], 1000, unlike=asked[1]), index.related(asked, 1000)
    for answer in found:
        assert not {kin.url for kin in answer} & set(asked)


def test_equal_pages(tmp_path):
    """Pages of one and the same bag are all alike, and stand in the order of their URLs."""
    bags = [make_bag(f"http://{c}.example/", {20: 1, 30: 2}) for c in "dacb"]
    index = Index.open(make_index(tmp_path / "index", bags, config_of(3)))
    urls = [f"http://{c}.example/" for c in "abd"]
    for how in ({}, {"exact": False}):
        assert [(url, 1.0) for url in urls] == scored(index.related("c.example", **how))
        assert [(urls[0], 1.0)] == scored(index.related("c.example", 1, **how))


def test_empty_bag(index):
    """A page without a term has no kin, and the answer says why."""
    empty = next(bag for bag in BAGS if not len(bag.terms))
    for how in ({}, {"exact": False}, {"why": True}, {"unlike": FULL[0].url}):
        answer = index.related(empty.url, **how)
        assert ([], 0) == (list(answer), answer.candidates)
        assert [f"{empty.url} has an empty bag, and so no kin by bags"] == answer.notes()
    assert not {bag.url for bag in BAGS if not len(bag.terms)} & {
        kin.url for bag in FULL[:20] for kin in index.related(bag.url, 1000)
    }


# --- hosts ---

HOSTS = [
    "http://a.example/1",
    "http://a.example/2",
    "http://a.example:8080/3",
    "https://a.example/4",
    "http://www.a.example/5",
    "http://b.example/6",
    "http://ba.example/7",
    "http://[::1]/8",
    "http://[::1]:81/9",
]


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """Kin on several hosts, the earlier the better."""
    bags = [make_bag("http://asked.example/", {20: 1})]
    bags += [make_bag(url, {20: 10, 30: 1 + k}) for k, url in enumerate(HOSTS)]
    folder = tmp_path_factory.mktemp("hosts") / "index"
    return Index.open(make_index(folder, bags, config_of(4, 80)))


def numbers(answer: Answer) -> str:
    """The kin by the last digit of their URLs."""
    return "".join(kin.url[-1] for kin in answer)


@pytest.mark.parametrize(
    ("how", "expected"),
    [
        ({}, "123567894"),
        ({"k": 8}, "12356789"),
        ({"per_host": 0}, "123456789"),
        ({"per_host": 1}, "15678"),
        ({"per_host": 2}, "1256789"),
        ({"per_host": 4}, "123456789"),
        ({"exclude_hosts": "a.example"}, "6789"),
        ({"exclude_hosts": ["A.Example", "b.example"]}, "789"),
        ({"exclude_hosts": ["www.a.example"]}, "12367894"),
        ({"exclude_hosts": ["example"]}, "89"),
        ({"exclude_hosts": ["https://A.example:81/b"]}, "6789"),
        ({"exclude_hosts": ["[::1]"]}, "1235674"),
        ({"exclude_hosts": ["b.example"], "per_host": 1}, "1578"),
        ({"k": 3}, "123"),
        ({"k": 3, "per_host": 1}, "156"),
        ({"k": 2, "exclude_hosts": ["a.example"]}, "67"),
        ({"k": 4, "per_host": 1, "candidates": 1}, "1567"),
    ],
)
def test_hosts(hosts, how, expected):
    """Hosts are told apart by name, without port and scheme; what is below one is of it."""
    assert expected == numbers(hosts.related("asked.example", **how))


@pytest.mark.parametrize("per_host", [1, 2])
def test_hosts_by_signatures(hosts, per_host):
    """So are they where signatures are counted."""
    alone = hosts.related("asked.example", exact=False)
    expected = plain_ranking(dict(scored(alone)), 10, per_host=per_host)
    assert expected == scored(hosts.related("asked.example", exact=False, per_host=per_host))


# --- pages that were read ---

CRAWLED = {bag.url for bag in BAGS if bag.crawled}


@pytest.mark.parametrize("name", list(QUESTIONS))
@pytest.mark.parametrize("how", [{}, {"exact": False}, {"per_host": 2}, {"alpha": 0.1}])
def test_read_pages_alone(indexes, name, how):
    """With `read` only the answers are those among all that were read, in the same order; pages
    that were not read take nobody's place."""
    like, unlike = ([bag.url for bag in bags] for bags in QUESTIONS[name])
    for index in indexes:
        ask = {**EVERYTHING, **how, "unlike": unlike}
        everyone = index.related(like, 1000, **{**ask, "per_host": 0})
        expected = plain_ranking(
            {url: score for url, score in scored(everyone) if url in CRAWLED},
            5,
            per_host=how.get("per_host", 0),
            alpha=-1.0,
        )
        assert expected == scored(index.related(like, 5, **{**ask, "read": "only"}))


@pytest.mark.parametrize("name", list(QUESTIONS))
@pytest.mark.parametrize("k", [3, 10, 60])
@pytest.mark.parametrize("how", [{}, {"exact": False}, {"alpha": 0.2}, {"per_host": 2}])
def test_read_pages_first(indexes, name, k, how):
    """By default the pages that were read come first and the others fill up, of both kinds those
    beyond 3 of a host behind the others; a number of its own leaves these out."""
    like, unlike = ([bag.url for bag in bags] for bags in QUESTIONS[name])
    per_host = how.get("per_host", 3)
    for index in indexes:
        everyone = index.related(
            like, 1000, **{**EVERYTHING, **how, "unlike": unlike, "per_host": 0}
        )
        above = [kin for kin in everyone if kin.score > how.get("alpha", FLOOR)]
        hosts: Counter[str] = Counter()
        expected: list[Kin] = []
        for read in (True, False):
            late = []
            for kin in (kin for kin in above if kin.read == read):
                hosts[host(kin.url)] += 1
                (late if hosts[host(kin.url)] > per_host else expected).append(kin)
            expected += [] if "per_host" in how else late
        ask = {"candidates": 10_000, "budget": ALL, "unlike": unlike, **how}
        found = index.related(like, k, **ask)
        assert expected[:k] == list(found)
        assert [kin.url in CRAWLED for kin in found] == [kin.read for kin in found]


def test_chosen_before_the_cut(tmp_path):
    """The candidates that are ranked, and those that are kept where lists are left out, are chosen
    among the pages that were read: a hundred more similar ones do not hide them."""
    bags = [make_bag("http://asked.example/", {20: 1, 30: 1, 31: 1})]
    bags += [
        make_bag(f"http://hidden.example/{k:04d}", {20: 1, 30: 1}, crawled=False)
        for k in range(1200)
    ]
    bags += [make_bag(f"http://read.example/{k}", {20: 1, 40: 2}) for k in range(5)]
    index = Index.open(make_index(tmp_path / "index", bags, config_of(1, 80)))
    read = [f"http://read.example/{k}" for k in range(5)]
    for how in ({"candidates": 3}, {"exact": False}):
        assert not set(read) & {
            kin.url for kin in index.related("asked.example", 5, **PLAIN, **how)
        }
        for way in ("first", "only"):
            found = index.related("asked.example", 5, read=way, **how)
            assert read == [kin.url for kin in found]
        assert read == [kin.url for kin in index.related("asked.example", 9, **how)][:5]
    capped = index.related("asked.example", 5, read="only", budget=20_000, candidates=3)
    assert (True, read) == (capped.capped > 0, [kin.url for kin in capped])


def test_no_files(tmp_path):
    """What was not read and is a file, or has a query, is no answer unless any URL may be one; a
    page that was read is a page, whatever its URL."""
    urls = ["http://a.example/arial.exe", "http://b.example/a.zip", "http://c.example/share?of=1"]
    read, page = "http://d.example/read.pdf", "http://e.example/page.html"
    bags = [make_bag(url, {20: 1}, crawled=False) for url in [*urls, page]]
    bags += [make_bag(url, {20: 1}) for url in ("http://asked.example/", read)]
    index = Index.open(make_index(tmp_path / "index", bags, config_of(2, 80)))
    for how in ({}, {"exact": False}, {"per_host": 0}, {"candidates": 1}):
        answer = index.related("asked.example", **how)
        assert [(read, True), (page, False)] == [(kin.url, kin.read) for kin in answer]
        assert [read] == [kin.url for kin in index.related("asked.example", read="only", **how)]
    answer = index.related("asked.example", read="any")
    assert sorted([*urls, read, page]) == [kin.url for kin in answer]


# --- many pages ---

EACH = {
    "default": {},
    "three": {"k": 3, "candidates": 10},
    "counted": {"exact": False, "alpha": 0.1},
    "few lists": {"budget": 30},
    "hosts": {"per_host": 1, "exclude_hosts": ["a.example", "b.example"]},
    "hosts, counted": {"per_host": 2, "exact": False},
    "why": {"why": True},
    "read only": {"read": "only", "alpha": 0.05},
    "any": PLAIN,
    "many": {"k": 40},
    "unlike": {"unlike": FULL[0].url},
    "cocitation": {"by": "cocitation"},
    "both": {"by": "both", "k": 4},
}


@pytest.mark.parametrize("how", EACH.values(), ids=EACH)
@pytest.mark.parametrize("pages", [256, 7, 1])
def test_each_twin(indexes, monkeypatch, how, pages):
    """`related_each` has the answers of `related`, page by page, however many go together."""
    monkeypatch.setattr(ranking, "_PAGES", pages)
    urls = [bag.url for bag in BAGS[::4]]
    for index in indexes[:2] if pages < 256 else indexes:
        expected = [index.related(url, **how) for url in urls]
        found = list(index.related_each(urls, **how))
        assert expected == found
        for one, other in zip(expected, found, strict=True):
            assert vars(one) == vars(other)


def test_each_as_it_is_asked(index):
    """Spellings are settled, a page that is not there ends the answers, and nonsense is refused."""
    url = FULL[0].url
    (answer,) = index.related_each([url.upper().replace("HTTP", "http")])
    assert [url] == [page.url for page in answer.asked]
    answers = index.related_each([url, "http://nowhere.example/"])
    with pytest.raises(NotFoundError):
        list(answers)
    for how in ({"k": 0}, {"budget": -1}, {"alpha": 1.0}, {"by": "chance"}):
        with pytest.raises(UsageError):
            list(index.related_each([url], **how))
    with pytest.raises(UsageError):
        list(index.related_each(["wrong\ud800"]))
    assert [] == list(index.related_each([]))


# --- spellings ---


@pytest.fixture(scope="module")
def aliased(tmp_path_factory: pytest.TempPathFactory) -> Index:
    """An index with aliases, and pages on several hosts."""
    bags = [
        make_bag("http://a.example/page", {20: 1}, 3),
        make_bag("http://b.example/page", {20: 1}, 1, crawled=False),
        make_bag("https://www.c.example/other", {20: 1}, 1234, crawled=False),
        *(make_bag(f"http://d.example:8080/{k}", {30: 1}) for k in range(9)),
    ]
    aliases = [
        (b"http://old.example/", b"http://older.example/"),
        (b"http://older.example/", b"http://a.example/page"),
        (b"http://b.example/page", b"http://a.example/page"),
        (b"http://loop.example/", b"http://loop.example/2"),
        (b"http://loop.example/2", b"http://loop.example/"),
        (b"http://lost.example/", b"http://nowhere.example/"),
    ]
    folder = tmp_path_factory.mktemp("aliased") / "index"
    return Index.open(make_index(folder, bags, config_of(3, 80), aliases=aliases))


@pytest.mark.parametrize(
    "spelling",
    [
        *("http://a.example/page", "a.example/page#top", "HTTP://A.example:80/./page"),
        *(
            "old.example",
            "a.example/page/",
            "https://a.example/page",
            "HTTPS://WWW.A.example/page/",
        ),
    ],
)
def test_spellings(aliased, spelling):
    """A URL in any spelling, and one that was redirected, is answered as what it leads to."""
    answer = aliased.related(spelling)
    assert ["http://a.example/page"] == [page.url for page in answer.asked]
    assert "http://a.example/page" not in {kin.url for kin in answer}
    assert aliased.get(spelling).url == "http://a.example/page"
    assert spelling in aliased


@pytest.mark.parametrize(
    "other", ["http://a.example/none", "nobody.example", "lost.example", "ftp://x", "", 5, None]
)
def test_not_in_the_index(aliased, other):
    """What has no document is not in the index, be it a web address or not."""
    assert other not in aliased


def test_page_with_a_bag_is_no_alias(aliased):
    """A URL that has a bag is asked for itself, whatever stands among the aliases."""
    answer = aliased.related("b.example/page")
    assert ["http://b.example/page"] == [page.url for page in answer.asked]
    said = "was not read: it is known only by the anchors of 1 link to it"
    assert [f"http://b.example/page {said}"] == answer.notes()
    (said,) = aliased.related("https://www.c.example/other").notes()
    assert said.endswith("it is known only by the anchors of 1,234 links to it")
    assert [] == aliased.related("a.example/page").notes()


@pytest.mark.parametrize(
    ("url", "key", "near"),
    [
        ("a.example/pag", "http://a.example/pag", ["http://a.example/page"]),
        ("https://www.a.example/pgae", "https://www.a.example/pgae", ["http://a.example/page"]),
        (
            *("a.exmple/page", "http://a.exmple/page"),
            ["http://a.example/page", "http://b.example/page"],
        ),
        ("c.example", "http://c.example/", ["https://www.c.example/other"]),
        ("a.example/none#x", "http://a.example/none", []),
        ("loop.example", "http://loop.example/", []),
        ("lost.example", "http://lost.example/", []),
        ("nobody.example", "http://nobody.example/", []),
    ],
)
def test_not_there(aliased, url, key, near):
    """A URL that is not there is named in its form, with those that are near it."""
    hint = f"; near it are {', '.join(near)}" if near else ""
    for ask in (aliased.related, aliased.get):
        with pytest.raises(NotFoundError) as caught:
            ask(url)
        assert f"{key} is not in the index{hint}" == str(caught.value)
    with pytest.raises(NotFoundError):
        aliased.related("a.example/page", unlike=url)
    assert key not in aliased


@pytest.mark.parametrize("url", ["mailto:x@y.z", "", "two words", "http:///"])
def test_no_web_address(aliased, url):
    """What is no address is said to be none."""
    with pytest.raises(UsageError, match=f"^{url} is no web address$"):
        aliased.related(url)


MOST = "1,000,000,000,000,000,000"
BAD = {
    "no page": ({"url": []}, "related needs at least one URL"),
    "k": ({"k": 0}, f"k is 0; it takes a whole number from 1 to {MOST}"),
    "large k": ({"k": 10**20}, f"k is {10**20}; it takes a whole number from 1 to {MOST}"),
    "infinite k": ({"k": float("inf")}, f"k is inf; it takes a whole number from 1 to {MOST}"),
    "half a k": ({"k": 2.5}, f"k is 2.5; it takes a whole number from 1 to {MOST}"),
    "k of letters": ({"k": "5"}, f"k is '5'; it takes a whole number from 1 to {MOST}"),
    "candidates": (
        {"candidates": -1},
        f"candidates is -1; it takes a whole number from 0 to {MOST}",
    ),
    "per_host": ({"per_host": -1}, f"per_host is -1; it takes a whole number from 0 to {MOST}"),
    "budget": (
        {"budget": 10**19},
        f"budget is {10**19}; it takes a whole number from 0 to {MOST}",
    ),
    "alpha": ({"alpha": 1.0}, "alpha is 1.0; it takes a number below 1"),
    "large alpha": ({"alpha": 2}, "alpha is 2; it takes a number below 1"),
    "no alpha": ({"alpha": float("nan")}, "alpha is nan; it takes a number below 1"),
    "alpha of letters": ({"alpha": "0"}, "alpha is '0'; it takes a number below 1"),
    "host": (
        {"exclude_hosts": "a b"},
        "'a b' names no host; write it as in example.org",
    ),
    "way": ({"by": "chance"}, "by is 'chance'; it takes one of bags, cocitation, both"),
}


@pytest.mark.parametrize("by", ["bags", "cocitation", "both"])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("how", "said"), BAD.values(), ids=BAD)
def test_bad_arguments(aliased, by, exact, how, said):
    """What means nothing is refused with what may be said instead; the index is not blamed."""
    words = {"url": "a.example/page", "by": by, "exact": exact, **how}
    with pytest.raises(UsageError) as caught:
        aliased.related(**words)
    assert said == str(caught.value)
    if words["url"]:
        with pytest.raises(UsageError) as caught:
            list(aliased.related_each([words.pop("url")], **words))
        assert said == str(caught.value)


LARGE = {"k": 10**18, "candidates": 10**18, "budget": 10**18, "per_host": 10**18}


@pytest.mark.parametrize("how", [*({name: LARGE[name]} for name in LARGE), LARGE])
@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("by", ["bags", "cocitation", "both"])
def test_large_numbers(index, how, exact, by):
    """The largest numbers that are taken mean all."""
    url = FULL[0].url
    everything = {"k": 1000, "candidates": 1000, "budget": ALL, "per_host": 0}
    expected = index.related(url, exact=exact, by=by, **{**everything, "alpha": 0.01})
    found = index.related(url, exact=exact, by=by, **{**everything, **how, "alpha": 0.01})
    assert expected == found


def test_alpha_below_all(index):
    """An alpha below all similarities leaves nothing out."""
    for exact in (True, False):
        every = index.related(FULL[0].url, 1000, unlike=FULL[9].url, alpha=-1, exact=exact)
        assert any(kin.score < 0 for kin in every)
        lowest = float("-inf")
        assert every == index.related(
            FULL[0].url, 1000, unlike=FULL[9].url, alpha=lowest, exact=exact
        )


@pytest.mark.parametrize("error", [KeyError("mine"), ValueError("mine"), MemoryError("mine")])
def test_errors_of_the_caller(index, error):
    """What the caller's own iterator raises, or throws into the answers, is the caller's."""

    def urls():
        yield FULL[0].url
        raise error

    for by in ("bags", "cocitation", "both"):
        with pytest.raises(type(error)) as caught:
            list(index.related_each(urls(), by=by))
        assert caught.value is error
        with pytest.raises(type(error)) as caught:
            index.related(urls(), by=by)
        assert caught.value is error
    for answers in (index.related_each([FULL[0].url]), index.all()):
        next(answers)
        if hasattr(answers, "throw"):
            with pytest.raises(type(error)) as caught:
                answers.throw(error)
            assert caught.value is error


def test_no_such_shard(index):
    """A shard that is not there is refused with how many there are."""
    for shard in (-1, 4, 10**20):
        with pytest.raises(UsageError, match=f"there is no shard {shard}; the index has 4, from 0"):
            index.urls(shard)


@pytest.mark.parametrize("url", ["http://a.example/\ud800", "wrong\ud800", "\0"])
def test_no_text(index, url):
    """What is no text is no web address, and in no index."""
    assert url not in index
    for by in ("bags", "cocitation", "both"):
        with pytest.raises((UsageError, NotFoundError)):
            index.related(url, by=by)


# --- reasons ---


def shown_bags(index: Index) -> dict[str, dict[str, float]]:
    described = (index.describe(bag, 0) for bag in index.all())
    return {d["url"]: {t["term"]: t["weight"] for t in d["terms"]} for d in described}


@pytest.mark.parametrize("how", [{}, {"exact": False}])
def test_reasons_add_up(index, how):
    """The weights shared are the minima of which the exact similarity is made.

    The bags have the sum 1, so the similarity s of a shared weight w is w / (2 - w).
    """
    bags = shown_bags(index)
    exact = {bag.url: exact_scores(index, [bag], []) for bag in FULL[:12]}
    for asked, scores in exact.items():
        for kin in index.related(asked, 5, why=True, **how):
            mine, theirs = bags[asked], bags[kin.url]
            shared = {t: min(mine[t], theirs[t]) for t in mine.keys() & theirs.keys()}
            assert len(shared) == kin.why.shared_terms
            assert sum(shared.values()) == pytest.approx(kin.why.shared_weight, rel=1e-5)
            weight = kin.why.shared_weight
            assert scores[kin.url] == pytest.approx(weight / (2 - weight), rel=1e-4)
            for term in kin.why.terms:
                assert mine[term.term] == pytest.approx(term.asked, rel=1e-5)
                assert theirs[term.term] == pytest.approx(term.found, rel=1e-5)
                assert shared[term.term] == pytest.approx(term.shared, rel=1e-5)
            heaviest = sorted(shared.values(), reverse=True)[:10]
            assert heaviest == pytest.approx([t.shared for t in kin.why.terms], rel=1e-5)


def test_reasons_of_several(index):
    """Of several pages the weights are means, over those that have the term and those without."""
    bags, by_url = shown_bags(index), {bag.url: bag for bag in BAGS}
    asked = [bag.url for bag in FULL[3:6]]
    for kin in index.related(asked, 5, why=True):
        theirs = bags[kin.url]
        mine = {t: sum(bags[url].get(t, 0.0) for url in asked) / 3 for t in theirs}
        shared = {t: sum(min(bags[u].get(t, 0), w) for u in asked) / 3 for t, w in theirs.items()}
        for term in kin.why.terms:
            assert mine[term.term] == pytest.approx(term.asked, rel=1e-5)
            assert shared[term.term] == pytest.approx(term.shared, rel=1e-5)
        assert sum(shared.values()) == pytest.approx(kin.why.shared_weight, rel=1e-5)
        assert sum(by_url[url].anchors for url in asked) == kin.why.asked_inlinks
        assert sum(by_url[url].hosts for url in asked) == kin.why.asked_linking_hosts


def test_where_bags_come_from(index):
    """Inlinks, linking hosts, and whether it was read, of both."""
    by_url = {bag.url: bag for bag in BAGS}
    asked = FULL[0]
    for kin in index.related(asked.url, 20, why=True):
        bag = by_url[kin.url]
        assert (bag.anchors, bag.anchors) == (kin.inlinks, kin.why.inlinks)
        assert (bag.hosts, bag.crawled) == (kin.why.linking_hosts, kin.why.crawled)
        assert asked.anchors == kin.why.asked_inlinks
        assert asked.hosts == kin.why.asked_linking_hosts
        assert f"word{kin.why.terms[0].term.removeprefix('stem')}" == kin.why.terms[0].display


def test_plain_values(index):
    """What `as_dict` gives is what the documentation says, and no reasons unless they are asked."""
    kin = index.related(FULL[0].url, 1)[0]
    fields = ["url", "title", "score", "estimate", "exact", "inlinks", "read", "weak"]
    fields += ["mirrors", "mirror_of", "why"]
    assert fields == list(kin.as_dict())
    assert kin.why is None
    with_why = index.related(FULL[0].url, 1, why=True)[0]
    assert dataclasses.asdict(with_why.why) == with_why.as_dict()["why"]
    assert dataclasses.replace(with_why, why=None) == kin


# --- hot signatures ---


def test_budget_is_said(index):
    """Where lists are left out the answer says so, and in how many."""
    answer = index.related(FULL[0].url, budget=20)
    assert answer.capped > 0
    assert [] == answer.notes()
    assert answer.notes(every=True)[-1].startswith(
        f"{answer.capped} signatures are so common that their lists"
    )
    assert index.related(FULL[0].url, budget=ALL).capped == 0


# --- opening ---


def test_titles(index):
    """An answer has the titles of its pages, and so has the page that was asked for."""
    titles = {bag.url: bag.title for bag in index.all()}
    assert {bag.url: bag.title for bag in BAGS} == titles
    for bag in FULL:
        assert bag.title == index.title(bag.url)
        answer = index.related(bag.url)
        assert [bag.title] == [page.title for page in answer.asked]
        assert [titles[kin.url] for kin in answer] == [kin.title for kin in answer]
    assert len(set(titles.values())) > 10
    with pytest.raises(NotFoundError):
        index.title("http://nowhere.example/")


def test_every_file_is_opened_once(tmp_path, monkeypatch):
    """Opening maps all files, so that they are of one index; no question opens another."""
    path = make_index(tmp_path / "index", FULL, config_of(2))
    opened: list[str] = []
    monkeypatch.setattr(folder_module, "ArrayFile", noting(opened, folder_module.ArrayFile))
    index = Index.open(path)
    files = sorted(file.name for file in path.rglob("*.arrays"))
    assert files == sorted(opened)
    shutil.rmtree(path)
    index.related(FULL[0].url, why=True)
    index.related(f"{FULL[0].url}/", by="both", why=True)
    assert len(FULL) == len(list(index.all())) == index.info()["documents"]
    assert [] == index.verify()
    assert files == sorted(opened)


def noting(opened: list[str], real: Callable) -> Callable:
    def note(path: Path, *rest: object) -> object:
        opened.append(path.name)
        return real(path, *rest)

    return note


FEW_FILES = """
import resource, sys
resource.setrlimit(resource.RLIMIT_NOFILE, (256, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
from pagekin import Index
index = Index.open(sys.argv[1])
print(len(index.related(sys.argv[2], 9, why=True)), len(list(index.all())))
"""


def test_more_files_than_may_be_open(tmp_path):
    """An index of many shards raises the limit on open files as far as it may."""
    path = make_index(tmp_path / "index", FULL, config_of(64))
    said = python("-c", FEW_FILES, path, FULL[0].url)
    assert (0, f"9 {len(FULL)}\n", "") == said


def test_paths(indexes, tmp_path):
    """An index is opened by a path or by a string, and knows its folder, length and digest."""
    path = indexes[0].path
    again = Index.open(str(path))
    assert (path, len(BAGS), 1) == (again.path, len(again), again.shards)
    assert indexes[0].digest == again.digest != indexes[1].digest
    assert FULL[0].url in again
    assert [] == again.verify()
    with pytest.raises(InputError):
        Index.open(tmp_path)


def test_closing(tmp_path):
    """A closed index has let go of its files, and says so when it is asked."""
    path = make_index(tmp_path / "index", BAGS, config_of(2, M))
    with Index(path) as index:
        assert FULL[0].url in index
        assert index.related(FULL[0].url, why=True)
        assert mapped_below(path)
    assert [] == mapped_below(path)
    index.close()  # twice does no harm
    for question in (
        lambda: index.related(FULL[0].url),
        lambda: index.related(FULL[0].url, by="both"),
        lambda: next(index.related_each([FULL[0].url])),
        lambda: index.get(FULL[0].url),
        lambda: FULL[0].url in index,
        lambda: index.urls(0),
        index.info,
        lambda: len(index),
        index.__enter__,
    ):
        with pytest.raises(UsageError, match=r"index: this Index was closed; Index\(path\) opens"):
            question()
    assert f"<Index {str(path)!r}, closed>" == repr(index)


def mapped_below(folder: Path) -> list[str]:
    """The files of a folder that this process has mapped."""
    lines = Path("/proc/self/maps").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if str(folder) in line]


def test_pickling(tmp_path, monkeypatch):
    """An index goes to other processes as its path, wherever these stand."""
    path = make_index(tmp_path / "index", BAGS, config_of(2, M))
    monkeypatch.chdir(tmp_path)
    index = Index("index")
    assert len(pickle.dumps(index)) < 500
    urls = [bag.url for bag in FULL[:4]]
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        answers = list(pool.map(index.related, urls))
    assert [index.related(url) for url in urls] == answers
    monkeypatch.chdir("/")
    assert str(path) == str(pickle.loads(pickle.dumps(Index(path))).path)


def test_repr(indexes):
    """What an interpreter shows of an index: where it is, and how large."""
    path = str(indexes[1].path)
    assert f"<Index {path!r}, documents={len(BAGS)}, shards=4>" == repr(indexes[1])


def test_urls_of_shards(indexes):
    """The URLs of a shard are a sequence in their order; together they are all."""
    for index in indexes:
        urls = [url for shard in range(index.shards) for url in index.urls(shard)]
        assert sorted(bag.url for bag in BAGS) == sorted(urls)
        some = index.urls(0)
        assert sorted(some) == list(some)
        assert list(some)[1:3] == list(some[1:3])
        assert list(some)[-1:] == list(some[-1:])
        with pytest.raises(IndexError):
            some[len(some)]


def test_urls_of_read_pages(indexes):
    """The URLs of a shard whose pages were read, whatever way they are asked."""
    for index in indexes:
        for by in ("bags", "both"):
            shards = [index.urls(n, by, crawled=True) for n in range(index.shards)]
            assert sorted(CRAWLED) == sorted(url for urls in shards for url in urls)
            assert [list(urls)[1:3] for urls in shards] == [list(urls[1:3]) for urls in shards]


def test_all_bags(indexes):
    """All bags come in the order of their URLs, whatever the shards."""
    for index in indexes:
        assert sorted(bag.url for bag in BAGS) == [bag.url for bag in index.all()]


# --- threads ---


def test_threads(tmp_path):
    """Eight threads that ask one index, newly opened, have the answers of one thread."""
    path = make_index(tmp_path / "index", BAGS, config_of(4, M))
    single = Index.open(path)
    urls = [bag.url for bag in FULL][:40]

    def ask(index: Index, url: str) -> list[dict]:
        answer = index.related(url, 5, why=True)
        index.describe(index.get(url))
        return [kin.as_dict() for kin in answer]

    expected = [ask(single, url) for url in urls]
    for _ in range(2):
        shared = Index.open(path)
        together = threading.Barrier(8)

        def work(number: int, shared: Index = shared, gate: threading.Barrier = together) -> list:
            gate.wait(10)
            turned = urls[number * 5 :] + urls[: number * 5]
            return sorted((url, ask(shared, url)) for url in turned)

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(work, range(8)))
        assert [sorted(zip(urls, expected, strict=True))] * 8 == found
