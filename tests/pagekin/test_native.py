"""What is written twice: which of both is used, that a build does not show it, and what is wrong
with a part that was built and cannot be used.
"""

from __future__ import annotations

import os
import re
import runpy
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from pagekin import native as module
from pagekin.errors import PagekinError
from pagekin.index.folder import read_header
from pagekin.native import PURE, VERSION, describe, load, main, missing, parts
from tests.natives import native
from tests.running import DEMO, ROOT, pagekin, python

LIB = ROOT / "lib"
SOURCES = sorted((LIB / "pagekin").rglob("_*.c"))
NAMES = [".".join(path.relative_to(LIB).with_suffix("").parts) for path in SOURCES]


# --- what there is ---


@pytest.mark.parametrize("name", NAMES)
def test_every_source_is_built(name: str) -> None:
    """Where there is a compiler; it tells the version that Python wants."""
    assert VERSION == native(name).VERSION
    assert load(name) is native(name)


def test_none_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    """What has a source is known, and built by setuptools."""
    assert NAMES == parts()
    assert NAMES
    built: list[SimpleNamespace] = []
    # what stands in for setuptools, which warns where mrjob has imported distutils before
    stand_in = ModuleType("setuptools")
    stand_in.Extension = lambda name, sources, **more: SimpleNamespace(  # type: ignore[attr-defined]
        name=name, sources=sources, **more
    )
    stand_in.setup = lambda *, ext_modules: built.extend(ext_modules)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "setuptools", stand_in)
    monkeypatch.chdir(ROOT)
    runpy.run_path(str(ROOT / "setup.py"))
    assert NAMES == [extension.name for extension in built]
    assert SOURCES == [ROOT / extension.sources[0] for extension in built]
    for extension in built:
        assert "lib/pagekin/part.h" in extension.depends


def test_one_version() -> None:
    """The number in the header is that of Python: both are raised together."""
    header = (LIB / "pagekin" / "part.h").read_text("utf-8")
    assert [str(VERSION)] == re.findall(r"#define PAGEKIN_PART_VERSION (\d+)", header)


@pytest.mark.parametrize("name", NAMES)
def test_every_part_is_compared_with_python(name: str) -> None:
    """A test beside it asks for the part by its name, and is run by the sanitizers for that."""
    folder = ROOT / "tests" / "pagekin"
    texts = [
        path.read_text("utf-8") for path in folder.rglob("test_*.py") if path != Path(__file__)
    ]
    assert any(f'native("{name}")' in text for text in texts)


# --- which it is ---


@pytest.mark.parametrize(("value", "wanted"), [("", True), ("0", True), ("1", False)])
def test_python_alone(monkeypatch: pytest.MonkeyPatch, value: str, wanted: bool) -> None:
    """One setting chooses Python for all."""
    native(NAMES[0])
    monkeypatch.setenv(PURE, value)
    assert wanted == (load(NAMES[0]) is not None)


def test_what_does_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """C, Python, or both, and then which parts are Python's."""
    for name in NAMES:
        native(name)
    monkeypatch.delenv(PURE, raising=False)
    assert ("C", []) == (describe(), missing())
    monkeypatch.setattr(module, "parts", lambda: ["pagekin.web._nothing", *NAMES])
    assert "C, but Python for pagekin.web._nothing (not built)" == describe()
    monkeypatch.setattr(module, "parts", lambda: ["pagekin.web._nothing"])
    assert "Python (the parts in C were not built)" == describe()
    monkeypatch.setattr(module, "parts", list)
    assert "Python (the parts in C were not built)" == describe()
    monkeypatch.setenv(PURE, "1")
    assert "Python (PAGEKIN_PURE is set)" == describe()


def test_command(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence; code 1 where a part cannot be used."""
    monkeypatch.setattr(module, "describe", lambda: "C")
    assert 0 == main()
    assert "the work is done by C\n" == capsys.readouterr().out

    def broken() -> str:
        raise PagekinError("it is broken")

    monkeypatch.setattr(module, "describe", broken)
    assert 1 == main()
    assert ("", "pagekin: it is broken\n") == tuple(capsys.readouterr())


# --- parts that cannot be used ---


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package with parts that are no parts; of another name in each test, as Python keeps it."""
    folder = tmp_path / f"of_{tmp_path.name}"
    folder.mkdir()
    (folder / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delenv(PURE, raising=False)
    return folder


def test_what_was_not_built() -> None:
    """Python does the work."""
    assert load("pagekin.web._nothing") is None


def test_a_part_of_another_machine(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is there and cannot be loaded is an error, which says what to do."""
    (package / "_broken.abi3.so").write_bytes(b"\x7fELF of another machine")
    with pytest.raises(PagekinError, match=r"_broken cannot be loaded: .*make setup.*PAGEKIN_PURE"):
        load(f"{package.name}._broken")
    monkeypatch.setenv(PURE, "1")
    assert load(f"{package.name}._broken") is None


@pytest.mark.parametrize(("text", "built"), [("", 0), (f"VERSION = {VERSION + 1}", VERSION + 1)])
def test_a_part_of_another_version(package: Path, text: str, built: int) -> None:
    """One that was built before or behind a change of its source is an error, too."""
    (package / f"_of_{built}.py").write_text(text)
    said = rf"_of_{built} was built as version {built}, and this pagekin needs version {VERSION};"
    with pytest.raises(PagekinError, match=said):
        load(f"{package.name}._of_{built}")


def test_a_part_that_needs_what_is_missing(package: Path) -> None:
    """An error of the part itself is not taken for a part that was not built."""
    (package / "_needs.py").write_text("import no_such_module")
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        load(f"{package.name}._needs")


def test_the_command_says_so(tmp_path: Path) -> None:
    """A user sees one sentence, and no traceback."""
    copy = tmp_path / "lib" / "pagekin"
    for path in [*(LIB / "pagekin").rglob("*.py")]:
        target = copy / path.relative_to(LIB / "pagekin")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    for path in SOURCES:
        (copy / path.relative_to(LIB / "pagekin")).with_suffix(".abi3.so").write_bytes(b"no part")
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "lib"), PURE: "0"}
    page = tmp_path / "page.html"
    page.write_text("<p>Bees")
    said = python("-m", "pagekin", "page", page, env=environment)
    assert (1, "") == (said.code, said.out)
    assert re.fullmatch(r"pagekin: pagekin\.[\w.]+ cannot be loaded: .*\n", said.err)


# --- what comes of it ---


def test_same_index(tmp_path: Path) -> None:
    """Bags, blocks and signatures of real WARC bytes are the same, whoever read them."""
    digests = []
    for pure in ("0", "1"):
        index = tmp_path / f"index-{pure}"
        words = ("--work", tmp_path / f"work-{pure}", "--index", index, DEMO)
        said = pagekin("build", "--quiet", *words, env={**os.environ, PURE: pure})
        assert (0, "", "") == said
        digests.append(read_header(index).digest)
    assert digests[0] == digests[1]
