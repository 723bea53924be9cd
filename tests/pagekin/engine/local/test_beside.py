"""Two chains of stages side by side: leave for tasks, work in another process, whole builds."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from pathlib import Path
from typing import NoReturn

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagekin.build import chain as module
from pagekin.config import BuildConfig
from pagekin.engine.local import beside as module_of_beside
from pagekin.engine.local.beside import Beside, Slots
from pagekin.engine.run import Engine
from pagekin.errors import InputError, StageError
from pagekin.stages.chain import split_chains, wanted_stages
from pagekin.storage.workspace import Workspace
from tests.running import DEMO, living, pagekin, record_of, started, wait_until

COCITATION = ("pairs", "related")
FLAGS = ("--cocitation-threshold", "0.5")  # the demo is small

# --- leave for tasks ---


@given(st.integers(1, 9), st.lists(st.booleans(), max_size=40), st.integers(0, 40))
def test_slots(tasks, wishes, until):
    """One task may always run, and when the first chain is done as many as there may be."""
    slots, running = Slots(), 0
    for number, begins in enumerate(wishes):
        if number == until:
            slots.put(tasks - slots.own)
        most = tasks if number >= until else 1
        if not begins and running:
            slots.put(int(running > slots.own))
            running -= 1
        elif begins:
            may = running < slots.own or slots.take()
            assert may == (running < most)
            running += may
        assert running <= most
    slots.close()


# --- work in another process ---


def test_child(tmp_path):
    """The work is done in a process that is a child, and that is waited for."""
    told = tmp_path / "told"
    with Beside(
        "work", lambda: told.write_text(f"{os.getppid()} {os.getpid()}") and None
    ) as beside:
        beside.join()
    parent, own = map(int, told.read_text().split())
    assert os.getpid() == parent
    assert own != parent
    assert not is_alive(own)


class OddError(Exception):
    """Cannot be made from its words alone."""

    def __init__(self, one: int, two: int) -> None:
        super().__init__(f"{one} and {two}")


def failing(error: Exception) -> Callable[[], NoReturn]:
    def work() -> NoReturn:
        raise error

    return work


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (InputError("it is broken"), InputError, "it is broken"),
        (InputError("x" * 1_000_000), InputError, "x{1000000}"),
        (OSError(28, "No space left on device", "x"), OSError, "No space left"),
        (OddError(1, 2), StageError, "OddError: 1 and 2"),
    ],
)
def test_error(error, kind, said):
    """Its error comes back, however long it is, and one that cannot travel is told in words."""
    with Beside("work", failing(error)) as beside:
        with pytest.raises(kind, match=said):
            beside.join()
        with pytest.raises(kind):
            beside.check()


def test_check():
    """Nothing is raised while the work goes on, nor when it ended well; an error is."""
    read, write = os.pipe()
    with Beside("work", lambda: os.read(read, 1) and None) as beside:
        beside.check()
        os.write(write, b"x")
        beside.join()
        beside.check()
    with Beside("work", failing(InputError("broken"))) as beside, pytest.raises(InputError):
        wait_until(beside.check)


@pytest.mark.parametrize("holds", [False, True])
def test_killed(holds):
    """That it was killed is said at once, also where another process has its end of the pipe."""

    def work() -> None:
        if holds and not os.fork():
            time.sleep(20)
            os._exit(0)
        os.kill(os.getpid(), signal.SIGKILL)

    began = time.monotonic()
    error = pytest.raises(StageError, match=r"^stages a, b: their process was killed by SIGKILL")
    with Beside("stages a, b", work) as beside, error:
        beside.join()
    assert time.monotonic() - began < 10


def test_killed_while_it_tells(monkeypatch):
    """An error of which only the beginning was told is no error to raise."""
    monkeypatch.setattr(module_of_beside, "_outcome", lambda work: b"\x80" + bytes(1_000_000))
    with Beside("work", lambda: None) as beside:
        wait_until(lambda: wait([beside._ends[0]], 0))
        os.kill(beside._pid, signal.SIGKILL)
        with pytest.raises(StageError, match="killed by SIGKILL"):
            beside.join()


def test_stopped(tmp_path):
    """Work that nobody waits for any more is told to stop, and may tidy up, even told twice."""

    def work() -> None:
        (tmp_path / "begun").touch()
        try:
            time.sleep(60)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            (tmp_path / "tidied").touch()

    with pytest.raises(KeyError), Beside("work", work):
        wait_until((tmp_path / "begun").exists)
        raise KeyError
    assert (tmp_path / "tidied").exists()


def test_deaf(tmp_path, monkeypatch):
    """Work that does not stop is killed."""
    monkeypatch.setattr(module_of_beside, "_PATIENCE", 0.1)

    def work() -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        (tmp_path / "begun").write_text(str(os.getpid()))
        time.sleep(60)

    with Beside("work", work):
        wait_until(lambda: (tmp_path / "begun").exists() and (tmp_path / "begun").read_text())
    assert not is_alive(int((tmp_path / "begun").read_text()))


def test_signal_while_it_begins(monkeypatch):
    """A signal that comes as the process is made is heard behind that, and the process ends."""
    made = []

    def fork() -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        made.append(fork_it())
        return made[-1]

    fork_it = os.fork
    before = signal.signal(signal.SIGTERM, raise_key_error)
    try:
        monkeypatch.setattr(os, "fork", fork)
        with pytest.raises(KeyError), Beside("work", lambda: time.sleep(60)):
            pass
    finally:
        signal.signal(signal.SIGTERM, before)
    assert not is_alive(made[0])


def test_signals_in_other_threads():
    """They are heard in the main thread alone, and so nothing waits in another."""
    made = []

    def begin() -> None:
        with Beside("work", lambda: None) as beside:
            beside.join()
        made.append(True)

    thread = threading.Thread(target=begin)
    thread.start()
    thread.join()
    assert made


def raise_key_error(number: int, frame: object) -> NoReturn:
    raise KeyError(number)


ORPHAN = """
import os, time
from pagekin.engine.local.beside import Beside
with Beside("work", lambda: time.sleep(60)) as beside:
    print(beside._pid, flush=True)
    time.sleep(60)
"""


def test_ends_with_its_parent():
    """It does not outlive a process that is killed."""
    with subprocess.Popen([sys.executable, "-c", ORPHAN], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert Path(f"/proc/{child}").exists()
        parent.kill()
    wait_until(lambda: not is_alive(child), 10)


def is_alive(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2][0]
    except OSError:
        return False
    return state not in "ZX"


# --- chains ---


def names(*parts: str, index: bool = True, until: str = "") -> list[list[str]]:
    stages = wanted_stages(BuildConfig(), until, index=index, parts=parts)
    return [[stage.name for stage in chain] for chain in split_chains(stages)]


def test_chains():
    """What does not need each other lies in two chains behind what both need."""
    bags = ["document_frequency", "weighted_bags", "index_shards"]
    assert [["inventory", "bag_fragments"], bags, [*COCITATION]] == names("bags", "cocitation")
    alone = ["inventory", "bag_fragments", *bags]
    assert [alone, [], []] == names("bags")
    assert [["inventory", "blocks", *COCITATION], [], []] == names("cocitation")
    assert [alone[:3], [], []] == names("bags", "cocitation", until="document_frequency")


@pytest.mark.parametrize(
    ("engine", "beside"),
    [
        (Engine("local", tasks=2), True),
        (Engine("local", tasks=1), False),
        (Engine("inline", tasks=2), False),
        (Engine("local", tasks=2, conf=Path("mrjob.conf")), False),
        (Engine("hadoop", tasks=2), False),
    ],
)
def test_where(tmp_path, engine, beside):
    """Only where this package itself runs more than one task at once."""
    build = module.Build(Workspace.create(tmp_path / "work"), BuildConfig(), engine, [])
    *_, other = split_chains(build.stages())
    assert beside == build._may_run_beside(other)


# --- whole builds ---


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo, one task at a time."""
    base = tmp_path_factory.mktemp("one")
    flags = ("--work", base / "work", "--index", base / "index", *FLAGS)
    assert (0, "", "") == pagekin("build", "-q", "-r", "inline", *flags, DEMO)
    return base


def words(base: Path) -> list[object]:
    return ["build", "--tasks", 2, "--work", base / "work", "--index", base / "index", *FLAGS]


def test_side_by_side(built, tmp_path):
    """The same index comes out, the summary has the order of the chain, and all is kept again."""
    said = pagekin(*words(tmp_path), DEMO)
    assert 0 == said.code, said.err
    for stage in ("index_shards", *COCITATION):
        mine, its = (record_of(base / "work", stage)["result"] for base in (tmp_path, built))
        assert (its["digest"], its["counters"]) == (mine["digest"], mine["counters"])
    summaries = [
        json.loads((base / "work" / "summary.json").read_text()) for base in (tmp_path, built)
    ]
    first, second = ([stage["name"] for stage in one["stages"]] for one in summaries)
    assert second == first
    assert len({one["index"]["digest"] for one in summaries}) == 1
    for stage in COCITATION:
        assert f"building {stage}: not there yet" in said.err
        assert f"         {stage}: " in said.err
    assert not (tmp_path / "work" / ".building").exists()
    again = pagekin(*words(tmp_path), DEMO)
    assert "building" not in again.err


def damage_blocks(work: Path) -> None:
    """Places of links that are no numbers; the digest of the stage is what it was."""
    for path in (work / "bag_fragments").glob("part-*"):
        path.write_bytes(path.read_bytes().replace(b"\x01\x02http", b"\x01x\x02http"))


def test_other_chain_fails(built, tmp_path):
    """An error of the chain beside ends the build, and nothing half done is left."""
    base = copied(built, tmp_path, without=("index_shards", *COCITATION))
    damage_blocks(base / "work")
    said = pagekin(*words(base), DEMO)
    assert 6 == said.code
    assert "pagekin: stage pairs failed: " in said.err
    assert "Traceback" not in said.err.partition("pagekin: stage")[0]
    assert not (base / "work" / ".building").exists()
    assert not (base / "work" / "pairs").exists()
    assert "stage pairs failed" in said.err.partition("; the build ends behind the stage")[0]
    assert "failed" == json.loads((base / "work" / "summary.json").read_text())["state"]


def test_summary_of_a_failure(built, tmp_path, monkeypatch):
    """What the chain beside finished before it failed is in the summary."""
    base = copied(built, tmp_path, without=("index_shards", "related"))

    def step(self, stage, after, report):
        if stage.name == "related":
            raise StageError("related failed")
        return {"name": stage.name}

    monkeypatch.setattr(module.Build, "_step", step)
    build = module.Build(
        Workspace.open(base / "work"),
        BuildConfig(),
        Engine("local", tasks=2),
        [],
        index=base / "index",
        quiet=True,
    )
    with pytest.raises(StageError, match="related failed"):
        build.run()
    summary = json.loads((base / "work" / "summary.json").read_text())
    assert "pairs" == summary["stages"][-1]["name"]


def test_first_chain_fails(built, tmp_path):
    """An error of the first chain stops the one beside."""
    base = copied(built, tmp_path, without=("weighted_bags", "index_shards", *COCITATION))
    table = base / "work" / "document_frequency" / "frequencies.arrays"
    table.write_bytes(table.read_bytes()[:-8])
    with started(*words(base), DEMO) as process:
        _, said = process.communicate(timeout=60)
        assert 3 == process.returncode, said
        wait_until(lambda: not living(process.pid), 10)
    assert "frequencies.arrays" in said
    assert not (base / "work" / ".building").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_ended_from_outside(built, tmp_path, number):
    """Stopped or killed while both chains run, it leaves no process, and goes on from there."""
    base = copied(built, tmp_path, without=("document_frequency", *COCITATION))
    work = base / "work"
    with started(*words(base), DEMO) as process:
        wait_until(lambda: any(work.glob(".building/beside-*")))
        if number == signal.SIGINT:  # from the keyboard it goes to the whole group
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        _, said = process.communicate(timeout=60)
        wait_until(lambda: not living(process.pid), 10)
    if number != signal.SIGKILL:
        assert said.endswith("pagekin: stopped; the same command goes on from here\n"), said
        assert "Traceback" not in said
        assert not (work / ".building").exists()
    assert 0 == pagekin(*words(base), DEMO).code
    for stage in COCITATION:
        mine, its = (record_of(one, stage)["result"]["digest"] for one in (work, built / "work"))
        assert its == mine


def copied(built: Path, tmp_path: Path, without: tuple[str, ...]) -> Path:
    """A workspace of one's own, in which stages are not there yet."""
    work = shutil.copytree(built / "work", tmp_path / "work")
    for stage in without:
        shutil.rmtree(work / stage)
    return tmp_path
