"""One job by itself, on the inline runner or as a script of its own."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from pathlib import Path

import pytest

from pagekin.counters import Counters
from pagekin.engine.job import PagekinJob
from pagekin.engine.local import cutting
from pagekin.kinds import STATISTICS, Pair
from tests.running import ROOT, Said, python

__all__ = ["Result", "run_job", "run_script", "split_output", "write_warc"]

Counts = dict[str, dict[str, int]]
Result = tuple[list[Pair], Counts]


def run_job(
    job_class: type[PagekinJob], args: Iterable[object] = (), inputs: Iterable[bytes] = ()
) -> Result:
    """The records and the counters that a job makes of lines, with two mappers and more."""
    job = job_class(["-r", "inline", "--no-conf", *map(str, args)])
    job.sandbox(stdin=io.BytesIO(b"".join(line + b"\n" for line in inputs)))
    with pytest.MonkeyPatch.context() as patch, job.make_runner() as runner:
        patch.setattr(cutting, "LEAST", 1)  # else few lines are one task
        runner.run()
        return split_output(b"".join(runner.cat_output()))


def split_output(output: bytes) -> Result:
    """Records in order, and the sum of what the tasks counted."""
    pairs = [line.partition(b"\t")[::2] for line in output.splitlines()]
    counters = Counters()
    for key, value in pairs:
        if key == STATISTICS:
            counters.merge(json.loads(value)["counters"])
    return sorted(pair for pair in pairs if pair[0] != STATISTICS), counters.as_dict()


def run_script(name: str, *words: object) -> Said:
    """`python jobs/NAME.py ...`, as a user would."""
    return python(ROOT / "jobs" / f"{name}.py", *words)


def write_warc(path: Path, *records: bytes) -> bytes:
    """Write a WARC file; gives its line in a manifest."""
    path.write_bytes(b"".join(records))
    return str(path).encode()
