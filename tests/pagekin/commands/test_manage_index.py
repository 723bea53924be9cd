"""`pagekin info`, `pagekin verify` and `pagekin merge-index`."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from pagekin import Index
from pagekin.cocitation.kin_table import RelatedPage
from pagekin.index.folder import read_header
from tests.indexes import config_of, files_of, make_bag, make_index, random_bags


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index of made-up bags."""
    folder = tmp_path_factory.mktemp("small-index") / "index"
    return make_index(folder, random_bags(30), config_of(3, 16))


def test_new_index_is_named(command):
    """Where the merged index goes has no default."""
    said = command("merge-index", "x", "y")
    assert (2, "") == (said.code, said.out)
    assert "--index" in said.err


@pytest.mark.parametrize("name", ["related", "bag", "info", "verify"])
def test_no_index(command, tmp_path, name):
    """A folder that is no index ends with 3."""
    words = ["a.example"] if name in {"related", "bag"} else []
    said = command(name, "--index", tmp_path, *words)
    assert (3, "", f"pagekin: {tmp_path} is no index (it has no index.json)\n") in {
        said,
        (said.code, said.out, f"pagekin: {said.err}"),
    }


def test_info(command, demo_index):
    """People see pages, parameters, sizes, df statistics, sources, and what a filter would drop."""
    said = command("info", "--index", demo_index)
    lines = [" ".join(line.split()) for line in said.out.splitlines()]
    assert (0, "") == (said.code, said.err)
    assert f"{demo_index}: 445 documents in 3 shards" == lines[0]
    assert f"digest {read_header(demo_index).digest}" == lines[1]
    assert "read 314" in lines
    assert "by anchors 131" in lines
    assert "signatures count 80, seed 20020507, method darts, copies 512" in lines
    assert any(
        line.startswith("from 4 files, 577,837 bytes: crawl-00000.warc.gz, ") for line in lines
    )
    size = sum(path.stat().st_size for path in demo_index.rglob("H.arrays"))
    what = "the signatures of each document"
    assert f"H.arrays {size:,} {size / 445:.1f} a document {what}" in lines
    assert lines[-16].startswith("1 11 2.5%")


def test_info_as_json(command, demo_index):
    """JSON has everything."""
    info = json.loads(command("info", "--index", demo_index, "--json").out)
    assert Index.open(demo_index).info() == info
    assert [
        *("path", "digest", "documents", "crawled", "known_by_anchors", "with_title"),
        *("without_terms", "listed", "with_cocited_kin"),
        *("shards", "signatures", "min_inlinks", "min_inlinks_would_drop", "frequencies", "bytes"),
        *("sources", "config"),
    ] == list(info)
    assert (445, 314, 131, 313, 0, 445, 3, 0) == tuple(
        info[name]
        for name in (
            *("documents", "crawled", "known_by_anchors", "with_title", "without_terms"),
            *("listed", "shards", "min_inlinks"),
        )
    )
    anchors = [bag.anchors for bag in Index.open(demo_index).all()]
    expected = {str(n): sum(count < n for count in anchors) for n in range(1, 17)}
    assert expected == info["min_inlinks_would_drop"]
    assert 3_624 == info["frequencies"]["terms"]
    sizes = dict.fromkeys(info["bytes"], 0)
    for path in demo_index.rglob("*.arrays"):
        sizes[path.name] += path.stat().st_size
    assert sizes == info["bytes"]


def test_verify(command, demo_index, small):
    """A sound index is called sound."""
    for index in (demo_index, small):
        expected = f"{index}: all checksums match, and all files agree\n"
        assert (0, expected, "") == command("verify", "--index", index)
        assert (0, "[]\n", "") == command("verify", "--index", index, "--json")


def test_verify_damage(command, small, tmp_path):
    """What is wrong is told on stderr, a sentence for each, and the exit code is 3."""
    index = shutil.copytree(small, tmp_path / "index")
    path = index / "shard-00001" / "H.arrays"
    path.write_bytes(path.read_bytes()[:-1] + b"?")
    (index / "shard-00002" / "I.arrays").unlink()
    said = command("verify", "--index", index)
    assert (3, "", 2) == (said.code, said.out, len(said.err.splitlines()))
    assert said.err.startswith(f"{path} is damaged: its checksum does not match")
    listed = command("verify", "--index", index, "--json")
    assert (3, said.err.splitlines()) == (listed.code, json.loads(listed.out))


def test_merge(command, tmp_path):
    """Two indexes become one, and it is said what it holds."""
    bags = random_bags(30)
    one = make_index(tmp_path / "a", bags[::2], config_of(2))
    two = make_index(tmp_path / "b", bags[1::2], config_of(3))
    target = tmp_path / "c"
    said = command("merge-index", one, two, "--index", target)
    assert (0, f"{target}: 30 documents in 2 shards\n", "") == said
    made = json.loads(
        command("merge-index", one, two, "--index", target, "--shards", 5, "--json").out
    )
    assert {
        "index": str(target),
        "digest": read_header(target).digest,
        "documents": 30,
        "shards": 5,
        "repeated": 0,
    } == made
    expected = make_index(tmp_path / "d", bags, config_of(5))
    ours, theirs = files_of(target), files_of(expected)
    assert ours.pop("index.json") != theirs.pop("index.json")
    assert ours == theirs


def test_merge_of_pages_known_to_both(command, tmp_path):
    """Pages that both know by their anchors are counted."""
    folders = [
        make_index(tmp_path / name, [make_bag("http://x.example/", {20: 1}, 1, crawled=False)])
        for name in "ab"
    ]
    said = command("merge-index", *folders, "--index", tmp_path / "c")
    assert "  1 URLs were in several; the best known bag was kept" == said.out.splitlines()[1]


def test_merge_refused(command, small, tmp_path):
    """Mistakes are one sentence each."""
    other = make_index(tmp_path / "other", [], config_of(count=17))
    words = ("merge-index", "--index", tmp_path / "c")
    for sources, code, said in (
        ([small], 2, "merge-index takes at least two indexes"),
        ([small, tmp_path], 3, f"{tmp_path} is no index (it has no index.json)"),
        (
            [small, other],
            3,
            f"{small} and {other} cannot be merged: signatures.count is 16 in the first and 17 in"
            " the other",
        ),
        (
            [small, small, "--shards", "-2"],
            2,
            "--shards -2: it must be at least 0 and at most 100000",
        ),
    ):
        assert (code, "", f"pagekin: {said}\n") == command(*words, *sources)
    said = command(*words, small, small)
    assert 3 == said.code
    assert (
        f" was read for {small} and {small}; indexes of the same pages cannot be merged\n"
        in said.err
    )
    assert not (tmp_path / "c").exists()


def test_info_by_cocitation(command, tmp_path):
    """People and programs see how many pages have kin by co-citation."""
    bees, hives, only = (f"http://{name}.example/" for name in ("bees", "hives", "only"))
    bags = [make_bag(url, {20: 1, 30: 1}, 3) for url in (bees, hives)]
    kin = {url: [RelatedPage(bees, 4.5, 2, 1, ())] for url in (hives, only)}  # `only` has no bag
    index = make_index(tmp_path / "index", bags, config_of(3, 16), kin=kin)
    lines = [" ".join(line.split()) for line in command("info", "--index", index).out.splitlines()]
    assert "by co-citation 2 pages have kin" in lines
    assert 2 == json.loads(command("info", "--index", index, "--json").out)["with_cocited_kin"]
