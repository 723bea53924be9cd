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

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pagekin.errors import InputError
from pagekin.planning.sample import Sample, Span, Wanted
from pagekin.web.sources import Source, list_snapshot
from pagekin.web.streams import open_source
from pagekin.web.warc import Record, read_records

__all__ = ["GROUPS", "take_sample"]

GROUPS = 4  # files of the sample: a quarter, a half and all of it are built

_SPAN = 128 << 10  # bytes; ten pages
_FEWEST, _MOST = 16, 512  # spans
_BEYOND = 24 << 20  # bytes behind a span in which a record has to begin
_ASKED = 64  # files of unknown size that are asked for it
_DICTIONARY = b"\x5d\x2a\x4d\x18"  # of Zstandard: its frames cannot be read without
_PILOT = 8  # spans that tell how many bytes a page takes


class _Place(NamedTuple):
    """A stretch of a file."""

    uri: str
    start: int
    end: int


class _NoPlaceError(Exception):
    """In the middle of this file no record can be found."""


def take_sample(snapshot: Sequence[Source], wanted: Wanted, seed: int, folder: Path) -> Sample:
    """Copy a sample into files of the folder; the same seed takes the same."""
    chance = random.Random(seed)
    known, notes = _sized(snapshot, chance)
    mean = sum(s.size for s in known) / len(known)
    total = round(mean * len(snapshot))
    if not total:
        raise InputError("the snapshot is empty: its files have no bytes")
    about = Sample([], "spans", [], total, len(snapshot), max(s.size for s in known), notes)
    share = wanted.share or _share_of(wanted.pages, known, total, chance)
    reach = sum(s.size for s in known)
    if share * total >= 0.9 * reach:  # nothing is gained by leaving out the rest
        about.method = "all" if len(known) == len(snapshot) else "files"
        return _copy(about, [[_Place(s.uri, 0, s.size)] for s in known], folder)
    try:
        _check_places(known[0].uri)
        return _copy(about, _places(known, share * total, chance), folder)
    except _NoPlaceError as error:
        about.notes.append(f"{error}: no record was found from its middle on; whole files are read")
        about.method, about.spans = "files", []
        return _copy(about, _whole(known, share * total, chance), folder)


def _sized(snapshot: Sequence[Source], chance: random.Random) -> tuple[list[Source], list[str]]:
    """Files with their sizes: all, or some that stand for all."""
    if not snapshot:
        raise InputError("the snapshot is empty: there is no file")
    if all(source.size >= 0 for source in snapshot):
        return list(snapshot), []
    some = sorted(chance.sample(list(snapshot), min(_ASKED, len(snapshot))))
    sized = [s if s.size >= 0 else _asked(s) for s in some]
    note = f"sizes are not known; those of {len(sized)} of {len(snapshot):,} files stand for all"
    return sized, [note]


def _asked(source: Source) -> Source:
    """The same file, asked for its size."""
    (found,) = list_snapshot([source.uri])
    if found.size < 0:
        raise InputError(f"{source.uri}: its server tells no size; copy some files, and plan those")
    return found


def _share_of(pages: int, files: Sequence[Source], total: int, chance: random.Random) -> float:
    """The share of the bytes in which there are so many pages, from a few spans."""
    pilot = _places(files, min(_PILOT * _SPAN, sum(s.size for s in files)), chance)
    try:
        spans = [_copied(place, None) for places in pilot[:_PILOT] for place in places]
    except _NoPlaceError:
        spans = []
    found, size = sum(s.pages for s in spans), sum(s.bytes for s in spans)
    return min(1.0, pages * (size / found if found else 1 << 14) / total)


def _check_places(uri: str) -> None:
    """_NoPlaceError where nothing can be read from the middle on: one member, or a dictionary."""
    with open_source(uri) as stream:
        if stream.peek(4).startswith(_DICTIONARY):  # type: ignore[attr-defined]
            raise _NoPlaceError(uri)
        found = (item for item in read_records(stream, 0, ()) if isinstance(item, Record))
        if sum(record.offset == 0 for record in islice(found, 2)) > 1:
            raise _NoPlaceError(uri)


def _places(files: Sequence[Source], size: float, chance: random.Random) -> list[list[_Place]]:
    """Spans of equal length, one in each of as many equal cells; each may lie in two files."""
    reach = sum(source.size for source in files)
    count = int(min(max(size // _SPAN, _FEWEST), _MOST, max(1, reach >> 10)))
    length, cell = size / count, reach / count
    starts = [k * cell + chance.random() * max(0.0, cell - length) for k in range(count)]
    return [list(_in_files(files, int(start), int(start + length))) for start in starts]


def _in_files(files: Sequence[Source], start: int, end: int) -> Iterator[_Place]:
    before = 0
    for source in files:
        low, high = max(start, before), min(end, before + source.size)
        if low < high:
            yield _Place(source.uri, low - before, high - before)
        before += source.size


def _whole(files: Sequence[Source], size: float, chance: random.Random) -> list[list[_Place]]:
    taken: list[list[_Place]] = []
    for source in chance.sample(list(files), len(files)):
        if sum(place.end for places in taken for place in places) >= size:
            break
        taken.append([_Place(source.uri, 0, source.size)])
    return taken


def _copy(about: Sample, spans: Sequence[Sequence[_Place]], folder: Path) -> Sample:
    """Deal the spans to the files of the sample in turn."""
    ending = _ending(spans)
    paths = [folder / f"sample-{k}{ending}" for k in range(min(GROUPS, len(spans)))]
    for number, places in enumerate(spans):
        with paths[number % GROUPS].open("ab") as out:
            copied = [_copied(place, out, whole=about.method != "spans") for place in places]
        about.spans.append(Span(*map(sum, zip(*copied, strict=True))))
    if not any(span.pages for span in about.spans):
        raise InputError(
            "the sample holds no page; take a larger --sample, or is this no snapshot of pages?"
        )
    files = [Source(str(p), p.stat().st_size) for p in paths if p.stat().st_size]
    return replace(about, files=files)


def _ending(spans: Sequence[Sequence[_Place]]) -> str:
    first = next((place.uri for places in spans for place in places), "")
    return "".join(re.findall(r"\.warc(?:\.gz|\.zst)?$", first)) or ".warc"


def _copied(place: _Place, out: BinaryIO | None, *, whole: bool = False) -> Span:
    """Copy the records that begin in the place; counts those that hold pages."""
    length = place.end - place.start
    with open_source(place.uri, start=place.start) as stream:
        read = _Kept(stream, place.uri, -1 if whole else length + _BEYOND)
        first, last, pages = -1, -1, 0
        for item in read_records(read, 0, ()):  # type: ignore[arg-type]
            if not isinstance(item, Record):
                continue
            first = item.offset if first < 0 else first
            if item.offset >= length:
                last = item.offset
                break
            pages += item.kind == "response"
        else:
            first, last = (0, len(read.kept)) if whole else (first, len(read.kept))
    taken = read.kept[first:last] if first >= 0 else b""
    if out:
        out.write(taken)
    return Span(pages, len(taken))


class _Kept:
    """A stream that keeps what was read, and refuses to go on without end."""

    def __init__(self, stream: BinaryIO, uri: str, most: int) -> None:
        self._stream, self._uri, self._most = stream, uri, most
        self.kept = bytearray()

    def read(self, size: int = -1) -> bytes:
        if 0 <= self._most < len(self.kept):
            raise _NoPlaceError(self._uri)
        data = self._stream.read(size)
        self.kept += data
        return data
