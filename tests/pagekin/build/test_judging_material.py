"""Labelled pages of a workspace and of an index."""

from __future__ import annotations

import shutil

import pytest

from pagekin.build.bag_store import BagStore
from pagekin.build.judging_material import Labels
from pagekin.errors import UsageError
from pagekin.evaluate.directory import DirectoryConfig
from tests.indexes import config_of, make_index, random_bags
from tests.running import record_of, write_record

BAGS = random_bags(20)


@pytest.fixture
def labels(tmp_path):
    file = tmp_path / "d.tsv"
    file.write_text(
        "".join(f"{bag.url}\t/Top/A\n" for bag in BAGS) + "http://old.example/\t/Top/B\n"
    )
    return Labels([file], DirectoryConfig())


def test_index(labels, tmp_path):
    """Pages by all their names; a name of old stands for the page of today."""
    aliases = [(b"http://old.example/", BAGS[3].url.encode())]
    index = make_index(tmp_path / "index", BAGS, config_of(2, 16), aliases=aliases)
    material = labels.of_index(index)
    pages = material.pages
    assert (sorted(bag.url for bag in BAGS), 0) == (pages.urls, pages.missing)
    assert [("A",), ("B",)] == pages.paths_of(pages.urls.index(BAGS[3].url))
    assert 16 == material.config.signatures.count
    assert 21 == labels.counters.get("directory", "rows")


def test_workspace(demo_work, tmp_path):
    """The bags of a workspace with the configuration of its build, but for what is asked for."""
    some = [bag.url for bag in BagStore(demo_work).all()][:9]
    file = tmp_path / "d.tsv"
    file.write_text("".join(f"{url}\t/Top/A\n" for url in some))
    material = Labels([file], DirectoryConfig()).of_workspace(demo_work, {"count": 9})
    assert some == material.pages.urls
    assert (9, 20020507) == (material.config.signatures.count, material.config.signatures.seed)


def test_workspace_of_another_version(demo_work, tmp_path):
    """A build that knew fewer keys, or others, is still judged."""
    work = shutil.copytree(demo_work, tmp_path / "work")
    record = record_of(work, "weighted_bags")
    del record["config"]["blocks"], record["config"]["weight"]["tf"]
    record["config"]["weight"]["gone"] = 1
    record["config"]["signatures"]["seed"] = 5
    write_record(work, "weighted_bags", record)
    file = tmp_path / "d.tsv"
    file.write_text(next(BagStore(work).all()).url + "\t/Top/A\n")
    material = Labels([file], DirectoryConfig()).of_workspace(work, {})
    assert 5 == material.config.signatures.seed


def test_unknown_alias(demo_work):
    """A URL that stands for no other is its own end."""
    store = BagStore(demo_work)
    assert "http://nowhere.example/" == store.end_of("http://nowhere.example/")
    with pytest.raises(UsageError):
        store.get("mailto:x")
