"""The table of rivals: same pages, paired differences, what is passed over, and what is shown."""

from __future__ import annotations

import dataclasses
from datetime import date

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.bags.bag import Bags
from pagekin.config import BuildConfig
from pagekin.errors import UsageError
from pagekin.evaluate.bootstrap import compare_sources
from pagekin.evaluate.gamma import DECIMALS, Sources
from pagekin.evaluate.judgement import judge
from pagekin.evaluate.rivals.page_texts import PageText
from pagekin.evaluate.rivals.report import rival_lines, rival_report
from pagekin.evaluate.rivals.rival import Made, Rival
from pagekin.evaluate.rivals.table import (
    RIVALS,
    Contest,
    Ours,
    chosen_rivals,
    same_class_among_ten,
)
from tests.indexes import random_bags
from tests.pagekin.evaluate.plain_judging import pages_in_classes, plain_jaccard
from tests.report_pages import read_report

BAGS = random_bags(40)
URLS = [bag.url for bag in sorted(BAGS, key=lambda bag: bag.url)]
CLASSES = {
    bag.url: [(("A", "a", "x"), ("A", "a", "y"), ("B", "b", "z"))[k % 3]]
    for k, bag in enumerate(BAGS)
}
PAGES = dataclasses.replace(
    pages_in_classes([CLASSES[url] for url in URLS]),
    urls=URLS,
    bags=Bags.of(sorted(BAGS, key=lambda bag: bag.url)).columns(),
)
READ = {url: PageText(b"one two three", "en") for url in URLS[:30]}
WORDS = {url: f"word{k}" for k, url in enumerate(URLS)}


def by_number(source, count):
    """Pages are the more similar the nearer their numbers are."""
    return 1.0 / (1 + np.abs(np.arange(count) - source))


def make_by_number(texts, progress):
    count = len(texts.judged)
    progress(0, count)
    return [Made(v, lambda s: by_number(s, count), 10 * count, 0.5, count) for v in ("", "again")]


def a_rival(**changes):
    plain = Rival("by number", "as they stand", (), False, make_by_number, ("page", "bag"))
    return dataclasses.replace(plain, **changes)


def a_contest(**changes):
    ours = [Ours("ours", PAGES, BuildConfig(), 3.0)]
    plain = Contest(ours, [], READ, WORDS, read_ms=0.25, resamples=50)
    return dataclasses.replace(plain, **changes)


# --- among ten ---


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.1, 0.5, -0.2, 0.1 + 1e-15]), st.integers(0, 3)),
        min_size=1,
        max_size=30,
    ),
    st.data(),
)
def test_among_ten_twin(pages, data):
    """The ten best by similarity, then by number, one by one."""
    source = data.draw(st.integers(0, len(pages) - 1))
    others = [
        (-round(similarity, DECIMALS), page, distance)
        for page, (similarity, distance) in enumerate(pages)
        if page != source and round(similarity, DECIMALS) > 0
    ]
    expected = sum(distance == 0 for _, _, distance in sorted(others)[:10])
    similarities = np.array([similarity for similarity, _ in pages])
    distances = np.array([distance for _, distance in pages], np.int8)
    assert expected == same_class_among_ten(similarities, distances, source)


# --- rows ---


def test_rows():
    """Ours first, then each rival in each form of text, by forms."""
    rows = list(a_contest().rows([a_rival(), a_rival(name="other", forms=("main", "bag"))]))
    assert [
        ("ours", "", ""),
        *(("by number", "page", variant) for variant in ("", "again")),
        *(("other", "main", variant) for variant in ("", "again")),
        *(("by number", "bag", variant) for variant in ("", "again")),
        *(("other", "bag", variant) for variant in ("", "again")),
    ] == [(row["name"], row["text"], row["variant"]) for row in rows]
    assert {""} == {row["why"] for row in rows}


def test_figures_are_those_of_gamma():
    """A row has what judging its representation alone gives, and the paired difference."""
    _, row, *_ = a_contest().rows([a_rival()])
    alone = judge(PAGES, lambda source: by_number(source, len(PAGES)))
    base = a_contest().ours[0].exact(PAGES)
    a, b = (Sources(PAGES.keys, j.tally.counts) for j in (judge(PAGES, base), alone))
    expected = compare_sources(a, b, resamples=50)
    for name in ("sibling", "unrelated"):
        assert expected[name]["value"] == row["less_ours"][name]
        assert expected[name]["value"]["b"] == row[name]["value"]
    assert (len(PAGES), len(PAGES), 10) == (row["pages"], row["sources"], row["without_text"])


def test_among_ten_of_a_row():
    """Pages of the source's class among the ten most similar ones, in the mean."""
    ours, row, *_ = a_contest().rows([a_rival()])
    both = []
    for of in (a_contest().ours[0].exact(PAGES), lambda s: by_number(s, len(PAGES))):
        counts = [same_class_among_ten(of(k), PAGES.distances(k), k) for k in range(len(PAGES))]
        both.append(float(np.mean(counts)))
    assert both == [ours["among_ten"]["value"], row["among_ten"]["value"]]
    less = row["less_ours"]["among_ten"]
    assert both == [less["a"], less["b"]]
    assert less["difference"] == pytest.approx(both[1] - both[0])
    assert less["low"] < less["difference"] < less["high"]


def test_costs():
    """Of a page: to read it or to make our bag of it, and what the rival adds."""
    ours, page, _, bag, _ = a_contest().rows([a_rival()])
    own = 500 / len(PAGES)
    assert (3.0, 0.25 + own, 3.0 + own) == (ours["page_ms"], page["page_ms"], bag["page_ms"])
    assert (own, 10.0) == (page["own_ms"], page["page_bytes"])
    terms = 8 * len(PAGES.bags.terms)
    assert terms / len(PAGES) + 4 * 80 == ours["page_bytes"]
    unknown = [Ours("ours", PAGES, BuildConfig(), None)]
    rows = list(a_contest(ours=unknown).rows([a_rival()]))
    assert [None, 0.25 + own, None] == [rows[k]["page_ms"] for k in (0, 1, 3)]


def test_more_of_ours():
    """Other bags of the same pages are rows beside the first, and compared with it."""
    one_word = PAGES.bags._replace(weights=np.zeros_like(PAGES.bags.weights))
    empty = dataclasses.replace(PAGES, bags=one_word)
    contest = a_contest(ours=[*a_contest().ours, Ours("none", empty, BuildConfig(), None)])
    first, second = contest.rows([])
    assert ("ours", "none") == (first["name"], second["name"])
    assert 0 == first["less_ours"]["sibling"]["difference"]
    assert None is second["sibling"]["value"]  # all pairs are tied
    assert -first["among_ten"]["value"] == second["less_ours"]["among_ten"]["difference"]


def test_sampled_pages():
    """A network is judged among as many pages as it may read; ours beside it among the same."""
    rival = a_rival(cost=lambda text: 2 * (text.words != ""), forms=("bag",))
    _, row, _ = a_contest(pieces=25).rows([rival])
    assert (12, 12) == (row["pages"], row["sources"])
    drawn = np.sort(np.random.default_rng(1).permutation(len(PAGES))[:12])
    some = PAGES.only(drawn)
    expected = judge(some, a_contest().ours[0].exact(some)).tally.counts[:, 1].sum(axis=0)
    a = row["less_ours"]["sibling"]["a"]
    assert a == pytest.approx((expected[0] - expected[1]) / (expected[0] + expected[1]))
    _, row, _ = a_contest(pieces=1000).rows([rival])
    assert len(PAGES) == row["pages"]


def test_some_of_the_pages():
    """Labelled pages by themselves have their URLs, classes and bags."""
    some = PAGES.only(np.array([3, 4, 9]))
    assert [PAGES.urls[k] for k in (3, 4, 9)] == some.urls
    assert [PAGES.paths_of(k) for k in (3, 4, 9)] == [some.paths_of(k) for k in range(3)]
    bags = {bag.url: bag for bag in BAGS}
    exact = Ours("x", some, BuildConfig(), None).exact(some)
    for k, url in enumerate(some.urls):
        expected = [plain_jaccard(bags[url], bags[other]) for other in some.urls]
        assert expected == pytest.approx(exact(k).tolist())


def test_passed_over():
    """A rival without its package, or without any text, is a row without figures."""
    rival = a_rival(packages=("no_such_package", "numpy"))
    rows = list(a_contest(read={}).rows([rival, a_rival(name="other")]))
    assert [
        ("ours", ""),
        ("by number", "not installed: no_such_package"),
        ("other", "none of these pages was read"),
        ("by number", "not installed: no_such_package"),
        *[("other", "")] * 2,
    ] == [(row["name"], row["why"]) for row in rows]
    assert "sibling" not in rows[1]


def test_sources():
    """Sources are drawn; all pages are answers."""
    _, row, _ = a_contest(sample=7).rows([a_rival(forms=("page",))])
    assert (40, 7) == (row["pages"], row["sources"])


def test_progress():
    """What is made and judged is told, with how much of it."""
    seen: list[tuple[str, int, int]] = []
    list(a_contest(show=lambda *words: seen.append(words)).rows([a_rival(forms=("page",))]))
    assert ("ours: judged", 40, 40) in seen
    assert ("by number, page: made", 0, 40) in seen
    assert ("by number, page: judged", 40, 40) == seen[-1]


def test_chosen_rivals():
    """Those of the names, in the order of the table; a name that none has is an error."""
    assert list(RIVALS) == chosen_rivals([])
    assert ["tfidf", "svd"] == [rival.name for rival in chosen_rivals(["svd", "tfidf"])]
    with pytest.raises(UsageError, match="--only lsi: there is no such rival; there are tfidf"):
        chosen_rivals(["lsi"])


# --- what is shown ---


def a_result():
    missing = a_rival(name="<b>missing</b>", packages=("no_such_package",), forms=("page",))
    rows = list(a_contest().rows([a_rival(), missing]))
    settings = {"work": "folder/work", "directory": ["d.tsv"]}
    return {"pages": 40, "classes": 3, "unread": 10, "rows": rows, "settings": settings}


def test_lines():
    """Two tables, how good and what it costs; a rival that is passed over says why in both."""
    lines = list(rival_lines(a_result()))
    assert "40 pages in 3 classes; 10 of them were never read" == lines[0]
    assert ["rival", "pages", "sibling"] == lines[2].split()[:3]
    good, costs = (lines[k : k + 6] for k in (3, 11))
    assert good[0].startswith("ours ")
    assert ["by number of page", "by number again of page"] == [
        line[: line.index("  ")] for line in good[1:3]
    ]
    assert ["not installed: no_such_package"] * 2 == [
        line.partition("</b> of page")[2].strip() for line in (good[3], costs[3])
    ]
    assert costs[0].endswith("yes      by links")
    assert costs[5].endswith("no       by our bags")


def test_report():
    """The same as a page, with a figure; names are text."""
    page = rival_report(a_result(), "pagekin evaluate rivals", date(2026, 3, 4))
    assert "<b>missing" not in page
    read = read_report(page)
    assert "Rivals: folder/work" == read.title
    assert 3 == len(read.heads)
    assert ["ours", "by number of page"] == [row[0].text for row in read.rows[:2]]
    assert "<svg" in page
    assert "pagekin evaluate rivals" in read.preformatted
