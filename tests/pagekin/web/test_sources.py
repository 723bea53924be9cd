"""Listing: each file once, in order, and one clear sentence for what is no snapshot."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import pytest

from pagekin.errors import InputError, PagekinError, UsageError
from pagekin.web import remote
from pagekin.web.sources import Source, list_snapshot
from tests.pagekin.web.servers import (
    Fault,
    S3Handler,
    Server,
    make_hadoop,
    running,
    use_s3,
    without_proxies,
)

WARC = b"WARC/1.0\r\nWARC-Type: warcinfo\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
TREE = (
    "a.warc",
    "b.warc.gz",
    "c.warc.zst",
    "notes.md",
    "warc.paths",
    "x/A.WARC.GZ",
    "x/a.warc.gz",
    "x/y/a.warc.gz",
    "x/y/z/b.warc",
    "x-y/a.warc",
    "x[1]/a.warc",
    "x/._a.warc.gz",
    "x/a.warc.gz.part",
)


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "_PAUSES", (0, 0))


@pytest.fixture
def http(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    without_proxies(monkeypatch)
    with running() as server:
        yield server


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with running(S3Handler) as server:
        use_s3(monkeypatch, server)
        server.files.update((f"crawl/{name}", WARC) for name in TREE)
        yield server


@pytest.fixture
def hdfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    return make_tree(make_hadoop(tmp_path))


def make_tree(folder: Path, names: Iterable[str] = TREE) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(WARC)
    return folder


def uris(*words: object, base_url: str = "") -> list[str]:
    return [source.uri for source in list_snapshot(map(str, words), base_url)]


def names(folder: Path | str, *words: object, base_url: str = "") -> list[str]:
    """What is listed, without the folder or address that it begins with."""
    found = uris(*words, base_url=base_url)
    assert all(uri.startswith(f"{folder}/") for uri in found)
    return [uri.removeprefix(f"{folder}/") for uri in found]


def error_of(kind: type[PagekinError], action: Callable[[], object]) -> str:
    with pytest.raises(kind) as caught:
        action()
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- this machine --------------------------------------------------------------------------------


def test_no_words() -> None:
    """Nothing named is nothing listed."""
    assert [] == list_snapshot([])


def test_local_file(tmp_path: Path) -> None:
    """A file is listed by its absolute path with its size and time."""
    path = tmp_path / "a.warc"
    path.write_bytes(WARC)
    os.utime(path, ns=(1, 1_700_000_000_123_456_789))
    expected = [Source(str(path), len(WARC), "1700000000123456789")]
    assert expected == list_snapshot([str(path)])
    assert expected == list_snapshot([path.as_uri()])


def test_relative_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Tasks run in folders of their own, so paths are made absolute."""
    make_tree(tmp_path, ["a.warc"])
    monkeypatch.chdir(tmp_path)
    assert [f"{tmp_path}/a.warc"] == uris("a.warc")
    assert [f"{tmp_path}/a.warc"] == uris(".")


def test_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A ~ is the home, also where no shell has replaced it."""
    monkeypatch.setenv("HOME", str(make_tree(tmp_path, ["a.warc"])))
    assert ["a.warc"] == names(tmp_path, "~/a.warc")


def test_file_of_another_name(tmp_path: Path) -> None:
    """A file that is named by itself is taken as it is."""
    make_tree(tmp_path, ["crawl.dat"])
    assert ["crawl.dat"] == names(tmp_path, tmp_path / "crawl.dat")


EXPECTED = [
    "a.warc",
    "b.warc.gz",
    "c.warc.zst",
    "x-y/a.warc",
    "x/A.WARC.GZ",
    "x/a.warc.gz",
    "x/y/a.warc.gz",
    "x/y/z/b.warc",
    "x[1]/a.warc",
]
PATTERNS = [
    ("*", EXPECTED),
    ("*.warc", ["a.warc"]),
    ("*.warc.*", ["b.warc.gz", "c.warc.zst"]),
    ("x*", EXPECTED[3:]),
    ("x/*", EXPECTED[4:8]),
    ("x/?.warc.gz", ["x/a.warc.gz"]),
    ("x/*/*.gz", ["x/y/a.warc.gz"]),
    ("**/a.warc.gz", ["x/a.warc.gz", "x/y/a.warc.gz"]),
    ("x/**/b.warc", ["x/y/z/b.warc"]),
    ("**", EXPECTED),
    ("[ab].*", ["a.warc", "b.warc.gz"]),
    ("x[[]1]/*", ["x[1]/a.warc"]),
    ("x[1]/a.warc", ["x[1]/a.warc"]),  # what exists by this name is no pattern
    ("x[1]", ["x[1]/a.warc"]),
    ("x[1]/", ["x[1]/a.warc"]),
    ("x", EXPECTED[4:8]),
    ("x/", EXPECTED[4:8]),
    ("x/y", EXPECTED[6:8]),
]


def test_local_folder(tmp_path: Path) -> None:
    """All WARC files below it, sorted, and no others."""
    assert EXPECTED == names(tmp_path, make_tree(tmp_path))


@pytest.mark.parametrize(("pattern", "expected"), PATTERNS)
def test_local_pattern(tmp_path: Path, pattern: str, expected: list[str]) -> None:
    """Patterns mean WARC files, and folders with all that is below them."""
    make_tree(tmp_path)
    assert expected == names(tmp_path, f"{tmp_path}/{pattern}")


def test_folder_that_is_called_like_a_file(tmp_path: Path) -> None:
    """Folders are folders, whatever they are called."""
    make_tree(tmp_path, ["a.warc/b.warc", "b.txt/c.warc"])
    assert ["a.warc/b.warc", "b.txt/c.warc"] == names(tmp_path, tmp_path)
    assert ["b.txt/c.warc"] == names(tmp_path, tmp_path / "b.txt")


def test_order_of_words(tmp_path: Path) -> None:
    """Files come in the order of the words, and each once."""
    make_tree(tmp_path)
    words = [f"{tmp_path}/{name}" for name in ("x/y", "b.warc.gz", "*", "b.warc.gz")]
    first = ["x/y/a.warc.gz", "x/y/z/b.warc", "b.warc.gz"]
    assert [*first, *(n for n in EXPECTED if n not in first)] == names(tmp_path, *words)


def test_links(tmp_path: Path) -> None:
    """Links are followed, but not in circles; what has two names is listed once."""
    make_tree(tmp_path, ["data/b.warc", "data/d.warc", "crawl/a.warc"])
    (tmp_path / "crawl" / "c.warc").symlink_to(tmp_path / "data" / "b.warc")
    (tmp_path / "crawl" / "more").symlink_to(tmp_path / "data")
    (tmp_path / "crawl" / "self").symlink_to(tmp_path / "crawl")
    assert ["a.warc", "c.warc", "more/d.warc"] == names(tmp_path / "crawl", tmp_path / "crawl")


def test_folder_of_many_names(tmp_path: Path) -> None:
    """Under which name a folder is listed does not depend on the order that the disk gives."""
    make_tree(tmp_path, ["data/a.warc"])
    (tmp_path / "crawl").mkdir()
    for name in "hdgbfaec":
        (tmp_path / "crawl" / name).symlink_to(tmp_path / "data")
    assert ["a/a.warc"] == names(tmp_path / "crawl", tmp_path / "crawl")


def test_link_to_nowhere(tmp_path: Path) -> None:
    """A file that a folder promises and does not have is not left out in silence."""
    (tmp_path / "a.warc").symlink_to("nowhere")
    message = error_of(InputError, lambda: uris(tmp_path))
    assert f"{tmp_path}/a.warc: cannot be read: No such file or directory" == message


def test_folder_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor is a folder that may not be looked into."""
    make_tree(tmp_path, ["a.warc", "x/b.warc"])
    scan = os.scandir

    def refusing(path: str) -> object:
        if path == f"{tmp_path}/x":
            raise PermissionError(13, "Permission denied", path)
        return scan(path)

    monkeypatch.setattr(os, "scandir", refusing)
    message = error_of(InputError, lambda: uris(tmp_path))
    assert f"{tmp_path}/x: cannot be read: Permission denied" == message


@pytest.mark.parametrize("name", ["a.warc", "x/*.warc", "x", "a.paths", "a.txt.gz"])
def test_local_file_that_is_not_there(tmp_path: Path, name: str) -> None:
    """The sentence names what was given."""
    word = f"{tmp_path}/{name}"
    message = error_of(InputError, lambda: uris(word))
    assert message.startswith(f"{word}: ")
    assert "o such file" in message


@pytest.mark.parametrize("pattern", ["", "*", "notes.*"])
def test_no_warc_file(tmp_path: Path, pattern: str) -> None:
    """A folder or pattern of other files is an error that says what was looked for."""
    make_tree(tmp_path, ["notes.md", ".warc", "a.warc.txt"])
    word = f"{tmp_path}/{pattern}"
    expected = f"{word}: there is no WARC file (*.warc, *.warc.gz, *.warc.zst)"
    assert expected == error_of(InputError, lambda: uris(word))


@pytest.mark.parametrize("name", ["a\tb.warc", "a\nb.warc", b"a\xff.warc"])
def test_names_that_no_line_can_hold(tmp_path: Path, name: str | bytes) -> None:
    """A name that would break the records of jobs is refused."""
    path = os.path.join(os.fsencode(tmp_path), os.fsencode(name))  # noqa: PTH118 - bytes
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(WARC)
    assert "rename it" in error_of(InputError, lambda: uris(tmp_path))


@pytest.mark.parametrize("word", ["ftp://x/a.warc", "s3a://x/a.warc", "gs://x/warc.paths.gz"])
def test_unknown_scheme(word: str) -> None:
    """The sentence names the schemes that are known."""
    message = error_of(UsageError, lambda: uris(word))
    assert message.startswith(f"{word}: ")
    assert "hdfs://, s3://, https://, http://" in message


@pytest.mark.parametrize("word", ["a\0b", "~nobody-of-that-name/a", "x" * 5000])
def test_word_that_is_no_path(word: str) -> None:
    """Whatever the system says to it, it is a sentence."""
    assert error_of(InputError, lambda: uris(word)).startswith(f"{word}: ")


# --- lists of paths ------------------------------------------------------------------------------

PATHS = ["crawl/b.warc.gz", "crawl/a.warc.gz", "crawl/c.warc.gz"]
TEXT = "".join(f"{path}\n" for path in PATHS).encode()


def two_members(text: bytes) -> bytes:
    return gzip.compress(text[:20]) + gzip.compress(text[20:])


@pytest.mark.parametrize("name", ["warc.paths.gz", "warc.paths", "a.txt", "a.txt.gz", "A.TXT"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress, two_members])
def test_list_with_base_url(tmp_path: Path, name: str, pack: Callable[[bytes], bytes]) -> None:
    """Each line is a path below the base, and nobody asks for the files there."""
    (tmp_path / name).write_bytes(pack(TEXT))
    for base in ("https://data.example", "s3://crawls/", "hdfs://x/y/"):
        expected = [Source(f"{base.rstrip('/')}/{path}") for path in PATHS]
        assert expected == list_snapshot([f"{tmp_path}/{name}"], base)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeff/crawl/a.warc\r\n\r\ncrawl/b.warc\r\n",
        "  crawl/a.warc  \n\n\n/crawl/b.warc",
        "crawl/a.warc\ncrawl/b.warc\ncrawl/a.warc\n",
    ],
)
def test_list_as_people_write_it(tmp_path: Path, text: str) -> None:
    """Blank lines, blanks, Windows' line ends, slashes in front and repetitions do not matter."""
    (tmp_path / "a.txt").write_text(text, newline="")
    base = "https://data.example/"
    assert ["crawl/a.warc", "crawl/b.warc"] == names(
        "https://data.example", tmp_path / "a.txt", base_url=base
    )


@pytest.mark.parametrize("base", ["", "."])
def test_list_of_local_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, base: str) -> None:
    """Relative paths lie beside the list, or below a local base; local files have size and time."""
    make_tree(tmp_path, PATHS)
    (tmp_path / "warc.paths").write_bytes(TEXT)
    monkeypatch.chdir(tmp_path)
    sources = list_snapshot(["warc.paths"], base)
    assert PATHS == [source.uri.removeprefix(f"{tmp_path}/") for source in sources]
    assert {len(WARC)} == {source.size for source in sources}
    assert all(source.stamp for source in sources)


def test_list_of_absolute_paths(tmp_path: Path) -> None:
    """Absolute paths and addresses stand as they are where there is no base."""
    make_tree(tmp_path, ["a.warc", "lists/x"])
    lines = [f"{tmp_path}/a.warc", "s3://x/b.warc", "https://host/c?d=1", "hdfs:///e.warc"]
    (tmp_path / "lists" / "a.paths").write_text("\n".join(lines))
    assert lines == uris(tmp_path / "lists" / "a.paths")
    (tmp_path / "lists" / "b.paths").write_text("\n".join(lines[1:]))
    assert lines[1:] == uris(tmp_path / "lists" / "b.paths", base_url="https://data.example/")


def test_list_of_files_that_are_not_there(tmp_path: Path) -> None:
    """A list of Common Crawl without its files: the sentence says what is missing."""
    (tmp_path / "warc.paths").write_bytes(TEXT)
    message = error_of(InputError, lambda: uris(tmp_path / "warc.paths"))
    assert f"lists {tmp_path}/crawl/b.warc.gz, which is not on this machine" in message
    assert "--base-url (for Common Crawl https://data.commoncrawl.org/" in message


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "the list is empty"),
        (b"\n \n", "the list is empty"),
        (gzip.compress(b"", mtime=0), "the list is empty"),
        (WARC, "is a WARC file and no list of paths"),
        (gzip.compress(WARC, mtime=0), "is a WARC file and no list of paths"),
        (b"<!DOCTYPE html>\n<p>Sorry", "is no list of paths, but has the line '<!DOCTYPE html>'"),
        (bytes(range(256)), "is no list of paths"),
        (b"\xff\xfea\0.\0w\0", "is no list of paths"),
        (gzip.compress(TEXT, mtime=0)[:-9], "is no whole gzip file"),
        (gzip.compress(TEXT, mtime=0)[:30] + b"\xff" * 30, "is no whole gzip file"),
        (b"ftp://x/a.warc\n", "ftp:// is unknown"),
        (b"crawl/a.warc.wet.gz\n", "take the list warc.paths.gz"),
    ],
)
def test_what_is_no_list(tmp_path: Path, data: bytes, reason: str) -> None:
    """What is given by mistake is called by its name."""
    (tmp_path / "a.paths.gz").write_bytes(data)
    message = error_of(
        InputError, lambda: uris(tmp_path / "a.paths.gz", base_url="https://data.example/")
    )
    assert reason in message


@pytest.mark.parametrize("name", ["list", "paths.warc.gz"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_list_in_the_place_of_a_warc(
    tmp_path: Path, name: str, pack: Callable[[bytes], bytes]
) -> None:
    """A list under a name of another kind is not read as a broken WARC file."""
    (tmp_path / name).write_bytes(pack(TEXT))
    message = error_of(InputError, lambda: uris(tmp_path / name))
    assert "is a list of paths and no WARC file; its name should end in .paths" in message


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x1f\x8b",
        gzip.compress(WARC, mtime=0)[:-9],
        b"\x1f\x8b\x08" + b"\xff" * 99,
        bytes(99),
    ],
)
def test_broken_warc_is_listed(tmp_path: Path, data: bytes) -> None:
    """Damage in a WARC file is the reader's matter."""
    (tmp_path / "a.warc.gz").write_bytes(data)
    assert ["a.warc.gz"] == names(tmp_path, tmp_path / "a.warc.gz")


def test_base_of_unknown_scheme(tmp_path: Path) -> None:
    """A base is checked as words are."""
    (tmp_path / "a.paths").write_bytes(TEXT)
    assert "ftp:// is unknown" in error_of(
        UsageError, lambda: uris(tmp_path / "a.paths", base_url="ftp://x/")
    )


# --- HTTP ----------------------------------------------------------------------------------------


def test_http_file(http: Server) -> None:
    """A file at an address has the size and the ETag that its server gives."""
    http.files["/a"] = WARC
    http.etags["/a"] = '"v1"'
    assert [Source(f"{http.url}/a", len(WARC), "v1")] == list_snapshot([f"{http.url}/a"])


def test_http_list(http: Server) -> None:
    """A remote list is read to its end, and its files are not asked for."""
    http.files["/warc.paths.gz"] = two_members(TEXT)
    http.faults.append(Fault("close", 30))
    assert PATHS == names(http.url, f"{http.url}/warc.paths.gz?x=1.y", base_url=f"{http.url}/")
    assert 2 == len(http.requests)


def test_http_list_without_base(http: Server) -> None:
    """Where its paths begin nobody can know; the sentence names the option and the usual bases."""
    http.files["/warc.paths.gz"] = TEXT
    message = error_of(UsageError, lambda: uris(f"{http.url}/warc.paths.gz"))
    for part in ("--base-url", "https://data.commoncrawl.org/", "s3://commoncrawl/", PATHS[0]):
        assert part in message


@pytest.mark.parametrize(
    ("name", "status", "reason"),
    [
        ("a.warc", 404, "there is no such file at this address"),
        ("warc.paths.gz", 404, "there is no such file at this address"),
        ("a.warc", 403, "access denied"),
    ],
)
def test_http_refusal(http: Server, name: str, status: int, reason: str) -> None:
    """What cannot be had is found out when it is listed."""
    http.faults.append(Fault("status", status))
    word = f"{http.url}/{name}"
    assert error_of(InputError, lambda: uris(word)).startswith(f"{word}: {reason}")


def test_http_busy_server(http: Server) -> None:
    """A server that is busy is asked again."""
    http.files["/a.warc"] = WARC
    http.faults.extend([Fault("status", 503)] * 2)
    assert ["a.warc"] == names(http.url, f"{http.url}/a.warc")


def test_http_list_in_the_place_of_a_warc(http: Server) -> None:
    """As with local files."""
    http.files["/list"] = gzip.compress(TEXT)
    assert "is a list of paths" in error_of(InputError, lambda: uris(f"{http.url}/list"))


def test_http_folder(http: Server) -> None:
    """HTTP has no folders."""
    message = error_of(UsageError, lambda: uris(f"{http.url}/crawl/"))
    assert "folders cannot be listed over HTTP" in message


# --- S3 ------------------------------------------------------------------------------------------


def test_s3_bucket(bucket: Server) -> None:
    """All WARC objects of a bucket, over several pages of the listing, with sizes and ETags."""
    sources = list_snapshot(["s3://crawl"])
    assert EXPECTED == [source.uri.removeprefix("s3://crawl/") for source in sources]
    assert {(len(WARC), sources[0].stamp)} == {source[1:] for source in sources}
    assert '"' not in sources[0].stamp


@pytest.mark.parametrize(("pattern", "expected"), PATTERNS)
def test_s3_pattern(bucket: Server, pattern: str, expected: list[str]) -> None:
    """Words mean on S3 what they mean on this machine."""
    assert expected == names("s3://crawl", f"s3://crawl/{pattern}")


def test_s3_pattern_asks_for_its_prefix_only(bucket: Server) -> None:
    """A bucket of Common Crawl is too large to be listed whole."""
    uris("s3://crawl/x/y/*.gz")
    assert all("prefix=x%2Fy%2F" in request.path for request in bucket.requests[:-1])


def test_s3_object_of_another_name(bucket: Server) -> None:
    """As with local files."""
    bucket.files["crawl/a b?.dat"] = WARC
    assert ["s3://crawl/a b?.dat"] == uris("s3://crawl/a b?.dat")


def test_s3_folder_has_no_neighbours(bucket: Server) -> None:
    """A folder's name is a whole one, and an object that marks a folder is none of its files."""
    bucket.files["crawl/x/"] = b""
    assert EXPECTED[4:8] == names("s3://crawl", "s3://crawl/x/")


def test_s3_list(bucket: Server) -> None:
    """A list on S3 with files on S3."""
    bucket.files["crawl/warc.paths.gz"] = gzip.compress(TEXT)
    assert PATHS == names("s3://other", "s3://crawl/warc.paths.gz", base_url="s3://other")
    assert 1 == len(bucket.requests)


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("s3://crawl/none", "there is no WARC file"),
        ("s3://crawl/*.arc", "there is no WARC file"),
        ("s3://other/a.warc", "there is no such bucket"),
        ("s3://other/a.paths", "there is no such bucket"),
        ("s3://crawl/a.paths", "there is no such object"),
        ("s3://", "names no bucket; write s3://bucket/path"),
        ("s3:///a.warc", "names no bucket; write s3://bucket/path"),
        ("s3://A b/a.warc", "is no S3 address; write s3://bucket/path"),
    ],
)
def test_s3_word_that_is_not_there(bucket: Server, word: str, reason: str) -> None:
    """The sentence says whether the bucket or the object is missing."""
    message = error_of(InputError, lambda: uris(word))
    assert message.startswith(f"{word}: ")
    assert reason in message


def test_s3_access_denied(bucket: Server) -> None:
    """Rights that are missing are named."""
    bucket.faults.append(Fault("status", 403))
    assert "s3://crawl/x: access denied" in error_of(InputError, lambda: uris("s3://crawl/x"))


def test_s3_without_credentials(bucket: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says what to set."""
    monkeypatch.delenv("AWS_ACCESS_KEY_ID")
    monkeypatch.delenv("AWS_SECRET_ACCESS_KEY")
    message = error_of(InputError, lambda: uris("s3://crawl/x"))
    assert "there are no AWS credentials; set AWS_PROFILE" in message


def test_s3_list_in_the_place_of_a_warc(bucket: Server) -> None:
    """As with local files."""
    bucket.files["crawl/list"] = TEXT
    assert "is a list of paths" in error_of(InputError, lambda: uris("s3://crawl/list"))


# --- HDFS ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("shown", ["hdfs://{}", "", "hdfs://other:8020"])
@pytest.mark.parametrize("root", ["hdfs://name:8020", "hdfs://"])
def test_hdfs_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shown: str, root: str
) -> None:
    """Addresses are as in the word, however the command prints them."""
    monkeypatch.setenv("PATH", f"{tmp_path}/bin")
    make_tree(make_hadoop(tmp_path, shown=shown), [*TREE, "x/a b.warc"])
    expected = sorted([*EXPECTED, "x/a b.warc"])
    assert expected == names(root, f"{root}/")


def test_hdfs_file(hdfs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file has its size, and its date in UTC wherever it is looked at."""
    os.utime(hdfs / "a.warc", (60, 60))
    monkeypatch.setenv("TZ", "XXX-9")
    expected = [Source("hdfs://x/a.warc", len(WARC), "1970-01-01 00:01")]
    assert expected == list_snapshot(["hdfs://x/a.warc"])


def test_hdfs_file_of_another_name(hdfs: Path) -> None:
    """As with local files."""
    assert ["hdfs://x/notes.md"] == uris("hdfs://x/notes.md")


def test_hdfs_pattern(hdfs: Path) -> None:
    """Hadoop knows what its patterns mean."""
    assert ["x/y/a.warc.gz", "x/y/z/b.warc"] == names("hdfs://x", "hdfs://x/x/?")


@pytest.mark.parametrize("name", ["x[1]", "x[1]/a.warc", "a?", "a*"])
def test_hdfs_name_like_a_pattern(hdfs: Path, name: str) -> None:
    """What is called exactly so goes before what it matches."""
    make_tree(hdfs, ["x1/a.warc", "ab/a.warc", "a?/a.warc", "a*/a.warc"])
    found = names("hdfs://x", f"hdfs://x/{name}")
    assert [f"{name.removesuffix('/a.warc')}/a.warc"] == found


def test_hdfs_list(hdfs: Path) -> None:
    """A list on HDFS with files there."""
    (hdfs / "warc.paths.gz").write_bytes(gzip.compress(TEXT))
    assert PATHS == names("hdfs://x/b", "hdfs://x/warc.paths.gz", base_url="hdfs://x/b/")


def test_hdfs_list_in_the_place_of_a_warc(hdfs: Path) -> None:
    """As with local files."""
    (hdfs / "list").write_bytes(TEXT)
    assert "is a list of paths" in error_of(InputError, lambda: uris("hdfs://x/list"))


@pytest.mark.parametrize("name", ["none.warc", "none/*", "none"])
def test_hdfs_word_that_is_not_there(hdfs: Path, name: str) -> None:
    """The last line of the command says why."""
    word = f"hdfs://x/{name}"
    expected = f"{word}: `hadoop fs -ls` failed: No such file or directory"
    assert expected == error_of(InputError, lambda: uris(word))


def test_hdfs_folder_without_warc_files(hdfs: Path) -> None:
    """As with local folders."""
    make_tree(hdfs, ["empty/notes.md"])
    assert "there is no WARC file" in error_of(InputError, lambda: uris("hdfs://x/empty"))


def test_hdfs_without_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says what to do."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("HADOOP_HOME", raising=False)
    message = error_of(InputError, lambda: uris("hdfs://x/a.warc"))
    assert "the `hadoop` command is not found; put it on the PATH, or set HADOOP_HOME" in message
