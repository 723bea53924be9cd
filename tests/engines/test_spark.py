"""Spark as it is: without a configuration, from an environment that is not on the PATH."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.engines.clusters import need
from tests.running import DEMO, Said, pagekin

pytestmark = pytest.mark.engines


@pytest.fixture
def machine(tmp_path: Path) -> dict[str, Any]:
    """What a new shell has: no Spark, no environment of Python; and a folder for temporary files.

    JAVA_HOME is kept, for machines where java is not in /usr/bin.
    """
    need("-r spark", "java", "pyspark")
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    kept = {name: os.environ[name] for name in ("HOME", "JAVA_HOME") if name in os.environ}
    return {"env": {**kept, "PATH": "/usr/bin:/bin", "TMPDIR": str(temporary)}}


def build(machine: dict[str, Any], base: Path, *words: object) -> Said:
    command = ("build", "--until", "captures", "--json", "--work", base / "work", *words, DEMO)
    return pagekin(*command, **machine)


def left(machine: dict[str, Any]) -> list[Path]:
    return list(Path(machine["env"]["TMPDIR"]).iterdir())


def test_as_it_is(machine, tmp_path):
    """Tasks run in the interpreter of the build, find the package, and leave nothing behind."""
    said = build(machine, tmp_path, "-r", "spark")
    assert 0 == said.code, said.err
    (stage,) = json.loads(said.out)["stages"]
    (local,) = json.loads(build(machine, tmp_path / "local").out)["stages"]
    assert (local["digest"], local["counters"]) == (stage["digest"], stage["counters"])
    assert [] == left(machine)


def test_failure(machine, tmp_path, bare_python):
    """A stage that fails says why first of all, and leaves nothing behind either."""
    conf = tmp_path / "spark.conf"
    conf.write_text(yaml.safe_dump({"runners": {"spark": {"python_bin": [bare_python]}}}))
    said = build(machine, tmp_path, "-r", "spark", "-c", conf)
    assert 6 == said.code
    assert "ModuleNotFoundError: No module named 'pagekin'" in said.err
    assert "native-hadoop" not in said.err
    assert [] == left(machine)
