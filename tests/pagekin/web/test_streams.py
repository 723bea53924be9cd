"""Streams give all bytes or an error, whatever the way does to them."""

from __future__ import annotations

import doctest
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import NoReturn

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagekin.errors import InputError
from pagekin.web import hdfs, remote, s3, streams
from pagekin.web.streams import http_facts, open_source
from tests.pagekin.web.servers import (
    Fault,
    S3Handler,
    Server,
    make_hadoop,
    running,
    use_s3,
    without_proxies,
)

DATA = Random(7).randbytes(300_000)
ALL_PAUSES = [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]


@pytest.fixture
def http(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    without_proxies(monkeypatch)
    with running() as server:
        server.files["/a.warc"] = DATA
        yield server


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with running(S3Handler) as server:
        use_s3(monkeypatch, server)
        server.files["crawl/a.warc"] = DATA
        yield server


def no_pause(seconds: float) -> None:
    """Tests do not wait."""


def read(uri: str, pauses: list[float] | None = None) -> bytes:
    with open_source(uri, no_pause if pauses is None else pauses.append) as stream:
        return stream.read()


def error_of(action: Callable[[], object]) -> str:
    with pytest.raises(InputError) as caught:
        action()
    return str(caught.value)


@pytest.mark.parametrize("module", [streams, remote, s3, hdfs])
def test_examples_in_docstrings_hold(module: object) -> None:
    """What the docstrings show is what happens."""
    assert 0 == doctest.testmod(module).failed  # type: ignore[arg-type]


def test_boto3_is_not_imported_without_need() -> None:
    """Reading local files does not pay for the AWS library."""
    code = "import pagekin.web.sources, sys; sys.exit('boto3' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    assert (
        0 == subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode
    )


# --- this machine --------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [0, 1, 65_535, 65_536, 65_537, 300_000])
def test_local_file(tmp_path: Path, size: int) -> None:
    """A local file comes whole, by its path and by its address."""
    path = tmp_path / "a b.warc"
    path.write_bytes(DATA[:size])
    assert DATA[:size] == read(str(path))
    assert DATA[:size] == read(path.as_uri())


def test_stream_is_read_in_any_steps(tmp_path: Path) -> None:
    """Short reads and lines work as with any file, and nothing can be read once it is left."""
    path = tmp_path / "a"
    path.write_bytes(b"one\ntwo\n" + DATA)
    with open_source(str(path)) as stream:
        assert (b"one\n", b"tw", b"o\n") == (stream.readline(), stream.read(2), stream.readline())
        assert DATA == b"".join(iter(lambda: stream.read(70_001), b""))
    with pytest.raises(ValueError, match="closed"):
        stream.read(1)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("missing", "No such file or directory"),
        ("", "Is a directory"),
        ("a\0b", "null byte"),
        ("x" * 300, "File name too long"),
    ],
)
def test_local_file_that_cannot_be_read(tmp_path: Path, name: str, reason: str) -> None:
    """The sentence names the file and the reason."""
    uri = f"{tmp_path}/{name}"
    message = error_of(lambda: read(uri))
    assert message.startswith(f"{uri}: cannot be read: ")
    assert reason in message


def test_local_error_in_the_middle(tmp_path: Path) -> None:
    """An error that comes with the bytes is one of the source too."""
    # reading its own memory at 0 is what Linux refuses to everybody
    assert "cannot be read" in error_of(lambda: read("/proc/self/mem"))


def test_errors_of_the_reader_are_left_alone(tmp_path: Path) -> None:
    """A disk that is full while a stream is open is no fault of the stream."""
    (tmp_path / "a").write_bytes(b"x")
    with pytest.raises(OSError, match="disk full"), open_source(str(tmp_path / "a")):
        raise OSError("disk full")


def test_unknown_scheme() -> None:
    """An address of a kind that is not known is an error of that file."""
    assert "ftp:// is unknown" in error_of(lambda: read("ftp://host/a.warc"))


def test_unknown_home() -> None:
    """The home of a user who is not there is an error like others."""
    assert "cannot be read" in error_of(lambda: read("~nobody-of-that-name/a.warc"))


# --- HTTP ----------------------------------------------------------------------------------------


def test_http_file(http: Server) -> None:
    """One request, under our name and without a range."""
    pauses: list[float] = []
    assert DATA == read(f"{http.url}/a.warc", pauses)
    assert [] == pauses
    assert ["pagekin"] == [request.headers["User-Agent"] for request in http.requests]
    assert [""] == http.ranges_asked()


@pytest.mark.parametrize("kind", ["close", "reset"])
@pytest.mark.parametrize("cut", [0, 1, 65_536, 100_000, len(DATA) - 1])
def test_http_goes_on_where_it_broke_off(http: Server, kind: str, cut: int) -> None:
    """A body that ends early, with an error or without, is continued by a range request."""
    pauses: list[float] = []
    http.faults.append(Fault(kind, cut))
    assert DATA == read(f"{http.url}/a.warc", pauses)
    assert [1] == pauses
    first, second = http.ranges_asked()
    assert "" == first
    at = int((second or "bytes=0-")[len("bytes=") : -1])
    assert at == cut or (kind == "reset" and at < cut)  # a reset loses what was on its way


def test_http_server_without_ranges(http: Server) -> None:
    """A server that sends all again is read up to where the stream was."""
    http.ranges = False
    http.faults.extend([Fault("close", 100_000), Fault("close", 50_000), Fault("close", 200_000)])
    pauses: list[float] = []
    assert DATA == read(f"{http.url}/a.warc", pauses)
    assert [1, 2, 1] == pauses  # bytes passed over are no progress
    assert ["", "bytes=100000-", "bytes=100000-", "bytes=200000-"] == http.ranges_asked()


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_http_status_that_may_pass(http: Server, status: int) -> None:
    """Servers that are busy are asked again after pauses that grow."""
    http.faults.extend([Fault("status", status)] * 3)
    pauses: list[float] = []
    assert DATA == read(f"{http.url}/a.warc", pauses)
    assert [1, 2, 4] == pauses


def test_http_gives_up(http: Server) -> None:
    """After eleven tries it is an error with the last reason."""
    http.faults.extend([Fault("status", 503)] * 19)
    pauses: list[float] = []
    message = error_of(lambda: read(f"{http.url}/a.warc", pauses))
    assert message.startswith(f"{http.url}/a.warc: cannot be read, after 11 tries: HTTP Error 503")
    assert ALL_PAUSES == pauses
    assert 11 == len(http.requests)


def test_http_gives_up_in_the_middle(http: Server) -> None:
    """It never ends as if the file ended."""
    http.faults.extend([Fault("close", 100_000), *[Fault("close", 0)] * 19])
    pauses: list[float] = []
    message = error_of(lambda: read(f"{http.url}/a.warc", pauses))
    assert message.endswith("after 11 tries: it ends after 100000 of 300000 bytes")
    assert ALL_PAUSES == pauses


def test_http_pauses_start_anew(http: Server) -> None:
    """A file that takes hours may break off more often than six times."""
    http.faults.extend([Fault("close", 20_000)] * 12)
    pauses: list[float] = []
    assert DATA == read(f"{http.url}/a.warc", pauses)
    assert [1] * 12 == pauses


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (401, "access denied"),
        (403, "access denied"),
        (404, "no such file"),
        (410, "no such file"),
        (405, "HTTP Error 405"),
    ],
)
def test_http_refusal(http: Server, status: int, reason: str) -> None:
    """What another try cannot change is an error at once."""
    http.faults.append(Fault("status", status))
    pauses: list[float] = []
    assert reason in error_of(lambda: read(f"{http.url}/a.warc", pauses))
    assert [] == pauses
    assert 1 == len(http.requests)


def test_http_refusal_in_the_middle(http: Server) -> None:
    """A file that is taken away while it is read is an error."""
    http.faults.extend([Fault("close", 100_000), Fault("status", 404)])
    assert "no such file" in error_of(lambda: read(f"{http.url}/a.warc"))


@pytest.mark.parametrize("ranges", [True, False])
@pytest.mark.parametrize("etag", ['"1"', 'W/"1"'])
def test_http_file_that_changes(http: Server, ranges: bool, etag: str) -> None:
    """Two halves of two files are no file."""
    http.ranges, http.etags["/a.warc"] = ranges, etag
    http.faults.append(Fault("close", 100_000))

    def change_then_read() -> None:
        with open_source(f"{http.url}/a.warc", no_pause) as stream:
            stream.read(1000)
            http.etags["/a.warc"] = '"2"'
            stream.read()

    assert "changed while it was read" in error_of(change_then_read)


def test_http_file_that_changes_its_size(http: Server) -> None:
    """Without ETags the size tells."""
    http.etags["/a.warc"] = ""
    http.faults.append(Fault("close", 100_000))

    def change_then_read() -> None:
        with open_source(f"{http.url}/a.warc", no_pause) as stream:
            stream.read(1000)
            http.files["/a.warc"] = DATA + b"more"
            stream.read()

    assert "changed while it was read" in error_of(change_then_read)


def test_http_range_of_unknown_place(http: Server) -> None:
    """Bytes that could be from anywhere are not taken."""
    http.faults.extend([Fault("close", 100_000), Fault("span")])
    assert "changed while it was read" in error_of(lambda: read(f"{http.url}/a.warc"))


@pytest.mark.parametrize(("etag", "sent"), [('"1"', '"1"'), ('W/"1"', None), ("", None)])
def test_http_asks_for_the_same_version(http: Server, etag: str, sent: str | None) -> None:
    """If-Range holds the ETag, where it is a strong one."""
    http.etags["/a.warc"] = etag
    http.faults.append(Fault("close", 100_000))
    assert DATA == read(f"{http.url}/a.warc")
    assert [None, sent] == [request.headers.get("If-Range") for request in http.requests]


def test_http_chunks(http: Server) -> None:
    """A body without a length that ends within a chunk is continued too."""
    http.faults.extend([Fault("chunks", 100_000), Fault("chunks", len(DATA) + 100)])
    pauses: list[float] = []
    assert DATA == read(f"{http.url}/a.warc", pauses)
    assert [1] == pauses


def test_http_without_length(http: Server) -> None:
    """Where no length is known the end of the connection is the end."""
    http.lengths = False
    assert DATA == read(f"{http.url}/a.warc")


def test_http_empty_file(http: Server) -> None:
    """No byte is no fault."""
    http.files["/a.warc"] = b""
    assert b"" == read(f"{http.url}/a.warc")


def test_http_reader_may_leave_early(http: Server) -> None:
    """What is not wanted is not waited for."""
    http.files["/a.warc"] = bytes(50_000_000)
    with open_source(f"{http.url}/a.warc") as stream:
        assert bytes(10) == stream.read(10)


def test_http_odd_path(http: Server) -> None:
    """Paths of lists are encoded as far as they are not."""
    http.files["/ä b/c%.warc"] = DATA
    assert DATA == read(f"{http.url}/ä b/c%25.warc")


def test_http_server_that_is_not_there(http: Server) -> None:
    """A refused connection may be a server that starts again."""
    with running() as gone:
        url = gone.url
    pauses: list[float] = []
    assert "after 11 tries: Connection refused" in error_of(lambda: read(f"{url}/a.warc", pauses))
    assert ALL_PAUSES == pauses


def test_http_name_that_nobody_knows(http: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is more likely a mistake in writing than a fault that passes."""

    def unknown(*_: object, **__: object) -> NoReturn:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    pauses: list[float] = []
    message = error_of(lambda: read("http://no.example/a.warc", pauses))
    assert message.endswith("after 6 tries: Name or service not known")
    assert ALL_PAUSES[:5] == pauses


def test_http_facts_that_do_not_come(http: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody waits for them, so not as long as tasks do."""
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    http.faults.extend([Fault("status", 503)] * 19)
    assert "after 6 tries" in error_of(lambda: http_facts(f"{http.url}/a.warc"))
    assert ALL_PAUSES[:5] == pauses


@pytest.mark.parametrize("uri", ["http://", "http://host:x/a.warc"])
def test_http_address_that_is_none(http: Server, uri: str) -> None:
    """What can never work is not tried again."""
    pauses: list[float] = []
    assert f"{uri}: cannot be read: " in error_of(lambda: read(uri, pauses))
    assert [] == pauses


FAULTS = st.one_of(
    st.builds(Fault, st.just("status"), st.sampled_from([429, 500, 503])),
    st.builds(Fault, st.sampled_from(["close", "reset"]), st.integers(0, 400_000)),
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(FAULTS, max_size=5), st.booleans(), st.integers(1, 200_000))
def test_http_gives_all_bytes(http: Server, faults: list[Fault], ranges: bool, step: int) -> None:
    """Up to five faults in a row, of any kind, change nothing of what is read."""
    http.ranges = ranges
    http.faults.clear()
    http.faults.extend(faults)
    with open_source(f"{http.url}/a.warc", no_pause) as stream:
        assert DATA == b"".join(iter(lambda: stream.read(step), b""))


# --- S3 ------------------------------------------------------------------------------------------


def test_s3_object(bucket: Server) -> None:
    """One signed request for the whole object."""
    assert DATA == read("s3://crawl/a.warc")
    assert [""] == bucket.ranges_asked()
    assert bucket.requests[0].headers["Authorization"].startswith("AWS4-HMAC-SHA256 ")


@pytest.mark.parametrize("kind", ["close", "reset"])
@pytest.mark.parametrize("cut", [0, 65_536, 100_000])
def test_s3_goes_on_where_it_broke_off(bucket: Server, kind: str, cut: int) -> None:
    """Objects are continued by range requests for the same version."""
    bucket.faults.append(Fault(kind, cut))
    pauses: list[float] = []
    assert DATA == read("s3://crawl/a.warc", pauses)
    assert [1] == pauses
    assert 2 == len(bucket.requests)
    if cut:
        assert bucket.requests[1].headers["Range"].startswith("bytes=")
        assert "If-Match" in bucket.requests[1].headers


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_s3_status_that_may_pass(bucket: Server, status: int) -> None:
    """The pauses are ours, and boto3 makes none of its own."""
    bucket.faults.extend([Fault("status", status)] * 3)
    pauses: list[float] = []
    assert DATA == read("s3://crawl/a.warc", pauses)
    assert [1, 2, 4] == pauses
    assert 4 == len(bucket.requests)


def test_s3_request_that_took_too_long(bucket: Server) -> None:
    """AWS reports it as a bad request, and means that another may do."""
    bucket.faults.append(Fault("RequestTimeout", 400))
    assert DATA == read("s3://crawl/a.warc")


def test_s3_gives_up(bucket: Server) -> None:
    """After eleven tries it is an error with AWS's reason."""
    bucket.faults.extend([Fault("status", 503)] * 19)
    pauses: list[float] = []
    message = error_of(lambda: read("s3://crawl/a.warc", pauses))
    assert "after 11 tries" in message
    assert "SlowDown" in message
    assert ALL_PAUSES == pauses


def test_s3_object_that_changes(bucket: Server) -> None:
    """Two halves of two objects are no object."""
    bucket.faults.append(Fault("close", 100_000))

    def change_then_read() -> None:
        with open_source("s3://crawl/a.warc", no_pause) as stream:
            stream.read(1000)
            bucket.files["crawl/a.warc"] = DATA[::-1]
            stream.read()

    assert "changed while it was read" in error_of(change_then_read)


@pytest.mark.parametrize(
    ("uri", "reason"),
    [
        ("s3://crawl/b.warc", "there is no such object"),
        ("s3://other/a.warc", "there is no such bucket"),
        ("s3:///a.warc", "names no bucket"),
        ("s3://a b/a.warc", "is no S3 address; write s3://bucket/path"),
    ],
)
def test_s3_object_that_is_not_there(bucket: Server, uri: str, reason: str) -> None:
    """The sentence says whether bucket or object is missing."""
    pauses: list[float] = []
    message = error_of(lambda: read(uri, pauses))
    assert message.startswith(f"{uri}: ")
    assert reason in message
    assert [] == pauses


@pytest.mark.parametrize(
    ("status", "reason"), [(403, "access denied"), (400, "the AWS credentials have ended")]
)
def test_s3_refusal(bucket: Server, status: int, reason: str) -> None:
    """Rights do not come by waiting."""
    bucket.faults.append(Fault("status", status))
    pauses: list[float] = []
    assert reason in error_of(lambda: read("s3://crawl/a.warc", pauses))
    assert [] == pauses


def test_s3_without_credentials(bucket: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says what to set, and where Common Crawl asks for nothing."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    message = error_of(lambda: read("s3://crawl/a.warc"))
    assert "there are no AWS credentials; set AWS_PROFILE" in message
    assert "https://data.commoncrawl.org/" in message


def test_s3_server_that_is_not_there(bucket: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """A refused connection may pass."""
    with running() as gone:
        monkeypatch.setenv("AWS_ENDPOINT_URL_S3", gone.url)
    pauses: list[float] = []
    assert "after 11 tries" in error_of(lambda: read("s3://crawl/a.warc", pauses))
    assert ALL_PAUSES == pauses


def test_s3_odd_key(bucket: Server) -> None:
    """Keys are no URLs: nothing in them is a query or encoded."""
    bucket.files["crawl/a?b#c d%20+ä.warc"] = DATA
    assert DATA == read("s3://crawl/a?b#c d%20+ä.warc")


def test_s3_reader_may_leave_early(bucket: Server) -> None:
    """What is not wanted is not waited for."""
    bucket.files["crawl/a.warc"] = bytes(50_000_000)
    with open_source("s3://crawl/a.warc") as stream:
        assert bytes(10) == stream.read(10)


# --- HDFS ----------------------------------------------------------------------------------------


def use_hadoop(patch: pytest.MonkeyPatch, folder: Path, warnings: int = 1) -> Path:
    patch.setenv("PATH", f"{folder}/bin")
    patch.delenv("HADOOP_HOME", raising=False)
    return make_hadoop(folder, warnings=warnings)


def test_hdfs_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file comes whole, also when the command has much to say beside it."""
    root = use_hadoop(monkeypatch, tmp_path, warnings=10_000)
    (root / "a.warc").write_bytes(DATA)
    assert DATA == read("hdfs://name:8020/a.warc")
    assert "fs -cat hdfs://name:8020/a.warc\n" == (tmp_path / "log").read_text()


def test_hdfs_names_are_no_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What Hadoop would take for a pattern is escaped."""
    root = use_hadoop(monkeypatch, tmp_path)
    (root / "a[1]*{b}.warc").write_bytes(DATA)
    assert DATA == read("hdfs://x/a[1]*{b}.warc")
    assert r"hdfs://x/a\[1\]\*\{b\}.warc" in (tmp_path / "log").read_text()


def test_hdfs_file_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The last line of the command says why."""
    use_hadoop(monkeypatch, tmp_path)
    expected = "hdfs://x/a.warc: `hadoop fs -cat` failed: No such file or directory"
    assert expected == error_of(lambda: read("hdfs://x/a.warc"))


def test_hdfs_command_that_fails_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A part of a file is no file."""
    root = use_hadoop(monkeypatch, tmp_path)
    (root / "broken.warc").write_bytes(DATA)
    with pytest.raises(InputError, match="Could not obtain block"):
        read("hdfs://x/broken.warc")


def test_hdfs_reader_may_leave_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that is cut short by its reader has not failed."""
    root = use_hadoop(monkeypatch, tmp_path)
    (root / "broken.warc").write_bytes(bytes(5_000_000))
    with open_source("hdfs://x/broken.warc") as stream:
        assert bytes(10) == stream.read(10)


def test_hdfs_command_at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without a `hadoop` on the PATH the one of HADOOP_HOME is taken."""
    root = use_hadoop(monkeypatch, tmp_path)
    (root / "a.warc").write_bytes(DATA)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("HADOOP_HOME", str(tmp_path))
    assert DATA == read("hdfs://x/a.warc")


@pytest.mark.parametrize("home", [None, "", "/nowhere"])
def test_hdfs_without_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str | None
) -> None:
    """The sentence says where the command is looked for."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    if home is not None:
        monkeypatch.setenv("HADOOP_HOME", home)
    message = error_of(lambda: read("hdfs://x/a.warc"))
    assert "hdfs://x/a.warc: the `hadoop` command is not found; put it on the PATH" in message


# --- from the middle on --------------------------------------------------------------------------


def rest_of(uri: str, start: int) -> bytes:
    with open_source(uri, no_pause, start) as stream:
        return stream.read()


@pytest.mark.parametrize("ranges", [True, False])
def test_http_from_the_middle(http: Server, ranges: bool) -> None:
    """Only the rest is asked for; a server that knows no ranges is read up to the place."""
    http.ranges = ranges
    http.faults.append(Fault("close", 70_000))
    assert DATA[200_001:] == rest_of(f"{http.url}/a.warc", 200_001)
    assert "bytes=200001-" == http.ranges_asked()[0]


def test_s3_from_the_middle(bucket: Server) -> None:
    """Only the rest is asked for."""
    assert DATA[200_001:] == rest_of("s3://crawl/a.warc", 200_001)
    assert ["bytes=200001-"] == bucket.ranges_asked()


def test_hdfs_from_the_middle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command gives the whole file, of which the beginning is dropped."""
    root = use_hadoop(monkeypatch, tmp_path)
    (root / "a.warc").write_bytes(DATA)
    assert DATA[200_001:] == rest_of("hdfs://x/a.warc", 200_001)
    assert b"" == rest_of("hdfs://x/a.warc", len(DATA) + 1)
