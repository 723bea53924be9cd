"""What one stage did with the sample: counts of shuffle and output, and the hottest keys."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import groupby
from pathlib import Path

from pagekin.kinds import Pair
from pagekin.names import TASK_KEY
from pagekin.storage.part_files import part_files

__all__ = ["HotKey", "Taken", "Task", "all_pairs", "look_at_output", "look_at_shuffle"]

_HOTTEST = 5
_BAG = re.compile(rb"([01]) \d+ (\d+) \d+ ")  # crawled, anchors, pages, hosts
_WORD = re.compile(rb"[a-z]+(?= )")


@dataclass
class Task:
    """What a task used."""

    cpu: float = 0.0  # seconds
    start: float = 0.0  # seconds of it that one without input uses, where that was measured
    memory: int = 0  # bytes, the most
    idle_memory: int = 0  # bytes, of one without input


@dataclass
class HotKey:
    """A key whose records go to one reducer together."""

    key: str
    records: int
    bytes: int


@dataclass
class Taken:
    """What one stage did with the sample."""

    name: str
    reads: str
    input_bytes: int
    map: Task
    reduce: Task | None = None
    sort_cpu: float = 0.0
    shuffle_records: int = 0
    shuffle_bytes: int = 0
    shuffle_packed: int = 0  # bytes at zlib level 1
    output_records: int = 0
    output_bytes: int = 0
    kinds: dict[str, int] = field(default_factory=dict)  # of records of the output
    hottest: list[HotKey] = field(default_factory=list)
    shards: Callable[[int], int] | None = None  # by documents, where keys are shards
    linked: dict[int, int] = field(default_factory=dict)  # linking pages -> URLs with so many


def all_pairs(paths: Iterable[Path]) -> Iterator[Pair]:
    """The records of files, statistics of tasks among them."""
    for path in paths:
        with path.open("rb") as lines:
            for line in lines:
                key, _, value = line.rstrip(b"\n").partition(b"\t")
                yield key, value


def look_at_shuffle(taken: Taken, path: Path) -> None:
    """Count records and bytes, raw and packed, and find the keys with most of them."""
    packer, groups = zlib.compressobj(1), []
    for key, pairs in groupby(all_pairs([path]), key=lambda pair: pair[0]):
        if key == TASK_KEY:
            continue
        records = size = 0
        for pair in pairs:
            line = b"%b\t%b\n" % pair
            records, size = records + 1, size + len(line)
            taken.shuffle_packed += len(packer.compress(line))
        taken.shuffle_records += records
        taken.shuffle_bytes += size
        groups.append((size, records, key))
        if len(groups) > 1 << 12:
            groups = nlargest(_HOTTEST, groups)
    taken.shuffle_packed += len(packer.flush())
    taken.hottest = [
        HotKey(key.decode("utf-8", "backslashreplace"), records, size)
        for size, records, key in nlargest(_HOTTEST, groups)
    ]


def look_at_output(taken: Taken, folder: Path) -> None:
    """Count the records and their kinds."""
    for key, value in (pair for path in part_files(folder) for pair in all_pairs([path])):
        if key == TASK_KEY:
            continue
        taken.output_records += 1
        taken.output_bytes += len(key) + len(value) + 2
        kind = _kind(key, value)
        taken.kinds[kind] = taken.kinds.get(kind, 0) + 1
        if kind in {"linked", "read and linked"} and (bag := _BAG.match(value)):
            pages = int(bag[2])
            taken.linked[pages] = taken.linked.get(pages, 0) + 1


def _kind(key: bytes, value: bytes) -> str:
    """What people would call a record: stages have others."""
    if key.startswith(b"!"):
        return key[1:].partition(b"/")[0].decode()
    if bag := _BAG.match(value):
        read, linked = bag[1] == b"1", bag[2] != b"0"
        return ("read and linked" if linked else "read") if read else "linked"
    word = _WORD.match(value)
    return word[0].decode() if word else "records"
