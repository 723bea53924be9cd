"""One digest: the demo snapshot and 500 messy pages on every engine, the real ones included.

Both are built together, as one snapshot in two folders: every engine reads all pages of both, and a
chain of eight stages is not paid twice.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pagekin.build.manifests import write_manifests
from pagekin.index.folder import read_header
from pagekin.stages.inventory.cuts import cuts_of
from pagekin.storage.workspace import Workspace
from pagekin.web.sources import list_snapshot
from tests.engines.clusters import LocalHadoop, spark_conf
from tests.engines.mock_emr import MockEmr
from tests.engines.sample import write_large_file, write_sample
from tests.running import DEMO, INVENTORY, pagekin

pytestmark = pytest.mark.engines

# Little is related in so small a web by the defaults; and what is empty shows no difference.
FLAGS = ("--tasks", "2", "--shards", "2", "--cocitation-threshold", "0.3")
FLAGS += ("--enrich-words", "true", "--enrich-links", "true", "--enrich-topics", "true", "--json")
# scores in rounds of a job, and pairs that count by them
FLAGS += ("--authority-memory-links", "0", "--authority-rounds", "2")
FLAGS += ("--cocitation-regulate", "pagerank")

Words = list[object]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both snapshots, and a file that is so large that tasks share it."""
    folder = tmp_path_factory.mktemp("both")
    shutil.copytree(DEMO, folder / "demo")
    write_sample(folder / "sample", pages=560)  # of which 500 are read
    write_large_file(folder / "sample" / "large.warc.gz")
    return folder


def _folders(both: Path) -> Words:
    return [both / "demo", both / "sample"]


def _build(base: Path, *words: object) -> dict[str, Any]:
    work, index = base / "work", base / "index"
    said = pagekin("build", *FLAGS, "--work", work, "--index", index, *words)
    assert 0 == said.code, said.err
    summary: dict[str, Any] = json.loads(said.out)
    assert read_header(index).digest == summary["index"]["digest"]
    return summary


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the local runner works."""
    return tmp_path_factory.mktemp("expected")


@pytest.fixture(scope="module")
def expected(both: Path, base: Path) -> dict[str, Any]:
    """What it makes."""
    return _build(base, *_folders(both))


# --- what each engine wants: words of the command, and where the snapshot lies for it ---


def on_inline(base: Path, both: Path, request: pytest.FixtureRequest) -> Words:
    return ["-r", "inline", *_folders(both)]


def on_spark(master: str) -> Callable[[Path, Path, pytest.FixtureRequest], Words]:
    def words(base: Path, both: Path, request: pytest.FixtureRequest) -> Words:
        return ["-r", "spark", "-c", spark_conf(base / "spark.conf", master), *_folders(both)]

    return words


def on_hadoop(base: Path, both: Path, request: pytest.FixtureRequest) -> Words:
    cluster: LocalHadoop = request.getfixturevalue("hadoop")
    address = cluster.put(both, "both")
    conf = cluster.conf(base / "hadoop.conf")
    return ["-r", "hadoop", "-c", conf, f"{address}/demo", f"{address}/sample"]


def on_emr(base: Path, both: Path, request: pytest.FixtureRequest) -> Words:
    emr: MockEmr = request.getfixturevalue("emr")
    words = ["-r", "emr", "-c", emr.conf, "--package", "none"]
    return [*words, emr.upload(both / "demo", "demo"), emr.upload(both / "sample", "sample")]


ENGINES = {
    "inline": on_inline,
    "spark-local": on_spark("local[2]"),
    "spark-cluster": on_spark("local-cluster[2,1,1024]"),
    "hadoop": on_hadoop,
    "emr": on_emr,
}


@pytest.mark.parametrize("engine", ENGINES)
def test_engines(engine, both, expected, tmp_path, request):
    """Every engine gives the index of the local runner, bit for bit, and the same counters."""
    words = ENGINES[engine](tmp_path, both, request)
    summary = _build(tmp_path, *words)
    assert expected["index"]["digest"] == summary["index"]["digest"]
    ours, theirs = (
        {stage["name"]: _told(stage) for stage in each["stages"]} for each in (expected, summary)
    )
    assert ours == theirs


def _told(stage: dict[str, Any]) -> tuple[object, ...]:
    """Counters and digest; the names of captures, in the inventory, say where the files lie."""
    digest = "" if stage["name"].startswith("inventory") else stage["digest"]
    return stage["counters"], stage["records"], digest


def test_the_sample_is_worth_the_while(expected):
    """No stage is empty, and what the sample is to hold is there."""
    stages = {stage["name"]: stage for stage in expected["stages"]}
    assert [] == [name for name, stage in stages.items() if not stage["records"]]
    assert 500 < stages["reading.fragments.blocks.links.shingles"]["counters"]["records"]["used"]
    assert 0 < stages[INVENTORY]["counters"]["inventory"]["redirects"]
    for name in (INVENTORY, "reading.fragments.blocks.links.shingles"):
        assert {"read": 10} == stages[name]["counters"]["files"]


@pytest.mark.usefixtures("expected")
def test_a_file_is_cut(both, base, tmp_path):
    """Each of two tasks reads a part of the large file, on every engine."""
    work = Workspace.open(base / "work")
    cuts = cuts_of(work.records(INVENTORY))
    assert [str(both / "sample" / "large.warc.gz")] == list(cuts)
    snapshot = list_snapshot(map(str, _folders(both)))
    manifests = [path.read_text() for path in write_manifests(tmp_path / "m", snapshot, 2, cuts)]
    assert [1, 1] == [manifest.count("large.warc.gz\t") for manifest in manifests]
