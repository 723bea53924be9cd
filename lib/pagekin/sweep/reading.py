"""One pass over the pages of a snapshot that feeds several sets of fragments.

Each page is decompressed, decoded, parsed and cut into tokens once; once for each way to make terms
of words its terms are looked up; and once for each set its fragments are cut, by the code of the
job `bag_fragments`. Windows are measured on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pagekin.bags.stream import Stream
from pagekin.bags.windows import windows
from pagekin.config import ReadingConfig, TextConfig
from pagekin.counters import Counters
from pagekin.errors import InputError
from pagekin.stages.fragments.extractor import Extractor
from pagekin.sweep.fragments import FragmentKey, FragmentNeeds
from pagekin.sweep.spill import Spill
from pagekin.text.tokens import with_sentences
from pagekin.web.page import Page, SnapshotReader
from pagekin.web.resolution import Resolution
from pagekin.web.sources import Source

__all__ = ["FragmentSet", "read_snapshot"]

Report = Callable[[int, int], None]  # pages, bytes of the snapshot


class FragmentSet:
    """A set of fragments that is being made."""

    def __init__(
        self,
        key: FragmentKey,
        needs: FragmentNeeds,
        folder: Path,
        resolution: Resolution | None = None,
    ) -> None:
        self.key, self.needs = key, needs
        self.counters = Counters()
        self.extractor = Extractor(needs.config(key), self.counters, resolution)
        self.spill = Spill(folder)
        self._words = dict.fromkeys(needs.widths, 0)
        self._links = 0

    def add(self, page: Page, stream: Stream) -> None:
        """Take a page."""
        self.spill.add(self.extractor.cut(page, stream))
        self._links += len(stream.opens)
        anchors = int((stream.end - stream.start).sum())
        for width in self._words:
            low, high = windows(stream, self.key.kind, width)
            self._words[width] += int((high - low).sum()) - anchors
        if self.extractor.full():  # nobody asks for words here
            for _ in self.extractor.take_forms():
                pass

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
            _cut(page, by_text)
    if counters.get("files", "failed"):
        raise InputError("; ".join(counters.notes))
    for one in sets:
        one.spill.finish()
    return counters


def _of_file(report: Report) -> Report:
    """Takes how far into a file the reader is, and tells how much further."""
    last = 0

    def told(pages: int, offset: int) -> None:
        nonlocal last
        report(pages, offset - last)
        last = offset

    return told


def _cut(page: Page, by_text: Mapping[TextConfig, Sequence[FragmentSet]]) -> None:
    text = with_sentences(page.flat.text)
    for sets in by_text.values():
        stream = sets[0].extractor.read(page, text)
        for one in sets:
            one.add(page, stream)
