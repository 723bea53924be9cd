"""What a build says while it runs and when it is done; the summary is also kept as a file."""

from __future__ import annotations

import io
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from pathlib import PurePath
from typing import Any, TextIO

from pagekin.counters import others_than_here
from pagekin.errors import PagekinError
from pagekin.printing import tell
from pagekin.progress import counted, duration
from pagekin.storage.remote_workspace import AnyWorkspace

__all__ = [
    "Report",
    "short_lines",
    "summary_lines",
    "warnings",
    "why_no_pages",
    "write_summary",
]

_KINDS_SHOWN = 5  # of other files


class Report:
    """Sentences on stderr; nothing when quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._out: TextIO = io.StringIO() if quiet else sys.stderr
        self.progress_to = self._out

    def decision(self, name: str, build: bool, reason: str) -> None:
        """A stage is about to be built, or is kept."""
        verb = "building" if build else "keeping "
        self._say(f"{verb} {name}: {reason}")

    def built(self, name: str, result: dict[str, Any]) -> None:
        """A pass is done."""
        self._say(
            f"         {name}: {result['records']:,} records, {_size(result['bytes'])},"
            f" {duration(result['seconds'])} ({duration(result['cpu_seconds'])} CPU)"
        )

    def told(self, sentences: Iterable[str]) -> None:
        """What there is to say of the outputs of a pass, built now or kept."""
        for sentence in filter(None, sentences):
            self._say(f"         {sentence}")

    def index(self, made: dict[str, Any]) -> None:
        """The index is in its place."""
        self._say(
            f"index {made['path']}: {made['state']}, {made['documents']:,} documents in"
            f" {counted(made['shards'], 'shard')}, {_size(made['bytes'])}"
        )

    def cluster(self, sentence: str) -> None:
        """A cluster that the build made does something."""
        self._say(f"         {sentence}")

    def _say(self, sentence: str) -> None:
        tell(sentence, out=self._out)


def _size(count: int) -> str:
    amount, unit = float(count), "bytes"
    for larger in ("KB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:,.0f} {unit}" if amount >= 10 or unit == "bytes" else f"{amount:.1f} {unit}"


def why_no_pages(counters: dict[str, dict[str, int]], files: int) -> str:
    """A sentence for a snapshot without a page: what is in it, and what to do."""
    records = dict(counters.get("records", {}))
    read = records.pop("read", 0)
    found = f"no page was found in {counted(files, 'file')}"
    if not read:
        return f"{found}, not even a record (the download may have stopped early)"
    most = max(records, key=lambda reason: (records[reason], reason))
    what = _OF_NO_PAGES.get(most, f"are left out as {most} (docs/formats.md tells the reasons)")
    return f"{found}: of {read:,} records {records[most]:,} {what}"


_OF_NO_PAGES = {
    "not_response_conversion": "are texts without HTML (WET files); take the WARC files of the"
    " same crawl",
    "not_response_metadata": "are metadata (WAT files?); take the WARC files of the same crawl",
    "not_response_resource": "are files without the answer of a server (resource records), which"
    " are not read; crawl with HTTP headers kept",
    "not_html": "are no HTML, but images, scripts or documents; were pages left out of the crawl?",
}


def warnings(summary: dict[str, Any], others: Collection[str]) -> list[str]:
    """What people should know of a build, however it went: what was not read, and why.

    `others` are the files of the snapshot's folders that are no WARC files.
    """
    said = dict.fromkeys(note for stage in summary["stages"] for note in stage["notes"])
    sentences = list(said)
    libraries = dict.fromkeys(others_than_here(stage["versions"]) for stage in summary["stages"])
    its = "tasks had other libraries than this machine"
    sentences += [f"{its}: {versions}" for versions in libraries if versions]
    records: dict[str, int] = {}
    for stage in summary["stages"]:
        if stage["counters"].get("records", {}).get("used"):
            records = stage["counters"]["records"]
    damaged = sum(count for name, count in records.items() if name.startswith("damaged_"))
    if damaged:
        records_were = "records were" if damaged > 1 else "record was"
        sentences.append(f"{damaged:,} damaged {records_were} passed over")
    if texts := records.get("not_response_conversion"):  # resources are also notes of crawlers
        sentences.append(f"{texts:,} records {_OF_NO_PAGES['not_response_conversion']}")
    if others:
        kinds = Counter("".join(PurePath(n).suffixes[-2:]).lower() or n for n in others)
        shown = ", ".join(f"{count:,} {kind}" for kind, count in kinds.most_common(_KINDS_SHOWN))
        more = ", ..." if len(kinds) > _KINDS_SHOWN else ""
        sentences.append(f"{len(others):,} other files in the folders were not read: {shown}{more}")
    return sentences


def short_lines(summary: dict[str, Any]) -> Iterator[str]:
    """What a build has made, in a few lines."""
    counters: dict[str, dict[str, int]] = {}
    for stage in summary["stages"]:
        counters |= {g: counters.get(g, {}) | names for g, names in stage["counters"].items()}
    files = summary["snapshot"]["files"]
    if pages := counters.get("records", {}).get("used"):
        yield f"read      {pages:,} pages of {counted(files, 'file')}"
    if bags := counters.get("bags", {}).get("urls"):
        yield f"bags      of {bags:,} URLs"
    if "cocitation" in counters:
        with_kin = counters["cocitation"].get("pages_with_kin", 0)
        yield f"kin       of {with_kin:,} pages by co-citation"
    if index := summary.get("index"):
        shards = f" in {index['shards']} shards" if index["shards"] != 1 else ""
        documents = f"{counted(index['documents'], 'document')}{shards}"
        yield f"index     {index['path']}: {documents}, {_size(index['bytes'])}"


def summary_lines(summary: dict[str, Any]) -> list[str]:
    """The summary of a build with every counter, for people."""
    lines: list[str] = []
    for stage in summary["stages"]:
        lines.append(
            f"{stage['name']}: {stage['state']}, {duration(stage['seconds'])},"
            f" {stage['cpu_seconds']:.1f} s CPU, {stage['records']:,} records,"
            f" digest {stage['digest']}"
        )
        for group, names in stage["counters"].items():
            lines.append(f"  {group}")
            lines += [f"    {name:34} {amount:>14,}" for name, amount in names.items()]
    return lines


def write_summary(workspace: AnyWorkspace, summary: dict[str, Any]) -> None:
    """Keep the summary; a disk that is full for it, too, must not hide why the build failed."""
    try:
        workspace.write_summary(summary)
    except (OSError, PagekinError) as error:
        reason = getattr(error, "strerror", None) or error
        sentence = f"{workspace.name}/summary.json cannot be written: {reason}"
        if summary["state"] == "complete":
            raise PagekinError(sentence) from error
        tell(f"pagekin: {sentence}")
