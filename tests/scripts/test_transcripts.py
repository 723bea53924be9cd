"""The transcripts of the documents: each is what its commands say today."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import ROOT

SCRIPT = ROOT / "scripts" / "transcripts"
TOLD = """# A document

<!-- transcript: demo -->
```console
$ pagekin related --index crawl.index http://knots.sailing.example/ -k 2 --json | wc -l
many
$ pagekin related --index crawl.index knots.sailing.example/none -k 2 2> /dev/null
$ echo $?
...
```
"""


def transcripts(*words: object) -> subprocess.CompletedProcess[str]:
    """What the script says."""
    command = [sys.executable, SCRIPT, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_documents() -> None:
    """Those of snapshots that are here; of the demo there are always some."""
    said = transcripts("--check")
    assert (0, "") == (said.returncode, said.stdout)
    assert "demo is not in" not in said.stderr
    assert "<!-- transcript: demo -->" in (ROOT / "README.md").read_text(encoding="utf-8")


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "document.md"
    path.write_text(TOLD)
    return path


def test_stale(document: Path) -> None:
    """What a command does not say is shown, and the document stays as it is."""
    said = transcripts("--check", document)
    assert 1 == said.returncode
    assert "-many\n" in said.stdout
    assert document.read_text() == TOLD


def test_made_anew(document: Path) -> None:
    """Made anew it holds, with the exit code of the command before and lines left out."""
    assert 0 == transcripts(document).returncode
    lines = document.read_text().splitlines()
    assert lines[5].isdigit()
    assert TOLD.splitlines()[6:] == lines[6:]  # "..." stood for the code
    assert 0 == transcripts("--check", document).returncode
    document.write_text(document.read_text().replace("...\n", "4\n"))
    assert 0 == transcripts("--check", document).returncode
