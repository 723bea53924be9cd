"""Which Python `make` takes: the newest that works, of those that setup.cfg allows."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.running import ROOT, Said

SCRIPT = ROOT / "scripts" / "find-python"
# A program that says that it is this Python when it is asked.
STAND_IN = '#!/bin/sh\ncase "$2" in *"(3, {minor})"*) exit 0;; esac; exit 1\n'
BROKEN = "#!/bin/sh\necho 'python3.14: command not found' >&2; exit 127\n"


def find(*words: object, path: Path, home: Path) -> Said:
    """Run the script where this is the PATH, and this the folder of pyenv."""
    environment = {"PATH": str(path), "HOME": str(home), "PYENV_ROOT": str(home)}
    command = [str(word) for word in (SCRIPT, *words)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    return Said(done.returncode, done.stdout, done.stderr)


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


@pytest.fixture
def places(tmp_path: Path) -> dict[str, Path]:
    """A PATH with 3.12 and a 3.14 that does not start, and a pyenv with 3.13 and 3.10."""
    path, home = tmp_path / "path", tmp_path / "home"
    path.mkdir()
    for tool in ("bash", "dirname", "ls", "sed", "sh"):
        (path / tool).symlink_to(shutil.which(tool) or tool)
    program(path / "python3.14", BROKEN)
    program(path / "python3.12", STAND_IN.format(minor=12))
    program(home / "versions" / "3.13.1" / "bin" / "python3", STAND_IN.format(minor=13))
    program(home / "versions" / "3.10.9" / "bin" / "python3", STAND_IN.format(minor=10))
    return {"path": path, "home": home}


def test_the_newest_that_works(places: dict[str, Path]) -> None:
    """One that is named but does not start is passed over."""
    newest = places["home"] / "versions" / "3.13.1" / "bin" / "python3"
    assert (0, f"{newest}\n", "") == find(**places)


def test_all(places: dict[str, Path]) -> None:
    """One of each version, the newest first."""
    newest = places["home"] / "versions" / "3.13.1" / "bin" / "python3"
    assert (0, f"{newest}\n{places['path'] / 'python3.12'}\n", "") == find("--all", **places)


def test_a_named_one(places: dict[str, Path]) -> None:
    """Of those that are named no other is taken."""
    named = places["path"] / "python3.12"
    assert (0, f"{named}\n", "") == find(named, **places)


def test_none(places: dict[str, Path]) -> None:
    """One sentence says which are needed, and what to do."""
    old = places["home"] / "versions" / "3.10.9" / "bin" / "python3"
    said = find(old, **places)
    assert (1, "") == (said.code, said.out)
    assert said.err.startswith("pagekin needs Python 3.11 to 3.")
    assert 1 == said.err.count("\n")
    assert "make PYTHON=" in said.err


def test_make_stops_without(tmp_path: Path) -> None:
    """`make setup` with a Python that does not do ends with that sentence, and makes nothing."""
    for name in ("Makefile", "setup.cfg", "setup.py", "pyproject.toml", "scripts/find-python"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "lib" / "pagekin").mkdir(parents=True)
    command = ["make", "setup", f"PYTHON={tmp_path}/nothing"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode
    assert done.stderr.startswith("pagekin needs Python 3.11 to 3.")
    assert not (tmp_path / ".venv").exists()
