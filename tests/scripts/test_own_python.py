"""The developers' scripts start under any Python: they go on under the one that has pagekin."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
DOORS = ["bench", "walk", "make-web", "fuzz", "sanitize", "measure-answers", "measure-cocitation"]


def run(*words: object) -> subprocess.CompletedProcess[str]:
    command = [str(word) for word in words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", DOORS)
def test_scripts_find_pagekin(name: str) -> None:
    """A Python without any packages is left for the project's own."""
    done = run(sys.executable, "-S", SCRIPTS / name, "--help")
    assert (0, "") == (done.returncode, done.stderr), name
    assert done.stdout.startswith("usage: "), name


def test_without_set_up(tmp_path: Path) -> None:
    """Where nothing is installed one sentence says what to do."""
    scripts = tmp_path / "scripts"
    (scripts / "own_python").mkdir(parents=True)
    for name in ("make-web", "own_python/__init__.py"):
        (scripts / name).write_bytes((SCRIPTS / name).read_bytes())
    done = run(sys.executable, "-S", scripts / "make-web", "--help")
    assert (1, "") == (done.returncode, done.stdout)
    assert "make setup" in done.stderr
    assert "Traceback" not in done.stderr
