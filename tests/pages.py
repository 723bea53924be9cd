"""Pages for tests: from plain token lists, or from HTML."""

from __future__ import annotations

import itertools
import random
from operator import itemgetter

from pagekin.bags.bag import Bag, is_bag, parse_bag
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.stages.fragments.extractor import FragmentExtractor
from pagekin.stages.fragments.merge import BagMerger
from pagekin.web.markup import Flat, Outline, read_markup
from pagekin.web.page import Page, make_page
from pagekin.web.urls import Resolver
from tests.plain import PlainPage

NO_ADDRESS = "mailto:nobody@example.org"


def page_of(plain: PlainPage) -> Page:
    """The page that the reader would make of these tokens."""
    hrefs = [target or NO_ADDRESS for target in plain.targets]
    flat = Flat(" ".join(plain.tokens).encode(), hrefs, [b""] * len(hrefs))
    return Page(plain.url, flat, "en", "utf-8", Resolver(plain.url))


def html_page(html: str, url: str = "http://one.example/") -> Page:
    """The page in some HTML."""
    page = make_page(url, html.encode())
    assert not isinstance(page, str), page
    return page


def outline(body: bytes) -> Outline:
    """The outline of a page in UTF-8."""
    found = read_markup(body, with_outline=True)[1]
    assert found is not None
    return found


def raw_bags(
    pages: list[Page], config: BuildConfig, counters: Counters | None = None, seed: int = 0
) -> dict[str, Bag]:
    """Raw bags as a mapper, a sort and a reducer make them."""
    counters = counters or Counters()
    extractor = FragmentExtractor(config, counters)
    records = itertools.chain(*map(extractor.records, pages), extractor.finish())
    pairs = [pair for pair in records if is_bag(pair)]
    random.Random(seed).shuffle(pairs)
    pairs.sort(key=itemgetter(0))
    merger = BagMerger(config.bag, config.window, counters)
    return {bag.url: bag for bag in itertools.starmap(parse_bag, merger.merge(pairs))}
