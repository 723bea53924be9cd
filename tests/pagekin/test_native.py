"""What is written twice: which of both is taken, and that a build does not show it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pagekin.index.folder import read_header
from pagekin.native import NAMES, PURE, load, main, missing
from tests.natives import native
from tests.running import DEMO, ROOT, pagekin


@pytest.mark.parametrize("name", NAMES)
def test_every_source_is_built(name: str) -> None:
    """Where there is a compiler; what setup.py forgets would never be fast."""
    assert native(name) is not None


@pytest.mark.parametrize(("value", "wanted"), [("", True), ("0", True), ("1", False)])
def test_python_alone(monkeypatch: pytest.MonkeyPatch, value: str, wanted: bool) -> None:
    """One setting chooses Python for all."""
    native(NAMES[0])
    monkeypatch.setenv(PURE, value)
    assert wanted == (load(NAMES[0]) is not None)


def test_none_is_forgotten() -> None:
    """What has a source is known, and made known to setuptools."""
    sources = {path.relative_to(ROOT / "lib") for path in (ROOT / "lib/pagekin").glob("*/_*.c")}
    assert {str(path.with_suffix("")).replace("/", ".") for path in sources} == {*NAMES}
    setup = (ROOT / "setup.py").read_text("utf-8")
    for path in sources:
        assert f'"{path.parent.name}/{path.stem}"' in setup


def test_which_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence says who does the work."""
    native(NAMES[0])
    main()
    monkeypatch.setenv(PURE, "1")
    main()
    built, pure = capsys.readouterr().out.splitlines()
    assert "parts in C: built" == built
    assert "Python does their work" in pure
    assert [*NAMES] == missing()


def test_what_is_not_there() -> None:
    """A module that was not built is no error."""
    assert load("pagekin.web._nothing") is None


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
