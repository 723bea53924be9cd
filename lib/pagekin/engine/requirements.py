"""Is the engine of a runner on this machine? Asked before a build, and as mrjob itself will look.

Where mrjob finds no program it goes on with the bare name, and the first stage would end with
FileNotFoundError. Not asked here: whether a cluster answers, or lets us in.
"""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from pagekin.engine import ON_THIS_MACHINE
from pagekin.engine.job import PagekinJob
from pagekin.engine.run import listening

__all__ = ["hadoop_program", "missing_engine", "offer_hadoop"]

_HADOOP = (
    "install a Hadoop client and set HADOOP_HOME, or PATH, or name its program as hadoop_bin in"
    " mrjob's configuration (-c)"
)
_SPARK = (
    "install Spark and set SPARK_HOME, or PATH, or name its program as spark_submit_bin in mrjob's"
    " configuration (-c)"
)
_PYSPARK = "there is no Python package pyspark; install it here, in the version of your Spark"
_JAVA = "there is no program java, which Spark needs; install Java 17, or set JAVA_HOME"
_EMR = "or aws_access_key_id and aws_secret_access_key in mrjob's configuration (-c)"


def missing_engine(runner: str, conf: Path | None) -> str:
    """A sentence on what is missing and what to do about it; empty if nothing is."""
    if runner in ON_THIS_MACHINE:
        return ""
    with listening(verbose=False):
        try:
            problem = _look[runner](conf)
        except Exception as error:  # whatever mrjob finds wrong with its configuration
            problem = f"mrjob cannot be set up: {type(error).__name__}: {error}"
    return f"-r {runner}: {problem}" if problem else ""


def hadoop_program(conf: Path | None, runner: str = "hadoop") -> list[str]:
    """The `hadoop` command that mrjob would call."""
    with listening(verbose=False), _runner(runner, conf) as made:
        return list(made.fs.hadoop.get_hadoop_bin())


def offer_hadoop(conf: Path | None) -> None:
    """Let readers of hdfs:// on this machine find the `hadoop` that mrjob would call."""
    program = shutil.which(hadoop_program(conf)[0])
    if program and not shutil.which("hadoop"):
        folder = str(Path(program).absolute().parent)
        os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), folder])


def _hadoop(conf: Path | None) -> str:
    with _runner("hadoop", conf) as runner:
        return _program(runner.get_hadoop_bin(), _HADOOP)


def _spark(conf: Path | None) -> str:
    if find_spec("pyspark") is None:  # mrjob imports it here, too
        return _PYSPARK
    with _runner("spark", conf) as runner:
        problem = _program(runner.get_spark_submit_bin(), _SPARK)
    java = os.environ.get("JAVA_HOME") or shutil.which("java")
    return problem or ("" if java else _JAVA)


def _emr(conf: Path | None) -> str:
    # imported here: both take boto3, and so 0.2 s
    from pagekin.engine.emr.runner import conf_problem, options_of  # noqa: PLC0415
    from pagekin.web.s3 import missing_credentials  # noqa: PLC0415

    options = options_of(conf)
    no_keys = "" if options.get("aws_access_key_id") else missing_credentials()
    problems = [f"{no_keys}, {_EMR}" if no_keys else "", conf_problem(options)]
    return ". And ".join(filter(None, problems))


_look = {"hadoop": _hadoop, "spark": _spark, "emr": _emr}


def _runner(name: str, conf: Path | None) -> Any:
    """mrjob's runner, with its configuration read and nothing begun."""
    return PagekinJob(["-r", name, *(["-c", str(conf)] if conf else [])]).make_runner()


def _program(command: list[str], hint: str) -> str:
    return "" if shutil.which(command[0]) else f"there is no program {command[0]}; {hint}"
