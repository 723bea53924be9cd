"""Marks by the numbers of links become a folder that `pagekin evaluate segmentation` reads."""

from __future__ import annotations

import hashlib
import subprocess
import sys
from pathlib import Path

import pytest

from pagekin.evaluate.segmentation import read_marked_pages
from tests.running import ROOT
from tests.warcs import gz, response

SCRIPT = ROOT / "scripts" / "marked-pages"
URL = "http://a.example/"
HTML = "<p><a href=1>é</a><a href=2></a></p><p><a href=3></a><a href=/4?a&amp;b></a></p>"
CHECK = hashlib.sha256(b"1\n2\n3\n/4?a&b").hexdigest()[:16]


def run(folder: Path, *words: str, check: str = CHECK) -> subprocess.CompletedProcess[str]:
    """Of a page and its marks."""
    (folder / "c.warc.gz").write_bytes(gz(response(URL, HTML.encode())))
    line = "\t".join(["small", URL, "4", check, "0-3 2-3", "0-1"])
    (folder / "marks.tsv").write_text(f"# a comment\n{line}\n")
    files = [folder / "marks.tsv", folder / "out", folder / "c.warc.gz"]
    command = [sys.executable, SCRIPT, *words, *files]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("words", "marked"),
    [
        ((), [[0, 1, 2, 3], [2, 3]]),
        (("--entries", "--corpus", "small", "--links", "4-9"), [[0, 1, 2, 3], [2, 3], [0, 1]]),
    ],
)
def test_pages(tmp_path, words, marked):
    """Pages are written as UTF-8, with their links and the blocks that are asked for."""
    said = run(tmp_path, *words)
    assert (0, "1 pages\n") == (said.returncode, said.stderr)
    (page,) = read_marked_pages(tmp_path / "out")
    assert (URL, HTML, marked) == (page.url, page.body.decode(), page.marked)
    assert ["1", "2", "3", "/4?a&b"] == page.hrefs


def test_other_pages(tmp_path):
    """Pages of other corpora and sizes are left out."""
    assert 0 == run(tmp_path, "--corpus", "large").returncode
    assert [] == list(read_marked_pages(tmp_path / "out"))


def test_another_version(tmp_path):
    """A page whose links are others than those that were marked is refused."""
    said = run(tmp_path, check="0" * 16)
    assert 1 == said.returncode
    assert f"{URL}: the page has other links than the one that was marked\n" == said.stderr
