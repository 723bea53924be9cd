"""Engines that are not here: said before a build begins, with what to do about it."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from pagekin.engine import requirements as engines
from pagekin.engine.requirements import missing_engine

CONFIGURATION = """
runners:
  {runner}:
    {key}: {value}
"""


@pytest.fixture(autouse=True)
def _bare_machine(tmp_path, monkeypatch):
    """No engine is installed, no credentials and no configuration are there."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.setenv("MRJOB_CONF", str(tmp_path / "none.conf"))
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("HADOOP_HOME", "HADOOP_PREFIX", "HADOOP_INSTALL", "SPARK_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("JAVA_HOME", raising=False)
    for name in ("PROFILE", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def configuration(folder: Path, runner: str, key: str, value: object) -> Path:
    path = folder / "mrjob.conf"
    path.write_text(CONFIGURATION.format(runner=runner, key=key, value=value))
    return path


@pytest.fixture
def pyspark(tmp_path, monkeypatch):
    """A package of the name, of which nothing is needed but that it is there."""
    (tmp_path / "lib" / "pyspark").mkdir(parents=True)
    (tmp_path / "lib" / "pyspark" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path / "lib")
    monkeypatch.setattr("mrjob.bin.pyspark", None)  # the real one, where it is installed
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "java"))


@pytest.mark.parametrize("runner", ["inline", "local"])
def test_on_this_machine(runner):
    """Nothing has to be there."""
    assert "" == missing_engine(runner, None)


@pytest.mark.parametrize(
    ("runner", "expected"),
    [
        ("hadoop", "-r hadoop: there is no program hadoop; install a Hadoop client and set HADOOP"),
        ("emr", "-r emr: there are no AWS credentials; set AWS_PROFILE, or AWS_ACCESS_KEY_ID and"),
    ],
)
def test_nothing_there(runner, expected, capfd):
    """One sentence says what is missing and what to do; mrjob keeps silent."""
    assert missing_engine(runner, None).startswith(expected)
    assert ("", "") == capfd.readouterr()


def test_no_pyspark(monkeypatch):
    """The driver of Spark is Python and runs here, too."""
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    assert missing_engine("spark", None).startswith("-r spark: there is no Python package pyspark;")


@pytest.mark.parametrize(
    ("variable", "below"),
    [("HADOOP_HOME", "bin"), ("HADOOP_PREFIX", "bin"), ("PATH", "")],
)
def test_hadoop(tmp_path, monkeypatch, variable, below):
    """Hadoop is found where mrjob looks for it."""
    program(tmp_path / "here" / below / "hadoop")
    monkeypatch.setenv(variable, str(tmp_path / "here"))
    assert "" == missing_engine("hadoop", None)


@pytest.mark.usefixtures("pyspark")
def test_spark(tmp_path, monkeypatch):
    """So is Spark."""
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    submit = program(tmp_path / "spark" / "bin" / "spark-submit")
    assert "" == missing_engine("spark", None)
    submit.unlink()
    if not Path("/usr/lib/spark").exists():
        assert missing_engine("spark", None).startswith(
            "-r spark: there is no program spark-submit; install Spark and set SPARK_HOME"
        )


@pytest.mark.usefixtures("pyspark")
def test_no_java(tmp_path, monkeypatch):
    """Spark without Java is none."""
    monkeypatch.delenv("JAVA_HOME")
    monkeypatch.setenv("SPARK_HOME", str(tmp_path / "spark"))
    program(tmp_path / "spark" / "bin" / "spark-submit")
    assert missing_engine("spark", None).startswith("-r spark: there is no program java, which")


@pytest.mark.usefixtures("pyspark")
@pytest.mark.parametrize(
    ("runner", "key"), [("hadoop", "hadoop_bin"), ("spark", "spark_submit_bin")]
)
def test_program_of_the_configuration(tmp_path, runner, key):
    """A program that mrjob's configuration names is taken at its word, and looked for."""
    path = tmp_path / "opt" / "engine"
    conf = configuration(tmp_path, runner, key, path)
    expected = f"-r {runner}: there is no program {path}; "
    assert missing_engine(runner, conf).startswith(expected)
    program(path)
    assert "" == missing_engine(runner, conf)


def test_credentials(tmp_path, monkeypatch):
    """EMR's credentials come from the configuration or from where boto3 finds them."""
    conf = configuration(tmp_path, "emr", "aws_access_key_id", "x")
    assert missing_engine("emr", conf).startswith("-r emr: set cloud_tmp_dir")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "y")
    assert missing_engine("emr", None).startswith("-r emr: set cloud_tmp_dir")


def test_profile_that_is_not_there(monkeypatch):
    """What boto3 finds wrong is said in its words."""
    monkeypatch.setenv("AWS_PROFILE", "nobody")
    assert missing_engine("emr", None).startswith(
        "-r emr: The config profile (nobody) could not be found"
    )


def test_broken_configuration(tmp_path):
    """A configuration that mrjob cannot read is no traceback."""
    (tmp_path / "mrjob.conf").write_text("runners: [")
    said = missing_engine("hadoop", tmp_path / "mrjob.conf")
    assert said.startswith("-r hadoop: mrjob cannot be set up: ")
