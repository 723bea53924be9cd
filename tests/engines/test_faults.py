"""What goes wrong on a real cluster: the build ends, and with the same digest."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.engines.clusters import LocalHadoop
from tests.engines.holding import Holder
from tests.running import (
    DEMO,
    INVENTORY,
    NOT_ENRICHED_FLAGS,
    READING,
    Said,
    outputs,
    pagekin,
    record_of,
    started,
    wait_until,
)
from tests.warcs import gz, response

pytestmark = pytest.mark.engines

# a job takes ten seconds on Hadoop; what holds for these stages holds for all
FLAGS = ("--tasks", "2", "--shards", "2", "--cocitation-threshold", "0.3", *NOT_ENRICHED_FLAGS)
BAGS = (*FLAGS, "--only", "bags", "--no-index")
WHOLE = (*FLAGS, "--without", "mirrors")
BOTH = "reading.fragments.blocks"
PATIENCE = 300.0  # seconds for a stage on a busy machine

# A task that is held is not to be overtaken by a duplicate.
ALONE = {"mapreduce.map.speculative": "false", "mapreduce.reduce.speculative": "false"}


@pytest.fixture(scope="module")
def crawl(hadoop: LocalHadoop) -> str:
    """The demo snapshot in HDFS."""
    return hadoop.put(DEMO, "crawl")


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The digest of the index that the local runner makes."""
    base = tmp_path_factory.mktemp("expected")
    words = (*WHOLE, "--json", "--work", base / "work", "--index", base / "index", DEMO)
    said = pagekin("build", *words)
    assert 0 == said.code, said.err
    digest: str = json.loads(said.out)["index"]["digest"]
    return digest


@contextmanager
def held(holder: Holder, kind: str) -> Iterator[Path]:
    """A place where a task is held, which is let go in every case."""
    place = holder.hold(kind)
    try:
        yield place
    finally:
        if place.exists():
            holder.release(place)


@contextmanager
def building(*words: object) -> Iterator[Any]:
    """A build that runs, and that does not outlive a test that failed."""
    with started("build", *words) as build:
        try:
            yield build
        except BaseException:
            os.killpg(build.pid, signal.SIGKILL)
            raise


def wait_for(place: Path, build: Any) -> str:
    """Wait until a task is held there; gives its container."""

    def seen() -> str:
        assert build.poll() is None, build.stderr.read()
        return Holder.container(place)

    wait_until(seen, PATIENCE)
    return Holder.container(place)


def wait_for_stage(work: Path, stage: str, build: Any) -> None:
    def there() -> bool:
        assert build.poll() is None, build.stderr.read()
        return (work / stage / "stage.json").exists()

    wait_until(there, PATIENCE)


def test_killed_one_after_the_other(hadoop, crawl, expected, tmp_path):
    """A mapper's container, a node in the middle of a reduce, a DataNode and the launcher are
    killed, each in its turn: the index is the same, bit for bit."""
    holder = Holder(tmp_path / "holder")
    conf = hadoop.conf(tmp_path / "hadoop.conf", holder.python, **ALONE)
    work, index = tmp_path / "work", tmp_path / "index"
    words = ("-r", "hadoop", "-c", conf, *WHOLE, "--work", work, "--index", index, crawl)
    with (
        held(holder, "mapper") as mapper,
        held(holder, "reducer") as reducer,
        building(*words) as build,
    ):
        # inventory: the container of a mapper that has given a part of its output
        held_in = wait_for(mapper, build)
        hadoop.containers()[held_in].kill()
        holder.release(mapper)
        # and then the node of a reducer, which is held on, as behind a broken network: only
        # another attempt, on the other node, can end the stage
        held_in = wait_for(reducer, build)
        hadoop.kill(hadoop.containers()[held_in].node)
        wait_for_stage(work, INVENTORY, build)
        assert attempts(hadoop, "m", "FAILED|KILLED")
        assert attempts(hadoop, "r", "FAILED|KILLED")
        holder.release(reducer)
        hadoop.verb("start", "--nodes", "2")
        # a later stage: the DataNode is gone while a mapper reads, and comes back
        with held(holder, "mapper") as place:
            wait_for(place, build)
            hadoop.kill("datanode")
            hadoop.verb("start", "--nodes", "2")
        wait_for_stage(work, BOTH, build)
        # and then the launcher, with its process group
        with held(holder, "mapper") as place:
            wait_for(place, build)
            os.killpg(build.pid, signal.SIGKILL)
            build.wait()
    said = pagekin("build", *words, "--json")
    assert 0 == said.code, said.err
    summary = json.loads(said.out)
    assert expected == summary["index"]["digest"]
    kept = [stage["name"] for stage in summary["stages"] if stage["state"] == "kept"]
    assert [INVENTORY, BOTH] == kept[:2]


def attempts(hadoop: LocalHadoop, kind: str, states: str) -> list[str]:
    """Attempts of all jobs that ended so, as the masters noted."""
    pattern = re.compile(rf"(attempt_\d+_\d+_{kind}_\w+) .* to ({states})\b")
    found = set()
    for log in (hadoop.home / "logs" / "userlogs").glob("*/container_*_000001/syslog"):
        found |= {match[1] for match in pattern.finditer(log.read_text(errors="replace"))}
    return sorted(found)


def test_speculative_duplicates(hadoop, crawl, demo_work, tmp_path):
    """Of two attempts of one task that run side by side one counts."""
    holder = Holder(tmp_path / "holder")
    eager = {
        "mapreduce.map.speculative": "true",
        "mapreduce.job.speculative.minimum-allowed-tasks": 10,
        "mapreduce.job.speculative.speculative-cap-running-tasks": 1.0,
        "mapreduce.job.speculative.speculative-cap-total-tasks": 1.0,
        "mapreduce.job.speculative.retry-after-no-speculate": 200,
        "mapreduce.job.speculative.slowtaskthreshold": 0.1,
    }
    conf = hadoop.conf(tmp_path / "hadoop.conf", holder.python, **eager)
    words = ("-r", "hadoop", "-c", conf, "--tasks", "4", "--work", tmp_path / "work")
    with (
        held(holder, "mapper") as place,
        building(*words, "--until", "inventory", *BAGS, crawl) as build,
    ):
        wait_for(place, build)  # it goes on when the build ends: another has to do its work
        assert 0 == build.wait(PATIENCE), build.stderr.read()
    ours, theirs = (record_of(w, INVENTORY)["result"] for w in (tmp_path / "work", demo_work))
    assert theirs["counters"] == ours["counters"]
    assert theirs["records"] == ours["records"]
    assert [name for name in attempts(hadoop, "m", "KILLED") if name.endswith("_0")]


def test_missing_and_corrupt(hadoop, tmp_path):
    """A WARC that is not there and one that is no WARC are counted, on Hadoop as on this machine,
    and what is left gives the same records and the same index."""
    here = tmp_path / "crawl"
    here.mkdir()
    (here / "good.warc.gz").write_bytes((DEMO / "crawl-00000.warc.gz").read_bytes())
    whole = gz(response("http://a.example/", b"<p>one page that is whole"))
    (here / "torn.warc.gz").write_bytes(whole + (DEMO / "crawl-00001.warc.gz").read_bytes()[:9_999])
    (here / "corrupt.warc.gz").write_bytes(bytes(range(256)) * 20)
    there = hadoop.put(here, "torn")
    names = ("good", "torn", "corrupt", "missing")
    made, digests = {}, set()
    for runner, root in (("local", here), ("hadoop", there)):
        paths = tmp_path / f"{runner}.paths"
        # of its own files this machine knows that one is missing, before it begins
        listed = names if runner == "hadoop" else names[:-1]
        paths.write_text("".join(f"{root}/{name}.warc.gz\n" for name in listed))
        words = ["-r", runner, *FLAGS, "--only", "bags", "--work", tmp_path / runner]
        words += ["--max-failed-files", "2", "--index", tmp_path / f"{runner}.index"]
        if runner == "hadoop":
            words += ["-c", hadoop.conf(tmp_path / "hadoop.conf")]
        said = pagekin("build", *words, "--json", paths)
        assert 0 == said.code, said.err
        made[runner] = outputs(tmp_path / runner)
        digests.add(json.loads(said.out)["index"]["digest"])
    assert 1 == len(digests)
    files = {runner: made[runner][READING]["counters"].pop("files") for runner in made}
    assert {"read": 2, "failed": 1} == files["local"]
    assert {"read": 2, "failed": 2} == files["hadoop"]
    words = ("-r", "hadoop", "-c", tmp_path / "hadoop.conf", *BAGS)
    failed = pagekin("build", *words, "--work", tmp_path / "hadoop", tmp_path / "hadoop.paths")
    assert 6 == failed.code
    assert (
        "2 of 4 files could not be read; with --max-failed-files 2 the build goes on" in failed.err
    )
    assert "missing.warc.gz: `hadoop fs -cat` failed: No such file or directory" in failed.err


# --- what a failure says ---


def failing(*words: object) -> str:
    """What is said of a build that fails in its first stage."""
    said: Said = pagekin("build", "--quiet", "--until", "inventory", "--tasks", "2", *words)
    assert 6 == said.code, said.err
    assert said.err.startswith("pagekin: stage inventory failed: a task failed\n")
    assert "Step 1 of 1" not in said.err
    return said.err


def interpreter(folder: Path, script: str) -> Path:
    """A program in the place of Python on the nodes."""
    path = folder / "python"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


# Runs the job's script with a reader that fails.
BROKEN = """import runpy, sys
sys.path.insert(0, "")
import pagekin.stages.inventory.survey
def survey(*_):
    raise ValueError("too many")
pagekin.stages.inventory.survey.Surveyor.survey = survey
sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""
GREEDY = "x = bytearray(1500 << 20); x[::4096] = bytes(len(x[::4096])); import time; time.sleep(60)"


def test_a_task_that_raises(hadoop, crawl, tmp_path):
    """The stage, the task, the WARC and the task's own traceback, and not an exit code."""
    (tmp_path / "broken.py").write_text(BROKEN)
    python = interpreter(tmp_path, f'exec {sys.executable} {tmp_path}/broken.py "$@"')
    conf = hadoop.conf(tmp_path / "hadoop.conf", python, **{"mapreduce.map.maxattempts": 1})
    error = failing("-r", "hadoop", "-c", conf, "--work", tmp_path / "work", crawl)
    assert re.search(r"map task \d, tried 1 time; the last was attempt_\d+_\d+_m_", error)
    assert re.search(rf"it was reading {crawl}/crawl-0000\d\.warc\.gz", error)
    assert "    ValueError: too many\n" in error
    assert re.search(r"in a mapper of Inventory, at hdfs://\S+/crawl-0000\d\.warc\.gz", error)
    assert re.search(r"all of its logs: /\S+/container_\w+", error)


def test_a_task_that_takes_too_much_memory(hadoop, crawl, tmp_path):
    """What YARN says of the limit, and what the task was reading when it was killed."""
    script = f"echo reading hdfs:///large.warc.gz >&2\nexec {sys.executable} -c '{GREEDY}'"
    python = interpreter(tmp_path, script)
    conf = hadoop.conf(tmp_path / "hadoop.conf", python, **{"mapreduce.map.maxattempts": 1})
    error = failing("-r", "hadoop", "-c", conf, "--work", tmp_path / "work", crawl)
    assert re.search(r"YARN says: .*beyond the 'PHYSICAL' memory limit", error)
    assert "it was reading hdfs:///large.warc.gz" in error
