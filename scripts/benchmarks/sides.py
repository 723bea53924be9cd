"""The two sides of a comparison of whole trees: this one, and another commit with its own .venv.

Both are measured alike and through what users have: the command `pagekin` and `pagekin.Index`. So
the other side may be laid out in any way inside.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any

from benchmarks.harness import HERE, ROOT, Timed, run_words, say
from pagekin.errors import InputError

__all__ = ["Side", "digest_of", "other_side", "this_side"]

_SOURCES = {".py", ".c", ".h"}
_SHUFFLED = ("bytes", "compressed")
_READY = Path(".venv") / ".ready"  # what make setup leaves at its end


@dataclass(frozen=True)
class Side:
    """A tree that is set up."""

    name: str
    root: Path
    python: Path

    def pagekin(self, *words: object, cores: int = 0) -> Timed:
        """Its command."""
        return run_words([self.python.with_name("pagekin"), *words], cores=cores)

    def build(self, folder: Path, files: list[str], tasks: int) -> dict[str, Any]:
        """A whole build with an index, on so many cores: its summary, with CPU and wall seconds."""
        words = ["build", "-q", "-r", "local", "--tasks", tasks, "--work", folder / "work"]
        done = self.pagekin(*words, "--index", folder / "index", *files, cores=tasks)
        summary = json.loads((folder / "work" / "summary.json").read_text(encoding="utf-8"))
        return {**summary, "wall": done.wall, "cpu": done.cpu}

    def shuffled(self, files: list[str]) -> dict[str, dict[str, float]]:
        """Bytes that each stage's shuffle has on a cluster, and those when it is compressed."""
        plan = json.loads(self.pagekin("plan", "-q", "--sample", "100%", "--json", *files).value)
        return {
            stage["name"]: {name: stage["shuffle"][name]["value"] for name in _SHUFFLED}
            for stage in plan["stages"]
        }

    def ask(self, **asked: Any) -> Any:
        """What `asking` says, in a process of its own."""
        done = subprocess.run(
            [self.python, HERE / "asking.py"],
            input=json.dumps(asked, default=str),
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise InputError(f"{self.name}: questions failed: {done.stderr[-2000:]}")
        return json.loads(done.stdout)

    def lines(self) -> int:
        """Of all sources in lib/ and jobs/."""
        paths = (path for part in ("lib", "jobs") for path in (self.root / part).rglob("*"))
        sources = [path for path in paths if path.suffix in _SOURCES]
        return sum(path.read_bytes().count(b"\n") for path in sources)


def this_side() -> Side:
    """The tree in which this file is."""
    return Side("this tree", ROOT, Path(sys.executable))


def other_side(against: str, data: Path) -> Side:
    """A folder that is set up, or a commit, which is set up the first time it is asked for."""
    folder = Path(against)
    if (folder / _READY).exists():
        return _side(folder.resolve().name, folder.resolve())
    try:
        commit = _git("rev-parse", "--verify", "--quiet", f"{against}^{{commit}}").decode().strip()
    except (OSError, subprocess.CalledProcessError) as error:
        raise InputError(
            f"{against} is neither a commit of this clone nor a folder in which make setup ran"
        ) from error
    folder = data / f"against-{commit[:12]}"
    if not (folder / _READY).exists():
        _set_up(commit, folder)
    return _side(commit[:7], folder)


def _side(name: str, root: Path) -> Side:
    return Side(name, root, root / ".venv" / "bin" / "python")


def _set_up(commit: str, folder: Path) -> None:
    """The files of a commit, with a .venv."""
    say(f"  setting up {commit[:7]} in {folder.name}")
    with tarfile.open(fileobj=BytesIO(_git("archive", "--format=tar", commit))) as tar:
        tar.extractall(folder, filter="data")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    run_words(["make", "-C", folder, "setup"], kept)


def _git(*words: str) -> bytes:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, check=True).stdout


def digest_of(index: Path) -> str:
    """Of all files of a folder."""
    digest = sha256()
    for path in sorted(path for path in index.rglob("*") if path.is_file()):
        digest.update(f"{path.relative_to(index)}\0{path.stat().st_size}\0".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
