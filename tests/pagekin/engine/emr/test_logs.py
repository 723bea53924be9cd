"""What is told of a step that failed."""

from __future__ import annotations

import doctest
from types import SimpleNamespace

import pytest

from pagekin.engine.emr import logs as emr_logs
from pagekin.engine.emr.logs import read_failure

LOGS = "s3://bucket/logs/j-1/"
TOLD = (
    "Submitted application application_7_0002\n"
    "Task Id : attempt_7_0002_m_000003_1, Status : FAILED\n"
)
TRACE = "+ python3.11 job.py\nTraceback (most recent call last):\n  File 'job.py'\nKeyError: 'x'\n"


def runner(files, steps=(), state="TERMINATED", **status):
    """mrjob's runner over logs of these texts, the first the oldest."""
    described = {"LogUri": "s3n://bucket/logs/", "Status": {"State": state, **status}}
    client = SimpleNamespace(
        describe_cluster=lambda **_: {"Cluster": described},
        list_steps=lambda **_: {"Steps": list(steps)},
    )
    found = [
        (f"{LOGS}{name}", SimpleNamespace(last_modified=when)) for when, name in enumerate(files)
    ]

    def ls(pattern):
        return [pair for pair in found if pair[0].startswith(pattern.removesuffix("*"))]

    fs = SimpleNamespace(
        s3=SimpleNamespace(_ls=ls),
        cat=lambda uri: [files[uri.removeprefix(LOGS)].encode()],
    )
    options = {"check_cluster_every": 0.001}
    return SimpleNamespace(make_emr_client=lambda: client, fs=fs, _opts=options)


STEP = {"Id": "s-1", "Name": "blocks.me.1: Step 1 of 1", "Status": {"State": "FAILED"}}


def said(*arguments, **options):
    return read_failure(runner(*arguments, **options), "j-1", lambda sentence: None)


def test_docstrings():
    """The examples in the documentation hold."""
    assert 0 == doctest.testmod(emr_logs).failed


def test_a_task():
    """Step, task, and the end of that task's own log; other jobs' logs are not looked at."""
    files = {
        "steps/s-1/syslog.gz": TOLD,
        "containers/application_7_0002/c_1/stderr.gz": TRACE,
        "containers/application_7_0002/c_2/stderr.gz": "+ python3.11 job.py\nall is well\n",
        "containers/application_7_0003/c_1/stderr.gz": "ValueError: of another job\n",
    }
    assert [
        "cluster j-1: TERMINATED",
        "step s-1 (blocks.me.1: Step 1 of 1): FAILED",
        "task attempt_7_0002_m_000003_1 failed",
        "Traceback (most recent call last):",
        "  File 'job.py'",
        "KeyError: 'x'",
        f"all logs: {LOGS}",
    ] == said(files, [STEP])


def test_no_task_began():
    """Where no task has a log that of the step itself is shown."""
    files = {"steps/s-1/stderr.gz": "Exception in thread main: FileAlreadyExistsException: x\n"}
    lines = said(files, [STEP])
    assert "Exception in thread main: FileAlreadyExistsException: x" == lines[-2]


def test_what_emr_says():
    """EMR's own reason for a step is told."""
    status = {"State": "FAILED", "FailureDetails": {"Reason": "Unknown Error.", "Message": "x"}}
    assert "step s-1 (a): FAILED, Unknown Error., x" in said(
        {}, [{"Id": "s-1", "Name": "a", "Status": status}]
    )


def test_logs_that_never_come():
    """The address is told; nobody waits for ever."""
    assert f"all logs: {LOGS}" == said({}, [STEP])[-1]


def test_logs_that_nobody_waits_for(monkeypatch):
    """Ctrl-C goes on without logs."""

    def interrupt(seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(emr_logs.time, "sleep", interrupt)
    assert [STEP["Id"] in line for line in said({}, [STEP], state="TERMINATING")][1]


@pytest.mark.parametrize("steps", [[]])
def test_machines_that_did_not_come_up(steps):
    """Why a bootstrap action failed stands in its own log."""
    reason = {"Code": "BOOTSTRAP_FAILURE", "Message": "bootstrap action 1 returned 1"}
    files = {
        "node/i-1/bootstrap-actions/1/stderr.gz": "Error: Unable to find a match: python3.11\n"
    }
    lines = said(files, steps, state="TERMINATED_WITH_ERRORS", StateChangeReason=reason)
    assert [
        "cluster j-1: TERMINATED_WITH_ERRORS, bootstrap action 1 returned 1",
        "Error: Unable to find a match: python3.11",
        f"all logs: {LOGS}",
    ] == lines
