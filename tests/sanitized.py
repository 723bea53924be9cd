"""The parts in C under gcc's sanitizers, beside their Python, on inputs that are made up.

No read or write beyond what is theirs, nothing that C leaves undefined, and the same result as
Python's, is what is checked. Parts and tests are found by themselves: a part is a `_*.c` below
lib/pagekin/, and run are all tests that import `tests.natives`. Everything happens in a copy of
the project, in which the parts are built with -fsanitize=address,undefined:

- The tests run. Those of them that make up their inputs (with Hypothesis) begin with the seed, and
  take as many inputs as is asked for.
- The kept cases of the parts in C (`tests.targets`) are mutated, and C and Python give the same.
- Spoilt pages (`tests.mutations`) become a whole build with an index, and every page that was read
  is asked for its kin: once with the parts in C, once with Python alone. All files of the index and
  all answers must be equal.

`scripts/sanitize` is the door; `make sanitize` runs it all. This file is also what pytest loads to
change the number of inputs.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest
from hypothesis import is_hypothesis_test, settings

from tests.fuzz import write_files

__all__ = [
    "build_parts",
    "copy_project",
    "environment",
    "main",
    "sources",
    "tests_of_parts",
]

ROOT = Path(__file__).parents[1]
_LIB = Path("lib") / "pagekin"
_COPIED = ("lib/pagekin", "tests", "demo/snapshot", "setup.py", "setup.cfg", "pyproject.toml")
_FLAGS = (
    *("-g", "-O1", "-fno-omit-frame-pointer", "-shared", "-fPIC"),
    *("-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"),
)
_LIBRARIES = ("libasan.so", "libubsan.so")
_INPUTS, _RECORDS, _SHORT_RECORDS = 100, 1000, 200
_MUTATED, _SHORT_MUTATED = 100_000, 3_000
_SCALE = 0.02  # of pages that fill megabytes: Python alone has to read them, too

_DESCRIPTION = """\
Build the parts in C with gcc's sanitizers and hold them beside their Python: all tests that import
tests.natives, then a whole build of spoilt pages with C and with Python alone. Needs gcc, and .venv
from make setup."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Build, test, compare; 0 if nothing was found."""
    options = _parser().parse_args(arguments)
    inputs = options.inputs or (_INPUTS if options.short else 0)
    records = options.records or (_SHORT_RECORDS if options.short else _RECORDS)
    mutated = options.mutated or (_SHORT_MUTATED if options.short else _MUTATED)
    began = time.monotonic()
    _say(f"seed {options.seed}: --seed {options.seed} gives the same inputs again")
    with tempfile.TemporaryDirectory(prefix="pagekin-sanitize-") as name:
        folder = Path(name)
        copy_project(folder)
        build_parts(folder)
        words = ["-m", "pytest", "-q", "-n", str(os.cpu_count()), "--dist", "worksteal"]
        words += ["-p", "no:cacheprovider", "-p", "tests.sanitized", "-W", "ignore"]
        words += [f"--hypothesis-seed={options.seed}", "--inputs", str(inputs)]
        tests = [str(path) for path in tests_of_parts(folder)]
        code = _run(folder, *words, *tests, *options.words)
        if code == 0:
            words = ["--mutated", str(mutated), "--seed", str(options.seed)]
            code = _run(folder, "-m", "tests.targets", *words)
        if code == 0:
            code = _compare_builds(folder, records, options.seed)
    found = "found nothing" if code == 0 else "FAILED, see above"
    _say(f"sanitizers and comparison with Python {found} ({time.monotonic() - began:.0f} s)")
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="sanitize", description=_DESCRIPTION)
    parser.add_argument(
        "--short",
        action="store_true",
        help=f"{_INPUTS} inputs and {_SHORT_RECORDS} pages: what runs at every change",
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=random.SystemRandom().randrange(10**6),
        metavar="N",
        help="of all inputs that are made up (default: drawn by lot, and told)",
    )
    about = "inputs of each test that makes them up (default: as many as the test says)"
    parser.add_argument("--inputs", type=int, default=0, metavar="N", help=about)
    about = f"spoilt pages of the build (default: {_RECORDS})"
    parser.add_argument("--records", type=int, default=0, metavar="N", help=about)
    about = f"mutated cases of the parts in C (default: {_MUTATED})"
    parser.add_argument("--mutated", type=int, default=0, metavar="N", help=about)
    parser.add_argument("words", nargs="*", metavar="WORD", help="for pytest, behind --")
    return parser


# --- what is built and run ---


def sources(root: Path) -> list[Path]:
    """The parts in C below a folder."""
    return sorted((root / _LIB).rglob("_*.c"))


def tests_of_parts(root: Path) -> list[Path]:
    """The tests that ask for a part in C."""
    found = sorted((root / "tests").rglob("test_*.py"))
    return [path for path in found if "from tests.natives import" in path.read_text("utf-8")]


def copy_project(folder: Path) -> None:
    """What the tests need of the project, without what was built."""
    for name in _COPIED:
        source, target = ROOT / name, folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
        else:
            shutil.copy(source, target)
    shutil.copytree(ROOT / "jobs", folder / _LIB / "jobs")  # as setup.cfg installs them
    (folder / "jobs").symlink_to(folder / _LIB / "jobs")


def build_parts(folder: Path, compiler: str = "gcc", flags: Sequence[str] = _FLAGS) -> None:
    """All parts, several at once."""
    if shutil.which(compiler) is None:
        sys.exit(f"sanitize: {compiler} is needed, and was not found on the PATH")
    include = f"-I{sysconfig.get_path('include')}"

    def build(source: Path) -> None:
        made = source.with_suffix(".abi3.so")
        subprocess.run([compiler, *flags, include, source, "-o", made], check=True)

    _say(f"building {len(sources(folder))} parts with -fsanitize=address,undefined")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(build, sources(folder)))


def _runtime() -> str:
    """gcc's libraries."""
    named = [["gcc", f"-print-file-name={name}"] for name in _LIBRARIES]
    found = [subprocess.run(w, capture_output=True, text=True, check=True).stdout for w in named]
    return " ".join(path.strip() for path in found)


def environment(folder: Path, runtime: str, **more: str) -> dict[str, str]:
    """Our copy is what is imported, and the sanitizers are loaded before all else."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join((str(folder / "lib"), str(folder))),
        "LD_PRELOAD": runtime,
        # Python itself leaks a little at its end
        "ASAN_OPTIONS": "detect_leaks=0",
        # its own allocator would hide what is read beyond an object
        "PYTHONMALLOC": "malloc",
        **more,
    }


def _run(folder: Path, *words: str, output: Path | None = None, **more: str) -> int:
    """A Python that knows our copy; what it writes may go to a file."""
    variables = environment(folder, _runtime(), **more)
    with output.open("wb") if output else nullcontext() as out:
        command = [sys.executable, *words]
        return subprocess.run(
            command, cwd=folder, env=variables, stdout=out, check=False
        ).returncode


def _compare_builds(folder: Path, records: int, seed: int) -> int:
    """Spoilt pages with the parts in C and with Python alone; 1 if anything differs."""
    _say(f"a build of {records} spoilt pages, with C and with Python alone")
    web = folder / "spoilt"
    web.mkdir()
    for _ in write_files(web, records, seed, _SCALE):
        pass
    made = []
    for name, more in (("C", {"PAGEKIN_PURE": ""}), ("Python", {"PAGEKIN_PURE": "1"})):
        build = ["build", "-q", "-r", "inline", "--max-failed-files", str(records)]
        build += ["--work", f"{name}/work", "--index", f"{name}/index", str(web), "demo/snapshot"]
        build += ["--cocitation-threshold", "0.1"]
        (folder / name).mkdir()
        for number, words in enumerate((build, *_questions(name))):
            command, out = ("-m", "pagekin", *words), folder / name / f"answers-{number}"
            if code := _run(folder, *command, output=out, **more):
                return code
        made.append(_contents(folder / name))
    in_c, in_python = made
    names = sorted(in_c.keys() | in_python.keys())
    differing = [name for name in names if in_c.get(name) != in_python.get(name)]
    for name in differing:
        _say(f"{name} differs between C and Python")
    return int(bool(differing))


def _questions(name: str) -> Iterator[list[str]]:
    """Words of commands that ask every page that was read."""
    for by in ("bags", "cocitation"):
        yield ["related", "--index", f"{name}/index", "--all", "--read", "only", "--by", by]


def _contents(folder: Path) -> dict[str, bytes]:
    """All files of the index, and the answers."""
    files = [*(folder / "index").rglob("*"), *folder.glob("answers-*")]
    return {str(f.relative_to(folder)): f.read_bytes() for f in files if f.is_file()}


def _say(sentence: str) -> None:
    sys.stdout.write(f"== {sentence}\n")
    sys.stdout.flush()


# --- what pytest loads ---


def pytest_addoption(parser: pytest.Parser) -> None:
    """How many inputs."""
    parser.addoption("--inputs", type=int, default=0)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that make up their inputs take as many as are asked for; they may be slow."""
    inputs: int = config.getoption("--inputs")
    name = "_hypothesis_internal_use_settings"  # where the decorator keeps them
    for item in items:
        test = getattr(item, "obj", None)
        if test is not None and is_hypothesis_test(test):
            before: settings = getattr(test, name, settings())
            wanted = inputs or before.max_examples
            # in CI Hypothesis would take the same inputs each time, whatever the seed
            seeded = settings(before, derandomize=False, database=None, deadline=None)
            setattr(test, name, settings(seeded, max_examples=wanted))
