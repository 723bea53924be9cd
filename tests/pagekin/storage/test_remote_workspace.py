"""A workspace in a store: the rules of one on this machine, in HDFS and in S3."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from pagekin.build.remote_index import RemoteIndex
from pagekin.errors import DamageError, StageError, UsageError, WorkspaceError
from pagekin.storage.hdfs_store import HdfsStore
from pagekin.storage.remote_workspace import RemoteWorkspace
from pagekin.storage.store import Store
from pagekin.storage.stores import open_store
from tests.indexes import files_of
from tests.pagekin.storage.stores import FolderStore, make_writing_hadoop

STAGE = "inventory"
SAID = b"!task\t{}\n"


@pytest.fixture(params=["moves", "moves not", "hadoop"])
def store(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Store:
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path / "cache"))
    if request.param == "hadoop":
        return HdfsStore("hdfs://x/work", make_writing_hadoop(tmp_path))
    return FolderStore(tmp_path / "work", moves=request.param == "moves")


def write_parts(store: Store, workspace: RemoteWorkspace) -> None:
    """What a job writes."""
    name = workspace.output(STAGE).removeprefix(f"{store.uri}/")
    store.make_folder(name)
    store.write(f"{name}/part-00000", b"a\t1\nc\t3\n" + SAID)
    store.write(f"{name}/part-00001", b"b\t2\n" + SAID)
    store.write(f"{name}/part-00002", b"")
    store.write(f"{name}/_SUCCESS", b"")


def finish(store: Store, workspace: RemoteWorkspace, text: str) -> None:
    """Build a stage with a table."""
    write_parts(store, workspace)
    made = workspace.new_folder(STAGE) / "output"
    workspace.bring(STAGE, made, whole=False)
    (made / "t.arrays").write_text(text)
    workspace.complete(STAGE, made, {"stage": STAGE, "result": text})


def test_stage_is_built_and_replaced(store):
    """Records stay in the store, merged when they are read; nothing of the older stage is left."""
    workspace = RemoteWorkspace.create(store)
    with workspace.locked():
        finish(store, workspace, "one")
        finish(store, workspace, "two")
        assert [b"a", b"b", b"c"] == [key for key, _ in workspace.records(STAGE)]
        (pattern,) = workspace.inputs(STAGE)
    assert pattern.startswith(f"{store.uri}/{STAGE}")
    assert pattern.endswith("/part-*")
    names = sorted(name.rpartition("/")[2] for name in store.files())
    parts = ["part-00000", "part-00001", "part-00002"]
    assert ["_SUCCESS", *parts, "stage.json", "t.arrays", "workspace.json"] == names


def table(workspace: RemoteWorkspace) -> str:
    path = workspace.table(STAGE, "t.arrays")
    assert path is not None
    return path.read_text()


def test_another_machine_reads_it(store, monkeypatch, tmp_path):
    """What is not in the cache is fetched; what is, is not asked for again."""
    with (first := RemoteWorkspace.create(store)).locked():
        finish(store, first, "one")
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path / "other"))
    second = RemoteWorkspace.create(store)
    assert "one" == (second.stage_record(STAGE) or {})["result"]
    assert "one" == table(second)
    monkeypatch.setattr(type(store), "download", None)
    assert "one" == table(RemoteWorkspace.create(store))


def test_only_what_tasks_say_comes_here(store):
    """Of a stage without tables no record is copied; of one with tables all are."""
    with (workspace := RemoteWorkspace.create(store)).locked():
        write_parts(store, workspace)
        folders = [workspace.new_folder(STAGE) / "output" for _ in range(2)]
        for folder in folders:
            workspace.bring(STAGE, folder, whole=folder is folders[1])
        said, whole = ([p.read_bytes() for p in sorted(f.iterdir())] for f in folders)
    assert [SAID, SAID] == said
    assert [b"a\t1\nc\t3\n" + SAID, b"b\t2\n" + SAID, b""] == whole


def test_killed_build_leaves_nothing_that_counts(store):
    """What was being made is no stage, though Hadoop wrote its _SUCCESS, and is swept away."""
    workspace = RemoteWorkspace.create(store)
    write_parts(store, workspace)
    store.make_folder("crawl.index/shard-00000")
    store.write("crawl.index/shard-00000/H.arrays", b"beside")
    assert RemoteWorkspace.create(store).stage_record(STAGE) is None
    with RemoteWorkspace.create(store).locked():
        left = set(store.files())
    assert {".lock", "workspace.json", "crawl.index/shard-00000/H.arrays"} == left


@pytest.mark.parametrize("missing", ["stage.json", "_SUCCESS"])
def test_incomplete_stage(store, missing):
    """A stage without its record or its mark is not there, and can be built again."""
    with (workspace := RemoteWorkspace.create(store)).locked():
        finish(store, workspace, "one")
    store.remove(*(name for name in store.files() if name.endswith(f"/{missing}")))
    workspace = RemoteWorkspace.create(store)
    assert workspace.stage_record(STAGE) is None
    with pytest.raises(WorkspaceError, match="stage inventory is not built"):
        workspace.inputs(STAGE)
    with workspace.locked():
        finish(store, workspace, "two")
    assert "two" == (RemoteWorkspace.create(store).stage_record(STAGE) or {})["result"]


@contextmanager
def another_cache(folder: Path) -> Iterator[None]:
    """As on another machine, of whatever name."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PAGEKIN_CACHE", str(folder))
        yield


def test_lock(store, tmp_path):
    """A lock of a living build holds; on the machine of a build that was killed it is taken over,
    and on no other, also where that has the same name."""
    workspace = RemoteWorkspace.create(store)
    with workspace.locked():
        left = store.read_json([".lock"])[0]
        with (
            another_cache(tmp_path / "other"),
            pytest.raises(WorkspaceError, match="is in use by another build: process"),
        ):
            RemoteWorkspace.create(store).locked().__enter__()
    store.write(".lock", json.dumps(left).encode())
    with another_cache(tmp_path / "third"), pytest.raises(WorkspaceError, match="is in use by an"):
        RemoteWorkspace.create(store).locked().__enter__()
    with RemoteWorkspace.create(store).locked():
        assert left["taken"] != store.read_json([".lock"])[0]["taken"]
    assert ".lock" not in store.files()


def test_lock_of_which_the_answer_was_lost(store, monkeypatch):
    """The store made the lock and could not say so; asked again it says that there is one."""
    write_new = type(store).write_new

    def twice(*arguments):
        write_new(*arguments)
        return write_new(*arguments)

    monkeypatch.setattr(type(store), "write_new", twice)
    with RemoteWorkspace.create(store).locked():
        assert ".lock" in store.files()
    assert ".lock" not in store.files()


@pytest.mark.parametrize("text", ["", "[]", "{}", '"x"', "\x00"])
def test_strange_lock(store, text):
    """A lock that nobody of ours wrote is one all the same."""
    RemoteWorkspace.create(store)
    store.write(".lock", text.encode())
    said = r"in use by another build: process \? on \?; if that build was killed, remove .*/\.lock"
    with pytest.raises(WorkspaceError, match=said):
        RemoteWorkspace.create(store).locked().__enter__()


def test_foreign_folder(store):
    """A place that holds other files is refused and left as it is."""
    store.make_folder()
    store.write("letter.txt", b"x")
    with pytest.raises(WorkspaceError, match="holds other files and is no workspace"):
        RemoteWorkspace.create(store)
    assert {"letter.txt": 1} == store.files()


def test_part_that_is_not_whole(tmp_path):
    """A part file without its task's statistics is found although files are read as one stream."""
    store = HdfsStore("hdfs://x/work", make_writing_hadoop(tmp_path))
    store.make_folder()
    store.write("part-00000", b"a\t1\n" + SAID)
    store.write("part-00001", b"b\t2\n")
    with pytest.raises(StageError, match="of 2 part files 1 end without"):
        list(store.statistics(store.files()))


@pytest.mark.parametrize("uri", ["s3://b/w*", "hdfs://x/[a]", "https://host/work"])
def test_no_store(uri):
    """Patterns and addresses that cannot be written to are refused."""
    with pytest.raises(UsageError):
        open_store(uri)


def test_index_is_left_and_copied(store, demo_index, capsys):
    """An index comes back as it was, is copied once, and other folders are not replaced."""
    store.make_folder()
    place = RemoteIndex(store, "crawl.index")
    place.check_target()
    place.put(demo_index)
    place.put(demo_index)
    copy = place.copy_here()
    for path in demo_index.rglob("*.*"):
        assert path.read_bytes() == (copy / path.relative_to(demo_index)).read_bytes()
    assert f"copying {place.uri} (" in capsys.readouterr().err
    assert (copy, "") == (place.copy_here(), capsys.readouterr().err)
    store.write("crawl.index/letter.txt", b"x")
    with pytest.raises(UsageError, match=r"holds letter\.txt beside an index"):
        place.check_target()
    shutil.rmtree(copy)
    store.write("crawl.index/shard-00000/letter.txt", b"x")
    assert files_of(demo_index) == files_of(place.copy_here())
    shutil.rmtree(copy)


@pytest.mark.parametrize("thorough", [False, True])
def test_parts_that_are_gone(store, thorough):
    """A part that is missing, empty, or of another build is named."""
    with (workspace := RemoteWorkspace.create(store)).locked():
        finish(store, workspace, "one")
        assert "" == workspace.damage(STAGE, thorough=thorough)
    (part,) = [name for name in store.files() if name.endswith("/part-00001")]
    store.write(part, b"")
    said = RemoteWorkspace.create(store).damage(STAGE, thorough=thorough)
    assert f"part-00001 has 0 bytes and had {len(b'b2nt' + SAID)}" == said
    store.remove(part)
    assert "part-00001 is gone" == RemoteWorkspace.create(store).damage(STAGE, thorough=thorough)


def test_damaged_record_beside_others(store):
    """A stage whose record is broken is not there; the others are."""
    with (workspace := RemoteWorkspace.create(store)).locked():
        finish(store, workspace, "one")
    text = json.dumps(store.read_json([f"{STAGE}/stage.json"])[0])
    store.make_folder("broken")
    store.make_folder("damaged")
    store.write("broken/stage.json", text[: len(text) // 2].encode())
    store.write("damaged/stage.json", text.replace("one", "two").encode())
    assert [STAGE] == list(RemoteWorkspace.create(store).passes())


def test_damaged_table(store, monkeypatch, tmp_path):
    """A table that was changed in the cache is fetched again; one in the store is refused."""
    with (workspace := RemoteWorkspace.create(store)).locked():
        finish(store, workspace, "one")
    path = workspace.table(STAGE, "t.arrays")
    assert path is not None
    path.write_text("two")
    assert "one" == table(RemoteWorkspace.create(store))
    (name,) = [name for name in store.files() if name.endswith("/t.arrays")]
    store.write(name, b"two")
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path / "other"))
    with pytest.raises(DamageError, match=r"t\.arrays is not what was written"):
        table(RemoteWorkspace.create(store))
