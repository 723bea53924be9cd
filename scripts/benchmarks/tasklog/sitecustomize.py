"""In every Python process that finds it: a task of a job notes at its end what it took.

Stages keep totals of their tasks alone. Where this folder is on PYTHONPATH and PAGEKIN_BENCH_TASKS
names another, each task leaves a line of JSON there: job, mapper or reducer, CPU and memory.
"""

import atexit
import json
import os
import sys
import time
from multiprocessing import util

KINDS = {"--mapper": "map", "--reducer": "reduce"}


def note(folder):
    """At the end of the process; sys.argv is not there yet when this file is imported."""
    kind = next((KINDS[word] for word in sys.argv if word in KINDS), None)
    if kind is None:
        return
    with open("/proc/self/status", encoding="ascii") as lines:
        peak = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
    job = os.path.splitext(os.path.basename(sys.argv[0]))[0]
    said = {"job": job, "kind": kind, "cpu": time.process_time(), "memory": peak * 1024}
    with open(os.path.join(folder, f"{os.getpid()}-{time.time_ns()}"), "w") as out:
        json.dump(said, out)


def note_children(folder):
    """A task of the local runner is a fork: it ends without what was registered with atexit."""
    util.register_after_fork(note, lambda _: util.Finalize(None, note, (folder,), exitpriority=0))


if folder := os.environ.get("PAGEKIN_BENCH_TASKS"):
    atexit.register(note, folder)
    note_children(folder)
