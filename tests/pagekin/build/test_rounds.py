"""Stages whose job runs in rounds: they go on behind a kill, and say what each round did."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pagekin.build.chain import Build
from pagekin.cli import main
from pagekin.config import BuildConfig
from pagekin.planning import sample_build
from pagekin.planning.sample_build import build_sample
from pagekin.stages import chain as stages
from pagekin.stages import described, readable
from pagekin.stages.declaration import PARTS, Stage
from pagekin.storage.workspace import Workspace
from pagekin.web.sources import list_snapshot
from tests.jobs import halving
from tests.jobs.halving import HALVES, HALVING
from tests.pagekin.build.test_faults_of_stores import build as build_in
from tests.pagekin.build.test_faults_of_stores import cluster
from tests.pagekin.storage.stores import FolderStore
from tests.running import BAGS, Said, pagekin, record_of

ROUND = "halving round"
ROUNDS, RECORDS = 6, 68  # of the small snapshot


def add_stage(patch: pytest.MonkeyPatch, stage: Stage) -> None:
    """Put it at the end of the chain."""
    (output,) = stage.outputs
    patch.setitem(sys.modules, "pagekin.jobs.halving", halving)
    patch.setattr(stages, "STAGES", (*stages.STAGES, stage))
    patch.setattr(described, "STAGES", stages.STAGES)
    patch.setattr(sample_build, "STAGES", stages.STAGES)
    patch.setitem(stages._OUTPUTS, output.name, output)
    patch.setitem(stages._STAGE_OF, output.name, stage)
    patch.setitem(stages._MAKERS, HALVES, output)


@pytest.fixture(autouse=True)
def _chain(monkeypatch: pytest.MonkeyPatch) -> None:
    add_stage(monkeypatch, HALVING)


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, small_snapshot: Path) -> Path:
    """The small snapshot without rounds, built. For copying."""
    work = tmp_path_factory.mktemp("built") / "work"
    assert 0 == pagekin("build", "-q", "-r", "inline", *BAGS, "--work", work, small_snapshot).code
    return work


@pytest.fixture
def work(built: Path, tmp_path: Path) -> Path:
    shutil.copytree(built, tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture
def words(work: Path, small_snapshot: Path) -> list[object]:
    """Of a build that ends with the rounds."""
    return ["build", *BAGS, "--until", "halving", "--work", work, small_snapshot]


def rounds_told(said: Said) -> list[str]:
    """What the report says of rounds."""
    return [line.strip().partition(",")[0] for line in said.err.splitlines() if ROUND in line]


def numbers(work: Path) -> list[int]:
    """The longest URL halved, and again, as the rounds should."""
    bags = [key for key, _ in Workspace(work).records("weighted_bags") if key[:1] != b"!"]
    found = [sum(len(key) >> n for key in bags) for n in range(10)]
    return found[: found.index(0) + 1]


@pytest.mark.parametrize("runner", ["inline", "local"])
def test_rounds(command: Callable[..., Said], words, work, runner):
    """Each round reads what the one before made and hears what it counted; all are told."""
    said = command(*words, "-r", runner)
    assert 0 == said.code
    sums, record = numbers(work), record_of(work, "halving")
    told = record["result"]["rounds"]
    assert sums == [each["counters"].get("sum", 0) for each in told]
    assert len(sums) == len(rounds_told(said)) == ROUNDS
    read = record["result"]["records"]
    assert {f"0 {sums[-2]} {read}".encode()} == {v for _, v in Workspace(work).records("halving")}
    for name in ("seconds", "cpu_seconds"):
        assert record["result"][name] == pytest.approx(sum(each[name] for each in told), abs=0.01)
    assert {"up to date"} == {
        d["reason"] for d in json.loads(command(*words, "--dry-run", "--json").out)["stages"]
    }
    summary = json.loads((work / "summary.json").read_text(encoding="utf-8"))
    assert told == summary["stages"][-1]["rounds"]


def killed_behind(number: int, words: list[object]) -> None:
    """Run a build in a process of its own that kills itself when so many rounds are whole."""

    def build() -> None:
        complete, done = Workspace.complete, []

        def completing(self: Workspace, name: str, made: Path, record: dict[str, Any]) -> None:
            complete(self, name, made, record)
            done.append(name)
            if done.count("halving") == number:
                os.kill(os.getpid(), signal.SIGKILL)

        Workspace.complete = completing  # type: ignore[method-assign] # this process ends soon
        main([*map(str, words), "-q"])

    process = multiprocessing.get_context("fork").Process(target=build)
    process.start()
    process.join()
    assert -signal.SIGKILL == process.exitcode


def test_killed_between_rounds(command: Callable[..., Said], words, work, built):
    """A build that was killed goes on with the round behind the last whole one, and comes out as
    one that nobody disturbed. What was whole is no finished stage."""
    killed_behind(3, words)
    unfinished = command("records", "--work", work, "halving")
    assert (1, "") == (unfinished.code != 0, unfinished.out)
    planned = json.loads(command(*words, "--dry-run", "--json").out)["stages"]
    assert "not there yet; goes on with round 4" == planned[-1]["reason"]
    expected = [f"{ROUND} {n}: {RECORDS} records" for n in range(4, ROUNDS + 1)]
    assert expected == rounds_told(command(*words, "-r", "inline"))
    whole = work.with_name("whole")
    shutil.copytree(built, whole)
    assert 0 == command(*(whole if w == work else w for w in words), "-q", "-r", "inline").code
    one, other = (record_of(folder, "halving")["result"] for folder in (work, whole))
    assert one["kinds"] == other["kinds"]
    assert one["counters"] == other["counters"]
    for result in (one, other):
        assert [RECORDS] * ROUNDS == [each["records"] for each in result["rounds"]]


@pytest.mark.parametrize("change", [("--weight-terms", "9"), ("--weight-df", "none")])
def test_settings_changed_between_rounds(command: Callable[..., Said], words, change):
    """Rounds made with other settings, or of other records, are not gone on from."""
    killed_behind(3, words)
    said = command(*words, *change, "-r", "inline")
    assert f"{ROUND} 1" == rounds_told(said)[0].partition(":")[0]


def test_damaged_round(command: Callable[..., Said], words, work):
    """A round that is not as it was written is made anew, from the first on, and that is said."""
    killed_behind(3, words)
    part = next((work / "halving").glob("part-*"))
    part.write_bytes(part.read_bytes().replace(b"!halves/h", b"!halves/g"))
    said = command(*words, "-r", "inline")
    assert 0 == said.code
    assert "halving is made anew" in said.err
    assert f"{ROUND} 1" == rounds_told(said)[0].partition(":")[0]


@pytest.mark.parametrize("must", [True, False])
def test_not_still(command: Callable[..., Said], words, work, monkeypatch, must):
    """After the last round a stage is complete, or has failed if it had to be still."""
    rounds = replace(HALVING.rounds, most=lambda config: 2, must_be_still=must)
    stage = replace(HALVING, rounds=rounds)
    add_stage(monkeypatch, stage)
    monkeypatch.setattr(halving.Halving, "STAGE", stage)
    said = command(*words, "-r", "inline")
    if must:
        assert "stage halving failed: not still after 2 rounds" in said.err
        assert 1 == len(rounds_told(said))
    else:
        assert 2 == len(record_of(work, "halving")["result"]["rounds"])


def test_records_between_rounds(command: Callable[..., Said], words, work, monkeypatch):
    """What mappers send can be seen, as the first round does it."""
    monkeypatch.setitem(
        readable._SHOWN, HALVES, lambda key, value, names: {"number": int(value.split()[0])}
    )
    assert 0 == command(*words, "-r", "inline", "-q").code
    said = command("records", "--work", work, "halving", "--shuffled", "-n", 0, "--json")
    shown = [json.loads(line) for line in said.out.splitlines()]
    assert [RECORDS, numbers(work)[0]] == [len(shown), sum(each["number"] for each in shown)]


def test_described(command: Callable[..., Said]):
    """The stages say that there are rounds, and how many at most."""
    assert (
        "runs in rounds, each on the records of the one before, at most 10" in command("stages").out
    )
    assert "  halving -->|again| halving" in command("stages", "--drawing").out
    told = json.loads(command("stages", "--json").out)["stages"]
    assert {"reading": 1, "halving": 10}.items() <= {s["name"]: s["rounds"] for s in told}.items()


def test_rounds_are_of_records():
    """A stage that reads the snapshot, or has several outputs, cannot have rounds."""
    with pytest.raises(ValueError, match="rounds are for stages of records with one output"):
        replace(HALVING, reads=())


def test_sample(small_snapshot, tmp_path, monkeypatch):
    """A plan counts all rounds of a stage as its work, and what the last one made as its output."""

    def build(*words: Any, **others: Any) -> Build:
        return Build(*words, **{**others, "until": "halving", "index": None})

    monkeypatch.setattr(sample_build, "Build", build)
    told: list[str] = []
    files = list_snapshot([str(small_snapshot)])
    sample = build_sample(
        BuildConfig(), PARTS, files, tmp_path, told.append, share=1.0, starts=False
    )
    use = sample.stages[-1]
    assert (1, "halving", "weighted_bags") == (told.count("halving"), use.name, use.reads)
    assert (RECORDS, RECORDS * ROUNDS) == (use.output_records, use.shuffle_records)
    assert len(use.hottest) == len({hot.key for hot in use.hottest})
    assert use.map.wall > ROUNDS * 0.02  # in each, Python was started


@pytest.mark.parametrize("moves", [True, False])
def test_in_a_store(small_snapshot, tmp_path, monkeypatch, moves):
    """In HDFS and in S3 a build goes on behind the last whole round, too, and nothing is left."""
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path / "cache"))
    store = FolderStore(tmp_path / "work", moves=moves)
    runs, begun = cluster(store), []

    def counting(job: str, *words: Any) -> tuple[float, float]:
        begun.append(job)
        if begun.count(HALVING.job) == 4:
            raise KeyboardInterrupt
        return runs(job, *words)

    with pytest.raises(KeyboardInterrupt):
        build_in(store, small_snapshot, counting, "halving")
    made = build_in(store, small_snapshot, counting, "halving")
    assert ROUNDS + 1 == begun.count(HALVING.job)  # one did not come to anything
    whole = FolderStore(tmp_path / "whole", moves=moves)
    assert made == build_in(whole, small_snapshot, cluster(whole), "halving")
    files = [sorted(name.partition("/")[0] for name in each.files()) for each in (store, whole)]
    assert files[0] == files[1]  # of each pass as many
