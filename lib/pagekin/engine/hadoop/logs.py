"""Why did a job on YARN fail? Which task, on which input, and its own last lines.

What YARN says of a failed attempt ("Container is running beyond physical memory limits",
"subprocess failed with code 1") comes from the job's client. What the task itself said stands in
the logs of its container: in a folder of this machine where the cluster is this machine, else in
what `yarn logs` fetches, if the cluster gathers logs.

    userlogs/APPLICATION/CONTAINER/{stderr,syslog}

The first container of an application is its master, whose syslog says which attempt had which.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pagekin.engine.job import NOW_READING

__all__ = ["failure_lines", "last_words"]

_SHOWN = 15  # lines of a task
_DIAGNOSES = 3  # lines of what YARN says
_PATIENCE = 60  # seconds for `yarn logs`

_KIND = {"m": "map", "r": "reduce"}
_ATTEMPT = re.compile(r"attempt_\d+_\d+_([mr])_(\d+)_(\d+)")
_ASSIGNED = re.compile(r"TaskAttempt: \[(attempt_\w+)\] using containerId: \[(container_\w+)")
_FAILED = re.compile(r"(attempt_\w+) transitioned from state \w+ to FAIL")
_DIAGNOSED = re.compile(
    r"Diagnostics report from (attempt_\w+): (.*?)(?=^\d{4}-\d\d-\d\d |\Z)", re.M | re.S
)
_FETCHED = re.compile(r"^Container: (container_\w+)|^LogType:(\S+)|^End of LogType:", re.M)
# what is the same in every failure of a task, or of the way that YARN took
_NOISE = re.compile(
    r"^\s+at |^\s*\.\.\. \d+ more|^log4j:|^\[[\d-]+ [\d:.]+\]\s*$|^Error: java\.lang\.Runtime"
    r"|PipeMapRed|^Dump of the process-tree|^\s*\|- |^Container (killed|exited)|^\[.*Exit code is"
    r"|^SLF4J|^reporter:"
)
_CHATTER = re.compile(
    r"log4j:|SLF4J|reporter:|\+{1,2} |\s+at |\S*java\.\S+:|WARNING: .*(illegal|reflective)"
    r"|\S+ \S+ \S* ?org\.apache\.hadoop\.(util|metrics)"
)
_STAMP = re.compile(r"^\[[\d-]+ [\d:.]+\]")

Logs = Mapping[str, Mapping[str, str]]  # container -> name of a log -> its text


def failure_lines(
    application: str,
    errors: Iterable[Mapping[str, Any]],
    folders: Sequence[Path],
    yarn: Sequence[str],
) -> list[str]:
    """Sentences and lines for people; none where no task is known to have failed.

    `errors` is what mrjob read of the job's client, which keeps silent about a task's last try.
    """
    logs = _logs(application, folders, yarn)
    tries = _tries(logs, errors)
    if not tries:
        return []
    task = max(tries, key=lambda name: (len(tries[name]), name))
    attempt, said = tries[task][-1]
    container = _containers(logs).get(attempt, "")
    count = len(tries[task])
    lines = [f"{task}, tried {count} time{'s' * (count > 1)}; the last was {attempt}"]
    lines += _diagnosis(said)
    lines += last_words(logs.get(container, {}).get("stderr", ""))
    return [*lines, _where(application, container, folders)]


def _tries(logs: Logs, errors: Iterable[Mapping[str, Any]]) -> dict[str, list[tuple[str, str]]]:
    """Task -> its failed attempts, in order, and what YARN said of each."""
    said = {
        str(error.get("attempt_id") or ""): str((error.get("hadoop_error") or {}).get("message"))
        for error in errors
    }
    failed = set(said)
    for text in (files.get("syslog", "") for files in logs.values()):
        failed |= set(_FAILED.findall(text))
        said |= dict(_DIAGNOSED.findall(text))
    tries: dict[str, list[tuple[str, str]]] = {}
    for attempt in sorted(failed):
        if match := _ATTEMPT.match(attempt):
            name = f"{_KIND[match[1]]} task {int(match[2])}"
            tries.setdefault(name, []).append((attempt, said.get(attempt, "")))
    return tries


def _diagnosis(said: str) -> list[str]:
    lines = (_STAMP.sub("", line).strip() for line in said.splitlines() if not _NOISE.search(line))
    return [f"YARN says: {line}" for line in lines if line][:_DIAGNOSES]


def last_words(stderr: str) -> list[str]:
    """What a task was reading, and the last lines of what it said."""
    lines = [line for line in stderr.splitlines() if line.strip() and not _CHATTER.match(line)]
    read = [line for line in lines if line.startswith(NOW_READING)]
    rest = [line for line in lines if not line.startswith(NOW_READING)][-_SHOWN:]
    shown = [f"it was {read[-1]}"] if read else []
    if rest:
        shown += ["the last it said:", *(f"  {line}" for line in rest)]
    return shown


def _containers(logs: Logs) -> dict[str, str]:
    """Which attempt had which container."""
    pairs: dict[str, str] = {}
    for files in logs.values():
        pairs.update(_ASSIGNED.findall(files.get("syslog", "")))
    return pairs


def _logs(application: str, folders: Sequence[Path], yarn: Sequence[str]) -> Logs:
    if not application:
        return {}
    for folder in folders:
        place = folder / "userlogs" / application
        if place.is_dir():
            return {path.name: _files(path) for path in sorted(place.iterdir())}
    return _fetched(application, yarn) if yarn else {}


def _files(container: Path) -> dict[str, str]:
    names = ("stderr", "syslog")
    paths = [container / name for name in names if (container / name).is_file()]
    return {path.name: path.read_text(encoding="utf-8", errors="replace") for path in paths}


def _fetched(application: str, yarn: Sequence[str]) -> Logs:
    """What `yarn logs` tells: each log behind a line with its container and one with its name."""
    words = [*yarn, "logs", "-applicationId", application]
    try:
        done = subprocess.run(words, capture_output=True, check=False, timeout=_PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        return {}
    text = done.stdout.decode("utf-8", "replace")
    logs: dict[str, dict[str, str]] = {}
    container = ""
    marks = [*_FETCHED.finditer(text)]
    for mark, following in zip(marks, [*marks[1:], None], strict=True):
        container = mark[1] or container
        if mark[2]:
            body = text[mark.end() : following.start() if following else len(text)]
            logs.setdefault(container, {})[mark[2]] = body.partition("LogContents:\n")[2]
    return logs


def _where(application: str, container: str, folders: Sequence[Path]) -> str:
    for folder in folders:
        place = folder / "userlogs" / application / container
        if application and place.is_dir():
            return f"all of its logs: {place}"
    return f"all logs, if the cluster gathers them: yarn logs -applicationId {application}"
