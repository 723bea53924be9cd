"""Results on disk: one JSON file for each benchmark, with the machine, versions, commit and date.

Only names of files are kept and no folders: where something lay says nothing to others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
from contextlib import suppress
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT
from benchmarks.results import Result, to_json
from pagekin.errors import InputError

__all__ = ["RESULTS", "circumstances", "load", "plain_options", "stored", "write"]

RESULTS = ROOT / "docs" / "measurements" / "results"
_PACKAGES = (
    *("pagekin", "numpy", "lxml", "mrjob", "nltk", "PyStemmer", "isal", "ada-url", "Resiliparse"),
    *("FastWARC", "datasketch", "scipy", "beautifulsoup4", "pyspark"),
)
_CHANGED = ("status", "--porcelain", "--untracked-files=no")
_NOT_OPTIONS = {"run", "name", "data", "results", "label", "json", "list", "write_docs"}


def circumstances(load: tuple[float, float, float]) -> dict[str, Any]:
    """Where and when; `load` is that of the machine before anything ran."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": _commit(),
        "machine": {
            "processor": _processor(),
            "cores": os.cpu_count(),
            "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
            "system": f"{platform.system()} {platform.release()}",
            "load_before": round(load[0], 2),
        },
        "python": platform.python_version(),
        "versions": dict(filter(None, map(_version, _PACKAGES))),
    }


def _version(package: str) -> tuple[str, str] | None:
    try:
        return package, metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def _processor() -> str:
    with suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.machine()


def _commit() -> str:
    """The commit, with a plus where files differ from it; nothing outside of a clone."""
    try:
        return _git("rev-parse", "--short", "HEAD") + ("+" if _git(*_CHANGED) else "")
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*words: str) -> str:
    said = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return said.stdout.strip()


def plain_options(options: argparse.Namespace) -> dict[str, Any]:
    """The words of the command that decide what was measured."""
    return {k: _plain(v) for k, v in sorted(vars(options).items()) if k not in _NOT_OPTIONS}


def _plain(value: Any) -> Any:
    if isinstance(value, Path):
        return value.name
    return list(map(_plain, value)) if isinstance(value, list | tuple) else value


def stored(
    name: str, options: argparse.Namespace, around: dict[str, Any], result: Result
) -> dict[str, Any]:
    """What is kept of a run."""
    return {"benchmark": name, "options": plain_options(options), **around, **to_json(result)}


def write(folder: Path, title: str, said: dict[str, Any]) -> Path:
    """Keep it, whole or not at all."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{title}.json"
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(said, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    beside.replace(path)
    return path


def load(folder: Path, title: str) -> dict[str, Any]:
    """A stored result."""
    path = folder / f"{title}.json"
    try:
        said: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(
            f"{path.name} cannot be read; scripts/bench {title.partition('-')[0]} makes it"
        ) from error
    return said
