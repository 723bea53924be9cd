"""Builds that end in an index: the same everywhere, made when it is due, whole or not at all."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.build.bag_store import BagStore
from pagekin.errors import InputError
from pagekin.index.folder import NEIGHBOURS, TOPICS, read_header
from pagekin.index.verify import verify_index
from pagekin.tables import ArrayFile
from tests.indexes import files_of
from tests.running import (
    BAGS,
    INVENTORY,
    ONE_HALF,
    READING,
    STAGES,
    Said,
    outputs,
    pagekin,
    record_of,
    write_record,
)
from tests.small import warned
from tests.warcs import gz, warcinfo

Build = Callable[..., Said]

SHARDS = 3


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


@pytest.fixture
def index(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def build(command: Callable[..., Said], work: Path, index: Path, small_snapshot: Path) -> Build:
    """`pagekin build` in this process, into `work` and `index`."""

    def run(*words: object, snapshot: Path = small_snapshot) -> Said:
        flags = ("-r", "inline", *ONE_HALF, "--work", work, "--index", index, "--shards", SHARDS)
        return command("build", *flags, *words, snapshot)

    return run


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, small_snapshot: Path) -> Path:
    """A folder with the workspace and index of the small snapshot. For copying."""
    base = tmp_path_factory.mktemp("built")
    flags = (*ONE_HALF, "--work", base / "work", "--index", base / "index", "--shards", SHARDS)
    said = pagekin("build", "-q", "-r", "inline", *flags, small_snapshot)
    assert (0, "", warned(small_snapshot)) == said
    return base


@pytest.fixture
def finished(built: Path, work: Path, index: Path) -> Path:
    """A finished workspace and index of one's own."""
    shutil.copytree(built / "work", work)
    return shutil.copytree(built / "index", index)


def summary_of(work: Path) -> dict:
    return json.loads((work / "summary.json").read_text(encoding="utf-8"))


def states(work: Path) -> dict[str, str]:
    """What the last build did with each stage, and with the index."""
    summary = summary_of(work)
    return {
        **{stage["name"]: stage["state"] for stage in summary["stages"]},
        "index": summary["index"]["state"],
    }


KEPT = dict.fromkeys([*STAGES, "index_shards", "index"], "kept")


# --- the same everywhere ---


@pytest.mark.parametrize("tasks", [1, 2, 4])
def test_numbers_of_tasks(built, work, index, small_snapshot, tasks):
    """In one process or in many that weigh, sign and invert, the index is the same in every byte.

    (That raw bags are the same everywhere is tested with the other stages.)
    """
    shutil.copytree(built / "work", work)
    for stage in ("weighted_bags", "index_shards"):
        shutil.rmtree(work / stage)
    flags = (*ONE_HALF, "--tasks", tasks, "--work", work, "--index", index, "--shards", SHARDS)
    said = pagekin("build", "-q", *flags, small_snapshot)
    assert (0, "", warned(small_snapshot)) == said
    assert files_of(built / "index") == files_of(index)
    assert [] == verify_index(index)


def test_elsewhere(built, work, index, build, small_snapshot):
    """Nor does it show where the snapshot lies, or that bags were built before."""
    copy = shutil.copytree(small_snapshot, work.with_name("elsewhere"))
    assert 0 == pagekin("build", "-q", "-r", "inline", "--work", work, copy).code
    assert 0 == build("-q", snapshot=copy).code
    assert files_of(built / "index") == files_of(index)


def test_bags_of_the_workspace(built):
    """The index holds the final bags, and the aliases of the inventory."""
    index = Index.open(built / "index")
    lines = outputs(built / "work")["weighted_bags"]["records"]
    assert sorted(line.split(b"\t")[0].decode() for line in lines) == [b.url for b in index.all()]
    assert "http://tools.example/smoker" == index.get("old.example").url
    assert index.info()["sources"][0]["names"] == [
        *("a.warc.gz", "b.warc", "c.warc.zst", "d d.warc.gz")
    ]


def test_snapshot_without_pages(build, index, tmp_path):
    """Nothing in is an error, and no index out."""
    (tmp_path / "a.warc.gz").write_bytes(gz(warcinfo()))
    assert InputError.exit_code == build("-q", snapshot=tmp_path / "a.warc.gz").code
    assert not index.exists()


def test_without_inventory(build, index):
    """Where no inventory is made there are no aliases, and an index all the same."""
    assert 0 == build("-q", "--reading-resolve", "false").code
    assert [] == verify_index(index)
    assert 0 == len(Index.open(index)._folder.aliases.resolve(["http://old.example/"]))


# --- what is kept and what is built again ---


def test_unchanged(finished, build, work):
    """A second build touches neither stages nor index."""
    before = {path: path.stat().st_mtime_ns for path in finished.rglob("*")}
    assert 0 == build().code
    assert states(work) == KEPT
    assert before == {path: path.stat().st_mtime_ns for path in finished.rglob("*")}


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (("--signatures-count", 9), "signatures.count changed from 80 to 9"),
        (("--shards", 2), "index.shards changed from 3 to 2"),
        (("--index-min-inlinks", 2), "index.min_inlinks changed from 0 to 2"),
        (("--signatures-method", "icws"), "signatures.method changed from darts to icws"),
    ],
)
def test_changed_signatures(finished, build, work, flags, reason):
    """What concerns the index alone builds its stage and the index, and no bags."""
    before = read_header(finished).digest
    assert 0 == build(*flags).code
    assert states(work) == {**KEPT, "index_shards": "built", "index": "built"}
    assert summary_of(work)["stages"][-1]["reason"] == reason
    assert before != read_header(finished).digest
    assert [] == verify_index(finished)


def test_change_without_effect(finished, build, work, built):
    """Another configuration is another index, though all its records are the same."""
    assert 0 == build("-q", "--text-max-letters", 63).code
    assert states(work) == {**KEPT, READING: "built", "index": "built"}
    ours, theirs = files_of(finished), files_of(built / "index")
    assert ours.pop("index.json") != theirs.pop("index.json")
    assert ours == theirs


@pytest.mark.parametrize("damage", ["remove the index", "remove a shard", "cut a file", "another"])
def test_index_that_is_not_whole(finished, build, work, built, damage):
    """An index that was removed, cut or exchanged is made again from the workspace."""
    if damage == "remove the index":
        shutil.rmtree(finished)
    elif damage == "remove a shard":
        shutil.rmtree(finished / "shard-00001")
    elif damage == "cut a file":
        path = finished / "shard-00001" / "H.arrays"
        path.write_bytes(path.read_bytes()[:-1])
    else:
        shutil.copy(finished / "shard-00000" / "I.arrays", finished / "shard-00001" / "I.arrays")
    assert 0 == build("-q").code
    assert states(work) == {**KEPT, "index": "built"}
    assert files_of(built / "index") == files_of(finished)


def test_bags_alone(finished, build, work, small_snapshot, built):
    """A build without --index leaves the index and its stage alone."""
    assert 0 == pagekin("build", "-q", "-r", "inline", *BAGS, "--work", work, small_snapshot).code
    assert "index" not in summary_of(work)
    assert "index_shards" not in [stage["name"] for stage in summary_of(work)["stages"]]
    assert files_of(built / "index") == files_of(finished)
    assert 0 == build("-q").code
    assert KEPT == states(work)


def test_topics(finished, build, work, built):
    """Asked for, topics are learned, stand in the bags, and lie in the index with their words."""
    assert 0 == build("--enrich-topics", "true").code
    made = ("topics", "enriched_bags", "index_shards", "index")
    assert {**KEPT, **dict.fromkeys(made, "built")} == states(work)
    table = ArrayFile(work / "topics" / "topics.arrays").checksum
    assert table == read_header(finished).files[TOPICS]
    assert [] == verify_index(finished)
    index = Index(finished)
    url = next(bag.url for bag in index.all() if bag.crawled)
    ours, theirs = (store.describe(store.get(url), 0) for store in (index, BagStore(work)))
    assert ours == theirs
    shown = {term["term"]: term["display"] for term in ours["terms"] if term["source"] == "topics"}
    near = index.topics(url)
    assert {topic.name: f"topic: {', '.join(topic.words[:3])}" for topic in near} == shown
    assert 0 == build().code
    assert TOPICS not in read_header(finished).files


def test_neighbours(finished, build, work, built):
    """Asked for, neighbours of words are learned and lie in the index, and nothing else changes."""
    assert 0 == build("--enrich-neighbours", "true").code
    assert {**KEPT, "term_neighbours": "built", "index": "built"} == states(work)
    ours, theirs = read_header(finished).files, read_header(built / "index").files
    table = ours.pop(NEIGHBOURS)
    assert theirs == ours
    assert table == ArrayFile(work / "term_neighbours" / "neighbours.arrays").checksum
    assert [] == verify_index(finished)
    assert 0 == build("--enrich-neighbours", "true").code
    assert {**KEPT, "term_neighbours": "kept"} == states(work)
    assert 0 == build().code
    assert NEIGHBOURS not in read_header(finished).files


def test_two_indexes_of_one_workspace(finished, work, command, small_snapshot):
    """A second index may be made beside the first, of the same stages."""
    other = work.with_name("other")
    flags = ("-q", "-r", "inline", *ONE_HALF, "--work", work, "--index", other, "--shards", SHARDS)
    assert 0 == command("build", *flags, small_snapshot).code
    assert {**KEPT, "index": "built"} == states(work)
    assert files_of(finished) == files_of(other)


# --- what a build says ---


def test_summary(finished, build, work):
    """summary.json and the sentences on stderr name the index."""
    said = build("--signatures-count", 12)
    summary = summary_of(work)["index"]
    header = read_header(finished)
    size = sum(len(data) for data in files_of(finished).values())
    assert summary["seconds"] >= 0
    assert {
        "path": str(finished),
        "place": str(finished),
        "state": "built",
        "digest": header.digest,
        "documents": header.documents,
        "shards": SHARDS,
        "bytes": size,
    } == {name: value for name, value in summary.items() if name != "seconds"}
    assert any(
        line.startswith(f"index {finished}: built, {header.documents} documents in 3 shards, ")
        for line in said.err.splitlines()
    )
    counters = record_of(work, "index_shards")["result"]["counters"]["index"]
    assert header.documents == counters["documents"]
    assert header.empty == counters.get("without_terms", 0)


def test_plan(build, work, index):
    """A plan names the stage of the index, and makes nothing."""
    plan = json.loads(build("--dry-run", "--json").out)
    made = INVENTORY.split(".")[1:], READING.split(".")[1:], STAGES[2:], ["index_shards"]
    assert list(chain.from_iterable(made)) == [stage["name"] for stage in plan["stages"]]
    assert [] == plan["notes"]
    assert not work.exists()
    assert not index.exists()


# --- what is refused ---


def test_folder_of_other_things(build, work, index):
    """A folder of other things is refused before anything runs."""
    index.mkdir()
    (index / "index.json").write_text('{"name": "my web site"}')
    expected = f"pagekin: --index {index}: holds other files and is no index; name a new folder\n"
    assert (2, "", expected) == build()
    assert not work.exists()
    assert ["index.json"] == [path.name for path in index.iterdir()]


def test_file(build, work, index):
    """So is a file."""
    index.write_text("")
    assert (2, "", f"pagekin: --index {index}: is a file; an index is a folder\n") == build()
    assert not work.exists()


@pytest.mark.parametrize("inside", [".", "below/it"])
def test_workspace_inside(command, tmp_path, small_snapshot, inside):
    """An index is no place for the workspace: it would be refused at the very end."""
    index = tmp_path / "both"
    words = ("--work", index / inside, "--index", index, small_snapshot)
    expected = f"pagekin: --index {index}: holds the workspace; name another folder\n"
    assert (2, "", expected) == command("build", *words)
    assert not index.exists()


def test_index_inside_of_the_workspace(command, work, small_snapshot):
    """The other way round it may be."""
    words = ("-q", "-r", "inline", "--work", work, "--index", work / "index", small_snapshot)
    assert 0 == command("build", *words).code
    assert 0 == command("build", *words).code
    assert [] == verify_index(work / "index")


def test_failing_build_leaves_the_old_index(finished, build, work, built):
    """An index stays as it is until the new one is whole."""
    path = next(
        p for p in sorted((work / "index_shards").glob("part-*")) if b"H/" in p.read_bytes()
    )
    path.write_bytes(path.read_bytes().replace(b"\tH/signatures ", b"\tX/signatures ", 1))
    write_record(work, "index_shards", record_of(work, "index_shards"))  # as a mistake of ours
    (finished / "shard-00000" / "H.arrays").unlink()
    before = files_of(finished)
    with pytest.raises(KeyError):
        build("-q")
    assert "failed" == summary_of(work)["state"]
    assert before == files_of(finished)
    assert {"work", "index"} == {path.name for path in finished.parent.iterdir()}


# --- killed ---

_SLOW = """
import sys, time
from pagekin.index import assembling
from pagekin.cli import main
write = assembling.write_shard
def slowly(folder, shard, config, pieces):
    write(folder, shard, config, pieces)
    print("written", shard, flush=True)
    time.sleep(30)
assembling.write_shard = slowly
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("old", [False, True])
def test_killed(finished, build, built, small_snapshot, old):
    """Killed while it writes the index, a build leaves the old one or none, and no half one.

    The next build has the index, and sweeps up.
    """
    work = finished.with_name("work")
    if not old:
        shutil.rmtree(finished)
    flags = ("-q", "-r", "inline", "--work", work, "--index", finished, "--signatures-count", "9")
    before = files_of(finished)
    words = [sys.executable, "-c", _SLOW, "build", *flags, str(small_snapshot)]
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"written 0\n" == process.stdout.readline()
        process.kill()
    assert before == files_of(finished)
    assert old == finished.exists()
    assert 1 == len(list(finished.parent.glob(".index.new.*")))  # what the killed one wrote
    assert 0 == build("-q").code
    assert files_of(built / "index") == files_of(finished)
    assert {"work", "index"} == {path.name for path in finished.parent.iterdir()}
