"""The program as a user runs it: in a process of its own, with what it said and how it ended."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["DEMO", "ROOT", "Said", "pagekin", "pagekin_words", "python"]

ROOT = Path(__file__).parents[1]
DEMO = ROOT / "demo" / "snapshot"


class Said(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str


def pagekin_words(*words: object) -> list[str]:
    """The command line of the one command."""
    return [sys.executable, "-m", "pagekin.cli", *map(str, words)]


def pagekin(*words: object, **options: Any) -> Said:
    """Run the one command."""
    return _run(pagekin_words(*words), **options)


def python(*words: object, **options: Any) -> Said:
    """Run a script."""
    return _run([sys.executable, *map(str, words)], **options)


def _run(command: list[str], **options: Any) -> Said:
    done = subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", check=False, **options
    )
    return Said(done.returncode, done.stdout, done.stderr)
