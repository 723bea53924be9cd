"""A sample of a snapshot: records from places that are spread evenly over all its bytes.

The files stand one behind the other; that line is cut into equal cells, and in each cell one span
of equal length begins at random. The records whose first byte lies in a span are copied as they
are, so a long record is as likely to be taken as a short one. This rests on members (gzip, one for
a record, as crawlers write them) or on plain text, where reading can begin anywhere. Of a snapshot
where it cannot, whole files are taken.

Of remote files only the spans are fetched (hdfs:// is read up to them). Where sizes are not known,
as in Common Crawl's lists, those of some files are asked for and stand for all.

Spans of one crawl hold pages of few hosts, so the error of what is counted is that of spans and not
of pages; it is worked out from how much the spans differ.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from heapq import nlargest
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pagekin.config import ReadingConfig
from pagekin.counters import Counters
from pagekin.errors import InputError, UsageError
from pagekin.web.page import SnapshotReader
from pagekin.web.sources import Source, list_snapshot
from pagekin.web.streams import open_source
from pagekin.web.urls import top_subdomain
from pagekin.web.warc import Record, read_records

__all__ = [
    "Sample",
    "SampleSize",
    "SampledPages",
    "Span",
    "describe_pages",
    "parse_sample_size",
    "take_sample",
]

LEAST_PAGES = 1_000  # of a sample: of fewer too little is known
_USUAL = (0.1, 10_000)  # a tenth of the snapshot, and no more pages than that
_MARGIN = 1.1  # what a sample is taken larger than wanted: pages differ in length
_MOST = 0.5  # of the snapshot; a larger sample costs what all does, for it is built at three sizes

_FILES = 4  # of the sample: a quarter, a half and all of it are built

_SPAN = 128 << 10  # bytes; ten pages
_MIN_SPANS, _MAX_SPANS = 16, 512
_BEYOND = 24 << 20  # bytes behind a span in which a record has to begin
_ASKED = 64  # files of unknown size that are asked for it
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # of Zstandard: its frames cannot be read without
_PILOT = 8  # spans, from which the bytes of a page are estimated
_SHOWN = 5  # domains, and pages with many links


class SampleSize(NamedTuple):
    """How much is to be read: a share of the bytes, or a number of pages; within bounds."""

    share: float = 0.0
    pages: int = 0
    least: int = 0  # pages
    most: int = 0  # pages; 0: any number


def parse_sample_size(word: str) -> SampleSize:
    """What `--sample` says; no sample is smaller than LEAST_PAGES.

    >>> parse_sample_size("1%")
    SampleSize(share=0.01, pages=0, least=1000, most=0)
    >>> parse_sample_size("2000")
    SampleSize(share=0.0, pages=2000, least=1000, most=0)
    >>> parse_sample_size("auto")
    SampleSize(share=0.1, pages=0, least=1000, most=10000)
    """
    if word == "auto":
        share, most = _USUAL
        return SampleSize(share, least=LEAST_PAGES, most=most)
    if match := re.fullmatch(r"(\d+(?:\.\d+)?)%", word):
        share = float(match[1]) / 100
        if 0 < share <= 1:
            return SampleSize(share, least=LEAST_PAGES)
    elif word.isdecimal() and int(word):
        return SampleSize(pages=int(word), least=LEAST_PAGES)
    raise UsageError(f"--sample {word}: takes a share such as 10%, a number of pages, or auto")


class Span(NamedTuple):
    """What was copied of a span."""

    pages: int
    bytes: int


@dataclass
class Sample:
    """Files of copied records, and what they stand for."""

    files: list[Source]
    method: str  # spans, files or all
    spans: list[Span]
    total_bytes: int  # of the whole snapshot
    total_files: int
    largest_file: int
    notes: list[str] = field(default_factory=list)

    @property
    def pages(self) -> int:
        return sum(span.pages for span in self.spans)

    @property
    def bytes(self) -> int:
        return sum(span.bytes for span in self.spans)

    @property
    def share(self) -> float:
        """Of the bytes of the snapshot."""
        return self.bytes / max(self.total_bytes, 1)

    @property
    def error(self) -> float:
        """The relative standard error of amounts that grow with the pages: spans differ."""
        n = len(self.spans)
        if self.method == "all":
            return 0.0
        if n < 2 or not self.pages:
            return 1.0
        density = self.pages / max(1, self.bytes)
        squares = sum((s.pages - density * s.bytes) ** 2 for s in self.spans)
        return math.sqrt(n / (n - 1) * squares * max(0.0, 1 - self.share)) / self.pages


class _Extent(NamedTuple):
    """A part of a file."""

    uri: str
    start: int
    end: int


class _NoRecordError(Exception):
    """In the middle of this file no record can be found."""


def take_sample(snapshot: Sequence[Source], size: SampleSize, seed: int, folder: Path) -> Sample:
    """Copy a sample into files of the folder; the same seed takes the same. One of which more than
    half of the snapshot would be needed is all of it."""
    chance = random.Random(seed)
    known, notes = _with_sizes(snapshot, chance)
    reach = sum(s.size for s in known)
    total = round(reach / len(known) * len(snapshot))
    if not total:
        raise InputError("the snapshot is empty: its files have no bytes")
    sample = Sample([], "spans", [], total, len(snapshot), max(s.size for s in known), notes)
    share = _share(size, known, total, chance)
    while share * total < _MOST * reach:
        taken = _take_share(
            replace(sample, spans=[], notes=list(notes)), known, share, chance, folder
        )
        if taken.pages >= size.least:
            return taken
        for file in taken.files:
            Path(file.uri).unlink()
        share *= max(_MARGIN, size.least / taken.pages)
    sample.method = "all" if len(known) == len(snapshot) else "files"
    return _copy(sample, [[_Extent(s.uri, 0, s.size)] for s in known], folder)


def _take_share(
    sample: Sample, known: Sequence[Source], share: float, chance: random.Random, folder: Path
) -> Sample:
    """A sample of so large a share of the bytes."""
    size = share * sample.total_bytes
    try:
        _check_entry(known[0].uri)
        return _copy(sample, _spread_spans(known, size, chance), folder)
    except _NoRecordError as error:
        sample.notes.append(
            f"{error}: no record was found from its middle on; whole files are read"
        )
        sample.method, sample.spans = "files", []
        return _copy(sample, _whole_files(known, size, chance), folder)


def _share(size: SampleSize, files: Sequence[Source], total: int, chance: random.Random) -> float:
    """The share of the bytes that is wanted, within the bounds on the number of pages."""
    if not (size.pages or size.least or size.most):
        return size.share
    one = _share_of_pages(1, files, total, chance)
    share = size.share or size.pages * one
    if size.most:
        share = min(share, size.most * one)
    return max(share, size.least * one * _MARGIN)


def _with_sizes(
    snapshot: Sequence[Source], chance: random.Random
) -> tuple[list[Source], list[str]]:
    """Files with their sizes, all or some that stand for all, and what is to be noted."""
    if not snapshot:
        raise InputError("the snapshot is empty: there is no file")
    if all(source.size >= 0 for source in snapshot):
        return list(snapshot), []
    some = sorted(chance.sample(list(snapshot), min(_ASKED, len(snapshot))))
    known = []
    for source in some:
        (found,) = [source] if source.size >= 0 else list_snapshot([source.uri])
        if found.size < 0:
            raise InputError(
                f"{source.uri}: its server tells no size; copy some files, and plan those"
            )
        known.append(found)
    note = f"sizes are not known; those of {len(known)} of {len(snapshot):,} files stand for all"
    return known, [note]


def _share_of_pages(
    pages: int, files: Sequence[Source], total: int, chance: random.Random
) -> float:
    """The share of the bytes in which there are so many pages, from a few spans."""
    pilot = _spread_spans(files, min(_PILOT * _SPAN, sum(s.size for s in files)), chance)
    try:
        spans = [_copy_records(extent, None) for extents in pilot[:_PILOT] for extent in extents]
    except _NoRecordError:
        spans = []
    found, size = sum(s.pages for s in spans), sum(s.bytes for s in spans)
    return min(1.0, pages * (size / found if found else 1 << 14) / total)


def _check_entry(uri: str) -> None:
    """_NoRecordError where nothing can be read from the middle on: one member, or a dictionary."""
    with open_source(uri) as stream:
        if stream.peek(4).startswith(_DICTIONARY):  # type: ignore[attr-defined]
            raise _NoRecordError(uri)
        found = (item for item in read_records(stream, 0, ()) if isinstance(item, Record))
        if sum(record.offset == 0 for record in islice(found, 2)) > 1:
            raise _NoRecordError(uri)


def _spread_spans(
    files: Sequence[Source], size: float, chance: random.Random
) -> list[list[_Extent]]:
    """Spans of equal length, one in each of as many equal cells; each may lie in two files."""
    reach = sum(source.size for source in files)
    count = int(min(max(size // _SPAN, _MIN_SPANS), _MAX_SPANS, max(1, reach >> 10)))
    length, cell = size / count, reach / count
    starts = [k * cell + chance.random() * max(0.0, cell - length) for k in range(count)]
    return [list(_extents(files, int(start), int(start + length))) for start in starts]


def _extents(files: Sequence[Source], start: int, end: int) -> Iterator[_Extent]:
    before = 0
    for source in files:
        low, high = max(start, before), min(end, before + source.size)
        if low < high:
            yield _Extent(source.uri, low - before, high - before)
        before += source.size


def _whole_files(
    files: Sequence[Source], size: float, chance: random.Random
) -> list[list[_Extent]]:
    """Files at random, until they have so many bytes."""
    chosen: list[list[_Extent]] = []
    total = 0
    for source in chance.sample(list(files), len(files)):
        if total >= size:
            break
        chosen.append([_Extent(source.uri, 0, source.size)])
        total += source.size
    return chosen


def _copy(sample: Sample, spans: Sequence[Sequence[_Extent]], folder: Path) -> Sample:
    """Deal the spans to the files of the sample in turn."""
    first = next((extent.uri for extents in spans for extent in extents), "")
    ending = re.search(r"\.warc(?:\.gz|\.zst)?$", first)
    names = [f"sample-{k}{ending[0] if ending else '.warc'}" for k in range(_FILES)]
    paths = [folder / name for name in names[: len(spans)]]
    for number, extents in enumerate(spans):
        with paths[number % _FILES].open("ab") as out:
            copied = [_copy_records(e, out, whole=sample.method != "spans") for e in extents]
        sample.spans.append(Span(*map(sum, zip(*copied, strict=True))))
    if not sample.pages:
        raise InputError(
            "the sample holds no page; take a larger --sample, or is this no snapshot of pages?"
        )
    files = [Source(str(p), p.stat().st_size) for p in paths if p.stat().st_size]
    return replace(sample, files=files)


def _copy_records(extent: _Extent, out: BinaryIO | None, *, whole: bool = False) -> Span:
    """Copy the records that begin in the extent; counts those that hold pages."""
    length = extent.end - extent.start
    with open_source(extent.uri, start=extent.start) as stream:
        copy = _CopyingStream(stream, extent.uri, -1 if whole else length + _BEYOND)
        first, last, pages = -1, -1, 0
        for item in read_records(copy, 0, ()):  # type: ignore[arg-type]
            if not isinstance(item, Record):
                continue
            first = item.offset if first < 0 else first
            if item.offset >= length:
                last = item.offset
                break
            pages += item.kind == "response"
        else:
            first, last = (0, len(copy.data)) if whole else (first, len(copy.data))
    data = copy.data[first:last] if first >= 0 else b""
    if out:
        out.write(data)
    return Span(pages, len(data))


class _CopyingStream:
    """A stream that keeps what was read, and refuses to read more than `limit` bytes (-1: any)."""

    def __init__(self, stream: BinaryIO, uri: str, limit: int) -> None:
        self._stream, self._uri, self._limit = stream, uri, limit
        self.data = bytearray()

    def read(self, size: int = -1) -> bytes:
        if 0 <= self._limit < len(self.data):
            raise _NoRecordError(self._uri)
        data = self._stream.read(size)
        self.data += data
        return data


@dataclass
class SampledPages:
    """What the pages of a sample are."""

    pages: int
    records: dict[str, int]  # by what became of them
    domains: dict[str, int]  # pages of those with the most
    most_links: list[tuple[int, str]]  # links that lead away from a page, and its URL


def describe_pages(files: Iterable[Source], config: ReadingConfig) -> SampledPages:
    """Read all pages once."""
    counters, domains = Counters(), Counter[str]()
    most_links: list[tuple[int, str]] = []
    reader = SnapshotReader(config, counters)
    for page in (page for source in files for page in reader.pages(source.uri)):
        domains[top_subdomain(page.url)] += 1
        most_links = nlargest(_SHOWN, [*most_links, (len(page.flat.hrefs), page.url)])
    records = dict(counters.as_dict().get("records", {}))
    return SampledPages(domains.total(), records, dict(domains.most_common(_SHOWN)), most_links)
