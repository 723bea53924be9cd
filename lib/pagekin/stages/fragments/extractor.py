"""What a map task sends of its pages for the bags: parcels, sums of links, and words [SIM 6.1].

All links to a URL go to one reducer, so a URL with a million links makes one task longer than all
others. Map tasks share that work: once a task has seen many links to a URL, further ones are kept,
and sent with their terms summed as the reducer would sum them. Sums are exact, so which links were
summed by which task leaves no trace in the bag. So links may be counted on some pages only, counts
may be forgotten again, and what is kept may be sent at any time; both are bounded.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

import numpy as np

from pagekin.bags.fragments import (
    FragmentMaker,
    Fragments,
    Stream,
    has_long_headings,
    in_menus,
    read_stream,
)
from pagekin.bags.vocabulary import forms_records, read_stop_lists
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.extractor import LinkTargets
from pagekin.stages.fragments.merge import BagMerger
from pagekin.stages.fragments.parcels import PageFragments, UrlRanges, pack
from pagekin.text.tokens import with_sentences
from pagekin.text.words import Form, Forms, Vocabulary, term_hash
from pagekin.web.page import Page, View
from pagekin.web.resolution import Resolution, own_url
from pagekin.web.tags import CUTS, HEADING_MARKS, MENU_MARKS
from pagekin.web.urls import host

__all__ = ["FragmentExtractor", "page_term"]

_MANY_IDS = 100_000  # page ids that wait: about 30 MB
_PAGES = 16  # are packed at once: 0.17 ms a page, one by one 0.25
_TERMS = 50_000  # or fewer, if they have so many terms

_SAMPLE = 8  # on one in so many pages links are counted
_HOT = 100  # links on these pages make a URL hot: 800 in all, 3 ms of a reducer
_KEPT = 4 << 20  # bytes of parcels with links to hot URLs: of some thousand pages
_KNOWN = 10_000  # URLs whose links are counted: 2.5 MB
_FEW = 6  # links: counts up to that are forgotten when there are too many


def page_term(url: str) -> str:
    """The term that stands for a citing page; no word has a colon."""
    return f"link:{url}"


class FragmentExtractor:
    """Makes the records of pages under one configuration.

    `read` and `cut` are for those who make several kinds of fragments of the same pages, and sum
    nothing before all are together.
    """

    def __init__(
        self,
        config: BuildConfig,
        counters: Counters,
        resolution: Resolution | None = None,
        packing: str | None = None,
        stop_lists: str | None = None,
    ) -> None:
        """`packing` and `stop_lists` are files that the inventory made; without the one hosts are
        not cut, without the other no stop words are dropped but those that are shipped.
        """
        self._config = config
        self._counters = counters
        self._resolution = resolution
        self._targets = LinkTargets(config, counters, resolution)
        self._maker = FragmentMaker(config.window, config.bag)
        self._ranges = UrlRanges.read(packing)
        self._hot = HotLinks(config, counters, self._ranges)
        self._vocabulary = Vocabulary(config.text, read_stop_lists(stop_lists))
        self._page_terms: list[Form] = []
        self._waiting: list[PageFragments] = []
        self._terms = 0  # of the pages that wait

    @property
    def view(self) -> View:
        """What a page must hold: a text without marks that no window looks at."""
        bag, without = self._config.bag, frozenset[str]()
        if self._config.window.kind == "basic":
            without = CUTS if bag.headings else CUTS | HEADING_MARKS
        return View(without=without if bag.templates == "anchors" else without | MENU_MARKS)

    def records(self, page: Page) -> Iterator[Pair]:
        """Records of this page and of others before it, whenever enough wait."""
        made = self._fragments(page, self.read(page, with_sentences(page.flat.text)))
        self._waiting.append(self._hot.take_out(made))
        self._terms += len(made.fragments.terms)
        if len(self._waiting) >= _PAGES or self._terms > _TERMS:
            yield from self._parcels()
        yield from self._hot.overdue()
        if self._is_full():
            yield from self._words()

    def finish(self) -> Iterator[Pair]:
        """All that waits, once the task has read its last page."""
        yield from self._parcels()
        yield from self._hot.finish()
        yield from self._words()

    def read(self, page: Page, text: bytes) -> Stream:
        """The terms of a page whose sentences are marked already."""
        return read_stream(text, self._vocabulary.table(page.language))

    def cut(self, page: Page, stream: Stream) -> Iterator[Pair]:
        """The parcels of a page whose terms are known."""
        return pack([self._fragments(page, stream)], self._ranges)

    def forget_words(self) -> None:
        """Forget the words seen, if they are many; for those who send none."""
        if self._is_full():
            self._vocabulary.take_forms()
            self._page_terms = []

    def _is_full(self) -> bool:
        return self._vocabulary.full() or len(self._page_terms) > _MANY_IDS

    def _words(self) -> Iterator[Pair]:
        """Records of the words seen since the last time, with the pages that stand as terms."""
        pages, self._page_terms = self._page_terms, []
        return forms_records(chain([Forms.of(pages)], self._vocabulary.take_forms()))

    def _parcels(self) -> Iterator[Pair]:
        """The parcels of the pages that wait."""
        waiting, self._waiting, self._terms = self._waiting, [], 0
        return pack(waiting, self._ranges)

    def _fragments(self, page: Page, stream: Stream) -> PageFragments:
        url = own_url(page.url, self._config.reading, self._resolution)
        self._counters.add("text", "terms", len(stream.terms))
        self._counters.add("pages", "titles_cut", page.title_is_cut)
        self._counters.add("pages", "headings_cut", has_long_headings(stream))
        fragments = self._maker.fragments(stream, self._page_id(url))
        targets, unread = self._targets.of(page, url)
        alone = self._alone(stream, fragments, targets, unread) if unread else frozenset()
        citing = host(url).encode()
        return PageFragments(url, url == page.url, citing, targets, fragments, page.title, alone)

    def _page_id(self, url: str) -> int:
        if not self._config.bag.links:
            return 0
        term = page_term(url)
        self._page_terms.append(Form(term_hash(term), term, url, 1))
        return term_hash(term)

    def _alone(
        self,
        stream: Stream,
        fragments: Fragments,
        targets: list[str | None],
        unread: set[str],
    ) -> frozenset[str]:
        """Those of the unread targets to which at least half of the page's links stand in menus:
        nothing but anchors tells of them, as the words around would be the menu's. What that takes
        is counted.
        """
        if self._config.bag.templates == "none":
            return frozenset()
        in_menu = in_menus(stream).tolist()
        more: Counter[str | None] = Counter()  # links in menus than others
        for target, is_in in zip(targets, in_menu, strict=True):
            more[target] += 1 if is_in else -1
        alone = {target for target in unread if more[target] >= 0}
        taken = np.array([target in alone for target in targets], np.bool_)
        around = fragments.start - fragments.low + fragments.high - fragments.end
        self._counters.add("menus", "links", int(np.count_nonzero(taken)))
        self._counters.add("menus", "words", int(around[taken].sum()))
        self._counters.add("menus", "pages", int(taken.any()))
        return frozenset(alone)


class HotLinks:
    """Takes the links to URLs that very many links lead to out of what pages say, and sums them."""

    def __init__(self, config: BuildConfig, counters: Counters, ranges: UrlRanges) -> None:
        self._merger = BagMerger(config.bag, config.window, counters)
        self._ranges = ranges
        self._pages = 0
        self._links: Counter[str] = Counter()  # to each URL, on some of the pages
        self._hot: set[str] = set()
        self._waiting: list[PageFragments] = []  # pages with nothing but links to hot URLs
        self._parcels: list[Pair] = []  # of other such pages
        self._size = 0

    def take_out(self, page: PageFragments) -> PageFragments:
        """What a page says but for its links to hot URLs."""
        hot = [target if target in self._hot else None for target in page.targets]
        if any(hot):
            self._waiting.append(page._replace(targets=hot))
            if len(self._waiting) >= _PAGES:
                self._pack()
            cold = [None if url else t for url, t in zip(hot, page.targets, strict=True)]
            page = page._replace(targets=cold)
        if not self._pages % _SAMPLE:
            self._count(page)
        self._pages += 1
        return page

    def overdue(self) -> Iterator[Pair]:
        """All links that wait, if they are many."""
        return self.finish() if self._size > _KEPT else iter(())

    def finish(self) -> Iterator[Pair]:
        """All links that wait, summed."""
        self._pack()
        parcels, self._parcels, self._size = self._parcels, [], 0
        self._hot = set()
        for url, value in self._merger.fold(parcels) if parcels else ():
            yield self._ranges.key_of(url), value

    def _pack(self) -> None:
        parcels = list(pack(self._waiting, None))
        self._parcels += parcels
        self._size += sum(len(value) for _, value in parcels)
        self._waiting = []

    def _count(self, page: PageFragments) -> None:
        """Count the links of a page: what is hot shows from the next page on."""
        self._links.update(filter(None, page.targets))
        self._hot.update(url for url in {*page.targets} if url and self._links[url] > _HOT)
        if len(self._links) > _KNOWN:
            often = {url: links for url, links in self._links.items() if links > _FEW}
            self._links = Counter(often if len(often) < _KNOWN // 2 else {})
