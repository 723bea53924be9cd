"""`pagekin evaluate mirrors`: pairs judged by an index, and by the sketches of a workspace."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin.index.assembling import Mirrors
from pagekin.index.mirror_table import Edge, Group
from tests.indexes import config_of, make_bag, make_index
from tests.report_pages import read_report
from tests.warcs import response

A, B, C, D, E = (f"http://{name}.example/p" for name in "abcde")
A2 = "http://a.example/q"
PAIRS = [
    (A, B, 0.9),  # in a group, by an edge of .8
    (A, C, 0.6),  # over B: .7
    (A, A2, 0.1),  # wrong: .55
    (D, E, 0.8),  # missed
    (B, D, 0.0),
    (A, "http://none.example/", 1.0),
]


def edge(a: str, b: str, resemblance: int) -> Edge:
    return Edge(a.encode(), b.encode(), resemblance, 9000, 9000)


@pytest.fixture
def pairs(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{a}\t{b}\t{likeness}\t1\t0.5\n" for a, b, likeness in PAIRS))
    return path


@pytest.fixture(params=[1, 3])
def index(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    bags = [make_bag(url, {20: 1.0}) for url in (A, B, C, D, E, A2)]
    edges = [edge(A, B, 8000), edge(B, C, 7000), edge(A, A2, 5500)]
    group = Group([url.encode() for url in (A, A2, B, C)], edges, 5500, 5000, 2)
    config = config_of(request.param)
    return make_index(tmp_path / "index", bags, config, mirrors=Mirrors([group], []))


def test_index(command, index, pairs):
    """By edges of at least a threshold, and by groups, same host and cross host apart."""
    said = command("evaluate", "mirrors", "--index", index, pairs)
    assert (0, "") == (said.code, said.err)
    lines = said.out.splitlines()
    assert "5 pairs; of 1 more a page is not there; 3 are alike (by 0.5 and more)" == lines[0]
    rows = {line.split()[0]: line.split()[1:] for line in lines if line[:2] in {"0.", "1.", "gr"}}
    same = ["0.000"]  # precision alone: no pair of one host is alike
    assert ["0.667", "0.667", "0.667", *same, "1.000", "0.667", "0.800"] == rows["0.50"]
    assert rows["0.50"] == rows["groups"]
    assert ["1.000", "0.667", "0.800", "1.000", "0.667", "0.800"] == rows["0.70"]
    assert ["1.000", "0.333", "0.500", "1.000", "0.333", "0.500"] == rows["0.75"]
    assert "all pairs                      6           3" in lines
    assert "same host                      1           1" in lines
    wrong, missed = map(lines.index, ("found, and not alike", "alike, and not found"))
    assert [f"  0.1000  {A}", f"          {A2}"] == lines[wrong + 1 :][:2]
    assert [f"  0.8000  {D}", f"          {E}"] == lines[missed + 1 :][:2]


def test_json_and_report(command, index, pairs, tmp_path):
    """JSON has what is shown; the report shows it with plots."""
    path = tmp_path / "report.html"
    said = command("evaluate", "mirrors", "--index", index, pairs, "--json", "--report", path)
    assert (0, f"pagekin: the report is in {path}\n") == (said.code, said.err)
    result = json.loads(said.out)
    assert (5, 1, 0.5, 0.5) == tuple(result[n] for n in ("pairs", "missing", "alike", "threshold"))
    assert {"pairs": 5, "other_path": 2} == result["within_groups"]["cross_host"]
    assert [[A, A2]] == result["within_groups"]["others"]
    page = read_report(path.read_text())
    assert page.title.startswith("Mirrors: ")
    assert path.read_text().count("<svg") == 3
    cells = [[cell.text for cell in row] for row in page.rows]
    assert ["0.70", "1.000", "0.667", "0.800", "", "", "", "1.000", "0.667", "0.800"] in cells
    assert ["from 0.5", "3", "2", "0.667"] in cells
    assert any(A2 in row[-1] for row in cells)


TEXT = "the bowline is an ancient and simple knot used to form a fixed loop at the end of a rope "
MORE = "it has the virtues of being easy to tie and easy to untie even after it was under load "
OTHER = "bees gather nectar and pollen of many flowers in summer and store it in their hives "


def test_workspace(command, pairs, tmp_path):
    """By the sketches of both pages, whether the build compared them or not."""
    crawl = tmp_path / "crawl.warc"
    bodies = {A: TEXT + MORE, B: TEXT + MORE, C: TEXT + OTHER, A2: OTHER, D: MORE, E: OTHER + MORE}
    page = "<html><body><p>{}</p></body></html>".format
    crawl.write_bytes(b"".join(response(url, page(b).encode()) for url, b in bodies.items()))
    work = tmp_path / "work"
    built = command("build", "-q", "-r", "inline", "--until", "shingles", "--work", work, crawl)
    assert 0 == built.code
    said = command("evaluate", "mirrors", "--work", work, pairs, "--json")
    result = json.loads(said.out)
    assert (5, 1, None) == (result["pairs"], result["missing"], result["within_groups"])
    assert [None] * 3 == [part["groups"] for part in result["parts"].values()]
    found = {row["threshold"]: row["found"] for row in result["parts"]["all"]["thresholds"]}
    assert (1, 4) == (found[1.0], found[0.2])
    assert "by 0.5 and more" in command("evaluate", "mirrors", "--work", work, pairs).out


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--index", "a", "--work", "b"], "--work and --index: name one of them"),
        (["--alike", "0"], "--alike 0.0: it must be above 0 and at most 1"),
        (["--index", "INDEX"], "has no groups of mirrors; `pagekin build` makes them"),
        (["--work", "none"], "none is not a workspace; `pagekin build --work` makes one"),
    ],
)
def test_refused(command, pairs, tmp_path, words, why):
    """One sentence."""
    bare = make_index(tmp_path / "bare", [make_bag(A, {20: 1.0})])
    words = [str(bare) if word == "INDEX" else word for word in words]
    said = command("evaluate", "mirrors", *words, pairs)
    assert (True, True) == (said.code != 0, why in said.err)
