"""Scores of links in whole builds: by rounds of a job, in memory, and where there is one site."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.index.folder import AUTHORITY
from pagekin.storage.workspace import Workspace
from tests.running import DEMO, pagekin
from tests.warcs import gz, response, warcinfo

SCORED = ("--only", "cocitation", "--authority-scores", "true", "--authority-rounds", "3")


def build(folder: Path, snapshot: Path, *words: object) -> dict[str, dict[str, int]]:
    """Build it in a folder; gives the counters of the scores, and what was told."""
    flags = (*SCORED, "--work", folder / "work", "--index", folder / "index", *words)
    said = pagekin("build", "--json", *flags, snapshot)
    assert 0 == said.code, said.err
    return {stage["name"]: stage for stage in json.loads(said.out)["stages"]}


@pytest.fixture(scope="module")
def in_memory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("memory")
    build(folder, DEMO)
    return folder


def test_in_rounds(in_memory, tmp_path):
    """Three rounds of the job give the table of three rounds in memory, byte for byte."""
    stages = build(tmp_path, DEMO, "--authority-memory-links", "0")
    assert 3 == len(stages["authority"]["rounds"])
    assert 1 == len(Workspace(in_memory / "work").passes()["authority"]["result"]["rounds"])
    one, other = ((folder / "index" / AUTHORITY) for folder in (in_memory, tmp_path))
    assert one.read_bytes() == other.read_bytes()


def test_asked(in_memory):
    """The index knows the best, and passes every check."""
    with Index(in_memory / "index") as index:
        best = index.best_by_authority()
        assert index.authority(best.pages[0].name).of_page == best.pages[0].scores
        assert 1 == best.hosts[0].scores.pagerank_place
        assert [] == index.verify()


def test_nothing_is_made_anew(in_memory):
    """A second build keeps the scores; without them the index has none."""
    stages = build(in_memory, DEMO)
    assert {"kept"} == {stage["state"] for stage in stages.values()}


def test_one_site(tmp_path):
    """A crawl of one site has no other links than those within it, and these count."""
    pages = {name: f"<p>{name}<a href=/a>a</a><a href=/b>b</a>" for name in "abc"}
    records = [gz(response(f"http://one.example/{n}", p.encode())) for n, p in pages.items()]
    crawl = tmp_path / "crawl.warc.gz"
    crawl.write_bytes(b"".join([gz(warcinfo()), *records]))
    stages = build(tmp_path, crawl)
    counted = {"pages": 3, "links_of_pages": 4, "hosts": 1}
    assert counted == stages["link_graph"]["counters"]["link_graph"]
    with Index(tmp_path / "index") as index:
        places = [index.authority(f"one.example/{n}").of_page.pagerank_place for n in "abc"]
    assert [1, 1, 3] == places
    apart = build(tmp_path, crawl, "--authority-within-sites", "leave")
    assert "links_of_pages" not in apart["link_graph"]["counters"]["link_graph"]
