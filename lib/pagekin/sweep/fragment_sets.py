"""Sets of fragments that serve many strategies, made in one pass over the pages of a snapshot.

Fragments hold no weights, and a word whose place weighs nothing goes when they are merged. So the
fragments of the widest window with all sources serve every strategy of the same reading, words and
kind of window, and the bags come out as a build of its own would make them. Nothing is folded when
they are made, as a build's mappers do with hot URLs: sums hold weights.

Each page is decompressed, decoded, parsed and cut into tokens once; once for each way to make terms
of words its terms are looked up; and once for each set its fragments are cut, by the code of the
job `bag_fragments`. Windows are measured on the way.

Fragments do not fit into memory: they are written to a file, which the program `sort` sorts. So
records of a key stand together, with their values in order, as a reducer gets them.
"""

from __future__ import annotations

import dataclasses
import os
import subprocess
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pagekin.bags.fragments import Stream, reach, windows
from pagekin.config import (
    BagConfig,
    BuildConfig,
    ReadingConfig,
    TextConfig,
    WindowConfig,
)
from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.kinds import Pair
from pagekin.stages.fragments.extractor import FragmentExtractor
from pagekin.storage.part_files import read_records
from pagekin.text.tokens import with_sentences
from pagekin.web.page import Page, SnapshotReader
from pagekin.web.resolution import Resolution
from pagekin.web.sources import Source

__all__ = [
    "FragmentKey",
    "FragmentNeeds",
    "FragmentSet",
    "fragment_key",
    "fragments_of",
    "needs_of",
    "read_snapshot",
    "sort_records",
    "words_around",
]

_SOURCES = ("anchor", "content", "links", "headings", "citing_title")
_FILE = "records"

Report = Callable[[int, int], None]  # pages, bytes of the snapshot


# --- which sets there are ---


@dataclass(frozen=True)
class FragmentKey:
    """What fragments of one set have in common."""

    reading: ReadingConfig
    text: TextConfig
    kind: str
    drop_same_host: bool
    templates: str


@dataclass(frozen=True)
class FragmentNeeds:
    """How much a set has to hold."""

    widths: tuple[int, ...]  # words each side, ascending
    sources: tuple[str, ...]  # of the bag: what weighs anything

    def config(self, key: FragmentKey) -> BuildConfig:
        """The configuration that cuts such fragments."""
        weights: dict[str, Any] = {name: float(name in self.sources) for name in _SOURCES}
        same_host = "drop" if key.drop_same_host else "keep"
        return BuildConfig(
            reading=key.reading,
            text=key.text,
            window=WindowConfig(key.kind, self.widths[-1]),
            bag=BagConfig(**weights, distance="none", same_host=same_host, templates=key.templates),
        )

    def cover(self, other: FragmentNeeds) -> bool:
        """Do fragments for these needs serve the others too?"""
        return set(other.widths) <= set(self.widths) and set(other.sources) <= set(self.sources)


def words_around(config: BuildConfig) -> int:
    """How many words each side of a link weigh anything."""
    return reach(config.window, config.bag) if config.bag.anchor else 0


def fragment_key(config: BuildConfig) -> FragmentKey:
    """The set that a strategy takes its fragments from."""
    kind = config.window.kind if words_around(config) else "basic"
    dropped = config.bag.same_host == "drop"
    return FragmentKey(config.reading, config.text, kind, dropped, config.bag.templates)


def needs_of(configs: Iterable[BuildConfig]) -> dict[FragmentKey, FragmentNeeds]:
    """The sets that some strategies need together."""
    needs: dict[FragmentKey, FragmentNeeds] = {}
    for config in configs:
        key = fragment_key(config)
        found = needs.get(key, FragmentNeeds((), ()))
        widths = tuple(sorted({*found.widths, words_around(config)}))
        sources = {name for name in _SOURCES if getattr(config.bag, name)}
        needs[key] = dataclasses.replace(
            found, widths=widths, sources=tuple(sorted({*found.sources, *sources}))
        )
    return needs


# --- making them ---


class FragmentSet:
    """A set of fragments that is being made."""

    def __init__(
        self,
        key: FragmentKey,
        needs: FragmentNeeds,
        folder: Path,
        resolution: Resolution | None = None,
    ) -> None:
        self.key, self.needs, self.folder = key, needs, folder
        self.extractor = FragmentExtractor(needs.config(key), Counters(), resolution)
        self._file = (folder / _FILE).open("wb")
        self._words = dict.fromkeys(needs.widths, 0)
        self._links = 0

    def add(self, page: Page, stream: Stream) -> None:
        """Cut the fragments of a page."""
        self._file.writelines(b"%b\t%b\n" % pair for pair in self.extractor.cut(page, stream))
        self._links += len(stream.opens)
        anchors = int((stream.end - stream.start).sum())
        for width in self._words:
            low, high = windows(stream, self.key.kind, width)
            self._words[width] += int((high - low).sum()) - anchors
        self.extractor.forget_words()  # nobody asks for them here

    def finish(self) -> None:
        """Sort what was cut of all pages."""
        self._file.close()
        sort_records(self.folder / _FILE)

    def mean_windows(self) -> dict[int, float]:
        """For each width the mean number of words around a link, its own not among them."""
        links = max(self._links, 1)
        return {width: words / links for width, words in self._words.items()}


def read_snapshot(
    snapshot: Sequence[Source],
    reading: ReadingConfig,
    resolution: Resolution | None,
    sets: Sequence[FragmentSet],
    report: Report = lambda pages, size: None,
) -> Counters:
    """Read all pages once, for all sets; InputError where a file cannot be read."""
    counters = Counters()
    reader = SnapshotReader(reading, counters, resolution)
    by_text: dict[TextConfig, list[FragmentSet]] = {}
    for one in sets:
        by_text.setdefault(one.key.text, []).append(one)
    for source in snapshot:
        for page in reader.pages(source.uri, _of_file(report)):
            text = with_sentences(page.flat.text)
            for some in by_text.values():
                stream = some[0].extractor.read(page, text)
                for one in some:
                    one.add(page, stream)
    if counters.get("files", "failed"):
        raise InputError("; ".join(counters.notes))
    for one in sets:
        one.finish()
    return counters


def _of_file(report: Report) -> Report:
    """Is told how far into a file the reader is, and reports how much further that is."""
    last = 0

    def advance(pages: int, offset: int) -> None:
        nonlocal last
        report(pages, offset - last)
        last = offset

    return advance


def sort_records(path: Path) -> None:
    """Sort a file of records in its place, by their keys and then by their values."""
    words = ["sort", "-S", "64M", "-T", str(path.parent), "-o", str(path), str(path)]
    subprocess.run(words, check=True, env={**os.environ, "LC_ALL": "C"})


def fragments_of(folder: Path) -> Iterator[Pair]:
    """All fragments of a set, by their keys."""
    return read_records(folder / _FILE)
