"""The program as a user runs it: in a process of its own, with what it said and how it ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from pagekin.config import BuildConfig
from pagekin.kinds import STATISTICS
from pagekin.stages.chain import stage_of, wanted_outputs
from pagekin.stages.declaration import Stage
from pagekin.storage.part_files import part_files
from pagekin.storage.workspace import sealed, written_files

__all__ = [
    "BAGS",
    "DEMO",
    "INVENTORY",
    "NOT_ENRICHED_FLAGS",
    "ONE_HALF",
    "READING",
    "ROOT",
    "STAGES",
    "Said",
    "another_build",
    "default_stages",
    "living",
    "outputs",
    "pagekin",
    "python",
    "record_of",
    "started",
    "wait_until",
    "write_record",
]

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "demo" / "snapshot"
# of bags as they are
NOT_ENRICHED_FLAGS = tuple(f"--enrich-{part}=false" for part in ("words", "links", "topics"))
# flags of a build: the stages of such bags and no others
ONE_HALF = ("--without", "cocitation", "--without", "mirrors", *NOT_ENRICHED_FLAGS)
BAGS = (*ONE_HALF, "--no-index")
INVENTORY = "inventory.captures.sample.stop_words"  # passes of such a build
READING = "reading.fragments"
STAGES = (INVENTORY, READING, "document_frequency", "weighted_bags")

_PATIENCE = 60.0  # seconds; far more than anything takes on an idle machine


class Said(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def default_stages() -> list[Stage]:
    """The stages of a build with an index where no setting was changed."""
    wanted = wanted_outputs(BuildConfig(), index=True)
    return list(dict.fromkeys(map(stage_of, wanted)))


def _words(words: tuple[object, ...]) -> list[str]:
    return [sys.executable, "-m", "pagekin", *map(str, words)]


def pagekin(*words: object, **options: Any) -> Said:
    """Run the one command."""
    return _run(_words(words), **options)


def python(*words: object, **options: Any) -> Said:
    """Run a script."""
    return _run([sys.executable, *map(str, words)], **options)


def _run(command: list[str], **options: Any) -> Said:
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, **options
    )
    return Said(done.returncode, done.stdout, done.stderr)


# --- processes that are ended before their time ---


@contextmanager
def started(*words: object) -> Iterator[subprocess.Popen[str]]:
    """The one command, running in a process group of its own, of which nothing is left behind."""
    process = subprocess.Popen(
        _words(words),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=_hear_the_keyboard,  # noqa: PLW1509 - no thread runs here
    )
    try:
        with process:
            try:
                yield process
            except BaseException:
                _end(process.pid)  # or the end of `with` would wait for it
                raise
    finally:
        _end(process.pid)


def _end(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _hear_the_keyboard() -> None:
    # tests may run in the background of a script or under nohup, where these are ignored, also by
    # children
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def living(group: int) -> list[int]:
    """The processes of a group that still run."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has just ended
            state, _, its_group = path.read_text().rpartition(") ")[2].split()[:3]
            if int(its_group) == group and state not in "ZX":
                found.append(int(path.parent.name))
    return found


def wait_until(true: Callable[[], object], patience: float = _PATIENCE) -> float:
    """Wait until something is the case; gives the seconds."""
    began = time.monotonic()
    while not true():
        assert time.monotonic() - began < patience, "waited in vain"
        time.sleep(0.01)
    return time.monotonic() - began


_HOLD = """
import sys
from pathlib import Path
from pagekin.storage.workspace import Workspace
with Workspace.create(Path(sys.argv[1])).locked():
    print("locked", flush=True)
    sys.stdin.read()
"""


@contextmanager
def another_build(work: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A process that holds a workspace as a build does, until its input ends."""
    command = [sys.executable, "-c", _HOLD, str(work)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"locked\n" == process.stdout.readline()
        yield process


# --- what a build made ---


def record_of(work: Path, stage: str) -> dict[str, Any]:
    """What a finished stage says of itself."""
    record: dict[str, Any] = json.loads((work / stage / "stage.json").read_text(encoding="utf-8"))
    return record


def write_record(work: Path, stage: str, record: dict[str, Any]) -> None:
    """Let a finished stage say this of itself, and that its files are as they are."""
    folder = work / stage
    record = {name: value for name, value in record.items() if name != "checksum"}
    record["files"] = written_files(folder)
    (folder / "stage.json").write_text(json.dumps(sealed(record)), encoding="utf-8")


def outputs(work: Path) -> dict[str, dict[str, Any]]:
    """All that the finished stages of a workspace hold, whichever task wrote it where."""
    return {stage: _output(work, stage) for stage in STAGES if (work / stage).exists()}


def _output(work: Path, stage: str) -> dict[str, Any]:
    lines = b"".join(path.read_bytes() for path in part_files(work / stage)).splitlines()
    result = record_of(work, stage)["result"]
    return {
        "records": sorted(line for line in lines if not line.startswith(STATISTICS + b"\t")),
        "tables": {path.name: path.read_bytes() for path in (work / stage).glob("*.arrays")},
        **{name: result[name] for name in ("digest", "counters")},
    }
