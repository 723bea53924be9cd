"""Names that jobs, stages and readers of their output share."""

from __future__ import annotations

__all__ = ["DICTIONARY", "FREQUENCIES", "RESOLUTION", "TASK_KEY"]

# The key of a task's statistics, the last line of every part file; sorts before every URL.
TASK_KEY = b"!task"

# Tables that a finished stage keeps beside its part files.
RESOLUTION = "resolution.arrays"
FREQUENCIES = "frequencies.arrays"
DICTIONARY = "dictionary.arrays"
