"""Starting, stopping and looking after the processes of a cluster.

A process is known by its number and by when it began, because numbers are used again: what is
stopped is what was started here.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from urllib.request import urlopen

from hadoop_local.places import Home, LocalError
from hadoop_local.settings import HOST, PORTS

__all__ = ["ALWAYS", "add_node", "nodes", "ready", "running", "start", "stop", "wait_until"]

ALWAYS = ("namenode", "datanode", "resourcemanager", "historyserver", "nodemanager-1")
_PATIENCE = 120.0  # seconds, for a machine that does something else too
_GRACE = 15.0  # seconds from SIGTERM to SIGKILL
_LAST = 5  # lines of a log that a failure shows


def start(home: Home, name: str) -> None:
    """Start one daemon, unless it runs."""
    if name in running(home):
        return
    with (home.logs / f"{name}.log").open("ab") as log:
        process = subprocess.Popen(
            [str(home.hadoop), *_words(home, name)],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=home.path,
            start_new_session=True,
        )
    note = f"{process.pid} {_began(process.pid)}\n"
    (home.pids / f"{name}.pid").write_text(note, encoding="ascii")


def _words(home: Home, name: str) -> list[str]:
    kind, _, number = name.partition("-")
    if kind != "nodemanager":
        return [kind]
    return [kind, f"-Dyarn.nodemanager.local-dirs={home.data}/node-{number}"]


def add_node(home: Home) -> str:
    """Start one more NodeManager; gives its name."""
    name = f"nodemanager-{1 + max((int(n.partition('-')[2]) for n in nodes(home)), default=0)}"
    start(home, name)
    return name


def nodes(home: Home) -> list[str]:
    """The NodeManagers that run."""
    return [name for name in running(home) if name.startswith("nodemanager-")]


def running(home: Home) -> dict[str, int]:
    """The daemons that run, and their process numbers."""
    found = {}
    for path in sorted(home.pids.glob("*.pid")):
        pid, began = path.read_text(encoding="ascii").split()
        if _began(int(pid)) == began:
            found[path.stem] = int(pid)
    return found


def _began(pid: int) -> str:
    """When a process began, in ticks since the machine did; empty if there is none."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(") ")[2].split()
    except OSError:
        return ""
    return "" if fields[0] in "ZX" else fields[19]


def format_namenode(home: Home) -> None:
    """Make an empty file system, where there is none."""
    if (home.data / "namenode" / "current" / "VERSION").exists():
        return
    shutil.rmtree(home.data, ignore_errors=True)  # blocks of another file system
    home.data.mkdir()
    words = [str(home.hadoop), "namenode", "-format", "-nonInteractive"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LocalError(f"the file system could not be made:\n{done.stderr[-2000:]}")


def ready(home: Home, first: int, count: int) -> str:
    """What is still missing; empty when HDFS can be written to and so many nodes take tasks."""
    state = _ask(first, "namenode_web", "jmx?qry=Hadoop:service=NameNode,name=FSNamesystemState")
    if not any(bean.get("NumLiveDataNodes") for bean in state.get("beans", [])):
        return "HDFS has no DataNode yet"
    info = _ask(first, "namenode_web", "jmx?qry=Hadoop:service=NameNode,name=NameNodeInfo")
    if any(bean.get("Safemode") for bean in info.get("beans", [])):
        return "HDFS is in safe mode"
    active = active_nodes(first)
    if active < count:
        return f"{active} of {count} NodeManagers are there"
    if not _ask(first, "history_web", "ws/v1/history/info"):
        return "the history server does not answer"
    return ""


def active_nodes(first: int) -> int:
    """How many NodeManagers the ResourceManager believes to be alive."""
    metrics = _ask(first, "manager_web", "ws/v1/cluster/metrics")
    return int(metrics.get("clusterMetrics", {}).get("activeNodes", 0))


def _ask(first: int, server: str, path: str) -> dict:
    try:
        with urlopen(f"http://{HOST}:{first + PORTS.index(server)}/{path}", timeout=5) as answer:
            found: dict = json.load(answer)
            return found
    except (OSError, ValueError):
        return {}


def wait_until(home: Home, missing: Callable[[], str], names: Iterable[str]) -> None:
    """Wait until nothing is missing; LocalError when a daemon ended or it takes too long."""
    began = time.monotonic()
    while problem := missing():
        dead = sorted(set(names) - set(running(home)))
        if dead:
            raise LocalError(f"{dead[0]} ended; the last it said:\n{_last(home, dead[0])}")
        if time.monotonic() - began > _PATIENCE:
            raise LocalError(f"after {_PATIENCE:.0f} s {problem}; see the logs in {home.logs}")
        time.sleep(0.25)


def _last(home: Home, name: str) -> str:
    text = (home.logs / f"{name}.log").read_text(encoding="utf-8", errors="replace")
    return "\n".join(f"  {line}" for line in text.splitlines()[-_LAST:])


def stop(home: Home) -> list[str]:
    """Stop all daemons and what their containers left; gives the names of those that ran."""
    alive = running(home)
    # nodes first: they end their containers, and say goodbye to a manager that is still there
    _end(home, [name for name in alive if name.startswith("nodemanager-")])
    _end(home, [name for name in alive if not name.startswith("nodemanager-")])
    for pid in _orphans(home):
        _signal(pid, signal.SIGKILL)
    for path in home.pids.glob("*.pid"):
        path.unlink()
    return list(alive)


def _end(home: Home, names: Iterable[str]) -> None:
    """Ask these daemons to end, and make them when they do not."""
    for name in names:
        _signal(running(home).get(name, 0), signal.SIGTERM)
    patience = time.monotonic() + _GRACE
    while (left := set(names) & set(running(home))) and time.monotonic() < patience:
        time.sleep(0.05)
    for name in left:
        _signal(running(home).get(name, 0), signal.SIGKILL)


def _signal(pid: int, number: int) -> None:
    if pid:  # 0 would be our own group
        with suppress(ProcessLookupError):
            os.kill(pid, number)


def _orphans(home: Home) -> list[int]:
    """Containers of a node that was killed: they work in its folder."""
    found = []
    for link in Path("/proc").glob("[0-9]*/cwd"):
        with suppress(OSError):
            if link.readlink().is_relative_to(home.data):
                found.append(int(link.parent.name))
    return found
