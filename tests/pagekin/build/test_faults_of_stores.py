"""Builds in a store that fails: each ends in a sentence, and the same command goes on.

Jobs run in this process, and read and write the store as the tasks of a cluster do: not by the
object that the build has, which is the one that fails.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse

from pagekin.build.chain import Build
from pagekin.config import BuildConfig
from pagekin.engine.job import PagekinJob
from pagekin.engine.local import cutting
from pagekin.engine.run import Engine, run_job
from pagekin.errors import DamageError, InputError, PagekinError, StageError
from pagekin.storage.hdfs_store import HdfsStore
from pagekin.storage.remote_workspace import RemoteWorkspace
from pagekin.storage.s3_store import S3Store
from pagekin.storage.store import Store
from pagekin.storage.stores import open_store
from pagekin.web import s3
from pagekin.web.sources import list_snapshot
from pagekin.web.streams import scheme_of
from tests.indexes import NOT_ENRICHED
from tests.pagekin.storage.stores import FolderStore, make_writing_hadoop
from tests.pagekin.storage.test_stores import bucket, server  # noqa: F401 - fixtures
from tests.running import INVENTORY

ASKED = (
    *("files", "read_json", "write", "write_new", "make_folder", "upload", "download"),
    *("remove", "move", "statistics", "end_uploads"),
)
Runs = Callable[..., tuple[float, float]]


def cluster(store: Store) -> Runs:
    """Runs a job on what lies in a store, and leaves its output there."""

    def run(job: str, engine: Engine, options: Any, inputs: Any, made: Path, output: str) -> Any:  # noqa: PLR0917
        paths: list[Path] = []
        for number, word in enumerate(inputs):
            if not scheme_of(word):
                paths.append(Path(word))
                continue
            folder = made / f"input-{number}"
            folder.mkdir()
            names = store.files(word.removeprefix(f"{store.uri}/").removesuffix("/part-*"))
            store.download(sorted(name for name in names if "/part-" in name), folder)
            paths += sorted(folder.iterdir())
        times = run_job(job, engine, options, paths, made)
        name = output.removeprefix(f"{store.uri}/")
        store.make_folder(name)
        store.upload(sorted((made / "output").iterdir()), name)
        shutil.rmtree(made / "output")
        return times

    return run


def build(store: Store, snapshot: Path, runs: Runs, until: str = "") -> dict[str, str]:
    """Build the bags in a store; gives the digest of each stage."""
    workspace = RemoteWorkspace.create(store)
    files = list_snapshot([str(snapshot)])
    engine = Engine("inline")
    config = BuildConfig(enrich=NOT_ENRICHED)
    made = Build(workspace, config, engine, files, until, quiet=True, parts=["bags"], runs=runs)
    return {stage["name"]: stage["digest"] for stage in made.run()["stages"]}


@pytest.fixture(autouse=True)
def several_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However small they are; and nothing of this test in the user's cache."""
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(cutting, "LEAST", 1)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory, small_snapshot: Path) -> dict[str, str]:
    """What a store that never fails gets."""
    folder = tmp_path_factory.mktemp("good")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAGEKIN_CACHE", str(folder / "cache"))
        store = FolderStore(folder / "work", moves=True)
        return build(store, small_snapshot, cluster(store))


# --- a store that fails at any moment ---


class Faulty(FolderStore):
    """Fails once, when it is asked for the nth time: before it has done what it was asked, or
    behind that, so that its answer is lost."""

    def __init__(self, root: Path, *, moves: bool, moment: int, late: bool) -> None:
        super().__init__(root, moves=moves)
        self.asked, self._moment, self._late = 0, moment, late

    def __getattribute__(self, name: str) -> Any:
        found = super().__getattribute__(name)
        return self._failing(found) if name in ASKED else found

    def _failing(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def ask(*arguments: Any) -> Any:
            self.asked += 1
            due = self.asked == self._moment
            if due and not self._late:
                raise InputError("the store does not answer")
            answer = call(*arguments)
            answer = list(answer) if isinstance(answer, Iterator) else answer
            if due:
                raise InputError("the answer of the store was lost")
            return answer

        return ask


@pytest.mark.parametrize("moment", [1, 4, 6, 9, 13, 18, 25, 32, 39])
@pytest.mark.parametrize("moves", [True, False])
def test_any_moment(tmp_path, small_snapshot, expected, moves, moment):
    """Whatever the store was asked when it failed, the next build makes what is missing."""
    root, late = tmp_path / "work", moment % 2 == 1
    good = FolderStore(root, moves=moves)
    store = Faulty(root, moves=moves, moment=moment, late=late)
    with suppress(InputError):  # what is swept behind a build need not succeed
        build(store, small_snapshot, cluster(good))
    assert store.asked >= moment
    assert expected == build(good, small_snapshot, cluster(good))
    assert [] == [name for name in good.files() if name.startswith((".building", ".lock"))]


# --- parts ---


def losing(store: FolderStore, job: str, change: Callable[[Path], None]) -> Runs:
    """A cluster in which something happens to the first part that a job is about to read."""
    runs = cluster(store)

    def run(name: str, *arguments: Any) -> Any:
        inputs = arguments[2]
        if name.startswith(f"{job}:"):
            folder = store.root / inputs[0].removeprefix(f"{store.uri}/").removesuffix("/part-*")
            change(sorted(p for p in folder.glob("part-*") if p.stat().st_size)[0])
        return runs(name, *arguments)

    return run


CHANGES: dict[str, Callable[[Path], None]] = {
    "gone": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "twice": lambda path: path.with_name("part-00077").write_bytes(path.read_bytes()) and None,
}


@pytest.mark.parametrize("moves", [True, False])
@pytest.mark.parametrize("change", CHANGES)
def test_parts_between_two_jobs(tmp_path, small_snapshot, expected, moves, change):
    """A job that read less, or more, than the stages before it wrote has failed; the stage of which
    parts are gone is then made anew."""
    store = FolderStore(tmp_path / "work", moves=moves)
    runs = losing(store, "document_frequency", CHANGES[change])
    with pytest.raises(StageError, match=r"document_frequency failed: tasks read [\d,]+ of"):
        build(store, small_snapshot, runs)
    assert expected == build(store, small_snapshot, cluster(store))


@pytest.mark.parametrize("change", ["gone", "empty"])
def test_parts_before_they_are_counted(tmp_path, small_snapshot, expected, change):
    """A part of the output that is not seen when its job has ended is missed at once."""
    store = FolderStore(tmp_path / "work", moves=True)
    runs = cluster(store)

    def run(name: str, *arguments: Any) -> Any:
        times = runs(name, *arguments)
        folder = store.root / arguments[-1].removeprefix(f"{store.uri}/")
        if name.startswith("reading:"):
            CHANGES[change](sorted(folder.glob("part-*"))[-1])
        return times

    with pytest.raises(StageError, match=r"reading failed: of records between tasks [\d,]+ of"):
        build(store, small_snapshot, run)
    assert expected == build(store, small_snapshot, cluster(store))


def test_part_that_is_gone_again_and_again(tmp_path, small_snapshot):
    """A stage is made anew once; then the build ends, and says which part is gone."""
    store = FolderStore(tmp_path / "work", moves=True)
    runs = cluster(store)

    def run(name: str, *arguments: Any) -> Any:
        for path in store.root.glob("reading.fragments/part-00000"):
            path.unlink()
        return runs(name, *arguments)

    with pytest.raises((DamageError, StageError)):
        build(store, small_snapshot, run)


# --- tasks of two kinds ---


def test_tasks_of_two_versions(tmp_path, small_snapshot, expected, monkeypatch):
    """Nodes that are made new one after the other: a stage whose tasks had both is not kept."""
    store = FolderStore(tmp_path / "work", moves=True)
    begin, versions = PagekinJob._begin_task, cycle(["6.0", "6.1"])

    def begin_task(job: PagekinJob) -> None:
        begin(job)
        job._statistics.versions = {"lxml": [next(versions)]}

    with monkeypatch.context() as patch:
        patch.setattr(PagekinJob, "_begin_task", begin_task)
        with pytest.raises(StageError, match=r"different libraries, lxml 6\.0 and 6\.1; give"):
            build(store, small_snapshot, cluster(store))
    assert expected == build(store, small_snapshot, cluster(store))


# --- HDFS and S3 ---


def test_safe_mode(tmp_path, small_snapshot, expected):
    """HDFS that nobody may write to, as after its start, is told as that."""
    program = make_writing_hadoop(tmp_path)
    good = HdfsStore("hdfs://x/work", program)
    flag = tmp_path / "hdfs-safe-mode"
    with pytest.raises(InputError, match="Name node is in safe mode"):
        flag.touch()
        build(HdfsStore("hdfs://x/work", program), small_snapshot, cluster(good))
    flag.unlink()

    def run(name: str, *arguments: Any) -> Any:
        times = cluster(good)(name, *arguments)
        if name.startswith("reading:"):
            flag.touch()
        return times

    with pytest.raises(InputError, match="Name node is in safe mode"):
        build(HdfsStore("hdfs://x/work", program), small_snapshot, run)
    flag.unlink()
    assert expected == build(good, small_snapshot, cluster(good))


EXPIRED = b"""<?xml version="1.0" encoding="UTF-8"?><Error><Code>ExpiredToken</Code>
<Message>The provided token has expired.</Message></Error>"""


class Raw:
    """The body of an answer."""

    def stream(self, *_: Any, **__: Any) -> Iterator[bytes]:
        yield EXPIRED

    def read(self, *_: Any) -> bytes:
        return EXPIRED


def test_credentials_that_end(bucket, small_snapshot, expected, monkeypatch):  # noqa: F811
    """Their end is told with what to do; with new ones the same command goes on."""
    good = open_store(f"s3://{bucket}/work")
    assert isinstance(good, S3Store)
    ended = False
    client_of = s3._client

    def answer(request: Any, **_: Any) -> AWSResponse | None:
        return AWSResponse(request.url, 400, {}, Raw()) if ended else None

    def client(tries: int) -> Any:
        made = client_of(tries)
        made.meta.events.register("before-send.s3", answer)
        return made

    def run(name: str, *arguments: Any) -> Any:
        nonlocal ended
        times = cluster(good)(name, *arguments)
        ended = True
        return times

    monkeypatch.setattr(s3, "_client", client)
    with pytest.raises(PagekinError, match=r"the AWS credentials have ended; renew them"):
        build(open_store(f"s3://{bucket}/work"), small_snapshot, run, "inventory")
    ended = False
    made = build(good, small_snapshot, cluster(good), "inventory")
    assert {INVENTORY: expected[INVENTORY]} == made
