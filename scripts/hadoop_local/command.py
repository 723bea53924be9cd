"""The command line of `scripts/hadoop-local`."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hadoop_local import daemons
from hadoop_local.fetching import fetch, locked
from hadoop_local.places import Home, LocalError, java, library
from hadoop_local.settings import HOST, JAVA_FLAGS, PORTS, write_settings

__all__ = ["main"]

_DESCRIPTION = """\
A real Hadoop on this machine: HDFS, YARN and MapReduce with streaming, on 127.0.0.1. For tests, and
to try `pagekin build -r hadoop` without a cluster. It needs Java and, the first time, Maven.

  start         start it, and fetch Hadoop first if it is not there (95 MB, once); start --nodes 2
                has two NodeManagers, start --help names the rest
  stop          stop all of it; what lies in HDFS stays
  status        which daemons run, and where to look at them; exit code 4 if not all of them do
  add-node      start one more NodeManager, as on a cluster of several machines
  hadoop ...    the program `hadoop` for it: fs, jar, fsck, dfsadmin, job, node,
                application, logs, version
  conf          print the path of an mrjob.conf for it
  fetch         only fetch Hadoop
  remove        stop it, and remove its data, logs and settings (the jars stay)
"""

_EPILOG = """\
examples:
  scripts/hadoop-local start
  pagekin build -r hadoop -c $(scripts/hadoop-local conf) --work work --index an.index crawl/
  scripts/hadoop-local hadoop fs -put crawl/ hdfs:///crawl
  pagekin build -r hadoop -c $(scripts/hadoop-local conf) --work work hdfs:///crawl/
  scripts/hadoop-local stop

Jars lie in $XDG_CACHE_HOME/pagekin (or ~/.cache/pagekin), and so does the cluster unless --home
says otherwise; two homes are two clusters. Ports are ten in a row from --port, or else the first
ten that are free. Containers are killed when they take more memory than they asked for. The shuffle
of a node and the master of a running job listen on all addresses of this machine, which Hadoop does
not let us change; both want the job's secret.

exit codes: 0 done; 1 it failed, and the sentence says why; 2 wrong words; 3 Java or Maven is
missing; 4 (status, hadoop, add-node, conf) it does not run
"""

_FIRST_PORT = 19700
_NOT_RUNNING = 4


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line; gives the exit code."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # `| head` had enough
    options = _parser().parse_args(argv)
    try:
        return _DO[options.verb](Home.of(options.home), options)
    except LocalError as error:
        print(f"hadoop-local: {error}", file=sys.stderr)
        return error.code
    except KeyboardInterrupt:
        print("hadoop-local: stopped", file=sys.stderr)
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="hadoop-local",
        usage="scripts/hadoop-local [--home DIR] VERB [options]",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument(
        "--home", metavar="DIR", help="the folder of the cluster (or $PAGEKIN_HADOOP_HOME)"
    )
    verbs = parser.add_subparsers(dest="verb", metavar="VERB", required=True, help="see above")
    made = {verb: verbs.add_parser(verb, allow_abbrev=False) for verb in _DO}
    add = made["start"].add_argument
    add("--port", type=int, metavar="N", help=f"the first of ten ports (default: {_FIRST_PORT})")
    add("--nodes", type=int, default=1, metavar="N", help="NodeManagers (default: 1)")
    add("--memory", type=int, default=3072, metavar="MB", help="of a node (default: 3072)")
    made["hadoop"].add_argument("words", nargs=argparse.REMAINDER, metavar="...")
    return parser


def _start(home: Home, options: argparse.Namespace) -> int:
    began = time.monotonic()
    java()
    jars = fetch()
    home.path.mkdir(parents=True, exist_ok=True)
    with locked(home.path / ".lock"):
        if not daemons.running(home):
            first = options.port or _free_ports(_known_port(home) or _FIRST_PORT)
            write_settings(home, jars, first, options.memory)
            (home.path / "port").write_text(f"{first}\n", encoding="ascii")
            _archive_classes(home, jars)
            daemons.format_namenode(home)
        names = {*daemons.ALWAYS, *(f"nodemanager-{k}" for k in range(1, options.nodes + 1))}
        for name in sorted(names):
            daemons.start(home, name)
        _wait(home, names)
    print(f"up after {time.monotonic() - began:.0f} s; see `hadoop-local status`", file=sys.stderr)
    return 0


def _wait(home: Home, names: set[str]) -> None:
    count, first = len(daemons.nodes(home)), _known_port(home)
    daemons.wait_until(home, lambda: daemons.ready(home, first, count), names)


def _known_port(home: Home) -> int:
    path = home.path / "port"
    return int(path.read_text(encoding="ascii")) if path.exists() else 0


def _free_ports(first: int) -> int:
    """The first of ten free ports in a row, from `first` on."""
    for start in range(first, 1 << 15, len(PORTS)):
        if all(map(_is_free, range(start, start + len(PORTS)))):
            return start
    raise LocalError(f"no ten free ports in a row are found from {first} on; name others (--port)")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as Java does
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
    return True


def _archive_classes(home: Home, jars: Path) -> None:
    """Note which classes a call loads; without it all works, and each call takes twice as long."""
    made = jars / "client.jsa"
    stamp, java_now = jars / "client.java", str(Path(java()).resolve())
    if made.exists() and stamp.exists() and stamp.read_text(encoding="utf-8") == java_now:
        return
    beside = jars / f".client.{os.getpid()}.jsa"
    classpath = ":".join(map(str, sorted(jars.glob("*.jar"))))
    words = [java(), *JAVA_FLAGS.split(), "-Xlog:disable", f"-XX:ArchiveClassesAtExit={beside}"]
    words += ["-cp", classpath, "org.apache.hadoop.fs.FsShell", "-ls", home.path.as_uri()]
    subprocess.run(words, capture_output=True, check=False)
    if beside.exists():
        beside.replace(made)
        stamp.write_text(java_now, encoding="utf-8")


def _stop(home: Home, options: argparse.Namespace) -> int:
    stopped = daemons.stop(home)
    print(f"stopped {len(stopped)} daemons" if stopped else "nothing ran", file=sys.stderr)
    return 0


def _status(home: Home, options: argparse.Namespace) -> int:
    alive, first = daemons.running(home), _known_port(home)
    for name in dict.fromkeys((*daemons.ALWAYS, *alive)):
        print(f"{name:16} {'running, process ' + str(alive[name]) if name in alive else 'stopped'}")
    problem = daemons.ready(home, first, len(daemons.nodes(home))) if alive else "it does not run"
    print(f"{'state':16} {problem or 'ready'}")
    if alive:
        print(f"{'HDFS':16} hdfs://{HOST}:{first}, http://{HOST}:{first + 1}")
        print(f"{'YARN':16} http://{HOST}:{first + PORTS.index('manager_web')}")
    print(f"{'home':16} {home.path}\n{'jars':16} {library()}")
    whole = not problem and set(daemons.ALWAYS) <= set(alive)
    return 0 if whole else _NOT_RUNNING


def _add_node(home: Home, options: argparse.Namespace) -> int:
    _must_run(home)
    with locked(home.path / ".lock"):
        name = daemons.add_node(home)
        _wait(home, {name})
    print(name)
    return 0


def _hadoop(home: Home, options: argparse.Namespace) -> int:
    if not home.hadoop.exists():
        raise LocalError("there is no cluster yet; begin with `hadoop-local start`", _NOT_RUNNING)
    sys.stdout.flush()
    os.execv(home.hadoop, [str(home.hadoop), *options.words])


def _conf(home: Home, options: argparse.Namespace) -> int:
    _must_run(home)
    print(home.mrjob_conf)
    return 0


def _must_run(home: Home) -> None:
    if not daemons.running(home):
        raise LocalError("it does not run; begin with `hadoop-local start`", _NOT_RUNNING)


def _fetch(home: Home, options: argparse.Namespace) -> int:
    print(fetch())
    return 0


def _remove(home: Home, options: argparse.Namespace) -> int:
    _stop(home, options)
    if home.hadoop.exists():  # it is a cluster, and no other folder
        shutil.rmtree(home.path)
    return 0


_DO = {
    "start": _start,
    "stop": _stop,
    "status": _status,
    "add-node": _add_node,
    "hadoop": _hadoop,
    "conf": _conf,
    "fetch": _fetch,
    "remove": _remove,
}
