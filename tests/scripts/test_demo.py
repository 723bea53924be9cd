"""The demo: it shows what goes wrong, and ends there."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.running import ROOT

STAND_IN = """#!/bin/sh
echo "$1"
if [ "$1" = {failing} ]; then echo "pagekin: broken" >&2; exit 3; fi
"""


def demo(folder: Path, failing: str) -> subprocess.CompletedProcess[str]:
    """Run the demo with a command that fails at one of its subcommands."""
    (folder / "scripts").mkdir()
    (folder / ".venv" / "bin").mkdir(parents=True)
    script = shutil.copy(ROOT / "scripts" / "demo", folder / "scripts")
    command = folder / ".venv" / "bin" / "pagekin"
    command.write_text(STAND_IN.format(failing=failing))
    command.chmod(0o755)
    return subprocess.run([script], capture_output=True, text=True, check=False)


@pytest.mark.parametrize("failing", ["build", "related"])
def test_errors_end_the_demo(tmp_path, failing):
    """An error is shown, and is the end."""
    said = demo(tmp_path, failing)
    assert (3, "pagekin: broken\n") == (said.returncode, said.stderr)
    assert failing == said.stdout.splitlines()[-1]


def test_whole_demo(tmp_path):
    """Where nothing fails the demo comes to its end."""
    said = demo(tmp_path, "nothing")
    assert (0, "") == (said.returncode, said.stderr)
    assert said.stdout.splitlines()[-1].endswith("--help lists all commands")
