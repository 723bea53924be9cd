"""The archive of dependencies: what goes in, and that nothing but that shows in its bytes."""

from __future__ import annotations

import os
import stat
import tarfile

import pytest

from pagekin.engine import package
from pagekin.engine.package import auto_package, chosen_package, make_package, package_words
from pagekin.errors import PagekinError, UsageError


@pytest.fixture
def install(monkeypatch):
    """A pip that puts a few files there; gives what it was asked for."""
    asked = []

    def put(folder, python, arch):
        asked.append((python, arch))
        for name in FILES:
            path = folder / "deps" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(name)
            os.utime(path, (len(asked), len(asked)))

    monkeypatch.setattr(package, "_install", put)
    return asked


TAKEN = (
    "lxml/etree.cpython-311-x86_64-linux-gnu.so",
    "botocore/session.py",
    "botocore/data/endpoints.json",
    "botocore/data/s3/2006-03-01/service-2.json.gz",
    "numpy/testing/__init__.py",
    "numpy-2.4.0.dist-info/METADATA",
)
LEFT = (
    "lxml/includes/etree.h",
    "botocore/data/ec2/2016-11-15/service-2.json.gz",
    "boto3/data/s3/resources.json",
    "numpy/tests/test_all.py",
    "numpy/__pycache__/a.pyc",
    "numpy-2.4.0.dist-info/RECORD",
    "bin/nltk",
)
FILES = (*TAKEN, *LEFT)


def names(path):
    with tarfile.open(path) as tar:
        return tar.getnames()


def test_what_goes_in(install, tmp_path):
    """What tasks read goes in, with pagekin itself and its jobs; what they never read does not."""
    make_package(tmp_path / "deps.tar.gz")
    found = names(tmp_path / "deps.tar.gz")
    assert set(TAKEN) <= set(found)
    assert set() == set(LEFT) & set(found)
    assert {"pagekin/cli.py", "pagekin/jobs/inventory.py", "pagekin/text/stopwords/en.txt"} <= set(
        found
    )
    assert [("3.11", "x86_64")] == install


def test_the_same_bytes(install, tmp_path):
    """Times, owners and the order of the disk do not show."""
    for name in ("a", "b"):
        make_package(tmp_path / name)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with tarfile.open(tmp_path / "a") as tar:
        members = tar.getmembers()
    assert sorted(m.name for m in members) == [m.name for m in members]
    assert {(0, 0, 0, "", "")} == {(m.mtime, m.uid, m.gid, m.uname, m.gname) for m in members}
    assert {0o644, 0o755} >= {stat.S_IMODE(m.mode) for m in members}


def test_made_once(install, tmp_path, monkeypatch):
    """`auto` makes an archive once, and another one for another processor."""
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path))
    assert not auto_package(make=False).exists()
    assert auto_package() == auto_package()
    assert 1 == len(install)
    assert auto_package(arch="aarch64") != auto_package()
    assert [tmp_path / "packages"] == [path.parent for path in {auto_package()}]


def test_other_versions_are_another_archive(install, tmp_path, monkeypatch):
    """An archive of last time is not taken for what is installed now."""
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path))
    before = auto_package(make=False)
    monkeypatch.setattr(package, "_pins", lambda: ["numpy==0"])
    assert before != auto_package(make=False)


@pytest.mark.parametrize(("python", "arch"), [("2.7", "x86_64"), ("3.11", "sparc")])
def test_no_such_nodes(tmp_path, python, arch):
    """Nodes for which there are no wheels are refused in a sentence."""
    with pytest.raises(UsageError, match=f"no package for Python {python} on {arch}"):
        make_package(tmp_path / "deps.tar.gz", python, arch)


def test_pip_fails(tmp_path, monkeypatch):
    """What pip says is shown, and nothing half done is left."""
    monkeypatch.setattr(package, "_direct", lambda: ["no-such-thing-as-this==1"])
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(PagekinError, match=r"(?s)pip cannot fetch .*3\.11, x86_64.*no-such-thing"):
        make_package(tmp_path / "deps.tar.gz")
    assert [] == list(tmp_path.iterdir())


def test_who_gets_one(install, tmp_path, monkeypatch):
    """Nodes of EMR get an archive unless told otherwise; other nodes when asked for."""
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path))
    assert (None, None) == (chosen_package(None, "hadoop"), chosen_package("none", "emr"))
    assert auto_package() == chosen_package(None, "emr") == chosen_package("auto", "spark")
    mine = tmp_path / "mine.tar.gz"
    with pytest.raises(UsageError, match="there is no such file; pagekin package makes one"):
        chosen_package(str(mine), "emr")
    mine.touch()
    assert mine == chosen_package(str(mine), "emr")


def test_words(tmp_path):
    """Tasks get the archive unpacked, and on their path before all else."""
    words = package_words(tmp_path / "deps.tar.gz")
    assert f"{tmp_path}/deps.tar.gz#deps" == words[words.index("--archives") + 1]
    assert "export PYTHONPATH=$PWD/deps:$PYTHONPATH" == words[words.index("--setup") + 1]


def test_command(command, install, tmp_path):
    """The command prints where the archive is, and beside it size and time."""
    said = command("package", "--arch", "aarch64", "--output", tmp_path / "arm.tar.gz")
    assert (0, f"{tmp_path}/arm.tar.gz\n") == said[:2]
    assert said.err.endswith("for Python 3.11 on aarch64\n")
    assert [("3.11", "aarch64")] == install


def test_name_of_the_archive(command, install, tmp_path):
    """mrjob and Hadoop unpack by the name."""
    said = command("package", "--output", tmp_path / "deps.zip")
    assert (2, []) == (said.code, install)
