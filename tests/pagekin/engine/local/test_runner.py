"""The local runner: tasks that are forked are processes of their own, and input is cut at lines."""

from __future__ import annotations

import json
import os
import resource
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mrjob.step import StepFailedException

from pagekin.engine.local import cutting
from pagekin.engine.local.cutting import map_shares
from pagekin.engine.local.runner import LocalRunner
from pagekin.engine.run import job_class, listening
from pagekin.kinds import BLOCKS, RAW_BAGS, STATISTICS, WORDS
from pagekin.stages.chain import STAGES
from pagekin.storage.part_files import Piece, lines_of
from tests.jobs.telling import Telling


def told(tmp_path: Path, lines: str, *words: str) -> list[dict[str, Any]]:
    """What the tasks of a job over these lines tell of themselves."""
    (tmp_path / "lines").write_text(lines)
    arguments = ["-r", "local", "--no-conf", "--no-cat-output", "--num-cores", "2", *words]
    with Telling([*arguments, str(tmp_path / "lines")]).make_runner() as runner:
        assert type(runner) is LocalRunner
        runner.run()
        lines_of = b"".join(runner.cat_output()).splitlines()
    pairs = [line.partition(b"\t") for line in lines_of]
    return [json.loads(value) for key, _, value in pairs if key != STATISTICS]


def test_tasks_are_children(tmp_path, monkeypatch):
    """Each task is a child of its own, with the job's environment."""
    monkeypatch.setattr(cutting, "LEAST", 1)
    before = Path.cwd(), dict(os.environ)
    tasks = told(tmp_path, "tell\n" * 8, "--cmdenv", "TELLING=me")
    assert len({task["process"] for task in tasks}) > 1
    assert {os.getpid()} == {task["parent"] for task in tasks}
    assert {"me"} == {task["told"] for task in tasks}
    assert (Path.cwd(), dict(os.environ)) == before


@pytest.mark.parametrize("stage", STAGES, ids=lambda stage: stage.name)
def test_what_jobs_are(stage):
    """A job is that of the stage which names it, and has its options and reducers."""
    job = job_class(stage.job)
    assert stage is job.STAGE
    assert bool(stage.shuffles) == job.REDUCES
    made = job(["--mapper", "--step-num=0"])
    assert stage.outputs == made.outputs
    for table in stage.uses:
        assert getattr(made.options, table.option) is None


def test_what_only_a_program_can_have(tmp_path):
    """With a command to set a task up, tasks are programs that mrjob starts."""
    tasks = told(tmp_path, "tell\ntell\n", "--setup", "export TELLING=set-up")
    assert {"set-up"} == {task["told"] for task in tasks}
    assert os.getpid() not in {task["parent"] for task in tasks}


@pytest.mark.parametrize(
    ("word", "how"),
    [
        ("kill", "was killed by SIGKILL"),
        ("exit", "ended with code 3"),
        ("raise", "ValueError: as it was told"),
    ],
)
def test_bad_endings(tmp_path, monkeypatch, word, how):
    """A task that does not end well ends the job at once, and it is said how it ended."""
    monkeypatch.setattr(cutting, "LEAST", 1)
    began = time.monotonic()
    with listening(verbose=False) as said, pytest.raises(StepFailedException):
        told(tmp_path, f"{word}\nwait\n")
    assert how in "\n".join(said)
    assert time.monotonic() - began < 30


KEYS = st.lists(
    st.sampled_from([b"!blocks/a", b"!words/1", b"a", b"ab", b"c\xff"]), max_size=40
).map(sorted)


@given(
    st.lists(st.tuples(KEYS, st.booleans()), min_size=1, max_size=4),
    st.integers(1, 4),
    st.sampled_from([(), (RAW_BAGS,), (WORDS, RAW_BAGS), (BLOCKS,)]),
)
def test_map_shares(tmp_path_factory, files, cores, kinds):
    """Shares joined are the records of the kinds; no line is cut, and none is much too long."""
    folder = tmp_path_factory.mktemp("share")
    wanted = []
    for number, (keys, ends) in enumerate(files):
        text = b"".join(b"%b\t%b\n" % (key, b"v" * (n % 4)) for n, key in enumerate(keys))
        text = text if ends else text.removesuffix(b"\n")
        (folder / str(number)).write_bytes(text)
        lines = text.splitlines()
        keyed = [(line.partition(b"\t")[0], line) for line in lines]
        wanted += [line for k, line in keyed if not kinds or any(x.holds(k) for x in kinds)]
    paths = sorted(folder.iterdir())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "LEAST", 4)
        patch.setattr(cutting, "LARGE", 8)
        shares = map_shares(paths, cores, kinds=kinds)
        apart = map_shares(paths, cores, kinds=kinds, lines_are_work=True)
    assert sorted(wanted) == sorted(_lines(shares)) == sorted(_lines(apart))
    sizes = [sum(end - start for _, start, end in share) for share in shares]
    assert 1 <= len(shares) <= 2 * cores
    assert sizes == sorted(sizes, reverse=True)
    longest = max((len(line) + 1 for line in wanted), default=0)
    assert sizes[0] <= sum(sizes) / len(shares) + 2 * longest + len(shares)


def _lines(shares: list[list[Piece]]) -> list[bytes]:
    return [line.rstrip(b"\n") for share in shares for line in lines_of(share)]


def test_nothing_to_cut(tmp_path):
    """An empty file is one share, and so one task."""
    (tmp_path / "empty").touch()
    assert [[]] == map_shares([tmp_path / "empty"], 4)


def test_order_within_shares(tmp_path, monkeypatch):
    """Of a job that does not reduce each part is sorted if the files were, in whatever order."""
    monkeypatch.setattr(cutting, "LEAST", 8)
    for name, keys in (("a", "ace"), ("b", "bdf"), ("c", "ghi"), ("empty", "")):
        rows = "".join(f"{key}\tx\n" * 3 for key in keys)
        (tmp_path / name).write_text(f"{rows}!task\t{{}}\n" if keys else "")
    for names, parts in ((("a", "b", "c"), 3), (("c", "empty", "a"), 2), (("a", "c", "empty"), 2)):
        words = ["-r", "local", "--no-conf", "--no-cat-output", "--num-cores", "2"]
        words += ["--output-dir", str(tmp_path / "".join(names))]
        words += [str(tmp_path / name) for name in names]
        with Telling(words).make_runner() as runner:
            runner.run()
        made = sorted((tmp_path / "".join(names)).glob("part-*"))
        assert parts <= len(made)
        for path in made:
            keys = [line.partition(b"\t")[0] for line in path.read_bytes().splitlines()[:-1]]
            assert sorted(keys) == keys


def test_input_that_changes(tmp_path):
    """A file that is shorter than it was is no end of the input."""
    path = tmp_path / "lines"
    path.write_bytes(b"a\nbc\n")
    assert [b"a\n", b"b"] == list(lines_of([Piece(path, 0, 2), Piece(path, 2, 3)]))
    assert [] == list(lines_of([Piece(path, 0, 0)]))
    with pytest.raises(OSError, match="lines has become shorter"):
        list(lines_of([Piece(path, 0, 9)]))


def test_links_as_input(tmp_path):
    """Input may be named by a link, also by one that says where it leads from here."""
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "lines").write_text("tell\n")
    (tmp_path / "link").symlink_to("far/lines")
    for runner in ("local", "inline"):
        words = ["-r", runner, "--no-conf", "--no-cat-output", str(tmp_path / "link")]
        with Telling(words).make_runner() as made:
            made.run()
            assert b"".join(made.cat_output()).startswith(b"tell\t")


def test_lines_that_are_work(tmp_path, monkeypatch):
    """A line that names a file, or pages to ask for, may be a task of its own."""
    monkeypatch.setattr(Telling, "LINES_ARE_WORK", True)
    assert 1 < len({task["process"] for task in told(tmp_path, "tell\n" * 8)})


def test_what_a_job_leaves(tmp_path, monkeypatch):
    """Behind a job no process, descriptor or file of its own is left; nor are those of ended tasks
    kept while others run.
    """
    monkeypatch.setattr(Telling, "LINES_ARE_WORK", True)
    before = descriptors()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (before + 64, hard))
    try:
        words = ["--local-tmp-dir", str(tmp_path / "scratch"), "--num-cores", "16"]
        tasks = told(tmp_path, "tell\n" * 64, *words)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert 32 <= len({task["process"] for task in tasks})
    assert not any(Path(f"/proc/{task['process']}").exists() for task in tasks)
    assert descriptors() <= before
    assert [] == list((tmp_path / "scratch").iterdir())


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_small_input_is_one_task(tmp_path):
    """Tasks are not made for less than they cost."""
    assert 1 == len({task["process"] for task in told(tmp_path, "tell\n" * 8)})
