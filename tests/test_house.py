"""The order of the house: what imports what, what is installed, and what stands in no file."""

from __future__ import annotations

import ast
import configparser
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.running import ROOT

LIB = ROOT / "lib" / "pagekin"
JOBS = ROOT / "jobs"
MODULES = [*sorted(LIB.rglob("*.py")), *sorted(JOBS.glob("*.py"))]
ALGORITHMS = (
    *("authority", "bags", "blocks", "cocitation", "enrich", "evaluate", "index", "minhash"),
    *("mirrors", "query", "text", "web"),
)

# Libraries that one part of the house keeps to itself.
KEPT = {
    "boto3": {"pagekin.web.s3"},
    "botocore": {"pagekin.web.s3"},
    "lxml": {"pagekin.web.html"},
    "mrjob": {"pagekin.engine"},
    **{
        library: {"pagekin.evaluate.rivals"}
        for library in ("onnxruntime", "scipy", "tantivy", "tokenizers", "wordllama")
    },
}
# Who may import whom: a part of pagekin, and the parts that it knows; all may know the parts in C
# and the limits.
FLOORS = {
    "native": {"errors", "printing"},
    "kinds": set(),
    "limits": set(),
    "text": {"text", "config", "errors"},
    "web": {"web", "text", "config", "counters", "errors", "printing", "kinds", "tables"},
    "blocks": {"blocks", "web", "text", "config", "counters", "errors", "printing"},
    "evaluate": {
        *("evaluate", "query", "index", "minhash", "bags", "blocks", "web", "text"),
        *("config", "counters", "errors", "printing", "kinds", "tables"),
    },
    "authority": {"authority", "web", "config", "tables"},
    "bags": {"bags", "web", "text", "config", "counters", "errors", "kinds", "tables"},
    "cocitation": {
        *("cocitation", "blocks", "index", "web", "text"),
        *("config", "counters", "errors", "kinds", "tables"),
    },
    "enrich": {"enrich", "bags", "text", "config", "errors", "kinds", "tables"},
    "minhash": {"minhash", "bags", "text", "config", "errors"},
    "mirrors": {"mirrors", "text", "config", "tables"},
    "index": {
        *("index", "minhash", "mirrors", "authority", "enrich", "bags", "web", "text"),
        *("config", "counters", "errors", "kinds", "tables"),
    },
    "query": {
        *("query", "cocitation", "index", "minhash", "enrich", "authority", "bags", "web"),
        *("text", "progress", "errors", "tables"),
    },
    "progress": {"config", "errors", "printing"},
    "storage": {
        "storage",
        "web",
        "progress",
        "config",
        "counters",
        "errors",
        "printing",
        "kinds",
        "tables",
    },
    "stages": {
        *("stages", "storage", "cocitation", "index", "minhash", "enrich", "bags", "blocks"),
        *("mirrors", "authority", "web", "text"),
        *("config", "counters", "errors", "kinds", "tables"),
    },
    "engine": {
        *("engine", "storage", "stages", "web"),
        *("config", "counters", "errors", "printing", "kinds", "progress"),
    },
    "build": {
        *("build", "engine", "stages", "storage", *ALGORITHMS),
        *(
            "config",
            "counters",
            "errors",
            "printing",
            "kinds",
            "tables",
            "progress",
        ),
    },
    "planning": {
        *("planning", "build", "engine", "stages", "storage", *ALGORITHMS),
        *("config", "counters", "errors", "printing", "kinds", "progress"),
    },
    "sweep": {
        *("sweep", "build", "engine", "stages", "storage", *ALGORITHMS),
        *("config", "counters", "errors", "printing", "kinds", "progress"),
    },
    "synthetic": {"synthetic", "errors", "printing", "progress"},
    "jobs": {
        *("engine", "build", "stages", *ALGORITHMS),
        *("config", "counters", "kinds"),
    },
    "commands": {
        *("commands", "sweep", "planning", "build", "engine", "stages", "storage", *ALGORITHMS),
        *("config", "counters", "errors", "printing", "kinds", "progress"),
    },
    "__main__": {"cli"},
    "cli": {"commands", "errors", "printing"},
    "config": {"errors"},
    "tables": {"errors"},
    "counters": {"kinds"},
    "errors": set(),
    "printing": set(),
}

# Places on machines, and numbers of issues: the project speaks of itself.
MACHINES = re.compile(rb"(?<![\w.~/-])/(?:work|home|root|tmp|Users|mnt)/\w")
ISSUES = re.compile(
    rb"(?i)(?<![\w/&])#\d{1,5}\b(?![\w;])|\b(?:issues?|tickets?|fixes|closes)\s+#?\d+\b"
)
OTHERS_ISSUES = re.compile(rb"[A-Za-z][\w.-]+/[\w.-]+#\d+")  # of other projects: mrjob's, say


def name_of(path: Path) -> str:
    """The module's name as it is imported."""
    if path.is_relative_to(JOBS):
        parts = ("pagekin", "jobs", path.stem)
    else:
        parts = path.relative_to(LIB.parent).with_suffix("").parts
    return ".".join(part for part in parts if part != "__init__")


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def imports(path: Path) -> Iterator[str]:
    """All modules that a module imports, also inside functions; of `from a import b` a.b too."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} imports by its place and not by name"
            assert node.module is not None
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def part_of(module: str) -> str:
    """`bags` of pagekin.bags.weigh."""
    return module.split(".")[1] if "." in module else ""


def tracked_files() -> list[Path]:
    """The files of the project: those that git knows or would take."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout
    paths = [ROOT / name.decode() for name in listed.split(b"\0") if name]
    return [path for path in paths if path.is_file()]


# --- what is installed ---


def test_packages():
    """setup.cfg names every package of lib/ and the jobs, and nothing else."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    listed = setup["options"]["packages"].split()
    found = {name_of(path) for path in MODULES if path.name == "__init__.py"}
    assert sorted(found) == sorted(listed)
    assert "= lib\npagekin.jobs = jobs" == setup["options"]["package_dir"].strip()


def test_package_data():
    """What is no Python in the package is installed, but for what explains it or is compiled."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg", encoding="utf-8")
    data = setup["options.package_data"]
    files = {
        path.relative_to(LIB)
        for path in tracked_files()
        if path.is_relative_to(LIB) and path.suffix not in {".py", ".md", ".c", ".h"}
    }
    matched = {
        path.relative_to(LIB)
        for package, patterns in data.items()
        for pattern in patterns.split()
        for path in (LIB / package.partition(".")[2]).glob(pattern)
    }
    assert files == matched


def test_every_folder_of_tests_is_a_package():
    """Two tests of one name in different folders would else be one module."""
    folders = {path.parent for path in (ROOT / "tests").rglob("test_*.py")}
    assert [] == [folder for folder in folders if not (folder / "__init__.py").exists()]


# --- modules ---


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_docstring(path):
    """Every module says what it is for."""
    text = ast.get_docstring(tree_of(path)) or ""
    assert len(text) > 30
    assert text[0].isupper() or text[0] in "`'\"" or text.startswith("pagekin")


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_one_way(path):
    """Imports go one way through the house."""
    part = part_of(name_of(path))
    if part:
        known = {part_of(name) for name in imports(path) if name.startswith("pagekin.")}
        assert known - {"__version__", "__file__", "native", "limits"} <= FLOORS[part]


def test_imports_are_drawn():
    """The list of the architecture has all parts, each below those that import it."""
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawn = text.partition("Imports go one way, down this list")[2].partition("\n\n")[2]
    lines = drawn.partition("\n\n")[0].splitlines()
    depth = {part: k for k, line in enumerate(lines) for part in line.strip().split(", ")}
    assert {*FLOORS} == {*depth}
    for part, known in FLOORS.items():
        assert all(depth[other] > depth[part] for other in known - {part}), part


@pytest.mark.parametrize("library", sorted(KEPT))
def test_libraries_stay_where_they_are(library):
    """A library that may be exchanged one day is imported in one place."""
    users = {
        name_of(path)
        for path in MODULES
        if any(name == library or name.startswith(f"{library}.") for name in imports(path))
    }
    assert users
    for user in users:
        assert any(user == home or user.startswith(f"{home}.") for home in KEPT[library]), user


def test_algorithms_need_no_engine():
    """The modules of the algorithms can be imported where mrjob is not."""
    names = [name_of(p) for p in MODULES if part_of(name_of(p)) in ALGORITHMS]
    code = "import sys, importlib; sys.modules['mrjob'] = None\n" + "".join(
        f"importlib.import_module({name!r})\n" for name in names
    )
    code += "print('pagekin.engine' in sys.modules)"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "False\n" == said.stdout


@pytest.mark.parametrize("path", sorted(JOBS.glob("*.py")), ids=name_of)
def test_jobs_import_no_jobs(path):
    """On a task there is one job's script and no other."""
    assert [] == [name for name in imports(path) if "jobs" in name.split(".")]


@pytest.mark.parametrize("path", sorted(set(JOBS.glob("*.py")) - {JOBS / "__init__.py"}))
def test_jobs_are_wiring(path):
    """A job is one class, a script of its own, and short."""
    lines = path.read_text(encoding="utf-8").splitlines()
    classes = [node for node in tree_of(path).body if isinstance(node, ast.ClassDef)]
    functions = [node for node in tree_of(path).body if isinstance(node, ast.FunctionDef)]
    assert "#!/usr/bin/env python3" == lines[0]
    assert (1, 0) == (len(classes), len(functions))
    assert [f"    {classes[0].name}.run()"] == lines[-1:]
    assert len(lines) < 90


@pytest.mark.parametrize("name", [name_of(path) for path in MODULES])
def test_exported_names(name):
    """What a module offers is there, and offered once."""
    module = importlib.import_module(name)
    names = getattr(module, "__all__", [])
    assert [] == [name for name in names if not hasattr(module, name)]
    assert len(names) == len(set(names))


# --- all files ---


def test_no_machines_and_no_issue_numbers():
    """No file tells of the machine it was written on, or of numbers that only we can look up."""
    told = []
    for path in tracked_files():
        data = path.read_bytes()
        if b"\0" in data[:8192] or path == Path(__file__):
            continue
        for number, line in enumerate(data.splitlines(), 1):
            ours = OTHERS_ISSUES.sub(b"", line)
            if MACHINES.search(ours) or ISSUES.search(ours):
                told.append(f"{path.relative_to(ROOT)}:{number}: {line[:80]!r}")
    assert [] == told


def test_scripts_can_be_run():
    """What is meant to be called can be called."""
    for path in tracked_files():
        if path.parent in {ROOT / "scripts", ROOT / ".ci"}:
            assert path.stat().st_mode & 0o100, path
            assert path.read_bytes().startswith(b"#!"), path
