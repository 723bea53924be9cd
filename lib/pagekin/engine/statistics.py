"""What a task says of itself, in the last line of what it writes.

A reducer adds what the mappers said to its own statistics: their counters, their number, their CPU
time and their memory; but not their records, which are no part of the stage's output.
"""

from __future__ import annotations

import json
import resource
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import xxhash

from pagekin.counters import Counters

__all__ = ["DIGESTS", "TaskStatistics", "peak_memory"]

DIGESTS = 1 << 128  # digests are added modulo this: the order of records is irrelevant


@dataclass
class TaskStatistics:
    """Counts of one task, and of the tasks whose statistics were merged into it."""

    counters: Counters = field(default_factory=Counters)
    records: int = 0
    size: int = 0  # bytes
    digest: int = 0
    tasks: int = 0
    cpu: float = 0.0  # seconds
    memory: int = 0  # bytes, of the largest task
    began: float = field(default_factory=time.process_time)

    def add(self, key: bytes, value: bytes, *, aside: bool = False) -> None:
        """Note a record of the output; one that stands aside has no part in its digest."""
        line = b"%b\t%b" % (key, value)
        if not aside:
            self.digest += xxhash.xxh3_128_intdigest(line)
        self.records += 1
        self.size += len(line) + 1

    def finish(self) -> bytes:
        """The line's value, with this task's own CPU time and memory."""
        self.tasks += 1
        self.cpu += time.process_time() - self.began
        self.memory = max(self.memory, peak_memory())
        return self.said()

    def said(self) -> bytes:
        """The line's value: what was added and merged, and nothing of this process."""
        said = {
            "counters": self.counters.as_dict(),
            "notes": self.counters.notes,
            "records": self.records,
            "bytes": self.size,
            "digest": f"{self.digest % DIGESTS:032x}",
            "tasks": self.tasks,
            "cpu": round(self.cpu, 3),
            "memory": self.memory,
        }
        return json.dumps(said, sort_keys=True).encode()

    def merge(self, said: bytes, *, output: bool) -> None:
        """Add what another task said; its records too if they are part of the same output."""
        other = json.loads(said)
        self.counters.merge(other["counters"])
        self.counters.note(*other["notes"])
        self.tasks += other["tasks"]
        self.cpu += other["cpu"]
        self.memory = max(self.memory, other["memory"])
        if output:
            self.records += other["records"]
            self.size += other["bytes"]
            self.digest += int(other["digest"], 16)


def peak_memory() -> int:
    """The most memory that this process ever held, in bytes."""
    # getrusage also counts what the parent held before this program was started
    with suppress(OSError):
        for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
