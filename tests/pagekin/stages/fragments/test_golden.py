"""Bags of three little pages, computed by hand, for every window, stem variant and weight.

The middle page, http://hub.example/, is

    title   Honey links
    h2      Beekeeping
    p       Our bees love [clover -> a] and heather moors.
    ul      li [Hive tools -> b] smokers gloves
            li [Wax -> a] candles
    p       Weather today

Its kept terms in order, with the stop words "our", "and" (and "today") gone, NOSTEM:

    0 beekeeping  1 bees  2 love  3 [clover]  4 heather  5 moors
    6 [hive  7 tools]  8 smokers  9 gloves  10 [wax]  11 candles  12 weather

`D[d]` is log2(32 / (1 + d)): 5, 4, 3.415, 3, 2.678, 2.415, 2.193, 2 ...
"""

from __future__ import annotations

import itertools
from dataclasses import replace
from math import exp, log, log2, sqrt

import numpy as np
import pytest

from pagekin.bags.bag import Bag
from pagekin.bags.weigh import Frequencies, weigh_bags
from pagekin.config import BagConfig, BuildConfig, TextConfig, WeightConfig, WindowConfig
from pagekin.text.words import term_hash
from tests.indexes import jaccard
from tests.pages import html_page, raw_bags

HUB = """<html lang=en><head><title>Honey links</title></head><body>
<h2>Beekeeping</h2>
<p>Our bees love <a href="http://a.example/">clover</a> and heather moors.</p>
<ul><li><a href="http://b.example/">Hive tools</a> smokers gloves</li>
<li><a href="http://a.example/index.html#top">Wax</a> candles</li></ul>
<p>Weather today</p></body></html>"""
A = '<html lang=en><title>Clover</title><p>Clover honey <a href="http://hub.example/">bees</a></p>'
B = "<html lang=en><p>Tools of the running beekeeper</p>"

D = [log2(32 / (1 + d)) for d in range(32)]
PAPER = BagConfig(headings=0.0, citing_title=0.0)  # nothing that the paper does not have
ANCHORS = replace(PAPER, content=0.0)
PLAIN = TextConfig(stemming="nostem")


def bags(config: BuildConfig) -> dict[str, dict[str, float]]:
    """Raw bags of the three pages with terms in words."""
    pages = [
        html_page(HUB, "http://hub.example/"),
        html_page(A, "http://a.example/"),
        html_page(B, "http://b.example/"),
    ]
    made = raw_bags(pages, config)
    return {url: in_words(bag) for url, bag in made.items()}


WORDS = [
    "honey",
    "links",
    "beekeeping",
    "bees",
    "love",
    "clover",
    "heather",
    "moors",
    "hive",
    "tools",
    "smokers",
    "gloves",
    "wax",
    "candles",
    "weather",
    "honei",
    "bee",
    "keep",
    "link",
    "beekeep",
    "tool",
    "smoker",
    "glove",
    "candl",
    "weather",
    "moor",
    "run",
    "running",
    "beekeeper",
    "our",
    "and",
    "today",
    "link:http://hub.example/",
    "link:http://a.example/",
]
NAMES = {term_hash(word): word for word in WORDS}


def in_words(bag: Bag) -> dict[str, float]:
    """term -> weight."""
    return {NAMES[t]: w for t, w in zip(bag.terms.tolist(), bag.weights.tolist(), strict=True)}


def approx(expected: dict[str, float]) -> object:
    """Equal up to 32-bit rounding."""
    return pytest.approx(expected, rel=1e-6)


def anchors(kind: str, words: int, **more: object) -> dict[str, dict[str, float]]:
    """Bags of anchor windows only, unstemmed."""
    bag = replace(ANCHORS, **more)  # type: ignore[arg-type]
    return bags(BuildConfig(text=PLAIN, window=WindowConfig(kind, words), bag=bag))


def test_basic_window_of_no_words_is_the_anchor_and_the_title() -> None:
    """W = 0: anchor words at distance 0 weigh 5, and the target's title once as much."""
    made = anchors("basic", 0)
    assert approx({"hive": 5.0, "tools": 5.0}) == made["http://b.example/"]
    # two links: clover and wax; and the title of the page, once and not once per link
    assert approx({"clover": 10.0, "wax": 5.0}) == made["http://a.example/"]
    assert approx({"bees": 5.0, "honey": 5.0, "links": 5.0}) == made["http://hub.example/"]


def test_basic_window_of_four_words() -> None:
    """W = 4: four terms each side, nearest first, across all boundaries."""
    assert (
        approx(
            {
                "hive": D[0],
                "tools": D[0],
                "moors": D[1],
                "heather": D[2],
                "clover": D[3],
                "love": D[4],
            }
            | {"smokers": D[1], "gloves": D[2], "wax": D[3], "candles": D[4]}
        )
        == anchors("basic", 4)["http://b.example/"]
    )


def test_basic_window_without_distance_weights() -> None:
    """Without distance weighting every term of the window weighs 1."""
    names = [
        "love",
        "clover",
        "heather",
        "moors",
        "hive",
        "tools",
        "smokers",
        "gloves",
        "wax",
        "candles",
    ]
    assert (
        approx(dict.fromkeys(names, 1.0))
        == anchors("basic", 4, distance="none")["http://b.example/"]
    )


@pytest.mark.parametrize("words", [8, 16, 32])
def test_wide_basic_windows(words: int) -> None:
    """Wider windows reach as far as the page; terms in reach of both links add up."""
    expected = dict.fromkeys(["clover"], D[0] + 5.0)  # and the title
    left = {3: ["clover", "love", "bees", "beekeeping"]}[3]
    for d, term in enumerate(left[1:], 1):
        expected[term] = D[d]
    right = ["heather", "moors", "hive", "tools", "smokers", "gloves", "wax", "candles", "weather"]
    for d, term in enumerate(right[:words], 1):
        expected[term] = expected.get(term, 0.0) + D[d]
    # the second link: [wax] with candles and weather behind it
    expected["wax"] += D[0]
    before_wax = [
        "gloves",
        "smokers",
        "tools",
        "hive",
        "moors",
        "heather",
        "clover",
        "love",
        "bees",
        "beekeeping",
    ]
    for d, term in enumerate(before_wax[:words], 1):
        expected[term] = expected.get(term, 0.0) + D[d]
    expected["candles"] += D[1]
    expected["weather"] = expected.get("weather", 0.0) + D[2]
    assert approx(expected) == anchors("basic", words)["http://a.example/"]


def test_syntactic_windows_stop_at_list_items_and_paragraphs() -> None:
    """SYNTACTIC: the words of the same paragraph or list item."""
    made = anchors("syntactic", 32)
    assert (
        approx({"hive": D[0], "tools": D[0], "smokers": D[1], "gloves": D[2]})
        == made["http://b.example/"]
    )
    assert (
        approx(
            {"clover": D[0] + 5, "love": D[1], "bees": D[2], "heather": D[1], "moors": D[2]}
            | {"wax": D[0], "candles": D[1]}
        )
        == made["http://a.example/"]
    )


def test_topical_windows_stop_at_headings_and_ends_of_lists() -> None:
    """TOPICAL: from the heading (whose words are in) to the end of the list."""
    assert (
        approx(
            {"hive": D[0], "tools": D[0]}
            | {"moors": D[1], "heather": D[2], "clover": D[3], "love": D[4], "bees": D[5]}
            | {"beekeeping": D[6]}
            | {"smokers": D[1], "gloves": D[2], "wax": D[3], "candles": D[4]}
        )
        == anchors("topical", 32)["http://b.example/"]
    )


def test_content_words_weigh_one_each() -> None:
    """Content alone: every word once for each time it is on the page, title included."""
    made = bags(BuildConfig(text=PLAIN, bag=BagConfig(anchor=0.0)))
    assert approx({"clover": 2.0, "honey": 1.0, "bees": 1.0}) == made["http://a.example/"]


def test_anchor_and_content_add_up() -> None:
    """The union: title words weigh 1 for the content and 5 for the anchors."""
    made = bags(BuildConfig(text=PLAIN, window=WindowConfig(words=0), bag=PAPER))
    assert (
        approx({"clover": 1 + 1 + 5 + 5, "honey": 1.0, "bees": 1.0, "wax": 5.0})
        == made["http://a.example/"]
    )


def test_citing_pages_are_terms() -> None:
    """Links as a source: the citing page's id, once for each link."""
    made = bags(BuildConfig(bag=BagConfig(anchor=0.0, content=0.0, links=8.0)))
    assert approx({"link:http://hub.example/": 16.0}) == made["http://a.example/"]


def test_headings_and_citing_title_weigh_as_anchor_words() -> None:
    """The heading above the links and the title of their page, with the weight asked for."""
    made = anchors("basic", 0, headings=0.5, citing_title=0.2)
    assert (
        approx({"hive": 5.0, "tools": 5.0, "beekeeping": 2.5, "honey": 1.0, "links": 1.0})
        == made["http://b.example/"]
    )


def test_stem() -> None:
    """STEM: Porter stems; words whose stem is the stem of a stop word go."""
    made = bags(BuildConfig(text=TextConfig(stemming="stem"), bag=BagConfig(anchor=0.0)))
    # "running beekeeper": "beekeeper" stems to itself
    assert approx({"tool": 1.0, "run": 1.0, "beekeep": 1.0}) == made["http://b.example/"]


def test_stopstem_keeps_the_words() -> None:
    """STOPSTEM: words as they are, the stop list by stems."""
    made = bags(BuildConfig(text=TextConfig(stemming="stopstem"), bag=BagConfig(anchor=0.0)))
    assert approx({"tools": 1.0, "running": 1.0, "beekeeper": 1.0}) == made["http://b.example/"]


def test_without_stop_words_windows_count_every_word() -> None:
    """With the stop list off, "and" is the nearest word to the right of clover."""
    text = TextConfig(stemming="nostem", stop_words=False)
    config = BuildConfig(text=text, window=WindowConfig(words=1), bag=ANCHORS)
    assert (
        approx(
            {"clover": D[0] + 5, "love": D[1], "and": D[1], "wax": D[0], "gloves": D[1]}
            | {"candles": D[1]}
        )
        == bags(config)["http://a.example/"]
    )


# --- weights: two bags, df of honey 2, of bees and of wax 1 ------------------------------------

RAW = [
    Bag("http://a.example/", True, 0, 0, 0, np.empty(0), np.empty(0)),
    Bag("http://b.example/", True, 0, 0, 0, np.empty(0), np.empty(0)),
]
HONEY, BEES, WAX = sorted(term_hash(word) for word in ("honey", "bees", "wax"))


@pytest.fixture
def frequencies(tmp_path: object) -> Frequencies:
    """df 2 for one term, 1 for the two others."""
    path = tmp_path / "df"  # type: ignore[operator]
    terms = np.array([HONEY, BEES, WAX], dtype=np.uint32)
    Frequencies.write(path, terms, np.array([2, 1, 1], dtype=np.uint32), 2)
    return Frequencies(path)


def final(frequencies: Frequencies, **config: object) -> list[float]:
    """The final weights of a bag of raw weights 4, 9 and 1."""
    terms = np.array([HONEY, BEES, WAX], dtype=np.uint32)
    raw = RAW[0]._replace(terms=terms, weights=np.array([4, 9, 1], dtype=np.float32))
    [bag] = weigh_bags([raw], frequencies, WeightConfig(**config))  # type: ignore[arg-type]
    return bag.weights.tolist()


def test_weights_by_hand(frequencies: Frequencies) -> None:
    """Each tf scaling and each df factor, before normalisation."""

    def made(tf: str, df: str, **more: object) -> list[float]:
        return final(frequencies, tf=tf, df=df, normalise=False, **more)

    assert pytest.approx([4, 9, 1]) == made("none", "none")
    assert pytest.approx([2, 3, 1]) == made("sqrt", "none")
    assert pytest.approx([log(5), log(10), log(2)]) == made("log", "none")
    assert pytest.approx([4 / 2, 9, 1]) == made("none", "log")
    assert pytest.approx([4 / sqrt(2), 9, 1]) == made("none", "sqrt")
    factors = [exp(-(((log(df) - 1) / 2) ** 2) / 2) for df in (2, 1, 1)]
    expected = [w * f for w, f in zip([4, 9, 1], factors, strict=True)]
    assert pytest.approx(expected) == made("none", "nmdf", mu=1.0, sigma=2.0)


def test_mu_and_sigma_are_the_moments_over_incidences(frequencies: Frequencies) -> None:
    """ln df over the (bag, term) incidences: ln 2 twice, 0 twice."""
    assert pytest.approx((log(2) / 2, log(2) / 2)) == frequencies.moments(WeightConfig())


def test_cut_and_normalisation(frequencies: Frequencies) -> None:
    """The heaviest terms stay, and then the weights add up to 1."""
    assert pytest.approx([4 / 14, 9 / 14, 1 / 14]) == final(frequencies, tf="none", df="none")
    assert pytest.approx([4 / 13, 9 / 13]) == final(frequencies, tf="none", df="none", terms=2)


def test_jaccard_by_hand() -> None:
    """(min(4, 1) + min(0, 2) + min(1, 1)) / (4 + 2 + 1)"""
    a = RAW[0]._replace(terms=np.array([16, 18], np.uint32), weights=np.array([4, 1], np.float32))
    b = RAW[1]._replace(
        terms=np.array([16, 17, 18], np.uint32), weights=np.array([1, 2, 1], np.float32)
    )
    assert pytest.approx(2 / 7) == jaccard(a, b)
    assert [1.0, 1.0] == [jaccard(x, x) for x in (a, b)]


def test_every_combination_of_windows_and_stems_has_the_anchor() -> None:
    """Whatever the strategy, the anchor and the target's title are in the bag."""
    kinds, stems = ("basic", "syntactic", "topical"), ("stem", "nostem", "stopstem")
    for kind, words, stem in itertools.product(kinds, (0, 4, 8, 16, 32), stems):
        config = BuildConfig(
            text=TextConfig(stemming=stem), window=WindowConfig(kind, words), bag=ANCHORS
        )
        assert {"clover", "wax"} <= bags(config)["http://a.example/"].keys()
