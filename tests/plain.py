"""A plain implementation of the bags, written straight from the paper: loops, dictionaries, floats.

It is the twin against which the fast one is tested, and shares nothing with it but the
configuration and the marker characters. [SIM] 3.1: windows; 3.2: stems; 3.3 and 5.2: weights.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from functools import cache

from nltk.stem.porter import PorterStemmer

from pagekin.config import BagConfig, BuildConfig, TextConfig, WeightConfig
from pagekin.text import tokens as m
from pagekin.text.words import stop_words

Bag = dict[str, float]

LISTS_TABLES_HEADINGS = {m.LIST_END, m.TABLE_END, *m.HEADING}
PARAGRAPHS = {*LISTS_TABLES_HEADINGS, m.BLOCK, m.SENTENCE, m.HEADING_END}
_porter = PorterStemmer(mode="ORIGINAL_ALGORITHM")


@dataclass
class PlainPage:
    """A page as a list of words and markers; `targets` has a URL (or None) for each LINK."""

    url: str
    tokens: list[str]
    targets: list[str | None] = field(default_factory=list)


def plain_term(word: str, config: TextConfig) -> str:
    """The term of an English word; "" if it is dropped."""
    stops = stop_words("en") if config.stop_words else frozenset()
    if config.stemming == "nostem":
        return "" if word in stops else word
    stem = _porter.stem(word)
    if not stem or (config.stop_words and stem in _stopped()):
        return ""
    return stem if config.stemming == "stem" else word


@cache
def _stopped() -> set[str]:
    return {_porter.stem(stop) for stop in stop_words("en")}


def plain_bags(pages: list[PlainPage], config: BuildConfig) -> dict[str, Bag]:
    """The raw bag of every URL seen."""
    bags: dict[str, Bag] = defaultdict(lambda: defaultdict(float))
    for page in pages:
        own = bags[page.url]  # every page has a bag, if an empty one
        title, body = _split_title(page.tokens)
        for word in [*title, *body]:
            if word not in m.NAMES:
                _add(own, plain_term(word, config.text), config.bag.content)
        for word in title:
            if word not in m.NAMES:
                weight = config.bag.anchor * _distance_weight(0, config.bag)
                _add(own, plain_term(word, config.text), weight)
        _add_links(bags, page, title, body, config)
    crawled = {page.url for page in pages}
    kept = crawled if config.bag.urls == "crawled" else bags.keys()
    return {url: {t: w for t, w in bags[url].items() if w > 0} for url in kept}


def _split_title(tokens: list[str]) -> tuple[list[str], list[str]]:
    if m.TITLE not in tokens:
        return [], tokens
    start = tokens.index(m.TITLE)
    end = tokens.index(m.TITLE_END, start)
    return tokens[start + 1 : end], tokens[:start] + tokens[end + 1 :]


def _add(bag: Bag, term: str, weight: float) -> None:
    if term:
        bag[term] += weight


def _distance_weight(distance: int, bag: BagConfig) -> float:
    if bag.distance == "none":
        return 1.0
    return max(0.0, math.log2(32 / (1 + distance)))


def _add_links(  # noqa: C901 - one loop is easier to hold against the paper
    bags: dict[str, Bag], page: PlainPage, title: list[str], body: list[str], config: BuildConfig
) -> None:
    starts = [k for k, token in enumerate(body) if token == m.LINK]
    for start, target in zip(starts, page.targets, strict=True):
        if target is None or target == page.url:
            continue
        within = 1.0
        if target.split("/")[2] == page.url.split("/")[2]:
            if config.bag.same_host == "drop":
                continue
            if config.bag.same_host == "weigh":
                within = config.bag.same_host_weight
        factor = config.bag.anchor * within
        end = body.index(m.LINK_END, start)
        bag = bags[target]
        for term, distance in _window(body, start, end, config):
            _add(bag, term, factor * _distance_weight(distance, config.bag))
        anchor_word = factor * _distance_weight(0, config.bag)
        for term in _headings_above(body[:start], config.text):
            _add(bag, term, anchor_word * config.bag.headings)
        for word in title:
            if word not in m.NAMES:
                weight = anchor_word * config.bag.citing_title
                _add(bag, plain_term(word, config.text), weight)
        if config.bag.links:
            bag[f"link:{page.url}"] += config.bag.links * within


def _window(body: list[str], start: int, end: int, config: BuildConfig) -> list[tuple[str, int]]:
    """(term, distance) of the anchor and of what stands around it."""
    stops = {"basic": set(), "syntactic": PARAGRAPHS, "topical": LISTS_TABLES_HEADINGS}
    cut = stops[config.window.kind]
    found = [(plain_term(w, config.text), 0) for w in body[start:end] if w not in m.NAMES]
    for side in (reversed(body[:start]), iter(body[end + 1 :])):
        distance = 0
        for token in side:
            if token in cut or distance == config.window.words:
                break
            term = "" if token in m.NAMES else plain_term(token, config.text)
            if term:
                distance += 1
                found.append((term, distance))
    return found


def _headings_above(before: list[str], config: TextConfig) -> list[str]:
    """The terms of the headings under which a link stands: of each open level the last."""
    chain: dict[int, list[str]] = {}
    for k, token in enumerate(before):
        if token in m.HEADING:
            level = m.HEADING.index(token) + 1
            end = before.index(m.HEADING_END, k) if m.HEADING_END in before[k:] else k
            words = [w for w in before[k:end] if w not in m.NAMES]
            chain = {n: words for n, words in chain.items() if n < level}
            chain[level] = words
    return [plain_term(w, config) for n in sorted(chain) for w in chain[n]]


def plain_weights(bags: dict[str, Bag], config: WeightConfig) -> dict[str, Bag]:
    """The final bag of every URL."""
    df = Counter(term for bag in bags.values() for term in bag)
    most = max(config.common * len(bags), 20)
    logs = [math.log(df[term]) for bag in bags.values() for term in bag if df[term] <= most]
    mean = sum(logs) / len(logs) if logs else 0.0
    deviation = math.sqrt(sum((x - mean) ** 2 for x in logs) / len(logs)) if logs else 0.0
    mu, sigma = config.mu or mean, config.sigma or deviation
    return {url: _weigh(bag, df, config, mu, sigma) for url, bag in bags.items()}


def _gauss(x: float) -> float:
    return math.exp(-x * x / 2)


def _weigh(bag: Bag, df: Counter[str], config: WeightConfig, mu: float, sigma: float) -> Bag:
    scale = {"none": lambda w: w, "sqrt": math.sqrt, "log": lambda w: math.log(1 + w)}[config.tf]
    factors = {
        "none": lambda n: 1.0,
        "log": lambda n: 1 / (1 + math.log2(n)),
        "sqrt": lambda n: 1 / math.sqrt(n),
        "nmdf": lambda n: _gauss((math.log(n) - mu) / sigma) if sigma > 1e-9 else 1.0,
    }
    weighed = {t: scale(w) * factors[config.df](df[t]) for t, w in bag.items()}
    heaviest = sorted(weighed, key=lambda t: -weighed[t])
    kept = {t: weighed[t] for t in heaviest[: config.terms or None]}
    total = sum(kept.values()) if config.normalise else 1.0
    return {t: w / total for t, w in kept.items()}


def plain_jaccard(a: Bag, b: Bag) -> float:
    """Sum of minima over sum of maxima."""
    terms = a.keys() | b.keys()
    union = sum(max(a.get(t, 0.0), b.get(t, 0.0)) for t in terms)
    return sum(min(a.get(t, 0.0), b.get(t, 0.0)) for t in terms) / union if union else 0.0
