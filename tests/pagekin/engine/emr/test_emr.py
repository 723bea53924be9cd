"""The cluster of a chain: what is asked for before it is made, and that it ends in every case."""

from __future__ import annotations

import logging
import os
import signal
from types import SimpleNamespace

import pytest

from pagekin.engine.emr import runner as emr
from pagekin.engine.emr.runner import Cluster, conf_problem, options_of, telling_states, undisturbed
from tests.running import ROOT

COMPLETE = {
    "cloud_tmp_dir": "s3://bucket/tmp/",
    "iam_instance_profile": "nodes",
    "iam_service_role": "service",
    "subnet": "subnet-1",
    "extra_cluster_params": {"AutoTerminationPolicy": {"IdleTimeout": 60}},
}


class Client:
    """An EMR that ends clusters, or does not."""

    def __init__(self, *failures):
        self.failures = list(failures)
        self.ended = []

    def terminate_job_flows(self, *, JobFlowIds):  # noqa: N803 - as AWS calls it
        if self.failures:
            raise self.failures.pop()
        self.ended += JobFlowIds

    def describe_cluster(self, *, ClusterId):  # noqa: N803
        return {"Cluster": {"Status": {"State": "TERMINATING"}}}


@pytest.fixture
def made(monkeypatch):
    """A cluster that was made; its sentences and its cleaning up are noted."""
    monkeypatch.setattr(emr, "_PAUSE", 0)

    def cluster(*failures):
        client, said, cleaned = Client(*failures), [], []
        it = Cluster(None, said.append)
        it._launcher = SimpleNamespace(
            make_emr_client=lambda: client,
            get_cluster_id=lambda: "j-1",
            cleanup=cleaned.append,
            _opts={"region": "us-east-1"},
        )
        return it, client, said, cleaned

    return cluster


# --- before it is made ---


def test_complete():
    """With all that is needed nothing is asked for."""
    assert "" == conf_problem(COMPLETE)


@pytest.mark.parametrize("key", COMPLETE)
def test_what_is_missing(key):
    """What mrjob would make up, or what would cost money for ever, has to be set."""
    problem = conf_problem({**COMPLETE, key: {} if key.startswith("extra") else ""})
    assert problem.startswith("set ") and "see emr/base.conf" in problem
    assert key in problem


def test_placeholders():
    """What is still to be edited is named."""
    options = {**COMPLETE, "subnet": "subnet-CHANGE-ME"}
    assert "CHANGE-ME still stands in subnet; edit emr/base.conf" == conf_problem(options)
    options["extra_cluster_params"] = {
        "AutoTerminationPolicy": {"IdleTimeout": 3600},
        "Instances": {"Groups": ["sg-1", "sg-CHANGE-ME"], "Key": "CHANGE-ME"},
    }
    inner = "extra_cluster_params.Instances"
    places = f"subnet, {inner}.Groups[2], {inner}.Key"
    assert f"CHANGE-ME still stands in {places}; edit emr/base.conf" == conf_problem(options)


def test_all_that_is_missing_at_once():
    """Whoever edits the configuration is told everything in one go."""
    problem = conf_problem({"subnet": "subnet-CHANGE-ME"})
    first, second, third = problem.split(". And ")
    assert first == (
        "set cloud_tmp_dir (a folder in your bucket), iam_instance_profile (the instance profile of"
        " the nodes), iam_service_role (the service role of EMR) in mrjob's configuration (-c); see"
        " emr/base.conf"
    )
    assert "CHANGE-ME still stands in subnet; edit emr/base.conf" == second
    assert third.startswith("set AutoTerminationPolicy in extra_cluster_params")


def test_a_file_overrides_what_it_includes(tmp_path):
    """Options of an including file win; dictionaries are merged, as mrjob does."""
    path = tmp_path / "mine.conf"
    path.write_text(
        f"include: {ROOT}/emr/small.conf\n"
        "runners: {emr: {num_core_instances: 9, tags: {project: mine}}}\n"
    )
    options = options_of(path)
    assert (9, "us-east-1") == (options["num_core_instances"], options["region"])
    assert {"project", "for-use-with-amazon-emr-managed-policies"} == set(options["tags"])


# --- its end ---


def test_none_was_made():
    """Where no job needed a cluster there is none to end."""
    cluster = Cluster(None, pytest.fail)
    cluster.close()
    assert [] == cluster.why_failed()


def test_ended_once(made):
    """A cluster is ended once, and what it was started with is taken away."""
    cluster, client, said, cleaned = made()
    cluster.end()
    cluster.close()
    cluster.close()
    assert ["j-1"] == client.ended
    assert ["cluster j-1: ended (TERMINATING)"] == said
    assert [["CLOUD_TMP", "LOCAL_TMP"]] == cleaned


def test_ended_at_the_third_try(made, capsys):
    """A network that fails for a moment leaves no cluster behind."""
    cluster, client, _, _ = made(OSError("no route"), OSError("no route"))
    cluster.close()
    assert (["j-1"], "") == (client.ended, capsys.readouterr().err)


def test_it_cannot_be_ended(made, capsys):
    """Then the user learns it in any case, and how to do it by hand."""
    cluster, client, said, _ = made(*[OSError("no route")] * 3)
    cluster.close()
    assert ([], []) == (client.ended, said)
    assert capsys.readouterr().err == (
        "pagekin: cluster j-1 could not be ended (no route); end it yourself:"
        " aws emr terminate-clusters --cluster-ids j-1 --region us-east-1\n"
    )


def test_a_terminal_that_is_gone(made):
    """A sentence that nobody can read does not keep a cluster alive."""
    cluster, client, _, _ = made()

    def gone(sentence):
        raise OSError("input/output error")

    cluster._say = gone
    cluster.close()
    assert ["j-1"] == client.ended


@pytest.fixture
def keyboard():
    """Heard also where tests run in the background of a script, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("keyboard")
def test_a_second_signal():
    """A signal while a cluster is ended waits until it is."""
    done = []
    with pytest.raises(KeyboardInterrupt), undisturbed():
        os.kill(os.getpid(), signal.SIGINT)
        done.append("ended")
    assert ["ended"] == done


def test_logs_that_cannot_be_read(made, monkeypatch):
    """Why the stage failed is of more interest than why its logs cannot be had."""
    cluster, _, _, _ = made()

    def fail(*_):
        raise OSError("no route")

    monkeypatch.setattr(emr, "read_failure", fail)
    assert ["the logs of cluster j-1 cannot be read: no route"] == cluster.why_failed()


# --- while it runs ---


def test_states():
    """mrjob's messages of states are passed on when they change, and no others."""
    said = []
    log = logging.getLogger("mrjob.emr")
    level = log.level
    log.setLevel(logging.INFO)
    try:
        with telling_states(said.append):
            for message in (
                "Created new cluster j-1",
                "  PENDING (cluster is STARTING)",
                "  PENDING (cluster is STARTING)",
                "  PENDING (cluster is BOOTSTRAPPING: Running bootstrap actions)",
                "  RUNNING for 0:00:01",
                "  RUNNING for 0:00:31",
                "  COMPLETED",
            ):
                log.info(message)
    finally:
        log.setLevel(level)
    assert [
        "step: PENDING (cluster is STARTING)",
        "step: PENDING (cluster is BOOTSTRAPPING: Running bootstrap actions)",
        "step: RUNNING",
        "step: COMPLETED",
    ] == said
