"""Builds that are killed or stopped: nothing half done stays, and the next build goes on."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Event

import pytest

from pagekin.storage.workspace import Workspace
from tests.pagekin.web import servers
from tests.running import BAGS, STAGES, living, outputs, pagekin, started, wait_until
from tests.small import warned
from tests.warcs import response, warcinfo


@pytest.fixture
def work(tmp_path: Path) -> Path:
    return tmp_path / "work"


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, small_snapshot: Path) -> dict:
    """What a build that nobody disturbs makes of the small snapshot."""
    work = tmp_path_factory.mktemp("undisturbed") / "work"
    assert 0 == pagekin("build", "-q", "-r", "inline", *BAGS, "--work", work, small_snapshot).code
    return outputs(work)


def is_building(work: Path, stage: str) -> bool:
    """Has the stage been begun, or is it even finished?"""
    with suppress(FileNotFoundError):  # the build sweeps up while we look
        if any(work.glob(f".building/{stage}-*")):
            return True
    return (work / stage).exists()


def kill(process: subprocess.Popen[str], whom: str) -> None:
    """SIGKILL, to the process itself or also to all its tasks."""
    if whom == "leader":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@pytest.mark.parametrize(("whom", "seed"), [("leader", 1), ("group", 2)])
def test_killed_three_times(work, small_snapshot, expected, whom, seed):
    """Killed in each of three stages, a build goes on each time and makes what it would have made.

    The workspace never shows half a stage: what is there is what an undisturbed build makes.
    """
    chance = random.Random(seed)
    words = ["build", "-q", "--tasks", 2, *BAGS, "--work", work, small_snapshot]
    for stage in STAGES[:3]:
        with started(*words) as process:
            wait_until(lambda stage=stage: is_building(work, stage))
            time.sleep(chance.uniform(0.0, 0.5))
            kill(process, whom)
            # at once, while tasks of the killed build may still run
            found = outputs(work)
            assert {name: expected[name] for name in found} == found
            assert all(Workspace(work).stage_record(name) for name in found)
    assert (0, "", warned(small_snapshot)) == pagekin(*words)
    assert expected == outputs(work)
    assert not (work / ".building").exists()
    summary = json.loads((work / "summary.json").read_text())
    assert "kept" == summary["stages"][0]["state"]


# --- while a task waits for a slow server ---


class Slow(servers.Handler):
    """Gives a file piece by piece, until the server is told to hurry."""

    hurry = Event()
    PIECE = 64 << 10

    def send_file(self, whole: bytes, etag: str, fault: servers.Fault) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(whole)))
        self.end_headers()
        for at in range(0, len(whole), self.PIECE):
            self.wfile.write(whole[at : at + self.PIECE])
            self.hurry.wait(0.1)


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of a WARC file that takes half a minute to read."""
    servers.without_proxies(monkeypatch)
    picture = response(
        "http://a.example/bee.gif", bytes(Slow.PIECE), 200, {"Content-Type": "image/gif"}
    )
    page = response("http://a.example/", b"<title>Bees</title><p>Bees make honey.")
    Slow.hurry.clear()
    with servers.running(Slow) as server:
        server.files["/slow.warc"] = warcinfo() + picture * 300 + page
        try:
            yield f"{server.url}/slow.warc"
        finally:
            Slow.hurry.set()


def reads(work: Path) -> bool:
    """Does a task of the fragments read already?"""
    notes = work.glob(".building/reading.*/progress/*")
    return any(note.suffix == "" for note in notes)


BUILD = ("build", "-q", "--tasks", "2", "--reading-resolve", "false", "--work")


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stopped(work, slow, number):
    """A signal stops a build with all its tasks, in one sentence; the same command goes on."""
    with started(*BUILD, work, slow) as process:
        wait_until(lambda: reads(work))
        if number == signal.SIGINT:  # from the keyboard it goes to the whole group
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, said = process.communicate(timeout=60)
        assert 130 == process.returncode
        wait_until(lambda: not living(process.pid), 10)
    assert "pagekin: stopped; the same command goes on from here\n" == said
    assert "stopped" == json.loads((work / "summary.json").read_text())["state"]
    left = {"workspace.json", "summary.json", ".lock", "inventory.sample"}
    assert left == {path.name for path in work.iterdir()}
    Slow.hurry.set()
    assert 0 == pagekin(*BUILD, work, "-r", "inline", slow).code
    assert 1 == len(outputs(work)["weighted_bags"]["records"])


def test_tasks_end_with_their_build(work, slow):
    """The tasks of a build that was killed do not go on reading for nobody."""
    with started(*BUILD, work, slow) as process:
        wait_until(lambda: reads(work))
        kill(process, "leader")
        wait_until(lambda: not living(process.pid), 10)


def test_ignored_signals_stay_ignored():
    """Under nohup, and behind `&` in a script, a build does not hear the keyboard."""
    code = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN);"
        "from pagekin.commands import show_bag; from pagekin.cli import main;"
        "show_bag._run = lambda options: print(signal.getsignal(signal.SIGINT).name);"
        "sys.exit(main(['bag', '--work', 'x', 'y']))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "SIG_IGN\n" == said.stdout


def test_stop_within_a_finally():
    """Where a stop makes other code fail on its way out, it is told as a stop all the same."""
    code = (
        "import os, signal, sys\n"
        "from pagekin.commands import show_bag; from pagekin.cli import main\n"
        "def run(options):\n"
        "    try: os.kill(os.getpid(), signal.SIGTERM)\n"
        "    finally: raise AttributeError('left half done')\n"
        "show_bag._run = run; sys.exit(main(['bag', '--work', 'x', 'y']))"
    )
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    stopped = "pagekin: stopped; the same command goes on from here\n"
    assert (130, "", stopped) == (said.returncode, said.stdout, said.stderr)


# --- a disk that is full ---


def limited(size: int) -> dict[str, Callable[[], None]]:
    """For a process to which the system says behind so many bytes of a file that it is full."""
    return {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))}


@pytest.mark.parametrize("size", [0, 100, 2_000, 6_000, 12_000])
@pytest.mark.parametrize("runner", ["inline", "local"])
def test_full_disk(work, small_snapshot, expected, runner, size):
    """It is said that the disk is full, and of which folder; with room the same command goes on.

    The limit also takes what tasks say: their messages lie on the same disk.
    """
    words = ["build", "-q", "-r", runner, "--tasks", 2, *BAGS, "--work", work, small_snapshot]
    said = pagekin(*words, **limited(size))
    assert said.code in {1, 6}
    assert str(work) in said.err
    assert "File too large" in said.err or "takes no more" in said.err
    assert all(line.startswith("pagekin: ") for line in said.err.splitlines()), said.err
    assert (0, "", warned(small_snapshot)) == pagekin(*words)
    assert expected == outputs(work)
