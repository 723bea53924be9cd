"""EMR on this machine: moto's server for its interface and for S3, and a worker for the work.

moto keeps clusters, steps and objects, but never runs a step. The worker takes each step that is
submitted, fetches what it names from the mock S3, really runs it (tests/engines/streaming.py), puts
part files, `_SUCCESS` and logs where EMR puts them, and tells moto how it ended. One step of a
cluster runs at a time; the end of a cluster ends its tasks.
"""

from __future__ import annotations

import gzip
import logging
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from unittest.mock import patch

import boto3
from moto.emr.models import Application, Cluster, emr_backends
from moto.server import ThreadedMotoServer

from tests.engines.streaming import TaskFailedError, parse_step, run_streaming
from tests.running import ROOT

__all__ = ["BUCKET", "MockEmr", "mock_emr"]

BUCKET = "pagekin-test"
REGION = "us-east-1"

_EVERY = 0.05  # seconds between looks at the clusters
_OVER = {"TERMINATING", "TERMINATED", "TERMINATED_WITH_ERRORS"}

# The shipped configuration, with what everybody has to edit, and without waiting.
_CONF = f"""
include: {ROOT}/emr/small.conf
runners:
  emr:
    cloud_tmp_dir: s3://{BUCKET}/scratch/
    subnet: subnet-12345678
    extra_cluster_params:
      SecurityConfiguration: pagekin
    check_cluster_every: 0.1
    cloud_fs_sync_secs: 0
    jobconf:
      mapreduce.job.reduces: '3'
"""


class MockEmr:
    """What tests look at, and turn."""

    def __init__(self, endpoint: str, folder: Path) -> None:
        self.folder = folder
        self.endpoint = endpoint
        self.environment = {
            "AWS_ENDPOINT_URL": endpoint,
            "AWS_ACCESS_KEY_ID": "test",
            "AWS_SECRET_ACCESS_KEY": "test",
            "AWS_DEFAULT_REGION": REGION,
            "AWS_EC2_METADATA_DISABLED": "true",
        }
        self.s3: Any = boto3.client("s3", endpoint_url=endpoint, region_name=REGION, **_KEYS)
        self.s3.create_bucket(Bucket=BUCKET)
        self.conf = folder / "mock.conf"
        self.conf.write_text(_CONF, encoding="utf-8")
        self.go = threading.Event()
        """Cleared: steps wait."""
        self.go.set()
        self.python = sys.executable
        """What `python3.11` is on the nodes."""

    # --- what is there ---

    @property
    def clusters(self) -> list[Any]:
        """Of all accounts and regions, in the order in which they were made."""
        backends = [b for account in list(emr_backends.values()) for b in list(account.values())]
        found = [cluster for backend in backends for cluster in list(backend.clusters.values())]
        return sorted(found, key=lambda cluster: cluster.creation_datetime)

    def states(self) -> list[str]:
        return [cluster.state for cluster in self.clusters]

    def steps(self) -> list[tuple[str, str]]:
        """Job and state of all steps, in their order."""
        every = [step for cluster in self.clusters for step in cluster.steps]
        return [(step.name.partition(".")[0], step.state) for step in every]

    def objects(self, prefix: str = "") -> list[str]:
        pages = self.s3.get_paginator("list_objects_v2").paginate(Bucket=BUCKET, Prefix=prefix)
        return [entry["Key"] for page in pages for entry in page.get("Contents", ())]

    def upload(self, folder: Path, prefix: str) -> str:
        """The files of a folder; gives their address."""
        for path in sorted(folder.iterdir()):
            self.s3.upload_file(str(path), BUCKET, f"{prefix}/{path.name}")
        return f"s3://{BUCKET}/{prefix}/"

    # --- the worker ---

    def work(self, stop: threading.Event) -> None:
        while not stop.wait(_EVERY):
            for cluster in self.clusters:
                waiting = [step for step in cluster.steps if step.state in {"PENDING", "RUNNING"}]
                if cluster.state in _OVER:
                    for step in waiting:
                        step.state = "CANCELLED"
                elif waiting and self.go.is_set():
                    self._run(cluster, waiting[0])

    def _run(self, cluster: Any, step: Any) -> None:
        cluster.state = step.state = "RUNNING"
        step.start()
        folder = self.folder / step.id
        folder.mkdir()
        try:
            self._execute(cluster, step, folder)
            state = "COMPLETED"
        except TaskFailedError as failed:
            state = "FAILED"
            self._log_failure(cluster, step, failed)
        except Exception as error:
            state = "FAILED"
            self._log(cluster, f"steps/{step.id}/stderr.gz", f"{type(error).__name__}: {error}\n")
        if cluster.state in _OVER:
            step.state = "CANCELLED"
        else:
            cluster.state, step.state = "WAITING", state

    def _execute(self, cluster: Any, step: Any, folder: Path) -> None:
        streaming = parse_step(step.args)
        assert not self._below(streaming.output), f"output {streaming.output} already exists"
        (folder / "cache").mkdir()
        fetched = {
            name: self._fetch(uri, folder / "cache" / f"{name}.fetched")
            for name, uri in (streaming.files | streaming.archives).items()
        }
        inputs = [uri for pattern in streaming.inputs for uri in self._matching(pattern)]
        paths = [
            self._fetch(uri, folder / f"input-{number:05d}") for number, uri in enumerate(inputs)
        ]
        parts = run_streaming(
            streaming, paths, fetched, folder, self._nodes(), lambda: cluster.state in _OVER
        )
        for number, part in enumerate(parts):
            self._put(f"{streaming.output}part-{number:05d}", part.read_bytes())
        self._put(f"{streaming.output}_SUCCESS", b"")

    def _nodes(self) -> dict[str, str]:
        """The environment of tasks: a node has python3.11, credentials, and nothing of ours."""
        programs = self.folder / "bin"
        programs.mkdir(exist_ok=True)
        python = programs / "python3.11"
        python.write_text(f'#!/bin/sh\nexec "{self.python}" "$@"\n', encoding="ascii")
        python.chmod(0o755)
        path = f"{programs}:{os.environ['PATH']}"
        return {**self.environment, "PATH": path, "HOME": str(self.folder), "LC_ALL": "C.UTF-8"}

    # --- S3 ---

    def _below(self, uri: str) -> list[str]:
        bucket, _, key = uri.removeprefix("s3://").partition("/")
        assert bucket == BUCKET, uri
        return [f"s3://{BUCKET}/{found}" for found in self.objects(key)]

    def _matching(self, pattern: str) -> list[str]:
        """A file, the files of a folder, or what a pattern means; hidden ones never."""
        start = pattern.partition("*")[0]
        found = [
            uri
            for uri in self._below(start)
            if (fnmatchcase(uri, pattern) or uri.startswith(pattern.rstrip("/") + "/"))
            and uri.rpartition("/")[2][:1] not in {"_", "."}
        ]
        assert found, f"input {pattern} does not exist"
        return found

    def _fetch(self, uri: str, path: Path) -> Path:
        self.s3.download_file(BUCKET, uri.removeprefix(f"s3://{BUCKET}/"), str(path))
        return path

    def _put(self, uri: str, data: bytes) -> None:
        key = uri.removeprefix(f"s3://{BUCKET}/")
        self.s3.put_object(Bucket=BUCKET, Key=key, Body=data)

    # --- logs, where EMR puts them ---

    def _log(self, cluster: Any, name: str, text: str) -> None:
        self._put(f"{cluster.log_uri}{cluster.id}/{name}", gzip.compress(text.encode()))

    def _log_failure(self, cluster: Any, step: Any, failed: TaskFailedError) -> None:
        application = "application_1_0001"
        container = f"containers/{application}/container_1_0001_01_000007"
        self._log(cluster, f"{container}/stderr.gz", failed.stderr)
        self._log(
            cluster,
            f"steps/{step.id}/syslog.gz",
            f"Submitted application {application}\n"
            f"Task Id : {failed.attempt}, Status : FAILED\n"
            "Error: java.lang.RuntimeException: PipeMapRed.waitOutputThreads():"
            " subprocess failed with code 1\n",
        )


_KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}


@contextmanager
def mock_emr(folder: Path) -> Iterator[MockEmr]:
    """The mock, running; its state is gone afterwards."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)  # it tells of every request
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    stop = threading.Event()
    emr = MockEmr(f"http://{host}:{port}", folder)
    worker = threading.Thread(target=emr.work, args=(stop,))
    worker.start()
    try:
        with patch.object(Cluster, "add_applications", _add_applications):
            yield emr
    finally:
        stop.set()
        emr.go.set()
        worker.join()
        server.stop()
        for account in list(emr_backends.values()):
            for backend in list(account.values()):
                backend.reset()


def _add_applications(cluster: Any, applications: list[dict[str, Any]]) -> None:
    """EMR tells the versions of what it installs, and mrjob asks for Hadoop's; moto tells none."""
    for wanted in applications:
        cluster.applications.append(Application(wanted["name"], "3.4.1", [], {}))
