"""What the package itself offers: `pagekin.Index`, and the errors."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import pagekin
from pagekin import Index, InputError, NotFoundError, PagekinError, UsageError

BOWLINE = "http://knots.sailing.example/bowline.html"
SPLICING = "http://knots.sailing.example/splicing.html"


def test_python(demo_index):
    """`from pagekin import Index` is all that a program needs; the package alone is light."""
    code = (
        "import sys, pagekin; light = 'numpy' not in sys.modules\n"
        "from pagekin import Index\n"
        f"kin = Index.open({str(demo_index)!r}).related({BOWLINE!r}, k=3)\n"
        "print(light, [k.url for k in kin] == [k.url for k in pagekin.Index.open("
        f"{str(demo_index)!r}).related({BOWLINE!r}, 3)], len(kin), kin[0].url)\n"
        "print([m for m in ('mrjob', 'lxml', 'boto3', 'nltk') if m in sys.modules])"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [f"True True 3 {SPLICING}", "[]"] == said.stdout.splitlines()


def test_errors(demo_index, tmp_path):
    """Errors are caught by the names that the package offers; each is one sentence."""
    with pytest.raises(NotFoundError, match=r"^http://nobody\.example/ is not in the index"):
        Index(demo_index).related("nobody.example")
    with pytest.raises(InputError, match="is no index"):
        Index(tmp_path)
    with pytest.raises(UsageError, match="by is 'words'"):
        Index(demo_index).related(BOWLINE, by="words")
    assert all(issubclass(e, PagekinError) for e in (InputError, NotFoundError, UsageError))


def test_all_names():
    """Every name that the package promises is there."""
    assert [] == [name for name in pagekin.__all__ if not hasattr(pagekin, name)]


def test_types(tmp_path):
    """A program that asks an index is checked against the types of the package."""
    assert Path(pagekin.__file__).with_name("py.typed").exists()  # PEP 561
    program = tmp_path / "program.py"
    program.write_text(
        "from pagekin import Answer, Index, NotFoundError\n"
        "def best(path: str, url: str) -> float:\n"
        "    with Index(path) as index:\n"
        "        answer: Answer = index.related(url, k=1)\n"
        "        reveal_type(index)\n"
        "        return answer[0].url\n",
        encoding="utf-8",
    )
    words = [sys.executable, "-m", "mypy", "--config-file=", "--follow-imports=silent", program]
    own = {**os.environ, "MYPYPATH": str(Path(pagekin.__file__).parents[1])}
    said = subprocess.run(
        words, capture_output=True, text=True, cwd=tmp_path, env=own, check=False
    ).stdout
    assert 'Revealed type is "pagekin.query.api.Index"' in said
    assert 'Incompatible return value type (got "str", expected "float")' in said
    assert "Found 1 error" in said


def test_unknown_name():
    """What the package does not offer is an error as anywhere."""
    with pytest.raises(AttributeError, match="has no attribute 'Indexes'"):
        pagekin.Indexes  # noqa: B018
    assert pagekin.Index is Index
