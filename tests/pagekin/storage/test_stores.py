"""Workspaces, indexes and streams in S3, against moto's server."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from pathlib import Path
from random import Random

import boto3
import pytest
from botocore.exceptions import ClientError

from pagekin.build.remote_index import RemoteIndex
from pagekin.errors import InputError, StageError
from pagekin.index.verify import verify_index
from pagekin.storage.remote_workspace import RemoteWorkspace
from pagekin.storage.s3_store import S3Store
from pagekin.storage.stores import open_store
from pagekin.web import s3
from pagekin.web.streams import open_source
from tests.indexes import files_of
from tests.pagekin.storage.test_remote_workspace import STAGE, finish, write_parts
from tests.pagekin.web.servers import without_proxies


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    from moto.server import ThreadedMotoServer  # noqa: PLC0415 - 2 s that others need not pay

    running = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    without_proxies(monkeypatch)
    monkeypatch.setenv("PAGEKIN_CACHE", str(tmp_path / "cache"))
    for name, value in (
        ("AWS_ENDPOINT_URL_S3", server),
        ("AWS_ACCESS_KEY_ID", "nobody"),
        ("AWS_SECRET_ACCESS_KEY", "nothing"),
        ("AWS_DEFAULT_REGION", "us-east-1"),
        ("AWS_EC2_METADATA_DISABLED", "true"),
    ):
        monkeypatch.setenv(name, value)
    name = f"b{uuid.uuid4().hex[:12]}"
    boto3.client("s3").create_bucket(Bucket=name)
    return name


@pytest.fixture
def store(bucket: str) -> S3Store:
    found = open_store(f"s3://{bucket}/work")
    assert isinstance(found, S3Store)
    return found


def test_stage(store):
    """stage.json names the place of the parts, and the place of the older stage is gone."""
    workspace = RemoteWorkspace.create(store)
    with workspace.locked():
        finish(store, workspace, "one")
        finish(store, workspace, "two")
        assert [b"a", b"b", b"c"] == [key for key, _ in workspace.records(STAGE)]
    (record,) = store.read_json([f"{STAGE}/stage.json"])
    places = {name.split("/")[1] for name in store.files(STAGE) if name.count("/") == 2}
    assert ({record["place"]}, "two") == (places, record["result"])
    assert "two" == (RemoteWorkspace(store).stage_record(STAGE) or {})["result"]


def test_lock_is_decided_by_s3(store):
    """Of two that make one object the second is told."""
    assert [True, False] == [store.write_new(".lock", word) for word in (b"1", b"2")]
    assert [1] == store.read_json([".lock"])


def test_ends_of_parts(store):
    """Only the end of a part is read, however long the statistics are."""
    said = json.dumps({"notes": ["x" * 60_000]}).encode()
    for name, body in (("part-0", b"a\t1\n" * 100_000), ("part-1", b""), ("part-2", b"")):
        store.write(name, body + (b"!task\t" + said + b"\n" if name != "part-2" else b""))
    assert [said, said] == list(store.statistics(store.files()))
    store.write("part-3", b"a\t1\n")
    with pytest.raises(StageError, match="of 1 part files 1 end without"):
        list(store.statistics(store.files()))


def test_markers_of_folders_are_no_files(store):
    """Hadoop's clients leave objects for folders."""
    for name in ("", "stage/", "stage_$folder$", "stage/part-0"):
        store.write(name, b"")
    assert {"stage/part-0": 0} == store.files()
    store.remove("stage")
    with store._bucket() as bucket:
        assert ["work/"] == [found.key for found in bucket.below("work/")]


def test_killed_build(store):
    """Places that no stage.json names are swept, other folders are not."""
    write_parts(store, RemoteWorkspace.create(store))
    store.write("crawl.index/shard-00000/H.arrays", b"beside")
    with RemoteWorkspace.create(store).locked():
        pass
    assert {"workspace.json", "crawl.index/shard-00000/H.arrays"} == set(store.files())


def begin_upload(bucket: str, key: str) -> None:
    """As a build that was killed leaves one: pieces, and no end."""
    client = boto3.client("s3")
    number = client.create_multipart_upload(Bucket=bucket, Key=key)["UploadId"]
    client.upload_part(Bucket=bucket, Key=key, UploadId=number, PartNumber=1, Body=b"x")


def uploads(bucket: str) -> list[str]:
    answer = boto3.client("s3").list_multipart_uploads(Bucket=bucket)
    return [upload["Key"] for upload in answer.get("Uploads", ())]


def test_uploads_of_a_killed_build(store, bucket, demo_index):
    """The next build ends those of stages, and of an index when that is put there; no others."""
    RemoteWorkspace.create(store)
    place = f"{STAGE}/{STAGE}-0123456789ab"
    of_others = ["other/part-00000", "work/crawl.indexes/H.arrays"]
    for key in (f"work/{place}/part-00000", "work/crawl.index/H.arrays", *of_others):
        begin_upload(bucket, key)
    with RemoteWorkspace.create(store).locked():
        assert sorted([*of_others, "work/crawl.index/H.arrays"]) == sorted(uploads(bucket))
    RemoteIndex(store, "crawl.index").put(demo_index)
    assert of_others == sorted(uploads(bucket))


def test_uploads_that_may_not_be_listed(store, monkeypatch, capsys):
    """Is no reason not to build, and what to do is told."""

    def refuse(*_):
        error = {"Code": "AccessDenied", "Message": "no"}
        answer = {"Error": error, "ResponseMetadata": {"HTTPStatusCode": 403}}
        raise ClientError(answer, "ListMultipartUploads")

    monkeypatch.setattr(s3.Bucket, "end_uploads", refuse)
    with RemoteWorkspace.create(store).locked():
        pass
    assert "let a rule of the bucket end them" in capsys.readouterr().err


def test_index(bucket, demo_index):
    """An index of a bucket is copied whole; while its header is away there is none."""
    place = RemoteIndex(open_store(f"s3://{bucket}"), "crawl.index")
    place.put(demo_index)
    copy = place.copy_here()
    assert (demo_index / "index.json").read_bytes() == (copy / "index.json").read_bytes()
    open_store(f"s3://{bucket}/crawl.index").remove("index.json")
    with pytest.raises(InputError, match="no index can be read there"):
        place.copy_here()


def test_nothing_but_the_files_of_an_index_is_taken(bucket, demo_index, tmp_path):
    """Whoever writes to the bucket may choose any key; none of them says where a file goes here."""
    place = RemoteIndex(open_store(f"s3://{bucket}"), "crawl.index")
    place.put(demo_index)
    outside = tmp_path / "absolute"
    for end in ("../../../up", f"/{outside}", "shard-00000/../../up", "shard-00000/more", "x/y/z"):
        boto3.client("s3").put_object(Bucket=bucket, Key=f"crawl.index/{end}", Body=b"evil")
    before = set(tmp_path.rglob("*"))
    copy = place.copy_here()
    assert [] == verify_index(copy)
    assert files_of(demo_index) == files_of(copy)
    made = set(tmp_path.rglob("*")) - before
    indexes = tmp_path / "cache" / "indexes"
    beside = {tmp_path / "cache", indexes}
    assert {copy} == {path for path in made - beside if copy not in path.parents}


def test_replaced_while_it_is_copied(bucket, demo_index, tmp_path):
    """A copy of two halves is found by its checksums, and nothing is kept of it."""
    place = RemoteIndex(open_store(f"s3://{bucket}"), "crawl.index")
    place.put(demo_index)
    store = open_store(f"s3://{bucket}/crawl.index/shard-00000")
    store.upload([demo_index / "shard-00001" / "H.arrays"], "")
    with pytest.raises(InputError, match=r"H\.arrays is of another index"):
        place.copy_here()
    assert [] == list((tmp_path / "cache" / "indexes").iterdir())


def test_snapshot_is_read_on_from_where_it_broke_off(store, monkeypatch):
    """A connection that ends early costs a pause and a request for the rest, and no byte."""
    data, pauses, asked = Random(7).randbytes(300_000), [], []
    store.write("a.warc", data)
    ask = s3.S3File.ask

    def ask_and_break(file, at):
        part = ask(file, at)
        asked.append(at)
        if len(asked) < 3:
            body, left = part.body, [100_000]

            class Broken:
                close = body.close

                def read(self, size):
                    if not left[0]:
                        raise ConnectionResetError("reset")
                    got = body.read(min(size, left[0]))
                    left[0] -= len(got)
                    return got

            part.body = Broken()
        return part

    monkeypatch.setattr(s3.S3File, "ask", ask_and_break)
    with open_source(store.address("a.warc"), pauses.append) as stream:
        assert data == stream.read()
    assert ([0, 100_000, 200_000], [1, 1]) == (asked, pauses)
