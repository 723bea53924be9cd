"""The command `scripts/walk`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pagekin import native

__all__ = ["BOUNDS", "Walk", "main", "report", "walks"]

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "demo" / "snapshot"
TRACED = Path(__file__).with_name("traced")
QUESTION = Path(__file__).with_name("question.py")
_PAGEKIN = ("-m", "pagekin")
URL = "http://knots.sailing.example/bowline.html"

_TO_BAGS, _TO_SHARD = "WARC bytes to raw bags", "raw bags to a shard"
_BY = {"a question by bags": "bags", "a question by co-citation": "cocitation"}
BOUNDS = {_TO_BAGS: 30, _TO_SHARD: 15, **dict.fromkeys(_BY, 11)}

# mrjob starts a Python for each task where an interpreter is named, and forks none
_CONF = "runners:\n  local:\n    task_python_bin: {python}\n"

_DESCRIPTION = """\
Count the modules of the project in which a function is called, with the parts in C switched on:
while the pages of the demo become raw bags (the tasks of the stage that reads them), while raw
bags become a shard of an index that holds them as they are (the tasks of all stages behind it),
and for one question to pagekin.Index. What runs the tasks (command, workspace, runner) is not
counted: each task and each question is a process of its own, and only these are traced."""


@dataclass
class Walk:
    """The functions that are called on the way, by module."""

    name: str
    functions: dict[str, set[str]] = field(default_factory=dict)

    @property
    def bound(self) -> int:
        return BOUNDS[self.name]

    @property
    def is_too_long(self) -> bool:
        return len(self.functions) > self.bound


def main(arguments: Sequence[str] | None = None) -> int:
    """Trace, and print; 1 where a walk is too long and --check was given."""
    parser = argparse.ArgumentParser(
        prog="walk",
        description=_DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("-v", "--verbose", action="store_true", help="name modules and functions")
    parser.add_argument("--json", action="store_true", help="print all of that as JSON")
    parser.add_argument("--check", action="store_true", help="fail where a walk exceeds its bound")
    options = parser.parse_args(arguments)
    if missing := native.missing():
        sys.exit(f"walk: parts in C are not there: {', '.join(missing)}; run make setup")
    found = list(walks())
    for line in [_as_json(found)] if options.json else report(found, verbose=options.verbose):
        sys.stdout.write(f"{line}\n")
    return int(options.check and any(walk.is_too_long for walk in found))


def report(found: Sequence[Walk], *, verbose: bool) -> Iterator[str]:
    """A table in Markdown; behind it, if wanted, what each walk goes through."""
    yield from ("| walk | modules | bound | |", "|---|--:|--:|---|")
    for walk in found:
        verdict = "too long" if walk.is_too_long else "met"
        yield f"| {walk.name} | {len(walk.functions)} | {walk.bound} | {verdict} |"
    for walk in found if verbose else ():
        yield from ("", f"{walk.name}:")
        for module, names in sorted(walk.functions.items()):
            yield f"  {module}: {', '.join(sorted(names))}"


def _as_json(found: Sequence[Walk]) -> str:
    said = [
        {
            "walk": walk.name,
            "modules": len(walk.functions),
            "bound": walk.bound,
            "functions": {
                module: sorted(names) for module, names in sorted(walk.functions.items())
            },
        }
        for walk in found
    ]
    return json.dumps(said, indent=1)


# --- tracing ---


def walks() -> Iterator[Walk]:
    """The four walks over the demo."""
    with tempfile.TemporaryDirectory(prefix="pagekin-walk-") as name:
        folder = Path(name)
        conf = folder / "mrjob.conf"
        conf.write_text(_CONF.format(python=sys.executable), encoding="utf-8")
        bags = [*_PAGEKIN, "build", "-q", "--only", "bags", "-r", "local", "-c", conf]
        bags += [f"--enrich-{part}=false" for part in ("words", "links", "topics")]
        bags += ["--work", folder / "bags", DEMO]
        _run(*bags, "--until", "inventory")
        yield _traced(_TO_BAGS, folder, *bags, "--until", "reading")
        yield _traced(_TO_SHARD, folder, *bags, "--index", folder / "bags.index")
        index, both = folder / "both.index", ("--cocitation-threshold", "0.5")
        _run(*_PAGEKIN, "build", "-q", *both, "--work", folder / "both", "--index", index, DEMO)
        for walk, by in _BY.items():
            yield _traced(walk, folder, QUESTION, index, URL, by)


def _traced(name: str, folder: Path, *words: object) -> Walk:
    """Run a command, and collect what its tasks, or it itself, call."""
    path = os.pathsep.join(filter(None, (str(TRACED), os.environ.get("PYTHONPATH"))))
    walk = Walk(name)
    with tempfile.TemporaryDirectory(dir=folder) as notes:
        _run(*words, PYTHONPATH=path, PAGEKIN_WALK=notes)
        for note in Path(notes).iterdir():
            for module, names in json.loads(note.read_text(encoding="utf-8"))["functions"].items():
                walk.functions.setdefault(module, set()).update(names)
    if not walk.functions:
        sys.exit(f"walk: {name}: nothing was traced; does another sitecustomize come before ours?")
    return walk


def _run(*words: object, **more: str) -> str:
    command = [sys.executable, *map(str, words)]
    environment = {**os.environ, **more}
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        sys.exit(f"walk: {' '.join(command[1:6])} ... failed: {done.stderr[-2000:]}")
    return done.stdout
