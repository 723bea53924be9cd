"""`scripts/hadoop-local` where nothing is started; tests/engines has it really run."""

from __future__ import annotations

import os
import shutil
import stat
from pathlib import Path

import pytest

from tests.running import ROOT, Said, python

SCRIPT = ROOT / "scripts" / "hadoop-local"


@pytest.fixture
def alone(tmp_path: Path) -> dict[str, str]:
    """An environment with an empty cache, and with no Java and no Maven on the PATH."""
    (tmp_path / "bin").mkdir()
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("PAGEKIN", "JAVA"))}
    return {**kept, "XDG_CACHE_HOME": str(tmp_path / "cache"), "PATH": str(tmp_path / "bin")}


def run(environment: dict[str, str], *words: object) -> Said:
    return python(SCRIPT, *words, env=environment)


def program(environment: dict[str, str], name: str, script: str) -> None:
    path = Path(environment["PATH"]) / name
    path.write_text(f"#!{shutil.which('sh')}\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_help(alone):
    """Help names every verb, and shows a build."""
    said = run(alone, "--help")
    assert (0, "") == (said.code, said.err)
    for verb in ("start", "stop", "status", "add-node", "hadoop", "conf", "fetch", "remove"):
        assert f"  {verb} " in said.out
    assert "pagekin build -r hadoop -c $(scripts/hadoop-local conf)" in said.out


def test_no_java(alone):
    """Without Java one sentence says what to install, and nothing is made."""
    said = run(alone, "start")
    assert 3 == said.code
    assert said.err.startswith("hadoop-local: there is no program java on the PATH; install ")
    assert 1 == said.err.count("\n")


def test_no_maven(alone):
    """The same without Maven, where Hadoop was not fetched yet."""
    program(alone, "java", "exit 0")
    said = run(alone, "start")
    assert 3 == said.code
    assert said.err.startswith("hadoop-local: there is no program mvn on the PATH; install Maven")


def test_a_fetch_that_fails(alone):
    """What Maven said is shown, and no half of the jars is left."""
    program(alone, "java", "exit 0")
    jar = '/bin/mkdir -p "$dir"; echo half > "$dir/hadoop-common-3.jar"'
    find = 'for w in "$@"; do case $w in -DoutputDirectory=*) dir=${w#*=} ;; esac; done'
    program(alone, "mvn", f"{find}\n{jar}\necho '[ERROR] the network is down'; exit 1")
    said = run(alone, "fetch")
    assert 1 == said.code
    assert "  [ERROR] the network is down" in said.err
    cache = Path(alone["XDG_CACHE_HOME"]) / "pagekin"
    assert [] == list(cache.rglob("*.jar"))


def test_a_fetch_that_is_whole(alone):
    """The jars are in their place, and are not fetched again."""
    find = 'for w in "$@"; do case $w in -DoutputDirectory=*) dir=${w#*=} ;; esac; done'
    jar = '/bin/mkdir -p "$dir"; echo all > "$dir/hadoop-streaming-3.jar"'
    program(alone, "mvn", f"{find}\n{jar}")
    place = run(alone, "fetch").out.strip()
    assert ["hadoop-streaming-3.jar"] == [path.name for path in Path(place).iterdir()]
    program(alone, "mvn", "exit 1")
    assert (0, f"{place}\n", "") == run(alone, "fetch")


@pytest.mark.parametrize("verb", ["status", "conf", "add-node", "hadoop"])
def test_not_running(alone, verb):
    """Verbs that want a cluster say with code 4 that there is none."""
    said = run(alone, verb)
    assert 4 == said.code
    assert "it does not run" in said.out + said.err or "no cluster yet" in said.err


def test_nothing_to_stop(alone):
    """Stopping what does not run is no error."""
    assert (0, "", "nothing ran\n") == run(alone, "stop")


def test_wrong_words(alone):
    """What is no verb is refused."""
    assert 2 == run(alone, "begin").code
