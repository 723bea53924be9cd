"""One EMR cluster for a whole chain: made when its first job needs it, ended with the chain.

mrjob starts a cluster for each job unless it is told one, and ends only those. So a build makes
one, names it to every job, and ends it whatever happens: also when a stage fails, or when the build
is stopped by a signal. Of a build that was killed outright nobody is left to end it; that is what
`AutoTerminationPolicy` of the configuration is for, without which no cluster is made.

What mrjob does otherwise, and is put right here:
- It tags a cluster after it was made. The managed policies of version 2 let EMR start machines only
  for a cluster that carries their tag from the beginning.
- It makes roles of its own, with the old policies, and buckets, where none are named. Here they
  must be named.

Nothing here knows boto3: clients are those of mrjob.
"""

from __future__ import annotations

import logging
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mrjob.conf import load_opts_from_mrjob_confs
from mrjob.emr import EMRJobRunner

from pagekin.engine.emr.logs import read_failure
from pagekin.errors import StageError
from pagekin.printing import tell

__all__ = [
    "Cluster",
    "Launcher",
    "conf_problem",
    "options_of",
    "telling_states",
    "unset_options",
]

_NEEDED = {
    "cloud_tmp_dir": "a folder in your bucket",
    "iam_instance_profile": "the instance profile of the nodes",
    "iam_service_role": "the service role of EMR",
    "subnet": "the subnet of the nodes",
}
_PLACEHOLDER = "CHANGE-ME"
_TRIES = 3  # to end a cluster
_PAUSE = 2.0  # seconds between them

_Say = Callable[[str], None]


def options_of(conf: Path | None) -> dict[str, Any]:
    """mrjob's options for EMR, where a file overrides those that it includes."""
    merged: dict[str, Any] = {}
    for _, options in load_opts_from_mrjob_confs("emr", [str(conf)] if conf else None):
        for key, value in options.items():
            both = isinstance(value, dict) and isinstance(merged.get(key), dict)
            merged[key] = {**merged[key], **value} if both else value
    return merged


def conf_problem(options: Mapping[str, Any]) -> str:
    """All that has to be set in mrjob's configuration before money is spent; empty if nothing."""
    problems = []
    if unset := [f"{key} ({_NEEDED[key]})" for key in unset_options(options)]:
        problems.append(f"set {', '.join(unset)} in mrjob's configuration (-c); see emr/base.conf")
    if unedited := list(_unedited(options)):
        problems.append(f"{_PLACEHOLDER} still stands in {', '.join(unedited)}; edit emr/base.conf")
    if "AutoTerminationPolicy" not in options.get("extra_cluster_params", {}):
        problems.append(
            "set AutoTerminationPolicy in extra_cluster_params of mrjob's configuration (-c), so"
            " that a cluster ends whose build was killed; see emr/base.conf"
        )
    return ". And ".join(problems)


def unset_options(options: Mapping[str, Any]) -> list[str]:
    """The options that are needed and not there."""
    return [key for key in _NEEDED if not options.get(key)]


def _unedited(value: Any, name: str = "") -> Iterator[str]:
    """Where placeholders stand, in values however deep: `extra_cluster_params.Name`."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _unedited(inner, f"{name}.{key}" if name else str(key))
    elif isinstance(value, list):
        for number, inner in enumerate(value, 1):
            yield from _unedited(inner, f"{name}[{number}]")
    elif _PLACEHOLDER in str(value):
        yield name


class Launcher(EMRJobRunner):  # type: ignore[misc]
    """mrjob's runner as it makes clusters, with all tags from the beginning."""

    def __init__(self, conf: Path | None) -> None:
        # without a file mrjob looks where it always does
        paths = {"conf_paths": [str(conf)]} if conf else {}
        super().__init__(label="pagekin", **paths)

    def _cluster_kwargs(self, persistent: bool = False) -> dict[str, Any]:
        kwargs: dict[str, Any] = super()._cluster_kwargs(persistent)
        tags = self._opts["tags"]
        kwargs["Tags"] = [{"Key": key, "Value": str(tags[key])} for key in sorted(tags)]
        # mrjob's script for idle clusters comes last; EMR's own policy stands in the configuration
        kwargs["BootstrapActions"] = kwargs["BootstrapActions"][:-1]
        return kwargs

    def _add_tags(self, tags: Mapping[str, str], cluster_id: str) -> None:
        # they are there; and whatever happens now, we know the cluster
        self._cluster_id: str | None = cluster_id

    def _create_cluster(self, persistent: bool = False) -> str:
        with undisturbed():  # from the request on there may be a cluster
            return str(super()._create_cluster(persistent))


class Cluster:
    """The cluster of one chain; nothing is made before `identity` is asked for."""

    def __init__(self, conf: Path | None, say: _Say) -> None:
        self._conf, self._say = conf, say
        self._launcher: Launcher | None = None
        self._ended = False

    @property
    def identity(self) -> str:
        """The cluster's id; makes the cluster if there is none."""
        if self._launcher is None:
            self._launch()
        return self._id

    def end(self) -> None:
        """End the cluster, if one was made; a second signal does not get in between."""
        if self._launcher is None or not self._id or self._ended:
            return
        self._ended = True
        with undisturbed():
            problem = self._terminate()
            with suppress(OSError):  # the terminal may be gone
                if problem:  # also where all else is quiet
                    tell(f"pagekin: {problem}")
                else:
                    self._say(f"cluster {self._id}: ended ({self._state()})")

    def close(self) -> None:
        """End the cluster, and take away what it was started with."""
        if self._launcher is None:
            return
        self.end()
        launcher, self._launcher = self._launcher, None
        launcher._cluster_id = None  # else mrjob would end it again
        launcher.cleanup(["CLOUD_TMP", "LOCAL_TMP"])

    def why_failed(self) -> list[str]:
        """What EMR and the logs say of the step that failed. Ends the cluster: logs come then."""
        if self._launcher is None or not self._id:
            return []
        self.end()
        try:
            return read_failure(self._launcher, self._id, self._say)
        except Exception as error:  # why the stage failed is of more interest
            return [f"the logs of cluster {self._id} cannot be read: {error}"]

    @property
    def _id(self) -> str:
        return (self._launcher and self._launcher.get_cluster_id()) or ""

    def _launch(self) -> None:
        self._launcher = Launcher(self._conf)
        problem = conf_problem(self._launcher._opts)
        if problem:
            raise StageError(f"-r emr: {problem}")
        self._launcher.make_persistent_cluster()
        self._say(f"cluster {self._id}: made, {self._state()}")

    def _terminate(self) -> str:
        """End the cluster; gives what to do where that fails."""
        error: Exception | None = None
        for again in range(_TRIES):
            time.sleep(_PAUSE * again)
            try:
                self._client().terminate_job_flows(JobFlowIds=[self._id])
            except Exception as met:
                error = met
            else:
                return ""
        return (
            f"cluster {self._id} could not be ended ({error}); end it yourself:"
            f" aws emr terminate-clusters --cluster-ids {self._id}"
            f" --region {self._launcher and self._launcher._opts['region']}"
        )

    def _state(self) -> str:
        try:
            described = self._client().describe_cluster(ClusterId=self._id)
        except Exception as error:
            return f"its state is not known: {error}"
        return str(described["Cluster"]["Status"]["State"])

    def _client(self) -> Any:
        if self._launcher is None:
            raise ValueError("no cluster was made")
        return self._launcher.make_emr_client()


@contextmanager
def telling_states(say: _Say) -> Iterator[None]:
    """Pass on what mrjob says of cluster and step while it waits, whenever that changes."""
    log, handler = logging.getLogger("mrjob"), _States(say)
    log.addHandler(handler)
    try:
        yield
    finally:
        log.removeHandler(handler)


class _States(logging.Handler):
    """mrjob repeats a state every half minute, and that of a running step with its time."""

    def __init__(self, say: _Say) -> None:
        super().__init__(logging.INFO)
        self._say_it, self._last = say, ""

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith("mrjob.emr"):
            return
        state = record.getMessage().strip().partition(" for ")[0]
        is_state = state.startswith(("PENDING", "RUNNING", "COMPLETED", "FAILED", "CANCELLED"))
        if is_state and state != self._last:
            self._last = state
            self._say_it(f"step: {state}")


@contextmanager
def undisturbed() -> Iterator[None]:
    """Signals wait until this is done; then the last one takes its effect."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    met: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {n: signal.signal(n, lambda number, frame: met.append(number)) for n in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if met:
        signal.raise_signal(met[-1])
