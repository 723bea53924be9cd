"""What tasks count: named counts in groups, and the statistics in the last line of what they write.

Counters are data: jobs write them into their output, where they survive runners that cannot fetch
counters, and where a task that is tried twice counts once. A reducer adds the statistics of the
mappers to its own: their counters, their number, their CPU time and their memory; but not their
records, which are no part of the stage's output.

Records are counted where they change hands, too: those that mappers read, those that they send, and
those that reducers receive. What was lost between two tasks, or came twice, shows in these.
"""

from __future__ import annotations

import json
import resource
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import xxhash

import pagekin
from pagekin.kinds import MARK, Kind, Pair

__all__ = [
    "Counters",
    "KindCount",
    "TaskStatistics",
    "differing",
    "others_than_here",
    "peak_memory",
    "versions_here",
]

_MAX_NOTES = 100  # a snapshot of unreadable files must not fill memory with complaints
_DIGESTS = 1 << 128  # digests are added modulo this: the order of records is irrelevant


class Counters:
    """group -> name -> count; zeros are not kept. `notes` are sentences for people."""

    def __init__(self) -> None:
        self._counts: defaultdict[tuple[str, str], int] = defaultdict(int)
        self.notes: list[str] = []

    def note(self, *sentences: str) -> None:
        """Say something that a count cannot, such as the name of a file."""
        self.notes = sorted({*self.notes, *sentences})[:_MAX_NOTES]

    def add(self, group: str, name: str, amount: int = 1) -> None:
        """Count `amount` more."""
        if amount:
            self._counts[group, name] += amount

    def merge(self, groups: Mapping[str, Mapping[str, int]]) -> None:
        """Add another task's counts."""
        for group, names in groups.items():
            for name, amount in names.items():
                self.add(group, name, amount)

    def get(self, group: str, name: str) -> int:
        """One count; 0 for one that was never added to."""
        return self._counts.get((group, name), 0)

    def as_dict(self) -> dict[str, dict[str, int]]:
        """All counts, groups and names in order."""
        groups: dict[str, dict[str, int]] = {}
        for (group, name), amount in sorted(self._counts.items()):
            groups.setdefault(group, {})[name] = amount
        return groups


@dataclass
class KindCount:
    """How many records of one kind were written, and what distinguishes them from others."""

    records: int = 0
    bytes: int = 0
    digest: int = 0  # the sum of the records' hashes

    def as_dict(self) -> dict[str, int | str]:
        digest = f"{self.digest % _DIGESTS:032x}"
        return {"records": self.records, "bytes": self.bytes, "digest": digest}


@dataclass
class TaskStatistics:
    """Counts of one task, and of the tasks whose statistics were merged into it."""

    kinds: Sequence[Kind] = ()  # of the records that the task writes
    counters: Counters = field(default_factory=Counters)
    written: dict[str, KindCount] = field(default_factory=dict)  # by the name of the kind
    tasks: int = 0
    cpu: float = 0.0  # seconds
    memory: int = 0  # bytes, of the largest task
    read: int = 0  # records, by mappers
    sent: int = 0  # records, by mappers to reducers
    received: int = 0  # records, by reducers
    versions: dict[str, list[str]] = field(default_factory=dict)  # of libraries, where tasks differ
    began: float = field(default_factory=time.process_time)

    def noted(self, records: Iterable[Pair]) -> Iterator[Pair]:
        """The records of the output, each noted on its way."""
        digest_of = xxhash.xxh3_128_intdigest
        unmarked = None
        for record in records:
            line = b"%b\t%b" % record
            if line.startswith(MARK):
                count = self._count_of(record[0])
            else:
                count = unmarked = unmarked or self._count_of(record[0])
            count.records += 1
            count.bytes += len(line) + 1
            count.digest += digest_of(line)
            yield record

    def _count_of(self, key: bytes) -> KindCount:
        name = next((kind.name for kind in self.kinds if kind.holds(key)), "records")
        return self.written.setdefault(name, KindCount())

    def total(self) -> KindCount:
        """Of the records of all kinds."""
        total = KindCount()
        for count in self.written.values():
            total.records += count.records
            total.bytes += count.bytes
            total.digest += count.digest
        return total

    def finish(self) -> bytes:
        """The line's value, with this task's own CPU time and memory."""
        self.tasks += 1
        self.cpu += time.process_time() - self.began
        self.memory = max(self.memory, peak_memory())
        return self.to_json()

    def to_json(self) -> bytes:
        """The line's value: what was added and merged, and nothing of this process."""
        value = {
            "counters": self.counters.as_dict(),
            "notes": self.counters.notes,
            "written": {name: count.as_dict() for name, count in self.written.items()},
            "tasks": self.tasks,
            "cpu": round(self.cpu, 3),
            "memory": self.memory,
            "read": self.read,
            "sent": self.sent,
            "received": self.received,
            "versions": self.versions,
        }
        return json.dumps(value, sort_keys=True).encode()

    def merge(self, value: bytes, *, output: bool) -> None:
        """Add what another task counted; its records too if they are part of the same output."""
        other = json.loads(value)
        self.counters.merge(other["counters"])
        self.counters.note(*other["notes"])
        self.tasks += other["tasks"]
        self.cpu += other["cpu"]
        self.memory = max(self.memory, other["memory"])
        self.read += other["read"]
        self.sent += other["sent"]
        self.received += other["received"]
        for name, found in other["versions"].items():
            self.versions[name] = sorted({*self.versions.get(name, ()), *found})
        for name, written in other["written"].items() if output else ():
            count = self.written.setdefault(name, KindCount())
            count.records += written["records"]
            count.bytes += written["bytes"]
            count.digest += int(written["digest"], 16)


def peak_memory() -> int:
    """The most memory that this process ever held, in bytes."""
    # getrusage also counts what the parent held before this program was started
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


# --- versions of libraries ------------------------------------------------------------------------

# What makes words, pages and URLs, the same for all tasks of a build; the others only carry them.
_LIBRARIES = ("ada-url", "lxml", "nltk", "publicsuffixlist", "PyStemmer", "Resiliparse", "rjieba")


@cache
def versions_here() -> dict[str, str]:
    """Of this process, by the name of the library."""
    return {"pagekin": pagekin.__version__, **{name: _version(name) for name in _LIBRARIES}}


def _version(name: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - for tasks alone

    try:
        return version(name)
    except PackageNotFoundError:  # put in the path by hand: what uses it says if it is missing
        return "?"


def differing(found: Mapping[str, Sequence[str]]) -> str:
    """The libraries of which tasks had several versions, in words."""
    return ", ".join(f"{name} {' and '.join(its)}" for name, its in found.items() if len(its) > 1)


def others_than_here(found: Mapping[str, Sequence[str]]) -> str:
    """The libraries of which tasks had another version than this machine, in words."""
    here = versions_here() if found else {}
    others = (f"{n} {its[0]} (here {here[n]})" for n, its in found.items() if its != [here[n]])
    return ", ".join(others)
