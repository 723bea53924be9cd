"""The inline runner: one process, and as many tasks as mrjob would make."""

from __future__ import annotations

import json
import os

from pagekin.engine.local import cutting
from pagekin.engine.local.inline import InlineRunner
from pagekin.jobs.document_frequency import DocumentFrequency
from pagekin.names import TASK_KEY
from tests.jobs.telling import Telling


def test_tasks_share_a_job(tmp_path, monkeypatch):
    """Options are read once for each kind of task; each has its own folder and counts anew."""
    monkeypatch.setattr(cutting, "LEAST", 1)
    monkeypatch.setattr(cutting, "LARGE", 1)
    lines = tmp_path / "lines"
    lines.write_text("tell\n" * 8)
    words = ["-r", "inline", "--no-conf", "--no-cat-output", "--cmdenv", "TELLING=me"]
    with Telling([*words, str(lines)]).make_runner() as runner:
        assert type(runner) is InlineRunner
        runner.run()
        made = [runner._mrjob_cls(["--mapper"]), runner._mrjob_cls(["--mapper"])]
        pairs = [line.partition(b"\t") for line in b"".join(runner.cat_output()).splitlines()]
    assert made[0] is made[1]
    tasks = [json.loads(value) for key, _, value in pairs if key != TASK_KEY]
    assert {os.getpid()} == {task["process"] for task in tasks}
    assert {"me"} == {task["told"] for task in tasks}
    said = [json.loads(value) for key, _, value in pairs if key == TASK_KEY]
    assert len({task["folder"] for task in tasks}) == len(said) > 1
    assert 8 == sum(task["records"] for task in said)
    assert {1} == {task["tasks"] for task in said}


def test_a_job_is_executed_again(tmp_path):
    """What a task counted, and where it wrote, is forgotten by the next."""
    job = DocumentFrequency(["--mapper"])
    bag = b"http://a.example/\t1 2 1 1 EgAAABQAAAAAAIA/AAAAQA==\n"
    said = []
    for number in range(2):
        (tmp_path / "in").write_bytes(bag)
        with (tmp_path / "in").open("rb") as lines, (tmp_path / f"{number}").open("wb") as out:
            job._stdin, job._stdout = lines, out
            job.execute()
            assert job._stdout is out
        *_, last = (tmp_path / f"{number}").read_bytes().splitlines()
        said.append(json.loads(last.partition(b"\t")[2])["counters"])
    assert {"frequencies": {"bags": 1}} == said[0] == said[1]
