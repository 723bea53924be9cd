"""The local runner: tasks that are forked are processes of their own, and input is cut at lines."""

from __future__ import annotations

import importlib
import json
import multiprocessing
import os
import resource
import threading
import time
from itertools import groupby, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mrjob.step import StepFailedException

from pagekin.engine.local import cutting
from pagekin.engine.local import runner as local
from pagekin.engine.local.cutting import cut_lines, share_out
from pagekin.engine.local.runner import LocalRunner
from pagekin.engine.run import listening
from pagekin.names import TASK_KEY
from pagekin.stages.chain import STAGES
from pagekin.storage.part_files import Piece, copy_pieces, lines_of
from pagekin.text import tokens
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
    return [json.loads(value) for key, _, value in pairs if key != TASK_KEY]


def test_tasks_are_children(tmp_path, monkeypatch):
    """Each task is a child of its own, with its folder, its words and the job's environment."""
    monkeypatch.setattr(cutting, "LEAST", 1)
    monkeypatch.setattr(cutting, "LARGE", 1)
    before = Path.cwd(), dict(os.environ)
    tasks = told(tmp_path, "tell\n" * 8, "--cmdenv", "TELLING=me")
    assert len({task["process"] for task in tasks}) > 1
    assert {os.getpid()} == {task["parent"] for task in tasks}
    assert {"me"} == {task["told"] for task in tasks}
    assert {"telling.py"} == {task["script"] for task in tasks}
    assert all("--mapper" in task["words"] for task in tasks)
    assert all(task["folder"] == task["path"] for task in tasks)
    assert len({task["folder"] for task in tasks}) == len({task["process"] for task in tasks})
    assert (Path.cwd(), dict(os.environ)) == before


def test_what_is_made_ready(tmp_path, monkeypatch):
    """Modules that tasks load, and what functions of these make, are there before they fork."""
    monkeypatch.setattr(Telling, "MAPS_WITH", ("native", "text.tokens:load_dictionary"))
    tokens._cutter.cache_clear()
    told(tmp_path, "tell\n")
    assert 1 == tokens._cutter.cache_info().currsize


@pytest.mark.parametrize("name", [stage.job for stage in STAGES])
def test_what_jobs_load(name):
    """All that jobs name is there to be loaded, for either kind of task."""
    module, _, job = name.partition(":")
    made = getattr(importlib.import_module(f"pagekin.jobs.{module}"), job)
    more = ["--with-blocks"] if job == "BagFragments" else []
    for kind in ("--mapper", "--reducer"):
        made([kind, *more]).make_ready()


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
    monkeypatch.setattr(cutting, "LARGE", 1)
    began = time.monotonic()
    with listening(verbose=False) as said, pytest.raises(StepFailedException):
        told(tmp_path, f"{word}\nwait\n")
    assert how in "\n".join(said)
    assert time.monotonic() - began < 30


KEYS = st.lists(st.sampled_from([b"a", b"ab", b"b", b"c\xff", b""]), max_size=40).map(sorted)


@given(KEYS, st.integers(0, 60), st.booleans(), st.booleans())
def test_cut_lines(tmp_path_factory, keys, size, by_key, ends):
    """Pieces joined are the file; they are about as long as asked, and no line or key is cut."""
    text = b"".join(b"%b\t%b\n" % (key, b"v" * (n % 4)) for n, key in enumerate(keys))
    text = text if ends else text.removesuffix(b"\n")
    path = tmp_path_factory.mktemp("cut") / "lines"
    path.write_bytes(text)
    pieces = [(a, text[a:b]) for a, b in cut_lines(path, size, by_key=by_key)]
    assert text == b"".join(piece for _, piece in pieces)
    assert [0, *(start + len(piece) for start, piece in pieces)][:-1] == [s for s, _ in pieces]
    assert all(piece.endswith(b"\n") for _, piece in pieces[:-1])
    if not by_key:
        line = max(map(len, text.splitlines(keepends=True)), default=0)
        assert abs(len(pieces) - len(text) / max(size, 1)) <= 1 + len(pieces) * line / max(size, 1)
        assert max(len(p) for _, p in pieces) <= max(len(text) / len(pieces), 1.5 * size) + line
    if by_key:
        of_piece = [{line.split(b"\t")[0] for line in p.splitlines()} for _, p in pieces]
        assert not any(a & b for a, b in pairwise(of_piece))
        assert len(list(groupby(keys))) >= len(pieces) or not keys


def test_nothing_to_cut(tmp_path):
    """An empty file is one piece, and so one task."""
    (tmp_path / "empty").touch()
    assert [(0, 0)] == list(cut_lines(tmp_path / "empty", 7))


@given(
    st.lists(st.tuples(KEYS, st.integers(0, 30), st.booleans()), min_size=1, max_size=4),
    st.integers(1, 6),
)
def test_share_out(tmp_path_factory, files, most):
    """Shares joined are the files; no line is cut, and none has more than its due and a bit."""
    folder = tmp_path_factory.mktemp("share")
    told, texts = [], []
    for number, (keys, light, ends) in enumerate(files):
        text = b"".join(b"%b\t%b\n" % (key, b"v" * (n % 4)) for n, key in enumerate(keys))
        texts.append(text if ends else text.removesuffix(b"\n"))
        (folder / str(number)).write_bytes(texts[-1])
        told.append((folder / str(number), min(light, len(texts[-1]))))
    shares = share_out(told, most)
    pieces = [piece for share in shares for piece in share]
    assert 1 <= len(shares) <= most
    assert all(shares)
    for text, (path, _) in zip(texts, told, strict=True):
        mine = [text[a:b] for p, a, b in pieces if p == path]
        assert text == b"".join(mine)
        assert all(piece.endswith(b"\n") for piece in mine[:-1])
    light = dict(told)
    total = sum(len(text) for text in texts) - sum(light.values())
    line = max((len(row) + 1 for text in texts for row in text.split(b"\n")), default=0)
    for share in shares:
        held = sum(max(0, end - max(start, light[path])) for path, start, end in share)
        assert held <= 1.25 * max(1, total / most) + line
    copy_pieces(pieces, folder / "all")
    ended = [text if text.endswith(b"\n") or not text else text + b"\n" for text in texts]
    assert b"".join(ended) == (folder / "all").read_bytes()


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


def test_what_mappers_pass_over(tmp_path, monkeypatch):
    """Records of which nothing is made count for nothing where input is shared out."""
    monkeypatch.setattr(cutting, "LEAST", 8)
    monkeypatch.setattr(Telling, "PASSES_OVER", b"!")
    lines = "!words\tx\n" * 100 + "tell\n" * 8
    assert 2 == len({task["process"] for task in told(tmp_path, lines) if "process" in task})


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


@pytest.mark.parametrize("attribute", ["READS_FILES", "LINES_ARE_WORK"])
def test_lines_that_are_work(tmp_path, monkeypatch, attribute):
    """A line that names a file, or pages to ask for, may be a task of its own."""
    monkeypatch.setattr(Telling, attribute, True)
    assert 1 < len({task["process"] for task in told(tmp_path, "tell\n" * 8)})


def test_what_is_loaded_meanwhile(tmp_path):
    """While the last tasks run more is loaded, in order; what cannot be is left to others."""
    (tmp_path / "lines").write_text("tell\n")
    words = ["-r", "local", "--no-conf", "--no-cat-output", str(tmp_path / "lines")]
    tokens._cutter.cache_clear()
    with Telling(words).make_runner() as runner:
        runner.meanwhile = iter(["none.such", "text.tokens:load_dictionary"])
        runner.run()
    assert [] == list(runner.meanwhile)
    assert 1 == tokens._cutter.cache_info().currsize


def test_what_a_job_leaves(tmp_path, monkeypatch):
    """Behind a job no process or descriptor is left, and soon no file of its own; nor are those of
    ended tasks kept while others run.
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
    for thread in threading.enumerate():
        if thread is not threading.main_thread():
            thread.join(10)
    assert descriptors() <= before
    assert [] == list((tmp_path / "scratch").iterdir())


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_done_but_not_ended(tmp_path, monkeypatch):
    """What waits for a task goes on when it is done, and not when its process has ended."""
    began = time.monotonic()

    def linger(*words: object) -> None:
        begin(*words)
        time.sleep(1)

    begin = local._begin
    monkeypatch.setattr(local, "_begin", linger)
    (tmp_path / "lines").write_text("tell\n")
    words = ["-r", "local", "--no-conf", "--no-cat-output", str(tmp_path / "lines")]
    with Telling(words).make_runner() as runner:
        runner.run()
        assert time.monotonic() - began < 1
        assert multiprocessing.active_children()
    assert [] == multiprocessing.active_children()


def test_options_are_declared_once(tmp_path):
    """For jobs of one kind: each reads its own words by what was declared for the first."""
    first, second = (Telling(["--mapper", "--step-num", number]) for number in "01")
    assert first.arg_parser is second.arg_parser
    assert [0, 1] == [job.options.step_num for job in (first, second)]
    assert Telling(["-r", "local", "x"]).options.args == ["x"]


def test_small_input_is_one_task(tmp_path):
    """Tasks are not made for less than they cost."""
    assert 1 == len({task["process"] for task in told(tmp_path, "tell\n" * 8)})
