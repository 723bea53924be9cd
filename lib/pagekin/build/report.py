"""What a build says while it runs and when it is done; the summary is also kept as a file."""

from __future__ import annotations

import io
import sys
from typing import Any, TextIO

from pagekin.errors import PagekinError
from pagekin.progress import duration, over
from pagekin.storage.remote_workspace import AnyWorkspace

__all__ = ["Report", "summary_lines", "write_summary"]


class Report:
    """Sentences on stderr; nothing when quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._out: TextIO = io.StringIO() if quiet else sys.stderr
        self.progress_to = self._out

    def decision(self, name: str, build: bool, reason: str) -> None:
        """A stage is about to be built, or is kept."""
        verb = "building" if build else "keeping "
        self._say(f"{verb} {name}: {reason}")

    def built(self, name: str, result: dict[str, Any], *, reads_pages: bool) -> None:
        """A pass is done."""
        self._say(
            f"         {name}: {result['records']:,} records, {_size(result['bytes'])},"
            f" {duration(result['seconds'])} ({duration(result['cpu_seconds'])} CPU)"
        )
        for note in result["notes"]:
            self._say(f"         {note}")
        if reads_pages and not result["counters"].get("records", {}).get("used"):
            self._say("         no page was found: is the snapshot made of WARC files, with pages?")

    def index(self, made: dict[str, Any]) -> None:
        """The index is in its place."""
        self._say(
            f"index {made['path']}: {made['state']}, {made['documents']:,} documents in"
            f" {made['shards']} shard{'s' if made['shards'] != 1 else ''}, {_size(made['bytes'])}"
        )

    def cluster(self, sentence: str) -> None:
        """A cluster that the build made does something."""
        self._say(f"         {sentence}")

    def _say(self, sentence: str) -> None:
        self._out.write(over(self._out, f"{sentence}\n"))
        self._out.flush()


def _size(count: int) -> str:
    amount, unit = float(count), "bytes"
    for larger in ("KB", "MB", "GB", "TB"):
        if amount < 1000:
            break
        amount, unit = amount / 1000, larger
    return f"{amount:,.0f} {unit}" if amount >= 10 or unit == "bytes" else f"{amount:.1f} {unit}"


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
        sys.stderr.write(f"pagekin: {sentence}\n")
