"""Builds: the same on every runner, going on where they stopped, and building only what is due."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from pagekin import progress
from pagekin.build import chain
from pagekin.build.manifests import write_manifests
from pagekin.engine import requirements as engines
from pagekin.errors import InputError
from pagekin.stages import chain as stages
from pagekin.stages.inventory import cuts
from pagekin.storage.workspace import Workspace
from tests.pagekin.web import servers
from tests.running import (
    BAGS,
    DEMO,
    INVENTORY,
    NOT_ENRICHED_FLAGS,
    READING,
    STAGES,
    Said,
    another_build,
    outputs,
    pagekin,
    record_of,
    write_record,
)
from tests.small import warned
from tests.warcs import gz, response, warc_record, warcinfo

Build = Callable[..., Said]


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


@pytest.fixture
def build(command: Callable[..., Said], work: Path) -> Build:
    """`pagekin build` in this process, into `work`."""

    def run(*words: object) -> Said:
        return command("build", "-r", "inline", *BAGS, "--work", work, *words)

    return run


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, small_snapshot: Path) -> Path:
    """The small snapshot, built. For copying."""
    work = tmp_path_factory.mktemp("built") / "work"
    assert 0 == pagekin("build", "-q", "-r", "inline", *BAGS, "--work", work, small_snapshot).code
    return work


@pytest.fixture
def finished(built: Path, work: Path) -> Path:
    """A finished workspace of one's own."""
    shutil.copytree(built, work)
    return work


def summary_of(work: Path) -> dict:
    return json.loads((work / "summary.json").read_text(encoding="utf-8"))


def states(work: Path) -> dict[str, tuple[str, str]]:
    """What the last build did with each stage, and why."""
    return {s["name"]: (s["state"], s["reason"]) for s in summary_of(work)["stages"]}


def stamps(work: Path) -> dict[str, int]:
    return {str(p.relative_to(work)): p.stat().st_mtime_ns for p in work.rglob("*")}


KEPT = ("kept", "up to date")


# --- the same everywhere ---


def test_inline_and_local(demo_work, build, work):
    """In one process or in thirty, the demo comes out the same to the last bit."""
    assert 0 == build("-q", DEMO).code
    assert outputs(demo_work) == outputs(work)
    assert set(STAGES) == outputs(work).keys()


@pytest.mark.parametrize("tasks", [1, 4])
def test_numbers_of_tasks(built, work, small_snapshot, tasks):
    """However many tasks: the records, tables, counters and digests are the same."""
    said = pagekin("build", "-q", "--tasks", tasks, *BAGS, "--work", work, small_snapshot)
    assert (0, "", warned(small_snapshot)) == said
    assert outputs(built) == outputs(work)
    assert tasks == summary_of(work)["tasks"]


def test_order_of_files(built, work, build, small_snapshot):
    """The files of a snapshot may be named one by one and in any order."""
    files = sorted(small_snapshot.iterdir(), reverse=True)
    assert 0 == build("-q", *files).code
    assert outputs(built) == outputs(work)


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.warc.gz", gz(warcinfo()), "of 1 records 1 are left out as not_response_warcinfo"),
        ("a.warc.gz", b"", "not even a record (the download may have stopped early)"),
        (
            "a.warc",
            warc_record("conversion", "http://a.example/", b"words"),
            "take the WARC files of the same crawl",
        ),
        (
            "a.warc",
            warc_record("resource", "http://a.example/", b"<p>x"),
            "without the answer of a server",
        ),
    ],
)
def test_snapshot_without_pages(build, tmp_path, name, content, why):
    """It is an error that says what is there and what to do, also where all else is quiet."""
    (tmp_path / name).write_bytes(content)
    said = build("-q", tmp_path / name)
    assert (InputError.exit_code, "") == (said.code, said.out)
    assert said.err.startswith("pagekin: no page was found in 1 file")
    assert why in said.err
    assert said.err == build("-q", tmp_path / name).err  # again


def test_nothing_but_other_files(build, tmp_path):
    """What is said of the one empty file, and a hint for each kind of the others."""
    (tmp_path / "a.warc.gz").write_bytes(b"")
    for name in ("p.html", "q.html", "r.wacz", "s.warc.wet.gz"):
        (tmp_path / name).write_bytes(b"x")
    error = build("-q", tmp_path).err
    assert f"{tmp_path}/a.warc.gz: is empty; " in error
    assert (1, 1, 1) == tuple(
        map(error.count, ("p.html is a page", "r.wacz is", "s.warc.wet.gz is"))
    )
    assert "q.html" not in error


def test_warnings(build, small_snapshot, tmp_path):
    """What was not read is told at the end, also by -q and in JSON."""
    folder = tmp_path / "crawl"
    shutil.copytree(small_snapshot, folder)
    (folder / "a.warc.gz").unlink()
    whole = sorted(folder.iterdir())[0]
    cut = whole.read_bytes()[:-40]
    (folder / "cut.warc.gz").write_bytes(cut)
    at = cut.rindex(b"WARC/1.")  # where its last record begins
    (folder / "empty.warc.gz").write_bytes(b"")
    for name in ("a.html", "b.html", "c.wacz"):
        (folder / name).write_bytes(b"x")
    said = build("-q", folder)
    assert (0, "") == (said.code, said.out)
    assert [
        f"warning: {folder}/cut.warc.gz: damaged or cut at byte {at:,} (unexpected_end);"
        " that was passed over",
        f"warning: {folder}/empty.warc.gz: is empty",
        "warning: 1 damaged record was passed over",
        "warning: 3 other files in the folders were not read: 2 .html, 1 .wacz",
    ] == said.err.splitlines()
    told = json.loads(build("--json", folder).out)["warnings"]
    assert [line.removeprefix("warning: ") for line in said.err.splitlines()] == told


# --- what is kept and what is built again ---


def test_unchanged(finished, build, small_snapshot):
    """A second build keeps everything and touches no stage."""
    before = stamps(finished)
    assert 0 == build(small_snapshot).code
    assert dict.fromkeys(STAGES, KEPT) == states(finished)
    after = stamps(finished)
    for name in (".", "summary.json", ".lock"):
        before.pop(name, None), after.pop(name, None)
    assert before == after


def test_changed_weights(finished, build, small_snapshot):
    """Another weight builds the last stage only, and says which key changed."""
    said = build("--weight-terms", 3, small_snapshot)
    assert {
        INVENTORY: KEPT,
        READING: KEPT,
        "document_frequency": KEPT,
        "weighted_bags": ("built", "weight.terms changed from 200 to 3"),
    } == states(finished)
    assert "building weighted_bags: weight.terms changed from 200 to 3" in said.err.splitlines()
    assert "keeping  fragments: up to date" in said.err.splitlines()


def test_changed_windows(finished, build, small_snapshot):
    """Other windows build the fragments, and all behind them that comes out different."""
    build("--window-words", 1, "--bag-distance", "none", small_snapshot)
    assert {
        INVENTORY: KEPT,
        READING: (
            "built",
            "bag.distance changed from log to none; window.words changed from 32 to 1",
        ),
        "document_frequency": ("built", "the raw bags before it are others"),
        "weighted_bags": (
            "built",
            "the raw bags before it are others; the term counts before it are others",
        ),
    } == states(finished)


def test_change_without_effect(finished, build, small_snapshot):
    """A stage is built for a new limit, comes out as before, and so what follows is kept."""
    build("--text-max-letters", 63, small_snapshot)
    assert ("built", "text.max_letters changed from 64 to 63") == states(finished)[READING]
    assert KEPT == states(finished)["document_frequency"] == states(finished)["weighted_bags"]


def test_rebuilt_equals_new(finished, build, small_snapshot, tmp_path):
    """What was built piece by piece under changing configurations is what a new build makes."""
    flags = ["--text-stemming", "nostem", "--weight-df", "log"]
    for words in (["--window-kind", "topical"], ["--weight-terms", "5"], flags):
        assert 0 == build("-q", *words, small_snapshot).code
    new = tmp_path / "new"
    pagekin("build", "-q", "-r", "inline", *BAGS, "--work", new, *flags, small_snapshot)
    assert outputs(new) == outputs(finished)


def test_without_inventory(finished, build, small_snapshot):
    """Where nobody asks what stands for what, nor for stop words, the inventory is a sample of the
    beginnings of files, and bags know of nothing else.
    """
    build("--reading-resolve", "false", "--text-derived-stops", "false", small_snapshot)
    state, reason = states(finished)[READING]
    assert "built" == state
    assert "reading.resolve changed from True to False" in reason
    assert "built" == states(finished)["inventory.sample"][0]
    made = {path.name for path in (finished / "inventory.sample").iterdir()}
    assert "packing.arrays" in made
    assert "resolution.arrays" not in made


@pytest.mark.parametrize("change", ["longer", "touched", "one more", "one less"])
def test_changed_snapshot(finished, build, tmp_path, small_snapshot, change):
    """A snapshot that changed is read again."""
    copy = shutil.copytree(small_snapshot, tmp_path / "copy")
    build("-q", copy)
    if change == "longer":
        with (copy / "b.warc").open("ab") as file:
            file.write(warcinfo())
    elif change == "touched":
        os.utime(copy / "b.warc", (1, 1))
    elif change == "one more":
        (copy / "e.warc").write_bytes(warcinfo())
    else:
        (copy / "b.warc").unlink()
    build("-q", copy)
    state, reason = states(finished)[INVENTORY]
    assert "built" == state
    assert "the snapshot changed (another --work would keep what was built before)" == reason
    assert "the snapshot changed" in states(finished)[READING][1]


def test_other_version(finished, build, small_snapshot):
    """A stage that this version makes differently is built again."""
    record = record_of(finished, "weighted_bags")
    record["outputs"]["weighted_bags"]["depends"]["version"] = 0
    write_record(finished, "weighted_bags", record)
    build(small_snapshot)
    assert ("built", "this pagekin makes it differently") == states(finished)["weighted_bags"]


def test_stage_that_was_removed(finished, build, small_snapshot):
    """A stage that somebody removed is built again, and what follows is kept."""
    shutil.rmtree(finished / READING)
    build(small_snapshot)
    assert ("built", "not there yet") == states(finished)[READING]
    assert KEPT == states(finished)["weighted_bags"]


def test_until(build, work, small_snapshot):
    """--until stops behind a stage; a build without it goes on from there."""
    assert 0 == build("-q", "--until", "reading", small_snapshot).code
    assert {INVENTORY, READING} == states(work).keys() == outputs(work).keys()
    assert 0 == build("-q", small_snapshot).code
    assert [KEPT, KEPT] == [states(work)[name] for name in STAGES[:2]]
    assert ("built", "not there yet") == states(work)["weighted_bags"]


def test_until_no_stage(build, work, small_snapshot):
    """A stage that does not exist is answered with those that do, before anything is made."""
    said = build("--until", "bags", small_snapshot)
    assert (2, "") == (said.code, said.out)
    assert said.err.startswith("pagekin: --until: no such stage: bags; there are inventory, ")
    for stage in stages.STAGES:
        assert {stage.name, *(o.name for o in stage.outputs)} <= set(re.split("[ ,\n]+", said.err))
    assert not work.exists()


# --- plans ---


def test_dry_run_of_a_new_build(build, work, small_snapshot):
    """A plan says what would be built, and makes nothing."""
    said = build("--dry-run", "--window-words", 4, small_snapshot)
    assert 0 == said.code
    assert not work.exists()
    size = sum(path.stat().st_size for path in small_snapshot.iterdir())
    lines = said.out.splitlines()
    assert f"4 files, {size:,} bytes, on -r inline into {work}" == lines[0]
    outputs = ["captures", "sample", "stop_words", "fragments", *STAGES[2:]]
    assert [f"build {output}" for output in outputs] == [
        " ".join(line.split()[:2]) for line in lines[1:-1:2]
    ]
    assert {"not there yet"} == {line.strip() for line in lines[2:-1:2]}
    assert "differs from the defaults: --window-words=4 --enrich-" in lines[-1]


def test_dry_run_without_the_engine(build, work, small_snapshot, monkeypatch):
    """A plan can be made where its engine is not; it says what would be missing."""
    monkeypatch.setattr(engines, "missing_engine", lambda runner, conf: f"-r {runner}: none here")
    said = build("-r", "hadoop", "--dry-run", small_snapshot)
    assert (0, "note: -r hadoop: none here") == (said.code, said.out.splitlines()[-1])
    plan = json.loads(build("-r", "hadoop", "--dry-run", "--json", small_snapshot).out)
    assert ["-r hadoop: none here"] == plan["notes"]
    assert (2, "", "pagekin: -r hadoop: none here\n") == build("-r", "hadoop", small_snapshot)
    assert not work.exists()


def test_dry_run_of_a_change(finished, build, small_snapshot):
    """A plan says what hangs on the outcome of what, and writes nothing at all."""
    before = stamps(finished)
    said = build("--dry-run", "--json", "--window-words", 4, small_snapshot)
    assert before == stamps(finished)
    plan = json.loads(said.out)
    assert 4 == plan["config"]["window"]["words"]
    assert [
        {"name": "captures", "build": False, "reason": "up to date"},
        {"name": "sample", "build": False, "reason": "up to date"},
        {"name": "stop_words", "build": False, "reason": "up to date"},
        {
            "name": "fragments",
            "build": True,
            "reason": "window.words changed from 32 to 4",
        },
        {
            "name": "document_frequency",
            "build": True,
            "reason": "if fragments comes out different",
        },
        {
            "name": "weighted_bags",
            "build": True,
            "reason": "if document_frequency or fragments comes out different",
        },
    ] == plan["stages"]


# --- files that cannot be read ---


@pytest.fixture
def list_with_a_hole(tmp_path, small_snapshot, monkeypatch):
    """A list of three files, of which the server has two; gives the words of a build."""
    servers.without_proxies(monkeypatch)
    (tmp_path / "warc.paths").write_text("a.warc.gz\nnone.warc.gz\nb.warc\n")
    with servers.running() as server:
        for name in ("a.warc.gz", "b.warc"):
            server.files[f"/{name}"] = (small_snapshot / name).read_bytes()
        yield server, ["-q", "--base-url", server.url, tmp_path / "warc.paths"]


def test_missing_file(build, work, list_with_a_hole):
    """A file that cannot be read ends the build, with its name and what to do about it."""
    code, out, complaint = build(*list_with_a_hole[1])
    assert (6, "") == (code, out)
    sentence, damaged, named = complaint.splitlines()
    assert sentence == (
        "pagekin: 1 of 3 files could not be read;"
        " with --max-failed-files 1 the build goes on without them."
        " What was noted of the files:"
    )
    assert named.endswith("none.warc.gz: there is no such file at this address")
    assert "a.warc.gz: damaged or cut at byte 1," in damaged
    assert ("failed", []) == (summary_of(work)["state"], list(outputs(work)))


def test_missing_file_allowed(build, work, list_with_a_hole):
    """With leave the build goes on without it, and counts it."""
    assert 0 == build("--max-failed-files", 1, *list_with_a_hole[1]).code
    for stage in summary_of(work)["stages"][:2]:
        assert {"failed": 1, "read": 2} == stage["counters"]["files"]


def test_missing_file_found(build, work, list_with_a_hole, small_snapshot):
    """A build that is stricter than the last one tries again, and so the file comes in."""
    server, words = list_with_a_hole
    build("--max-failed-files", 1, *words)
    server.files["/none.warc.gz"] = (small_snapshot / "d d.warc.gz").read_bytes()
    assert 0 == build("--max-failed-files", 1, *words).code
    assert KEPT == states(work)[INVENTORY]
    assert 0 == build(*words).code
    reason = "files that could not be read were left out: 1"
    assert ("built", reason) == states(work)[INVENTORY]
    assert {"read": 3} == record_of(work, READING)["result"]["counters"]["files"]


def test_garbage(build, work, built, small_snapshot, tmp_path):
    """Files without a record are failed and named, and cost the others nothing."""
    copy = shutil.copytree(small_snapshot, tmp_path / "copy")
    (copy / "page.warc").write_bytes(b"<html>503 Service Unavailable</html>\n" * 40)
    (copy / "zeros.warc.gz").write_bytes(bytes(5000))
    (copy / "empty.warc.gz").write_bytes(b"")
    refused = build("-q", "--max-failed-files", 1, copy)
    assert 6 == refused.code
    assert f"{copy / 'page.warc'}: holds no WARC record; is it a WARC file?" in refused.err
    assert 0 == build("-q", "--max-failed-files", 2, copy).code
    expected, found = outputs(built)["weighted_bags"], outputs(work)["weighted_bags"]
    assert expected["records"] == found["records"]
    counters = record_of(work, READING)["result"]["counters"]
    damaged = sum(n for name, n in counters["records"].items() if name.startswith("damaged"))
    assert 3 == damaged  # one of them in the snapshot itself


# --- what a build says ---


def test_summary(build, work, small_snapshot):
    """summary.json says what was done, how long it took, what came out and what was counted."""
    printed = json.loads(build("--json", "--weight-terms", 7, small_snapshot).out)
    summary = summary_of(work)
    assert printed == summary
    size = sum(path.stat().st_size for path in small_snapshot.iterdir())
    assert {"files": 4, "bytes": size} == summary["snapshot"]
    assert ("complete", "inline") == (summary["state"], summary["runner"])
    assert 7 == summary["config"]["weight"]["terms"]
    assert list(STAGES) == [stage["name"] for stage in summary["stages"]]
    assert summary["seconds"] >= sum(stage["seconds"] for stage in summary["stages"]) > 0
    for stage in summary["stages"]:
        assert "built" == stage["state"]
        assert stage["cpu_seconds"] > 0
        assert stage["peak_memory"] > 1 << 20
        assert record_of(work, stage["name"])["result"] == {
            key: value for key, value in stage.items() if key not in {"name", "state", "reason"}
        }
    fragments = summary["stages"][1]
    assert fragments["records"] == len(outputs(work)[READING]["records"])
    assert 8 == fragments["counters"]["bags"]["crawled"]
    assert 32 == len(fragments["digest"])


def test_kept_stages_keep_their_counters(finished, build, small_snapshot):
    """The summary of a build that did nothing still says all of the workspace."""
    before = summary_of(finished)
    build("-q", small_snapshot)
    for old, new in zip(before["stages"], summary_of(finished)["stages"], strict=True):
        assert {**old, "state": "kept", "reason": "up to date"} == new


def test_printed_summary(build, small_snapshot):
    """People read what was made and what to do next, and how it went on stderr."""
    said = build(small_snapshot)
    first, *_, last = said.out.splitlines()
    assert re.fullmatch(r"read {6}8 pages of \d files?", first)
    assert last.startswith("next      without --no-index an index is made")
    assert "building captures: not there yet" == said.err.splitlines()[0]
    assert said.err.splitlines()[-1].startswith("done in ")


def test_what_to_ask(command, work, small_snapshot, tmp_path):
    """The last lines of a build are commands that answer, as they are printed."""
    index = tmp_path / "i.index"
    said = command("build", "-r", "inline", "--work", work, "--index", index, small_snapshot)
    lines = said.out.splitlines()
    commands = [line[10:].split() for line in lines[-3:]]
    assert [["pagekin", "related"], ["pagekin", "related"], ["pagekin", "info"]] == [
        words[:2] for words in commands
    ]
    for _, *words in commands:
        assert 0 == command(*words).code


def test_every_counter(build, small_snapshot):
    """With -v every counter is printed under its stage and group."""
    said = build("-v", small_snapshot)
    assert "    crawled                                         8" in said.out.splitlines()
    assert said.out.startswith(f"{INVENTORY}: built, ")


def test_quiet(build, small_snapshot):
    """--quiet says nothing but what was not read."""
    said = build("--quiet", small_snapshot)
    assert (0, "", warned(small_snapshot)) == said


def test_progress(build, small_snapshot, monkeypatch):
    """While a stage runs, lines on stderr say how far it is."""
    monkeypatch.setattr(progress, "_QUIET", 0.001)
    monkeypatch.setattr(progress, "_EVERY", 0.0)
    said = build(small_snapshot).err
    assert "no page was found" not in said
    lines = [line for line in said.splitlines() if "files" in line]
    assert any(line.startswith("reading.fragments  ") and " pages, " in line for line in lines), (
        lines
    )


# --- failures ---


def break_a_bag(work: Path) -> None:
    """Make a record of the fragments one that no task expects, as a mistake of ours would."""
    path = next(p for p in sorted((work / READING).glob("part-*")) if b"http" in p.read_bytes())
    path.write_bytes(path.read_bytes().replace(b"http", b"http://broken.example/\t1 2\nhttp", 1))
    write_record(work, READING, record_of(work, READING))


def test_failing_stage(finished, build, small_snapshot):
    """A stage that fails is named with its error, and inline with the place; the rest stays."""
    break_a_bag(finished)
    shutil.rmtree(finished / "document_frequency")
    said = build(small_snapshot)
    assert 6 == said.code
    error = next(line for line in said.err.splitlines() if line.startswith("pagekin: "))
    assert "pagekin: stage document_frequency failed: ValueError: no value of a bag" in error
    assert "Bags.read(bags)" in said.err
    assert {INVENTORY, READING, "weighted_bags"} == outputs(finished).keys()
    summary = summary_of(finished)
    assert ("failed", error) == (summary["state"], f"pagekin: {summary['error']}".splitlines()[0])
    assert not (finished / ".building").exists()


def test_failing_task(finished, small_snapshot):
    """Of a task in a process of its own the last words are shown, and no traceback of ours."""
    break_a_bag(finished)
    shutil.rmtree(finished / "document_frequency")
    said = pagekin("build", "-q", "--tasks", 1, *BAGS, "--work", finished, small_snapshot)
    first, *rest = said.err.splitlines()
    assert (6, "") == (said.code, said.out)
    assert first.startswith("pagekin: stage document_frequency failed: ")
    assert any(line.startswith("  ValueError: no value of a bag: b'") for line in rest), said.err
    assert all(line.startswith("  ") for line in rest), said.err


def test_program_error(build, work, small_snapshot, monkeypatch):
    """An error of our own shows where it came from, also on the inline runner."""

    def break_down(*_: object) -> None:
        raise ZeroDivisionError("ours")

    output = stages.output_named("captures")
    monkeypatch.setitem(output.__dict__, "make_tables", break_down)
    with pytest.raises(ZeroDivisionError):
        build(small_snapshot)
    assert ("failed", "ours") == (summary_of(work)["state"], summary_of(work)["error"])


@pytest.mark.parametrize(
    ("table", "change"),
    [
        (f"{INVENTORY}/resolution.arrays", "--window-words"),
        ("document_frequency/frequencies.arrays", "--weight-terms"),
    ],
)
def test_damaged_table(finished, build, small_snapshot, table, change):
    """A table with a wrong byte is found before a stage believes it, and made anew."""
    path = finished / table
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    said = build("-q", change, 5, small_snapshot)
    stage = path.parent.name
    expected = f"warning: {path.parent}: {path.name} is not what was written; {stage} was made anew"
    assert (0, expected) == (said.code, said.err.splitlines()[0])
    assert data == path.read_bytes()


def test_second_build(finished, small_snapshot):
    """A build that finds another one at work leaves everything as it is, its summary too."""
    with another_build(finished) as process:
        before = {**stamps(finished), ".lock": 0}
        said = pagekin("build", "-q", "-r", "inline", "--work", finished, small_snapshot)
        assert (5, "", f"pagekin: {finished} is in use by another build\n") == said
        assert before == {**stamps(finished), ".lock": 0}
        process.communicate()


# --- full disks ---


def full(*_: object) -> None:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_no_room_for_the_summary(finished, build, small_snapshot, monkeypatch):
    """A build that cannot keep its summary says which file and why; its stages are there."""
    monkeypatch.setattr(Workspace, "write_summary", full)
    expected = f"pagekin: {finished}/summary.json cannot be written: No space left on device\n"
    assert (1, "", expected) == build("-q", small_snapshot)
    monkeypatch.undo()
    assert 0 == build("-q", small_snapshot).code
    assert dict.fromkeys(STAGES, KEPT) == states(finished)


def test_no_room_after_a_failure(finished, build, small_snapshot, monkeypatch):
    """What ended the build is said, and the exit code is its; the summary is a sentence more."""
    break_a_bag(finished)
    shutil.rmtree(finished / "document_frequency")
    monkeypatch.setattr(Workspace, "write_summary", full)
    said = build("-q", small_snapshot)
    summary, error = [x for x in said.err.splitlines() if x.startswith("pagekin: ")]
    assert (6, "") == (said.code, said.out)
    assert error.startswith("pagekin: stage document_frequency failed: ValueError: ")
    expected = f"pagekin: {finished}/summary.json cannot be written: No space left on device"
    assert expected == summary


def test_no_room_for_anything(work, build, small_snapshot, monkeypatch):
    """The file that could not be written is named, though the system does not name it."""
    monkeypatch.setattr(os, "fsync", full)
    expected = f"pagekin: {work / 'workspace.json'}: No space left on device\n"
    assert (1, "", expected) == build("-q", small_snapshot)
    monkeypatch.undo()
    assert 0 == build("-q", small_snapshot).code


def test_no_room_for_a_table(work, build, small_snapshot, monkeypatch):
    """So is a table; the summary has no room either, and does not hide it."""
    assert 0 == build("-q", "--until", "inventory", small_snapshot).code
    monkeypatch.setattr(os, "fsync", full)
    said = build("-q", small_snapshot)
    reason = "No space left on device"
    summary, error = said.err.splitlines()
    assert (1, "") == (said.code, said.out)
    assert f"pagekin: {work}/summary.json cannot be written: {reason}" == summary
    assert error.startswith(f"pagekin: {work}/.building/reading.fragments-")
    assert error.endswith(f": {reason}")
    assert not (work / ".building").exists()


# --- large files ---


@pytest.fixture
def large_file(tmp_path, monkeypatch) -> Path:
    """The demo in one file, with a page that is a WARC itself, damage, and an end that is missing;
    files are cut at each kilobyte."""
    monkeypatch.setattr(cuts, "CELL", 1 << 10)
    files = [path.read_bytes() for path in sorted(DEMO.glob("*.warc.gz"))]
    nested = gz(response("http://a.example/a.warc.gz", files[0], 200, {}))
    damaged = gz(response("http://a.example/", b"<p>bees"))[:-9] + b"damaged!!"
    path = tmp_path / "all.warc.gz"
    path.write_bytes(nested + damaged.join(files)[:-20])
    return path


def manifests_of(monkeypatch) -> list[str]:
    """The lines of all manifests that are written from now on."""
    lines: list[str] = []

    def noted(*args):
        paths = write_manifests(*args)
        lines.extend(line for path in paths for line in path.read_text().splitlines())
        return paths

    monkeypatch.setattr(chain, "write_manifests", noted)
    return lines


@pytest.mark.parametrize("runner", ["inline", "local"])
def test_large_file(command, tmp_path, large_file, monkeypatch, runner):
    """A file that several tasks share gives the records and counters of one that is read whole."""
    lines = manifests_of(monkeypatch)
    made = []
    for tasks in (1, 3, 8):
        work = tmp_path / f"work-{tasks}"
        words = ("-q", "-r", runner, "--tasks", tasks, "--without", "mirrors", "--work", work)
        assert 0 == command("build", *words, *NOT_ENRICHED_FLAGS, large_file).code
        made.append(outputs(work))
        parts = [line for line in lines if "\t" in line]
        assert not parts if tasks == 1 else 2 < len(parts) <= tasks
        lines.clear()
    assert made[0] == made[1] == made[2]
    counters = record_of(tmp_path / "work-8", READING + ".blocks")["result"]["counters"]
    assert {"read": 1} == counters["files"]
    damaged = {name for name in counters["records"] if name.startswith("damaged_")}
    assert {"damaged_bad_compression", "damaged_unexpected_end"} == damaged


def test_large_file_without_inventory(build, large_file, monkeypatch):
    """Where nothing is resolved nobody knows where files can be cut."""
    lines = manifests_of(monkeypatch)
    assert 0 == build("-q", "--reading-resolve", "false", "--tasks", 4, large_file).code
    assert {str(large_file)} == set(lines)


def test_large_file_that_changes(command, tmp_path, large_file, monkeypatch):
    """A file that is another one when the reading comes to it counts as one that failed."""
    work = tmp_path / "work"
    words = ("-r", "inline", "--tasks", 4, "--work", work, large_file)
    lines = manifests_of(monkeypatch)
    write = chain.write_manifests

    def changing(folder, snapshot, width, places):
        if places:
            large_file.write_bytes(large_file.read_bytes()[1:])
        return write(folder, snapshot, width, places)

    monkeypatch.setattr(chain, "write_manifests", changing)
    said = command("build", "-q", *words)
    assert 4 == len([line for line in lines if "\t" in line])
    assert "1 of 1 files could not be read;" in said.err
    assert f"{large_file}: was changed after the inventory: no record begins at byte" in said.err
    monkeypatch.setattr(chain, "write_manifests", write)
    assert 0 == command("build", "-q", *words).code
    assert "the snapshot changed" in states(work)[INVENTORY][1]
