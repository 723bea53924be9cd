"""mrjob is imported without what takes long, and works all the same."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

_TELL = """
import json, os, sys
import pagekin.engine.run
from pagekin.engine.lean_mrjob import import_runners
import_runners()
import mrjob.bin, mrjob.conf, mrjob.parse, mrjob.py2, mrjob.util
from mrjob.compat import version_gte
names = [name for name in sys.modules if name.partition(".")[0] in ("setuptools", "distutils")]
print(json.dumps({
    "loaded": sorted(names),
    "py4j": "py4j" in sys.modules,
    "pyspark": getattr(mrjob.bin.pyspark, "__file__", None),
    "sh": mrjob.util.find_executable("sh") if hasattr(mrjob.util, "find_executable") else None,
    "newer": version_gte("2.10", "2.9"),
    "late": [name for name in ("yaml", "http.client") if name in sys.modules],
    "yaml": mrjob.conf.yaml.safe_load("a: [1]"),
    "uri": mrjob.parse.to_uri("/a b"),
    "urlopen": mrjob.py2.urlopen("data:,read").read().decode(),
    "finders": any("distutils" in repr(finder) for finder in sys.meta_path),
    "threads": os.environ["OPENBLAS_NUM_THREADS"],
}))
"""


def told(**environment: str) -> dict[str, object]:
    said = subprocess.run(
        [sys.executable, "-c", _TELL],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "" == said.stderr
    return json.loads(said.stdout)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="there is one distutils only")
def test_what_is_loaded():
    """Neither setuptools nor pyspark, which mrjob still finds; others find theirs as before."""
    found = told()
    assert ([], False) == (found["loaded"], found["py4j"])
    assert found["pyspark"] is None or found["pyspark"].endswith("__init__.py")
    assert found["newer"]
    assert str(found["sh"]).endswith("/sh")
    expected = [sys.executable, "-c", "import sys; print('_distutils_hack' in repr(sys.meta_path))"]
    plain = subprocess.run(expected, capture_output=True, text=True, check=True).stdout.strip()
    assert str(found["finders"]) == plain


def test_what_is_loaded_late():
    """YAML and HTTP are not loaded before somebody asks for them, and then they are there."""
    found = told()
    assert [] == found["late"]
    assert {"a": [1]} == found["yaml"]
    assert ("file:///a%20b", "read") == (found["uri"], found["urlopen"])


@pytest.mark.parametrize("number", ["", "3"])
def test_threads(number):
    """One of numpy's library, unless somebody said how many."""
    environment = {"OPENBLAS_NUM_THREADS": number} if number else {}
    usual = os.environ.get("OPENBLAS_NUM_THREADS", "1")
    assert (number or usual) == told(**environment)["threads"]
