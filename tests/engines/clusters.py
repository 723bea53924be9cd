"""The real engines for tests: a Hadoop of this machine with two NodeManagers, and Spark.

Where what they need is not installed, one sentence says what is not tested and how to get it; where
CI=true is set, that is a failure.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest
import yaml

from tests.running import ROOT

__all__ = ["NOT_TESTED", "Container", "LocalHadoop", "local_hadoop", "need", "spark_conf"]

NOT_TESTED: dict[str, str] = {}
"""What was skipped here, and how to get it; the end of the run says so."""

_HOW = {
    "java": "a JDK or JRE 17 (Debian: openjdk-17-jre-headless)",
    "mvn": "Maven (Debian: maven)",
    "pyspark": "pyspark (make setup)",
}
_PATIENCE = 600  # seconds for a verb: the first start fetches Hadoop

# Java machines that live for seconds: one compiler, one collector.
_QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"


def need(engine: str, *things: str) -> None:
    """Skip the test, or fail in CI, where one of the programs or packages is missing."""
    missing = [thing for thing in things if not (shutil.which(thing) or _package(thing))]
    if not missing:
        return
    how = " and ".join(_HOW[thing] for thing in missing)
    sentence = f"{engine} is not tested: there is no {' and no '.join(missing)}; install {how}"
    if os.environ.get("CI") == "true":
        pytest.fail(sentence)
    NOT_TESTED[engine] = sentence
    pytest.skip(sentence)


def _package(name: str) -> bool:
    return name == "pyspark" and find_spec(name) is not None


class Container(NamedTuple):
    """A task that runs, and all of its processes."""

    name: str
    node: str
    """`nodemanager-1`"""
    pids: list[int]

    def kill(self) -> None:
        for pid in self.pids:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


class LocalHadoop:
    """`scripts/hadoop-local` with a home of its own."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.environment = {**os.environ, "PAGEKIN_HADOOP_HOME": str(home)}

    def verb(self, *words: object) -> str:
        """What a verb of the script prints; it must succeed."""
        command = [sys.executable, ROOT / "scripts" / "hadoop-local", *map(str, words)]
        done = subprocess.run(
            command,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=_PATIENCE,
            check=False,
        )
        assert 0 == done.returncode, done.stdout + done.stderr
        return done.stdout.strip()

    def put(self, folder: Path, name: str) -> str:
        """Copy a folder into HDFS; gives its address."""
        self.verb("hadoop", "fs", "-put", folder, f"/{name}")
        return f"hdfs://127.0.0.1:{(self.home / 'port').read_text().strip()}/{name}"

    def conf(self, path: Path, python: object = sys.executable, **jobconf: object) -> Path:
        """An mrjob.conf for it, with this Python in the tasks."""
        values = {"python_bin": [str(python)], "jobconf": {k: str(v) for k, v in jobconf.items()}}
        base = str(self.home / "mrjob.conf")
        path.write_text(yaml.safe_dump({"include": base, "runners": {"hadoop": values}}))
        return path

    def daemons(self) -> dict[str, int]:
        """The process numbers of all that were started."""
        return {
            path.stem: int(path.read_text().split()[0])
            for path in (self.home / "run").glob("*.pid")
        }

    def kill(self, name: str) -> None:
        """End a daemon as a power failure would."""
        os.kill(self.daemons()[name], signal.SIGKILL)

    def containers(self) -> dict[str, Container]:
        """All containers in which something runs."""
        found: dict[str, Container] = {}
        for link in Path("/proc").glob("[0-9]*/cwd"):
            with suppress(OSError):
                place = link.readlink()
                if place.is_relative_to(self.home / "data") and "container_" in place.name:
                    node = place.relative_to(self.home / "data").parts[0]
                    new = Container(place.name, node.replace("node", "nodemanager"), [])
                    found.setdefault(place.name, new).pids.append(int(link.parent.name))
        return found


@contextmanager
def local_hadoop(home: Path, nodes: int = 2) -> Iterator[LocalHadoop]:
    """A cluster that runs, and of which nothing is left."""
    need("-r hadoop", "java", "mvn")
    cluster = LocalHadoop(home)
    try:
        cluster.verb("start", "--nodes", nodes)
        yield cluster
    finally:
        cluster.verb("stop")


def spark_conf(path: Path, master: str) -> Path:
    """An mrjob.conf for Spark on this machine."""
    need("-r spark", "java", "pyspark")
    values = {
        "spark_master": master,
        "python_bin": [sys.executable],
        "jobconf": {
            "spark.ui.enabled": "false",
            "spark.driver.memory": "512m",
            "spark.driver.extraJavaOptions": _QUICK,
            "spark.executor.extraJavaOptions": _QUICK,
            "mapreduce.job.reduces": "2",
        },
    }
    path.write_text(yaml.safe_dump({"runners": {"spark": values}}))
    return path
