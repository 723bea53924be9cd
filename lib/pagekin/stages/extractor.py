"""What the extractors of a page have in common, and how a reading stage runs them.

An extractor is made for one map task, gets each page that the task reads, and gives records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Protocol

from pagekin.config import BuildConfig
from pagekin.counters import Counters
from pagekin.kinds import Pair
from pagekin.stages.declaration import Extractor, Output, load_named
from pagekin.text.tokens import load_dictionary
from pagekin.text.words import load_stemmers
from pagekin.web.page import Page, SnapshotReader, View
from pagekin.web.resolution import Ends, Resolution
from pagekin.web.streams import ByteRange
from pagekin.web.urls import are_spellings, make_suffix_list, within_host

__all__ = [
    "LinkTargets",
    "PageExtractor",
    "ReadingTask",
    "extract",
    "make_ready",
    "merge_outputs",
    "view_for",
]


@dataclass(frozen=True)
class ReadingTask:
    """What a task of a reading stage was given."""

    config: BuildConfig
    counters: Counters
    tables: Mapping[str, Path] = field(default_factory=dict)  # by the name of the option

    @cached_property
    def resolution(self) -> Resolution | None:
        """Which URL stands for which, if that was settled."""
        path = self.tables.get("resolution")
        return Resolution(path) if path else None

    def other_tables(self, output: Output) -> list[str | None]:
        """The files of the other tables that an output uses, None where there is none."""
        paths = (self.tables.get(table.option) for table in output.uses)
        return [str(path) if path else None for path in paths]


class PageExtractor(Protocol):
    """Makes records of pages.

    It is made with the configuration, the counters of the task, what URLs stand for, and the file
    of each other table that its output uses (None where there is none).
    """

    @property
    def view(self) -> View:
        """What is to be made of each page: its text, an outline, a tree."""

    def records(self, page: Page) -> Iterator[Pair]:
        """What is to be said when a page was read."""

    def finish(self) -> Iterator[Pair]:
        """What is left to be said when all pages were read."""


def view_for(extractors: Iterable[PageExtractor]) -> View:
    """All that these extractors want to be made of a page."""
    views = [extractor.view for extractor in extractors]
    texts = [view.without for view in views if view.text]
    return View(
        text=bool(texts),
        outline=any(view.outline for view in views),
        tree=any(view.tree for view in views),
        without=frozenset.intersection(*texts) if texts else frozenset(),
    )


def make_ready() -> None:
    """Load what each task would load for itself, in 0.2 s of CPU; forked tasks share it."""
    load_dictionary()
    load_stemmers()
    make_suffix_list()


def extract(
    outputs: Iterable[Output],
    task: ReadingTask,
    files: Iterable[tuple[str, ByteRange]],
    progress: Callable[[int], Callable[[int, int], None]],
) -> Iterator[Pair]:
    """The map side: each page of these files, or parts of files, is read once, and given to all
    extractors.
    """
    extractors: list[PageExtractor] = [
        load_named(output.runs)(
            task.config, task.counters, task.resolution, *task.other_tables(output)
        )
        for output in outputs
        if isinstance(output, Extractor)
    ]
    reader = SnapshotReader(
        task.config.reading, task.counters, task.resolution, view_for(extractors)
    )
    for address, part in files:
        for page in reader.pages(address, progress(part.start), part):
            for extractor in extractors:
                yield from extractor.records(page)
    for extractor in extractors:
        yield from extractor.finish()


def merge_outputs(
    outputs: Iterable[Output], task: ReadingTask, pairs: Iterable[Pair]
) -> Iterator[Pair]:
    """The reduce side: the records of each extractor are merged as it says, or kept as they are."""
    mergers = [output for output in outputs if isinstance(output, Extractor)]

    def owner(pair: Pair) -> Extractor | None:
        """Kinds with a mark belong to those who make them; all other keys to the one who merges."""
        for output in mergers:
            if any(kind.prefix and kind.holds(pair[0]) for kind in output.makes):
                return output
        return next((o for o in mergers if any(not kind.prefix for kind in o.makes)), None)

    for output, run in groupby(pairs, key=owner):
        if output and output.merges:
            merge = load_named(output.merges)
            yield from merge(run, task.config, task.counters)
        else:
            yield from run


class LinkTargets:
    """Where the links of pages lead: without those that are not to be followed, those to the page
    itself and, where it is wanted, those within its host.
    """

    def __init__(
        self, config: BuildConfig, counters: Counters, resolution: Resolution | None = None
    ) -> None:
        self._config = config
        self._counters = counters
        self._resolution = resolution
        self._captured_only = config.bag.urls == "crawled"

    def of(self, page: Page, own: str) -> tuple[list[str | None], set[str]]:
        """Where each link leads, None for those that are left out, all counted; and of where they
        lead what surely was not read. Extractors that ask the same of a page share the answer, and
        its links are counted for the first of them.
        """
        asked = own, self._config.reading, self._config.bag.same_host, self._captured_only
        if asked not in page.ends:
            page.ends[asked] = self._of(page, own)
        return page.ends[asked]

    def _of(self, page: Page, own: str) -> tuple[list[str | None], set[str]]:
        targets, unfollowed = self._without_nofollow(page, page.targets())
        times = Counter(targets)
        self._count("nofollow", unfollowed)
        self._count("no_web_address", times.pop(None, 0) - unfollowed)
        if too_long := page.resolver.too_long:
            number = sum(href in too_long for href in page.flat.hrefs)
            self._counters.add("links", "too_long", number)
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
        respelt = sum(times[t] for t, end in moved.items() if are_spellings(t, end))
        self._counters.add("links", "through_other_spellings", respelt)
        redirected = sum(times[target] for target in moved) - respelt
        self._counters.add("links", "through_redirects", redirected)
        if self._captured_only and self._resolution and self._resolution.knows_captured:
            gone = [target for target in others if kept[target]]
            kept.update(dict.fromkeys(gone))
            self._counters.add("links", "not_captured", sum(times[target] for target in gone))
        unread = {*filter(None, map(kept.__getitem__, others))}
        return list(map(kept.__getitem__, targets)), unread

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
