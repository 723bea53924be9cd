"""What is told of a job that failed on YARN."""

from __future__ import annotations

from pathlib import Path

import pytest

from pagekin.engine.hadoop.logs import failure_lines, last_words

APP = "application_17_0011"
ATTEMPT, CONTAINER = "attempt_17_0011_m_000003_1", "container_17_0011_01_000003"
MASTER = f"""\
2026-01-01 10:00:00,000 INFO [x] TaskAttemptImpl: TaskAttempt: [{ATTEMPT}] using containerId: \
[{CONTAINER} on NM: [localhost:1]
2026-01-01 10:00:01,000 INFO [x] TaskAttemptImpl: Diagnostics report from {ATTEMPT}: \
[2026-01-01 10:00:01.000]Container [pid=7,containerID={CONTAINER}] is running 9B beyond the \
'PHYSICAL' memory limit. Killing container.
Dump of the process-tree for {CONTAINER} :
\t|- PID PPID
2026-01-01 10:00:02,000 INFO [x] TaskAttemptImpl: {ATTEMPT} transitioned from state RUNNING to \
FAIL_CONTAINER_CLEANUP, event type is TA_FAILMSG
"""
STDERR = """\
log4j:WARN No appenders
+ python3 job.py
reading hdfs://x/a.warc.gz
reading hdfs://x/b.warc.gz
Traceback (most recent call last):
ValueError: no
"""


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """The folder of logs of a machine that is a cluster."""
    for container, name, text in (
        ("container_17_0011_01_000001", "syslog", MASTER),
        (CONTAINER, "stderr", STDERR),
    ):
        folder = tmp_path / "userlogs" / APP / container
        folder.mkdir(parents=True)
        (folder / name).write_text(text)
    return tmp_path


EXPECTED = [
    f"map task 3, tried 1 time; the last was {ATTEMPT}",
    f"YARN says: Container [pid=7,containerID={CONTAINER}] is running 9B beyond the 'PHYSICAL'"
    " memory limit. Killing container.",
    "it was reading hdfs://x/b.warc.gz",
    "the last it said:",
    "  Traceback (most recent call last):",
    "  ValueError: no",
]


def test_logs_of_this_machine(logs):
    """Task, diagnosis, file, last lines, and where the rest is."""
    where = f"all of its logs: {logs}/userlogs/{APP}/{CONTAINER}"
    assert [*EXPECTED, where] == failure_lines(APP, [], [logs], [])


def test_logs_that_are_fetched(tmp_path):
    """The same from what `yarn logs` prints."""
    text = (
        f"Container: container_17_0011_01_000001 on localhost_1\nLogType:syslog\nLogLength:9\n"
        f"LogContents:\n{MASTER}\nEnd of LogType:syslog\n***\n\n"
        f"Container: {CONTAINER} on localhost_1\nLogType:stderr\nLogContents:\n{STDERR}\n"
        "End of LogType:stderr\n***\n"
    )
    (tmp_path / "text").write_text(text)
    yarn = tmp_path / "yarn"
    yarn.write_text(f'#!/bin/sh\n[ "$*" = "logs -applicationId {APP}" ] && cat {tmp_path}/text\n')
    yarn.chmod(0o755)
    where = f"all logs, if the cluster gathers them: yarn logs -applicationId {APP}"
    assert [*EXPECTED, where] == failure_lines(APP, [], [], [str(yarn)])


def test_no_logs():
    """Without any logs what the job's client said is told."""
    error = {"attempt_id": ATTEMPT, "hadoop_error": {"message": "Container killed on request"}}
    lines = failure_lines(APP, [error], [], [])
    assert f"map task 3, tried 1 time; the last was {ATTEMPT}" == lines[0]


def test_nothing_known():
    """Where no task failed nothing is made up."""
    assert [] == failure_lines("", [], [], [])


def test_last_words_of_a_silent_task():
    """A task that said nothing has no last words."""
    assert [] == last_words("log4j:WARN no\n\n")
