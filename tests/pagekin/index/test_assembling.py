"""What goes into an index comes out; its bytes are pinned; it is there whole or not at all."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pagekin.bags.bag import Bag
from pagekin.errors import UsageError
from pagekin.index import shard_files
from pagekin.index.assembling import check_target, index_in_place
from pagekin.index.folder import HEADER, IndexFolder, IndexHeader, read_header, write_header
from pagekin.index.shard_files import shard_name, shard_of
from pagekin.index.verify import verify_index
from pagekin.minhash.signatures import EMPTY
from tests.indexes import any_bags, config_of, files_of, make_bag, make_index, random_bags, word_of

# --- round trip ---


def clipped(bag: Bag) -> tuple:
    limit = (1 << 32) - 1
    return (
        bag.url,
        bag.crawled,
        *(min(n, limit) for n in (bag.anchors, bag.pages, bag.hosts)),
        bag.terms.tolist(),
        bag.weights.tolist(),
    )


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(any_bags(), st.integers(1, 5))
def test_round_trip(tmp_path_factory, given_bags, shards):
    """Bags of any kind come out as they went in, each in its shard, in the order of the URLs."""
    config = config_of(shards, count=3)
    path = make_index(tmp_path_factory.mktemp("any") / "index", given_bags, config)
    folder = IndexFolder(path)
    assert [] == verify_index(path)
    by_url = {bag.url: bag for bag in given_bags}
    found = 0
    for k, shard in enumerate(folder.shards):
        urls = [shard.url(document) for document in range(len(shard))]
        assert sorted(u.encode() for u in by_url if shard_of(u.encode(), shards) == k) == urls
        for document, url in enumerate(urls):
            bag = by_url[url.decode()]
            assert clipped(bag) == clipped(shard.bag(document))
            assert (k, document) == (folder.find(bag.url).shard.number, shard.find(url))
            expected = [word_of(term) for term in bag.terms.tolist()]
            assert expected == shard.words.look_up(bag.terms)
            assert bool(len(bag.terms)) == shard.has_terms(document)
            found += 1
    assert (len(given_bags), len(given_bags)) == (found, folder.header.documents)
    assert folder.find("http://nowhere.example/") is None
    header = folder.header
    assert sum(bag.crawled for bag in given_bags) == header.crawled
    assert sum(not len(bag.terms) for bag in given_bags) == header.empty
    assert header.documents - header.empty == header.listed
    assert header.documents == sum(header.inlinks)
    assert sum(min(bag.anchors, 16) == 2 for bag in given_bags) == header.inlinks[2]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(st.lists(st.binary(min_size=1, max_size=5), max_size=20, unique=True), st.binary(max_size=6))
def test_search_by_bytes(tmp_path_factory, names, wanted):
    """Documents are found by the bytes of their URLs, as a linear search finds them."""
    urls = sorted(name.hex() for name in names)
    path = make_index(
        tmp_path_factory.mktemp("any") / "index", [make_bag(u, {20: 1}) for u in urls]
    )
    shard = IndexFolder(path).shards[0]
    for url in [*urls, wanted.hex()]:
        assert sum(other < url for other in urls) == shard.at(url.encode())
        assert (urls.index(url) if url in urls else -1) == shard.find(url.encode())


def test_many_batches(tmp_path, monkeypatch):
    """An index that is written in many pieces is that of one piece."""
    some = random_bags(70)
    whole = files_of(make_index(tmp_path / "whole", some))
    monkeypatch.setattr(shard_files, "_BLOCK", 3)
    assert whole == files_of(make_index(tmp_path / "pieces", some))


def test_too_many_documents_for_a_shard(tmp_path, monkeypatch):
    """A shard whose lists 32 bits cannot count is refused, with what to do about it."""
    monkeypatch.setattr(shard_files, "_MOST_IDS", 100)
    said = "a shard would hold 13 documents, more than 32 bits count; name more --shards"
    some = [make_bag(f"http://a.example/{k}", {20: 1}) for k in range(13)]
    with pytest.raises(UsageError, match=said):
        make_index(tmp_path / "index", some)
    assert not (tmp_path / "index").exists()


# --- golden ---

ROWS = {
    "http://a.example/": np.array([5, 0x80000001], dtype=np.uint32),
    "http://b.example/": np.array([5, 7], dtype=np.uint32),
    "http://c.example/": np.array([EMPTY, EMPTY], dtype=np.uint32),
}
GOLDEN = [
    make_bag("http://a.example/", {20: 1.0, 30: 3.0}, 2, title="Ä b"),
    make_bag("http://b.example/", {30: 1.0}, 0, crawled=False),
    make_bag("http://c.example/", {}),
]
META = (
    b'"meta": {"min_inlinks": 0, "shard": 0, "shards": 1, "signatures.copies": 512,'
    b' "signatures.count": 2, "signatures.method": "darts", "signatures.seed": 20020507}}'
)


def head(checksum: bytes, arrays: bytes, data: bytes, kind: bytes) -> bytes:
    """The two lines of an array file."""
    text = b'{"arrays": [%b], "checksum": "%b", "kind": "%b", %b' % (arrays, data, kind, META)
    lines = b"pagekin arrays 1\n%b %b" % (checksum, text)
    return lines + b" " * (-(len(lines) + 1) % 64) + b"\n"


def numbers(*values: int, last: bool = False) -> bytes:
    """32-bit numbers, filled up to 64 bytes unless they are the last array."""
    data = np.array(values, dtype="<u4").tobytes()
    return data if last else data + b"\0" * (-len(data) % 64)


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The files of a fixed index."""
    path = tmp_path_factory.mktemp("golden") / "index"
    return files_of(make_index(path, GOLDEN, config_of(count=2), ROWS))


def test_golden_h(golden):
    """H: a row of 4m bytes for each document, in the order of the URLs, and nothing else."""
    described = b'{"dtype": "<u4", "length": 6, "name": "signatures"}'
    first = head(b"dcd2538de0c3557d", described, b"e0b83f997fbeca677521c62adf7d513a", b"index H")
    rows = numbers(5, 0x80000001, 5, 7, EMPTY, EMPTY, last=True)
    assert first + rows == golden["shard-00000/H.arrays"]


def test_golden_i(golden):
    """I: for each position directory, keys and starts; ids of all lists, one behind another."""
    described = b", ".join(
        b'{"dtype": "<u4", "length": %d, "name": "%b"}' % (length, name)
        for name, length in ((b"directory", 4), (b"keys", 3), (b"starts", 4), (b"ids", 4))
    )
    first = head(b"0eaae8d91ef8fed8", described, b"458c342fcbd4b59848b0be98c54c2b77", b"index I")
    directory, keys = numbers(0, 1, 1, 3), numbers(5, 7, 0x80000001)
    starts, ids = numbers(0, 2, 3, 4), numbers(0, 1, 1, 0, last=True)
    assert first + directory + keys + starts + ids == golden["shard-00000/I.arrays"]


def test_golden_titles(golden):
    """Titles: where each begins and the last ends, and the texts; none of what was not read."""
    described = (
        b'{"dtype": "<u8", "length": 4, "name": "bounds"},'
        b' {"dtype": "|u1", "length": 4, "name": "text"}'
    )
    first = head(
        b"3a81af61ca488b47", described, b"fc74b7dc4018c01d40c382982902a22e", b"index titles"
    )
    bounds = np.array([0, 4, 4, 4], "<u8").tobytes() + bytes(32)
    assert first + bounds + "Ä b".encode() == golden["shard-00000/titles.arrays"]


HEADER_BYTES = rb"""{
 "pagekin index": 4,
 "checksum": "f1052f544c7313a9c039acfbcccd418b",
 "config": {
  "signatures": {
   "count": 2
  },
  "index": {
   "shards": 1,
   "min_inlinks": 0
  }
 },
 "shards": 1,
 "documents": 3,
 "listed": 2,
 "crawled": 1,
 "empty": 1,
 "inlinks": [
  1,
  0,
  2
 ],
 "frequencies": {
  "bags": 3,
  "terms": 2,
  "mu": 0.5,
  "sigma": 0.25
 },
 "files": {
  "aliases.arrays": "0123"
 },
 "sources": [
  {
   "pagekin": "1",
   "files": 1,
   "bytes": 2,
   "names": [
    "\u00e4.warc"
   ],
   "built_from": {
    "a": "b"
   }
  }
 ],
 "kin": 0,
 "titled": 0
}"""


def test_golden_header(tmp_path):
    """index.json holds what is said of the index, under the checksum of it."""
    config = {"signatures": {"count": 2}, "index": {"shards": 1, "min_inlinks": 0}}
    source = {"pagekin": "1", "files": 1, "bytes": 2, "names": ["ä.warc"], "built_from": {"a": "b"}}
    frequencies = {"bags": 3, "terms": 2, "mu": 0.5, "sigma": 0.25}
    files = {"aliases.arrays": "0123"}
    header = IndexHeader(config, 1, 3, 2, 1, 1, [1, 0, 2], frequencies, files, [source])
    write_header(tmp_path, header)
    assert HEADER_BYTES == (tmp_path / HEADER).read_bytes()
    assert "41a76ea9ca3c27915e43126e5ca4d092" == header.digest


def test_header_is_read_as_it_was_written(tmp_path):
    """What a build says of its index comes back."""
    made = make_index(tmp_path / "index", random_bags(20), config_of(3))
    before, header = (made / HEADER).read_bytes(), read_header(made)
    write_header(made, header)
    assert (before, header) == ((made / HEADER).read_bytes(), read_header(made))


@pytest.mark.parametrize("documents", [0, 1, 2, 9])
@pytest.mark.parametrize("count", [1, 80])
def test_bytes_of_h(tmp_path, documents, count):
    """H has 4m bytes for each document exactly."""
    some = [make_bag(f"http://a.example/{k}", {20: 1}) for k in range(documents)]
    make_index(tmp_path / "index", some, config_of(count=count))
    data = (tmp_path / "index" / "shard-00000" / "H.arrays").read_bytes()
    assert 4 * count * documents == len(data.split(b"\n", 2)[2])


def test_nothing_of_the_place(tmp_path):
    """The same documents give the same bytes wherever and whenever."""
    one = make_index(tmp_path / "one", random_bags(20), config_of(3))
    (tmp_path / "deep").mkdir()
    two = make_index(tmp_path / "deep" / "two", random_bags(20)[::-1], config_of(3))
    assert files_of(one) == files_of(two)
    assert str(tmp_path) not in (one / HEADER).read_text()
    assert read_header(one).digest == read_header(two).digest


# --- in its place ---


def put(target: Path) -> None:
    make_index(target, GOLDEN, config_of(count=2), ROWS)


def test_replaced(tmp_path):
    """A new index takes the place of an old one, and nothing of the old one stays."""
    target = tmp_path / "index"
    make_index(target, random_bags(20), config_of(5))
    put(target)
    assert {HEADER, "aliases.arrays", shard_name(0)} == {path.name for path in target.iterdir()}
    assert [target] == list(tmp_path.iterdir())


def test_failure_leaves_the_old_one(tmp_path):
    """Whatever is raised while an index is written, the old one stays, and no rest."""
    target = tmp_path / "index"
    put(target)
    before = files_of(target)
    with pytest.raises(RuntimeError, match="stop"), index_in_place(target) as made:
        (made / "half").write_text("half")
        raise RuntimeError("stop")
    assert before == files_of(target)
    assert [target] == list(tmp_path.iterdir())


def test_move_that_fails(tmp_path, monkeypatch):
    """Also where the last move fails the old one stands again."""
    target = tmp_path / "index"
    put(target)
    before = files_of(target)
    rename = Path.rename

    def refuse(self: Path, to: Path) -> Path:
        if ".new." in self.name:
            raise OSError(5, "Input/output error")
        return rename(self, to)

    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(OSError, match="Input/output"):
        put(target)
    assert before == files_of(target)
    assert [target] == [path for path in tmp_path.iterdir() if path.suffix != ".aliases"]


def test_through_a_link(tmp_path):
    """A link to an index stays a link, and its target is replaced."""
    (tmp_path / "far").mkdir()
    real, link = tmp_path / "far" / "real", tmp_path / "link"
    make_index(real, random_bags(5))
    link.symlink_to(real)
    put(link)
    assert link.is_symlink()
    assert 3 == read_header(real).documents
    assert [real] == list((tmp_path / "far").iterdir())


@pytest.mark.parametrize("word", ["new", "old"])
def test_rests_of_a_killed_writer(tmp_path, word):
    """What a writer left that was killed is swept away; what another one writes just now is not."""
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    rest, others = (
        tmp_path / f".index.{word}.{gone.pid}",
        tmp_path / f".index.{word}.{os.getppid()}",
    )
    for folder in (rest, others, tmp_path / ".index.new.txt", tmp_path / ".other.new.1"):
        folder.mkdir()
        (folder / "file").write_text("half")
    put(tmp_path / "index")
    assert not rest.exists()
    assert {"index", others.name, ".index.new.txt", ".other.new.1"} == {
        path.name for path in tmp_path.iterdir()
    }


def test_killed_between_two_moves(tmp_path):
    """An old index that was moved away by a writer that was killed is not lost."""
    put(tmp_path / "index")
    before = files_of(tmp_path / "index")
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    (tmp_path / "index").rename(tmp_path / f".index.old.{gone.pid}")
    with pytest.raises(RuntimeError), index_in_place(tmp_path / "index"):
        raise RuntimeError("stop")
    assert before == files_of(tmp_path / "index")
    assert [tmp_path / "index"] == list(tmp_path.iterdir())


def test_targets(tmp_path):
    """A new folder, an empty one and an index may be written; nothing else is touched."""
    check_target(tmp_path / "new")
    check_target(tmp_path)
    put(tmp_path / "index")
    check_target(tmp_path / "index")
    header = tmp_path / "index" / HEADER
    header.write_bytes(header.read_bytes()[:-5] + b"?")  # damaged, but the header of an index
    check_target(tmp_path / "index")


@pytest.mark.parametrize("name", ["notes.txt", HEADER])
def test_other_folders(tmp_path, name):
    """A folder of other things is refused, also one with an index.json of another program."""
    (tmp_path / name).write_text('{"name": "a web site"}')
    said = f"--index {tmp_path}: holds other files and is no index; name a new folder"
    with pytest.raises(UsageError) as caught:
        check_target(tmp_path)
    assert said == str(caught.value)
    with pytest.raises(UsageError):
        put(tmp_path)
    assert {name} == {path.name for path in tmp_path.iterdir()} - {f"{tmp_path.name}.aliases"}


def test_file_for_a_target(tmp_path):
    """A file is no folder."""
    (tmp_path / "index").write_text("")
    with pytest.raises(UsageError, match="index: is a file; an index is a folder"):
        check_target(tmp_path / "index")


def test_something_beside_an_index(tmp_path):
    """What somebody put into the folder of an index is not thrown away with it."""
    put(tmp_path / "index")
    (tmp_path / "index" / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"holds notes\.txt beside an index, which would be lost"):
        put(tmp_path / "index")
    assert "mine" == (tmp_path / "index" / "notes.txt").read_text()
