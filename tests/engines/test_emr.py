"""`pagekin build -r emr` against a mock of AWS whose steps are really executed."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import tarfile
from pathlib import Path
from typing import Any

import botocore.session
import pytest
from botocore.validate import ParamValidator

from pagekin.index.folder import read_header
from tests.engines.mock_emr import BUCKET, MockEmr
from tests.running import DEMO, ROOT, Said, default_stages, pagekin, started, wait_until
from tests.small import warned

INVENTORY = ("--until", "captures")
IN_TASKS = ("text", "web", "blocks", "bags", "cocitation", "minhash", "index", "query", "pipeline")


def build(emr: MockEmr, *words: object, package: object = "none") -> Said:
    flags = ("-r", "emr", "-c", emr.conf, "--package", package, "--tasks", "2")
    return pagekin("build", *flags, *words)


@pytest.fixture
def crawl(emr: MockEmr, small_snapshot: Path) -> str:
    """The small snapshot in the mock's S3."""
    return emr.upload(small_snapshot, "crawl")


# --- the whole ---


def test_all_in_s3(emr, crawl, small_snapshot, tmp_path, monkeypatch):
    """Snapshot and workspace in S3, every stage on EMR: the index is that of this machine."""
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path / "cache"))
    here, there = tmp_path / "here", tmp_path / "there"
    said = pagekin("build", "-q", "--work", tmp_path / "work", "--index", here, small_snapshot)
    assert (0, "", warned(small_snapshot)) == said
    said = build(emr, "--work", f"s3://{BUCKET}/work", "--index", there, crawl)
    assert 0 == said.code, said.err
    assert read_header(here).digest == read_header(there).digest
    jobs = [stage.job.partition(":")[0] for stage in default_stages()]
    assert [(job, "COMPLETED") for job in jobs] == emr.steps()
    # what a build put there for itself is gone, and nothing else
    assert {"crawl", "work"} == {key.partition("/")[0] for key in emr.objects()}
    check_progress(said.err, emr.clusters[0].id, len(jobs))
    check_cluster(emr.clusters)


def check_progress(said: str, cluster: str, steps: int) -> None:
    """Progress names the cluster, its state, and the states of steps."""
    assert f"         cluster {cluster}: made, " in said
    assert steps == said.count("         step: COMPLETED\n")
    assert f"         cluster {cluster}: ended (TERMINATED)\n" in said


def check_cluster(clusters: list[Any]) -> None:
    """There was one, of the shipped configuration: roles, encryption, tags from the beginning."""
    (cluster,) = clusters
    assert ("TERMINATED", "emr-7.10.0") == (cluster.state, cluster.release_label)
    assert ("EMR_DefaultRole_V2", "EMR_EC2_DefaultRole") == (cluster.service_role, cluster.role)
    assert ("subnet-12345678", "pagekin") == (cluster.ec2_subnet_id, cluster.security_configuration)
    assert [3, "MASTER"] == [cluster.instance_count, cluster.instance_groups[0].role]
    # all of the configuration and none of mrjob's, which come when the cluster is there
    tags = {"for-use-with-amazon-emr-managed-policies": "true", "project": "pagekin"}
    assert tags == {tag["Key"]: tag["Value"] for tag in cluster.tags}


def test_one_cluster_for_what_is_left(emr, crawl, tmp_path):
    """A build that goes on makes one cluster for what is left, and none when all is there."""
    words = ("--work", tmp_path / "work", "--only", "cocitation", crawl, "--until")
    assert 0 == build(emr, *words, "inventory").code
    assert 0 == build(emr, *words, "blocks").code
    assert [1, 1] == [len(cluster.steps) for cluster in emr.clusters]
    again = build(emr, *words, "blocks")
    assert (0, ["TERMINATED"] * 2) == (again.code, emr.states())
    assert "cluster j-" not in again.err


# --- when it goes wrong ---


def test_a_step_fails(emr, crawl, bare_python, tmp_path):
    """The message says which stage, step and task, and ends with the task's last lines."""
    emr.python = bare_python  # without the dependencies
    said = build(emr, "--work", tmp_path / "work", crawl)
    cluster = emr.clusters[0]
    assert (6, ["TERMINATED"]) == (said.code, emr.states())
    message = said.err.partition("pagekin: stage inventory failed: ")[2].splitlines()
    assert f"  step {cluster.steps[0].id} (inventory." in "\n".join(message)
    assert any(line.startswith("  task attempt_1_0001_m_00000") for line in message)
    assert "  ModuleNotFoundError: No module named 'mrjob'" == message[-2]
    assert f"  all logs: s3://{BUCKET}/scratch/logs/{cluster.id}/" == message[-1]
    left = {"/".join(key.split("/")[:2]) for key in emr.objects("scratch")}
    assert {"scratch/logs"} == left


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_stopped(emr, crawl, tmp_path, number):
    """A build that is stopped ends its cluster."""
    emr.go.clear()
    flags = ("-r", "emr", "-c", emr.conf, "--package", "none", "--work", tmp_path / "work")
    with started("build", *flags, crawl) as process:
        wait_until(emr.steps)
        process.send_signal(number)
        _, err = process.communicate(timeout=30)
    assert (130, ["TERMINATED"]) == (process.returncode, emr.states())
    assert err.endswith("pagekin: stopped; the same command goes on from here\n")


def test_local_files(emr, tmp_path):
    """Nodes do not see the files of this machine: that is said before a cluster is made."""
    said = build(emr, "--work", tmp_path / "work", DEMO)
    assert (2, []) == (said.code, emr.clusters)
    assert "is on this machine, which nodes of EMR do not see; copy it to s3://" in said.err


# --- before anything is made ---


def segment(folder: Path) -> tuple[object, ...]:
    """Three files of a crawl, as a list names them."""
    path = folder / "warc.paths"
    path.write_text("".join(f"crawl-data/{k}.warc.gz\n" for k in range(3)))
    return ("--base-url", "s3://commoncrawl/", path)


def nowhere() -> dict[str, str]:
    """An environment in which whatever asks AWS fails."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        endpoint = f"http://127.0.0.1:{server.getsockname()[1]}"
    keys = {"AWS_ACCESS_KEY_ID": "test", "AWS_SECRET_ACCESS_KEY": "test"}
    return {**os.environ, "AWS_ENDPOINT_URL": endpoint, **keys}


def dry(folder: Path, size: str, *words: object) -> Said:
    flags = ("-r", "emr", "-c", edited(folder, size), "--package", "none", "--dry-run", *words)
    places = ("--work", folder / "work", "--index", folder / "index")
    return pagekin("build", *flags, *places, *segment(folder), env=nowhere())


@pytest.fixture(scope="module")
def plans(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What dry runs say of the two clusters."""
    said = {size: dry(tmp_path_factory.mktemp(size), size, "--json") for size in ("small", "large")}
    assert [0, 0] == [s.code for s in said.values()], said
    return {size: json.loads(s.out)["emr"] for size, s in said.items()}


@pytest.mark.parametrize("size", ["small", "large"])
def test_dry_run(plans, size):
    """A dry run shows cluster and steps as they would be submitted, and asks AWS nothing."""
    emr = plans[size]
    cluster = emr["cluster"]
    assert ("us-east-1", "emr-7.10.0") == (emr["region"], cluster["ReleaseLabel"])
    assert {"IdleTimeout": 3600} == cluster["AutoTerminationPolicy"]
    assert "for-use-with-amazon-emr-managed-policies" in {t["Key"] for t in cluster["Tags"]}
    assert ["master"] == [action["Name"] for action in cluster["BootstrapActions"]]
    assert "  python3.11 --version || sudo dnf install -y python3.11" in emr["bootstrap"]
    stages = [step["stage"] for step in emr["steps"]]
    passes = ["inventory.captures.sample.stop_words", "reading.fragments.blocks.links.shingles"]
    assert [*passes, *(stage.name for stage in default_stages()[2:])] == stages
    words = emr["steps"][1]["HadoopJarStep"]["Args"]
    assert "hadoop-streaming" == words[0]
    assert 3 == words.count("-input")  # a task for each file of a list
    mapper = words[words.index("-mapper") + 1]
    assert " python3.11 reading.py --step-num=0 --mapper " in f" {mapper}"
    assert " --resolution resolution.arrays" in mapper


@pytest.mark.parametrize("size", ["small", "large"])
def test_aws_would_take_it(plans, size):
    """Names and kinds of all parameters are those of AWS's own description of its interface."""
    service = botocore.session.get_session().get_service_model("emr")
    plan = plans[size]
    of_ours = {"stage", "rounds"}
    steps = [{k: v for k, v in step.items() if k not in of_ours} for step in plan["steps"]]
    for action, parameters in (
        ("RunJobFlow", plan["cluster"]),
        ("AddJobFlowSteps", {"JobFlowId": "j-1", "Steps": steps}),
    ):
        shape = service.operation_model(action).input_shape
        report = ParamValidator().validate(parameters, shape)
        assert "" == report.generate_report()


def test_spot_and_on_demand(plans):
    """The large cluster is a fleet: machines that hold data are paid on demand, others are spot."""
    cluster = plans["large"]["cluster"]
    fleets = {fleet["InstanceFleetType"]: fleet for fleet in cluster["Instances"]["InstanceFleets"]}
    assert {"MASTER", "CORE", "TASK"} == fleets.keys()
    assert (
        fleets["CORE"]["TargetOnDemandCapacity"] > 0 == fleets["CORE"].get("TargetSpotCapacity", 0)
    )
    assert fleets["TASK"]["TargetSpotCapacity"] > 0
    assert len(fleets["TASK"]["InstanceTypeConfigs"]) >= 5
    assert "InstanceGroups" not in cluster["Instances"]


def test_dry_run_for_people(tmp_path):
    """The plan can be read: one cluster, what nodes begin with, and each step by its options."""
    said = dry(tmp_path, "small", "--only", "cocitation")
    assert 0 == said.code, said.err
    lines = said.out.splitlines()
    assert "one cluster in us-east-1 for all steps, ended with the build:" in lines
    assert '    "ServiceRole": "EMR_DefaultRole_V2",' in lines
    assert any(
        line.startswith("step 1 of 4, stage inventory.captures: inventory.") for line in lines
    )
    assert "  -reducer /bin/sh -x setup-wrapper.sh" not in lines  # no setup, no wrapper
    reducer = "  -reducer python3.11 inventory.py --step-num=0 --reducer --outputs "
    assert any(line.startswith(reducer) for line in lines)
    assert not (tmp_path / "work").exists()


def test_dry_run_without_keys(tmp_path):
    """Without AWS credentials, and with the configuration as it is shipped, a dry run shows the
    same cluster and steps, and says all that is to be set and what it could not ask for."""
    flags = ("-r", "emr", "-c", ROOT / "emr" / "small.conf", "--dry-run", "--only", "cocitation")
    places = ("--work", "s3://bucket/w", "--index", "s3://bucket/i")
    words = ("build", *flags, *places, *segment(tmp_path), "s3://bucket/crawl/")
    alone = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "AWS_EC2_METADATA_DISABLED": "true"}
    said = pagekin(*words, "--json", env=alone)
    assert 0 == said.code, said.err
    plan = json.loads(said.out)
    assert {"files": 4, "bytes": 0, "files_of_unknown_size": 4} == plan["snapshot"]
    stages = ["inventory.captures", "reading.blocks", "pairs", "related"]
    assert stages == [step["stage"] for step in plan["emr"]["steps"]]
    assert "subnet-CHANGE-ME" in json.dumps(plan["emr"]["cluster"])
    to_be_set, *unasked = plan["notes"]
    assert "there are no AWS credentials; set AWS_PROFILE" in to_be_set
    named = "cloud_tmp_dir, subnet, extra_cluster_params.SecurityConfiguration"
    assert f"CHANGE-ME still stands in {named}; edit emr/base.conf" in to_be_set
    assert [
        "S3 was not asked what is at s3://bucket/crawl/: each stands for one file",
        "S3 was not asked what is at s3://bucket/w, s3://bucket/i: nothing counts as built",
    ] == unasked


def test_dry_run_tells_sizes(emr, crawl, small_snapshot, tmp_path):
    """With credentials the files are counted, with their bytes; those of a list are of unknown
    size, and that is said."""
    words = ("--dry-run", "--until", "captures", "--work", f"s3://{BUCKET}/w")
    listed = segment(tmp_path)
    sizes = [path.stat().st_size for path in small_snapshot.iterdir()]
    known = f"{len(sizes)} files, {sum(sizes):,} bytes"
    assert build(emr, *words, crawl).out.startswith(f"{known}, on -r emr")
    both = build(emr, *words, *listed, crawl).out
    assert both.startswith(f"{len(sizes) + 3} files, {sum(sizes):,} bytes and 3 of unknown size")
    assert build(emr, *words, *listed).out.startswith("3 files of unknown size, on -r emr")


def test_a_map_without_reduce(plans):
    """The number of reducers in the configuration makes no reducers where a job has none."""
    (step,) = [step for step in plans["small"]["steps"] if step["stage"] == "weighted_bags"]
    words = step["HadoopJarStep"]["Args"]
    assert (
        "mapreduce.job.reduces=0" == [w for w in words if w.startswith("mapreduce.job.reduces")][-1]
    )


def edited(folder: Path, size: str) -> Path:
    """The shipped configuration with what everybody has to edit."""
    path = folder / "edited.conf"
    path.write_text(
        f"include: {ROOT}/emr/{size}.conf\n"
        "runners:\n  emr:\n    cloud_tmp_dir: s3://bucket/tmp/\n    subnet: subnet-1\n"
        "    extra_cluster_params: {SecurityConfiguration: encrypted}\n"
    )
    return path


def test_the_shipped_configuration_unedited(tmp_path):
    """It is refused in a sentence that names what is to be edited."""
    flags = ("-r", "emr", "-c", ROOT / "emr" / "small.conf", "--work", tmp_path / "work")
    said = pagekin("build", *flags, *segment(tmp_path), env=nowhere())
    named = "cloud_tmp_dir, subnet, extra_cluster_params.SecurityConfiguration"
    assert (2, f"pagekin: -r emr: CHANGE-ME still stands in {named}; edit emr/base.conf\n") == (
        said.code,
        said.err,
    )
    assert not (tmp_path / "work").exists()


# --- nodes that have nothing ---


def test_package(emr, small_snapshot, archive, bare_python, tmp_path):
    """With the archive, nodes that have Python and nothing else do the work."""
    emr.python, crawl = bare_python, emr.upload(small_snapshot, "crawl")
    words = ("--quiet", "--work", tmp_path / "work", *INVENTORY, crawl)
    named, _ = warned(small_snapshot, crawl.rstrip("/")).splitlines(keepends=True)
    assert (0, "", named) == build(emr, *words, package=archive)
    assert [("inventory", "COMPLETED")] == emr.steps()


def test_nothing_is_missing_in_the_package(archive, bare_python, tmp_path):
    """Everything that a task may import is in the archive, and nothing else is needed."""
    with tarfile.open(archive) as tar:
        tar.extractall(tmp_path, filter="data")
    lib = ROOT / "lib"
    modules = [path for part in IN_TASKS for path in (lib / "pagekin" / part).rglob("*.py")]
    names = [".".join(path.relative_to(lib).with_suffix("").parts) for path in modules]
    names += [f"pagekin.jobs.{path.stem}" for path in (ROOT / "jobs").glob("*.py")]
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n"
    code += "".join(f"import {name.removesuffix('.__init__')}\n" for name in names)
    code += "print(sys.modules['pagekin'].__file__)"
    words = [bare_python, "-S", "-I", "-B", "-W", "ignore", "-c", code]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (0, f"{tmp_path}/pagekin/__init__.py\n", "") == (
        done.returncode,
        done.stdout,
        done.stderr,
    )
