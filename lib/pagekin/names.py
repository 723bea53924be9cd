"""Names that commands, jobs, stages and readers of their output share; cheap to import."""

from __future__ import annotations

__all__ = [
    "DICTIONARY",
    "FREQUENCIES",
    "ON_THIS_MACHINE",
    "PACKING",
    "PARTS",
    "READING",
    "RESOLUTION",
    "RUNNERS",
    "TASK_KEY",
]

# mrjob's runners that are known to give the same records.
RUNNERS = ("inline", "local", "hadoop", "spark", "emr")
ON_THIS_MACHINE = frozenset({"inline", "local"})

# What an index is made of; each can be made without the other.
PARTS = ("bags", "cocitation")

# The key of a task's statistics, the last line of every part file; sorts before every URL.
TASK_KEY = b"!task"

# What a task says on stderr before it opens a file: a task that is killed has no other last words.
READING = "reading "

# Tables that a finished stage keeps beside its part files.
RESOLUTION = "resolution.arrays"
PACKING = "packing.arrays"
FREQUENCIES = "frequencies.arrays"
DICTIONARY = "dictionary.arrays"
