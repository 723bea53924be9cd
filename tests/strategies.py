"""Hypothesis strategies: random pages and configurations."""

from __future__ import annotations

from hypothesis import strategies as st

from pagekin.config import BagConfig, BuildConfig, TextConfig, WeightConfig, WindowConfig
from pagekin.text import tokens as m
from tests.plain import PlainPage

# stop words, words with equal stems, words of other lengths, words that stem to nothing
WORDS = [
    "the",
    "of",
    "and",
    "s",
    "bees",
    "bee",
    "beeing",
    "honey",
    "honeys",
    "hive",
    "hives",
    "running",
    "run",
    "runner",
    "relational",
    "general",
    "generation",
    "oscillate",
    "oscillators",
    "weather",
    "music",
    "band",
    "guitar",
    "a",
    "to",
    "with",
    "été",
    "naïve",
]
URLS = [
    "http://one.example/",
    "http://one.example/a",
    "http://two.example/",
    "http://sub.two.example/b",
    "http://three.example/c",
]
MARKS = [m.BLOCK, m.BREAK, m.SENTENCE, m.LIST_END, m.TABLE_END]

words = st.lists(st.sampled_from(WORDS), max_size=6)


@st.composite
def headings(draw: st.DrawFn) -> list[str]:
    """A heading of some level."""
    return [draw(st.sampled_from(m.HEADING)), *draw(words), m.HEADING_END]


def links() -> st.SearchStrategy[list[str]]:
    """A link with its anchor text."""
    return words.map(lambda anchor: [m.LINK, *anchor, m.LINK_END])


@st.composite
def pages(draw: st.DrawFn) -> PlainPage:
    """A page of words, links, headings and boundaries."""
    marks = st.sampled_from(MARKS).map(lambda mark: [mark])
    parts = draw(st.lists(st.one_of(words, links(), marks, headings()), max_size=12))
    tokens = [token for part in parts for token in part]
    title = draw(st.one_of(st.just([]), words.map(lambda t: [m.TITLE, *t, m.TITLE_END])))
    count = tokens.count(m.LINK)
    targets = draw(st.lists(st.sampled_from([*URLS, None]), min_size=count, max_size=count))
    return PlainPage(draw(st.sampled_from(URLS)), [*title, *tokens], targets)


def snapshots() -> st.SearchStrategy[list[PlainPage]]:
    """Pages with different URLs."""
    return st.lists(pages(), max_size=4, unique_by=lambda page: page.url)


weights = st.sampled_from([0.0, 0.5, 1.0, 8.0])


@st.composite
def configs(draw: st.DrawFn) -> BuildConfig:
    """Any configuration of text, windows and bags."""
    anchor, content, link_ids = draw(weights), draw(weights), draw(weights)
    if anchor == content == link_ids == 0:
        content = 1.0
    return BuildConfig(
        text=TextConfig(
            stemming=draw(st.sampled_from(["stem", "nostem", "stopstem"])),
            stop_words=draw(st.booleans()),
        ),
        window=WindowConfig(
            kind=draw(st.sampled_from(["basic", "syntactic", "topical"])),
            words=draw(st.sampled_from([0, 1, 2, 4, 8, 32, 100])),
        ),
        bag=BagConfig(
            anchor=anchor,
            content=content,
            links=link_ids,
            distance=draw(st.sampled_from(["log", "none"])),
            headings=draw(weights),
            citing_title=draw(weights),
            same_host=draw(st.sampled_from(["keep", "drop", "weigh"])),
            urls=draw(st.sampled_from(["all", "crawled"])),
        ),
    )


def weight_configs() -> st.SearchStrategy[WeightConfig]:
    """Any way to weigh; uncut, because ties at the cut may be broken either way."""
    return st.builds(
        WeightConfig,
        tf=st.sampled_from(["none", "sqrt", "log"]),
        df=st.sampled_from(["none", "log", "sqrt", "nmdf"]),
        mu=st.sampled_from([0.0, 1.0]),
        sigma=st.sampled_from([0.0, 0.7]),
        terms=st.just(0),
        normalise=st.booleans(),
    )
