"""The commands of the documents run as they are printed: all blocks behind `<!-- runnable -->`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.running import DEMO, ROOT

RUNNABLE = re.compile(r"<!-- runnable -->\n```(?P<language>\w+)\n(?P<text>.*?)```\n", re.S)
# Each with a line that its commands print.
DOCUMENTS = {
    "README.md": "  0.8232  http://knots.sailing.example/splicing.html",
    "docs/guide/first-build.md": "http://free-scores.example.org/choral/satb",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What a folder of the project has for its commands; and `crawl`, for a reader's own files."""
    (tmp_path / "demo").mkdir()
    for folder in (tmp_path / "demo" / "snapshot", tmp_path / "crawl"):
        shutil.copytree(DEMO, folder)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    return tmp_path


def script_of(document: str) -> str:
    """The blocks of a document, one behind the other, as a program of the shell."""
    text = (ROOT / document).read_text(encoding="utf-8")
    commands = ["set -e"]
    for block in RUNNABLE.finditer(text):
        assert block["language"] in {"sh", "python"}
        is_python = block["language"] == "python"
        commands.append(f"python <<'END'\n{block['text']}END" if is_python else block["text"])
    assert len(commands) > 1
    return "\n".join(commands)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_commands_run(checkout: Path, document: str) -> None:
    """In a new folder, in their order, by a shell that knows nothing of pagekin."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(checkout), "LC_ALL": "C.UTF-8"}
    environment |= {name: os.environ[name] for name in ("TMPDIR",) if name in os.environ}
    command = ["bash", "-c", script_of(document)]
    done = subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=False
    )
    assert 0 == done.returncode, done.stderr
    assert DOCUMENTS[document] in done.stdout
    assert (checkout / "pagekin-work" / "index" / "index.json").exists()
