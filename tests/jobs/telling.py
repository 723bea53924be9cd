#!/usr/bin/env python3
"""A job whose tasks tell where they run, and that can be made to end badly.

input    a word a line: tell, kill (the task ends itself by a signal), exit, raise, wait
map      word -> what the task finds around it
output   as mapped
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from pagekin.engine.job import PagekinJob
from pagekin.kinds import Pair


class Telling(PagekinJob):
    """See above."""

    REDUCES = False

    def map_task(self, pairs: Iterable[Pair]) -> Iterator[Pair]:
        for key, _ in pairs:
            match key:
                case b"kill":
                    os.kill(os.getpid(), signal.SIGKILL)
                case b"exit":
                    raise SystemExit(3)
                case b"raise":
                    raise ValueError("as it was told")
                case b"wait":
                    time.sleep(60)
            yield key, json.dumps(self._around(), sort_keys=True).encode()

    @staticmethod
    def _around() -> dict[str, object]:
        return {
            "process": os.getpid(),
            "parent": os.getppid(),
            "words": sys.argv[1:],
            "script": Path(sys.argv[0]).name,
            "folder": str(Path.cwd()),
            "path": sys.path[0],
            "told": os.environ.get("TELLING", ""),
        }


if __name__ == "__main__":
    Telling.run()
