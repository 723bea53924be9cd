"""What mrjob imports and Python has no more: all of it is there, the same on every Python."""

from __future__ import annotations

import ast
import importlib
import os
import random
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

from pagekin.engine import stand_ins
from pagekin.engine.stand_ins import find_executable, loose_version, put_stand_ins
from tests.running import ROOT, python

STAND_INS = ("pipes", "distutils", "distutils.spawn", "distutils.version")
# Modules of the standard library that Python 3.12 to 3.14 dropped (PEP 594, 632 and others).
DROPPED = {
    *("aifc", "asynchat", "asyncore", "audioop", "cgi", "cgitb", "chunk", "crypt", "distutils"),
    *("imghdr", "imp", "lib2to3", "mailcap", "msilib", "nis", "nntplib", "ossaudiodev", "pipes"),
    *("smtpd", "sndhdr", "spwd", "sunau", "telnetlib", "uu", "xdrlib"),
}


def taken_of_dropped(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Each dropped module that a module imports, with each name that it takes from it."""
    imported = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            imported |= {alias.asname or alias.name for alias in node.names}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id in imported
        ):
            yield node.value.id, node.attr


def test_all_that_mrjob_uses() -> None:
    """Every dropped module that mrjob imports has a stand-in, with every name that is used."""
    spec = find_spec("mrjob")
    assert spec
    assert spec.origin
    taken = {
        each
        for path in Path(spec.origin).parent.rglob("*.py")
        for each in taken_of_dropped(ast.parse(path.read_text("utf-8")))
        if each[0].partition(".")[0] in DROPPED
    }
    assert {"pipes", "distutils.spawn", "distutils.version"} == {module for module, _ in taken}
    for module, name in taken:
        assert hasattr(importlib.import_module(module), name), f"{module}.{name}"


def test_imports_of_mrjob() -> None:
    """In a new process, also of a job file by hand: no warning, and nothing of setuptools."""
    code = (
        "import runpy, sys\n"
        f"runpy.run_path({str(ROOT / 'jobs' / 'related.py')!r})\n"
        "import mrjob.emr, mrjob.hadoop, mrjob.local, mrjob.spark.runner\n"
        "print('setuptools' in sys.modules, sys.modules['distutils'].__doc__[:30])"
    )
    told = f"False {(stand_ins.__doc__ or '')[:30]}\n"
    assert (0, told, "") == python("-W", "error", "-c", code, env=os.environ)


def test_a_module_that_is_loaded_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """What somebody imported before is not replaced."""
    for name in STAND_INS:
        monkeypatch.delitem(sys.modules, name)
    before = ModuleType("distutils")
    monkeypatch.setitem(sys.modules, "distutils", before)
    put_stand_ins()
    assert sys.modules["distutils"] is before
    assert sys.modules["pipes"].quote("a b") == "'a b'"


def test_programs() -> None:
    """Found on a path, or not."""
    assert shutil.which("sh") == find_executable("sh")
    assert find_executable("sh", path="") is None


@pytest.mark.parametrize(
    ("lower", "higher"),
    [("2.9", "2.10"), ("0.20.203", "1.0"), ("3", "3.0.0"), ("4.9.2", "5.36.1"), ("2.0", "2.0rc")],
)
def test_versions(lower: str, higher: str) -> None:
    """Versions of Hadoop and EMR are ordered by their numbers."""
    assert loose_version(lower) < loose_version(higher)


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="this Python has no distutils")
def test_the_same_as_distutils() -> None:
    """Versions are cut as the standard library cut them."""
    draw = random.Random(1)
    versions = [
        "".join(draw.choices("0123456789.abrc-+_ ", k=draw.randrange(12))) for _ in range(500)
    ]
    code = (
        "import sys, warnings; warnings.simplefilter('ignore')\n"
        "from distutils.version import LooseVersion\n"
        "print([LooseVersion(each).version if each else [] for each in eval(sys.argv[1])])"
    )
    said = python("-S", "-c", code, repr(versions), env={})
    assert (0, f"{[loose_version(version) for version in versions]}\n", "") == said
