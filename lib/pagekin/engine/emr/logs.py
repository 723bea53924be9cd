"""Why did a step on EMR fail? What EMR says of it, and the last lines of the task in its logs.

EMR copies logs to S3 every five minutes, and when a cluster ends: so it has been asked to end
before, and here the logs are waited for. Layout below the cluster's log folder:

    steps/STEP/{syslog,stderr,controller}.gz                      the client's view of the job
    containers/APPLICATION/CONTAINER/{stderr,syslog}.gz           a task's; stderr is what it said
    node/INSTANCE/bootstrap-actions/N/stderr.gz                   a machine that did not come up
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable
from typing import Any

__all__ = ["last_lines", "read_failure"]

_PATIENCE = 300.0  # seconds; EMR promises logs every five minutes
_SHOWN = 25  # lines of a task
_READ = 200  # logs of tasks that are looked at, the latest first
_FAILED = ["FAILED", "INTERRUPTED", "CANCELLED"]
_OVER = frozenset({"TERMINATED", "TERMINATED_WITH_ERRORS"})

# The end of a task that failed: an error that nothing caught. Others wrote warnings at most.
_ERROR = re.compile(r"^(Traceback \(most recent call last\):|\S*(Error|Exception)\b.*)", re.M)
_APPLICATION = re.compile(r"application_\d+_\d+")
_ATTEMPT = re.compile(r"Task Id : (attempt_\w+), Status : FAILED")
_STARTING = re.compile(r"^(\+|\+\+) ")  # what the shell echoes of the set-up

_Say = Callable[[str], None]


def read_failure(runner: Any, cluster: str, say: _Say) -> list[str]:
    """Sentences and lines, for people."""
    client = runner.make_emr_client()
    described = client.describe_cluster(ClusterId=cluster)["Cluster"]
    lines = [*_why(f"cluster {cluster}", described["Status"])]
    failed = client.list_steps(ClusterId=cluster, StepStates=_FAILED)["Steps"]
    folder = f"{described.get('LogUri', '').replace('s3n://', 's3://')}{cluster}/"
    if failed:
        step = failed[0]
        lines += _why(f"step {step['Id']} ({step['Name']})", step["Status"])
        lines += _task_lines(runner, cluster, folder, step["Id"], say)
    elif described["Status"].get("StateChangeReason", {}).get("Code") == "BOOTSTRAP_FAILURE":
        lines += _tail(runner, _named(_listed(runner, f"{folder}node/"), "stderr"))
    return [*lines, f"all logs: {folder}"]


def _why(what: str, status: dict[str, Any]) -> Iterable[str]:
    reason = status.get("StateChangeReason", {}).get("Message") or ""
    details = status.get("FailureDetails", {})
    said = [str(status["State"]), reason, details.get("Reason", ""), details.get("Message", "")]
    yield f"{what}: " + ", ".join(filter(None, said))


def _task_lines(runner: Any, cluster: str, folder: str, step: str, say: _Say) -> list[str]:
    """The task that failed, and its last words."""
    say("waiting for the logs of the failed step (Ctrl-C goes on without)")
    try:
        of_step = _awaited(runner, cluster, f"{folder}steps/{step}/")
    except KeyboardInterrupt:
        return []
    told = "".join(_text(runner, uri) for uri in of_step)
    attempts = list(dict.fromkeys(_ATTEMPT.findall(told)))
    lines = [f"task {attempts[-1]} failed" if attempts else ""]
    application = next(iter(_APPLICATION.findall(told)), "")
    of_tasks = _named(_listed(runner, f"{folder}containers/{application}"), "stderr")
    found = _tail(runner, of_tasks) or _tail(runner, _named(of_step, "stderr"))
    return [line for line in [*lines, *found] if line]


def _awaited(runner: Any, cluster: str, folder: str) -> list[str]:
    """The files of a folder that fills when EMR gets round to it."""
    until = time.monotonic() + _PATIENCE
    while True:
        over = _state(runner, cluster) in _OVER
        found = _listed(runner, folder)
        if found or time.monotonic() > until:
            return found
        if over:  # what is not there now comes within a moment, or never
            until = min(until, time.monotonic() + 2 * _pause(runner))
        time.sleep(_pause(runner))


def _pause(runner: Any) -> float:
    return float(runner._opts["check_cluster_every"])


def _state(runner: Any, cluster: str) -> str:
    described = runner.make_emr_client().describe_cluster(ClusterId=cluster)
    return str(described["Cluster"]["Status"]["State"])


def _listed(runner: Any, prefix: str) -> list[str]:
    """Addresses below a prefix, the latest first."""
    found = [(key.last_modified, uri) for uri, key in runner.fs.s3._ls(f"{prefix}*")]
    return [uri for _, uri in sorted(found, reverse=True)]


def _named(uris: Iterable[str], name: str) -> list[str]:
    return [uri for uri in uris if uri.rpartition("/")[2].partition(".")[0] == name]


def _tail(runner: Any, uris: list[str]) -> list[str]:
    """The end of the latest log that tells of an error."""
    for uri in uris[:_READ]:
        text = _text(runner, uri)
        if _ERROR.search(text):
            return last_lines(text)
    return []


def _text(runner: Any, uri: str) -> str:
    return b"".join(runner.fs.cat(uri)).decode("utf-8", "backslashreplace")


def last_lines(text: str) -> list[str]:
    """The end of what a task said, without the echo of its set-up.

    >>> last_lines("+ python3.11 job.py\\nTraceback\\n  ...\\nKeyError: 1\\n")
    ['Traceback', '  ...', 'KeyError: 1']
    """
    said = [line.rstrip() for line in text.splitlines()]
    return [line for line in said if line and not _STARTING.match(line)][-_SHOWN:]
