"""The sanitizers: what they are run over, and proof that they, and the comparison, would tell."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import sanitized
from tests.running import ROOT, python

PART = """
#include "../part.h"
static PyObject *first_of(PyObject *self, PyObject *size)
{
    char *bytes = calloc(8, 1);
    long value = bytes[PyLong_AsLong(size)];
    free(bytes);
    return PyLong_FromLong(value + (size == self));
}
static PyMethodDef methods[] = {{"first_of", first_of, METH_O, NULL}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_spoilt", "A part.", -1, methods,
                                    NULL, NULL, NULL, NULL};
PyMODINIT_FUNC PyInit__spoilt(void) { return with_version(PyModule_Create(&module)); }
"""


def test_tests_are_found() -> None:
    """All that ask for a part, wherever they are, and no others."""
    found = sanitized.tests_of_parts(ROOT)
    assert ROOT / "tests" / "pagekin" / "test_native.py" in found
    assert Path(__file__) not in found
    for path in found:
        assert "native(" in path.read_text("utf-8"), path
    words = ["git", "ls-files", "lib/**/_*.c"]
    names = subprocess.run(words, cwd=ROOT, capture_output=True, check=True).stdout.decode().split()
    assert names == [str(path.relative_to(ROOT)) for path in sanitized.sources(ROOT)]


def test_help() -> None:
    """The seed, the number of inputs and the short form can be chosen."""
    said = python(ROOT / "scripts" / "sanitize", "--help")
    assert (0, "") == (said.code, said.err)
    for option in ("--short", "--seed N", "--inputs N", "--records N", "--mutated N"):
        assert option in said.out


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not there")
def test_a_read_beyond_the_end_is_found(tmp_path: Path) -> None:
    """A part that reads one byte too far ends with an error; one that does not is fine."""
    package = tmp_path / "lib" / "pagekin" / "spoilt"
    package.mkdir(parents=True)
    shutil.copy(ROOT / "lib" / "pagekin" / "part.h", package.parent)
    for folder in (package.parent, package):
        (folder / "__init__.py").touch()
    (package / "_spoilt.c").write_text(PART)
    sanitized.build_parts(tmp_path)
    code = "from pagekin.spoilt._spoilt import first_of as f; print(f({}))"
    out = tmp_path / "out"
    assert 0 == sanitized._run(tmp_path, "-c", code.format(7), output=out)
    assert "0\n" == out.read_text()
    assert sanitized._run(tmp_path, "-c", code.format(8), output=out) != 0


@pytest.mark.parametrize("differs", [False, True])
def test_a_difference_is_found(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    differs: bool,
) -> None:
    """Files of the index and answers are compared; one that differs is named."""

    def run(folder: Path, *words: str, output: Path, PAGEKIN_PURE: str) -> int:  # noqa: N803
        if "build" in words:
            assert len(list((folder / "spoilt").iterdir())) == 2
            index = output.parent / "index"
            index.mkdir()
            (index / "H.arrays").write_text("same")
            (index / "I.arrays").write_text(PAGEKIN_PURE if differs else "same")
        output.write_text("answer")
        return 0

    monkeypatch.setattr(sanitized, "_run", run)
    assert int(differs) == sanitized._compare_builds(tmp_path, 4, 1)
    said = capsys.readouterr().out
    assert differs == ("== index/I.arrays differs between C and Python\n" in said)
    assert "H.arrays" not in said


def test_a_build_that_fails_is_a_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its code is given on, and nothing is compared."""
    monkeypatch.setattr(sanitized, "_run", lambda *words, **options: 6)
    assert 6 == sanitized._compare_builds(tmp_path, 4, 1)


@pytest.mark.parametrize(("inputs", "wanted"), [(7, 7), (0, 30)])
def test_number_of_inputs(inputs: int, wanted: int) -> None:
    """That of the option; without one that of the test."""
    seen: list[int] = []

    @settings(max_examples=30, database=None)
    @given(st.integers())
    def test(number: int) -> None:
        seen.append(number)

    class Item:
        obj: Any = staticmethod(test)

    class Config:
        def getoption(self, name: str) -> int:
            return {"--inputs": inputs}[name]

    sanitized.pytest_collection_modifyitems(Config(), [Item()])  # type: ignore[arg-type, list-item]
    test()
    assert wanted == len(seen)
