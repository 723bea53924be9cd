"""The settings of a cluster: Hadoop's files of properties, the program `hadoop`, an mrjob.conf.

Everything is small and quick rather than wide: heaps of 256 MB, one compiler, hearts that beat ten
times a second, nodes that are given up after ten seconds. Memory is really limited, as on a real
cluster: a container that takes more than it asked for is killed.

Two servers listen on all addresses and cannot be told otherwise: the shuffle of a node and the
master of an application. Both want the secret of a job before they say anything.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.sax.saxutils import escape

from hadoop_local.places import PROJECT, Home, java

__all__ = ["JAVA_FLAGS", "PORTS", "write_settings"]

HOST = "127.0.0.1"
JAVA_FLAGS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"  # start fast, stay small

# What listens where: places behind the first port of the cluster.
PORTS = (
    *("namenode", "namenode_web", "manager", "scheduler", "tracker", "admin", "manager_web"),
    *("history", "history_web", "history_admin"),
)

_OPENED = (  # what Hadoop reaches into since Java 17
    *("java.lang", "java.lang.reflect", "java.io", "java.net", "java.nio", "java.text"),
    *("java.math", "java.util", "java.util.concurrent", "java.util.zip", "sun.nio.ch"),
    *("sun.security.util", "sun.security.x509"),
)
_TASK_MB = 1024  # of a mapper or reducer: a JVM of 256 MB, and Python
_MASTER_MB = 512

_LOG4J = """\
log4j.rootLogger=INFO,console
log4j.appender.console=org.apache.log4j.ConsoleAppender
log4j.appender.console.target=System.err
log4j.appender.console.layout=org.apache.log4j.PatternLayout
log4j.appender.console.layout.ConversionPattern=%d{yy/MM/dd HH:mm:ss} %p %c{2}: %m%n
# mrjob looks for "No such file" in the first line of stderr, and a warning there would hide it
log4j.logger.org.apache.hadoop.util.NativeCodeLoader=ERROR
log4j.logger.org.apache.hadoop.util.Shell=ERROR
"""


def write_settings(home: Home, jars: Path, first: int, memory: int) -> None:
    """All files, for a cluster whose ports begin at `first`, with nodes of so many MB."""
    port = {name: f"{HOST}:{first + k}" for k, name in enumerate(PORTS)}
    for folder in (home.conf, home.logs, home.data, home.pids, home.hadoop.parent):
        folder.mkdir(parents=True, exist_ok=True)
    _write_xml(home.conf / "core-site.xml", _core(home, port))
    _write_xml(home.conf / "hdfs-site.xml", _hdfs(home, port))
    _write_xml(home.conf / "yarn-site.xml", _yarn(home, jars, port, memory))
    _write_xml(home.conf / "mapred-site.xml", _mapred(home, jars, port))
    _write_xml(home.conf / "capacity-scheduler.xml", _queues())
    (home.conf / "log4j.properties").write_text(_LOG4J, encoding="ascii")
    for daemon in ("hdfs", "datanode"):  # Maven's jar of HDFS has no pages, and asks for them
        page = home.conf / "webapps" / daemon / "WEB-INF" / "web.xml"
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text('<web-app xmlns="http://java.sun.com/xml/ns/javaee" version="2.5"/>\n')
    home.hadoop.write_text(_program(home, jars), encoding="utf-8")
    home.hadoop.chmod(0o755)
    home.mrjob_conf.write_text(_mrjob(home, jars), encoding="utf-8")


def _core(home: Home, port: Mapping[str, str]) -> dict[str, object]:
    return {
        "fs.defaultFS": f"hdfs://{port['namenode']}",
        "hadoop.tmp.dir": home.data / "tmp",
        "hadoop.http.staticuser.user": "hadoop",
        "ipc.client.connect.retry.interval": 250,
    }


def _hdfs(home: Home, port: Mapping[str, str]) -> dict[str, object]:
    return {
        "dfs.replication": 1,
        "dfs.namenode.name.dir": f"file://{home.data}/namenode",
        "dfs.datanode.data.dir": f"file://{home.data}/datanode",
        "dfs.namenode.http-address": port["namenode_web"],
        "dfs.datanode.address": f"{HOST}:0",
        "dfs.datanode.http.address": f"{HOST}:0",
        "dfs.datanode.ipc.address": f"{HOST}:0",
        "dfs.datanode.hostname": HOST,
        "dfs.permissions.enabled": "false",
        "dfs.namenode.safemode.extension": 0,
        "dfs.heartbeat.interval": 1,
        "dfs.blocksize": 32 << 20,
    }


def _yarn(home: Home, jars: Path, port: Mapping[str, str], memory: int) -> dict[str, object]:
    manager, node = "yarn.resourcemanager", "yarn.nodemanager"
    return {
        f"{manager}.hostname": HOST,
        f"{manager}.address": port["manager"],
        f"{manager}.scheduler.address": port["scheduler"],
        f"{manager}.resource-tracker.address": port["tracker"],
        f"{manager}.admin.address": port["admin"],
        f"{manager}.webapp.address": port["manager_web"],
        f"{manager}.nodemanagers.heartbeat-interval-ms": 100,
        f"{manager}.nm.liveness-monitor.expiry-interval-ms": 10_000,
        "yarn.am.liveness-monitor.expiry-interval-ms": 60_000,
        "yarn.nm.liveness-monitor.expiry-interval-ms": 10_000,
        f"{node}.hostname": HOST,
        f"{node}.address": f"{HOST}:0",
        f"{node}.localizer.address": f"{HOST}:0",
        f"{node}.webapp.address": f"{HOST}:0",
        f"{node}.local-dirs": home.data / "node-1",
        f"{node}.log-dirs": home.logs / "userlogs",
        f"{node}.aux-services": "mapreduce_shuffle",
        f"{node}.env-whitelist": "JAVA_HOME,HADOOP_HOME,HADOOP_CONF_DIR,PATH,LANG,LC_ALL,TZ",
        f"{node}.resource.memory-mb": memory,
        f"{node}.resource.cpu-vcores": 8,  # memory decides what fits
        f"{node}.vmem-check-enabled": "false",
        f"{node}.pmem-check-enabled": "true",
        # true leaves it to control groups, also where there are none, and nobody is killed
        f"{node}.resource.memory.enforced": "false",
        f"{node}.container-monitor.interval-ms": 500,
        f"{node}.disk-health-checker.max-disk-utilization-per-disk-percentage": 99.5,
        "yarn.application.classpath": f"{home.conf},{jars}/*",
        "yarn.scheduler.minimum-allocation-mb": 256,
        "yarn.client.application-client-protocol.poll-interval-ms": 100,
        # masters would wait three minutes for a node that is gone
        "yarn.client.nodemanager-connect.max-wait-ms": 5_000,
        "yarn.client.nodemanager-connect.retry-interval-ms": 1_000,
    }


def _mapred(home: Home, jars: Path, port: Mapping[str, str]) -> dict[str, object]:
    job = "yarn.app.mapreduce.am"
    sizes = {f"mapreduce.{kind}.memory.mb": _TASK_MB for kind in ("map", "reduce")}
    heaps = {f"mapreduce.{kind}.java.opts": f"-Xmx256m {JAVA_FLAGS}" for kind in ("map", "reduce")}
    return {
        "mapreduce.framework.name": "yarn",
        "mapreduce.application.classpath": f"{home.conf}:{jars}/*",
        "mapreduce.jobhistory.address": port["history"],
        "mapreduce.jobhistory.webapp.address": port["history_web"],
        "mapreduce.jobhistory.admin.address": port["history_admin"],
        "mapreduce.shuffle.port": 0,
        "mapreduce.reduce.shuffle.connect.timeout": 5_000,
        "mapreduce.reduce.shuffle.fetch.retry.timeout-ms": 5_000,
        "mapreduce.job.ubertask.enable": "false",
        "mapreduce.job.maps": 2,
        "mapreduce.job.reduces": 2,
        "mapreduce.job.reduce.slowstart.completedmaps": 0.9,
        "mapreduce.task.io.sort.mb": 64,
        **sizes,
        **heaps,
        f"{job}.resource.mb": _MASTER_MB,
        f"{job}.command-opts": f"-Xmx256m {JAVA_FLAGS}",
        f"{job}.scheduler.heartbeat.interval-ms": 100,
        f"{job}.job.task.listener.thread-count": 4,
        "mapreduce.client.completion.pollinterval": 200,
        "mapreduce.client.progressmonitor.pollinterval": 500,
        "mapreduce.client.submit.file.replication": 1,
    }


def _queues() -> dict[str, object]:
    root = "yarn.scheduler.capacity"
    return {
        f"{root}.root.queues": "default",
        f"{root}.root.default.capacity": 100,
        f"{root}.maximum-am-resource-percent": 0.5,
        f"{root}.node-locality-delay": 0,  # all data is as near as can be
    }


def _write_xml(path: Path, values: Mapping[str, object]) -> None:
    lines = (
        f"  <property><name>{name}</name><value>{escape(str(value))}</value></property>\n"
        for name, value in values.items()
    )
    text = f"<configuration>\n{''.join(lines)}</configuration>\n"
    path.write_text(text, encoding="utf-8")


def _program(home: Home, jars: Path) -> str:
    """The script `hadoop`: what mrjob and readers of hdfs:// call, and what starts the daemons."""
    opened = " ".join(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPENED)
    # classes that were loaded before come from an archive: half the time of each call
    archive = f"-Xlog:disable -XX:SharedArchiveFile={shlex.quote(str(jars / 'client.jsa'))}"
    classpath = ":".join([*map(str, sorted(jars.glob("*.jar"))), str(home.conf)])
    return f"""\
#!/usr/bin/env bash
# The program `hadoop` of the cluster in this folder; written by scripts/hadoop-local start.
export HADOOP_HOME={shlex.quote(str(home.path))} HADOOP_CONF_DIR={shlex.quote(str(home.conf))}
command=${{1:-}}; shift
case $command in
  version)         class=util.VersionInfo ;;
  fs|dfs)          class=fs.FsShell ;;
  jar)             class=util.RunJar ;;
  distcp)          class=tools.DistCp ;;
  fsck)            class=hdfs.tools.DFSck ;;
  dfsadmin)        class=hdfs.tools.DFSAdmin ;;
  namenode)        class=hdfs.server.namenode.NameNode ;;
  datanode)        class=hdfs.server.datanode.DataNode ;;
  resourcemanager) class=yarn.server.resourcemanager.ResourceManager ;;
  nodemanager)     class=yarn.server.nodemanager.NodeManager ;;
  historyserver)   class=mapreduce.v2.hs.JobHistoryServer ;;
  job)             class=mapred.JobClient ;;
  node)            class=yarn.client.cli.NodeCLI; set -- "$@" ;;
  application)     class=yarn.client.cli.ApplicationCLI; set -- application "$@" ;;
  logs)            class=yarn.client.cli.LogsCLI ;;
  *) echo "hadoop $command: not known here; there are version fs jar fsck dfsadmin job node" \\
       "application logs" >&2; exit 2 ;;
esac
exec {shlex.quote(java())} ${{HADOOP_HEAP:--Xmx256m}} {JAVA_FLAGS} {archive} \\
  {opened} \\
  $HADOOP_OPTS -cp {shlex.quote(classpath)} "org.apache.hadoop.$class" "$@"
"""


def _mrjob(home: Home, jars: Path) -> str:
    """What `pagekin build -r hadoop -c` takes."""
    own = PROJECT / ".venv" / "bin" / "python"
    python = own if os.access(own, os.X_OK) else Path(sys.executable)
    streaming = next(jars.glob("hadoop-streaming-*.jar"))
    return f"""\
# mrjob's configuration for the cluster in this folder; written by scripts/hadoop-local start.
runners:
  hadoop:
    hadoop_bin: ['{home.hadoop}']
    hadoop_streaming_jar: '{streaming}'
    hadoop_tmp_dir: hdfs:///tmp/mrjob
    hadoop_log_dirs: ['{home.logs}']
    python_bin: ['{python}']
    # this Python has mrjob, and unpacking another would cost each task a second
    bootstrap_mrjob: false
"""
