"""What rivals are judged with: labelled pages, our bags of them, and the texts of a snapshot."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from pagekin.build.bag_store import BagStore
from pagekin.build.judging_material import Labels
from pagekin.build.manifests import total_size
from pagekin.config import known_config
from pagekin.counters import Counters
from pagekin.errors import UsageError
from pagekin.evaluate.rivals.page_texts import bag_text, read_pages
from pagekin.evaluate.rivals.rival import Stopwatch
from pagekin.evaluate.rivals.table import Contest, Ours, Show
from pagekin.storage.workspace import MARK
from pagekin.tables import url_number
from pagekin.web.sources import Source

__all__ = ["make_contest"]

_LEARNED = 5000  # other pages, read and unread each, from whose texts rivals may learn
_OURS: Final = "ours"
_PLAIN: Final = "plain"  # before they were enriched


def make_contest(
    labels: Labels,
    work: Path,
    more: Mapping[str, Path],
    snapshot: Sequence[Source],
    show: Show,
    **how: Any,
) -> Contest:
    """The contest over the labelled pages of a workspace; `more` names other bags of them, in
    workspaces or indexes. Bags that were enriched have the plain ones as a row too, and rivals read
    the words of these. `how` is for `Contest`.
    """
    store = BagStore(work)
    ours = [_ours(labels, _OURS, work, store.page_ms())]
    labels = replace(labels, counters=Counters())  # what is wrong in it was counted
    if store.is_enriched:
        store, plain = BagStore(work, plain=True), labels.of_workspace(work, {}, plain=True)
        ours.append(Ours(_PLAIN, plain.pages, plain.config, None))
    ours += [_ours(labels, name, path, _page_ms(path)) for name, path in more.items()]
    digest = ours[0].pages.digest()
    for some in ours[1:]:
        if some.pages.digest() != digest:
            raise UsageError(
                f"--bags {some.name}: {more[some.name]} has other labelled pages than {work};"
                " rivals are judged over one snapshot"
            )
    judged = frozenset(ours[0].pages.urls)
    others = _others(store, judged)
    words = _words(store, judged.union(others))
    watch = Stopwatch()
    read, pages = _read(store, snapshot, judged.union(others), show)
    read_ms = 1000 * watch.seconds() / max(pages, 1)
    return Contest(ours, others, read, words, read_ms, show=show, **how)


def _ours(labels: Labels, name: str, path: Path, page_ms: float | None) -> Ours:
    is_workspace = (path / MARK).is_file()
    material = labels.of_workspace(path, {}) if is_workspace else labels.of_index(path)
    return Ours(name, material.pages, material.config, page_ms)


def _page_ms(path: Path) -> float | None:
    return BagStore(path).page_ms() if (path / MARK).is_file() else None


def _others(store: BagStore, judged: frozenset[str]) -> list[str]:
    """Further URLs, read and unread, drawn by the hash of the URL."""

    def drawn(read: bool) -> list[str]:
        urls = (bag.url for bag in store.all() if bag.crawled == read and bag.url not in judged)
        return heapq.nsmallest(_LEARNED, urls, key=lambda url: (url_number(url.encode()), url))

    return [*drawn(True), *drawn(False)]


def _words(store: BagStore, wanted: frozenset[str]) -> dict[str, str]:
    bags = (bag for bag in store.all() if bag.url in wanted)
    return {bag.url: bag_text(bag, store.dictionary) for bag in bags}


def _read(
    store: BagStore, snapshot: Sequence[Source], wanted: frozenset[str], show: Show
) -> tuple[dict[str, Any], int]:
    """The wanted pages, and how many were read in all."""
    total, behind, pages = total_size(snapshot), 0, 0
    found: dict[str, Any] = {}

    def report(more: int, offset: int) -> None:
        nonlocal pages
        pages += more
        show("reading the snapshot: bytes", behind + offset, total)

    reading = known_config(store.config()).reading
    for source in snapshot:
        found |= read_pages(source.uri, reading, store.resolution, wanted, report)
        behind += max(source.size, 0)
    return found, pages
