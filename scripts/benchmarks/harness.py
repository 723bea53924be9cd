"""What all benchmarks use: the clock, processes of their own, taking turns, and options.

Times are CPU seconds of the process and of all children that it waited for, because a benchmark is
seldom alone on its machine. Ratios are taken within a round, in which all ways run one after
another, and the median of the rounds counts: a machine gets slower and faster by the minute.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.results import Result
from benchmarks.step import EXPECTED
from pagekin.errors import PagekinError

__all__ = [
    "HERE",
    "ROOT",
    "Add",
    "Benchmark",
    "MissingPeer",
    "Ratio",
    "Timed",
    "cpu",
    "environment",
    "in_process",
    "in_turns",
    "pagekin",
    "peer",
    "ratio",
    "ratios",
    "run_words",
    "say",
    "timed",
]

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
STEP = "benchmarks.step"
_CAN_PIN = hasattr(os, "sched_getaffinity") and shutil.which("taskset") is not None
_SHOWN = 2000  # characters of the last words of what failed

Add = Callable[..., Any]  # ArgumentParser.add_argument


@dataclass(frozen=True)
class Benchmark:
    """A benchmark by its name."""

    name: str
    does: str  # one line, for the list
    about: str  # how it is measured, for --help
    add_options: Callable[[Add], None]
    run: Callable[[argparse.Namespace], Result]
    quick: tuple[str, ...] = ()  # the words that make bench adds, to be done in ten minutes
    alone: bool = False  # run where it is named, and not by `all`


class Timed(NamedTuple):
    """CPU and wall seconds of a piece of work, and what it gave."""

    cpu: float
    wall: float
    value: Any = None


class Ratio(NamedTuple):
    """The median of the rounds, and the extremes."""

    median: float
    low: float
    high: float

    def spread(self) -> str:
        return f"{self.low:.2f} to {self.high:.2f}"


class MissingPeer(PagekinError):  # noqa: N818 - it is what is said
    """Something to compare with is not installed."""


def say(sentence: str) -> None:
    """Progress goes to stderr; stdout is for tables."""
    sys.stderr.write(f"{sentence}\n")
    sys.stderr.flush()


def cpu() -> float:
    """Seconds so far, of this process and of children that have ended."""
    used = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(u.ru_utime + u.ru_stime for u in used)


def timed(work: Callable[[], Any]) -> Timed:
    """Do the work."""
    before, began = cpu(), time.perf_counter()
    value = work()
    return Timed(cpu() - before, time.perf_counter() - began, value)


# --- processes of their own ---


def in_process(step: Callable[..., Any], **words: Any) -> Any:
    """Call a function of a module in a fresh process; words and value are what JSON can hold.

    What it says on stderr goes to a file, as that of tasks does, and is shown if it fails.
    """
    name = f"{step.__module__}:{step.__qualname__}"
    command = [sys.executable, "-m", STEP, name]
    with tempfile.TemporaryFile("w+") as errors:
        said = subprocess.run(
            command,
            input=json.dumps(words, default=str),
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            check=False,
            env=environment(),
        )
        if said.returncode:
            errors.seek(0)
            last = errors.read()[-_SHOWN:]
            if said.returncode == EXPECTED:
                raise PagekinError(last.splitlines()[-1])
            raise PagekinError(f"{name} ended with code {said.returncode}: {last}")
    return json.loads(said.stdout)


def environment(**more: str) -> dict[str, str]:
    """That of this process, in which the benchmarks can be imported."""
    path = os.pathsep.join(filter(None, (str(HERE.parent), os.environ.get("PYTHONPATH"))))
    return {**os.environ, "PYTHONPATH": path, **more}


def run_words(
    words: Sequence[object], env: Mapping[str, str] | None = None, cores: int = 0
) -> Timed:
    """Run a command, whose stdout is the value; what it says on stderr is shown if it fails.

    `cores`: so many, and no other, where the system can say so; 0: all that there are.
    """
    words = [*(["taskset", "-c", _some(cores)] if cores and _CAN_PIN else []), *words]

    def work() -> str:
        done = subprocess.run(
            [*map(str, words)], capture_output=True, text=True, check=False, env=env
        )
        if done.returncode:
            raise PagekinError(f"{' '.join(map(str, words[:4]))} ...: {done.stderr[-_SHOWN:]}")
        return done.stdout

    return timed(work)


def _some(cores: int) -> str:
    return ",".join(map(str, sorted(os.sched_getaffinity(0))[:cores]))


def pagekin(*words: object, env: Mapping[str, str] | None = None, cores: int = 0) -> Timed:
    """The one command, in a process of its own, on so many cores."""
    return run_words([sys.executable, "-m", "pagekin", *words], env, cores)


def peer(module: str, package: str) -> Any:
    """Import what is compared with; MissingPeer says what to install."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise MissingPeer(f"for a comparison: pip install {package}") from error


# --- taking turns ---


def in_turns(ways: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[Any]]:
    """What each way gave in each round; every second round goes backwards."""
    found: dict[str, list[Any]] = {name: [] for name in ways}
    for number in range(rounds):
        names = list(ways)
        for name in reversed(names) if number % 2 else names:
            say(f"  round {number + 1} of {rounds}: {name}")
            found[name].append(ways[name]())
    return found


def ratio(mine: Sequence[float], others: Sequence[float]) -> Ratio:
    """Mine by the other's, round by round."""
    each = [a / b for a, b in zip(mine, others, strict=True)]
    return Ratio(statistics.median(each), min(each), max(each))


def ratios(found: Mapping[str, Sequence[float]], base: str) -> dict[str, Ratio]:
    """Of all ways to one of them."""
    return {name: ratio(values, found[base]) for name, values in found.items()}
