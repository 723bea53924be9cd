"""What a page gives to the bags: its own fragment, and one for each URL it links to [SIM 6.1]."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain

from pagekin.bags.fragments import FragmentMaker
from pagekin.bags.stream import Stream, read_stream
from pagekin.bags.vocabulary import DIGITS, forms_records
from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.fragments.link_records import Said
from pagekin.stages.fragments.sender import Sender
from pagekin.stages.fragments.values import content_value, host_id
from pagekin.text.tokens import with_sentences
from pagekin.text.words import Form, Forms, Vocabulary, term_hash
from pagekin.web.page import Page, View
from pagekin.web.resolution import Ends, Resolution, own_url
from pagekin.web.tags import CUTS, HEADING_MARKS
from pagekin.web.urls import within_host

__all__ = ["Extractor", "FragmentExtractor", "page_term"]

_MANY_PAGES = 100_000  # page ids that wait: about 30 MB


def page_term(url: str) -> str:
    """The term that stands for a citing page; no word has a colon."""
    return f"link:{url}"


class Extractor:
    """Cuts pages into fragments under one configuration."""

    def __init__(
        self, config: BuildConfig, counters: Counters, resolution: Resolution | None = None
    ) -> None:
        self._config = config
        self._counters = counters
        self._resolution = resolution
        self._captured_only = config.bag.urls == "crawled"
        self._maker = FragmentMaker(config.window, config.bag)
        self.vocabulary = Vocabulary(config.text)
        self._page_terms: list[Form] = []

    def view(self) -> View:
        """What is to be made of a page for it: a text without marks that no window looks at."""
        if self._config.window.kind != "basic":
            return View()
        without = CUTS if self._config.bag.headings else CUTS | HEADING_MARKS
        return View(without=without)

    def say(self, page: Page) -> Said:
        """What a page says."""
        return self._say(page, self.read(page, with_sentences(page.flat.text)))

    def read(self, page: Page, text: bytes) -> Stream:
        """The terms of a page whose sentences are marked already."""
        return read_stream(text, self.vocabulary.table(page.language))

    def cut(self, page: Page, stream: Stream) -> Iterator[Pair]:
        """The (URL, fragment) pairs of a page whose terms are known; other windows may be cut from
        the same.
        """
        return self._say(page, stream).records()

    def _say(self, page: Page, stream: Stream) -> Said:
        url = own_url(page.url, self._config.reading, self._resolution)
        self._counters.add("text", "terms", len(stream.terms))
        value = content_value(self._maker.of_page(stream), own=url == page.url)
        parts = self._maker.of_links(stream, self._page_id(url))
        return Said(url.encode(), value, self._targets(page, url), parts, host_id(url))

    def full(self) -> bool:
        """Is it time to take the forms?"""
        return self.vocabulary.full() or len(self._page_terms) > _MANY_PAGES

    def take_forms(self) -> Iterator[Forms]:
        """The words seen since the last time, with the pages that stand as terms."""
        pages, self._page_terms = self._page_terms, []
        return chain([Forms.of(pages)], self.vocabulary.take_forms())

    def _page_id(self, url: str) -> int:
        if not self._config.bag.links:
            return 0
        term = page_term(url)
        self._page_terms.append(Form(term_hash(term), term, url, 1))
        return term_hash(term)

    def _targets(self, page: Page, own: str) -> list[str | None]:
        """Where each link leads, None for those that are left out, all counted."""
        targets, unfollowed = self._without_nofollow(page, page.targets())
        times = Counter(targets)
        self._count("nofollow", unfollowed)
        self._count("no_web_address", times.pop(None, 0) - unfollowed)
        moved, others = self._look_up([*filter(None, times)])
        kept: dict[str | None, str | None] = {None: None}
        is_within, drops = within_host(own), self._config.bag.same_host == "drop"
        to_itself = within = 0
        for target, number in times.items():
            end: str = moved.get(target, target)  # type: ignore[arg-type, assignment]
            kept[target] = end
            if end == own:
                to_itself += number
                kept[target] = None
            elif is_within(end):
                within += number
                kept[target] = None if drops else end
        self._count("to_itself", to_itself)
        self._count("within_host_dropped" if drops else "within_host", within)
        self._count("to_other_host", times.total() - to_itself - within)
        self._counters.add("links", "through_redirects", sum(times[t] for t in moved))
        if self._captured_only and self._resolution and self._resolution.knows_captured:
            gone = [target for target in others if kept[target]]
            kept.update(dict.fromkeys(gone))
            self._counters.add("links", "not_captured", sum(times[target] for target in gone))
        return list(map(kept.__getitem__, targets))

    def _look_up(self, targets: list[str]) -> Ends:
        """What stands for others, and what was not captured: it has no bag, and no reducer need see
        links to it.
        """
        return self._resolution.look_up(targets) if self._resolution else Ends({}, set())

    def _count(self, reason: str, number: int) -> None:
        self._counters.add("links", reason, number)
        self._counters.add("links", "found", number)

    def _without_nofollow(
        self, page: Page, targets: list[str | None]
    ) -> tuple[list[str | None], int]:
        """None for links that are not to be followed, if that is asked for, and their number."""
        reading = self._config.reading
        all_links = reading.obey_robots and page.nofollow
        if not all_links and not reading.drop_nofollow:
            return targets, 0
        kept = [
            None if all_links or unfollowed else target
            for target, unfollowed in zip(targets, page.unfollowed(), strict=True)
        ]
        return kept, kept.count(None) - targets.count(None)


class FragmentExtractor:
    """What a map task sends of its pages for their bags: parcels, summed links to URLs that very
    many links point to, and records of words.
    """

    def __init__(
        self,
        config: BuildConfig,
        counters: Counters,
        resolution: Resolution | None = None,
        packing: str | None = None,
        *,
        word_digits: int = DIGITS,
    ) -> None:
        """`packing` is the file that the inventory made; without one hosts are not cut."""
        self._extractor = Extractor(config, counters, resolution)
        self._sender = Sender(config, packing)
        self._digits = word_digits

    @property
    def view(self) -> View:
        """What a page must hold for it."""
        return self._extractor.view()

    def records(self, page: Page) -> Iterator[Pair]:
        """What a page says; and words or summed links, whenever enough of them wait."""
        yield from self._sender.send(self._extractor.say(page))
        if self._extractor.full():
            yield from self._words()

    def finish(self) -> Iterator[Pair]:
        """All that waits, once the task has read its last page."""
        yield from self._sender.finish()
        yield from self._words()

    def _words(self) -> Iterator[Pair]:
        return forms_records(self._extractor.take_forms(), self._digits)
