"""Rounds of a stage: the options of the next one, and what is said of all of them together.

What a stage with rounds declares is in `Rounds` of pagekin.stages.declaration. The record of its
pass sums up what its rounds took, has the counters and digests of the last one, and under `rounds`
each by itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from pagekin.build.made import Pass
from pagekin.config import BuildConfig
from pagekin.engine.run import JobResult
from pagekin.stages.declaration import Rounds

__all__ = ["goes_on", "number_after", "round_options", "with_rounds_before"]

_SUMS = ("seconds", "cpu_seconds", "task_cpu_seconds", "tasks")
_TOLD = ("records", "bytes", "seconds", "cpu_seconds")  # of each round, besides what it counted


def number_after(before: Pass | None) -> int:
    """The number of the round that follows; that of the first is 1."""
    return len(before.record["result"]["rounds"]) + 1 if before else 1


def _counted(rounds: Rounds, counters: Mapping[str, Mapping[str, int]]) -> Mapping[str, int]:
    return counters.get(rounds.counts, {})


def round_options(rounds: Rounds, before: Pass | None, records: int) -> Iterator[str]:
    """What the job of the round that follows is told, which reads so many records."""
    yield f"--round={number_after(before)}"
    yield f"--records-read={records}"
    if before and (counted := _counted(rounds, before.counters)):
        yield f"--before={','.join(f'{name}={n}' for name, n in sorted(counted.items()))}"


def goes_on(rounds: Rounds, config: BuildConfig, number: int, result: JobResult) -> bool:
    """Is there a round to follow, if there may be one?"""
    return not rounds.is_still(config, number, _counted(rounds, result.counters))


def with_rounds_before(rounds: Rounds, before: Pass | None, result: JobResult) -> dict[str, Any]:
    """The result of a round as that of the stage so far."""
    told = asdict(result)
    this = {name: told[name] for name in _TOLD}
    this["counters"] = dict(_counted(rounds, result.counters))
    if not before:
        return {**told, "rounds": [this]}
    earlier = before.record["result"]
    told |= {name: round(told[name] + earlier[name], 3) for name in _SUMS}
    told["peak_memory"] = max(told["peak_memory"], earlier["peak_memory"])
    told["notes"] = sorted({*told["notes"], *earlier["notes"]})
    return {**told, "rounds": [*earlier["rounds"], this]}
